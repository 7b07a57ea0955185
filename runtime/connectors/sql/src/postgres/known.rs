//! What is known of the table: its columns, where the fields of each schema go, and the statements made so far. New columns
//! are planned and made here.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::{Batch, Schema};
use fairway_engine::error::Kind;
use sqlx::PgConnection;

use super::fault;
use super::layout::{Columns, Layout, Wish};
use super::statement::{Statements, key_trial};
use super::table::Table;
use crate::sql::assembled;
use crate::writing::{Mode, NewColumns};

/// Layouts kept; more than a channel usually has schemas.
const LAYOUTS: usize = 16;
/// Sets of columns kept, each with its statements.
const SETS: usize = 256;

/// What is known of the table.
pub(super) struct Known {
    pub(super) table: Arc<Table>,
    layouts: Vec<(Arc<Schema>, Arc<Layout>)>,
    statements: HashMap<Arc<Columns>, Arc<Statements>>,
    /// Whether several rows of a group may have one key, as far as it was seen.
    repeats: bool,
    /// Number of the next temporary table.
    next_stage: usize,
    /// Temporary tables that are there for sure.
    pub(super) staged: HashSet<String>,
    /// Whether a few rows may go by INSERT now, which comes to the same as COPY.
    pub(super) may_insert: bool,
    /// The values of an INSERT that failed, and how many characters of the statement stood before them.
    pub(super) failed_insert: Option<(usize, String)>,
    /// Working memory.
    pub(super) lines: Vec<u8>,
    pub(super) scratch: Vec<u8>,
}

impl Known {
    /// Looks the table up and sees whether it can take what is wished.
    pub(super) async fn load(connection: &mut PgConnection, wish: &Wish) -> Result<Self, Error> {
        let table = Table::load(&mut *connection, &wish.table).await?;
        let name = &wish.table;
        if !table.exists && (!wish.create_table || wish.mode == Mode::Delete) {
            let error = Error::outage("postgres.no_table", format!("there is no table `{name}`"));
            return Err(error.help("create it, or correct its name; it is looked for again by itself"));
        }
        if table.exists && wish.mode != Mode::Insert {
            if let Some(key) = wish.key.iter().find(|key| table.find(key).is_none()) {
                let error =
                    Error::config("postgres.no_key_column", format!("`{name}` has no column `{key}`"));
                return Err(error.help("name columns of the table in `key`, letter case included"));
            }
            if wish.mode == Mode::Upsert {
                let trial = sqlx::raw_sql(assembled(key_trial(&table, wish))).execute(&mut *connection).await;
                trial.map_err(|error| match fault::sqlstate(&error) {
                    Some("42P10") => {
                        let what = format!("the key of `{name}` does not tell its rows apart");
                        let help =
                            "make it the primary key, or create a unique index on exactly these columns";
                        Error::config("postgres.key_not_unique", what).help(help).source(error)
                    }
                    _ => fault::of_target(error, &format!("`{name}` cannot be written")),
                })?;
            }
        }
        Ok(Self {
            table: Arc::new(table),
            layouts: Vec::new(),
            statements: HashMap::new(),
            repeats: false,
            next_stage: 1,
            staged: HashSet::new(),
            may_insert: false,
            failed_insert: None,
            lines: Vec::new(),
            scratch: Vec::new(),
        })
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

    pub(super) fn statements(&mut self, wish: &Wish, columns: &Arc<Columns>) -> Arc<Statements> {
        if let Some(known) = self.statements.get(columns) {
            return Arc::clone(known);
        }
        if self.statements.len() >= SETS {
            self.statements.clear();
        }
        let made = Arc::new(Statements::new(&self.table, wish, columns, self.next_stage, self.repeats));
        self.next_stage += 1;
        self.statements.insert(Arc::clone(columns), Arc::clone(&made));
        made
    }

    /// From here on several rows of a group may have one key.
    pub(super) fn expect_repeats(&mut self) {
        if !self.repeats {
            self.repeats = true;
            self.statements.clear();
        }
    }

    /// Whether the table, or columns of it, are to be made for these batches.
    pub(super) fn has_newcomers(&mut self, wish: &Wish, batches: &[Batch]) -> bool {
        let mut batches = batches.iter().filter(|batch| !batch.is_empty());
        batches.any(|batch| !self.layout(batch.schema(), wish).newcomers.is_empty())
    }

    /// Makes columns, or the table, for fields that have none; answers whether it did.
    pub(super) async fn make_columns(
        &mut self,
        connection: &mut PgConnection,
        wish: &Wish,
        batches: &[Batch],
    ) -> Result<bool, Error> {
        self.plan(wish, batches);
        let making = self.table.making(&wish.key);
        for statement in &making {
            let made = sqlx::raw_sql(assembled(statement.as_str())).execute(&mut *connection).await;
            made.map_err(|error| {
                let fault = fault::of_target(error, &format!("`{}` cannot be made or changed", wish.table));
                // Another session that makes the same is met as a broken constraint: no record's fault, and it passes.
                if fault.kind == Kind::Data { Error { kind: Kind::Outage, ..fault } } else { fault }
            })?;
        }
        if !making.is_empty() {
            self.know(Table::clone(&self.table).made());
        }
        Ok(!making.is_empty())
    }

    fn know(&mut self, table: Table) {
        self.table = Arc::new(table);
        self.layouts.clear();
        self.statements.clear();
    }

    /// Plans columns record by record, as if each came alone (G9): the first record that has a value decides its type.
    fn plan(&mut self, wish: &Wish, batches: &[Batch]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        for batch in batches.iter().filter(|batch| !batch.is_empty()) {
            let mut layout = self.layout(batch.schema(), wish);
            for record in batch.records() {
                if layout.newcomers.is_empty() || layout.bars(record, &self.table, &mut scratch) {
                    continue;
                }
                let told = layout.newcomers.iter().any(|field| field.is_told(record));
                // The first record of a table that is to be made decides all of it where nothing is added later.
                let nulls_too = !layout.exists && (!told || wish.new_columns != NewColumns::Add);
                let newcomers = layout.newcomers.iter();
                let mut new = newcomers
                    .filter(|field| match nulls_too {
                        true => !record.get_slot(field.slot).is_missing(),
                        false => field.is_told(record),
                    })
                    .peekable();
                if new.peek().is_none() {
                    continue;
                }
                let mut table = Table::clone(&self.table);
                // A record that does not fit whole is refused, and makes nothing.
                if new.all(|field| table.plan(&field.name, field.ty, record.get_slot(field.slot))) {
                    self.know(table);
                    layout = self.layout(batch.schema(), wish);
                }
            }
        }
        self.scratch = scratch;
    }
}
