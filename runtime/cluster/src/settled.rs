//! What is settled: the cluster's records on the control topic, as far as this worker has read them.

use std::collections::{BTreeMap, BTreeSet};

use crate::name::{Life, TaskName};
use crate::record::{Allocation, Leader, Record, Slot};

/// What one worker has read of the control topic. Workers that have read as far hold the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    next: u64,
    leader: Option<Leader>,
    allocations: BTreeMap<String, Allocation>,
    verdicts: BTreeSet<Life>,
    drained: BTreeSet<String>,
}

impl Settled {
    /// Takes in a record that lies at an offset.
    pub(crate) fn apply(&mut self, offset: u64, record: Record) {
        match record {
            Record::Leader(leader) => self.leader = Some(leader),
            Record::Allocation(uid, None) => {
                self.allocations.remove(&uid);
            }
            Record::Allocation(uid, Some(mut allocation)) => {
                for slot in allocation.tasks.values_mut() {
                    slot.generation.get_or_insert(offset);
                    if let Some(revoked) = &mut slot.revoked {
                        revoked.at.get_or_insert(offset);
                    }
                }
                self.allocations.insert(uid, allocation);
            }
            Record::Verdict(life, true) => {
                self.verdicts.insert(life);
            }
            Record::Verdict(life, false) => {
                self.verdicts.remove(&life);
            }
            Record::Drained(worker, true) => {
                self.drained.insert(worker);
            }
            Record::Drained(worker, false) => {
                self.drained.remove(&worker);
            }
        }
        self.pass(offset + 1);
    }

    /// Everything before this offset has been read.
    pub(crate) fn pass(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Everything before this offset has been read.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Who was last written down as the leader.
    pub fn leader(&self) -> Option<&Leader> {
        self.leader.as_ref()
    }

    /// Who runs what, by channel.
    pub fn allocations(&self) -> &BTreeMap<String, Allocation> {
        &self.allocations
    }

    /// Those who are accused of being dead.
    pub fn verdicts(&self) -> &BTreeSet<Life> {
        &self.verdicts
    }

    /// Workers that are to have no tasks.
    pub fn drained(&self) -> &BTreeSet<String> {
        &self.drained
    }

    /// Every grant.
    pub fn slots(&self) -> impl Iterator<Item = (TaskName, &Slot)> {
        self.allocations.iter().flat_map(|(uid, allocation)| {
            allocation.tasks.iter().map(move |(task, slot)| (TaskName::new(uid, task), slot))
        })
    }

    /// The grant of a task.
    pub fn slot(&self, name: &TaskName) -> Option<&Slot> {
        self.allocations.get(&name.channel)?.tasks.get(&name.task)
    }

    /// Whether a life holds a grant of any task, a revoked one too.
    pub fn holds_any(&self, life: &Life) -> bool {
        self.slots().any(|(_, slot)| slot.life == *life)
    }
}

impl Slot {
    /// Number of the grant, once it has been read from the topic.
    pub fn number(&self) -> u64 {
        self.generation.unwrap_or_default()
    }
}
