//! A worker's own beats: when to send the next, and what those that came back prove.
//!
//! A beat that comes back proves that the worker could write to the brokers and read from them at the moment when it was *sent*.
//! The age of that moment is all that a worker needs in order to know that nobody can have declared it dead yet (I4).

use std::collections::BTreeMap;
use std::time::Duration;

use crate::time::{Moment, Timing};

/// The worker's own beats.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    number: u64,
    last_sent: Option<Moment>,
    under_way: BTreeMap<u64, Moment>,
    proven: Option<Moment>,
    urgent: bool,
}

impl Pulse {
    /// The next beat goes out as soon as it may.
    pub(crate) fn hurry(&mut self) {
        self.urgent = true;
    }

    /// When the next beat is due; at once when none was sent yet.
    pub(crate) fn due(&self, timing: &Timing) -> Option<Moment> {
        let wait = if self.urgent { timing.breath } else { timing.beat };
        self.last_sent.map(|last| last + wait)
    }

    /// Number of the beat that is sent next.
    pub(crate) fn next_number(&self) -> u64 {
        self.number + 1
    }

    /// A beat is sent now; answers its number.
    pub(crate) fn send(&mut self, now: Moment) -> u64 {
        self.number += 1;
        self.last_sent = Some(now);
        self.urgent = false;
        self.under_way.insert(self.number, now);
        self.number
    }

    /// A beat came back.
    pub(crate) fn came_back(&mut self, number: u64) {
        if let Some(sent) = self.under_way.remove(&number) {
            self.proven = self.proven.max(Some(sent));
        }
        // One that is still missing was lost: what was sent later has come back.
        self.under_way = self.under_way.split_off(&(number + 1));
    }

    /// Age of the last proof; for ever when there is none.
    pub(crate) fn age(&self, now: Moment) -> Duration {
        self.proven.map_or(Duration::MAX, |proven| now.since(proven))
    }
}
