//! What SQLite's errors mean. A constraint is the record's fault; almost everything else is the target's, and passes.

use std::borrow::Cow;

use fairway_engine::Error;
use fairway_engine::data::RecordError;

/// The primary result codes that are told apart (<https://www.sqlite.org/rescode.html>).
mod code {
    pub(super) const ERROR: i32 = 1;
    pub(super) const PERM: i32 = 3;
    pub(super) const BUSY: i32 = 5;
    pub(super) const LOCKED: i32 = 6;
    pub(super) const READONLY: i32 = 8;
    pub(super) const IOERR: i32 = 10;
    pub(super) const CORRUPT: i32 = 11;
    pub(super) const FULL: i32 = 13;
    pub(super) const CANTOPEN: i32 = 14;
    pub(super) const TOOBIG: i32 = 18;
    pub(super) const CONSTRAINT: i32 = 19;
    pub(super) const MISMATCH: i32 = 20;
    pub(super) const AUTH: i32 = 23;
    pub(super) const NOTADB: i32 = 26;
}

/// Whose fault a failed statement is.
#[derive(Debug)]
pub(super) enum Fault {
    /// That of a record it wrote.
    Record(RecordError),
    /// That of the statement itself, or of a function or trigger that did not like a value.
    Statement,
    /// The target's.
    Target,
}

/// Whose fault it is.
pub(super) fn whose(error: &sqlx::Error) -> Fault {
    let Some((extended, _)) = sqlite(error) else { return Fault::Target };
    match extended & 0xff {
        code::CONSTRAINT | code::MISMATCH | code::TOOBIG => Fault::Record(of_record(error)),
        code::ERROR => Fault::Statement,
        _ => Fault::Target,
    }
}

/// SQLite's reason for not taking a record.
pub(super) fn of_record(error: &sqlx::Error) -> RecordError {
    let (extended, message) = sqlite(error).unwrap_or((0, error.to_string().into()));
    let code = match extended {
        275 => "sqlite.check",
        787 => "sqlite.foreign_key",
        1299 => "sqlite.not_null",
        1555 | 2067 | 2579 => "sqlite.unique",
        1811 => "sqlite.trigger",
        20 | 3091 => "sqlite.wrong_type",
        18 => "sqlite.too_big",
        _ => "sqlite.refused",
    };
    RecordError::new(code, message)
}

/// Whether a row refers to another that is not there.
pub(super) fn is_foreign_key(error: &sqlx::Error) -> bool {
    sqlite(error).is_some_and(|(extended, _)| extended == 787)
}

/// A fault of the target.
pub(super) fn of_target(error: sqlx::Error, what: &str) -> Error {
    let Some((extended, _)) = sqlite(&error) else {
        return Error::outage("sqlite.unavailable", what).source(error);
    };
    let outage = |code, help: &str| Error::outage(code, what).help(help);
    match extended & 0xff {
        code::BUSY | code::LOCKED => {
            outage("sqlite.busy", "another program writes to the file; it is tried again by itself")
        }
        code::FULL => outage("sqlite.full", "make room on the disk; it is tried again by itself"),
        code::READONLY | code::PERM | code::AUTH => {
            outage("sqlite.read_only", "give Fairway the right to write the file and its folder")
        }
        code::CORRUPT => Error::hold("sqlite.corrupt", what)
            .help("the file is damaged or cut off: check it with `PRAGMA integrity_check`, and restore it from a copy"),
        code::CANTOPEN => outage("sqlite.cannot_open", "see that the folder is there and may be written"),
        code::IOERR => outage("sqlite.io", "see whether the disk works; it is tried again by itself"),
        code::NOTADB => Error::config("sqlite.not_a_database", what)
            .help("name a SQLite file, or one that is not there yet"),
        code::ERROR => outage("sqlite.statement", "see whether the table still is as the channel expects it"),
        _ => Error::outage("sqlite.unavailable", what),
    }
    .source(error)
}

/// Extended result code and message, if it was SQLite that failed.
fn sqlite(error: &sqlx::Error) -> Option<(i32, Cow<'_, str>)> {
    let error = error.as_database_error()?;
    Some((error.code()?.parse().ok()?, error.message().into()))
}
