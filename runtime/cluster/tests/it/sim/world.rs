//! Brokers, processes and what is under way between them, on one clock that jumps from happening to happening.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use fairway_cluster::{Channels, Event, Exit, Record};

use super::broker::{Broker, Payload};
use super::inside::Inside;
use super::process::{Process, Running};
use super::random::Random;
use super::way::Request;

/// Microseconds since the world began.
pub(super) type Time = u64;
/// Number of a process; never used again.
pub(super) type Pid = u64;

pub(super) const MILLI: Time = 1_000;
pub(super) const SECOND: Time = 1_000_000;

/// What happens next.
#[derive(Debug, Clone)]
pub(super) enum Action {
    Arrive(Pid, Request),
    Inside(Pid, Inside),
    /// What the schedule does next.
    Fault(usize),
    /// The operator starts a process.
    Start(usize),
    /// Somebody sees to it that what should run is written down.
    Ask,
}

/// A host: a worker's id, and the way from it to the brokers.
#[derive(Debug, Default)]
pub(super) struct Host {
    pub(super) id: String,
    pub(super) pid: Option<Pid>,
    /// Whether nobody starts its process again.
    pub(super) off: bool,
    pub(super) to_broker_cut_until: Time,
    pub(super) from_broker_cut_until: Time,
    /// Reading control is slow until then.
    pub(super) control_lags_until: Time,
}

pub(super) struct World {
    pub(super) now: Time,
    pub(super) random: Random,
    pub(super) broker: Broker,
    pub(super) stalled_until: Time,
    pub(super) hosts: Vec<Host>,
    pub(super) processes: BTreeMap<Pid, Process>,
    /// What should run, and which workers should have nothing.
    pub(super) channels: Arc<Channels>,
    pub(super) drains: BTreeMap<String, bool>,
    /// Clocks run faster or slower by up to so many millionths.
    pub(super) drift: u64,
    /// Whether clocks are so good that no two processes may ever run one task.
    pub(super) one_owner: bool,
    /// Of a hundred tasks so many do not end when they are told to.
    pub(super) stuck: u64,
    pub(super) trace: bool,
    pub(super) exits: Vec<Exit>,
    queue: BinaryHeap<Reverse<(Time, u64, usize)>>,
    actions: Vec<Option<Action>>,
    pub(super) sequence: u64,
    pids: Pid,
}

impl World {
    pub(super) fn new(seed: u64, hosts: Vec<Host>, trace: bool) -> Self {
        let mut world = Self {
            now: 0,
            random: Random::new(seed),
            broker: Broker::default(),
            stalled_until: 0,
            hosts,
            processes: BTreeMap::new(),
            channels: Arc::default(),
            drains: BTreeMap::new(),
            drift: 10_000,
            one_owner: true,
            stuck: 0,
            trace,
            exits: Vec::new(),
            queue: BinaryHeap::new(),
            actions: Vec::new(),
            sequence: 0,
            pids: 0,
        };
        for slot in 0..world.hosts.len() {
            if !world.hosts[slot].off {
                let wait = world.random.between(0, 2 * SECOND);
                world.at(wait, Action::Start(slot));
            }
        }
        world.at(SECOND, Action::Ask);
        world
    }

    /// Has a fault of the schedule happen at its time.
    pub(super) fn schedule(&mut self, time: Time, fault: usize) {
        self.at(time, Action::Fault(fault));
    }

    pub(super) fn at(&mut self, time: Time, action: Action) {
        self.sequence += 1;
        self.actions.push(Some(action));
        self.queue.push(Reverse((time, self.sequence, self.actions.len() - 1)));
    }

    pub(super) fn log(&self, text: impl FnOnce() -> String) {
        if self.trace {
            println!("{:>9.3} {}", self.now as f64 / SECOND as f64, text());
        }
    }

    /// Time on the way: short as a rule, at times half a second.
    pub(super) fn travel(&mut self) -> Time {
        match self.random.between(0, 100) {
            0..90 => self.random.between(500, 15 * MILLI),
            90..98 => self.random.between(15 * MILLI, 120 * MILLI),
            _ => self.random.between(120 * MILLI, 600 * MILLI),
        }
    }

    /// Goes on until a moment; `fault` carries out what the schedule says.
    pub(super) fn run(&mut self, until: Time, mut fault: impl FnMut(&mut Self, usize)) {
        while let Some(Reverse((time, _, index))) = self.queue.peek().copied() {
            if time > until {
                break;
            }
            self.queue.pop();
            self.now = time;
            match self.actions[index].take().expect("an action happens once") {
                Action::Arrive(pid, request) => self.arrive(pid, request),
                Action::Inside(pid, inside) => self.inside(pid, inside),
                Action::Fault(number) => fault(self, number),
                Action::Start(slot) => self.start(slot),
                Action::Ask => self.ask(),
            }
        }
        self.now = until;
    }

    /// Starts the process of a host, if it is to have one and has none.
    pub(super) fn start(&mut self, slot: usize) {
        if self.hosts[slot].off || self.hosts[slot].pid.is_some() {
            return;
        }
        self.pids += 1;
        let (pid, beats) = (self.pids, self.broker.beats.len());
        let id = self.hosts[slot].id.clone();
        let process = Process::new(slot, &id, self.now, beats, self.drift, &mut self.random);
        self.log(|| format!("{id} starts as process {pid}"));
        self.processes.insert(pid, process);
        self.hosts[slot].pid = Some(pid);
        self.at(self.now, Action::Inside(pid, Inside::Tick));
        self.request(pid, Request::FetchBeats);
        self.request(pid, Request::FetchControl);
    }

    /// Ends a process without a word; the operator starts it again after a while.
    pub(super) fn crash(&mut self, slot: usize, again: Option<Time>) {
        if let Some(pid) = self.hosts[slot].pid.take() {
            self.log(|| format!("{} dies", self.hosts[slot].id));
            self.processes.remove(&pid);
        }
        if let Some(wait) = again {
            self.at(self.now + wait, Action::Start(slot));
        }
    }

    /// Hands an event to a process now.
    pub(super) fn tell(&mut self, pid: Pid, event: Event) {
        self.at(self.now, Action::Inside(pid, Inside::Event(event)));
    }
    /// Tasks that run.
    pub(super) fn running(&self) -> usize {
        let going = |process: &Process| {
            process.tasks.values().filter(|runner| runner.state == Running::Going).count()
        };
        self.processes.values().map(going).sum()
    }

    /// The leader, if one process believes to be it.
    pub(super) fn leader(&self) -> Option<Pid> {
        let leads = |(_, process): &(&Pid, &Process)| process.protocol.leads().is_some();
        self.processes.iter().find(leads).map(|(pid, _)| *pid)
    }

    /// Has what should run written down, until it is.
    fn ask(&mut self) {
        let written = self.broker.wanted().is_some_and(|wanted| wanted == self.channels);
        if let Some(pid) = self.leader() {
            let mut payloads = Vec::new();
            if !written {
                payloads.push(Payload::Channels(self.channels.clone()));
            }
            let drained = self.processes[&pid].protocol.settled().drained();
            for (id, on) in &self.drains {
                if drained.contains(id) != *on {
                    payloads.push(Payload::Record(Record::Drained(id.clone(), *on)));
                }
            }
            if !payloads.is_empty() {
                self.commit(pid, None, payloads);
            }
        }
        self.at(self.now + SECOND, Action::Ask);
    }
}
