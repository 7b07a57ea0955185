//! Positions held in the target itself: a table `fairway_positions` in the same file, so that rows and positions are
//! committed together or not at all (G8).

use std::collections::HashMap;

use fairway_engine::Error;
use fairway_engine::error::Kind;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::SinkCtx;
use sqlx::{Connection, Sqlite, SqliteConnection};

use super::fault;

/// Name of the table; sinks write no other rows into it.
pub(crate) const TABLE: &str = "fairway_positions";

const CREATE: &str = "CREATE TABLE IF NOT EXISTS fairway_positions (
    channel TEXT NOT NULL, sink TEXT NOT NULL, source TEXT NOT NULL, partition TEXT NOT NULL, via TEXT NOT NULL,
    generation INTEGER NOT NULL, position TEXT NOT NULL,
    PRIMARY KEY (channel, sink, source, partition, via)) WITHOUT ROWID";
const INSERT: &str =
    "INSERT INTO fairway_positions (channel, sink, source, partition, via, generation, position)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
const SELECT: &str = "SELECT generation, position FROM fairway_positions
    WHERE channel = ?1 AND sink = ?2 AND source = ?3 AND partition = ?4 AND via = ?5";
const TAKE_OVER: &str = "UPDATE fairway_positions SET generation = ?6
    WHERE channel = ?1 AND sink = ?2 AND source = ?3 AND partition = ?4 AND via = ?5 AND generation <= ?6";
const ADVANCE: &str = "UPDATE fairway_positions SET position = ?7
    WHERE channel = ?1 AND sink = ?2 AND source = ?3 AND partition = ?4 AND via = ?5 AND generation = ?6
        AND position = ?8";

type Query = sqlx::query::Query<'static, Sqlite, sqlx::sqlite::SqliteArguments>;

/// The positions of one sink.
#[derive(Debug)]
pub(crate) struct Positions {
    channel: String,
    sink: String,
    generation: i64,
    /// The position that each stream has in the target as far as this owner knows, as it is written there.
    last: HashMap<StreamKey, String>,
}

impl Positions {
    pub(crate) fn new(cx: &SinkCtx) -> Result<Self, Error> {
        let generation = i64::try_from(cx.generation).map_err(|error| {
            Error::failed("sqlite.generation", "the number of this start is beyond what SQLite can hold")
                .source(error)
        })?;
        Ok(Self { channel: cx.uid.to_string(), sink: cx.node.to_string(), generation, last: HashMap::new() })
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
        let start = written(&Position::start());
        let insert = self.query(INSERT, stream).bind(self.generation).bind(start);
        insert.execute(&mut *transaction).await.map_err(failed)?;
        let (generation, text) = self.read(&mut transaction, stream).await?.ok_or_else(|| gone(stream))?;
        if generation > self.generation {
            return Err(self.fenced(stream, generation));
        }
        let take_over = self.query(TAKE_OVER, stream).bind(self.generation);
        take_over.execute(&mut *transaction).await.map_err(failed)?;
        let position = parsed(stream, &text)?;
        transaction.commit().await.map_err(failed)?;
        self.last.insert(stream.clone(), text);
        Ok(position)
    }

    /// Whether all these marks are committed for sure.
    pub(crate) fn are_reached(&self, marks: &[Mark]) -> bool {
        let reached = |mark: &Mark| self.last.get(&mark.stream) == Some(&written(&mark.position));
        !marks.is_empty() && marks.iter().all(reached)
    }

    /// Moves positions within the caller's transaction; `false` when the target does not hold what this owner left
    /// there, and [`look_again`](Positions::look_again) says what that means. Never inserts.
    pub(super) async fn advance(
        &self,
        connection: &mut SqliteConnection,
        marks: &[Mark],
    ) -> Result<bool, Error> {
        for mark in marks {
            let Some(last) = self.last.get(&mark.stream) else {
                let what = format!("{} was never taken over", mark.stream);
                return Err(Error::failed("sqlite.not_adopted", what));
            };
            let advance = self.query(ADVANCE, &mark.stream).bind(self.generation);
            let moved = advance
                .bind(written(&mark.position))
                .bind(last.clone())
                .execute(&mut *connection)
                .await
                .map_err(|error| fault::of_target(error, "the positions in the target cannot be moved"))?;
            if moved.rows_affected() != 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The transaction that moved them is committed.
    pub(super) fn committed(&mut self, marks: &[Mark]) {
        for mark in marks {
            self.last.insert(mark.stream.clone(), written(&mark.position));
        }
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
            let stream = &mark.stream;
            let (generation, text) = self.read(connection, stream).await?.ok_or_else(|| gone(stream))?;
            if generation != self.generation {
                return Err(self.fenced(stream, generation));
            }
            if text != written(&mark.position) {
                return Err(went_astray(stream, &text));
            }
        }
        self.committed(marks);
        Ok(())
    }

    async fn read(
        &self,
        connection: &mut SqliteConnection,
        stream: &StreamKey,
    ) -> Result<Option<(i64, String)>, Error> {
        let row = self.query(SELECT, stream).fetch_optional(connection).await;
        let row = row.and_then(|row| row.map(|row| sqlx::FromRow::from_row(&row)).transpose());
        row.map_err(|error| fault::of_target(error, "the positions in the target cannot be read"))
    }

    fn query(&self, sql: &'static str, stream: &StreamKey) -> Query {
        sqlx::query(sql)
            .bind(self.channel.clone())
            .bind(self.sink.clone())
            .bind(stream.source.to_string())
            .bind(stream.partition.to_string())
            .bind(stream.via.to_string())
    }

    fn fenced(&self, stream: &StreamKey, generation: i64) -> Error {
        let what = format!("{stream} belongs to start {generation}, and this is start {}", self.generation);
        Error::new(Kind::Fenced, "sqlite.fenced", what)
    }
}

/// A position as it is written in the target; equal positions are written alike.
fn written(position: &Position) -> String {
    serde_json::to_string(position).expect("a position is plain JSON")
}

fn parsed(stream: &StreamKey, text: &str) -> Result<Position, Error> {
    serde_json::from_str(text).map_err(|error| went_astray(stream, text).source(error))
}

fn gone(stream: &StreamKey) -> Error {
    held(format!(
        "the target no longer holds the position of {stream}: it was exchanged, emptied or restored"
    ))
}

fn went_astray(stream: &StreamKey, text: &str) -> Error {
    held(format!("the target holds a position of {stream} that was not written here: {text}"))
}

fn held(what: String) -> Error {
    Error::hold("sqlite.went_back", what)
        .help("bring the file back, or reset the channel's positions to start over")
}
