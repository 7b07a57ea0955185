//! What a decision is taken on: everything that the leader has read and heard, at one moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::allocate::Strategy;
use crate::beat::{About, Stage};
use crate::census::Census;
use crate::effect::Channels;
use crate::holding::Holding;
use crate::name::Life;
use crate::settled::Settled;
use crate::time::{Moment, Timing};

/// What the leader sees.
pub(crate) struct View<'a> {
    pub(crate) me: &'a Life,
    pub(crate) now: Moment,
    pub(crate) timing: &'a Timing,
    pub(crate) strategy: Strategy,
    pub(crate) settled: &'a Settled,
    pub(crate) census: &'a Census,
    pub(crate) holding: &'a Holding,
    pub(crate) wanted: &'a Arc<Channels>,
    /// Number of the beat that is sent next.
    pub(crate) next_beat: u64,
    /// Whether the leader itself is leaving.
    pub(crate) leaving: bool,
    /// Lives that may have tasks, by id.
    pub(crate) hosts: BTreeMap<&'a str, &'a Life>,
}

impl<'a> View<'a> {
    /// Works out who may have tasks; of two lives with one id the leader, or the one that came later.
    pub(crate) fn with_hosts(mut self) -> Self {
        let mut hosts: BTreeMap<&'a str, (bool, u64, &'a Life)> = BTreeMap::new();
        for peer in self.census.present(self.now, self.timing) {
            let life = &peer.beat.life;
            if self.settled.drained().contains(&life.worker) || (self.leaving && life == self.me) {
                continue;
            }
            let came = (life == self.me, peer.first_heard, life);
            let host = hosts.entry(&life.worker).or_insert(came);
            *host = (*host).max(came);
        }
        self.hosts = hosts.into_iter().map(|(id, (_, _, life))| (id, life)).collect();
        self
    }

    /// Whether somebody else has been silent for the dead-timeout.
    pub(crate) fn is_silent(&self, life: &Life) -> bool {
        life != self.me && self.census.silence(life, self.now, self.timing) >= self.timing.dead
    }

    /// Whether a life hands over its tasks and will go.
    pub(crate) fn is_leaving(&self, life: &Life) -> bool {
        let said = self.census.peer(life).is_some_and(|peer| peer.beat.stage == Stage::Leaving);
        said || (self.leaving && life == self.me)
    }

    /// What a host is.
    pub(crate) fn about(&self, id: &str) -> About {
        let said = self.hosts.get(id).and_then(|life| self.census.peer(life));
        said.map(|peer| peer.beat.about.clone()).unwrap_or_default()
    }
}
