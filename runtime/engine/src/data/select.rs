//! Choosing among the records of a batch: filters, slices, and letting go of memory that no record needs.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use super::batch::Batch;
use super::builder::BatchBuilder;
use super::cell::{Cell, Cells};
use super::edit::Rejects;
use super::error::RecordError;
use super::meta::Metas;
use super::pool;
use super::record::RecordRef;

/// A batch is worth compacting when it keeps alive this many times the bytes it uses, and more than [`WORTH`].
const GARBAGE: usize = 4;
/// Batches that keep less than this many bytes alive are left alone.
const WORTH: usize = 64 << 10;

impl Batch {
    /// Keeps the records for which `keep` answers true, in order.
    pub fn retain(&mut self, mut keep: impl FnMut(&RecordRef<'_>) -> bool) {
        let kept: Vec<bool> = self.records().map(|record| keep(&record)).collect();
        self.keep(&kept);
    }

    /// Keeps the records for which `keep` answers true; those for which it fails are moved out (G10).
    pub fn try_retain(
        &mut self,
        mut keep: impl FnMut(&RecordRef<'_>) -> Result<bool, RecordError>,
    ) -> Rejects {
        let mut failed = Vec::new();
        let mut errors = Vec::new();
        let mut kept = vec![false; self.len()];
        for record in self.records() {
            match keep(&record) {
                Ok(answer) => kept[record.index()] = answer,
                Err(error) => {
                    failed.push(record.index());
                    errors.push(error);
                }
            }
        }
        let rejects = self.rejected(&failed, errors);
        self.keep(&kept);
        rejects
    }

    /// Splits the batch in two: the records for which `test` answers true stay, the others are returned.
    pub fn partition(&mut self, mut test: impl FnMut(&RecordRef<'_>) -> bool) -> Batch {
        let kept: Vec<bool> = self.records().map(|record| test(&record)).collect();
        let others: Vec<usize> = (0..kept.len()).filter(|row| !kept[*row]).collect();
        let others = self.select_rows(&others);
        self.keep(&kept);
        others
    }

    /// Drops the records whose order is at most `min`: what was delivered before a restart.
    pub fn filter_order(&mut self, min: u64) {
        if self.metas().iter().any(|meta| meta.order <= min) {
            self.retain(|record| record.meta().order > min);
        }
    }

    /// The records at these indexes, in this order; an index may come more than once.
    ///
    /// # Panics
    /// If there is no such record.
    pub fn select_rows(&self, rows: &[usize]) -> Batch {
        let mut cells = Cells::with_capacity(self.cells.width, rows.len());
        let mut metas = Metas(pool::take_metas(rows.len()));
        for &row in rows {
            cells.buffer.extend_from_slice(self.cells.row(row));
            metas.0.push(self.metas.0[row]);
        }
        let extras = self
            .extras
            .as_ref()
            .map(|extras| Arc::new(rows.iter().map(|row| extras[*row].clone()).collect()));
        self.of_rows(cells, metas, extras)
    }

    /// The records in a range of indexes.
    ///
    /// # Panics
    /// If the range does not lie within the batch.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Batch {
        let start = match range.start_bound() {
            Bound::Included(at) => *at,
            Bound::Excluded(at) => at + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(at) => at + 1,
            Bound::Excluded(at) => *at,
            Bound::Unbounded => self.len(),
        };
        assert!(start <= end && end <= self.len(), "records {start}..{end} of a batch of {}", self.len());
        if start == 0 && end == self.len() {
            return self.clone();
        }
        let width = self.cells.width;
        let mut cells = Cells::with_capacity(width, end - start);
        cells.buffer.extend_from_slice(&self.cells.buffer[start * width..end * width]);
        let mut metas = Metas(pool::take_metas(end - start));
        metas.0.extend_from_slice(&self.metas.0[start..end]);
        let extras = self.extras.as_ref().map(|extras| Arc::new(extras[start..end].to_vec()));
        self.of_rows(cells, metas, extras)
    }

    /// Cuts the batch: records from `at` on are returned, those before stay.
    ///
    /// # Panics
    /// If `at` is beyond the end.
    pub fn split_off(&mut self, at: usize) -> Batch {
        let rest = self.slice(at..);
        let head = self.slice(..at);
        *self = head;
        rest
    }

    /// Copies the records into buffers of their own when the batch keeps alive much more memory than it uses,
    /// for instance the whole input for the one record that a filter left. Cheap to call when it does not.
    pub fn compact(&mut self) {
        let alive = self.pools.base.len() + self.pools.overlay.size() + size_of_val(&*self.cells.buffer);
        if alive < WORTH || alive / GARBAGE < self.used() {
            return;
        }
        let mut builder = BatchBuilder::new(Arc::clone(&self.schema));
        for record in self.records() {
            builder.begin_row(record.meta());
            for field in self.schema.fields() {
                if builder.push(field.slot(), record.get_slot(field.slot())).is_err() {
                    return;
                }
            }
            if let Some(extra) = record.extra() {
                builder.set_extra(extra.clone());
            }
        }
        *self = builder.finish();
    }

    /// About how many bytes the records themselves need.
    fn used(&self) -> usize {
        let mut used = self.len() * self.schema.len() * size_of::<Cell>();
        for row in 0..self.len() {
            for field in self.schema.fields() {
                used += self.used_by(self.cells.get(row, field.slot()));
            }
        }
        used
    }

    fn used_by(&self, cell: Cell) -> usize {
        match cell {
            Cell::Str(_, len)
            | Cell::Own(_, len)
            | Cell::Big(_, len)
            | Cell::Bytes(_, len)
            | Cell::Raw(_, len) => len as usize,
            Cell::Uuid(_) => 16,
            Cell::List(at, len) | Cell::Map(at, len) => {
                let nodes = &self.pools.nodes(at, len)[1..];
                size_of_val(nodes) + nodes.iter().map(|node| self.used_by(*node)).sum::<usize>()
            }
            _ => 0,
        }
    }

    /// The rows at these indexes as rejects; they stay here too.
    pub(super) fn rejected(&self, rows: &[usize], errors: Vec<RecordError>) -> Rejects {
        debug_assert_eq!(rows.len(), errors.len());
        if rows.is_empty() { Rejects::default() } else { Rejects { batch: self.select_rows(rows), errors } }
    }

    /// Moves the rows at these ascending indexes out as rejects (I1).
    pub(super) fn move_out(&mut self, rows: &[usize], errors: Vec<RecordError>) -> Rejects {
        let rejects = self.rejected(rows, errors);
        if !rows.is_empty() {
            let mut kept = vec![true; self.len()];
            for &row in rows {
                kept[row] = false;
            }
            self.keep(&kept);
        }
        rejects
    }

    /// Keeps the rows marked true. Cells, metas and extras are compacted together.
    fn keep(&mut self, kept: &[bool]) {
        let count = kept.iter().filter(|keep| **keep).count();
        if count == self.len() {
            return;
        }
        let width = self.cells.width;
        let both = (Arc::get_mut(&mut self.cells), Arc::get_mut(&mut self.metas));
        let (Some(cells), Some(metas)) = both else {
            // Shared: copy only what is kept.
            let rows: Vec<usize> = (0..kept.len()).filter(|row| kept[*row]).collect();
            *self = self.select_rows(&rows);
            return;
        };
        let mut to = 0;
        for (row, _) in kept.iter().enumerate().filter(|(_, keep)| **keep) {
            if row != to {
                cells.buffer.copy_within(row * width..(row + 1) * width, to * width);
                metas.0[to] = metas.0[row];
            }
            to += 1;
        }
        cells.buffer.truncate(to * width);
        metas.0.truncate(to);
        if let Some(extras) = &mut self.extras {
            let mut marks = kept.iter();
            Arc::make_mut(extras).retain(|_| marks.next().copied().unwrap_or(false));
        }
    }

    fn of_rows(&self, cells: Cells, metas: Metas, extras: Option<Arc<Vec<super::meta::Extra>>>) -> Batch {
        Batch {
            schema: Arc::clone(&self.schema),
            cells: Arc::new(cells),
            pools: Arc::clone(&self.pools),
            metas: Arc::new(metas),
            extras,
        }
    }
}
