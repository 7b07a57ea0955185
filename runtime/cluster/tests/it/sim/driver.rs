//! What a process does about the effects of the protocol: the part that speaks to Kafka and runs tasks in the real one.

use fairway_cluster::{Effect, Event, TaskName};

use super::broker::Payload;
use super::inside::Inside;
use super::process::{Process, Runner, Running};
use super::way::Request;
use super::world::{Action, MILLI, Pid, SECOND, Time, World};

/// Time after which a client gives up waiting for an answer.
const CLIENT_TIMEOUT: Time = 3 * SECOND;
/// Time after which a commit counts as of unknown outcome.
const COMMIT_TIMEOUT: Time = 4 * SECOND;

impl World {
    /// Has a leader write something, after what it writes already.
    pub(super) fn commit(&mut self, pid: Pid, ticket: Option<u64>, payloads: Vec<Payload>) {
        if let Some(process) = self.processes.get_mut(&pid) {
            process.commits.push_back((ticket, payloads));
            self.next_commit(pid);
        }
    }

    pub(super) fn next_commit(&mut self, pid: Pid) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        let (false, Some(epoch), Some((_, payloads))) =
            (process.committing, process.epoch, process.commits.front())
        else {
            return;
        };
        let payloads = payloads.clone();
        process.committing = true;
        process.commit += 1;
        let commit = process.commit;
        self.request(pid, Request::Append { commit, epoch, payloads });
        self.at(self.now + COMMIT_TIMEOUT, Action::Inside(pid, Inside::CommitTimeout(commit)));
    }
    pub(super) fn handle(&mut self, pid: Pid, event: Event) {
        let now = self.now;
        let Some(process) = self.processes.get_mut(&pid) else { return };
        process.awake = true;
        let ticked = matches!(event, Event::Tick);
        let clock = process.clock(now);
        let effects = process.protocol.handle(event, clock);
        let wakes = process.until(now, process.protocol.wakes(clock));
        for effect in effects {
            if self.trace && !matches!(effect, Effect::Beat(_)) {
                self.log(|| format!("process {pid}: {effect:?}"));
            }
            self.carry_out(pid, effect);
        }
        if ticked {
            self.at(wakes, Action::Inside(pid, Inside::Tick));
        }
    }

    pub(super) fn carry_out(&mut self, pid: Pid, effect: Effect) {
        let Some(process) = self.processes.get_mut(&pid) else { return };
        match effect {
            Effect::Beat(beat) => {
                process.outbox.push_back(beat);
                self.request(pid, Request::Beat);
            }
            Effect::AskEnd(ask) => {
                self.request(pid, Request::End(ask));
                let event = Event::End { ask, end: None };
                self.at(self.now + CLIENT_TIMEOUT, Action::Inside(pid, Inside::Event(event)));
            }
            Effect::Initialise => {
                process.attempt += 1;
                let attempt = process.attempt;
                self.request(pid, Request::Initialise(attempt));
                let late = Inside::Initialised(attempt, None);
                self.at(self.now + CLIENT_TIMEOUT, Action::Inside(pid, late));
            }
            Effect::Commit { ticket, records } => {
                let payloads = records.into_iter().map(Payload::Record).collect();
                self.commit(pid, Some(ticket), payloads);
            }
            Effect::DropProducer => self.drop_producer(pid),
            Effect::FenceTasks { ticket, tasks } => {
                self.request(pid, Request::FenceTasks(ticket, tasks));
                let event = Event::TasksFenced { ticket, done: false };
                self.at(self.now + 2 * CLIENT_TIMEOUT, Action::Inside(pid, Inside::Event(event)));
            }
            Effect::Open { task, generation, .. } => {
                self.sequence += 1;
                let number = self.sequence;
                let runner = Runner { number, generation, epoch: 0, state: Running::Opening };
                let before = process.tasks.insert(task.clone(), runner);
                assert!(before.is_none(), "{task} was opened twice");
                self.request(pid, Request::OpenTask(task, generation));
            }
            Effect::Go(task, generation) => {
                self.goes(pid, &task, Running::Opening);
                self.broker.goes(&task, generation);
                self.at(self.now, Action::Inside(pid, Inside::Write(task, generation)));
            }
            Effect::Resume(task) => self.goes(pid, &task, Running::Suspended),
            Effect::Suspend(task) => {
                // One that has just lost its producer opens again, which writes nothing.
                if let Some(runner) = process.tasks.get_mut(&task)
                    && runner.state == Running::Going
                {
                    runner.state = Running::Suspended;
                }
            }
            Effect::Drain(task) => {
                let wait = self.random.between(MILLI, 400 * MILLI);
                self.end(pid, task, Running::Draining, wait);
            }
            Effect::Halt(task) => {
                let wait = self.random.between(MILLI, 100 * MILLI);
                self.end(pid, task, Running::Ending, wait);
            }
            Effect::Exit(why) => {
                let slot = process.slot;
                self.log(|| format!("{} exits: {why:?}", self.hosts[slot].id));
                self.exits.push(why);
                // Its last beat is sent before it goes.
                while let Some(beat) =
                    self.processes.get_mut(&pid).and_then(|process| process.outbox.pop_front())
                {
                    if self.stalled_until <= self.now && self.hosts[slot].to_broker_cut_until <= self.now {
                        self.broker.beats.push(beat);
                    }
                }
                self.news();
                let wait = self.random.between(500 * MILLI, 3 * SECOND);
                self.crash(slot, Some(wait));
            }
        }
    }

    pub(super) fn end(&mut self, pid: Pid, task: TaskName, state: Running, wait: Time) {
        let stuck = self.random.percent(self.stuck);
        let Some(process) = self.processes.get_mut(&pid) else { return };
        // It may be over already, and its word of that still on the way.
        let Some(runner) = process.tasks.get_mut(&task) else { return };
        let first = !matches!(runner.state, Running::Draining | Running::Ending);
        runner.state = state;
        let runner = runner.number;
        let stuck = stuck && first;
        let wait = if stuck { 3 * SECOND } else { wait };
        self.at(self.now + wait, Action::Inside(pid, Inside::Over { task, runner, stuck }));
    }

    /// A task begins to write here.
    ///
    /// # Panics
    /// If another process that is awake runs it too (I4).
    pub(super) fn goes(&mut self, pid: Pid, task: &TaskName, from: Running) {
        let process = self.processes.get_mut(&pid).expect("it has just said so");
        // It may have lost its producer a moment ago, and opens again; or be over.
        if let Some(runner) = process.tasks.get_mut(task)
            && runner.state == from
        {
            runner.state = Running::Going;
        }
        let runs = |(_, process): &(&Pid, &Process)| {
            process.awake && process.paused_until <= self.now && process.runs(task)
        };
        let owners: Vec<Pid> = self.processes.iter().filter(runs).map(|(pid, _)| *pid).collect();
        assert!(owners.len() <= 1 || !self.one_owner, "{task} runs in processes {owners:?}");
    }
}
