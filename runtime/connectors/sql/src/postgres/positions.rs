//! Positions held in the target itself: a table `fairway_positions` beside the table that is written, so that rows and
//! positions are committed together or not at all (G8), and an older owner cannot write any more (I4).

use fairway_engine::Error;
use fairway_engine::error::Kind;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::SinkCtx;
use sqlx::postgres::PgArguments;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Postgres};

use super::fault;
use super::table::TableName;
use crate::sql::assembled;
use crate::writing::ledger::{Ledger, Row, TABLE, Words, written};

const WORDS: Words = Words {
    generation: "postgres.generation",
    not_adopted: "postgres.not_adopted",
    fenced: "postgres.fenced",
    went_back: "postgres.went_back",
    table_gone: "postgres.table_gone",
    holder: "the target",
    target: "target",
};

const WHICH: &str = r#"channel = $1 AND sink = $2 AND source = $3 AND "partition" = $4 AND via = $5"#;

type Query = sqlx::query::Query<'static, Postgres, PgArguments>;

/// The positions of one sink.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(super) ledger: Ledger,
    /// The table of positions, as an identifier.
    table: String,
}

impl Positions {
    /// Positions beside the table `target`; `keeps_rows` says whether rows are written into it.
    pub(super) fn new(cx: &SinkCtx, target: &TableName, keeps_rows: bool) -> Result<Self, Error> {
        let writes_to = keeps_rows.then(|| target.to_string());
        let ledger = Ledger::new(cx, writes_to, &WORDS)?;
        Ok(Self { ledger, table: TableName::new(&target.schema, TABLE)?.quoted })
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
        let insert = self
            .query(assembled(insert), stream)
            .bind(self.ledger.generation)
            .bind(written(&Position::start()));
        insert.execute(&mut *transaction).await.map_err(failed)?;
        // Waits for an older owner's transaction, whose row this is, until that has ended either way.
        let row = self.read(&mut transaction, stream).await?;
        let (held, position) = self.ledger.found(stream, row)?;
        let take_over = format!("UPDATE {} SET generation = $6 WHERE {WHICH}", self.table);
        let take_over = self.query(assembled(take_over), stream).bind(self.ledger.generation);
        take_over.execute(&mut *transaction).await.map_err(failed)?;
        transaction.commit().await.map_err(failed)?;
        self.ledger.taken_over(stream, held);
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
            let row = self.ledger.move_to(mark, has_rows)?;
            let moved = self
                .query(assembled(advance.as_str()), &mark.stream)
                .bind(self.ledger.generation)
                .bind(row.to)
                .bind(row.from)
                .bind(row.wrote_to)
                .execute(&mut *connection)
                .await
                .map_err(|error| self.failed(error))?;
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
        connection: &mut PgConnection,
        marks: &[Mark],
    ) -> Result<(), Error> {
        for mark in marks {
            let row = self.read(connection, &mark.stream).await?;
            self.ledger.look_again(mark, row)?;
        }
        Ok(())
    }

    /// Reads what is held of a stream, once nobody else is changing it.
    async fn read(&self, connection: &mut PgConnection, stream: &StreamKey) -> Result<Option<Row>, Error> {
        let select = format!(
            r#"SELECT generation, "position", wrote_to FROM {} WHERE {WHICH} FOR UPDATE"#,
            self.table
        );
        let row = self.query(assembled(select), stream).fetch_optional(connection).await;
        row.and_then(|row| row.map(|row| sqlx::FromRow::from_row(&row)).transpose())
            .map_err(|error| self.failed(error))
    }

    fn query(&self, sql: AssertSqlSafe<std::sync::Arc<str>>, stream: &StreamKey) -> Query {
        sqlx::query(sql)
            .bind(self.ledger.channel.clone())
            .bind(self.ledger.sink.clone())
            .bind(stream.source.to_string())
            .bind(stream.partition.to_string())
            .bind(stream.via.to_string())
    }

    /// What goes wrong with positions is never a record's fault.
    fn failed(&self, error: sqlx::Error) -> Error {
        // It was made before any stream was taken over; made anew it would lack what it said.
        if fault::sqlstate(&error) == Some("42P01") {
            return self.ledger.without_table().source(error);
        }
        let fault =
            fault::of_target(error, &format!("the positions in {} cannot be read or moved", self.table));
        match fault.kind {
            Kind::Data => Error { kind: Kind::Outage, ..fault },
            _ => fault,
        }
    }
}
