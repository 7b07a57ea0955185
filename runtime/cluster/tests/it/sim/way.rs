//! The ways between processes and brokers: what is asked, when it arrives, what the brokers do about it.

use fairway_cluster::{Event, TaskName};

use super::broker::Payload;
use super::inside::Inside;
use super::world::{Action, MILLI, Pid, World};

/// From a process to the brokers.
#[derive(Debug, Clone)]
pub(super) enum Request {
    /// The beat that waits longest.
    Beat,
    Fetch,
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
        if matches!(request, Request::Fetch) {
            match self.processes.get_mut(&pid) {
                Some(process) if !process.fetching => process.fetching = true,
                _ => return,
            }
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
            None if matches!(request, Request::Fetch | Request::Beat) || self.random.percent(50) => return,
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
            Request::Fetch => self.fetch(pid),
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
            self.request(pid, Request::Fetch);
        }
    }

    pub(super) fn fetch(&mut self, pid: Pid) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        let (from, control_from) = (process.beats_read, process.control_read);
        let beats = self.broker.beats[from..].to_vec();
        let (control, control_read) = self.broker.committed(control_from);
        let beats_read = self.broker.beats.len();
        self.reply(pid, Inside::Fetched { beats, beats_read, control, control_read });
    }
}
