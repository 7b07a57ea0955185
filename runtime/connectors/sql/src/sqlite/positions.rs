//! Positions held in the target itself: a table `fairway_positions` in the same file, so that rows and positions are
//! committed together or not at all (G8).

use fairway_engine::Error;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::SinkCtx;
use sqlx::{Connection, Sqlite, SqliteConnection};

use super::fault;
use crate::writing::ledger::{Ledger, Row, Words, written};

const WORDS: Words = Words {
    generation: "sqlite.generation",
    not_adopted: "sqlite.not_adopted",
    fenced: "sqlite.fenced",
    went_back: "sqlite.went_back",
    table_gone: "sqlite.table_gone",
    holder: "SQLite",
    target: "file",
};

const CREATE: &str = "CREATE TABLE IF NOT EXISTS fairway_positions (
    channel TEXT NOT NULL, sink TEXT NOT NULL, source TEXT NOT NULL, partition TEXT NOT NULL, via TEXT NOT NULL,
    generation INTEGER NOT NULL, position TEXT NOT NULL, wrote_to TEXT,
    PRIMARY KEY (channel, sink, source, partition, via)) WITHOUT ROWID";
/// Tables of earlier releases do not say where rows went.
const LACKS_WROTE_TO: &str =
    "SELECT NOT EXISTS (SELECT 1 FROM pragma_table_info('fairway_positions') WHERE name = 'wrote_to')";
const ADD_WROTE_TO: &str = "ALTER TABLE fairway_positions ADD COLUMN wrote_to TEXT";
const IS_THERE: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'fairway_positions')";
const INSERT: &str =
    "INSERT INTO fairway_positions (channel, sink, source, partition, via, generation, position)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
const SELECT: &str = "SELECT generation, position, wrote_to FROM fairway_positions
    WHERE channel = ?1 AND sink = ?2 AND source = ?3 AND partition = ?4 AND via = ?5";
const TAKE_OVER: &str = "UPDATE fairway_positions SET generation = ?6
    WHERE channel = ?1 AND sink = ?2 AND source = ?3 AND partition = ?4 AND via = ?5 AND generation <= ?6";
const ADVANCE: &str = "UPDATE fairway_positions SET position = ?7, wrote_to = coalesce(?9, wrote_to)
    WHERE channel = ?1 AND sink = ?2 AND source = ?3 AND partition = ?4 AND via = ?5 AND generation = ?6
        AND position = ?8";

type Query = sqlx::query::Query<'static, Sqlite, sqlx::sqlite::SqliteArguments>;

/// The positions of one sink.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(super) ledger: Ledger,
}

impl Positions {
    /// Positions of a sink that writes rows to the table `writes_to`, if it does.
    pub(crate) fn new(cx: &SinkCtx, writes_to: Option<String>) -> Result<Self, Error> {
        Ok(Self { ledger: Ledger::new(cx, writes_to, &WORDS)? })
    }

    /// Takes a stream over, and answers where it stands. Doing it again changes nothing.
    ///
    /// # Errors
    /// `Fenced` when a later owner is there (I4).
    pub(crate) async fn adopt(
        &mut self,
        connection: &mut SqliteConnection,
        stream: &StreamKey,
    ) -> Result<Position, Error> {
        let failed = |error| fault::of_target(error, "the positions in the target cannot be read");
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
        sqlx::query(CREATE).execute(&mut *transaction).await.map_err(failed)?;
        if sqlx::query_scalar(LACKS_WROTE_TO).fetch_one(&mut *transaction).await.map_err(failed)? {
            sqlx::query(ADD_WROTE_TO).execute(&mut *transaction).await.map_err(failed)?;
        }
        let start = written(&Position::start());
        let insert = self.query(INSERT, stream).bind(self.ledger.generation).bind(start);
        insert.execute(&mut *transaction).await.map_err(failed)?;
        let row = self.read(&mut transaction, stream).await?;
        let (held, position) = self.ledger.found(stream, row)?;
        let take_over = self.query(TAKE_OVER, stream).bind(self.ledger.generation);
        take_over.execute(&mut *transaction).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)?;
        self.ledger.taken_over(stream, held);
        Ok(position)
    }

    /// Moves positions within the caller's transaction, which writes rows or none; `false` when the target does not hold what this owner left
    /// there, and [`look_again`](Positions::look_again) says what that means. Never inserts.
    pub(super) async fn advance(
        &self,
        connection: &mut SqliteConnection,
        marks: &[Mark],
        has_rows: bool,
    ) -> Result<bool, Error> {
        for mark in marks {
            let row = self.ledger.move_to(mark, has_rows)?;
            let advance = self.query(ADVANCE, &mark.stream).bind(self.ledger.generation);
            let moved =
                advance.bind(row.to).bind(row.from).bind(row.wrote_to).execute(&mut *connection).await;
            let moved = match moved {
                Ok(moved) => moved,
                Err(_) if self.is_gone(&mut *connection).await => return Err(self.ledger.without_table()),
                Err(error) => {
                    return Err(fault::of_target(error, "the positions in the target cannot be moved"));
                }
            };
            if moved.rows_affected() != 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Finds out why positions could not be moved. When it returns, an earlier commit of unknown outcome had gone through,
    /// and everything up to the marks is durable.
    ///
    /// # Errors
    /// `Fenced` when another owner is there (I4), `Hold` when the target was exchanged, emptied or restored.
    pub(super) async fn look_again(
        &mut self,
        connection: &mut SqliteConnection,
        marks: &[Mark],
    ) -> Result<(), Error> {
        for mark in marks {
            let row = self.read(connection, &mark.stream).await?;
            self.ledger.look_again(mark, row)?;
        }
        Ok(())
    }

    /// Whether the table of positions is known not to be there.
    async fn is_gone(&self, connection: &mut SqliteConnection) -> bool {
        let there: Result<bool, _> = sqlx::query_scalar(IS_THERE).fetch_one(connection).await;
        there.is_ok_and(|there| !there)
    }

    async fn read(
        &self,
        connection: &mut SqliteConnection,
        stream: &StreamKey,
    ) -> Result<Option<Row>, Error> {
        let row = self.query(SELECT, stream).fetch_optional(connection).await;
        row.and_then(|row| row.map(|row| sqlx::FromRow::from_row(&row)).transpose())
            .map_err(|error| fault::of_target(error, "the positions in the target cannot be read"))
    }

    fn query(&self, sql: &'static str, stream: &StreamKey) -> Query {
        sqlx::query(sql)
            .bind(self.ledger.channel.clone())
            .bind(self.ledger.sink.clone())
            .bind(stream.source.to_string())
            .bind(stream.partition.to_string())
            .bind(stream.via.to_string())
    }
}
