//! Opening a SQLite file. One connection, its own thread behind it (sqlx), and every commit on the disk before it answers.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::{Error, file_id};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection};

use super::fault;

/// How long SQLite itself waits for other writers; after that the engine waits, visibly.
const BUSY: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 5000 });
/// Statements kept ready: enough for all lengths of several shapes of records, and few, since long ones are large.
const STATEMENTS: usize = 64;
/// Pages of 4 KiB that the write-ahead log gathers before they go into the file: fewer and larger waits for the disk than
/// with SQLite's own 1000 (some 20 % more rows a second in large commits), for 40 MB of disk.
const CHECKPOINT_PAGES: u32 = 10_000;

/// What tells the file that was opened from another one at the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId((u64, u64));

/// A file, and how it is opened.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    path: PathBuf,
    options: SqliteConnectOptions,
}

impl Database {
    /// The file that a component means; it need not exist.
    pub(crate) fn at(files: &Files, path: &str) -> Result<Self, Error> {
        let resolved = files.resolve(path)?;
        // SQLite reads what begins with `file:` as an address; an absolute path never does.
        let path = std::path::absolute(&resolved).unwrap_or(resolved);
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // In WAL mode only FULL waits for the disk at every commit (I2).
            .synchronous(SqliteSynchronous::Full)
            .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .statement_cache_capacity(STATEMENTS)
            .disable_statement_logging();
        Ok(Self { path, options })
    }

    /// The file that a component means, for reading only: it must exist, and nothing about it is changed.
    pub(crate) fn read_only(files: &Files, path: &str) -> Result<Self, Error> {
        let resolved = files.resolve(path)?;
        let path = std::path::absolute(&resolved).unwrap_or(resolved);
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .read_only(true)
            .busy_timeout(BUSY)
            .statement_cache_capacity(STATEMENTS)
            .disable_statement_logging();
        Ok(Self { path, options })
    }

    /// Opens a file that is only read.
    pub(crate) async fn connect_to_read(&self) -> Result<SqliteConnection, Error> {
        let path = self.path.display();
        if self.path.is_dir() {
            return Err(Error::config("sqlite.is_a_folder", format!("`{path}` is a folder"))
                .help("name a file in it"));
        }
        if !self.path.exists() {
            return Err(self.no_file());
        }
        let connection = SqliteConnection::connect_with(&self.options).await;
        connection.map_err(|error| fault::of_target(error, &format!("`{path}` cannot be opened")))
    }

    /// The path, as it is shown.
    pub(crate) fn path(&self) -> std::path::Display<'_> {
        self.path.display()
    }

    /// The file that is at the path now.
    ///
    /// # Errors
    /// `sqlite.no_file`, an outage, when there is none or it cannot be looked at.
    pub(crate) fn identity(&self) -> Result<FileId, Error> {
        file_id::at(&self.path).map(FileId).map_err(|error| self.no_file().source(error))
    }

    /// Sees whether the path still leads to the file that was opened there.
    ///
    /// # Errors
    /// `sqlite.file_changed`, a hold, when the file was removed, renamed or replaced: what an open connection writes then goes
    /// where nobody finds it.
    pub(crate) fn is_still(&self, opened: FileId) -> Result<(), Error> {
        let how = match file_id::at(&self.path) {
            Ok(found) if FileId(found) == opened => return Ok(()),
            Ok(_) => "was replaced by another file",
            Err(error) if error.kind() == ErrorKind::NotFound => "was removed",
            // Whoever cannot look says nothing about the file.
            Err(error) => return Err(self.no_file().source(error)),
        };
        let what = format!("`{}` {how} while it was being written", self.path.display());
        Err(Error::hold("sqlite.file_changed", what).help(
            "put the file back, or reset the channel's positions to start over with the one that is there",
        ))
    }

    fn no_file(&self) -> Error {
        Error::outage("sqlite.no_file", format!("there is no file `{}`", self.path.display()))
            .help("correct the path, or create the file; it is looked for again by itself")
    }

    /// Opens the file; folders that are missing are created.
    pub(crate) async fn connect(&self) -> Result<SqliteConnection, Error> {
        self.prepare_folder()?;
        let connection = SqliteConnection::connect_with(&self.options).await;
        connection
            .map_err(|error| fault::of_target(error, &format!("`{}` cannot be opened", self.path.display())))
    }

    fn prepare_folder(&self) -> Result<(), Error> {
        let path = self.path.display();
        match std::fs::metadata(&self.path) {
            Ok(found) if found.is_dir() => {
                return Err(Error::config("sqlite.is_a_folder", format!("`{path}` is a folder"))
                    .help("name a file in it"));
            }
            Ok(found) if !found.is_file() => {
                let what = format!("`{path}` is no file, but a device or a pipe");
                return Err(Error::config("sqlite.not_a_file", what).help("name a file"));
            }
            Ok(_) => return Ok(()),
            Err(error) if is_impossible(&error) => {
                let what = format!("there can be no file `{path}`");
                return Err(Error::config("sqlite.impossible_path", what)
                    .help("correct the path")
                    .source(error));
            }
            Err(_) => {}
        }
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder).map_err(|error| {
            let what = format!("the folder `{}` cannot be created", folder.display());
            // Where even a missing parent cannot be the reason, no waiting helps.
            if is_impossible(&error) || error.kind() == ErrorKind::NotFound {
                return Error::config("sqlite.impossible_path", what).help("correct the path").source(error);
            }
            Error::outage("sqlite.no_folder", what)
                .help("create it, or give Fairway the right to; it is tried again by itself")
                .source(error)
        })
    }
}

/// Whether a path can never be one, whatever happens outside: a file stands where a folder would have to be, or it is too
/// long.
fn is_impossible(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotADirectory
            | ErrorKind::AlreadyExists
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
    )
}
