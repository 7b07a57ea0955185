//! The tasks that this worker holds, and what is to become of each: opened, let go, suspended, drained, ended.
//!
//! A task begins in two steps. It *opens*: its transactional id fences whoever had it. Only then the worker asks where control
//! ends, reads so far, and lets it *go* if the grant still stands. So the order in which owners fence one another is the order of
//! their grants: an owner that comes late finds a newer grant before it has written anything (I3, I4).

use std::collections::BTreeMap;

use crate::beat::Holds;
use crate::effect::Effect;
use crate::ends::{Ends, Ticket};
use crate::name::{Life, TaskName};
use crate::settled::Settled;

/// A task that this worker holds.
#[derive(Debug)]
struct Held {
    generation: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Asked to open.
    Opening,
    /// Open; it goes once control has been read so far and the grant still stands.
    Open(Ticket),
    /// It runs.
    Going,
    /// It runs, and writes nothing.
    Suspended,
    /// Asked to drain and end.
    Draining,
    /// Asked to end at once.
    Ending,
}

/// All tasks that this worker holds.
#[derive(Debug, Default)]
pub(crate) struct Holding {
    tasks: BTreeMap<TaskName, Held>,
}

impl Holding {
    /// Brings what is held in line with what is granted. Nothing begins or goes on without `trust`.
    pub(crate) fn follow(
        &mut self,
        me: &Life,
        settled: &Settled,
        ends: &Ends,
        trust: bool,
        effects: &mut Vec<Effect>,
    ) {
        for (name, held) in &mut self.tasks {
            let slot = settled.slot(name).filter(|slot| slot.life == *me && slot.number() == held.generation);
            let name = || name.clone();
            match (slot.map(|slot| slot.revoked.is_some()), held.state) {
                (_, State::Ending) | (Some(true), State::Draining) => {}
                // What is granted to somebody else may be running there.
                (None, _) => {
                    held.state = State::Ending;
                    effects.push(Effect::Halt(name()));
                }
                (Some(true), _) => {
                    held.state = State::Draining;
                    effects.push(Effect::Drain(name()));
                }
                (Some(false), State::Open(ticket)) if trust && ends.is_settled(ticket) => {
                    held.state = State::Going;
                    effects.push(Effect::Go(name(), held.generation));
                }
                (Some(false), State::Suspended) if trust => {
                    held.state = State::Going;
                    effects.push(Effect::Resume(name()));
                }
                (Some(false), _) => {}
            }
        }
        if !trust {
            return;
        }
        for (name, slot) in settled.slots() {
            if slot.life == *me && slot.revoked.is_none() && !self.tasks.contains_key(&name) {
                let generation = slot.number();
                self.tasks.insert(name.clone(), Held { generation, state: State::Opening });
                effects.push(Effect::Open { task: name, generation, form: slot.form.clone() });
            }
        }
    }

    /// No proof of being alive for a while: nothing may be written, but all may go on.
    pub(crate) fn suspend(&mut self, effects: &mut Vec<Effect>) {
        for (name, held) in self.tasks.iter_mut().filter(|(_, held)| held.state == State::Going) {
            held.state = State::Suspended;
            effects.push(Effect::Suspend(name.clone()));
        }
    }

    /// No proof for so long that others may soon run what is held here.
    pub(crate) fn halt(&mut self, effects: &mut Vec<Effect>) {
        for (name, held) in self.tasks.iter_mut().filter(|(_, held)| held.state != State::Ending) {
            held.state = State::Ending;
            effects.push(Effect::Halt(name.clone()));
        }
    }

    /// A task has fenced whoever had it; again after its producer was lost.
    pub(crate) fn opened(&mut self, name: &TaskName, generation: u64, ends: &mut Ends) {
        if let Some(held) = self.tasks.get_mut(name)
            && held.generation == generation
            && matches!(held.state, State::Opening | State::Open(_) | State::Going | State::Suspended)
        {
            held.state = State::Open(ends.want());
        }
    }

    /// A task is over and writes nothing any more; answers whether it was held.
    pub(crate) fn released(&mut self, name: &TaskName, generation: u64) -> bool {
        let held = self.tasks.get(name).is_some_and(|held| held.generation == generation);
        if held {
            self.tasks.remove(name);
        }
        held
    }

    /// Generation under which a task is held.
    pub(crate) fn generation(&self, name: &TaskName) -> Option<u64> {
        self.tasks.get(name).map(|held| held.generation)
    }

    /// Whether nothing is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Generation of each task that may still be running, by channel and task.
    pub(crate) fn list(&self) -> Holds {
        let mut list = Holds::new();
        for (name, held) in &self.tasks {
            list.entry(name.channel.clone()).or_default().insert(name.task.clone(), held.generation);
        }
        list
    }
}
