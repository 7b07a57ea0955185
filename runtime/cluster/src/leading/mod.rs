//! What the leader decides. Each decision is a set of records that take effect by one committed transaction, or not at all; the next
//! one is taken only when the last has been read back, so that a leader never builds on what it merely hopes.

mod view;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub(crate) use self::view::View;
use crate::allocate::{self, Hosts, Placement, allocate};
use crate::effect::{Channels, Wanted};
use crate::name::{Life, TaskName};
use crate::record::{Allocation, Record, Revoked, Slot, Why};
use crate::settled::Settled;
use crate::time::Moment;

/// What is to be done.
#[derive(Debug, Default)]
pub(crate) struct Decision {
    /// To be written.
    pub(crate) records: Vec<Record>,
    /// Tasks whose transactional ids are to be fenced.
    pub(crate) fence: Vec<TaskName>,
    /// A beat is waited for.
    pub(crate) hurry: bool,
}

/// What the leader knows beside what is settled.
#[derive(Debug)]
pub(crate) struct Leading {
    pub(crate) epoch: u64,
    /// Offset behind the last commit: nothing is decided before it has been read.
    needed: u64,
    /// Number of the commit under way.
    committing: Option<u64>,
    marks: BTreeMap<Life, Mark>,
    fencing: Option<Fencing>,
    fenced: BTreeSet<(TaskName, u64)>,
    plan: Option<Plan>,
}

/// How far the death of a life is established. A verdict is settled first; then a beat of the leader that was sent after it must come
/// back without one of the accused before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// This beat of the leader, or a later one, must come back.
    Awaited(u64),
    /// It did, and the accused was silent.
    Passed,
}

#[derive(Debug)]
struct Fencing {
    ticket: u64,
    tasks: BTreeSet<(TaskName, u64)>,
    /// It failed; not before this moment again.
    again: Option<Moment>,
}

/// Who should run what, and what that was worked out from.
#[derive(Debug)]
struct Plan {
    hosts: Hosts,
    wanted: Arc<Channels>,
    placement: Placement,
    at: Moment,
    /// Something has changed since, and it is too early for a new one: by this one nothing that is settled moves.
    outdated: bool,
}

impl Leading {
    /// Leads in an epoch; its leader record ends before `needed`.
    pub(crate) fn new(epoch: u64, needed: u64) -> Self {
        Self {
            epoch,
            needed,
            committing: None,
            marks: BTreeMap::new(),
            fencing: None,
            fenced: BTreeSet::new(),
            plan: None,
        }
    }

    /// Tasks that no worker fits.
    pub(crate) fn nowhere(&self) -> Option<&BTreeSet<TaskName>> {
        self.plan.as_ref().map(|plan| &plan.placement.nowhere)
    }

    pub(crate) fn commits(&mut self, ticket: u64) {
        self.committing = Some(ticket);
    }

    pub(crate) fn committed(&mut self, ticket: u64, next: u64) {
        if self.committing == Some(ticket) {
            self.committing = None;
            self.needed = self.needed.max(next);
        }
    }

    pub(crate) fn fences(&mut self, ticket: u64) {
        if let Some(fencing) = &mut self.fencing {
            fencing.ticket = ticket;
        }
    }

    pub(crate) fn tasks_fenced(&mut self, ticket: u64, done: bool, again: Moment) {
        match self.fencing.take_if(|fencing| fencing.ticket == ticket) {
            Some(fencing) if done => self.fenced.extend(fencing.tasks),
            Some(fencing) => self.fencing = Some(Fencing { again: Some(again), ..fencing }),
            None => {}
        }
    }

    /// A beat of the leader came back; everything that was sent before it has been heard.
    pub(crate) fn came_back(&mut self, number: u64, view: &View<'_>) {
        self.marks.retain(|life, mark| {
            let silent = view.is_silent(life);
            if silent && matches!(mark, Mark::Awaited(awaited) if *awaited <= number) {
                *mark = Mark::Passed;
            }
            // Whoever was heard needs a mark that was sent after it fell silent again.
            silent
        });
    }

    /// Whether a decision may be taken now.
    pub(crate) fn is_free(&self, settled: &Settled) -> bool {
        self.committing.is_none() && settled.next() >= self.needed
    }

    /// What is to be done now.
    pub(crate) fn decide(&mut self, view: &View<'_>) -> Decision {
        let mut decision = Decision::default();
        if !self.is_free(view.settled) {
            return decision;
        }
        self.judge(view, &mut decision);
        self.plan(view);
        let mut fence = BTreeSet::new();
        let channels: BTreeSet<&String> =
            view.settled.allocations().keys().chain(view.wanted.keys()).collect();
        for uid in channels {
            self.share_out(uid, view, &mut decision.records, &mut fence);
        }
        self.fenced.retain(|(name, generation)| {
            view.settled.slot(name).is_some_and(|slot| slot.number() == *generation)
        });
        let may_fence =
            self.fencing.as_ref().is_none_or(|fencing| fencing.again.is_some_and(|again| again <= view.now));
        if may_fence && !fence.is_empty() {
            decision.fence = fence.iter().map(|(name, _)| name.clone()).collect();
            self.fencing = Some(Fencing { ticket: 0, tasks: fence, again: None });
        }
        decision
    }

    /// Accuses the silent, acquits those who are heard again.
    fn judge(&mut self, view: &View<'_>, decision: &mut Decision) {
        let holders: BTreeSet<&Life> = view.settled.slots().map(|(_, slot)| &slot.life).collect();
        let accused = view.settled.verdicts();
        self.marks.retain(|life, _| accused.contains(life));
        for life in accused {
            if holders.contains(life) && view.is_silent(life) {
                // Sent from now on, and so after the verdict was settled.
                self.marks.entry(life.clone()).or_insert_with(|| {
                    decision.hurry = true;
                    Mark::Awaited(view.next_beat)
                });
            } else {
                self.marks.remove(life);
                decision.records.push(Record::Verdict(life.clone(), false));
            }
        }
        for life in holders {
            if !accused.contains(life) && view.is_silent(life) {
                decision.records.push(Record::Verdict(life.clone(), true));
            }
        }
    }

    /// Works out who should run what, if something has changed, and not too often.
    fn plan(&mut self, view: &View<'_>) {
        let hosts: Hosts = view.hosts.keys().map(|id| ((*id).to_owned(), view.about(id))).collect();
        if let Some(plan) = &mut self.plan {
            plan.outdated = plan.hosts != hosts || !Arc::ptr_eq(&plan.wanted, view.wanted);
            if !plan.outdated || view.now.since(plan.at) < view.timing.rebalance {
                return;
            }
        }
        let tasks: Vec<(TaskName, &allocate::Task)> = view
            .wanted
            .iter()
            .flat_map(|(uid, tasks)| {
                tasks.iter().map(move |(task, wanted)| (TaskName::new(uid, task), &wanted.task))
            })
            .collect();
        let mut present = HashMap::new();
        for (name, slot) in view.settled.slots() {
            // What is on its way already goes on to where it was going.
            let going = self.plan.as_ref().and_then(|plan| plan.placement.at.get(&name));
            let at = slot.revoked.as_ref().and(going).unwrap_or(&slot.life.worker);
            present.insert(name, at.as_str());
        }
        let placement = allocate(view.strategy, &hosts, &tasks, &present);
        self.plan =
            Some(Plan { hosts, wanted: view.wanted.clone(), placement, at: view.now, outdated: false });
    }

    /// Writes a channel's allocation anew, if anything is to be revoked, granted or struck off.
    fn share_out(
        &self,
        uid: &String,
        view: &View<'_>,
        records: &mut Vec<Record>,
        fence: &mut BTreeSet<(TaskName, u64)>,
    ) {
        let empty = Allocation::default();
        let before = view.settled.allocations().get(uid).unwrap_or(&empty);
        let wanted = view.wanted.get(uid);
        let mut after = Allocation::default();
        let mut changed_tasks = BTreeSet::new();
        let mut old_set = false;
        for (task, slot) in &before.tasks {
            let name = TaskName::new(uid, task);
            let wish = wanted.and_then(|tasks| tasks.get(task));
            let same = wish.filter(|wish| wish.form == slot.form);
            let next = match same {
                Some(wish) => self.same(&name, slot, wish, view),
                None => {
                    let next = self.old(&name, slot, wish.is_some(), view, fence);
                    old_set |= next.is_some();
                    changed_tasks.insert(task);
                    next
                }
            };
            after.tasks.extend(next.map(|slot| (task.clone(), slot)));
        }
        // A changed set of tasks begins only when all of the old one are gone and fenced.
        for (task, wish) in wanted.into_iter().flatten().filter(|_| !old_set) {
            if after.tasks.contains_key(task) {
                continue;
            }
            if let Some(life) = self.target(&TaskName::new(uid, task), view) {
                let why = if changed_tasks.contains(task) { Why::Changed } else { Why::Started };
                after.tasks.insert(task.clone(), grant(life, wish, why));
            }
        }
        if after != *before {
            let allocation = (!after.tasks.is_empty()).then_some(after);
            records.push(Record::Allocation(uid.clone(), allocation));
        }
    }

    /// What becomes of the grant of a task that is wanted as it is.
    fn same(&self, name: &TaskName, slot: &Slot, wish: &Wanted, view: &View<'_>) -> Option<Slot> {
        let target = self.target(name, view);
        if target == Some(&slot.life) && slot.revoked.is_none() {
            return Some(slot.clone());
        }
        let outdated = self.plan.as_ref().is_none_or(|plan| plan.outdated);
        if self.is_free_of(name, slot, view) && !(outdated && target.is_none()) {
            let why = slot.revoked.as_ref().map_or(Why::WorkerLost, |revoked| revoked.why);
            return target.map(|life| grant(life, wish, why));
        }
        if slot.revoked.is_some() || view.is_silent(&slot.life) || outdated {
            return Some(slot.clone());
        }
        let why = if view.is_leaving(&slot.life) {
            Why::WorkerLeaves
        } else if view.settled.drained().contains(&slot.life.worker) {
            Why::WorkerDrained
        } else if !allocate::fits(&wish.task, &view.about(&slot.life.worker)) {
            Why::Misfit
        } else {
            Why::Balance
        };
        Some(revoke(slot, why))
    }

    /// What becomes of the grant of a task that is not wanted any more, or not in this form.
    fn old(
        &self,
        name: &TaskName,
        slot: &Slot,
        changed: bool,
        view: &View<'_>,
        fence: &mut BTreeSet<(TaskName, u64)>,
    ) -> Option<Slot> {
        if self.is_free_of(name, slot, view) {
            let id = (name.clone(), slot.number());
            if self.fenced.contains(&id) {
                return None;
            }
            fence.insert(id);
            return Some(slot.clone());
        }
        if slot.revoked.is_some() || view.is_silent(&slot.life) {
            return Some(slot.clone());
        }
        Some(revoke(slot, if changed { Why::Changed } else { Why::Stopped }))
    }

    /// Whether nobody runs a task under a grant any more (I4): its holder has let go, or its death is established.
    fn is_free_of(&self, name: &TaskName, slot: &Slot, view: &View<'_>) -> bool {
        if self.marks.get(&slot.life) == Some(&Mark::Passed) && view.settled.verdicts().contains(&slot.life) {
            return true;
        }
        let Some(at) = slot.revoked.as_ref().and_then(|revoked| revoked.at) else { return false };
        if slot.life == *view.me {
            return view.holding.generation(name) != Some(slot.number());
        }
        let said = view.census.peer(&slot.life).map(|peer| &peer.beat);
        said.is_some_and(|beat| beat.applied > at && !beat.holds(name, slot.number()))
    }

    /// The life that should run a task, as far as it may.
    fn target<'v>(&self, name: &TaskName, view: &View<'v>) -> Option<&'v Life> {
        let id = self.plan.as_ref()?.placement.at.get(name)?;
        view.hosts.get(id.as_str()).copied()
    }
}

fn grant(life: &Life, wish: &Wanted, why: Why) -> Slot {
    Slot { life: life.clone(), generation: None, form: wish.form.clone(), why, revoked: None }
}

fn revoke(slot: &Slot, why: Why) -> Slot {
    Slot { revoked: Some(Revoked { at: None, why }), ..slot.clone() }
}
