-- Dead letters that are tried again.

-- How often it was refused.
ALTER TABLE dead_letter ADD COLUMN tries INTEGER NOT NULL DEFAULT 1;
-- Number under which it is to be tried again, and the task that is to try it; NULL: nobody asked.
ALTER TABLE dead_letter ADD COLUMN replay INTEGER;
ALTER TABLE dead_letter ADD COLUMN replay_task TEXT;
-- Number of the try that refused it last: the same try, repeated after a crash, counts once.
ALTER TABLE dead_letter ADD COLUMN replayed INTEGER;
CREATE INDEX dead_letter_by_replay ON dead_letter (uid, replay_task, replay) WHERE replay IS NOT NULL;
INSERT INTO counter VALUES ('replay', 0);
