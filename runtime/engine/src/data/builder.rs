//! Building batches: what sources do.
//!
//! A builder serves one source for all its batches. It keeps the schema from batch to batch, so that transforms
//! see the same `Arc` again, and takes its buffers from those of finished batches.

use std::sync::Arc;

use super::base::Base;
use super::batch::Batch;
use super::cell::{Cell, Cells, Full, Lengths, Overlay, Pools};
use super::meta::{Extra, Meta, Metas};
use super::pool;
use super::schema::Schema;
use super::update::StrOut;
use super::value::{Ref, Value};

/// Fields that a source may find before it is asked whether its records have them.
const MANY: usize = 64;
/// Records that have less than one in so many fields are sparse.
const SPARSE: usize = 8;

/// Builds batches row by row. Fields that a row does not set are missing in it.
///
/// Order of calls: [`set_base`](BatchBuilder::set_base) if values lie in a buffer as read, then for each record
/// [`begin_row`](BatchBuilder::begin_row) and its values, then [`finish`](BatchBuilder::finish). A push that
/// answers [`Full`] leaves the row incomplete: drop it with [`abort_row`](BatchBuilder::abort_row), finish the
/// batch, and push the record again into the next one.
#[derive(Debug)]
pub struct BatchBuilder {
    schema: Arc<Schema>,
    cells: Vec<Cell>,
    width: usize,
    pools: Pools,
    metas: Vec<Meta>,
    extras: Option<Vec<Extra>>,
    /// Lengths of the pools before the current row.
    row_start: Lengths,
    /// Rows and pools of the batch before: the likely size of this one.
    expected: (usize, Lengths),
    /// The schema to fall back to when too many fields came that few records have.
    declared: Arc<Schema>,
    #[cfg(test)]
    limit: Option<u32>,
}

impl Default for BatchBuilder {
    fn default() -> Self {
        BatchBuilder::new(Arc::default())
    }
}

impl BatchBuilder {
    /// A builder that begins with the fields of a schema; more may be added.
    pub fn new(schema: Arc<Schema>) -> BatchBuilder {
        BatchBuilder {
            width: schema.width(),
            declared: Arc::clone(&schema),
            schema,
            cells: Vec::new(),
            pools: Pools::default(),
            metas: Vec::new(),
            extras: None,
            row_start: Lengths::default(),
            expected: Default::default(),
            #[cfg(test)]
            limit: None,
        }
    }

    /// The schema so far.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Puts another schema in force, for instance when a table was altered.
    ///
    /// # Panics
    /// Within a batch: finish it first.
    pub fn set_schema(&mut self, schema: Arc<Schema>) {
        assert!(self.is_empty(), "a schema cannot change within a batch");
        self.width = schema.width();
        self.declared = Arc::clone(&schema);
        self.schema = schema;
    }

    /// The buffer that [`push_str_base`](BatchBuilder::push_str_base) points into.
    ///
    /// # Panics
    /// Within a batch: cells would lose what they point to.
    pub fn set_base(&mut self, base: Base) {
        assert!(self.is_empty(), "the base cannot change within a batch");
        self.pools.base = base;
    }

    /// The buffer in force.
    pub fn base(&self) -> &Base {
        &self.pools.base
    }

    /// Number of rows begun.
    pub fn len(&self) -> usize {
        self.metas.len()
    }

    /// Whether no row was begun.
    pub fn is_empty(&self) -> bool {
        self.metas.is_empty()
    }

    /// About how many bytes the batch takes so far, its base among them.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.cells)
            + size_of_val(&*self.metas)
            + self.pools.base.len()
            + self.pools.overlay.size()
            + self.extras.as_ref().map_or(0, |extras| extras.len() * size_of::<Extra>())
    }

    /// The slot of a field, which becomes the last one if it is new; rows before then miss it.
    #[inline]
    pub fn field(&mut self, name: &str) -> usize {
        match self.schema.slot(name) {
            Some(slot) => slot,
            None => self.add_field(name),
        }
    }

    fn add_field(&mut self, name: &str) -> usize {
        let slot = Arc::make_mut(&mut self.schema).push(name, None);
        if slot >= self.width {
            let rows = self.metas.len();
            let old = std::mem::take(&mut self.cells);
            let mut cells = Cells { buffer: old, width: self.width };
            cells.widen(slot + 1, rows);
            self.width = cells.width;
            self.cells = std::mem::take(&mut cells.buffer);
        }
        slot
    }

    /// Begins the next row.
    #[inline]
    pub fn begin_row(&mut self, meta: Meta) {
        if self.metas.is_empty() {
            self.begin_batch();
        }
        self.row_start = self.pools.overlay.lengths();
        self.metas.push(meta);
        self.cells.resize(self.metas.len() * self.width, Cell::Missing);
        if let Some(extras) = &mut self.extras {
            extras.push(Extra::default());
        }
    }

    fn begin_batch(&mut self) {
        let (rows, lengths) = self.expected;
        self.pools.overlay = Overlay::expecting(lengths);
        self.cells = pool::take_cells(rows * self.width);
        self.metas = pool::take_metas(rows);
        #[cfg(test)]
        if let Some(limit) = self.limit {
            self.pools.overlay.set_limit(limit);
        }
    }

    /// Takes the current row back, whole.
    pub fn abort_row(&mut self) {
        self.metas.pop();
        self.cells.truncate(self.metas.len() * self.width);
        self.pools.overlay.truncate(self.row_start);
        if let Some(extras) = &mut self.extras {
            extras.truncate(self.metas.len());
        }
    }

    #[inline]
    pub(super) fn put(&mut self, slot: usize, cell: Cell) {
        let row = (self.metas.len() - 1) * self.width;
        self.cells[row..row + self.width][slot] = cell;
    }

    /// Whether the current row has something in a slot, null too.
    pub fn is_set(&self, slot: usize) -> bool {
        let row = self.metas.len().saturating_sub(1) * self.width;
        slot < self.width && self.cells.get(row + slot).is_some_and(|cell| !matches!(cell, Cell::Missing))
    }

    /// Sets a field of the current row to a text in the base, without copying it.
    ///
    /// # Panics
    /// If the range does not lie within the base, or cuts a character.
    #[inline]
    pub fn push_str_base(&mut self, slot: usize, offset: usize, len: usize) {
        let base = self.pools.base.as_str();
        assert!(
            base.is_char_boundary(offset) && base.is_char_boundary(offset + len),
            "bytes {offset}..{} of a base of {}",
            offset + len,
            base.len()
        );
        // A base is never longer than 32 bits can say.
        self.put(slot, Cell::Str(offset as u32, len as u32));
    }

    /// Sets a field of the current row to a text, which is copied.
    ///
    /// # Errors
    /// [`Full`] when the batch has no room for it.
    #[inline]
    pub fn push_str(&mut self, slot: usize, text: &str) -> Result<(), Full> {
        let (at, len) = self.pools.overlay.add_text(text)?;
        self.put(slot, Cell::Own(at, len));
        Ok(())
    }

    /// Sets a field of the current row to a text, written piece by piece; what `write` answers is handed on.
    ///
    /// # Errors
    /// [`Full`] when the batch has no room for it.
    pub fn push_written<T>(
        &mut self,
        slot: usize,
        write: impl FnOnce(&mut StrOut<'_>) -> T,
    ) -> Result<T, Full> {
        let ((at, len), answer) = self.pools.overlay.add_written(|text| write(&mut StrOut::new(text)))?;
        self.put(slot, Cell::Own(at, len));
        Ok(answer)
    }

    /// Sets a field of the current row to any value, which is copied.
    ///
    /// # Errors
    /// [`Full`] when the batch has no room for it.
    pub fn push<'v>(&mut self, slot: usize, value: impl Into<Ref<'v>>) -> Result<(), Full> {
        let cell = self.pools.overlay.add(value.into())?;
        self.put(slot, cell);
        Ok(())
    }

    /// Adds a whole row: the entries of a map become its fields.
    ///
    /// # Errors
    /// [`Full`] when the batch has no room for it; the row is then not added.
    pub fn push_row<'v>(
        &mut self,
        meta: Meta,
        fields: impl IntoIterator<Item = (&'v str, Ref<'v>)>,
    ) -> Result<(), Full> {
        self.begin_row(meta);
        for (name, value) in fields {
            let slot = self.field(name);
            if let Err(full) = self.push(slot, value) {
                self.abort_row();
                return Err(full);
            }
        }
        Ok(())
    }

    /// Sets the key of the current row; `Value::Null` is a null key, no call is no key (G3).
    pub fn set_key(&mut self, key: Value) {
        self.extra().key = Some(key);
    }

    /// Adds a header to the current row.
    pub fn add_header(&mut self, name: impl Into<Arc<str>>, value: Value) {
        self.extra().headers.push((name.into(), value));
    }

    /// Sets the time of the current row, in microseconds since 1970-01-01 UTC.
    pub fn set_time(&mut self, us: i64) {
        self.extra().time = Some(us);
    }

    /// Sets key, headers and time of the current row together.
    pub fn set_extra(&mut self, extra: Extra) {
        if self.extras.is_some() || !extra.is_empty() {
            *self.extra() = extra;
        }
    }

    fn extra(&mut self) -> &mut Extra {
        let rows = self.metas.len();
        let extras = self.extras.get_or_insert_with(|| vec![Extra::default(); rows]);
        // `begin_row` and the line above make one for every row.
        &mut extras[rows - 1]
    }

    /// The pools, for parsers that store nested values while they read the base.
    pub(super) fn pools_mut(&mut self) -> &mut Pools {
        &mut self.pools
    }

    /// The batch. The builder goes on empty, with the schema and without a base.
    pub fn finish(&mut self) -> Batch {
        self.expected = (self.metas.len(), self.pools.overlay.lengths());
        let batch = Batch {
            schema: Arc::clone(&self.schema),
            cells: Arc::new(Cells { buffer: std::mem::take(&mut self.cells), width: self.width }),
            pools: Arc::new(std::mem::take(&mut self.pools)),
            metas: Arc::new(Metas(std::mem::take(&mut self.metas))),
            extras: self.extras.take().map(Arc::new),
        };
        if self.is_sparse(&batch.cells.buffer) {
            self.schema = Arc::clone(&self.declared);
        }
        // Width that was only spare room is not carried on.
        self.width = self.schema.width();
        batch
    }

    /// Whether most cells are empty because records have few of very many fields: the next batch would better find
    /// its own fields than carry all that ever were, or a source of ever new names would grow without end (I5).
    fn is_sparse(&self, cells: &[Cell]) -> bool {
        let found = self.schema.width() - self.declared.width();
        found > MANY
            && cells.iter().filter(|cell| !matches!(cell, Cell::Missing)).count() < cells.len() / SPARSE
    }

    /// Lowers the limit of offsets, so that tests can reach it.
    #[cfg(test)]
    pub(super) fn set_limit(&mut self, limit: u32) {
        self.limit = Some(limit);
    }
}
