//! A group cut into statements: runs of records that name the same columns, in order, each at most a statement long.

use std::sync::Arc;

use fairway_engine::data::{Batch, RecordRef};

use super::layout::{Columns, Layout};
use super::statement::rows_at_once;

/// Where a record is: index of its batch in the group, and of the record in the batch.
pub(super) type At = (usize, usize);

/// Records in a row that one statement writes.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) layout: Arc<Layout>,
    pub(super) columns: Arc<Columns>,
    pub(super) first: At,
    pub(super) rows: usize,
}

impl Piece {
    /// The records, each with its place.
    pub(super) fn records<'g>(
        &self,
        batches: &'g [Batch],
    ) -> impl Iterator<Item = (At, RecordRef<'g>)> + use<'g> {
        records_from(batches, self.first).take(self.rows)
    }

    /// Both halves; of a single record there is no second.
    pub(super) fn halves(self, batches: &[Batch]) -> (Self, Option<Self>) {
        let half = self.rows / 2;
        match records_from(batches, self.first).nth(half) {
            Some((middle, _)) if half > 0 => {
                let second = Self { first: middle, rows: self.rows - half, ..self.clone() };
                (Self { rows: half, ..self }, Some(second))
            }
            _ => (self, None),
        }
    }
}

fn records_from(batches: &[Batch], first: At) -> impl Iterator<Item = (At, RecordRef<'_>)> {
    batches.iter().enumerate().skip(first.0).flat_map(move |(index, batch)| {
        let from = if index == first.0 { first.1 } else { 0 };
        (from..batch.len()).map(move |row| ((index, row), batch.record(row)))
    })
}

/// Cuts a group into pieces; `layout` answers where the fields of a batch go.
pub(super) fn cut(batches: &[Batch], mut layout: impl FnMut(&Batch) -> Arc<Layout>) -> Vec<Piece> {
    let mut runs: Vec<Piece> = Vec::new();
    for (index, batch) in batches.iter().enumerate().filter(|(_, batch)| !batch.is_empty()) {
        let layout = layout(batch);
        let step = if layout.is_uniform() { batch.len() } else { 1 };
        for row in (0..batch.len()).step_by(step) {
            match runs.last_mut().filter(|run| Arc::ptr_eq(&run.layout, &layout)) {
                Some(run) if layout.is_uniform() || *run.columns == layout.columns(batch.record(row)) => {
                    run.rows += step;
                }
                _ => {
                    let columns = Arc::new(layout.columns(batch.record(row)));
                    runs.push(Piece {
                        layout: Arc::clone(&layout),
                        columns,
                        first: (index, row),
                        rows: step,
                    });
                }
            }
        }
    }
    runs.into_iter().flat_map(|run| split(batches, run)).collect()
}

/// Cuts a run into pieces that one statement can write.
fn split(batches: &[Batch], run: Piece) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut first, mut left) = (run.first, run.rows);
    while left > 0 {
        let rows = rows_at_once(run.columns.len(), left);
        pieces.push(Piece { first, rows, ..run.clone() });
        left -= rows;
        first = advance(batches, first, rows);
    }
    pieces
}

/// The place so many records further on, or the end.
fn advance(batches: &[Batch], (mut batch, mut row): At, rows: usize) -> At {
    row += rows;
    while let Some(len) = batches.get(batch).map(Batch::len).filter(|len| row >= *len) {
        (batch, row) = (batch + 1, row - len);
    }
    (batch, row)
}
