//! Reading JSON text straight into a batch, every number exact.
//!
//! Accepts and refuses exactly what `serde_json` does (tests compare them), nesting to 127 levels. Texts without
//! escapes are not copied but stay where they were read. Where a name comes twice, the last value counts.
//!
//! Finding where one document ends and the next begins (lines, arrays of records) is the source's business; the
//! helper for it is [`scan_value`].

mod escape;
mod parser;
mod sink;

pub use parser::{JsonError, Scan, scan_value};

use super::builder::BatchBuilder;
use super::cell::{Cell, Full};
use super::meta::Meta;
use super::schema::Field;
use super::value::Value;
use parser::Parser;
use sink::{Cells, Values};

/// Why a row could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The text is no JSON, or no object.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The batch has no room: finish it and read the row into the next one.
    #[error(transparent)]
    Full(#[from] Full),
}

/// Reads JSON into the rows of a builder. Keeps its working memory from row to row, and remembers which field
/// comes after which, so that records that look alike need no look-up.
#[derive(Debug, Default)]
pub struct JsonReader {
    cells: Cells,
    /// Index in the schema of the n-th field of the last object.
    fields: Vec<usize>,
}

impl JsonReader {
    /// Reads one JSON object from a part of the builder's base as a row of its own: each name becomes a field.
    ///
    /// # Errors
    /// [`ReadError`]; the row is then not added. Places in errors are counted from the start of the base.
    ///
    /// # Panics
    /// If the part does not lie within the base.
    pub fn read_row(
        &mut self,
        builder: &mut BatchBuilder,
        offset: usize,
        len: usize,
        meta: Meta,
    ) -> Result<(), ReadError> {
        let base = builder.base().clone();
        builder.begin_row(meta);
        let outcome = self.object(builder, base.as_str(), offset, offset + len);
        if outcome.is_err() {
            builder.abort_row();
        }
        outcome
    }

    fn object(
        &mut self,
        builder: &mut BatchBuilder,
        base: &str,
        offset: usize,
        end: usize,
    ) -> Result<(), ReadError> {
        let mut parser = Parser::new(&base[..end], offset);
        parser.open_object()?;
        let mut nth = 0;
        loop {
            let likely = self.likely(builder, nth);
            let slot = match likely.filter(|field| parser.take_key(nth == 0, field.key())) {
                Some(field) => field.slot(),
                None => match parser.next_name(nth == 0)? {
                    Some(name) => self.slot(builder, nth, &name),
                    None => break,
                },
            };
            let cell = self.cells.read(&mut parser, &mut builder.pools_mut().overlay)?;
            builder.put(slot, cell);
            nth += 1;
        }
        parser.end()?;
        Ok(())
    }

    /// The field that came at this place last time.
    #[inline]
    fn likely<'b>(&self, builder: &'b BatchBuilder, nth: usize) -> Option<&'b Field> {
        self.fields.get(nth).and_then(|index| builder.schema().fields().get(*index))
    }

    #[inline]
    fn slot(&mut self, builder: &mut BatchBuilder, nth: usize, name: &str) -> usize {
        if let Some(field) = self.likely(builder, nth)
            && &**field.name() == name
        {
            return field.slot();
        }
        let slot = builder.field(name);
        let index = builder.schema().lookup(name).unwrap_or(usize::MAX);
        if nth < self.fields.len() {
            self.fields[nth] = index;
        } else {
            self.fields.push(index);
        }
        slot
    }

    /// Reads any one JSON document from a part of the builder's base into a field of the current row.
    ///
    /// # Errors
    /// [`ReadError`]; the field is then as before.
    ///
    /// # Panics
    /// If the part does not lie within the base, or no row was begun.
    pub fn read_field(
        &mut self,
        builder: &mut BatchBuilder,
        slot: usize,
        offset: usize,
        len: usize,
    ) -> Result<(), ReadError> {
        let base = builder.base().clone();
        let mut parser = Parser::new(&base.as_str()[..offset + len], offset);
        let cell: Cell = self.cells.read(&mut parser, &mut builder.pools_mut().overlay)?;
        parser.end()?;
        builder.put(slot, cell);
        Ok(())
    }
}

/// Reads one JSON document as an owned value.
///
/// # Errors
/// [`JsonError`] with its place in the text.
pub fn read_value(text: &str) -> Result<Value, JsonError> {
    let mut parser = Parser::new(text, 0);
    let value = Values.read(&mut parser)?;
    parser.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests;
