//! Who is heard. Beats are judged by when they arrive here, on this worker's own clock; what they say of time is nobody's
//! business.
//!
//! Silence is counted in time in which this worker's own beats came back. While they do not, it cannot tell a dead worker from
//! stopped brokers, so nobody's silence grows beyond a short while; and when they come back after such a gap, everybody has a
//! fresh start of nearly the whole dead-timeout.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::beat::{About, Beat, Holds, Stage};
use crate::name::Life;
use crate::time::{Moment, Timing};

/// Lives that were gone so long, many dead-timeouts, are forgotten.
const FORGOTTEN_AFTER: u32 = 20;

/// Time in which own beats came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Lived(Duration);

/// Another life, or this one.
#[derive(Debug)]
pub(crate) struct Peer {
    /// What it said last.
    pub(crate) beat: Beat,
    heard: Lived,
    /// Arrivals in order, to know who of two came first.
    pub(crate) first_heard: u64,
    /// Beats heard.
    pub(crate) beats: u64,
}

/// Everybody who was heard, and the leader among them.
#[derive(Debug, Default)]
pub(crate) struct Census {
    lived: Lived,
    last_back: Option<Moment>,
    arrivals: u64,
    peers: BTreeMap<Life, Peer>,
    led: Led,
}

/// What was last heard of a leader.
#[derive(Debug, Default)]
struct Led {
    epoch: u64,
    life: Option<Life>,
    heard: Lived,
    /// It has said that it leads no more.
    gone: bool,
}

impl Census {
    fn now(&self, now: Moment, timing: &Timing) -> Lived {
        let gap = self.last_back.map_or(Duration::ZERO, |last| now.since(last));
        Lived(self.lived.0 + gap.min(timing.stall))
    }

    /// Own beat came back.
    pub(crate) fn lives(&mut self, now: Moment, timing: &Timing) {
        let before = self.lived;
        let stalled = self.last_back.is_some_and(|last| now.since(last) > timing.stall);
        self.lived = self.now(now, timing);
        self.last_back = Some(now);
        if stalled {
            let fresh = Lived(self.lived.0.saturating_sub(timing.beat));
            let heard = self.peers.values_mut().map(|peer| &mut peer.heard);
            // Whoever was taken for dead before stays so.
            heard
                .chain([&mut self.led.heard])
                .filter(|heard| before.0.saturating_sub(heard.0) < timing.dead)
                .for_each(|heard| *heard = (*heard).max(fresh));
        }
    }

    /// Takes in a beat; answers whether it says anything new.
    pub(crate) fn hear(&mut self, beat: Beat, now: Moment, timing: &Timing) -> bool {
        let heard = self.now(now, timing);
        match beat.leading {
            Some(epoch) if epoch >= self.led.epoch => {
                self.led = Led { epoch, life: Some(beat.life.clone()), heard, gone: false };
            }
            None if self.led.life.as_ref() == Some(&beat.life) => self.led.gone = true,
            _ => {}
        }
        self.arrivals += 1;
        let arrivals = self.arrivals;
        let news = match self.peers.get_mut(&beat.life) {
            Some(peer) => {
                let news = says(&peer.beat) != says(&beat) || heard.0 - peer.heard.0 >= timing.dead;
                peer.beat = beat;
                peer.heard = heard;
                peer.beats += 1;
                news
            }
            None => {
                let life = beat.life.clone();
                self.peers.insert(life, Peer { beat, heard, first_heard: arrivals, beats: 1 });
                true
            }
        };
        let limit = timing.dead * FORGOTTEN_AFTER;
        self.peers.retain(|_, peer| heard.0.saturating_sub(peer.heard.0) < limit);
        news
    }

    /// A leader was written down: as good as a beat of it.
    pub(crate) fn led(&mut self, epoch: u64, life: &Life, left: bool, now: Moment, timing: &Timing) {
        if epoch > self.led.epoch || (epoch == self.led.epoch && left) {
            let heard = self.now(now, timing);
            self.led = Led { epoch, life: Some(life.clone()), heard, gone: left };
        }
    }

    /// How long a life has been silent; one that was never heard since this worker began to listen.
    pub(crate) fn silence(&self, life: &Life, now: Moment, timing: &Timing) -> Duration {
        let heard = self.peers.get(life).map_or(Lived::default(), |peer| peer.heard);
        self.now(now, timing).0.saturating_sub(heard.0)
    }

    /// How long this worker has listened.
    pub(crate) fn listened(&self, now: Moment, timing: &Timing) -> Duration {
        self.now(now, timing).0
    }

    /// Whether a life was heard within the dead-timeout.
    pub(crate) fn is_heard(&self, life: &Life, now: Moment, timing: &Timing) -> bool {
        self.peers.contains_key(life) && self.silence(life, now, timing) < timing.dead
    }

    /// What a life said last.
    pub(crate) fn peer(&self, life: &Life) -> Option<&Peer> {
        self.peers.get(life)
    }

    /// Everybody who was heard and is not forgotten yet.
    pub(crate) fn peers(&self) -> impl Iterator<Item = &Peer> {
        self.peers.values()
    }

    /// Those who run tasks and were heard within the dead-timeout, by id.
    pub(crate) fn present(&self, now: Moment, timing: &Timing) -> impl Iterator<Item = &Peer> {
        let at = self.now(now, timing);
        let heard = move |peer: &&Peer| at.0.saturating_sub(peer.heard.0) < timing.dead;
        self.peers.values().filter(heard).filter(|peer| peer.beat.stage == Stage::Joined)
    }

    /// For how long nobody leads, beyond the time in which a leader may be silent; `None` while one is heard. `ever` says
    /// whether there was a leader before.
    pub(crate) fn leaderless(&self, ever: bool, now: Moment, timing: &Timing) -> Option<Duration> {
        let since = self.now(now, timing).0.saturating_sub(self.led.heard.0);
        let patience = match (self.led.gone, ever) {
            (true, _) => Duration::ZERO,
            (false, true) => timing.dead,
            (false, false) => timing.listen,
        };
        since.checked_sub(patience)
    }

    /// The leader that was heard last, with its epoch.
    pub(crate) fn leader(&self) -> Option<(u64, &Life)> {
        self.led.life.as_ref().filter(|_| !self.led.gone).map(|life| (self.led.epoch, life))
    }
}

/// What of a beat others act on.
fn says(beat: &Beat) -> (Stage, Option<u64>, u64, &Holds, &About) {
    (beat.stage, beat.leading, beat.applied, &beat.holds, &beat.about)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Moment {
        Moment::after_start(Duration::from_millis(millis))
    }

    fn beat(worker: &str, leading: Option<u64>) -> Beat {
        Beat {
            life: Life::new(worker, 1),
            number: 1,
            stage: Stage::Joined,
            leading,
            applied: 0,
            holds: BTreeMap::new(),
            load: 0,
            about: Default::default(),
        }
    }

    #[test]
    fn silence_grows_only_while_own_beats_come_back() {
        let timing = Timing::default();
        let mut census = Census::default();
        let other = Life::new("b", 1);
        census.lives(at(0), &timing);
        census.hear(beat("b", None), at(0), &timing);
        for second in 1..=4 {
            census.lives(at(second * 1000), &timing);
        }
        assert!(census.is_heard(&other, at(4400), &timing));
        assert!(!census.is_heard(&other, at(4500), &timing));
        // Brokers stop for half a minute: the silence does not grow, and begins nearly anew when they are back.
        assert!(census.silence(&other, at(30_000), &timing) <= Duration::from_millis(6000));
        census.lives(at(30_000), &timing);
        assert_eq!(census.silence(&other, at(30_000), &timing), timing.beat);
        assert!(census.is_heard(&other, at(30_100), &timing));
    }

    #[test]
    fn a_stall_raises_nobody_from_the_dead() {
        let timing = Timing::default();
        let mut census = Census::default();
        let other = Life::new("b", 1);
        census.lives(at(0), &timing);
        census.hear(beat("b", Some(1)), at(0), &timing);
        (1..=5).for_each(|second| census.lives(at(second * 1000), &timing));
        assert!(!census.is_heard(&other, at(5000), &timing));
        census.lives(at(8000), &timing);
        assert!(!census.is_heard(&other, at(8000), &timing));
        assert!(census.leaderless(true, at(8000), &timing).is_some());
    }

    #[test]
    fn a_leader_that_says_so_is_gone_at_once() {
        let timing = Timing::default();
        let mut census = Census::default();
        census.lives(at(0), &timing);
        census.hear(beat("b", Some(2)), at(0), &timing);
        assert_eq!(census.leaderless(true, at(1000), &timing), None);
        // An older leader that does not know better changes nothing.
        census.hear(beat("a", Some(1)), at(500), &timing);
        assert_eq!(census.leader(), Some((2, &Life::new("b", 1))));
        census.hear(beat("b", None), at(1000), &timing);
        assert!(census.leaderless(true, at(1000), &timing).is_some());
    }
}
