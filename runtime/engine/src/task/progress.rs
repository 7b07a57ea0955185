//! What is shown of a running task. Only what is committed counts, so that the figures on the canvas add up at every
//! moment and after every crash.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fairway_shared::api::status::Cause;

use super::graph::Graph;
use crate::store::Totals;

/// State of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum TaskState {
    /// Components are being opened.
    #[default]
    Starting,
    /// Records move.
    Running,
    /// Reads nothing new.
    Paused,
    /// Something is out of reach; it is tried again.
    Degraded(Cause),
}

/// What is seen at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Committed in this run.
    pub totals: Totals,
    /// Fill of the queue behind an edge that ends at a target, 0 to 1, by `from>to`.
    pub fills: BTreeMap<String, f64>,
    /// State of the run.
    pub state: TaskState,
    /// Records read and not yet committed.
    pub in_flight: u64,
}

/// The window through which a task is watched; one for each run.
#[derive(Debug, Default)]
pub struct Progress {
    inner: Mutex<Inner>,
    retried: AtomicU64,
    in_flight: AtomicU64,
    ended: AtomicUsize,
}

#[derive(Debug, Default)]
struct Inner {
    totals: Totals,
    queues: Vec<(String, Arc<AtomicUsize>, usize)>,
    troubles: BTreeMap<String, Cause>,
    started: bool,
    paused: bool,
}

impl Progress {
    /// What is seen now.
    pub fn snapshot(&self) -> Snapshot {
        let inner = self.lock();
        let state = match inner.troubles.values().next() {
            Some(cause) => TaskState::Degraded(cause.clone()),
            None if inner.paused => TaskState::Paused,
            None if inner.started => TaskState::Running,
            None => TaskState::Starting,
        };
        let fill = |queued: &AtomicUsize, limit: usize| {
            (queued.load(Ordering::Relaxed) as f64 / limit.max(1) as f64).min(1.0)
        };
        Snapshot {
            totals: inner.totals.clone(),
            fills: inner
                .queues
                .iter()
                .map(|(edge, queued, limit)| (edge.clone(), fill(queued, *limit)))
                .collect(),
            state,
            in_flight: self.in_flight.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn watch_queue(&self, graph: &Graph, node: usize, queued: &Arc<AtomicUsize>, limit: usize) {
        let mut inner = self.lock();
        for (edge, _) in graph.edges.iter().zip(&graph.edge_ends).filter(|(_, end)| **end == node) {
            inner.queues.push((edge.clone(), queued.clone(), limit));
        }
    }

    pub(crate) fn started(&self) {
        self.lock().started = true;
    }

    pub(crate) fn paused(&self, paused: bool) {
        self.lock().paused = paused;
    }

    pub(crate) fn degraded(&self, node: &str, cause: Cause) {
        self.retried.fetch_add(1, Ordering::Relaxed);
        self.lock().troubles.insert(node.to_owned(), cause);
    }

    /// A refused record is tried again.
    pub(crate) fn tried_again(&self) {
        self.retried.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn recovered(&self, node: &str) {
        self.lock().troubles.remove(node);
    }

    pub(crate) fn read(&self, rows: usize) {
        self.in_flight.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(crate) fn source_ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn sources_ended(&self, sources: usize) -> bool {
        self.ended.load(Ordering::Relaxed) == sources
    }

    /// Tries since the last call.
    pub(crate) fn take_retried(&self) -> u64 {
        self.retried.swap(0, Ordering::Relaxed)
    }

    pub(crate) fn committed(&self, totals: &Totals) {
        self.in_flight.fetch_sub(totals.counts.read, Ordering::Relaxed);
        self.lock().totals += totals;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
