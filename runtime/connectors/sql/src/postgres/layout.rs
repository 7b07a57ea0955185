//! Which field of a schema goes to which column of the table, and what stands against it. Made once a schema.

use std::sync::Arc;

use fairway_engine::data::{RecordError, RecordRef, Schema};
use fairway_shared::types::Type;

use super::encode::encode;
use super::kind::declared;
use super::table::{Table, TableName};
use crate::writing::{Mode, NewColumns};

/// What is asked of a table.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(super) table: TableName,
    pub(super) mode: Mode,
    pub(super) key: Vec<String>,
    pub(super) create_table: bool,
    pub(super) new_columns: NewColumns,
}

impl Wish {
    /// # Errors
    /// Kind `Config` for names that PostgreSQL cannot have.
    pub(crate) fn new(
        (schema, table): (&str, &str),
        mode: Mode,
        key: Vec<String>,
        create_table: bool,
        new_columns: NewColumns,
    ) -> Result<Self, fairway_engine::Error> {
        Ok(Self { table: TableName::new(schema, table)?, mode, key, create_table, new_columns })
    }
}

/// A field that has a column.
#[derive(Debug)]
struct Place {
    slot: usize,
    /// Index of the column.
    column: usize,
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

impl Newcomer {
    /// Whether the record says what the column would have to hold. A null of unknown type waits for a value: until then
    /// a column that is missing says the same.
    pub(super) fn is_told(&self, record: RecordRef<'_>) -> bool {
        let value = record.get_slot(self.slot);
        !value.is_missing() && declared(self.ty, value).is_some()
    }
}

/// Where the fields of a schema go.
#[derive(Debug)]
pub(super) struct Layout {
    places: Vec<Place>,
    barred: Vec<Barred>,
    pub(super) newcomers: Vec<Newcomer>,
    /// A key field that the schema does not have.
    without_key: Option<RecordError>,
    /// Whether any place can be left out.
    leaves_out: bool,
    /// Whether there is a table to write to.
    pub(super) exists: bool,
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
            match (table.find(name), wish.new_columns) {
                (Some(at), _) if table.columns[at].generated => {
                    layout.bar(
                        slot,
                        "postgres.computed_column",
                        name,
                        "the table computes this column itself",
                    );
                }
                (Some(column), _) => {
                    // An upsert must not touch what the record says nothing about; an insert must let the default work.
                    let leaves_out =
                        !is_key && (wish.mode == Mode::Upsert || table.columns[column].has_default);
                    layout.places.push(Place { slot, column, is_key, leaves_out });
                }
                (None, NewColumns::Ignore) if layout.exists && !is_key => {}
                // A table that is to be made gets what its first record has, however records are cut into groups (G9).
                (None, _) if !layout.exists || wish.new_columns == NewColumns::Add => {
                    match Table::bars(name) {
                        Some(why) => layout.bar(slot, "postgres.bad_name", name, why),
                        None if wish.mode == Mode::Delete => {
                            layout.bar(slot, "postgres.unknown_field", name, "the table has no such column");
                        }
                        None => {
                            let (name, ty) = (Arc::clone(name), field.ty());
                            layout.newcomers.push(Newcomer { slot, name, ty, is_key });
                        }
                    }
                }
                (None, _) => {
                    layout.bar(slot, "postgres.unknown_field", name, "the table has no such column");
                }
            }
        }
        let absent = wish.key.iter().find(|key| schema.lookup(key).is_none());
        layout.without_key = absent.map(|key| no_key(key));
        layout.leaves_out = layout.places.iter().any(|place| place.leaves_out);
        layout
    }

    fn bar(&mut self, slot: usize, code: &'static str, name: &str, what: &str) {
        self.barred.push(Barred { slot, error: RecordError::in_field(code, name, what) });
    }

    /// Whether all records of this layout go into one statement.
    pub(super) fn is_uniform(&self) -> bool {
        !self.leaves_out
    }

    /// The columns that a record's statement names.
    pub(super) fn columns(&self, record: RecordRef<'_>) -> Columns {
        let named = |place: &&Place| !(place.leaves_out && record.get_slot(place.slot).is_missing());
        self.places.iter().filter(named).map(|place| place.column).collect()
    }

    /// Appends a record as a line of COPY's text format, its values in the order of [`columns`](Layout::columns).
    ///
    /// # Errors
    /// Why the table can never take the record; nothing is appended then.
    #[inline]
    pub(super) fn encode(
        &self,
        record: RecordRef<'_>,
        table: &Table,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), RecordError> {
        let start = out.len();
        let encoded = self
            .may_pass(record)
            .and_then(|()| self.encode_places(record, table, scratch, out))
            .and_then(|()| self.has_room(record));
        if encoded.is_err() {
            out.truncate(start);
        } else if out.len() > start {
            // The last tab makes place.
            out.pop();
            out.push(b'\n');
        } else {
            out.push(b'\n');
        }
        encoded
    }

    fn encode_places(
        &self,
        record: RecordRef<'_>,
        table: &Table,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), RecordError> {
        for place in &self.places {
            let value = record.get_slot(place.slot);
            if value.is_none() {
                if place.is_key {
                    return Err(no_key(&table.columns[place.column].name));
                }
                if value.is_missing() && place.leaves_out {
                    continue;
                }
            }
            let column = &table.columns[place.column];
            encode(value, &column.kind, scratch, out).map_err(|unfit| {
                let what = format!("the column `{}` {}", column.name, unfit.what);
                RecordError::in_field(unfit.code, &*column.name, what)
            })?;
            out.push(b'\t');
        }
        Ok(())
    }

    fn may_pass(&self, record: RecordRef<'_>) -> Result<(), RecordError> {
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
            return Err(RecordError::new(
                "postgres.no_fields",
                "there is no table yet, and a record without fields makes none",
            ));
        }
        Ok(())
    }

    /// What is new was planned before, unless there was no room.
    fn has_room(&self, record: RecordRef<'_>) -> Result<(), RecordError> {
        if self.newcomers.iter().any(|newcomer| newcomer.is_told(record)) {
            return Err(RecordError::new(
                "postgres.no_room",
                "the table has no room for a column for each field: PostgreSQL allows 1600",
            ));
        }
        Ok(())
    }

    /// Whether the table, as far as it is known, can never take the record; fields that may get a column are passed over.
    pub(super) fn bars(&self, record: RecordRef<'_>, table: &Table, scratch: &mut Vec<u8>) -> bool {
        let has = |slot: usize| !record.get_slot(slot).is_missing();
        let no_key = |field: &Newcomer| field.is_key && record.get_slot(field.slot).is_none();
        self.without_key.is_some()
            || self.barred.iter().any(|barred| has(barred.slot))
            || self.newcomers.iter().any(no_key)
            || self.encode_places(record, table, scratch, &mut Vec::new()).is_err()
    }
}

fn no_key(name: &str) -> RecordError {
    RecordError::in_field("postgres.no_key", name, "a key field is missing or null")
}
