//! Tries a refused record again before it is set aside, where the channel's settings say so: the fault may pass, as when the row
//! that a foreign key names is still on its way.
//!
//! All that one delivery refuses is tried together, so a wait is one for each delivery and not one for each record.

use std::collections::HashMap;
use std::time::Duration;

use super::{Delivery, Refused};
use crate::data::{Batch, Meta};
use crate::error::Error;
use crate::position::StreamKey;
use crate::task::control::Wish;

/// First wait before another try; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Longest wait before another try.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How often the records of one delivery were refused.
pub(super) struct Refusals {
    most: u32,
    /// By batch and identity: the index within a batch changes when others are taken out.
    tries: HashMap<(usize, Meta), u32>,
    wait: Duration,
}

impl Refusals {
    /// Whether each record is tried once.
    pub(super) fn are_final(&self) -> bool {
        self.most <= 1
    }

    /// Counts these refusals and answers those whose tries are used up.
    pub(super) fn spent(&mut self, batches: &[Batch], refused: Vec<Refused>) -> Vec<Refused> {
        if self.most <= 1 {
            return refused;
        }
        let mut spent = Vec::new();
        for refusal in refused {
            let meta = batches.get(refusal.batch).and_then(|batch| batch.metas().get(refusal.record));
            // A record that is not there is a fault of the target, which is told of where it is settled.
            let Some(meta) = meta else {
                spent.push(refusal);
                continue;
            };
            let tries = self.tries.entry((refusal.batch, *meta)).or_default();
            *tries += 1;
            if *tries >= self.most {
                spent.push(refusal);
            }
        }
        spent
    }
}

impl Delivery {
    pub(super) fn refusals(&self) -> Refusals {
        Refusals { most: self.target.max_attempts, tries: HashMap::new(), wait: FIRST_WAIT }
    }

    /// `false` when the task is to end first. One that is to stop tries at once, so that it drains.
    pub(super) async fn wait_before_another_try(&mut self, refusals: &mut Refusals) -> bool {
        let patience = self.target.patience.clone();
        patience.progress.tried_again();
        tokio::select! {
            () = tokio::time::sleep(refusals.wait) => {}
            () = patience.control.reached(Wish::Stop) => {}
        }
        refusals.wait = (refusals.wait * 2).min(LONGEST_WAIT);
        patience.control.current() < Wish::Abort
    }

    /// Tries what a target refused while the rest of the group is durable; answers what it still refuses, or `None` when the
    /// task is to end first.
    pub(super) async fn try_again(
        &mut self,
        batches: &[Batch],
        ways: &[StreamKey],
        mut refused: Vec<Refused>,
        refusals: &mut Refusals,
    ) -> Result<Option<Vec<Refused>>, Error> {
        for _ in 1..refusals.most {
            if refused.is_empty() || refused.iter().any(|one| batches.get(one.batch).is_none()) {
                break;
            }
            if !self.wait_before_another_try(refusals).await {
                return Ok(None);
            }
            refused.sort_by_key(|one| (one.batch, one.record));
            let of_batch = refused.chunk_by(|one, other| one.batch == other.batch);
            let (parts, part_ways): (Vec<Batch>, Vec<StreamKey>) = of_batch
                .filter_map(|of_one| {
                    let rows: Vec<usize> = of_one.iter().map(|one| one.record).collect();
                    let batch = of_one.first()?.batch;
                    Some((batches.get(batch)?.select_rows(&rows), ways.get(batch)?.clone()))
                })
                .unzip();
            let again = match self.deliver_part(&parts, &part_ways).await? {
                None => return Ok(None),
                Some(Ok(again)) => again,
                Some(Err(_)) => match self.isolate(&parts, &part_ways).await? {
                    None => return Ok(None),
                    Some(again) => again,
                },
            };
            // From a place among the parts to the place in the group.
            let first = |part: usize| parts[..part].iter().map(Batch::len).sum::<usize>();
            let place = |one: Refused| {
                let was = refused.get(first(one.batch) + one.record)?;
                Some(Refused { batch: was.batch, record: was.record, error: one.error })
            };
            refused = again.into_iter().filter_map(place).collect();
        }
        Ok(Some(refused))
    }
}
