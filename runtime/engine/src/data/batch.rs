//! The batch: records that move together.
//!
//! Here is what a batch is and how it is read. Choosing rows is in `select`, changing records in `edit` and
//! `update`, making several of one in `split`, building a batch in `builder`.

use std::sync::Arc;

use super::cell::{Cells, Pools};
use super::error::RecordError;
use super::meta::{Extra, Meta, Metas};
use super::record::RecordRef;
use super::schema::{Derived, Schema};
use super::value::Value;

/// Records with one schema. Cloning shares everything; what is changed afterwards is copied first, so that a
/// clone never sees the changes of another.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(super) schema: Arc<Schema>,
    pub(super) cells: Arc<Cells>,
    pub(super) pools: Arc<Pools>,
    /// As many as there are rows.
    pub(super) metas: Arc<Metas>,
    /// As many as there are rows, if any record has one.
    pub(super) extras: Option<Arc<Vec<Extra>>>,
}

impl Batch {
    /// Number of records.
    #[inline]
    pub fn len(&self) -> usize {
        self.metas.0.len()
    }

    /// Whether there are no records.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.metas.0.is_empty()
    }

    /// The fields that records of this batch can have.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The record at an index from 0.
    ///
    /// # Panics
    /// If there is no such record.
    #[inline]
    pub fn record(&self, index: usize) -> RecordRef<'_> {
        assert!(index < self.len(), "record {index} of a batch of {}", self.len());
        RecordRef { batch: self, row: index }
    }

    /// The records in order.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RecordRef<'_>> + DoubleEndedIterator {
        (0..self.len()).map(|row| RecordRef { batch: self, row })
    }

    /// Where the records came from, in order.
    pub fn metas(&self) -> &[Meta] {
        &self.metas.0
    }

    /// About how many bytes of memory this batch keeps alive, its whole input among them: the measure of queues
    /// that are bounded in bytes (I5). Shared parts count in every batch that shares them.
    pub fn bytes(&self) -> usize {
        let extras = self.extras.as_ref().map_or(0, |extras| extras.iter().map(Extra::bytes).sum());
        size_of_val(&*self.cells.buffer)
            + size_of_val(&*self.metas.0)
            + self.pools.base.len()
            + self.pools.overlay.size()
            + extras
    }

    /// Where the values lie: batches that share them say the same while one of them lives.
    pub(crate) fn values(&self) -> usize {
        Arc::as_ptr(&self.cells).addr()
    }

    /// Puts the batch under a schema derived from its own: renamed, dropped or ordered fields, declared types.
    /// No record is touched. `derive` is called only when the schema differs from the last call's.
    pub fn with_schema(&mut self, cache: &mut Derived, derive: impl FnOnce(&Schema) -> Schema) {
        let derived = cache.get(&self.schema, |schema| Ok::<_, std::convert::Infallible>(derive(schema)));
        match derived {
            Ok(schema) => self.schema = schema,
            Err(never) => match never {},
        }
    }

    /// Like [`with_schema`](Batch::with_schema), for a derivation that can fail.
    ///
    /// # Errors
    /// Those of `derive`; the batch is then unchanged.
    pub fn try_with_schema(
        &mut self,
        cache: &mut Derived,
        derive: impl FnOnce(&Schema) -> Result<Schema, RecordError>,
    ) -> Result<(), RecordError> {
        self.schema = cache.get(&self.schema, derive)?;
        Ok(())
    }

    /// Adds a header to every record.
    pub fn with_header(&mut self, name: &str, value: impl Into<Value>) {
        let (name, value) = (Arc::<str>::from(name), value.into());
        for extra in self.extras_mut() {
            extra.headers.push((Arc::clone(&name), value.clone()));
        }
    }

    /// Adds headers to single records: what `headers` answers for each is appended.
    pub fn with_headers(&mut self, mut headers: impl FnMut(usize) -> Vec<(Arc<str>, Value)>) {
        for (row, extra) in self.extras_mut().iter_mut().enumerate() {
            extra.headers.extend(headers(row));
        }
    }

    /// Sets the key of every record to what `key` answers for it.
    pub fn with_keys(&mut self, mut key: impl FnMut(&RecordRef<'_>) -> Option<Value>) {
        let keys: Vec<Option<Value>> = self.records().map(|record| key(&record)).collect();
        for (extra, key) in self.extras_mut().iter_mut().zip(keys) {
            extra.key = key;
        }
    }

    /// Numbers the records anew: by rising order from `first`, by row from 0, none a child of another.
    pub(crate) fn renumber(&mut self, first: u64) {
        for (row, meta) in Arc::make_mut(&mut self.metas).0.iter_mut().enumerate() {
            *meta = Meta::new(first + row as u64, u32::try_from(row).unwrap_or(u32::MAX));
        }
    }

    /// The extras of all records, made if there were none.
    pub(super) fn extras_mut(&mut self) -> &mut Vec<Extra> {
        let len = self.len();
        Arc::make_mut(self.extras.get_or_insert_with(|| Arc::new(vec![Extra::default(); len])))
    }
}
