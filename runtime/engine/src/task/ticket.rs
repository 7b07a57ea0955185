//! A batch on its way: what became of each of its records, what it passed, and how many targets are not done with it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use fairway_shared::api::status::Counts;
use tokio::sync::OwnedSemaphorePermit;

use crate::data::Batch;
use crate::position::{Position, StreamKey};
use crate::store::Passed;

const FILTERED: u8 = 0;
const DELIVERED: u8 = 1;
const DEAD: u8 = 2;

/// What a batch passed, by index of node and edge.
#[derive(Debug)]
pub(crate) struct Passage {
    pub(crate) nodes: Vec<Passed>,
    pub(crate) edges: Vec<u64>,
}

/// The fate of one batch as read.
///
/// Records are counted by source record (dead-lettered if any descendant was, else delivered if any was, else
/// filtered), so that read = delivered + filtered + dead-lettered, always (I1, G5).
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) source: usize,
    pub(crate) stream: StreamKey,
    pub(crate) position: Position,
    fates: Vec<AtomicU8>,
    pending: AtomicUsize,
    passage: Mutex<Passage>,
    /// Room in the budget, given back when the ticket goes.
    _room: Option<OwnedSemaphorePermit>,
    _records: Option<OwnedSemaphorePermit>,
}

impl Ticket {
    pub(crate) fn new(
        source: usize,
        stream: StreamKey,
        position: Position,
        rows: usize,
        targets: usize,
        shape: (usize, usize),
        room: (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>),
    ) -> Self {
        let passage = Passage { nodes: vec![Passed::default(); shape.0], edges: vec![0; shape.1] };
        Self {
            source,
            stream,
            position,
            fates: (0..rows).map(|_| AtomicU8::new(FILTERED)).collect(),
            pending: AtomicUsize::new(targets),
            passage: Mutex::new(passage),
            _room: room.0,
            _records: room.1,
        }
    }

    /// Records of the source batch.
    pub(crate) fn rows(&self) -> usize {
        self.fates.len()
    }

    pub(crate) fn delivered(&self, batch: &Batch) {
        self.raise(batch, DELIVERED);
    }

    pub(crate) fn dead(&self, batch: &Batch) {
        self.raise(batch, DEAD);
    }

    fn raise(&self, batch: &Batch, fate: u8) {
        for meta in batch.metas() {
            let Some(now) = self.fates.get(meta.row as usize) else { continue };
            if now.load(Ordering::Relaxed) < fate {
                now.fetch_max(fate, Ordering::Relaxed);
            }
        }
    }

    /// More targets are concerned, before any of them can be done.
    pub(crate) fn concern(&self, targets: usize) {
        self.pending.fetch_add(targets, Ordering::AcqRel);
    }

    /// One target is done.
    pub(crate) fn done(&self) {
        self.pending.fetch_sub(1, Ordering::AcqRel);
    }

    /// Whether every target is done.
    pub(crate) fn complete(&self) -> bool {
        self.pending.load(Ordering::Acquire) == 0
    }

    /// Counts what the batch passed.
    pub(crate) fn pass(&self, count: impl FnOnce(&mut Passage)) {
        // Nothing in here can panic half-way in a way that matters: they are plain sums.
        count(&mut self.passage.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    /// What became of the records.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts { read: self.fates.len() as u64, ..Counts::default() };
        for fate in &self.fates {
            match fate.load(Ordering::Relaxed) {
                DEAD => counts.dead_lettered += 1,
                DELIVERED => counts.delivered += 1,
                _ => counts.filtered += 1,
            }
        }
        counts
    }
}
