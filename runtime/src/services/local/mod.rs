//! All services on one SQLite database in the data directory.
//!
//! One connection writes, so that transactions never wait for a lock they could lose; a few read beside it (WAL). A commit is
//! on the disk when it returns (`synchronous = FULL`), which is what makes a stored position worth its name (I2).

mod cluster;
mod config;
mod dead_letter;
mod position;
mod secret;
mod status;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection, SqlitePool};

use super::error::{Error, Result};
use super::{HISTORY_KEPT, SealingKey, Services};

/// The database behind the local services.
#[derive(Clone)]
pub struct Database {
    write: SqlitePool,
    read: SqlitePool,
}

impl Database {
    /// Opens or creates the database and brings its tables up to date.
    ///
    /// # Errors
    /// `Unavailable` when the file cannot be used, or was written by a newer Fairway.
    pub async fn open(path: &Path) -> Result<Self> {
        create_private(path).map_err(|error| Error::Unavailable(error.into()))?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(10));
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .after_release(|connection, _| Box::pin(is_at_rest(connection)))
            .connect_with(options.clone())
            .await?;
        sqlx::migrate!("./migrations").run(&write).await.map_err(|error| Error::Unavailable(error.into()))?;
        let read = SqlitePoolOptions::new()
            .max_connections(4)
            .min_connections(0)
            .idle_timeout(Duration::from_secs(60))
            .connect_lazy_with(options.read_only(true));
        Ok(Self { write, read })
    }

    /// Finishes what is being written and closes the file.
    pub async fn close(&self) {
        self.read.close().await;
        self.write.close().await;
    }
}

/// Whether a connection that comes back may be used again.
///
/// A full disk makes SQLite end a transaction by itself; the roll back that follows then fails, and the driver goes on to
/// believe in the transaction. All that came later would be part of it, and none of it would ever be committed: such a
/// connection is closed, and the next writer opens one.
async fn is_at_rest(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    // A roll back waits in a queue until the next question.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Creates the file so that only its owner may read it; SQLite gives its side files the same rights.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// The local services over a database.
pub fn services(database: &Database, key: SealingKey) -> Services {
    Services {
        config: Arc::new(config::Local(database.clone())),
        positions: Arc::new(position::Local(database.clone())),
        status: Arc::new(status::Local(database.clone())),
        dead_letters: Arc::new(dead_letter::Local(database.clone())),
        secrets: Arc::new(secret::Local::new(database.clone(), key)),
        cluster: Arc::new(cluster::Alone),
        streams: None,
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        // 13 is SQLITE_FULL; extended codes keep the primary one in their low byte.
        let full = error
            .as_database_error()
            .and_then(|error| error.code()?.parse::<i32>().ok())
            .is_some_and(|code| code & 0xff == 13);
        if full { Self::Full(error.into()) } else { Self::Unavailable(error.into()) }
    }
}

/// A value of ours that is stored as JSON.
fn to_json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Unavailable(error.into()))
}

/// A stored JSON value.
fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Unavailable(error.into()))
}

/// A record's order as SQLite holds it: all of its 64 bits, moved so that greater stays greater.
fn order_in(order: u64) -> i64 {
    (order ^ (1 << 63)).cast_signed()
}

/// An order that SQLite held.
fn order_out(order: i64) -> u64 {
    order.cast_unsigned() ^ (1 << 63)
}

/// A number that is counted up from 0, as SQLite holds it.
fn rank_in(rank: u64) -> Result<i64> {
    i64::try_from(rank).map_err(|_| Error::TooLarge(rank))
}

/// A number that SQLite held.
fn rank_out(rank: i64) -> u64 {
    u64::try_from(rank).unwrap_or_default()
}
