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
    generation INTEGER NOT NULL, position TEXT NOT NULL, wrote_to TEXT,
    PRIMARY KEY (channel, sink, source, partition, via)) WITHOUT ROWID";
/// Tables of earlier releases do not say where rows went.
const LACKS_WROTE_TO: &str =
    "SELECT NOT EXISTS (SELECT 1 FROM pragma_table_info('fairway_positions') WHERE name = 'wrote_to')";
const ADD_WROTE_TO: &str = "ALTER TABLE fairway_positions ADD COLUMN wrote_to TEXT";
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

/// What the target holds of a stream, as far as this owner knows.
#[derive(Debug, Clone)]
struct Held {
    /// The position as it is written there.
    text: String,
    /// The table that the rows up to there went to.
    wrote_to: Option<String>,
}

/// The positions of one sink.
#[derive(Debug)]
pub(crate) struct Positions {
    channel: String,
    sink: String,
    generation: i64,
    /// Where rows go; `None` where they are deleted from.
    writes_to: Option<String>,
    held: HashMap<StreamKey, Held>,
}

impl Positions {
    /// Positions of a sink that writes rows to the table `writes_to`, if it does.
    pub(crate) fn new(cx: &SinkCtx, writes_to: Option<String>) -> Result<Self, Error> {
        let generation = i64::try_from(cx.generation).map_err(|error| {
            Error::failed("sqlite.generation", "the number of this start is beyond what SQLite can hold")
                .source(error)
        })?;
        let (channel, sink) = (cx.uid.to_string(), cx.node.to_string());
        Ok(Self { channel, sink, generation, writes_to, held: HashMap::new() })
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
        let insert = self.query(INSERT, stream).bind(self.generation).bind(start);
        insert.execute(&mut *transaction).await.map_err(failed)?;
        let (generation, held) = self.read(&mut transaction, stream).await?.ok_or_else(|| gone(stream))?;
        if generation > self.generation {
            return Err(self.fenced(stream, generation));
        }
        let take_over = self.query(TAKE_OVER, stream).bind(self.generation);
        take_over.execute(&mut *transaction).await.map_err(failed)?;
        let position = parsed(stream, &held.text)?;
        transaction.commit().await.map_err(failed)?;
        self.held.insert(stream.clone(), held);
        Ok(position)
    }

    /// Whether all these marks are committed for sure.
    pub(crate) fn are_reached(&self, marks: &[Mark]) -> bool {
        let reached = |mark: &Mark| {
            self.held.get(&mark.stream).is_some_and(|held| held.text == written(&mark.position))
        };
        !marks.is_empty() && marks.iter().all(reached)
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
            let Some(held) = self.held.get(&mark.stream) else {
                let what = format!("{} was never taken over", mark.stream);
                return Err(Error::failed("sqlite.not_adopted", what));
            };
            let advance = self.query(ADVANCE, &mark.stream).bind(self.generation);
            let moved = advance
                .bind(written(&mark.position))
                .bind(held.text.clone())
                .bind(self.writes_to.clone().filter(|_| has_rows))
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
    pub(super) fn committed(&mut self, marks: &[Mark], has_rows: bool) {
        for mark in marks {
            let wrote_to = self.writes_to.clone().filter(|_| has_rows);
            let before = self.held.get(&mark.stream).and_then(|held| held.wrote_to.clone());
            let held = Held { text: written(&mark.position), wrote_to: wrote_to.or(before) };
            self.held.insert(mark.stream.clone(), held);
        }
    }

    /// Whether a table that is not there may be made: not when rows went into it before, which are gone with it.
    pub(super) fn may_make_table(&self) -> Result<(), Error> {
        let lost =
            self.held.iter().find(|(_, held)| held.wrote_to.is_some() && held.wrote_to == self.writes_to);
        let Some((stream, Held { wrote_to: Some(table), .. })) = lost else { return Ok(()) };
        Err(Error::hold(
            "sqlite.table_gone",
            format!("the table `{table}` is gone, and with it the records of {stream} that went there"),
        )
        .help(
            "bring it back; or create it empty yourself to go on with what comes; or reset the channel's positions to \
             start over",
        ))
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
            let (generation, held) = self.read(connection, stream).await?.ok_or_else(|| gone(stream))?;
            if generation != self.generation {
                return Err(self.fenced(stream, generation));
            }
            if held.text != written(&mark.position) {
                return Err(went_astray(stream, &held.text));
            }
            self.held.insert(stream.clone(), held);
        }
        Ok(())
    }

    async fn read(
        &self,
        connection: &mut SqliteConnection,
        stream: &StreamKey,
    ) -> Result<Option<(i64, Held)>, Error> {
        let row = self.query(SELECT, stream).fetch_optional(connection).await;
        let row: Result<Option<(i64, String, Option<String>)>, _> =
            row.and_then(|row| row.map(|row| sqlx::FromRow::from_row(&row)).transpose());
        let row =
            row.map_err(|error| fault::of_target(error, "the positions in the target cannot be read"))?;
        Ok(row.map(|(generation, text, wrote_to)| (generation, Held { text, wrote_to })))
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
