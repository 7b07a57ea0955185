//! How far the targets are behind what was read: records that are on their way, and how long the oldest of them has been.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Most moments that are remembered; beyond it every other one is forgotten, and the oldest never.
const MOST: usize = 1024;

/// How many records had been read at some moments: a moment is remembered until all that was read by then is settled.
#[derive(Debug, Default)]
pub(super) struct Lag {
    moments: VecDeque<(Instant, u64)>,
}

impl Lag {
    /// At this moment so many records have been read, and so many of them are settled. Both only rise.
    pub(super) fn note(&mut self, now: Instant, read: u64, settled: u64) {
        while self.moments.front().is_some_and(|(_, then)| *then <= settled) {
            self.moments.pop_front();
        }
        if read > settled && self.moments.back().is_none_or(|(_, last)| *last < read) {
            self.moments.push_back((now, read));
        }
        if self.moments.len() > MOST {
            let mut at = 0;
            self.moments.retain(|_| {
                at += 1;
                at % 2 == 1
            });
        }
    }

    /// Nothing is on its way any more.
    pub(super) fn rest(&mut self) {
        self.moments.clear();
    }

    /// Since when the oldest record that is not settled has been on its way; right to one look at the channel.
    pub(super) fn age(&self, now: Instant) -> Duration {
        self.moments.front().map_or(Duration::ZERO, |(then, _)| now.saturating_duration_since(*then))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_record_on_its_way_says_how_long() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut lag = Lag::default();
        lag.note(at(0), 0, 0);
        assert_eq!(lag.age(at(5)), Duration::ZERO);
        lag.note(at(1), 100, 0);
        lag.note(at(2), 200, 0);
        lag.note(at(3), 200, 99);
        assert_eq!(lag.age(at(3)), Duration::from_secs(2), "the first hundred is not settled yet");
        lag.note(at(4), 300, 100);
        assert_eq!(lag.age(at(4)), Duration::from_secs(2));
        lag.note(at(5), 300, 300);
        assert_eq!(lag.age(at(5)), Duration::ZERO);
    }

    #[test]
    fn a_target_that_stands_still_for_days_costs_no_memory_and_loses_no_time() {
        let start = Instant::now();
        let mut lag = Lag::default();
        for tick in 1..=50_000u64 {
            lag.note(start + Duration::from_millis(500 * tick), tick, 0);
        }
        assert!(lag.moments.len() <= MOST);
        let now = start + Duration::from_millis(500 * 50_000);
        assert_eq!(lag.age(now), Duration::from_millis(500 * 49_999));
    }
}
