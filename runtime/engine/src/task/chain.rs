//! The chain loop: every batch through the transforms between its source and the targets, in the order it was read.
//!
//! One task runs all transforms, so that each sees its records in order and one at a time; only what an errors port of a
//! sink hands on enters from the side (see `target`), and waits for the transform it needs.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use fairway_shared::component::Kind;
use smallvec::{SmallVec, smallvec};
use tokio::sync::mpsc;

use super::LONGEST_DRAIN;
use super::control::Wish;
use super::graph::{Edge, Graph};
use super::refusal::Refusal;
use super::target::{Parcel, Sender};
use super::ticket::Ticket;
use crate::data::{Batch, Rejects};
use crate::error::{Error, Kind as ErrorKind};
use crate::position::{Position, StreamKey};
use crate::source::Polled;
use crate::store::Letter;
use crate::transform::{Output, Transform};

/// Transforms by index of their node.
pub(crate) type Transforms = Arc<[Option<Mutex<Box<dyn Transform>>>]>;

/// What enters, with its ticket.
pub(crate) struct Read {
    pub(crate) what: What,
    pub(crate) ticket: Arc<Ticket>,
}

/// Records on their way into the chain.
pub(crate) enum What {
    /// As a source gave them.
    Polled(Polled),
    /// Dead letters that enter again at the node that refused them.
    Replayed { node: usize, batch: Batch },
}

/// What belongs to one passage through the graph.
pub(crate) struct Way<'a> {
    pub(crate) ticket: &'a Arc<Ticket>,
    pub(crate) stream: StreamKey,
    pub(crate) position: Position,
    /// Targets that get a parcel, with or without records: their watermarks move in any case (G11).
    pub(crate) targets: &'a [usize],
    /// Told once for each target that has its parcel durable.
    pub(crate) done: Option<mpsc::UnboundedSender<()>>,
}

/// A batch before a node, and whether it came by an errors edge.
type Waiting = SmallVec<[(Batch, bool); 1]>;

/// The graph with its transforms and the queues of the targets it may reach.
#[derive(Clone)]
pub(crate) struct Chain {
    pub(crate) graph: Arc<Graph>,
    pub(crate) transforms: Transforms,
    pub(crate) senders: Vec<Option<Sender>>,
    pub(crate) refusal: Refusal,
    /// Most bytes that one passage may hold, unless what entered is larger than a part of it.
    pub(crate) most_bytes: usize,
}

/// How many times the memory of what entered, or of all that may be in flight, one passage may take (I5): more than
/// transforms that make much of little do, and less than a drawing can whose ways part and meet again.
pub(crate) const GROWTH: usize = 32;
/// Batches waiting within one passage from which on their memory is added up, and others get their turn between two.
const MANY: usize = 64;

/// Runs until no reader is left. What went on before a fault of the chain is sound, so targets get time to take it:
/// `delivering` ends with the last of them.
pub(crate) async fn run(
    chain: Chain,
    read: mpsc::Receiver<Read>,
    mut delivering: mpsc::Receiver<Infallible>,
) -> Result<(), Error> {
    let control = chain.refusal.patience.control.clone();
    let result = chain.run(read).await;
    if result.as_ref().is_err_and(|fault| fault.kind != ErrorKind::Fenced) {
        control.drain_run();
        if tokio::time::timeout(LONGEST_DRAIN, delivering.recv()).await.is_err() {
            tracing::warn!("the chain failed, and targets did not take in time what went before");
        }
    }
    result
}

impl Chain {
    async fn run(self, mut read: mpsc::Receiver<Read>) -> Result<(), Error> {
        while let Some(Read { what, ticket }) = read.recv().await {
            let went_on = match what {
                What::Polled(polled) => self.enter(polled, &ticket).await?,
                What::Replayed { node, batch } => self.enter_again(node, batch, &ticket).await?,
            };
            if !went_on {
                break;
            }
        }
        Ok(())
    }

    async fn enter(&self, polled: Polled, ticket: &Arc<Ticket>) -> Result<bool, Error> {
        let source = ticket.source;
        let way = Way {
            ticket,
            stream: ticket.stream.clone(),
            position: ticket.position.clone(),
            targets: &self.graph.reached[source],
            done: None,
        };
        let mut passage = Passing::new(self, &way, polled.batch.bytes());
        let (out, rows) = (polled.batch.len() as u64, polled.rows() as u64);
        ticket.pass(|counts| {
            counts.nodes[source].entered += rows;
            counts.nodes[source].out += out;
            counts.nodes[source].errors += rows - out;
        });
        passage.spread(source, 0, polled.batch, false);
        if let Some(rejects) = polled.rejects {
            passage.refuse(source, rejects, false)?;
        }
        passage.finish().await
    }

    /// Has dead letters try again the node that refused them. What is refused of them goes back to where they came from,
    /// whatever the policy and the wiring: so they enter as if by an errors path.
    async fn enter_again(&self, node: usize, batch: Batch, ticket: &Arc<Ticket>) -> Result<bool, Error> {
        let way = Way {
            ticket,
            stream: ticket.stream.clone(),
            position: ticket.position.clone(),
            targets: &self.graph.reached[node],
            done: None,
        };
        let mut passage = Passing::new(self, &way, batch.bytes());
        passage.waiting[node].push((batch, true));
        passage.count = 1;
        passage.finish().await
    }

    /// Sends what a sink refused on its way from the sink's errors port; `false` when the task is to end.
    pub(crate) async fn enter_by_errors(
        &self,
        sink: usize,
        batch: Batch,
        way: &Way<'_>,
    ) -> Result<bool, Error> {
        let mut passage = Passing::new(self, way, batch.bytes());
        passage.spread_over(&self.graph.nodes[sink].errors, batch, true);
        passage.finish().await
    }
}

/// One passage under way.
struct Passing<'a> {
    chain: &'a Chain,
    way: &'a Way<'a>,
    waiting: Vec<Waiting>,
    letters: Vec<Letter>,
    /// Batches waiting before all nodes.
    count: usize,
    /// How many batches are to wait when their memory is added up next.
    weigh_at: usize,
    /// Most bytes that may wait.
    most_bytes: usize,
}

impl<'a> Passing<'a> {
    fn new(chain: &'a Chain, way: &'a Way<'a>, entered: usize) -> Self {
        Self {
            chain,
            way,
            waiting: chain.graph.nodes.iter().map(|_| smallvec![]).collect(),
            letters: Vec::new(),
            count: 0,
            weigh_at: MANY,
            most_bytes: chain.most_bytes.max(entered.saturating_mul(GROWTH)),
        }
    }

    /// Puts a batch before every node behind an output.
    fn spread(&mut self, node: usize, port: usize, batch: Batch, on_errors_path: bool) {
        let graph = &self.chain.graph;
        if let Some(edges) = graph.nodes[node].outputs.get(port) {
            self.spread_over(edges, batch, on_errors_path);
        }
    }

    fn spread_over(&mut self, edges: &[Edge], batch: Batch, on_errors_path: bool) {
        if batch.is_empty() {
            return;
        }
        let records = batch.len() as u64;
        self.chain.refusal.patience.control.taps.show(&self.chain.graph, edges, &batch);
        self.way.ticket.pass(|counts| edges.iter().for_each(|edge| counts.edges[edge.index] += records));
        self.count += edges.len();
        if let Some((last, others)) = edges.split_last() {
            for edge in others {
                self.waiting[edge.to].push((batch.clone(), on_errors_path));
            }
            self.waiting[last.to].push((batch, on_errors_path));
        }
    }

    fn refuse(&mut self, node: usize, rejects: Rejects, on_errors_path: bool) -> Result<(), Error> {
        let refusal = &self.chain.refusal;
        if !refusal.drops(node, on_errors_path) {
            self.way.ticket.dead(&rejects.batch);
        }
        if refusal.wired(node, on_errors_path) {
            let graph = &self.chain.graph;
            self.spread_over(&graph.nodes[node].errors, refusal.annotated(node, rejects), true);
        } else {
            self.letters.extend(refusal.letters(node, &self.way.stream, &rejects, on_errors_path)?);
        }
        Ok(())
    }

    fn transform(&mut self, node: usize, batch: Batch, on_errors_path: bool) -> Result<(), Error> {
        let entered = batch.len() as u64;
        let mut output = Output::default();
        let transform = self.chain.transforms[node].as_ref().ok_or_else(|| {
            Error::failed("task.not_opened", "the transform was not opened")
                .at_node(&self.chain.graph.nodes[node].id)
        })?;
        transform
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .apply(batch, &mut output)
            .map_err(|error| error.at_node(&self.chain.graph.nodes[node].id))?;
        // What leaves by an output from which nothing leads on was dropped by the drawing (I1).
        let wired = |port: usize| {
            self.chain.graph.nodes[node].outputs.get(port).is_some_and(|edges| !edges.is_empty())
        };
        let (mut out, mut loose) = (0, 0);
        for (port, batch) in &output.batches {
            let side = if wired(*port) { &mut out } else { &mut loose };
            *side += batch.len() as u64;
        }
        let errors: u64 = output.rejects.iter().map(|rejects| rejects.batch.len() as u64).sum();
        let filtered = loose + output.dropped.unwrap_or_else(|| entered.saturating_sub(out + loose + errors));
        self.way.ticket.pass(|counts| {
            let node = &mut counts.nodes[node];
            node.entered += entered;
            node.out += out;
            node.errors += errors;
            node.filtered += filtered;
            node.made += (out + filtered + errors).saturating_sub(entered);
        });
        for (port, batch) in output.batches {
            self.spread(node, port, batch, on_errors_path);
        }
        for rejects in output.rejects {
            self.refuse(node, rejects, on_errors_path)?;
        }
        Ok(())
    }

    /// Sees whether what waits still has room: one batch must not become any number of them (I5).
    fn weigh(&mut self, node: usize) -> Result<(), Error> {
        if self.count < self.weigh_at {
            return Ok(());
        }
        self.weigh_at = self.count.saturating_mul(2);
        let mut shared = HashSet::new();
        let batches = self.waiting.iter().flatten().map(|(batch, _)| batch);
        // Copies share their values until something changes them.
        let bytes: usize = batches
            .map(|batch| {
                size_of::<(Batch, bool)>() + if shared.insert(batch.values()) { batch.bytes() } else { 0 }
            })
            .sum();
        if bytes <= self.most_bytes {
            return Ok(());
        }
        let what = format!(
            "one batch became {} batches with more than {} MiB on its way",
            self.count,
            self.most_bytes >> 20
        );
        Err(Error::config("task.too_many_copies", what)
            .help("every way between two nodes makes a copy: join layers of nodes by fewer edges")
            .at_node(&self.chain.graph.nodes[node].id))
    }

    /// Runs the transforms, makes dead letters durable, then hands parcels to the targets; `false` when the task is to end.
    async fn finish(mut self) -> Result<bool, Error> {
        let control = &self.chain.refusal.patience.control;
        for &node in &self.chain.graph.order {
            if self.chain.graph.nodes[node].kind == Kind::Transform {
                for (batch, on_errors_path) in std::mem::take(&mut self.waiting[node]) {
                    if control.current() == Wish::Abort {
                        return Ok(false);
                    }
                    self.count -= 1;
                    self.transform(node, batch, on_errors_path)?;
                    if self.count >= MANY {
                        self.weigh(node)?;
                        tokio::task::yield_now().await;
                    }
                }
            }
        }
        if !self.chain.refusal.set_aside(std::mem::take(&mut self.letters)).await? {
            return Ok(false);
        }
        for &target in self.way.targets {
            let parcel = Parcel {
                ticket: self.way.ticket.clone(),
                stream: self.way.stream.clone(),
                position: self.way.position.clone(),
                batches: std::mem::take(&mut self.waiting[target]),
                done: self.way.done.clone(),
            };
            let sent = self.chain.senders[target].as_ref().is_some_and(|sender| sender.send(parcel));
            if !sent {
                // The target's loop has failed; that fault ends the task.
                return Ok(false);
            }
        }
        Ok(true)
    }
}
