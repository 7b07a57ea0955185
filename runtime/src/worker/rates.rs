//! Records a second, over the last few seconds.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fairway_engine::store::Totals;
use fairway_shared::api::status::ChannelStatus;

/// Span over which a rate is taken.
const SPAN: Duration = Duration::from_secs(5);

/// Counts as they were at some moments of the last seconds.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    samples: VecDeque<(Instant, Totals)>,
}

impl Rates {
    /// Notes the counts of a moment.
    pub(crate) fn note(&mut self, now: Instant, totals: Totals) {
        self.samples.push_back((now, totals));
        while self.samples.len() > 2 && self.samples.front().is_some_and(|(then, _)| now - *then > SPAN) {
            self.samples.pop_front();
        }
    }

    /// Nothing moves any more.
    pub(crate) fn rest(&mut self) {
        self.samples.clear();
    }

    /// Growth a second of one of the counts.
    fn of(&self, count: impl Fn(&Totals) -> u64) -> f64 {
        let (Some((then, before)), Some((now, after))) = (self.samples.front(), self.samples.back()) else {
            return 0.0;
        };
        let span = (*now - *then).as_secs_f64();
        if span <= 0.0 {
            return 0.0;
        }
        let grown = count(after).saturating_sub(count(before)) as f64 / span;
        // One digit behind the point is all that a person can use.
        (grown * 10.0).round() / 10.0
    }

    /// Fills in what passes at nodes and edges, and how full the queues behind edges are.
    pub(crate) fn show(&self, status: &mut ChannelStatus, fill: impl Fn(&str) -> Option<f64>) {
        for (id, node) in &mut status.nodes {
            node.in_rate = self.of(|totals| totals.nodes.get(id).map_or(0, |passed| passed.entered));
            node.out_rate = self.of(|totals| totals.nodes.get(id).map_or(0, |passed| passed.out));
        }
        for edge in &mut status.edges {
            let key = format!("{}>{}", edge.from, edge.to);
            edge.rate = self.of(|totals| totals.edges.get(&key).copied().unwrap_or_default());
            edge.fill = fill(&key).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(count: u64) -> Totals {
        let mut totals = Totals::default();
        totals.counts.read = count;
        totals
    }

    #[test]
    fn follows_the_last_seconds() {
        let start = Instant::now();
        let mut rates = Rates::default();
        let of = |rates: &Rates| rates.of(|totals| totals.counts.read);
        assert_eq!(of(&rates), 0.0);
        for tick in 0..=20u32 {
            rates.note(start + Duration::from_millis(500) * tick, read(u64::from(tick) * 50));
        }
        assert_eq!(of(&rates), 100.0);
        for tick in 21..=40u32 {
            rates.note(start + Duration::from_millis(500) * tick, read(1000));
        }
        assert_eq!(of(&rates), 0.0);
    }
}
