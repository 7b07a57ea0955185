//! Writing the rows of a group within the caller's transaction.
//!
//! Rows go in as fast as they can. If SQLite refuses some, the caller rolls back and tries again with care, piece by piece
//! behind savepoints, to learn of all that is refused (G10); the engine sets those aside and delivers the rest anew.

use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::{Batch, RecordError};
use fairway_engine::sink::Refused;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, Connection, SqliteConnection};

use super::fault::{self, Fault};
use super::known::{Known, compile};
use super::layout::Wish;
use super::rows::{Piece, cut};
use crate::sql::assembled;

/// How carefully rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Nothing is expected to be refused.
    None,
    /// Pieces that are refused are halved until single records are left.
    Halves,
    /// Record by record, for triggers that undo the whole transaction.
    Singly,
}

/// Why writing rows ended early.
pub(super) enum Stop {
    /// Something is refused; more care is needed to say what.
    Careful(Care),
    /// The target's fault.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A statement and its values.
struct Ready {
    sql: Arc<str>,
    arguments: SqliteArguments,
}

impl Known {
    /// Writes all rows; answers what is refused, and has then not written everything.
    pub(super) async fn write(
        &mut self,
        connection: &mut SqliteConnection,
        wish: &Wish,
        batches: &[Batch],
        care: Care,
    ) -> Result<Vec<Refused>, Stop> {
        let pieces = cut(batches, |batch| self.layout(batch.schema(), wish));
        match care {
            Care::None => self.write_fast(connection, wish, batches, &pieces).await,
            Care::Halves | Care::Singly => {
                self.write_carefully(connection, wish, batches, pieces, care).await
            }
        }
    }

    async fn write_fast(
        &mut self,
        connection: &mut SqliteConnection,
        wish: &Wish,
        batches: &[Batch],
        pieces: &[Piece],
    ) -> Result<Vec<Refused>, Stop> {
        let mut refused = Vec::new();
        let mut pieces = pieces.iter();
        let mut ready = pieces.next().map(|piece| self.bind(wish, batches, piece, &mut refused));
        while let Some(Ready { sql, arguments }) = ready {
            if !refused.is_empty() {
                // Nothing will be kept; see only what else is refused.
                for piece in pieces {
                    self.bind(wish, batches, piece, &mut refused);
                }
                break;
            }
            let next = pieces.next();
            // SQLite works on a thread of its own; meanwhile the next values are bound here.
            let (done, following) = tokio::join!(
                biased;
                sqlx::query_with(assembled(Arc::clone(&sql)), arguments).execute(&mut *connection),
                async { next.map(|piece| self.bind(wish, batches, piece, &mut refused)) },
            );
            if let Err(error) = done {
                judge(connection, error, &sql).await?;
                return Err(Stop::Careful(Care::Halves));
            }
            ready = following;
        }
        Ok(refused)
    }

    async fn write_carefully(
        &mut self,
        connection: &mut SqliteConnection,
        wish: &Wish,
        batches: &[Batch],
        pieces: Vec<Piece>,
        care: Care,
    ) -> Result<Vec<Refused>, Stop> {
        let failed = |error| fault::of_target(error, "the table cannot be written");
        let mut refused = Vec::new();
        let mut open: Vec<Piece> = pieces.into_iter().rev().collect();
        while let Some(piece) = open.pop() {
            if care == Care::Singly && piece.rows > 1 {
                let (first, second) = piece.halves(batches);
                open.extend(second.into_iter().chain([first]));
                continue;
            }
            let before = refused.len();
            let Ready { sql, arguments } = self.bind(wish, batches, &piece, &mut refused);
            if refused.len() > before {
                continue;
            }
            let mut savepoint = connection.begin().await.map_err(failed)?;
            let done =
                sqlx::query_with(assembled(Arc::clone(&sql)), arguments).execute(&mut *savepoint).await;
            let Err(error) = done else {
                savepoint.commit().await.map_err(failed)?;
                continue;
            };
            let error = judge(&mut savepoint, error, &sql).await?;
            // A trigger that rolls back takes the savepoint and the whole transaction with it.
            let is_lost = savepoint.rollback().await.is_err();
            match piece.halves(batches) {
                (piece, None) => {
                    let (batch, record) = piece.first;
                    refused.push(Refused { batch, record, error });
                    if is_lost {
                        break;
                    }
                }
                (_, Some(_)) if is_lost => return Err(Stop::Careful(Care::Singly)),
                (first, second) => open.extend(second.into_iter().chain([first])),
            }
        }
        Ok(refused)
    }

    /// Binds the values of a piece; records that the table can never take go to `refused`, and the rest is not to be used.
    fn bind(&mut self, wish: &Wish, batches: &[Batch], piece: &Piece, refused: &mut Vec<Refused>) -> Ready {
        let sql = self.statements.text(&self.table, wish, &piece.columns, piece.rows);
        let mut arguments = SqliteArguments::default();
        arguments.reserve(piece.columns.len() * piece.rows, 0);
        for ((batch, row), record) in piece.records(batches) {
            if let Err(error) = piece.layout.bind(record, &self.table, &mut self.buffer, &mut arguments) {
                refused.push(Refused { batch, record: row, error });
            }
        }
        Ready { sql, arguments }
    }
}

/// Why a record is refused, if it is that.
///
/// # Errors
/// The target's fault.
async fn judge(
    connection: &mut SqliteConnection,
    error: sqlx::Error,
    sql: &str,
) -> Result<RecordError, Error> {
    match fault::whose(&error) {
        Fault::Record(reason) => Ok(reason),
        // A function in a trigger, a check or a computed column did not like a value, unless the statement as such is wrong.
        Fault::Statement if compile(connection, sql).await.is_ok() => Ok(fault::of_record(&error)),
        Fault::Statement | Fault::Target => Err(fault::of_target(error, "the table cannot be written")),
    }
}
