//! The direct task: sources, transform chains and targets of one drawing in one process, acknowledged end to end.
//!
//! ```text
//! source loops ──► chain loop ──► one target loop a sink ──► commit loop
//!      ▲            (all transforms)   (groups, retry)          │ watermarks and counts, durable
//!      └───────────────────── acknowledgements ─────────────────┘
//! ```
//!
//! Every batch read carries a [`ticket::Ticket`]; it completes when every target it concerns is done with it. Tickets
//! complete a source partition in order, so the source's watermark is contiguous (I2, I3). A budget in bytes and
//! records, held by tickets, bounds memory whatever stands still (I5).
//!
//! Here is the specification of a task and how its loops are put together. What restarts a failed task is
//! [`supervise`]; what is shown of it is [`progress`].

mod chain;
mod commit;
mod control;
pub(crate) mod graph;
mod opening;
mod patience;
mod progress;
mod reader;
pub(crate) mod refusal;
mod replayer;
mod supervise;
pub mod tap;
mod target;
#[cfg(test)]
mod tests;
mod ticket;

pub use control::Control;
pub use progress::{Progress, Snapshot, TaskState};
pub use supervise::{Budget, Final, Transition, supervise};

use std::sync::Arc;
use std::time::Duration;

use fairway_shared::channel::{ErrorPolicy, Guarantee, PortRef};
use fairway_shared::plan::Share;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::component::Component;
use crate::error::Error;
use crate::files::Files;
use crate::hooks::Hooks;
use crate::joint::Joint;
use crate::position::StreamKey;
use crate::store::Store;

/// A task to run.
#[derive(Debug, Clone)]
pub struct TaskSpec {
    /// Uid of the channel.
    pub uid: Arc<str>,
    /// Id of the task within the channel.
    pub id: String,
    /// Its part of the partitions that its sources have, where several tasks run the same nodes.
    pub share: Option<Share>,
    /// Its nodes.
    pub nodes: Vec<NodeSpec>,
    /// Its edges, from output to input.
    pub edges: Vec<(PortRef, PortRef)>,
    /// What becomes of refused records where no errors port is wired.
    pub policy: ErrorPolicy,
    /// Where files may be.
    pub files: Files,
    /// The runtime's port, for sources that others call.
    pub hooks: Hooks,
    /// Most tries for one record that its target refuses, the first included.
    pub max_attempts: u32,
    /// Whether nothing is read: dead letters are tried again, and then it ends.
    pub only_replays: bool,
    /// Whether sources that poll end when they have caught up (`fairway run`).
    pub until_caught_up: bool,
    /// How long an outage may last before the task fails; `None` waits for ever.
    pub give_up: Option<Duration>,
    /// Bounds of memory and of one delivery.
    pub limits: Limits,
}

/// A node of a task.
#[derive(Debug, Clone)]
pub struct NodeSpec {
    /// Its id.
    pub id: String,
    /// What it is made of.
    pub component: Component,
    /// Its config, with secrets and connection filled in.
    pub config: Value,
    /// What opens it, where it is an end of a stream.
    pub joint: Option<Arc<dyn Joint>>,
}

/// Bounds of memory, of one delivery, and of opening.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most bytes in flight between sources and targets.
    pub in_flight_bytes: usize,
    /// Most records in flight.
    pub in_flight_records: usize,
    /// Most records a target gets at once.
    pub group_records: usize,
    /// Most bytes a target gets at once.
    pub group_bytes: usize,
    /// Longest time that a component may take to open, beyond which it counts as stuck.
    pub opening: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight_bytes: 24 << 20,
            in_flight_records: 200_000,
            group_records: 50_000,
            group_bytes: 8 << 20,
            opening: Duration::from_secs(300),
        }
    }
}

/// How a task ended without a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every source ended and everything is delivered.
    Completed,
    /// It was asked to stop.
    Stopped {
        /// Records read and not delivered; they will be read again.
        undelivered: u64,
    },
}

/// How long targets have to take what was read before a source or the chain failed; the rest is read again.
const LONGEST_DRAIN: Duration = Duration::from_secs(10);

/// Runs a task until its sources end, it is asked to stop, or something fails.
///
/// # Errors
/// The first fault that ended it, with the node it happened at. Everything not acknowledged is read again next time.
pub async fn run(
    spec: TaskSpec,
    store: Arc<dyn Store>,
    progress: Arc<Progress>,
    control: Control,
) -> Result<Ended, Error> {
    // A fault of one run must not read as a stop of the task.
    let control = control.for_run();
    let graph = Arc::new(graph::Graph::new(&spec)?);
    let patience = patience::Patience::new(&control, &progress, spec.give_up);
    let Some(mut remembered) = patience::insist!(patience, "", store.begin())? else {
        return Ok(Ended::Stopped { undelivered: 0 });
    };
    let Some(parts) = opening::open(&spec, &graph, &remembered, &patience).await? else {
        return Ok(Ended::Stopped { undelivered: 0 });
    };
    if let Some(share) = spec.share {
        // I4: what is another task's is not adopted in any target.
        remembered.keep(&spec.id, share);
    }

    let mut loops: JoinSet<Result<(), Error>> = JoinSet::new();
    let (to_commit, reports) = mpsc::unbounded_channel();
    let transforms: chain::Transforms = parts.transforms.into();
    let refused = Arc::new(refusal::Refused::new(&remembered));
    let epochs = Arc::new(remembered.epochs.clone());
    let mut senders: Vec<Option<target::Sender>> = graph.nodes.iter().map(|_| None).collect();
    let mut inboxes = Vec::new();
    for (node, sink) in parts.sinks {
        let (sender, inbox) = target::queue();
        progress.watch_queue(&graph, node, sender.queued(), spec.limits.in_flight_records);
        senders[node] = Some(sender);
        inboxes.push((node, sink, inbox));
    }
    let room = reader::Room::new(spec.limits);
    let chain_for = |targets: &[usize]| chain::Chain {
        graph: graph.clone(),
        transforms: transforms.clone(),
        senders: (0..senders.len())
            .map(|node| if targets.contains(&node) { senders[node].clone() } else { None })
            .collect(),
        refusal: refusal::Refusal {
            graph: graph.clone(),
            store: store.clone(),
            policy: spec.policy,
            patience: patience.clone(),
        },
        most_bytes: spec.limits.in_flight_bytes.saturating_mul(chain::GROWTH),
    };

    let (to_chain, read) = mpsc::channel(2);
    let mut acknowledgements = Vec::new();
    let (reading, readers) = mpsc::channel(1);
    for (source, opened) in parts.sources {
        let (acknowledge, acks) = mpsc::unbounded_channel();
        acknowledgements.push((source, acknowledge));
        let reader = reader::Reader {
            node: source,
            name: graph.nodes[source].id.clone(),
            source: opened,
            graph: graph.clone(),
            room: room.clone(),
            to_chain: to_chain.clone(),
            to_commit: to_commit.clone(),
            reading: reading.clone(),
            acks,
            until_caught_up: spec.until_caught_up,
            patience: patience.clone(),
        };
        loops.spawn(reader.run());
    }
    drop(reading);
    let stream = StreamKey::replay(&spec.id);
    let own = remembered.marks.iter().find(|mark| mark.target.is_none() && mark.stream == stream);
    let replayer = replayer::Replayer {
        graph: graph.clone(),
        store: store.clone(),
        after: own.map_or(0, |mark| mark.position.order),
        stream,
        room: room.clone(),
        to_chain,
        to_commit: to_commit.clone(),
        readers,
        patience: patience.clone(),
    };
    loops.spawn(replayer.run());
    let all: Vec<usize> = graph.reached.iter().flatten().copied().collect();
    let (delivers, delivering) = mpsc::channel(1);
    loops.spawn(chain::run(chain_for(&all), read, delivering));
    for (node, sink, inbox) in inboxes {
        let target = target::Target {
            node,
            name: graph.nodes[node].id.clone(),
            sink,
            holds_positions: spec.nodes[node].component.meta.delivery == Guarantee::ExactlyOnce,
            inbox,
            errors: chain_for(&graph.reached_by_errors[node]),
            to_commit: to_commit.clone(),
            resume: remembered
                .marks
                .iter()
                .filter(|m| m.target.as_deref() == Some(&*graph.nodes[node].id))
                .cloned()
                .collect(),
            refused: refused.clone(),
            generation: remembered.generation,
            epochs: epochs.clone(),
            limits: spec.limits,
            max_attempts: spec.max_attempts,
            patience: patience.clone(),
        };
        let delivers = delivers.clone();
        loops.spawn(async move {
            let result = target.run().await;
            drop(delivers);
            result
        });
    }
    drop((to_commit, senders, delivers));
    let commit = commit::Commit {
        graph: graph.clone(),
        store,
        generation: remembered.generation,
        progress: progress.clone(),
        acknowledgements,
        patience: patience.clone(),
    };
    let in_flight = tokio::spawn(commit.run(reports));

    let mut fault = None;
    while let Some(ended) = loops.join_next().await {
        if let Err(error) = flatten(ended) {
            control.fail_run();
            fault.get_or_insert(error);
        }
    }
    let undelivered = match flatten(in_flight.await) {
        Ok(undelivered) => undelivered,
        Err(error) => return Err(fault.unwrap_or(error)),
    };
    match fault {
        Some(error) => Err(error),
        None if control.stopping() && !progress.sources_ended(graph.sources.len()) => {
            Ok(Ended::Stopped { undelivered })
        }
        None if undelivered > 0 => Ok(Ended::Stopped { undelivered }),
        None => Ok(Ended::Completed),
    }
}

/// A panic is a fault like any other (`Failed`), not the end of the process.
fn flatten<T>(ended: Result<Result<T, Error>, tokio::task::JoinError>) -> Result<T, Error> {
    match ended {
        Ok(result) => result,
        Err(join) => Err(panicked(join)),
    }
}

fn panicked(join: tokio::task::JoinError) -> Error {
    match join.try_into_panic() {
        Ok(payload) => panicked_with(payload),
        Err(_) => bug("it was cancelled"),
    }
}

/// The fault that a panic is.
pub(crate) fn panicked_with(payload: Box<dyn std::any::Any + Send>) -> Error {
    let text = payload.downcast_ref::<&str>().copied();
    bug(text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message"))
}

fn bug(text: &str) -> Error {
    Error::failed("task.panic", format!("the task hit a bug: {text}"))
        .help("report it with the log of this worker")
}
