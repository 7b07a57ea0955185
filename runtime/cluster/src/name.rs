//! What workers and tasks are called.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One life of a worker: its id, and a number that differs at every start. Everything is granted to lives, so that a worker that
/// comes back under its old id owns nothing of what the old one owned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Life {
    /// Id of the worker, as its operator gave it.
    pub worker: String,
    /// Drawn at random when the process starts.
    pub incarnation: u64,
}

impl Life {
    /// A life of a worker.
    pub fn new(worker: impl Into<String>, incarnation: u64) -> Self {
        Self { worker: worker.into(), incarnation }
    }
}

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{:x}", self.worker, self.incarnation)
    }
}

/// A task of a channel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskName {
    /// The channel's uid.
    pub channel: String,
    /// Id of the task within the channel.
    pub task: String,
}

impl TaskName {
    /// A task of a channel.
    pub fn new(channel: impl Into<String>, task: impl Into<String>) -> Self {
        Self { channel: channel.into(), task: task.into() }
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.channel, self.task)
    }
}
