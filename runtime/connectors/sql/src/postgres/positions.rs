//! Positions held in the target itself: a table `fairway_positions` beside the table that is written, so that rows and
//! positions are committed together or not at all (G8), and an older owner cannot write any more (I4).

use std::collections::HashMap;

use fairway_engine::Error;
use fairway_engine::error::Kind;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::SinkCtx;
use sqlx::postgres::PgArguments;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Postgres};

use super::fault;
use super::table::TableName;
use crate::sql::assembled;

/// Name of the table; sinks write no other rows into it.
pub(crate) const TABLE: &str = "fairway_positions";

const WHICH: &str = r#"channel = $1 AND sink = $2 AND source = $3 AND "partition" = $4 AND via = $5"#;

type Query = sqlx::query::Query<'static, Postgres, PgArguments>;

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
    /// The table of positions, as an identifier.
    table: String,
    /// Where rows go; `None` where they are deleted from.
    writes_to: Option<String>,
    held: HashMap<StreamKey, Held>,
}

impl Positions {
    /// Positions beside the table `target`; `keeps_rows` says whether rows are written into it.
    pub(super) fn new(cx: &SinkCtx, target: &TableName, keeps_rows: bool) -> Result<Self, Error> {
        let generation = i64::try_from(cx.generation).map_err(|error| {
            Error::failed(
                "postgres.generation",
                "the number of this start is beyond what the target can hold",
            )
            .source(error)
        })?;
        Ok(Self {
            channel: cx.uid.to_string(),
            sink: cx.node.to_string(),
            generation,
            table: TableName::new(&target.schema, TABLE)?.quoted,
            writes_to: keeps_rows.then(|| target.to_string()),
            held: HashMap::new(),
        })
    }

    pub(super) fn generation(&self) -> i64 {
        self.generation
    }

    /// Takes a stream over, and answers where it stands. Doing it again changes nothing.
    ///
    /// # Errors
    /// `Fenced` when a later owner is there (I4).
    pub(super) async fn adopt(
        &mut self,
        connection: &mut PgConnection,
        stream: &StreamKey,
    ) -> Result<Position, Error> {
        let failed = |error| self.failed(error);
        let mut transaction = connection.begin().await.map_err(failed)?;
        self.make_table(&mut transaction).await?;
        let insert = format!(
            r#"INSERT INTO {} (channel, sink, source, "partition", via, generation, "position")
                VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING"#,
            self.table
        );
        let insert =
            self.query(assembled(insert), stream).bind(self.generation).bind(written(&Position::start()));
        insert.execute(&mut *transaction).await.map_err(failed)?;
        // Waits for an older owner's transaction, whose row this is, until that has ended either way.
        let held = self.read(&mut transaction, stream).await?.ok_or_else(|| gone(stream))?;
        if held.0 > self.generation {
            return Err(self.fenced(stream, held.0));
        }
        let take_over = format!("UPDATE {} SET generation = $6 WHERE {WHICH}", self.table);
        let take_over = self.query(assembled(take_over), stream).bind(self.generation);
        take_over.execute(&mut *transaction).await.map_err(failed)?;
        let position = parsed(stream, &held.1.text)?;
        transaction.commit().await.map_err(failed)?;
        self.held.insert(stream.clone(), held.1);
        Ok(position)
    }

    /// Makes the table if it is not there. Two sinks that start together must not trip over each other.
    async fn make_table(&self, connection: &mut PgConnection) -> Result<(), Error> {
        let look = sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL").bind(self.table.clone());
        if look.fetch_one(&mut *connection).await.map_err(|error| self.failed(error))? {
            return Ok(());
        }
        let make = format!(
            r#"SELECT pg_advisory_xact_lock(hashtext('fairway_positions'));
            CREATE TABLE IF NOT EXISTS {} (
                channel text NOT NULL, sink text NOT NULL, source text NOT NULL, "partition" text NOT NULL,
                via text NOT NULL, generation bigint NOT NULL, "position" text NOT NULL, wrote_to text,
                PRIMARY KEY (channel, sink, source, "partition", via))"#,
            self.table
        );
        sqlx::raw_sql(assembled(make)).execute(connection).await.map_err(|error| self.failed(error))?;
        Ok(())
    }

    /// Whether all these marks are committed for sure.
    pub(super) fn are_reached(&self, marks: &[Mark]) -> bool {
        let reached = |mark: &Mark| {
            self.held.get(&mark.stream).is_some_and(|held| held.text == written(&mark.position))
        };
        !marks.is_empty() && marks.iter().all(reached)
    }

    /// Moves positions within the caller's transaction, which writes rows or none; `false` when the target does not hold what this owner left
    /// there, and [`look_again`](Positions::look_again) says what that means. Never inserts.
    pub(super) async fn advance(
        &self,
        connection: &mut PgConnection,
        marks: &[Mark],
        has_rows: bool,
    ) -> Result<bool, Error> {
        let advance = format!(
            r#"UPDATE {} SET "position" = $7, wrote_to = coalesce($9, wrote_to)
                WHERE {WHICH} AND generation = $6 AND "position" = $8"#,
            self.table
        );
        for mark in marks {
            let Some(held) = self.held.get(&mark.stream) else {
                let what = format!("{} was never taken over", mark.stream);
                return Err(Error::failed("postgres.not_adopted", what));
            };
            let moved = self
                .query(assembled(advance.as_str()), &mark.stream)
                .bind(self.generation)
                .bind(written(&mark.position))
                .bind(held.text.clone())
                .bind(self.writes_to.clone().filter(|_| has_rows))
                .execute(&mut *connection)
                .await
                .map_err(|error| self.failed(error))?;
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

    /// Finds out why positions could not be moved. When it returns, an earlier commit of unknown outcome had gone through,
    /// and everything up to the marks is durable.
    ///
    /// # Errors
    /// `Fenced` when another owner is there (I4), `Hold` when the target was exchanged, emptied or restored.
    pub(super) async fn look_again(
        &mut self,
        connection: &mut PgConnection,
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

    /// Whether a table that is not there may be made: not when rows went into it before, which are gone with it.
    pub(super) fn may_make_table(&self) -> Result<(), Error> {
        let lost =
            self.held.iter().find(|(_, held)| held.wrote_to.is_some() && held.wrote_to == self.writes_to);
        let Some((stream, Held { wrote_to: Some(table), .. })) = lost else { return Ok(()) };
        Err(Error::hold(
            "postgres.table_gone",
            format!("the table `{table}` is gone, and with it the records of {stream} that went there"),
        )
        .help(
            "bring it back; or create it empty yourself to go on with what comes; or reset the channel's positions to \
             start over",
        ))
    }

    /// Reads what is held of a stream, once nobody else is changing it.
    async fn read(
        &self,
        connection: &mut PgConnection,
        stream: &StreamKey,
    ) -> Result<Option<(i64, Held)>, Error> {
        let select = format!(
            r#"SELECT generation, "position", wrote_to FROM {} WHERE {WHICH} FOR UPDATE"#,
            self.table
        );
        let row = self.query(assembled(select), stream).fetch_optional(connection).await;
        let row: Result<Option<(i64, String, Option<String>)>, _> =
            row.and_then(|row| row.map(|row| sqlx::FromRow::from_row(&row)).transpose());
        let row = row.map_err(|error| self.failed(error))?;
        Ok(row.map(|(generation, text, wrote_to)| (generation, Held { text, wrote_to })))
    }

    fn query(&self, sql: AssertSqlSafe<std::sync::Arc<str>>, stream: &StreamKey) -> Query {
        sqlx::query(sql)
            .bind(self.channel.clone())
            .bind(self.sink.clone())
            .bind(stream.source.to_string())
            .bind(stream.partition.to_string())
            .bind(stream.via.to_string())
    }

    /// What goes wrong with positions is never a record's fault.
    fn failed(&self, error: sqlx::Error) -> Error {
        let fault =
            fault::of_target(error, &format!("the positions in {} cannot be read or moved", self.table));
        match fault.kind {
            Kind::Data => Error { kind: Kind::Outage, ..fault },
            _ => fault,
        }
    }

    fn fenced(&self, stream: &StreamKey, generation: i64) -> Error {
        let what = format!("{stream} belongs to start {generation}, and this is start {}", self.generation);
        Error::new(Kind::Fenced, "postgres.fenced", what)
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
    went_back(format!(
        "the target no longer holds the position of {stream}: it was exchanged, emptied or restored"
    ))
}

fn went_astray(stream: &StreamKey, text: &str) -> Error {
    went_back(format!("the target holds a position of {stream} that was not written here: {text}"))
}

fn went_back(what: String) -> Error {
    Error::hold("postgres.went_back", what)
        .help("bring the target back, or reset the channel's positions to start over")
}
