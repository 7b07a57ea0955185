//! The commit loop: collects which target is done with what, completes tickets in order, makes watermarks and counts
//! durable in one step, then acknowledges to the sources (I2).
//!
//! While one commit is on its way the next gathers, so a slow store makes commits larger, not more.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::graph::Graph;
use super::patience::{Patience, insist};
use super::progress::Progress;
use super::reader::Acknowledgement;
use super::ticket::Ticket;
use crate::error::Error;
use crate::position::{Position, StreamKey};
use crate::store::{Store, StoredMark, Totals};

/// What the other loops say.
pub(crate) enum Report {
    /// A batch was read. Comes before anything else about it.
    Opened(Arc<Ticket>),
    /// A target is done with its part of a batch.
    Done {
        target: usize,
        ticket: Arc<Ticket>,
        stream: StreamKey,
        position: Position,
        in_target: Option<Position>,
    },
}

pub(crate) struct Commit {
    pub(crate) graph: Arc<Graph>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) generation: u64,
    pub(crate) progress: Arc<Progress>,
    pub(crate) acknowledgements: Vec<(usize, mpsc::UnboundedSender<Acknowledgement>)>,
    pub(crate) patience: Patience,
}

/// What the next commit holds.
#[derive(Default)]
struct Gathered {
    marks: BTreeMap<(Option<usize>, StreamKey), StoredMark>,
    totals: Totals,
    completed: Vec<Arc<Ticket>>,
}

impl Commit {
    /// Runs until every other loop has ended; answers the number of records read and not delivered.
    pub(crate) async fn run(self, mut reports: mpsc::UnboundedReceiver<Report>) -> Result<u64, Error> {
        let mut open: HashMap<StreamKey, VecDeque<Arc<Ticket>>> = HashMap::new();
        while let Some(report) = reports.recv().await {
            let mut gathered = Gathered::default();
            self.note(report, &mut open, &mut gathered);
            while let Ok(report) = reports.try_recv() {
                self.note(report, &mut open, &mut gathered);
            }
            if gathered.marks.is_empty() {
                continue;
            }
            match self.commit(gathered).await {
                Ok(true) => {}
                // What was gathered is not durable, so nothing later may be: it would leave a hole in the counts.
                Ok(false) => break,
                Err(error) => {
                    self.patience.control.fail_run();
                    return Err(error);
                }
            }
        }
        Ok(open.values().flatten().map(|ticket| ticket.rows() as u64).sum())
    }

    fn note(
        &self,
        report: Report,
        open: &mut HashMap<StreamKey, VecDeque<Arc<Ticket>>>,
        gathered: &mut Gathered,
    ) {
        match report {
            Report::Opened(ticket) => open.entry(ticket.stream.clone()).or_default().push_back(ticket),
            Report::Done { target, ticket, stream, position, in_target } => {
                let mark = StoredMark {
                    target: Some(self.graph.nodes[target].id.to_string()),
                    stream: stream.clone(),
                    position,
                    in_target,
                };
                gathered.marks.insert((Some(target), stream), mark);
                ticket.done();
                if let Some(queue) = open.get_mut(&ticket.stream) {
                    while queue.front().is_some_and(|first| first.complete()) {
                        gathered.completed.extend(queue.pop_front());
                    }
                }
            }
        }
    }

    /// `false` when the task is to end first.
    async fn commit(&self, mut gathered: Gathered) -> Result<bool, Error> {
        for ticket in &gathered.completed {
            self.add(ticket, &mut gathered.totals);
            let mark = StoredMark {
                target: None,
                stream: ticket.stream.clone(),
                position: ticket.position.clone(),
                in_target: None,
            };
            gathered.marks.insert((None, ticket.stream.clone()), mark);
        }
        gathered.totals.counts.retried = self.progress.take_retried();
        if !self.patience.control.may_write().await {
            return Ok(false);
        }
        let marks: Vec<StoredMark> = gathered.marks.into_values().collect();
        let stored =
            insist!(self.patience, "", self.store.commit(self.generation, &marks, &gathered.totals))?;
        if stored.is_none() {
            return Ok(false);
        }
        self.progress.committed(&gathered.totals);
        for mark in marks.iter().filter(|mark| mark.target.is_none()) {
            let mine = |(node, _): &&(usize, _)| *self.graph.nodes[*node].id == *mark.stream.source;
            if let Some((_, acknowledge)) = self.acknowledgements.iter().find(mine) {
                // A reader that has ended needs no acknowledgement.
                acknowledge.send((mark.stream.partition.clone(), mark.position.clone())).ok();
            }
        }
        Ok(true)
    }

    fn add(&self, ticket: &Ticket, totals: &mut Totals) {
        let counts = ticket.counts();
        totals.counts.read += counts.read;
        totals.counts.delivered += counts.delivered;
        totals.counts.filtered += counts.filtered;
        totals.counts.dead_lettered += counts.dead_lettered;
        ticket.pass(|passage| {
            for (node, passed) in self.graph.nodes.iter().zip(&passage.nodes) {
                *totals.nodes.entry(node.id.to_string()).or_default() += *passed;
            }
            for (edge, records) in self.graph.edges.iter().zip(&passage.edges) {
                *totals.edges.entry(edge.clone()).or_default() += records;
            }
        });
    }
}
