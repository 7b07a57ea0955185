//! Finds the records that a target refuses when the target itself cannot say: halve until they stand alone.
//!
//! Only for sinks that hold no positions; every part that goes through is durable by itself.

use super::Delivery;
use crate::data::{Batch, RecordError};
use crate::error::{Error, Kind};
use crate::position::StreamKey;
use crate::sink::{Group, Outcome, Refused};
use crate::task::control::Wish;

/// Part of a batch.
struct Part {
    batch: usize,
    first: usize,
    len: usize,
}

impl Delivery {
    /// Delivers the batches part by part and answers what was refused; `None` when the task is to end first.
    pub(super) async fn isolate(
        &mut self,
        batches: &[Batch],
        ways: &[StreamKey],
    ) -> Result<Option<Vec<Refused>>, Error> {
        let mut refused = Vec::new();
        let whole = |(batch, records): (usize, &Batch)| Part { batch, first: 0, len: records.len() };
        let mut open: Vec<Part> = batches.iter().enumerate().map(whole).rev().collect();
        while let Some(part) = open.pop() {
            if part.len == 0 {
                continue;
            }
            let records = batches[part.batch].slice(part.first..part.first + part.len);
            let way = ways.get(part.batch).map(std::slice::from_ref).unwrap_or_default();
            match self.deliver_part(std::slice::from_ref(&records), way).await? {
                None => return Ok(None),
                Some(Ok(inner)) => refused.extend(inner.into_iter().map(|inner| Refused {
                    batch: part.batch,
                    record: part.first + inner.record,
                    error: inner.error,
                })),
                Some(Err(error)) if part.len == 1 => {
                    let error = RecordError::new("target.refused", error.cause().message);
                    refused.push(Refused { batch: part.batch, record: part.first, error });
                }
                Some(Err(_)) => {
                    let half = part.len / 2;
                    // The first half is taken next: order within the batch is kept.
                    open.push(Part { first: part.first + half, len: part.len - half, ..part });
                    open.push(Part { len: half, ..part });
                }
            }
        }
        Ok(Some(refused))
    }

    /// One part: what was refused in it, or that something in it is refused.
    pub(super) async fn deliver_part(
        &mut self,
        batches: &[Batch],
        ways: &[StreamKey],
    ) -> Result<Option<Result<Vec<Refused>, Error>>, Error> {
        let patience = self.target.patience.clone();
        let mut tries = patience.tries();
        loop {
            if !patience.control.may_write().await {
                return Ok(None);
            }
            let group = Group { batches, marks: &[] };
            self.target.sink.streams(ways);
            let outcome = tokio::select! {
                outcome = self.target.sink.deliver(group) => outcome,
                () = patience.control.reached(Wish::Abort) => return Ok(None),
            };
            match outcome {
                Ok(Outcome::Delivered(refused)) => return Ok(Some(Ok(refused))),
                Ok(Outcome::RolledBack(_)) => {
                    let what = "a target without positions rolled back";
                    return Err(Error::failed("target.bad_outcome", what));
                }
                Err(error) if error.kind == Kind::Data => return Ok(Some(Err(error))),
                Err(error) => {
                    if !patience.bear(&self.target.name, error, &mut tries).await? {
                        return Ok(None);
                    }
                }
            }
        }
    }
}
