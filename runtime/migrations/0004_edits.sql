-- Dead letters whose record was edited.

-- The record that is tried again in the place of the one that was refused; NULL: nobody edited it.
ALTER TABLE dead_letter ADD COLUMN edited TEXT;
CREATE TRIGGER dead_letter_grew AFTER UPDATE OF bytes ON dead_letter BEGIN
    UPDATE dead_letter_usage SET bytes = bytes + new.bytes - old.bytes WHERE uid = new.uid;
END;
