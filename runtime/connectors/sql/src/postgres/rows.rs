//! A group cut into runs of records that name the same columns, in order: each is one COPY.

use std::sync::Arc;

use fairway_engine::data::{Batch, RecordRef};

use super::layout::{Columns, Layout};

/// Where a record is: index of its batch in the group, and of the record in the batch.
pub(super) type At = (usize, usize);

/// Records in a row that one COPY writes.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) layout: Arc<Layout>,
    pub(super) columns: Arc<Columns>,
    first: At,
    rows: usize,
}

impl Run {
    /// The records, each with its place.
    pub(super) fn records<'g>(
        &self,
        batches: &'g [Batch],
    ) -> impl Iterator<Item = (At, RecordRef<'g>)> + use<'g> {
        let first = self.first;
        let rest = batches.iter().enumerate().skip(first.0).flat_map(move |(index, batch)| {
            let from = if index == first.0 { first.1 } else { 0 };
            (from..batch.len()).map(move |row| ((index, row), batch.record(row)))
        });
        rest.take(self.rows)
    }
}

/// Cuts a group into runs; `layout` answers where the fields of a batch go.
pub(super) fn cut(batches: &[Batch], mut layout: impl FnMut(&Batch) -> Arc<Layout>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
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
                    runs.push(Run { layout: Arc::clone(&layout), columns, first: (index, row), rows: step });
                }
            }
        }
    }
    runs
}
