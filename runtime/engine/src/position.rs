//! Where a source stands, and how far each target has come.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A resume point of one source partition.
///
/// `order` ranks records within the partition: every record has one, rising strictly, and the position with order *n*
/// covers exactly the records with order ≤ *n*. A source that replays from a position must give the same records the
/// same orders, or targets could not skip what they have (`Guarantee` of the source says whether it can promise that).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// Rank of the last record covered; 0 is before the first.
    pub order: u64,
    /// What the source needs to go on from here. Opaque to everybody else.
    pub token: Value,
}

impl Position {
    /// The position before the first record.
    pub fn start() -> Self {
        Self { order: 0, token: Value::Null }
    }
}

/// What a target's watermark belongs to: the records of one source partition that come by one way.
///
/// Records that an errors port of a *sink* hands on arrive out of step with those that come straight, so they have a
/// watermark of their own: `via` names that sink.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StreamKey {
    /// Source node.
    pub source: Arc<str>,
    /// Partition of the source, such as a file or table; empty where there is just one.
    pub partition: Arc<str>,
    /// Sink whose errors port handed the records on; empty for the straight way.
    pub via: Arc<str>,
}

/// What stands for the source of dead letters that are tried again.
const REPLAY: &str = "~replay";

impl StreamKey {
    /// The straight way from a source partition.
    pub fn straight(source: &str, partition: &str) -> Self {
        Self { source: source.into(), partition: partition.into(), via: "".into() }
    }

    /// Dead letters that are tried again in a task, numbered as they were asked for. Node ids have no `~`.
    pub fn replay(task: &str) -> Self {
        Self { source: REPLAY.into(), partition: task.into(), via: "".into() }
    }

    /// Whether it is a stream of dead letters that are tried again.
    pub fn is_replay(&self) -> bool {
        &*self.source == REPLAY
    }

    /// The same records, handed on by a sink's errors port.
    #[must_use]
    pub fn via(&self, sink: &str) -> Self {
        Self { via: sink.into(), ..self.clone() }
    }
}

impl fmt::Display for StreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.source, self.partition)?;
        if !self.via.is_empty() {
            write!(f, " via {}", self.via)?;
        }
        Ok(())
    }
}

/// How far a stream has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Which stream.
    pub stream: StreamKey,
    /// Everything up to here is done.
    pub position: Position,
}
