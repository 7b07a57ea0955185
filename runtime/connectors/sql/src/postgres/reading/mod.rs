//! Tables of a PostgreSQL database as a source reads them.
//!
//! | Room | Holds |
//! |---|---|
//! | `table` | tables, views and queries as the catalogue has them |
//! | `kind` | how each type is asked for and read |
//! | `decode` | values as the server sends them |
//! | `tuples` | rows cut out of what a `COPY` sends |
//! | `statement` | the text of what is asked |
//! | `horizon` | how far a table may be read while others write |
//!
//! Rows come by `COPY (SELECT …) TO STDOUT` in binary form, straight into the batch: no row object is made and
//! numbers are not turned into text and back. The session can only read.

mod decode;
mod horizon;
mod kind;
mod statement;
mod table;
mod tuples;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::{RecordError, Value};
use futures::TryStreamExt;
use sqlx::postgres::PgConnection;

use super::connect::Server;
use super::fault;
use crate::reading::database::{Ask, Database, Settled};
use crate::reading::partition::WAITING;
use crate::reading::rows::{Identity, Rows};
use crate::reading::size::{is_kept, row_too_long, value_too_long};
use crate::reading::wish::{Facts, Nulls, Orders, Way, Wish};
use crate::sql::assembled;

pub(crate) use decode::Specials;
use decode::{Decoded, decode};
use horizon::Horizon;
pub(crate) use table::Table;
use tuples::{Fields, Tuple, Tuples};

/// Rows of one answer: few enough that a slow target does not keep an old snapshot alive for long, many enough that a
/// table without an index on the cursor is not sorted too often.
const ANSWER: usize = 50_000;

/// How a database is read, beside what all databases share.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    pub(crate) schema: String,
    /// Whether rows wait until every transaction that was open when they were first seen has ended.
    pub(crate) horizon: bool,
    /// How old a row's time must be.
    pub(crate) delay: Duration,
    pub(crate) specials: Specials,
}

/// A database that is read.
pub(crate) struct Reader {
    server: Server,
    manner: Manner,
    connection: Option<PgConnection>,
    horizons: HashMap<String, Horizon>,
    overlap_us: i64,
    record_bytes: usize,
    opened: Instant,
}

impl Reader {
    pub(crate) fn new(server: Server, manner: Manner, wish: &Wish) -> Self {
        let overlap_us = wish.overlap_us();
        Self {
            server,
            manner,
            connection: None,
            horizons: HashMap::new(),
            overlap_us,
            record_bytes: wish.record_bytes,
            opened: Instant::now(),
        }
    }

    async fn connection(&mut self) -> Result<&mut PgConnection, Error> {
        if self.connection.is_none() {
            let mut connection = self.server.connect().await?;
            prepare(&mut connection).await.map_err(|error| {
                fault::of_target(error, &format!("{} cannot be read", self.server.place()))
            })?;
            self.connection = Some(connection);
        }
        Ok(self.connection.as_mut().expect("it was opened just now"))
    }
}

/// Forms of text that cursors and values rely on, whatever a role's defaults are; and nothing can be written.
async fn prepare(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(
        "SELECT set_config('default_transaction_read_only', 'on', false), set_config('datestyle', 'ISO, MDY', false),
            set_config('timezone', 'UTC', false), set_config('intervalstyle', 'postgres', false),
            set_config('bytea_output', 'hex', false), set_config('standard_conforming_strings', 'on', false),
            set_config('extra_float_digits', '3', false), set_config('lock_timeout', '10s', false)",
    )
    .execute(connection)
    .await?;
    Ok(())
}

#[async_trait]
impl Database for Reader {
    type Table = Table;

    async fn tables(&mut self, wish: &Wish) -> Result<Vec<Table>, Error> {
        let schema = self.manner.schema.clone();
        table::list(self.connection().await?, &schema, wish).await
    }

    async fn settle(&mut self, wish: &Wish, table: &Table, way: &Way) -> Result<Settled, Error> {
        table.check(wish, way)?;
        let failed = |error| cannot_read(table, error);
        if let (Nulls::Wait, Some(sql)) = (wish.nulls, statement::nulls(table, way)) {
            let found: Option<i32> = sqlx::query_scalar(assembled(sql))
                .fetch_optional(self.connection().await?)
                .await
                .map_err(failed)?;
            if found.is_some() {
                let what =
                    format!("`{}` has rows with null in `{}`", table.name(), way.columns.join("` or `"));
                return Err(Error::outage("table.null_cursor", what)
                    .help("give them a value, or set `null_cursor` to `skip` to leave such rows out"));
            }
        }
        if way.once {
            return Ok(Settled::All);
        }
        let by_time = wish.by_time().is_some();
        let delay = if by_time { self.manner.delay } else { Duration::ZERO };
        if !self.manner.horizon && delay.is_zero() {
            return Ok(Settled::All);
        }
        let mut horizon = self.horizons.remove(table.name()).unwrap_or_default();
        let waits = self.manner.horizon;
        let settled = horizon.look(self.connection().await?, table, way, by_time, waits, delay).await;
        self.horizons.insert(table.name().to_owned(), horizon);
        let young = !delay.is_zero() && self.opened.elapsed() < delay;
        Ok(match settled.map_err(failed)? {
            // What was there at the start and is too young must still come before a run ends.
            Settled::To { upper, held } => Settled::To { upper, held: held || young },
            Settled::Nothing { held } => Settled::Nothing { held: held || young },
            Settled::All => Settled::All,
        })
    }

    async fn read(
        &mut self,
        table: &Table,
        way: &Way,
        ask: Ask<'_>,
        rows: &mut Rows<'_>,
    ) -> Result<bool, Error> {
        let sql = statement::copy(table, way, &ask, self.overlap_us, self.record_bytes)?;
        let specials = self.manner.specials;
        let has_us = self.overlap_us > 0;
        let most = self.record_bytes;
        let failed = |error| cannot_read(table, error);
        let connection = self.connection().await?;
        let mut answer = connection.copy_out_raw(&sql).await.map_err(failed)?;
        let mut tuples = Tuples::default();
        let mut taker = Taker { table, way, specials, has_us, most, met: 0, scratch: String::new() };
        while let Some(bytes) = answer.try_next().await.map_err(failed)? {
            tuples.feed(bytes);
            while let Some(tuple) = tuples.next().map_err(|()| garbled(table))? {
                if taker.take(&tuple, rows)? {
                    rows.done().await?;
                }
            }
        }
        Ok(ask.limit.is_some_and(|limit| taker.met >= limit))
    }

    fn answer(&self, batch: usize) -> usize {
        ANSWER.max(batch * WAITING)
    }

    fn disconnect(&mut self) {
        self.connection = None;
        // A server that started anew names its transactions anew.
        self.horizons.values_mut().for_each(Horizon::forget);
    }
}

/// Puts tuples into batches.
struct Taker<'a> {
    table: &'a Table,
    way: &'a Way,
    specials: Specials,
    has_us: bool,
    /// Most bytes of a row.
    most: usize,
    met: usize,
    scratch: String,
}

impl Taker<'_> {
    /// `false` if the row is known already.
    fn take(&mut self, tuple: &Tuple<'_>, rows: &mut Rows<'_>) -> Result<bool, Error> {
        self.met += 1;
        let table = self.table;
        let mut fields = tuple.fields();
        let mut number = None;
        let mut values: Vec<&str> = Vec::with_capacity(self.way.columns.len());
        for _ in &self.way.columns {
            // Rows without a value have no place; the statement leaves them out.
            let Some(Some(bytes)) = fields.next() else { return Ok(false) };
            if self.way.orders == Orders::Value {
                number = Some(i64::from_be_bytes(bytes.try_into().map_err(|_| garbled(table))?));
            } else {
                values.push(std::str::from_utf8(bytes).map_err(|_| garbled(table))?);
            }
        }
        let us = match self.has_us.then(|| fields.next().flatten()).flatten() {
            Some(bytes) => i64::from_be_bytes(bytes.try_into().map_err(|_| garbled(table))?),
            None => 0,
        };
        let Some(meta) = rows.admit(Identity { values: &values, number, us }) else { return Ok(false) };
        let key = self.key(&mut fields);
        let builder = rows.begin(meta);
        let mut damage = self.too_long(tuple, &fields)?;
        let is_too_long = damage.is_some();
        let wanted = if is_too_long { 0 } else { usize::MAX };
        for (slot, (column, bytes)) in table.chosen().zip(fields.clone()).enumerate().take(wanted) {
            match decode(column.kind, bytes, &mut self.scratch) {
                Decoded::Value(value) => builder.push(slot, value).map_err(|_| too_large())?,
                Decoded::Special(text) => {
                    if self.specials == Specials::Refuse && damage.is_none() {
                        damage = Some(decode::refusal(&column.name, &text));
                    }
                    builder.push_str(slot, &text).map_err(|_| too_large())?;
                }
                Decoded::Damaged(error) => {
                    damage = damage.or_else(|| Some(decode::damage(&column.name, error)));
                    builder.push(slot, bytes.unwrap_or_default()).map_err(|_| too_large())?;
                }
            }
        }
        let builder = match damage {
            None => builder,
            Some(error) => {
                let builder = rows.refuse(meta, error);
                for (slot, (column, bytes)) in table.chosen().zip(fields).enumerate() {
                    let bytes = bytes.filter(|bytes| is_kept(bytes.len(), is_too_long));
                    let pushed = match decode(column.kind, bytes, &mut self.scratch) {
                        Decoded::Value(value) => builder.push(slot, value),
                        Decoded::Special(text) => builder.push_str(slot, &text),
                        Decoded::Damaged(_) => builder.push(slot, bytes.unwrap_or_default()),
                    };
                    pushed.map_err(|_| too_large())?;
                }
                builder
            }
        };
        if let Some(key) = key {
            builder.set_key(key);
        }
        Ok(true)
    }

    /// Why the row is too long, if it is: the last field of an answer names a column whose value was left out.
    fn too_long(&self, tuple: &Tuple<'_>, fields: &Fields<'_>) -> Result<Option<RecordError>, Error> {
        let table = self.table;
        let left_out = fields.clone().nth(table.chosen().count()).ok_or_else(|| garbled(table))?;
        let Some(left_out) = left_out else { return Ok(row_too_long(tuple.bytes(), self.most)) };
        let at = i32::from_be_bytes(left_out.try_into().map_err(|_| garbled(table))?);
        let column = usize::try_from(at).ok().and_then(|at| table.chosen().nth(at));
        let column = column.ok_or_else(|| garbled(table))?;
        Ok(Some(value_too_long(&column.name, self.most)))
    }

    /// The record's key: the value where it is one column, else all by name.
    fn key<'f>(&mut self, fields: &mut impl Iterator<Item = Option<&'f [u8]>>) -> Option<Value> {
        let mut values = Vec::with_capacity(self.way.key.len());
        for name in &self.way.key {
            let kind = self.table.column(name)?.kind;
            let value = match decode(kind, fields.next()?, &mut self.scratch) {
                Decoded::Value(value) => value.to_value(),
                Decoded::Special(text) => Value::Str(text),
                Decoded::Damaged(_) => Value::Null,
            };
            values.push((name.clone(), value));
        }
        match values.len() {
            0 => None,
            1 => values.pop().map(|(_, value)| value),
            _ => Some(Value::Map(values)),
        }
    }
}

fn cannot_read(table: &Table, error: sqlx::Error) -> Error {
    let error = fault::of_target(error, &format!("`{}` cannot be read", table.name()));
    // A source's statement that fails over a value (a view that divides by zero) may do better later.
    if error.kind == fairway_engine::error::Kind::Data {
        let source = error.source.map(|source| source.to_string()).unwrap_or_default();
        return Error::outage("postgres.statement", format!("{}: {source}", error.message))
            .help("mend the rows or the view that it names; it is tried again by itself");
    }
    error
}

fn garbled(table: &Table) -> Error {
    Error::outage("postgres.garbled", format!("the answer about `{}` cannot be understood", table.name()))
        .help("see whether host and port are those of a PostgreSQL server; it is tried again by itself")
}

fn too_large() -> Error {
    Error::failed("table.too_large", "a row is larger than a batch can be")
}
