-- What the local services remember. All of it belongs to one data directory, which one process at a time may open.

-- Numbers that only rise.
CREATE TABLE counter (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter VALUES ('generation', 0);

-- The configuration log, compacted: the latest entry of each key, at the place in the log where it was written.
CREATE TABLE config (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    id       TEXT NOT NULL,
    value    TEXT,                       -- NULL: deleted
    at       TEXT NOT NULL,
    UNIQUE (kind, id)
) STRICT;

-- Which start of a task may write positions (I3, I4).
CREATE TABLE generation (
    uid        TEXT NOT NULL,
    task       TEXT NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (uid, task)
) STRICT, WITHOUT ROWID;

-- Watermarks; an empty target means the source's own.
CREATE TABLE position (
    uid          TEXT NOT NULL,
    target       TEXT NOT NULL,
    source       TEXT NOT NULL,
    "partition"  TEXT NOT NULL,
    via          TEXT NOT NULL,
    rank         INTEGER NOT NULL,
    token        TEXT NOT NULL,
    target_rank  INTEGER,                -- the position inside the target, where it keeps one
    target_token TEXT,
    generation   INTEGER NOT NULL,
    PRIMARY KEY (uid, target, source, "partition", via)
) STRICT, WITHOUT ROWID;

-- When sources started over; an empty source stands for all. What targets hold from before an epoch is of another stream.
CREATE TABLE epoch (
    uid    TEXT NOT NULL,
    source TEXT NOT NULL,
    epoch  INTEGER NOT NULL,
    PRIMARY KEY (uid, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE totals (
    uid   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE status (
    uid   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
    entry INTEGER PRIMARY KEY AUTOINCREMENT,
    uid   TEXT NOT NULL,
    value TEXT NOT NULL
) STRICT;
CREATE INDEX history_by_uid ON history (uid, entry);

CREATE TABLE dead_letter (
    entry       INTEGER PRIMARY KEY AUTOINCREMENT,
    uid         TEXT NOT NULL,
    node        TEXT NOT NULL,
    source      TEXT NOT NULL,
    "partition" TEXT NOT NULL,
    via         TEXT NOT NULL,
    rank        INTEGER NOT NULL,
    child       INTEGER NOT NULL,
    cause       TEXT NOT NULL,
    record      TEXT NOT NULL,
    bytes       INTEGER NOT NULL,
    at          INTEGER NOT NULL,        -- milliseconds since 1970
    live        INTEGER NOT NULL DEFAULT 1, -- 0: its source has started over since, so a replay refuses it anew
    UNIQUE (uid, source, "partition", rank, node, via, child)
) STRICT;
CREATE INDEX dead_letter_by_uid ON dead_letter (uid, entry);
CREATE INDEX dead_letter_by_age ON dead_letter (at);

-- Refusals whose dead letter was removed before its source had passed it.
CREATE TABLE refusal (
    uid         TEXT NOT NULL,
    source      TEXT NOT NULL,
    "partition" TEXT NOT NULL,
    rank        INTEGER NOT NULL,
    node        TEXT NOT NULL,
    via         TEXT NOT NULL,
    child       INTEGER NOT NULL,
    PRIMARY KEY (uid, source, "partition", rank, node, via, child)
) STRICT, WITHOUT ROWID;

-- Notes of records that a sink refused and that its errors port was about to hand on to a target.
CREATE TABLE routed (
    uid         TEXT NOT NULL,
    source      TEXT NOT NULL,
    "partition" TEXT NOT NULL,
    rank        INTEGER NOT NULL,
    node        TEXT NOT NULL,
    via         TEXT NOT NULL,
    child       INTEGER NOT NULL,
    target      TEXT NOT NULL,
    number      INTEGER NOT NULL,
    PRIMARY KEY (uid, source, "partition", rank, node, via, child, target, number)
) STRICT, WITHOUT ROWID;

-- How much each channel has set aside, kept by the triggers below.
CREATE TABLE dead_letter_usage (
    uid     TEXT PRIMARY KEY,
    letters INTEGER NOT NULL DEFAULT 0,
    bytes   INTEGER NOT NULL DEFAULT 0,
    evicted INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TRIGGER dead_letter_came AFTER INSERT ON dead_letter BEGIN
    INSERT INTO dead_letter_usage (uid, letters, bytes) VALUES (new.uid, 1, new.bytes)
        ON CONFLICT (uid) DO UPDATE SET letters = letters + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER dead_letter_went AFTER DELETE ON dead_letter BEGIN
    UPDATE dead_letter_usage SET letters = letters - 1, bytes = bytes - old.bytes WHERE uid = old.uid;
END;

CREATE TABLE secret (
    name   TEXT PRIMARY KEY,
    sealed BLOB NOT NULL                 -- nonce, then AES-256-GCM of the value with the name as associated data
) STRICT, WITHOUT ROWID;
