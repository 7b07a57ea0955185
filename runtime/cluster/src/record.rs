//! The cluster's own records on the control topic. Other keys there are other people's business and are left alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::name::Life;

/// Most bytes of one record: some 50,000 tasks of one channel, and as many in one beat. Topics of a cluster are made to take it, whatever
/// brokers take by themselves.
pub const LARGEST: usize = 12_000_000;

/// A change of what is settled. Written by the leader alone, inside a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// Who leads.
    Leader(Leader),
    /// Who runs the tasks of a channel; none once the channel is gone and nobody holds a task of it.
    Allocation(String, Option<Allocation>),
    /// Whether a life is accused of being dead.
    Verdict(Life, bool),
    /// Whether a worker is to have no tasks, by its id.
    Drained(String, bool),
}

/// Who leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leader {
    /// Counts the leaders.
    pub epoch: u64,
    /// The leader.
    pub life: Life,
    /// Whether it has gone of its own accord, so that nobody need wait for its silence.
    #[serde(default)]
    pub left: bool,
}

/// Who runs the tasks of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Allocation {
    /// By task id.
    pub tasks: BTreeMap<String, Slot>,
}

/// A grant of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Whom it is granted to.
    pub life: Life,
    /// Number of the grant: the offset of the record that made it, which is absent in that record itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// Hash of what the task runs.
    pub form: String,
    /// Why this worker has it.
    pub why: Why,
    /// That the holder is to let it go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Revoked>,
}

/// That a task is to be let go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revoked {
    /// Offset of the record that says so first, which is absent in that record itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Why.
    pub why: Why,
}

/// Why a task is where it is, or must go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The channel was started, or has this task anew.
    Started,
    /// What the task runs was changed.
    Changed,
    /// The channel was stopped, or has this task no more.
    Stopped,
    /// The worker that had it died.
    WorkerLost,
    /// The worker that had it leaves.
    WorkerLeaves,
    /// The worker that had it is to have no tasks.
    WorkerDrained,
    /// The worker that had it does not fit any more: labels or components.
    Misfit,
    /// The spread over the workers is better so.
    Balance,
}

const LEADER: &str = "leader";
const ALLOCATION: &str = "allocation/";
const VERDICT: &str = "verdict/";
const DRAINED: &str = "drained/";

impl Record {
    /// Key and value as they lie in the topic; no value deletes.
    pub fn encode(&self) -> (String, Option<String>) {
        match self {
            Self::Leader(leader) => (LEADER.to_owned(), Some(json(leader))),
            Self::Allocation(uid, allocation) => {
                (format!("{ALLOCATION}{uid}"), allocation.as_ref().map(json))
            }
            // The incarnation goes first: an id may hold any character.
            Self::Verdict(life, accused) => {
                (format!("{VERDICT}{}/{}", life.incarnation, life.worker), accused.then(|| "{}".to_owned()))
            }
            Self::Drained(worker, on) => (format!("{DRAINED}{worker}"), on.then(|| "{}".to_owned())),
        }
    }

    /// What a key and its value say; `None` for keys of others, and for values of a later Fairway.
    pub fn decode(key: &str, value: Option<&str>) -> Option<Self> {
        if key == LEADER {
            return Some(Self::Leader(serde_json::from_str(value?).ok()?));
        }
        if let Some(uid) = key.strip_prefix(ALLOCATION) {
            let allocation = value.map(serde_json::from_str).transpose().ok()?;
            return Some(Self::Allocation(uid.to_owned(), allocation));
        }
        if let Some(life) = key.strip_prefix(VERDICT) {
            let (incarnation, worker) = life.split_once('/')?;
            return Some(Self::Verdict(Life::new(worker, incarnation.parse().ok()?), value.is_some()));
        }
        key.strip_prefix(DRAINED).map(|worker| Self::Drained(worker.to_owned(), value.is_some()))
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain structs with text for keys can be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_were() {
        let life = Life::new("a/b", u64::MAX);
        let slot = Slot {
            life: life.clone(),
            generation: None,
            form: "f".into(),
            why: Why::WorkerLost,
            revoked: Some(Revoked { at: Some(7), why: Why::Balance }),
        };
        let allocation = Allocation { tasks: BTreeMap::from([("t".to_owned(), slot)]) };
        for record in [
            Record::Leader(Leader { epoch: 3, life: life.clone(), left: true }),
            Record::Allocation("u".into(), Some(allocation)),
            Record::Allocation("u".into(), None),
            Record::Verdict(life.clone(), true),
            Record::Verdict(life, false),
            Record::Drained("w".into(), true),
            Record::Drained("w".into(), false),
        ] {
            let (key, value) = record.encode();
            assert_eq!(Record::decode(&key, value.as_deref()), Some(record));
        }
    }

    #[test]
    fn what_others_wrote_is_left_alone() {
        for (key, value) in [("draft/u", Some("{}")), ("leader", Some("{\"later\":1}")), ("leader", None)] {
            assert_eq!(Record::decode(key, value), None, "{key}");
        }
    }
}
