//! The physical form of a channel: what `compile` answers, the canvas draws as the physical view, and a deploy shows
//! before it acts. How a plan is made is the runtime's `compile`; here are its words and the difference of two plans.

mod diff;
mod share;

pub use diff::diff;
pub use share::Share;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::channel::{Guarantee, PortRef};
use crate::component::Kind;

/// The physical form of one version of a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Hash of what the plan was made from: the same document gives the same plan on any machine.
    pub hash: String,
    /// One entry a node that runs: every node of the document.
    pub connectors: Vec<Connector>,
    /// What runs.
    pub tasks: Vec<Task>,
    /// What joins nodes, inside a task or between tasks.
    pub streams: Vec<Stream>,
    /// For each target, the guarantee from end to end.
    pub targets: Vec<Target>,
    /// Whether every source ends by itself.
    pub bounded: bool,
}

/// A node as the runtime sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connector {
    /// Id of the node.
    pub node: String,
    /// Component it is made of.
    pub component: String,
    /// Source, transform or sink.
    pub kind: Kind,
    /// Hash of component, config and what else restarts it when it changes.
    pub hash: String,
    /// For sources: hash of what the position depends on; another hash starts a new position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position_hash: Option<String>,
    /// For sources: hash of each config field that the position depends on, so that a difference can be named.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub position_fields: BTreeMap<String, String>,
}

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Sources, chains and targets in one process.
    Direct,
    /// A source and its chain up to a stream.
    Source,
    /// From streams through a chain into one target.
    Sink,
}

/// The smallest unit of running work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// Stable id within the channel, such as `direct-orders`.
    pub id: String,
    /// What it does.
    pub kind: TaskKind,
    /// Nodes it runs, in topological order.
    pub nodes: Vec<String>,
    /// Hash of everything it runs; another hash restarts it.
    pub hash: String,
    /// Its part of what it reads, where several tasks run the same nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
}

impl Task {
    /// Id of the first of the tasks that run the same nodes. Ids of nodes have no dot.
    pub fn first(id: &str) -> &str {
        id.split('.').next().unwrap_or(id)
    }
}

/// How two ports are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamKind {
    /// In process.
    Direct,
    /// Through a Kafka topic.
    Topic,
}

/// A joint between two ports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stream {
    /// Output port.
    #[schemars(with = "String")]
    pub from: PortRef,
    /// Input port.
    #[schemars(with = "String")]
    pub to: PortRef,
    /// In process or by topic.
    pub kind: StreamKind,
}

/// A target and what is promised about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// Id of the sink node.
    pub node: String,
    /// The guarantee from every source that reaches it.
    pub delivery: Guarantee,
    /// Why it is no better, when it is not exactly once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// What a deploy would do to what runs now.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlanDiff {
    /// Tasks that start.
    pub starts: Vec<String>,
    /// Tasks that stop.
    pub stops: Vec<String>,
    /// Tasks that restart, each with its reason.
    pub restarts: Vec<Restart>,
    /// Tasks that are not touched.
    pub keeps: Vec<String>,
    /// What becomes of each source's position.
    pub positions: Vec<PositionChange>,
}

/// A task that restarts and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Restart {
    /// Id of the task.
    pub task: String,
    /// Nodes that changed, came or went, or whose edges did; empty when it is the channel's settings that changed.
    pub because: Vec<String>,
}

/// What becomes of a source's position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PositionChange {
    /// Id of the source node.
    pub node: String,
    /// Kept, new or dropped.
    pub fate: PositionFate,
    /// Config fields whose change starts a new position (`component` for another component); empty for a new source.
    pub because: Vec<String>,
}

/// What becomes of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PositionFate {
    /// Goes on where it stands.
    Kept,
    /// Starts at the beginning.
    New,
    /// The source is gone.
    Dropped,
}
