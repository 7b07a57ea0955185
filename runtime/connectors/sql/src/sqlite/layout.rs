//! Which field of a schema goes to which column of the table, and what stands against it. Made once a schema.

use std::sync::Arc;

use fairway_engine::data::{RecordError, RecordRef, Schema};
use fairway_shared::types::Type;
use sqlx::sqlite::SqliteArguments;

use super::table::{Affinity, Column, Found, Table};
use super::value::{Bound, bind};
use crate::writing::{Mode, NewColumns};

/// What is asked of a table.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) table: String,
    pub(crate) mode: Mode,
    pub(crate) key: Vec<String>,
    pub(crate) create_table: bool,
    pub(crate) new_columns: NewColumns,
}

/// A field that has a column.
#[derive(Debug)]
struct Place {
    slot: usize,
    /// Index of the column.
    column: usize,
    affinity: Affinity,
    /// Whether the field must have a value.
    is_key: bool,
    /// Whether a record without the field leaves the column out of its statement.
    leaves_out: bool,
}

/// A field that no column can take.
#[derive(Debug)]
struct Barred {
    slot: usize,
    error: RecordError,
}

/// A field without a column, which may get one.
#[derive(Debug)]
pub(super) struct Newcomer {
    pub(super) slot: usize,
    pub(super) name: Arc<str>,
    pub(super) ty: Option<Type>,
    /// Whether the field must have a value.
    is_key: bool,
}

/// Where the fields of a schema go.
#[derive(Debug)]
pub(super) struct Layout {
    places: Vec<Place>,
    barred: Vec<Barred>,
    pub(super) newcomers: Vec<Newcomer>,
    /// Key fields that the schema does not have.
    without_key: Option<RecordError>,
    /// Whether any place can be left out.
    leaves_out: bool,
    /// Whether there is a table to write to.
    exists: bool,
}

/// Which columns a statement names: indexes of columns of the table, in order.
pub(super) type Columns = Vec<usize>;

impl Layout {
    pub(super) fn new(schema: &Schema, table: &Table, wish: &Wish) -> Self {
        let mut layout = Self {
            places: Vec::new(),
            barred: Vec::new(),
            newcomers: Vec::new(),
            without_key: None,
            leaves_out: false,
            exists: table.exists || !table.columns.is_empty(),
        };
        for field in schema.fields() {
            let (name, slot) = (field.name(), field.slot());
            let is_key = wish.key.iter().any(|key| **key == **name);
            if wish.mode == Mode::Delete && !is_key {
                continue;
            }
            let newcomer = Newcomer { slot, name: Arc::clone(name), ty: field.ty(), is_key };
            match (table.find(name), wish.new_columns) {
                (Found::Column(at), _) if table.columns[at].generated => {
                    layout.bar(
                        slot,
                        "sqlite.computed_column",
                        name,
                        "the table computes this column itself".into(),
                    );
                }
                (Found::Column(at), _) => layout.place(slot, at, &table.columns[at], is_key, wish.mode),
                (Found::AlmostColumn(at), _) => {
                    let what = format!(
                        "the table has `{}`, which SQLite does not tell from `{name}`; rename the field",
                        table.columns[at].name
                    );
                    layout.bar(slot, "sqlite.almost_column", name, what);
                }
                (Found::Nothing, _) if wish.mode == Mode::Delete => {
                    layout.bar(slot, "sqlite.unknown_field", name, "the table has no such column".into());
                }
                (Found::Nothing, NewColumns::Add) if name.contains('\0') => {
                    let what = "a name with U+0000 cannot be that of a column; rename the field".into();
                    layout.bar(slot, "sqlite.bad_name", name, what);
                }
                // A table that is to be made gets what its first record has, however records are cut into groups (G9).
                (Found::Nothing, _) if !layout.exists => layout.newcomers.push(newcomer),
                (Found::Nothing, NewColumns::Add) => layout.newcomers.push(newcomer),
                (Found::Nothing, NewColumns::Ignore) if !is_key => {}
                (Found::Nothing, NewColumns::Ignore | NewColumns::Reject) => {
                    layout.bar(slot, "sqlite.unknown_field", name, "the table has no such column".into());
                }
            }
        }
        let absent = wish.key.iter().find(|key| schema.lookup(key).is_none());
        layout.without_key = absent.map(|key| no_key(key));
        layout.leaves_out = layout.places.iter().any(|place| place.leaves_out);
        layout
    }

    fn place(&mut self, slot: usize, at: usize, column: &Column, is_key: bool, mode: Mode) {
        // An upsert must not touch what the record says nothing about; an insert must let the default work.
        let leaves_out = !is_key && (mode == Mode::Upsert || column.has_default);
        self.places.push(Place { slot, column: at, affinity: column.affinity, is_key, leaves_out });
    }

    fn bar(&mut self, slot: usize, code: &'static str, name: &str, what: String) {
        self.barred.push(Barred { slot, error: RecordError::in_field(code, name, what) });
    }

    /// Whether two records in a row, both of this layout, go into one statement as far as the layout can tell.
    pub(super) fn is_uniform(&self) -> bool {
        !self.leaves_out
    }

    /// The columns that a record's statement names.
    pub(super) fn columns(&self, record: RecordRef<'_>) -> Columns {
        let named = |place: &&Place| !(place.leaves_out && record.get_slot(place.slot).is_missing());
        self.places.iter().filter(named).map(|place| place.column).collect()
    }

    /// Binds a record's values, in the order of [`columns`](Layout::columns).
    ///
    /// # Errors
    /// Why the table can never take the record; values may then have been bound.
    pub(super) fn bind(
        &self,
        record: RecordRef<'_>,
        table: &Table,
        buffer: &mut Vec<u8>,
        arguments: &mut SqliteArguments,
    ) -> Result<(), RecordError> {
        let has = |slot: usize| !record.get_slot(slot).is_missing();
        if let Some(barred) = self.barred.iter().find(|barred| has(barred.slot)) {
            return Err(barred.error.clone());
        }
        if let Some(error) = &self.without_key {
            return Err(error.clone());
        }
        let has_no_key = |field: &&Newcomer| field.is_key && record.get_slot(field.slot).is_none();
        if let Some(newcomer) = self.newcomers.iter().find(has_no_key) {
            return Err(no_key(&newcomer.name));
        }
        if !self.exists {
            // What is left of the fields could not make it.
            self.has_room(record)?;
            return Err(RecordError::new(
                "sqlite.no_fields",
                "there is no table yet, and a record without fields makes none",
            ));
        }
        for place in &self.places {
            let value = record.get_slot(place.slot);
            if value.is_missing() && place.leaves_out {
                continue;
            }
            let column = &table.columns[place.column];
            let bound = bind(value, place.affinity, buffer).map_err(|unfit| {
                let what = format!("the column `{}` {}", column.name, unfit.0);
                RecordError::in_field("sqlite.inexact", &*column.name, what)
            })?;
            if place.is_key && bound == Bound::Null {
                return Err(no_key(&column.name));
            }
            bound.add_to(arguments);
        }
        self.has_room(record)
    }

    /// What is new was planned before, unless something stood against it.
    fn has_room(&self, record: RecordRef<'_>) -> Result<(), RecordError> {
        let new: Vec<&Newcomer> =
            self.newcomers.iter().filter(|field| !record.get_slot(field.slot).is_missing()).collect();
        if new.is_empty() {
            return Ok(());
        }
        for (index, field) in new.iter().enumerate() {
            if let Some(twin) = new[..index].iter().find(|twin| twin.name.eq_ignore_ascii_case(&field.name)) {
                let what = format!(
                    "the record has `{}` and `{}`, which SQLite does not tell apart; rename one of them in a step before",
                    twin.name, field.name
                );
                return Err(RecordError::in_field("sqlite.almost_column", &*field.name, what));
            }
        }
        Err(RecordError::new(
            "sqlite.no_room",
            "the table has no room for a column for each field: SQLite allows 2000",
        ))
    }

    /// Whether the table, as far as it is known, can never take the record; fields that may get a column are passed over.
    pub(super) fn bars(&self, record: RecordRef<'_>, buffer: &mut Vec<u8>) -> bool {
        let has = |slot: usize| !record.get_slot(slot).is_missing();
        let no_key = |field: &Newcomer| field.is_key && record.get_slot(field.slot).is_none();
        let mut unfit = |place: &Place| match bind(record.get_slot(place.slot), place.affinity, buffer) {
            Ok(bound) => place.is_key && bound == Bound::Null,
            Err(_) => true,
        };
        self.without_key.is_some()
            || self.barred.iter().any(|barred| has(barred.slot))
            || self.newcomers.iter().any(no_key)
            || self.places.iter().any(&mut unfit)
    }
}

fn no_key(name: &str) -> RecordError {
    RecordError::in_field("sqlite.no_key", name, "a key field is missing or null")
}
