//! Changing one field of every record: the fast way, with the field looked up once a batch.
//!
//! What is written goes to a continuation of the batch's overlay, so that old values can be read meanwhile, and
//! nothing is copied out of a shared batch until something changes.

use std::fmt;
use std::sync::Arc;

use super::batch::Batch;
use super::cell::{Cell, Full, Overlay, Pools};
use super::convert::SetValue;
use super::edit::Rejects;
use super::error::RecordError;
use super::value::Ref;

/// What became of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Update {
    /// It stays as it is.
    Keep,
    /// It has the value that was put out.
    Set,
}

/// Where [`Batch::update_field`] takes the new value of a field: each method answers [`Update::Set`], so that
/// `Ok(out.i64(5))` is a whole update.
pub struct CellOut {
    cell: Cell,
    added: Overlay,
    full: bool,
}

impl CellOut {
    fn new(pools: &Pools) -> CellOut {
        CellOut { cell: Cell::Missing, added: pools.overlay.continuation(), full: false }
    }

    fn put(&mut self, cell: Result<Cell, Full>) -> Update {
        match cell {
            Ok(cell) => self.cell = cell,
            Err(Full) => self.full = true,
        }
        Update::Set
    }

    /// Any value.
    pub fn set<'v>(&mut self, value: impl Into<SetValue<'v>>) -> Update {
        let stored = self.added.add(value.into().as_ref());
        self.put(stored)
    }

    /// Null.
    pub fn null(&mut self) -> Update {
        self.put(Ok(Cell::Null))
    }

    /// No field at all.
    pub fn missing(&mut self) -> Update {
        self.put(Ok(Cell::Missing))
    }

    /// True or false.
    pub fn bool(&mut self, value: bool) -> Update {
        self.put(Ok(Cell::Bool(value)))
    }

    /// A whole number.
    #[inline]
    pub fn i64(&mut self, value: i64) -> Update {
        self.put(Ok(Cell::I64(value)))
    }

    /// A float.
    pub fn f64(&mut self, value: f64) -> Update {
        self.put(Ok(Cell::F64(value)))
    }

    /// A text.
    #[inline]
    pub fn str(&mut self, text: &str) -> Update {
        let stored = self.added.add_text(text).map(|(at, len)| Cell::Own(at, len));
        self.put(stored)
    }

    /// A text, written piece by piece.
    pub fn write_str(&mut self, write: impl FnOnce(&mut StrOut<'_>)) -> Update {
        let stored = self.added.add_written(|text| write(&mut StrOut(text)));
        self.put(stored.map(|((at, len), ())| Cell::Own(at, len)))
    }
}

/// Where a new text is written to.
pub struct StrOut<'o>(&'o mut String);

impl<'o> StrOut<'o> {
    pub(super) fn new(text: &'o mut String) -> Self {
        StrOut(text)
    }

    /// Appends a text.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// Appends a character.
    #[inline]
    pub fn push(&mut self, character: char) {
        self.0.push(character);
    }
}

impl Extend<char> for StrOut<'_> {
    fn extend<I: IntoIterator<Item = char>>(&mut self, characters: I) {
        self.0.extend(characters);
    }
}

impl fmt::Write for StrOut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(text);
        Ok(())
    }
}

impl Batch {
    /// Writes the text of a field anew in every record that has text there; other values stay. Refused are only
    /// records for whose text the batch has no room (over 4 GiB).
    pub fn map_str(&mut self, field: &str, mut map: impl FnMut(&str, &mut StrOut<'_>)) -> Rejects {
        if self.schema.lookup(field).is_none() {
            return Rejects::default();
        }
        self.update_field(field, |value, out| {
            Ok(match value {
                Ref::Str(text) => out.write_str(|written| map(text, written)),
                _ => Update::Keep,
            })
        })
    }

    /// Gives a field of every record a new value, or keeps it. Called with `Missing` where a record does not
    /// have the field; one that the schema does not have becomes its last, if it is ever set. Records for which
    /// `update` fails keep what they had and are moved out (G10).
    pub fn update_field(
        &mut self,
        field: &str,
        update: impl FnMut(Ref<'_>, &mut CellOut) -> Result<Update, RecordError>,
    ) -> Rejects {
        match self.schema.slot(field) {
            Some(slot) => self.update_slot(slot, update),
            None => {
                let mut wider = (*self.schema).clone();
                let slot = wider.push(field, None);
                let former = std::mem::replace(&mut self.schema, Arc::new(wider));
                let (rejects, set) = self.update_cells(slot, update);
                if !set {
                    self.schema = former;
                }
                rejects
            }
        }
    }

    /// [`update_field`](Batch::update_field) by a slot that the batch's schema gave.
    ///
    /// # Panics
    /// If the schema has no such slot.
    pub fn update_slot(
        &mut self,
        slot: usize,
        update: impl FnMut(Ref<'_>, &mut CellOut) -> Result<Update, RecordError>,
    ) -> Rejects {
        assert!(slot < self.schema.width(), "slot {slot} of a schema with {}", self.schema.width());
        self.update_cells(slot, update).0
    }

    /// Updates a slot; also answers whether any record was given a value.
    fn update_cells(
        &mut self,
        slot: usize,
        mut update: impl FnMut(Ref<'_>, &mut CellOut) -> Result<Update, RecordError>,
    ) -> (Rejects, bool) {
        let rows = self.len();
        let mut out = CellOut::new(&self.pools);
        let mut failed = Vec::new();
        let mut errors = Vec::new();
        // The row up to which nothing was set yet: until then the cells may stay shared.
        let mut row = 0;
        let mut outcome = |row: usize, cell: Cell, out: &mut CellOut, pools: &Pools| {
            let before = out.added.lengths();
            let outcome = match update(pools.view(cell), out) {
                Ok(Update::Set) if std::mem::take(&mut out.full) => Err(RecordError::too_large()),
                outcome => outcome,
            };
            match outcome {
                Ok(Update::Set) => true,
                Ok(Update::Keep) => false,
                Err(error) => {
                    out.added.truncate(before);
                    failed.push(row);
                    errors.push(error);
                    false
                }
            }
        };
        while row < rows {
            if outcome(row, self.cells.get(row, slot), &mut out, &self.pools) {
                break;
            }
            row += 1;
        }
        let set = row < rows;
        if set {
            let width = self.schema.width();
            let cells = Arc::make_mut(&mut self.cells);
            if slot >= cells.width {
                cells.widen(width, rows);
            }
            cells.row_mut(row)[slot] = out.cell;
            for row in row + 1..rows {
                let at = row * cells.width + slot;
                if outcome(row, cells.buffer[at], &mut out, &self.pools) {
                    cells.buffer[at] = out.cell;
                }
            }
        }
        if !out.added.is_empty() {
            Arc::make_mut(&mut self.pools).overlay.append(out.added);
        }
        (self.move_out(&failed, errors), set)
    }
}
