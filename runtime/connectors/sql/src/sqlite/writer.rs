//! A group as one transaction: positions first (they fence), then new columns, then rows.
//!
//! What is known of the table is in `known`, how rows are written and refused ones found in `apply`.

use fairway_engine::Error;
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::sink::{Group, Outcome};
use sqlx::{Connection, SqliteConnection};

use super::apply::{Care, Stop};
use super::connect::{Database, FileId};
use super::fault;
use super::known::Known;
use super::layout::Wish;
use super::positions::Positions;

/// Writes to one table of one file.
pub(crate) struct Writer {
    wish: Wish,
    database: Database,
    positions: Positions,
    /// The file that this writer writes: with its rows goes what is known of its positions.
    file: Option<FileId>,
    /// `None` after a fault: what a connection was doing then is undone by closing it.
    open: Option<Open>,
}

/// A connection, and what is known of the table.
struct Open {
    connection: SqliteConnection,
    /// `None` when what was known may no longer hold.
    known: Option<Known>,
}

/// What one try came to.
enum Tried {
    Done(Outcome),
    Again(Care),
}

impl Writer {
    pub(crate) async fn open(database: Database, wish: Wish, positions: Positions) -> Result<Self, Error> {
        let mut writer = Self { wish, database, positions, file: None, open: None };
        writer.open = Some(writer.connect().await?);
        Ok(writer)
    }

    async fn connect(&mut self) -> Result<Open, Error> {
        // Opening would create a file that is gone, and lay the log of the old one over one that took its place.
        self.is_still_there()?;
        let mut connection = self.database.connect().await?;
        match self.file {
            Some(_) => self.is_still_there()?,
            None => self.file = Some(self.database.identity()?),
        }
        let known = Known::load(&mut connection, &self.wish).await?;
        Ok(Open { connection, known: Some(known) })
    }

    /// A connection to the file that is at the path; of another file nothing more is written.
    async fn take_open(&mut self) -> Result<Open, Error> {
        let Some(open) = self.open.take() else { return self.connect().await };
        match self.is_still_there() {
            Ok(()) => Ok(open),
            Err(gone) => Err(leave(open, gone).await),
        }
    }

    fn is_still_there(&self) -> Result<(), Error> {
        self.file.map_or(Ok(()), |file| self.database.is_still(file))
    }

    /// See [`Positions::adopt`].
    pub(crate) async fn adopt(&mut self, stream: &StreamKey) -> Result<Position, Error> {
        let mut open = self.take_open().await?;
        let position = self.positions.adopt(&mut open.connection, stream).await?;
        self.keep(open).await?;
        Ok(position)
    }

    /// Keeps a connection whose transaction is over, if what it wrote can be found.
    async fn keep(&mut self, open: Open) -> Result<(), Error> {
        match self.is_still_there() {
            Ok(()) => self.open = Some(open),
            Err(gone) => return Err(leave(open, gone).await),
        }
        Ok(())
    }

    /// Writes a group together with its marks, or finds out that it already is there.
    pub(crate) async fn write(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        if self.positions.ledger.are_reached(group.marks) {
            return Ok(Outcome::all());
        }
        let mut care = Care::None;
        loop {
            let open = self.take_open().await?;
            match self.attempt(open, group, care).await? {
                Tried::Done(outcome) => return Ok(outcome),
                Tried::Again(more) => care = more,
            }
        }
    }

    /// Keeps the connection only if its transaction is over for sure.
    async fn attempt(&mut self, mut open: Open, group: Group<'_>, care: Care) -> Result<Tried, Error> {
        let failed = |error| fault::of_target(error, "the table cannot be written");
        let mut transaction = open.connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
        if !self.positions.advance(&mut transaction, group.marks, !group.is_empty()).await? {
            transaction.rollback().await.map_err(failed)?;
            self.positions.look_again(&mut open.connection, group.marks).await?;
            self.keep(open).await?;
            return Ok(Tried::Done(Outcome::all()));
        }
        let mut known = match open.known.take() {
            Some(known) if known.still_holds(&mut transaction).await? => known,
            _ => Known::load(&mut transaction, &self.wish).await?,
        };
        if !known.table.exists && known.has_newcomers(&self.wish, group.batches) {
            self.positions.ledger.may_make_table()?;
        }
        let planned = known.make_columns(&mut transaction, &self.wish, group.batches).await?;
        let written = known.write(&mut transaction, &self.wish, group.batches, care).await;
        let tried = match written {
            Ok(refused) if refused.is_empty() => {
                transaction.commit().await.map_err(|error| match fault::is_foreign_key(&error) {
                    true => deferred_key(error),
                    false => failed(error),
                })?;
                self.keep(Open { known: Some(known), ..open }).await?;
                self.positions.ledger.committed(group.marks, !group.is_empty());
                return Ok(Tried::Done(Outcome::all()));
            }
            Ok(refused) => Tried::Done(Outcome::RolledBack(refused)),
            Err(Stop::Careful(more)) => Tried::Again(more),
            Err(Stop::Failed(error)) => return Err(error),
        };
        // A trigger may have ended the transaction already; the connection is then given up.
        if transaction.rollback().await.is_ok() {
            open.known = (!planned).then_some(known);
            self.open = Some(open);
        }
        Ok(tried)
    }

    pub(crate) async fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        if let Err(gone) = self.is_still_there() {
            let gone = leave(open, gone).await;
            tracing::warn!(error = %gone, "a sqlite file went before it was closed");
            return;
        }
        if let Err(error) = open.connection.close().await {
            // Everything delivered is durable; what is left is tidying up, which the next one to open the file does.
            tracing::debug!(%error, "closing a sqlite file failed");
        }
    }
}

/// Closes the connection to a file that is not at its path any more. Its log goes into it first and is emptied: it still
/// stands beside the path, where the next one to open the file there would read it as that one's.
async fn leave(mut open: Open, gone: Error) -> Error {
    let emptied = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut open.connection).await;
    if let Err(error) = emptied {
        tracing::warn!(%error, "the log of a sqlite file that is gone from its path cannot be emptied");
    }
    if let Err(error) = open.connection.close().await {
        tracing::debug!(%error, "closing a sqlite file failed");
    }
    gone
}

fn deferred_key(error: sqlx::Error) -> Error {
    Error::hold("sqlite.deferred_foreign_key", "rows refer to others that are not there when the group is complete")
        .help("deliver the rows they refer to, or declare the foreign key without DEFERRED so that single records are refused")
        .source(error)
}
