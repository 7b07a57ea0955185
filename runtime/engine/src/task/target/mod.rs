//! The loop of a target: gather what waits into a group, make it durable, see to what is refused, report.
//!
//! A group closes when nothing more waits or a limit is reached: alone a record is delivered at once, under load
//! deliveries grow by themselves. What a refusal means is in `refusal`; how a group without culprits named is halved
//! until they are known is in [`isolate`]; when it is tried again, in [`again`].

mod again;
mod gather;
mod isolate;
mod settle;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use smallvec::SmallVec;
use tokio::sync::mpsc;

use super::Limits;
use super::chain::Chain;
use super::commit::Report;
use super::control::Wish;
use super::patience::Patience;
use super::refusal::Refused as Known;
use super::ticket::Ticket;
use crate::data::Batch;
use crate::error::{Error, Kind};
use crate::position::{Position, StreamKey};
use crate::sink::{Group, Outcome, Refused, Sink};
use crate::store::StoredMark;

/// So many refusals without one success between them mean that the target refuses everything.
const REFUSALS_IN_A_ROW: usize = 100;

/// A target's part of one batch as read.
pub(crate) struct Parcel {
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) stream: StreamKey,
    pub(crate) position: Position,
    pub(crate) batches: SmallVec<[(Batch, bool); 1]>,
    pub(crate) done: Option<mpsc::UnboundedSender<()>>,
}

impl Parcel {
    fn records(&self) -> usize {
        self.batches.iter().map(|(batch, _)| batch.len()).sum()
    }

    fn bytes(&self) -> usize {
        self.batches.iter().map(|(batch, _)| batch.bytes()).sum()
    }
}

/// The way into a target's queue. The queue itself has no bound: the task's budget bounds what can be in it.
#[derive(Debug, Clone)]
pub(crate) struct Sender {
    parcels: mpsc::UnboundedSender<Parcel>,
    queued: Arc<AtomicUsize>,
}

/// The way out.
pub(crate) struct Inbox {
    parcels: mpsc::UnboundedReceiver<Parcel>,
    queued: Arc<AtomicUsize>,
}

pub(crate) fn queue() -> (Sender, Inbox) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let queued = Arc::new(AtomicUsize::new(0));
    (Sender { parcels: sender, queued: queued.clone() }, Inbox { parcels: receiver, queued })
}

impl Sender {
    /// Records waiting or being delivered.
    pub(crate) fn queued(&self) -> &Arc<AtomicUsize> {
        &self.queued
    }

    pub(crate) fn send(&self, parcel: Parcel) -> bool {
        self.queued.fetch_add(parcel.records(), Ordering::Relaxed);
        self.parcels.send(parcel).is_ok()
    }
}

/// Where a stream stands at this target.
#[derive(Debug, Clone)]
struct Standing {
    /// What an earlier start delivered; records up to here are skipped.
    resumed: u64,
    /// Everything up to here is done.
    reached: Position,
    /// The last position committed inside the target.
    in_target: Option<Position>,
}

pub(crate) struct Target {
    pub(crate) node: usize,
    pub(crate) name: Arc<str>,
    pub(crate) sink: Box<dyn Sink>,
    /// Whether the sink stores positions inside its target.
    pub(crate) holds_positions: bool,
    pub(crate) inbox: Inbox,
    /// The way from this sink's errors port.
    pub(crate) errors: Chain,
    pub(crate) to_commit: mpsc::UnboundedSender<Report>,
    /// This target's watermarks when the task started.
    pub(crate) resume: Vec<StoredMark>,
    pub(crate) refused: Arc<Known>,
    /// Number of this start.
    pub(crate) generation: u64,
    /// When sources started over; see `Remembered::epochs`.
    pub(crate) epochs: Arc<BTreeMap<String, u64>>,
    pub(crate) limits: Limits,
    /// Most tries for one refused record.
    pub(crate) max_attempts: u32,
    pub(crate) patience: Patience,
}

/// A target at work.
struct Delivery {
    target: Target,
    standings: HashMap<StreamKey, Standing>,
    refusals_in_a_row: usize,
    /// Most records of the next group. It shrinks while records are refused: what is refused makes its whole group anew, and
    /// counts move with groups.
    reach: usize,
    /// The rest of a group that was cut because something in it was refused; comes next.
    rest: Option<Pending>,
    /// Last number given to what the errors port handed on.
    number: u64,
}

/// A group under way: records by batch, each batch with the parcel it is of.
#[derive(Default)]
struct Pending {
    parcels: Vec<Parcel>,
    batches: Vec<Batch>,
    owners: Vec<Owner>,
    refused: Vec<u64>,
}

impl Pending {
    fn records(&self) -> usize {
        self.parcels.iter().map(Parcel::records).sum()
    }

    /// Cuts off all but the first quarter: what is refused makes its whole group anew, and nothing of it is counted before.
    fn cut(&mut self) -> Option<Self> {
        if self.parcels.len() < 2 {
            return None;
        }
        let kept = (self.parcels.len() / 4).max(1);
        let batches = self.owners.partition_point(|owner| owner.parcel < kept);
        let mut rest = Self {
            parcels: self.parcels.split_off(kept),
            batches: self.batches.split_off(batches),
            owners: self.owners.split_off(batches),
            refused: self.refused.split_off(kept),
        };
        rest.owners.iter_mut().for_each(|owner| owner.parcel -= kept);
        Some(rest)
    }
}

#[derive(Clone, Copy)]
struct Owner {
    parcel: usize,
    on_errors_path: bool,
}

impl Target {
    pub(crate) async fn run(self) -> Result<(), Error> {
        let name = self.name.clone();
        // Numbers of what the errors port hands on never come twice, whatever was forgotten meanwhile: a target that has
        // reached one would take the later record for the earlier.
        let number = self.generation << 32;
        let mut delivery = Delivery {
            target: self,
            standings: HashMap::new(),
            refusals_in_a_row: 0,
            reach: usize::MAX,
            rest: None,
            number,
        };
        let result = delivery.run().await;
        let closed = delivery.target.sink.close().await;
        result.and(closed).map_err(|error| error.at_node(&name))
    }
}

impl Delivery {
    async fn run(&mut self) -> Result<(), Error> {
        if !self.adopt_known().await? {
            return Ok(());
        }
        loop {
            let pending = match self.rest.take() {
                Some(rest) => rest,
                None => {
                    let first = tokio::select! {
                        parcel = self.target.inbox.parcels.recv() => parcel,
                        () = self.target.patience.control.reached(Wish::Abort) => None,
                    };
                    let Some(first) = first else { return Ok(()) };
                    let Some(pending) = self.gather(first).await? else { return Ok(()) };
                    pending
                }
            };
            let queued = pending.records();
            let went_on = self.deliver(pending).await?;
            let left = self.rest.as_ref().map_or(0, Pending::records);
            self.target.inbox.queued.fetch_sub(queued - left, Ordering::Relaxed);
            if !went_on {
                return Ok(());
            }
        }
    }

    /// Makes a group durable and reports it; `false` when the task is to end first.
    async fn deliver(&mut self, mut pending: Pending) -> Result<bool, Error> {
        let (mut streams, mut marks) = self.marks(&pending);
        let mut tries = None;
        let mut refusals = self.refusals();
        loop {
            let group = Group { batches: &pending.batches, marks: &marks };
            if group.is_empty() {
                break;
            }
            if !self.target.patience.control.may_write().await {
                return Ok(false);
            }
            let ways = self.ways(&pending);
            self.target.sink.streams(&ways);
            let outcome = tokio::select! {
                outcome = self.target.sink.deliver(group) => outcome,
                () = self.target.patience.control.reached(Wish::Abort) => return Ok(false),
            };
            let outcome = match outcome {
                Err(error) if error.kind == Kind::Data && !self.target.holds_positions => {
                    match self.isolate(&pending.batches, &ways).await? {
                        Some(refused) => Ok(Outcome::Delivered(refused)),
                        None => return Ok(false),
                    }
                }
                other => other,
            };
            match outcome {
                Ok(Outcome::Delivered(refused)) => {
                    self.committed_in_target(&streams, &marks);
                    let Some(refused) =
                        self.try_again(&pending.batches, &ways, refused, &mut refusals).await?
                    else {
                        return Ok(false);
                    };
                    if !self.settle(refused, &mut pending).await? {
                        return Ok(false);
                    }
                    break;
                }
                Ok(Outcome::RolledBack(refused)) => {
                    if refused.is_empty() {
                        let what = "the target rolled back and named no record";
                        return Err(Error::failed("target.no_culprit", what));
                    }
                    let spent = refusals.spent(&pending.batches, refused);
                    if spent.is_empty() {
                        if !self.wait_before_another_try(&mut refusals).await {
                            return Ok(false);
                        }
                    } else if !self.settle(spent, &mut pending).await? {
                        return Ok(false);
                    } else if refusals.are_final()
                        && self.rest.is_none()
                        && let Some(rest) = pending.cut()
                    {
                        self.rest = Some(rest);
                        (streams, marks) = self.marks(&pending);
                    }
                }
                Err(error) => {
                    let patience = self.target.patience.clone();
                    let tries = tries.get_or_insert_with(|| patience.tries());
                    if !patience.bear(&self.target.name, error, tries).await? {
                        return Ok(false);
                    }
                }
            }
        }
        if tries.is_some() {
            self.target.patience.progress.recovered(&self.target.name);
        }
        self.report(pending);
        Ok(true)
    }

    fn report(&mut self, pending: Pending) {
        let Pending { parcels, batches, owners, refused } = pending;
        let mut out = vec![0u64; parcels.len()];
        for (batch, owner) in batches.iter().zip(&owners) {
            parcels[owner.parcel].ticket.delivered(batch);
            out[owner.parcel] += batch.len() as u64;
        }
        let (delivered, refusals): (u64, u64) = (out.iter().sum(), refused.iter().sum());
        if delivered > 0 {
            self.refusals_in_a_row = 0;
        }
        self.reach = match refusals {
            0 => self.reach.saturating_mul(2),
            _ => usize::try_from((delivered + refusals) / 4).unwrap_or(usize::MAX).max(1),
        };
        for ((parcel, out), refused) in parcels.into_iter().zip(out).zip(refused) {
            let node = self.target.node;
            parcel.ticket.pass(|counts| {
                counts.nodes[node].entered += out + refused;
                counts.nodes[node].out += out;
                counts.nodes[node].errors += refused;
            });
            let Some(standing) = self.standings.get_mut(&parcel.stream) else { continue };
            if parcel.position.order > standing.reached.order {
                standing.reached = parcel.position;
            }
            // The commit loop is gone only when it has failed; that fault ends the task.
            let report = Report::Done {
                target: node,
                ticket: parcel.ticket,
                stream: parcel.stream,
                position: standing.reached.clone(),
                in_target: standing.in_target.clone(),
            };
            if self.target.to_commit.send(report).is_err() {
                self.target.patience.control.fail_run();
            }
            if let Some(done) = parcel.done {
                // Whoever waits has gone only because the task ends.
                done.send(()).ok();
            }
        }
    }
}
