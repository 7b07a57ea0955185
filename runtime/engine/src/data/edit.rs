//! Changing records one by one, and what becomes of those that cannot be changed.
//!
//! Changing one field of all records is faster through [`Batch::map_str`] and [`Batch::update_field`].

use std::sync::Arc;

use smallvec::SmallVec;

use super::batch::Batch;
use super::cell::{Cell, Cells, Pools};
use super::convert::SetValue;
use super::error::RecordError;
use super::meta::{Extra, Meta};
use super::schema::Schema;
use super::value::{Ref, Value};

/// Records that were refused, as they were before, each with its error. Dropping them loses records (I1).
#[derive(Clone, Debug, Default)]
#[must_use = "refused records must reach the errors port or the dead letters (I1)"]
pub struct Rejects {
    /// The records, in the order in which they were.
    pub batch: Batch,
    /// The error of each record, in the same order.
    pub errors: Vec<RecordError>,
}

impl Rejects {
    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// How many records were refused.
    pub fn len(&self) -> usize {
        self.errors.len()
    }
}

/// A record being changed.
pub struct Record<'b> {
    pub(super) schema: &'b mut Arc<Schema>,
    pub(super) cells: &'b mut Cells,
    pub(super) pools: &'b mut Arc<Pools>,
    pub(super) extras: &'b mut Option<Arc<Vec<Extra>>>,
    pub(super) row: usize,
    pub(super) rows: usize,
    pub(super) meta: Meta,
    pub(super) full: bool,
    /// The extra as it was before its first change.
    pub(super) former: Option<Extra>,
}

impl Record<'_> {
    /// The value of a field; `Missing` if the record has none.
    #[inline]
    pub fn get(&self, name: &str) -> Ref<'_> {
        self.schema.slot(name).map_or(Ref::Missing, |slot| self.get_slot(slot))
    }

    /// The value in a slot that the batch's schema gave.
    #[inline]
    pub fn get_slot(&self, slot: usize) -> Ref<'_> {
        self.pools.view(self.cells.get(self.row, slot))
    }

    /// The fields that the record has, in the order of the schema.
    pub fn fields(&self) -> impl Iterator<Item = (&str, Ref<'_>)> {
        let all = self.schema.fields().iter().map(|field| (&**field.name(), self.get_slot(field.slot())));
        all.filter(|(_, value)| !value.is_missing())
    }

    /// The schema; it grows when a new field is set.
    pub fn schema(&self) -> &Arc<Schema> {
        self.schema
    }

    /// Where the record came from.
    pub fn meta(&self) -> Meta {
        self.meta
    }

    /// Sets a field; one that the schema does not have becomes its last. Setting [`Value::Missing`] removes it.
    ///
    /// A transform that always sets a new field should add it with [`Batch::with_schema`] first: the schema is
    /// then derived once and not in every batch.
    pub fn set<'v>(&mut self, name: &str, value: impl Into<SetValue<'v>>) {
        let value = value.into();
        if let Some(cell) = self.cell(value.as_ref()) {
            self.put(name, cell);
        }
    }

    /// Sets the value in a slot that the batch's schema gave.
    ///
    /// # Panics
    /// If the schema has no such slot.
    pub fn set_slot<'v>(&mut self, slot: usize, value: impl Into<SetValue<'v>>) {
        let value = value.into();
        assert!(slot < self.schema.width(), "slot {slot} of a schema with {}", self.schema.width());
        if let Some(cell) = self.cell(value.as_ref()) {
            self.put_slot(slot, cell);
        }
    }

    /// Gives the value in a slot another one that is made of it; `None` keeps it. Numbers and moments are never copied out.
    ///
    /// # Errors
    /// What `change` answers; the value then stays.
    ///
    /// # Panics
    /// If the schema has no such slot.
    #[inline]
    pub fn change_slot(
        &mut self,
        slot: usize,
        change: impl for<'v> FnOnce(Ref<'v>) -> Result<Option<SetValue<'v>>, RecordError>,
    ) -> Result<(), RecordError> {
        let Some(value) = change(self.get_slot(slot))? else { return Ok(()) };
        match Cell::plain(value.as_ref()) {
            Some(cell) => {
                assert!(slot < self.schema.width(), "slot {slot} of a schema with {}", self.schema.width());
                self.put_slot(slot, cell);
            }
            None => {
                let owned = match value {
                    SetValue::Ref(value) => value.to_value(),
                    SetValue::Owned(value) => value,
                };
                self.set_slot(slot, owned);
            }
        }
        Ok(())
    }

    /// Sets a field to a text.
    #[inline]
    pub fn set_str(&mut self, name: &str, text: &str) {
        self.set(name, Ref::Str(text));
    }

    /// Gives a field the value of another.
    pub fn copy(&mut self, from: &str, to: &str) {
        let cell = self.schema.slot(from).map_or(Cell::Missing, |slot| self.cells.get(self.row, slot));
        self.put(to, cell);
    }

    /// Takes a field away from this record; others keep it.
    pub fn remove(&mut self, name: &str) {
        if let Some(slot) = self.schema.slot(name)
            && slot < self.cells.width
        {
            self.cells.row_mut(self.row)[slot] = Cell::Missing;
        }
    }

    /// Key, headers and time; `None` if the batch has none of them.
    pub fn extra(&self) -> Option<&Extra> {
        self.extras.as_ref().map(|extras| &extras[self.row])
    }

    /// Sets or removes the key.
    pub fn set_key(&mut self, key: Option<Value>) {
        self.extra_mut().key = key;
    }

    /// Adds a header after those that the record has.
    pub fn add_header(&mut self, name: impl Into<Arc<str>>, value: Value) {
        self.extra_mut().headers.push((name.into(), value));
    }

    /// Key, headers and time, to be changed.
    pub fn extra_mut(&mut self) -> &mut Extra {
        let rows = self.rows;
        let extras = self.extras.get_or_insert_with(|| Arc::new(vec![Extra::default(); rows]));
        let extra = &mut Arc::make_mut(extras)[self.row];
        if self.former.is_none() {
            self.former = Some(extra.clone());
        }
        extra
    }

    /// Stores what a value points to; nothing, and the record is refused, when there is no room.
    fn cell(&mut self, value: Ref<'_>) -> Option<Cell> {
        let stored = match Cell::plain(value) {
            // No storage, so that shared pools stay shared.
            Some(cell) => Ok(cell),
            None => Arc::make_mut(self.pools).overlay.add(value),
        };
        self.full |= stored.is_err();
        stored.ok()
    }

    fn put(&mut self, name: &str, cell: Cell) {
        let slot = match self.schema.slot(name) {
            Some(slot) => slot,
            None if matches!(cell, Cell::Missing) => return,
            None => Arc::make_mut(self.schema).push(name, None),
        };
        self.put_slot(slot, cell);
    }

    fn put_slot(&mut self, slot: usize, cell: Cell) {
        if slot >= self.cells.width {
            self.cells.widen(self.schema.width(), self.rows);
        }
        self.cells.row_mut(self.row)[slot] = cell;
    }
}

impl Batch {
    /// Changes the records one by one, in order. A record for which `change` fails is put back as it was and
    /// moved out; its neighbours go on (G10).
    pub fn for_each(
        &mut self,
        mut change: impl FnMut(&mut Record<'_>) -> Result<(), RecordError>,
    ) -> Rejects {
        let rows = self.len();
        let cells = Arc::make_mut(&mut self.cells);
        let mut former: SmallVec<[Cell; 32]> = SmallVec::new();
        let mut failed = Vec::new();
        let mut errors = Vec::new();
        for row in 0..rows {
            former.clear();
            former.extend_from_slice(cells.row(row));
            let mut record = Record {
                schema: &mut self.schema,
                cells,
                pools: &mut self.pools,
                extras: &mut self.extras,
                row,
                rows,
                meta: self.metas.0[row],
                full: false,
                former: None,
            };
            let outcome = match change(&mut record) {
                Ok(()) if record.full => Err(RecordError::too_large()),
                outcome => outcome,
            };
            let former_extra = record.former.take();
            if let Err(error) = outcome {
                let (front, rest) = cells.row_mut(row).split_at_mut(former.len());
                front.copy_from_slice(&former);
                rest.fill(Cell::Missing);
                if let (Some(extra), Some(extras)) = (former_extra, &mut self.extras) {
                    Arc::make_mut(extras)[row] = extra;
                }
                failed.push(row);
                errors.push(error);
            }
        }
        self.move_out(&failed, errors)
    }
}
