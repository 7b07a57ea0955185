//! The contract of a transform.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::data::{Batch, Rejects};
use crate::error::Error;

/// What the engine hands to a transform that opens.
#[derive(Debug, Clone)]
pub struct TransformCtx {
    /// Uid of the channel; salts what must differ between channels.
    pub uid: Arc<str>,
    /// Id of the node.
    pub node: Arc<str>,
}

/// Where a transform puts its results.
#[derive(Debug, Default)]
pub struct Output {
    pub(crate) batches: SmallVec<[(usize, Batch); 2]>,
    pub(crate) rejects: SmallVec<[Rejects; 1]>,
    pub(crate) dropped: Option<u64>,
}

impl Output {
    /// Hands records on by the first output.
    pub fn emit(&mut self, batch: Batch) {
        self.emit_to(0, batch);
    }

    /// Hands records on by the output with this index among the node's outputs: those that settings name come first.
    pub fn emit_to(&mut self, port: usize, batch: Batch) {
        if !batch.is_empty() {
            self.batches.push((port, batch));
        }
    }

    /// Refuses records: they leave by the errors port as they came in.
    pub fn reject(&mut self, rejects: Rejects) {
        if !rejects.batch.is_empty() {
            self.rejects.push(rejects);
        }
    }

    /// Says how many records were dropped by a rule the user drew. Only a transform that makes several records of one
    /// must say so, be it none; of others it is what is missing.
    pub fn dropped(&mut self, records: usize) {
        *self.dropped.get_or_insert(0) += records as u64;
    }

    /// How many records were said to be dropped.
    pub fn said_dropped(&self) -> Option<u64> {
        self.dropped
    }

    /// What was emitted, by port, for tests and previews.
    pub fn into_parts(self) -> (Vec<(usize, Batch)>, Vec<Rejects>) {
        (self.batches.into_vec(), self.rejects.into_vec())
    }
}

/// Changes, routes or drops records.
///
/// * Called for one batch at a time, in the order of the stream. Records of a batch are independent: the result must
///   not depend on how records are cut into batches (G9).
/// * Every record of the input is emitted, rejected, or dropped by a rule the user drew (I1); what is in neither
///   output counts as filtered.
/// * Pure computation: no I/O, no waiting. Preview runs this very code (I9).
/// * A record that cannot be handled is rejected by itself (G10). An [`Error`] fails the whole task.
pub trait Transform: Send {
    /// Handles a batch.
    ///
    /// # Errors
    /// Only for faults that no record caused.
    fn apply(&mut self, batch: Batch, out: &mut Output) -> Result<(), Error>;
}
