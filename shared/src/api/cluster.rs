//! The workers that share channels, who runs what and why. A process that runs alone answers as a cluster of one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::{None, endpoint};
use super::status::ChannelState;

/// Workers and tasks, as the worker that answers sees them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterStatus {
    /// Name of the cluster; empty for a process that runs alone.
    pub name: String,
    /// Worker that answers.
    pub me: String,
    /// Whether the worker that answers can show that it is alive. If not, the brokers are out of its reach and what it says may
    /// be old.
    pub in_touch: bool,
    /// Worker that leads; absent while one is being chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader: Option<Leading>,
    /// Everything that is settled before this offset is in this answer; `?min_offset=` waits for one.
    pub offset: u64,
    /// By id.
    pub workers: Vec<WorkerStatus>,
    /// By channel and task.
    pub tasks: Vec<TaskPlace>,
}

/// Who leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Leading {
    /// Id of the worker.
    pub worker: String,
    /// Counts the leaders.
    pub epoch: u64,
}

/// Where a worker is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    /// It has started and listens; it has no tasks yet.
    Joining,
    /// It runs tasks.
    Ready,
    /// It is to have no tasks: they are handed over, new ones go elsewhere.
    Drained,
    /// It hands over its tasks and will go.
    Leaving,
    /// Nothing is heard of it: it is dead, cut off or frozen. Its tasks move to others.
    Silent,
}

/// A worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerStatus {
    /// Its id.
    pub id: String,
    /// Where it is in its life.
    pub state: WorkerState,
    /// Address of its designer and API.
    pub address: String,
    /// Version of Fairway.
    pub version: String,
    /// Whether it leads.
    pub leads: bool,
    /// How busy its process is, in cores.
    pub load: f64,
    /// How much it can carry beside others.
    pub capacity: u32,
    /// What its operator said of it.
    pub labels: BTreeMap<String, String>,
    /// Tasks that are granted to it.
    pub tasks: u64,
    /// For how long nothing was heard of it, in milliseconds.
    pub silent_ms: u64,
}

/// Why a task is where it is, or must go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaceReason {
    /// The channel was started, or has this task anew.
    Started,
    /// What the task runs was changed.
    Changed,
    /// The channel was stopped, or has this task no more.
    Stopped,
    /// The worker that had it died.
    WorkerLost,
    /// The worker that had it left.
    WorkerLeaves,
    /// The worker that had it is to have no tasks.
    WorkerDrained,
    /// The worker that had it does not fit any more: labels or components.
    Misfit,
    /// The spread over the workers is better so.
    Balance,
}

/// Where a task is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskPlace {
    /// Uid of the channel.
    pub channel: String,
    /// Name of the channel.
    pub channel_name: String,
    /// Id of the task within the channel.
    pub task: String,
    /// Worker that has it; absent while none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// Number of the grant; it rises over the whole cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// Why that worker has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<PlaceReason>,
    /// Why it must go from there, if it must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub going: Option<PlaceReason>,
    /// What its worker says of it.
    pub state: ChannelState,
}

/// Changes of places, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moves {
    /// Of the last week, but not without end; an election or a new start of a worker forgets none.
    pub moves: Vec<Move>,
}

/// A task got another place, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// When it was seen, RFC 3339.
    pub at: String,
    /// Uid of the channel.
    pub channel: String,
    /// Id of the task within the channel.
    pub task: String,
    /// Worker that had it, if one had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Worker that has it now, if one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Why.
    pub why: PlaceReason,
    /// Number of the new grant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
}

endpoint!(GetCluster, Get "/api/v1/cluster" None => ClusterStatus, "Says which workers there are and who runs what, with reasons.");
endpoint!(GetMoves, Get "/api/v1/cluster/history" None => Moves, "Lists which tasks changed their worker, and why.");
endpoint!(DrainWorker, Post "/api/v1/cluster/workers/{id}/drain" None => None, "Has a worker hand over its tasks and get no new ones.", 204);
endpoint!(UndrainWorker, Delete "/api/v1/cluster/workers/{id}/drain" None => None, "Lets a drained worker have tasks again.", 204);
