//! What happens in a process: time, answers, tasks that write.

use fairway_cluster::{Beat, Event, TaskName};

use super::broker::{Fenced, Payload};
use super::process::Running;
use super::way::Request;
use super::world::{Action, MILLI, Pid, World};

/// What happens in a process.
#[derive(Debug, Clone)]
pub(super) enum Inside {
    Tick,
    Beats {
        beats: Vec<Beat>,
        read: usize,
    },
    Control {
        payloads: Vec<(u64, Payload)>,
        read: u64,
    },
    Event(Event),
    Initialised(u64, Option<u64>),
    Appended {
        commit: u64,
        result: Result<usize, Fenced>,
    },
    Committed {
        commit: u64,
        result: Result<u64, Fenced>,
    },
    CommitTimeout(u64),
    Opened(TaskName, u64, u64),
    Write(TaskName, u64),
    Written(TaskName, u64, u64, Result<(), Fenced>),
    /// A task of this runner is over.
    Over {
        task: TaskName,
        runner: u64,
        stuck: bool,
    },
}

impl World {
    pub(super) fn inside(&mut self, pid: Pid, inside: Inside) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        let paused = process.paused_until;
        if paused > self.now {
            process.awake = false;
            let time = paused + self.random.between(0, 20 * MILLI);
            return self.at(time, Action::Inside(pid, inside));
        }
        let from_network = !matches!(
            inside,
            Inside::Tick | Inside::Write(..) | Inside::Over { .. } | Inside::CommitTimeout(_)
        );
        let cut = self.hosts[process.slot].from_broker_cut_until;
        // What the protocol hears from nobody but its own process comes in any case.
        let own = matches!(
            &inside,
            Inside::Event(Event::Leave | Event::ProducerLost | Event::End { end: None, .. })
        ) || matches!(inside, Inside::Initialised(_, None));
        if from_network && !own && cut > self.now {
            let time = cut + self.travel();
            return self.at(time, Action::Inside(pid, inside));
        }
        match inside {
            Inside::Tick => self.handle(pid, Event::Tick),
            Inside::Event(event) => self.handle(pid, event),
            Inside::Beats { beats, read } => {
                process.fetching.0 = false;
                process.beats_read = read;
                beats.into_iter().for_each(|beat| self.handle(pid, Event::Beat(beat)));
                if self.broker.beats.len() > read {
                    self.request(pid, Request::FetchBeats);
                }
            }
            Inside::Control { payloads, read } => {
                process.fetching.1 = false;
                process.control_read = read;
                events(payloads, read).into_iter().for_each(|event| self.handle(pid, event));
                if self.broker.committed(read).1 > read {
                    self.request(pid, Request::FetchControl);
                }
            }
            Inside::Initialised(attempt, epoch) => {
                if process.attempt == attempt {
                    process.attempt += 1;
                    process.epoch = epoch;
                    self.handle(pid, Event::Initialised(epoch.is_some()));
                }
            }
            Inside::Appended { commit, result } => self.appended(pid, commit, result),
            Inside::Committed { commit, result } => self.committed(pid, commit, result),
            Inside::CommitTimeout(commit) => {
                if process.commit == commit && process.committing {
                    self.producer_lost(pid);
                }
            }
            Inside::Opened(task, generation, epoch) => {
                if let Some(runner) = process.tasks.get_mut(&task)
                    && runner.generation == generation
                    && runner.state == Running::Opening
                {
                    runner.epoch = epoch;
                    self.handle(pid, Event::Opened { task, generation });
                }
            }
            Inside::Write(task, generation) => self.write(pid, task, generation),
            Inside::Written(task, epoch, generation, result) => {
                if let (Err(Fenced), Some(runner)) = (result, process.tasks.get_mut(&task))
                    && runner.generation == generation
                    && runner.epoch == epoch
                    && matches!(runner.state, Running::Going | Running::Suspended)
                {
                    // It cannot tell a time-out from a take-over: it makes its producer anew.
                    runner.state = Running::Opening;
                    self.request(pid, Request::OpenTask(task, generation));
                }
            }
            Inside::Over { task, runner: number, stuck } => {
                let Some(runner) = process.tasks.get(&task).filter(|runner| runner.number == number) else {
                    return;
                };
                let generation = runner.generation;
                process.tasks.remove(&task);
                self.handle(
                    pid,
                    match stuck {
                        true => Event::Stuck { task, generation, fenced: true },
                        false => Event::Released { task, generation },
                    },
                );
            }
        }
    }

    pub(super) fn write(&mut self, pid: Pid, task: TaskName, generation: u64) {
        let Some(process) = self.processes.get(&pid) else { return };
        let Some(runner) = process.tasks.get(&task).filter(|runner| runner.generation == generation) else {
            return;
        };
        let next = self.now + self.random.between(200 * MILLI, 700 * MILLI);
        if process.runs(&task) {
            let request = Request::Write(task.clone(), runner.epoch, generation);
            self.request(pid, request);
        }
        self.at(next, Action::Inside(pid, Inside::Write(task, generation)));
    }

    pub(super) fn appended(&mut self, pid: Pid, commit: u64, result: Result<usize, Fenced>) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        if process.commit != commit || !process.committing {
            return;
        }
        match (result, process.epoch) {
            (Ok(transaction), Some(epoch)) => {
                self.request(pid, Request::Commit { commit, epoch, transaction });
            }
            _ => self.producer_lost(pid),
        }
    }

    pub(super) fn committed(&mut self, pid: Pid, commit: u64, result: Result<u64, Fenced>) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        if process.commit != commit || !process.committing {
            return;
        }
        process.committing = false;
        let ticket = process.commits.pop_front().and_then(|(ticket, _)| ticket);
        match (result, ticket) {
            (Err(Fenced), _) => self.producer_lost(pid),
            (Ok(next), Some(ticket)) => self.handle(pid, Event::Committed { ticket, next }),
            (Ok(_), None) => {}
        }
        self.next_commit(pid);
    }

    pub(super) fn producer_lost(&mut self, pid: Pid) {
        self.drop_producer(pid);
        self.handle(pid, Event::ProducerLost);
    }

    pub(super) fn drop_producer(&mut self, pid: Pid) {
        if let Some(process) = self.processes.get_mut(&pid) {
            process.epoch = None;
            process.commits.clear();
            process.committing = false;
            process.attempt += 1;
        }
    }
}

fn events(control: Vec<(u64, Payload)>, next: u64) -> Vec<Event> {
    let mut events = Vec::new();
    let mut records = Vec::new();
    for (offset, payload) in control {
        match payload {
            Payload::Record(record) => records.push((offset, record)),
            Payload::Channels(channels) => {
                let records = std::mem::take(&mut records);
                events.push(Event::Control { records, next: offset + 1 });
                events.push(Event::Wanted(channels));
            }
            Payload::Marker => {}
        }
    }
    events.push(Event::Control { records, next });
    events
}
