//! The ways between processes and brokers: what is asked, when it arrives, what the brokers do about it.

use fairway_cluster::{Event, TaskName};

use super::broker::Payload;
use super::inside::Inside;
use super::process::Process;
use super::world::{Action, MILLI, Pid, World};

/// From a process to the brokers.
#[derive(Debug, Clone)]
pub(super) enum Request {
    /// The beat that waits longest.
    Beat,
    FetchBeats,
    FetchControl,
    End(u64),
    Initialise(u64),
    Append {
        commit: u64,
        epoch: u64,
        payloads: Vec<Payload>,
    },
    Commit {
        commit: u64,
        epoch: u64,
        transaction: usize,
    },
    FenceTasks(u64, Vec<TaskName>),
    OpenTask(TaskName, u64),
    Write(TaskName, u64, u64),
}

impl World {
    pub(super) fn request(&mut self, pid: Pid, request: Request) {
        let fetching = |process: &mut Process| match request {
            Request::FetchBeats => std::mem::replace(&mut process.fetching.0, true),
            Request::FetchControl => std::mem::replace(&mut process.fetching.1, true),
            _ => false,
        };
        // One fetch of each kind at a time.
        if self.processes.get_mut(&pid).is_none_or(fetching) {
            return;
        }
        let time = self.now + self.travel();
        self.at(time, Action::Arrive(pid, request));
    }

    pub(super) fn reply(&mut self, pid: Pid, inside: Inside) {
        let time = self.now + self.travel();
        self.at(time, Action::Inside(pid, inside));
    }

    /// A request comes to the brokers, unless something is in its way.
    pub(super) fn arrive(&mut self, pid: Pid, request: Request) {
        let cut = match self.processes.get(&pid) {
            Some(process) => self.hosts[process.slot].to_broker_cut_until,
            // The process is gone; what was on its way may have arrived all the same.
            None if matches!(request, Request::FetchBeats | Request::FetchControl | Request::Beat) => return,
            None if self.random.percent(50) => return,
            None => 0,
        };
        let free = cut.max(self.stalled_until);
        if free > self.now {
            let time = free + self.travel();
            return self.at(time, Action::Arrive(pid, request));
        }
        self.broker.expire(self.now);
        let slow = self.random.between(5 * MILLI, 900 * MILLI);
        match request {
            Request::Beat => {
                let beat = self.processes.get_mut(&pid).and_then(|process| process.outbox.pop_front());
                self.broker.beats.extend(beat);
                self.news();
            }
            Request::FetchBeats => self.fetch_beats(pid),
            Request::FetchControl => self.fetch_control(pid),
            Request::End(ask) => {
                let end = Some(self.broker.end());
                self.reply(pid, Inside::Event(Event::End { ask, end }));
            }
            Request::Initialise(attempt) => {
                let epoch = self.broker.initialise();
                self.news();
                let inside = Inside::Initialised(attempt, Some(epoch));
                self.at(self.now + slow, Action::Inside(pid, inside));
            }
            Request::Append { commit, epoch, payloads } => {
                let result = self.broker.append(epoch, payloads, self.now);
                self.reply(pid, Inside::Appended { commit, result });
            }
            Request::Commit { commit, epoch, transaction } => {
                let result = self.broker.commit(epoch, transaction);
                self.news();
                self.reply(pid, Inside::Committed { commit, result });
            }
            Request::FenceTasks(ticket, tasks) => {
                let done = self.random.percent(90);
                for task in &tasks {
                    self.broker.open_task(task);
                }
                let event = Event::TasksFenced { ticket, done };
                self.at(self.now + slow, Action::Inside(pid, Inside::Event(event)));
            }
            Request::OpenTask(task, generation) => {
                let epoch = self.broker.open_task(&task);
                self.at(self.now + slow, Action::Inside(pid, Inside::Opened(task, generation, epoch)));
            }
            Request::Write(task, epoch, generation) => {
                let result = self.broker.write(&task, epoch, generation);
                self.reply(pid, Inside::Written(task, epoch, generation, result));
            }
        }
    }

    /// Something was written: those who read hear of it.
    pub(super) fn news(&mut self) {
        for pid in self.processes.keys().copied().collect::<Vec<_>>() {
            self.request(pid, Request::FetchBeats);
            self.request(pid, Request::FetchControl);
        }
    }

    fn fetch_beats(&mut self, pid: Pid) {
        let Some(process) = self.processes.get(&pid) else { return };
        let beats = self.broker.beats[process.beats_read..].to_vec();
        let read = self.broker.beats.len();
        self.reply(pid, Inside::Beats { beats, read });
    }

    fn fetch_control(&mut self, pid: Pid) {
        let Some(process) = self.processes.get(&pid) else { return };
        let (payloads, read) = self.broker.committed(process.control_read);
        let lags = self.hosts[process.slot].control_lags_until > self.now;
        let slow = if lags { self.random.between(200 * MILLI, 4000 * MILLI) } else { 0 };
        let time = self.now + slow + self.travel();
        self.at(time, Action::Inside(pid, Inside::Control { payloads, read }));
    }
}
