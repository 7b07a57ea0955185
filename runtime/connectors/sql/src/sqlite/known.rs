//! What is known of the table: its columns, where the fields of each schema go, and the statements made so far. New columns
//! are planned and made here.

use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::{Batch, Schema};
use sqlx::SqliteConnection;

use super::fault;
use super::layout::{Layout, Wish};
use super::statement::{Statements, key_trial};
use super::table::{Found, Table};
use crate::sql::assembled;
use crate::writing::Mode;

/// Layouts kept; more than a channel usually has schemas.
const LAYOUTS: usize = 16;

/// What is known of the table.
pub(super) struct Known {
    pub(super) table: Arc<Table>,
    /// SQLite's count of changes to tables when this was looked up.
    version: i64,
    layouts: Vec<(Arc<Schema>, Arc<Layout>)>,
    pub(super) statements: Statements,
    /// Working memory.
    pub(super) buffer: Vec<u8>,
}

impl Known {
    /// Looks the table up and sees whether it can take what is wished.
    pub(super) async fn load(connection: &mut SqliteConnection, wish: &Wish) -> Result<Self, Error> {
        let version = version(&mut *connection).await?;
        let table = Table::load(&mut *connection, &wish.table).await?;
        let name = &wish.table;
        if !table.exists && (!wish.create_table || wish.mode == Mode::Delete) {
            let error = Error::outage("sqlite.no_table", format!("there is no table `{name}`"));
            return Err(error.help("create it, or correct its name; it is looked for again by itself"));
        }
        if table.exists && wish.mode != Mode::Insert {
            if let Some(key) = wish.key.iter().find(|key| !matches!(table.find(key), Found::Column(_))) {
                let error = Error::config("sqlite.no_key_column", format!("`{name}` has no column `{key}`"));
                return Err(error.help("name columns of the table in `key`, letter case included"));
            }
            if wish.mode == Mode::Upsert
                && let Err(error) = compile(connection, &key_trial(&table, wish)).await
            {
                let what = format!("the key of `{name}` does not tell its rows apart");
                let help = "make it the primary key, or create a unique index on exactly these columns";
                return Err(Error::config("sqlite.key_not_unique", what).help(help).source(error));
            }
        }
        Ok(Self::of(Arc::new(table), version))
    }

    fn of(table: Arc<Table>, version: i64) -> Self {
        Self { table, version, layouts: Vec::new(), statements: Statements::default(), buffer: Vec::new() }
    }

    /// Whether no table was changed since. Within a transaction that writes, none can be changed by others.
    pub(super) async fn still_holds(&self, connection: &mut SqliteConnection) -> Result<bool, Error> {
        Ok(version(connection).await? == self.version)
    }

    pub(super) fn layout(&mut self, schema: &Arc<Schema>, wish: &Wish) -> Arc<Layout> {
        let known = self.layouts.iter().find(|(known, _)| Arc::ptr_eq(known, schema) || known == schema);
        if let Some((_, layout)) = known {
            return Arc::clone(layout);
        }
        if self.layouts.len() >= LAYOUTS {
            self.layouts.clear();
        }
        let layout = Arc::new(Layout::new(schema, &self.table, wish));
        self.layouts.push((Arc::clone(schema), Arc::clone(&layout)));
        layout
    }

    /// Whether the table, or columns of it, are to be made for these batches.
    pub(super) fn has_newcomers(&mut self, wish: &Wish, batches: &[Batch]) -> bool {
        let mut batches = batches.iter().filter(|batch| !batch.is_empty());
        batches.any(|batch| !self.layout(batch.schema(), wish).newcomers.is_empty())
    }

    /// Makes columns, or the table, for fields that have none; answers whether it did.
    pub(super) async fn make_columns(
        &mut self,
        connection: &mut SqliteConnection,
        wish: &Wish,
        batches: &[Batch],
    ) -> Result<bool, Error> {
        if !self.has_newcomers(wish, batches) {
            return Ok(false);
        }
        self.plan(wish, batches);
        let making = self.table.making(&wish.key);
        for statement in &making {
            let made =
                sqlx::query(assembled(statement.as_str())).persistent(false).execute(&mut *connection).await;
            made.map_err(|error| {
                fault::of_target(error, &format!("`{}` cannot be made or changed", wish.table))
            })?;
        }
        let table = Table::clone(&self.table).made();
        *self = Self::of(Arc::new(table), self.version);
        Ok(!making.is_empty())
    }

    /// Plans columns record by record, as if each came alone (G9): the first record that has a field decides its type.
    fn plan(&mut self, wish: &Wish, batches: &[Batch]) {
        let mut buffer = std::mem::take(&mut self.buffer);
        for batch in batches.iter().filter(|batch| !batch.is_empty()) {
            let mut layout = self.layout(batch.schema(), wish);
            for record in batch.records() {
                let newcomers = layout.newcomers.iter();
                let mut new = newcomers.filter(|field| !record.get_slot(field.slot).is_missing()).peekable();
                if new.peek().is_none() || layout.bars(record, &mut buffer) {
                    continue;
                }
                let mut table = Table::clone(&self.table);
                // A record that does not fit whole is refused, and makes nothing.
                let fits = new.all(|field| {
                    table.find(&field.name) == Found::Nothing
                        && table.plan(&field.name, field.ty, record.get_slot(field.slot))
                });
                if fits {
                    self.table = Arc::new(table);
                    self.layouts.clear();
                    layout = self.layout(batch.schema(), wish);
                }
            }
        }
        self.buffer = buffer;
    }
}

async fn version(connection: &mut SqliteConnection) -> Result<i64, Error> {
    let version = sqlx::query_scalar("PRAGMA schema_version").fetch_one(connection).await;
    version.map_err(|error| fault::of_target(error, "the tables of the file cannot be looked up"))
}

/// Whether SQLite can make sense of a statement as the tables are now. Does not run it.
pub(super) async fn compile(connection: &mut SqliteConnection, sql: &str) -> Result<(), sqlx::Error> {
    let explain = sqlx::query(assembled(format!("EXPLAIN {sql}"))).persistent(false);
    explain.fetch_all(connection).await.map(|_| ())
}
