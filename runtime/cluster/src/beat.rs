//! What a worker says of itself, every second and at each change, to all others.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::name::{Life, TaskName};

/// Generation of tasks, by channel and task.
pub type Holds = BTreeMap<String, BTreeMap<String, u64>>;

/// A sign of life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// Who sends it.
    pub life: Life,
    /// Counts the beats of this life, from 1.
    pub number: u64,
    /// Where the worker is in its life.
    pub stage: Stage,
    /// The epoch in which it leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leading: Option<u64>,
    /// Every control record before this offset has been read and acted on.
    pub applied: u64,
    /// Tasks that it may still be running.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub holds: Holds,
    /// How busy its process is, in thousandths of a core.
    #[serde(default)]
    pub load: u32,
    /// What it is.
    #[serde(default)]
    pub about: About,
}

impl Beat {
    /// Whether the worker may still be running a task under this generation.
    pub fn holds(&self, name: &TaskName, generation: u64) -> bool {
        self.holds.get(&name.channel).and_then(|tasks| tasks.get(&name.task)) == Some(&generation)
    }
}

/// Where a worker is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// It listens whether its name is free and reads what is settled.
    Waiting,
    /// It runs tasks.
    Joined,
    /// It hands over its tasks and will go.
    Leaving,
    /// It is gone; its last beat.
    Left,
}

/// What a worker is, for allocation and for those who look at the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct About {
    /// Where its API answers, as others reach it.
    #[serde(default)]
    pub address: String,
    /// Version of Fairway.
    #[serde(default)]
    pub version: String,
    /// How much it can carry beside others; 0 counts as 1.
    #[serde(default)]
    pub capacity: u32,
    /// What its operator said of it, such as `zone: b`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Components that it can run.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub components: BTreeSet<String>,
}
