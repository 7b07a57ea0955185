//! One process of a worker: its part in the protocol, its clock, its clients, and tasks that do nothing but write.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use fairway_cluster::allocate::Strategy;
use fairway_cluster::{About, Beat, Life, Moment, Protocol, Setup, TaskName, Timing};

use super::broker::Payload;
use super::random::Random;
use super::world::Time;

/// A task in a process.
#[derive(Debug)]
pub(super) struct Runner {
    /// Tells it from another one of the same task and generation.
    pub(super) number: u64,
    pub(super) generation: u64,
    /// Epoch of its transactional id.
    pub(super) epoch: u64,
    pub(super) state: Running,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Running {
    Opening,
    Going,
    Suspended,
    Draining,
    Ending,
}

#[derive(Debug)]
pub(super) struct Process {
    pub(super) slot: usize,
    pub(super) protocol: Protocol,
    born: Time,
    /// Its clock runs so many millionths faster or slower.
    drift: i64,
    offset: Duration,
    pub(super) paused_until: Time,
    /// Whether it has looked at its clock since it was paused.
    pub(super) awake: bool,
    pub(super) outbox: VecDeque<Beat>,
    pub(super) beats_read: usize,
    pub(super) control_read: u64,
    /// Whether beats, and control, are being fetched.
    pub(super) fetching: (bool, bool),
    /// Epoch of the leader's transactional id, while this process has it.
    pub(super) epoch: Option<u64>,
    /// Commits that wait for their turn: the protocol's have a ticket.
    pub(super) commits: VecDeque<(Option<u64>, Vec<Payload>)>,
    /// Counts commits, to know an answer that comes too late.
    pub(super) commit: u64,
    pub(super) committing: bool,
    /// Counts initialisations.
    pub(super) attempt: u64,
    pub(super) tasks: BTreeMap<TaskName, Runner>,
}

impl Process {
    pub(super) fn new(
        slot: usize,
        id: &str,
        now: Time,
        beats: usize,
        drift: u64,
        random: &mut Random,
    ) -> Self {
        let life = Life::new(id, random.next());
        let about = About { address: format!("http://{life}"), ..About::default() };
        Self {
            slot,
            protocol: Protocol::new(Setup {
                life,
                about,
                strategy: Strategy::Sticky,
                timing: Timing::default(),
            }),
            born: now,
            drift: random.between(0, 2 * drift).cast_signed() - drift.cast_signed(),
            offset: Duration::from_secs(random.between(0, 1_000_000)),
            paused_until: 0,
            awake: true,
            outbox: VecDeque::new(),
            beats_read: beats,
            control_read: 0,
            fetching: (false, false),
            epoch: None,
            commits: VecDeque::new(),
            commit: 0,
            committing: false,
            attempt: 0,
            tasks: BTreeMap::new(),
        }
    }

    /// Its clock at a moment of the world.
    pub(super) fn clock(&self, now: Time) -> Moment {
        let lived = (now - self.born).cast_signed();
        let measured = lived + lived * self.drift / 1_000_000;
        Moment::after_start(self.offset + Duration::from_micros(measured.unsigned_abs()))
    }

    /// The moment of the world at which its clock shows a moment, or a little later.
    pub(super) fn until(&self, now: Time, moment: Moment) -> Time {
        let wait = moment.since(self.clock(now)).as_micros() as u64;
        now + wait + wait / 50 + 1000
    }

    /// Whether a task may write here, as far as the process knows.
    pub(super) fn runs(&self, task: &TaskName) -> bool {
        let running = |runner: &Runner| matches!(runner.state, Running::Going | Running::Draining);
        self.tasks.get(task).is_some_and(running)
    }
}
