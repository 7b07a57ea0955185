//! Tables of a SQLite file as a source reads them.
//!
//! While an answer is open SQLite keeps other programs from writing (without write-ahead logging) or from tidying up the log
//! (with it), so an answer is never kept open for a slow target: it has a few batches at most, and is closed before they
//! are handed on. sqlx runs SQLite on a thread of its own; nothing here blocks.
//!
//! SQLite has one writer at a time: what is committed later was also written later, so that no horizon is needed.

mod statement;
mod table;
mod value;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::{RecordError, Ref, Value};
use futures::TryStreamExt;
use sqlx::Connection;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};

use super::connect::{Database as File, FileId};
use super::fault;
use crate::reading::database::{Ask, Database, Settled};
use crate::reading::partition::WAITING;
use crate::reading::rows::{Identity, Rows};
use crate::reading::size::{is_kept, row_too_long, value_too_long};
use crate::reading::wish::{Facts, Nulls, Orders, Way, Wish};
use crate::sql::assembled;

pub(crate) use table::Table;
use table::list;

/// Steps of SQLite's machine between two looks whether anybody still waits: some milliseconds.
const STEPS: i32 = 100_000;

/// A file that is read.
pub(crate) struct Reader {
    file: File,
    record_bytes: usize,
    connection: Option<Connected>,
}

/// A connection whose statement ends when nobody waits for it any more.
struct Connected {
    connection: SqliteConnection,
    file: FileId,
    _interrupt: Interrupt,
}

/// Ends the statement of a connection when it goes: the thread that runs it would go on for as long as it takes.
struct Interrupt(Arc<AtomicBool>);

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Interrupt {
    async fn of(connection: &mut SqliteConnection) -> Result<Self, Error> {
        let over = Arc::new(AtomicBool::new(false));
        let seen = over.clone();
        let mut handle = connection
            .lock_handle()
            .await
            .map_err(|error| fault::of_target(error, "the file cannot be read"))?;
        handle.set_progress_handler(STEPS, move || !seen.load(Ordering::Relaxed));
        Ok(Self(over))
    }
}

impl Reader {
    pub(crate) fn new(file: File, wish: &Wish) -> Self {
        Self { file, record_bytes: wish.record_bytes, connection: None }
    }

    async fn connection(&mut self) -> Result<&mut SqliteConnection, Error> {
        if self.connection.is_none() {
            let mut connection = self.file.connect_to_read().await?;
            let interrupt = Interrupt::of(&mut connection).await?;
            let file = self.file.identity()?;
            self.connection = Some(Connected { connection, file, _interrupt: interrupt });
        }
        Ok(&mut self.connection.as_mut().expect("it was opened just now").connection)
    }
}

#[async_trait]
impl Database for Reader {
    type Table = Table;

    async fn tables(&mut self, wish: &Wish) -> Result<Vec<Table>, Error> {
        // An open connection would go on reading a file that was removed or replaced, whose rows nobody adds to any more.
        if let Some(open) = &self.connection
            && self.file.identity()? != open.file
        {
            tracing::warn!(file = %self.file.path(), "the file was replaced by another, which is read on");
            self.connection = None;
        }
        list(self.connection().await?, wish).await
    }

    async fn settle(&mut self, wish: &Wish, table: &Table, way: &Way) -> Result<Settled, Error> {
        table.check(way)?;
        let (Nulls::Wait, Some(sql)) = (wish.nulls, statement::nulls(table, way)) else {
            return Ok(Settled::All);
        };
        let found: Option<i64> = sqlx::query_scalar(assembled(sql))
            .fetch_optional(self.connection().await?)
            .await
            .map_err(|error| cannot_read(table, error))?;
        match found {
            None => Ok(Settled::All),
            Some(_) => {
                let what =
                    format!("`{}` has rows with null in `{}`", table.name(), way.columns.join("` or `"));
                Err(Error::outage("table.null_cursor", what)
                    .help("give them a value, or set `null_cursor` to `skip` to leave such rows out"))
            }
        }
    }

    async fn read(
        &mut self,
        table: &Table,
        way: &Way,
        ask: Ask<'_>,
        rows: &mut Rows<'_>,
    ) -> Result<bool, Error> {
        let limit = ask.limit;
        let most = self.record_bytes;
        let asked = statement::select(table, way, &ask, most)?;
        let connection = self.connection().await?;
        let query = sqlx::query_with(assembled(asked.sql), asked.arguments);
        let mut answer = query.fetch(connection);
        let mut met = 0;
        while let Some(row) = answer.try_next().await.map_err(|error| cannot_read(table, error))? {
            met += 1;
            if !take(table, way, &row, most, rows)? {
                continue;
            }
            drop(row);
            if way.orders == Orders::Fresh {
                rows.done().await?;
            } else if rows.done_without_waiting() {
                return Ok(true);
            }
        }
        Ok(limit.is_some_and(|limit| met >= limit))
    }

    fn answer(&self, batch: usize) -> usize {
        batch * WAITING
    }

    fn disconnect(&mut self) {
        self.connection = None;
    }
}

/// Puts a row into the batch; `false` if it is known already.
fn take(table: &Table, way: &Way, row: &SqliteRow, most: usize, rows: &mut Rows<'_>) -> Result<bool, Error> {
    let mut cursor = Vec::with_capacity(way.columns.len());
    let mut number = None;
    for at in 0..way.columns.len() {
        let cell = value::cell(row, at);
        match cell {
            value::Cell::Int(value) if way.orders == Orders::Value => number = Some(value),
            // Rows without a value have no place; the statement leaves them out.
            value::Cell::Null => return Ok(false),
            cell => cursor.push(value::as_text(cell)),
        }
    }
    let values: Vec<&str> = cursor.iter().map(String::as_str).collect();
    let Some(meta) = rows.admit(Identity { values: &values, number, us: 0 }) else { return Ok(false) };
    let first = way.columns.len() + way.key.len();
    let too_large = |_| Error::failed("table.too_large", "a row is larger than a batch can be");
    let builder = rows.begin(meta);
    let mut damage = too_long(table, row, first, most);
    let is_too_long = damage.is_some();
    let wanted = if is_too_long { 0 } else { usize::MAX };
    for (slot, column) in table.chosen().enumerate().take(wanted) {
        let found = value::push(row, first + slot, column, slot, builder).map_err(too_large)?;
        damage = damage.or(found);
    }
    let builder = match damage {
        None => builder,
        Some(error) => {
            let builder = rows.refuse(meta, error);
            for (slot, column) in table.chosen().enumerate() {
                if !is_kept(value::cell(row, first + slot).bytes(), is_too_long) {
                    builder.push(slot, Ref::Null).map_err(too_large)?;
                    continue;
                }
                value::push(row, first + slot, column, slot, builder).map_err(too_large)?;
            }
            builder
        }
    };
    if let Some(key) = key(way, row) {
        builder.set_key(key);
    }
    Ok(true)
}

/// Why a row is too long, if it is: the last cell names a column whose value was left out.
fn too_long(table: &Table, row: &SqliteRow, first: usize, most: usize) -> Option<RecordError> {
    let columns = table.chosen().count();
    if let value::Cell::Int(at) = value::cell(row, first + columns) {
        let column = usize::try_from(at).ok().and_then(|at| table.chosen().nth(at));
        return Some(value_too_long(column.map_or("", |column| &*column.name), most));
    }
    row_too_long((first..first + columns).map(|at| value::cell(row, at).bytes()).sum(), most)
}

/// The record's key: the value where it is one column, else all by name.
fn key(way: &Way, row: &SqliteRow) -> Option<Value> {
    let at = |index: usize| value::owned(value::cell(row, way.columns.len() + index));
    match &*way.key {
        [] => None,
        [_] => Some(at(0)),
        many => {
            Some(Value::Map(many.iter().enumerate().map(|(index, name)| (name.clone(), at(index))).collect()))
        }
    }
}

fn cannot_read(table: &Table, error: sqlx::Error) -> Error {
    fault::of_target(error, &format!("`{}` cannot be read", table.name()))
}

/// Arguments of a statement.
type Arguments = SqliteArguments;

/// What answers, and what there is to choose from.
pub(crate) async fn probe(
    file: &File,
    chosen: Option<&str>,
) -> Result<fairway_shared::component::Probe, Error> {
    let mut connection = file.connect_to_read().await?;
    let _interrupt = Interrupt::of(&mut connection).await?;
    let probe = table::probe(&mut connection, chosen).await;
    connection.close().await.ok();
    probe.map_err(|error| fault::of_target(error, "the tables of the file cannot be listed"))
}
