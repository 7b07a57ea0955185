//! What is observed of a channel: state, cause, counts by node and edge, tasks, history.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetState {
    /// Move records.
    Running,
    /// Read nothing new, keep connections.
    Paused,
    /// Read nothing and release everything.
    Stopped,
}

/// What is observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelState {
    /// Never deployed.
    #[default]
    Draft,
    /// Tasks are being opened.
    Starting,
    /// Records move.
    Running,
    /// Runs, but a target or source is out of reach; it is retried.
    Degraded,
    /// A failed task waits for its restart.
    Restarting,
    /// Drained, connections kept.
    Paused,
    /// Needs a decision: the outside does not match the positions.
    Hold,
    /// Everything released.
    Stopped,
    /// Every source ended and everything is delivered.
    Completed,
    /// The restart budget is spent, or the cause is not worth a retry.
    Failed,
}

/// Why something is in its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// Permanent dotted code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Node it happened at.
    pub node: Option<String>,
}

/// Counts by source record: read = delivered + filtered + dead-lettered (+ still in flight), also after dead letters were
/// tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Records brought in.
    pub read: u64,
    /// Records with a delivered descendant and none dead-lettered, and those whose dead letters were tried again with
    /// success.
    pub delivered: u64,
    /// Records dropped by a rule.
    pub filtered: u64,
    /// Records with a dead-lettered descendant, whether the letter is still there or was discarded; but not those whose letters
    /// were all tried again with success.
    pub dead_lettered: u64,
    /// Deliveries tried again.
    pub retried: u64,
    /// Of the delivered records, those that were dead-lettered first.
    #[serde(default)]
    pub replayed: u64,
}

/// Counts and rates of one node; in + made = out + filtered + errors.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NodeStatus {
    /// Records that entered (for a source: were read).
    #[serde(rename = "in")]
    pub entered: u64,
    /// Records that left (for a sink: were delivered).
    pub out: u64,
    /// Records dropped here by a rule.
    pub filtered: u64,
    /// Records refused here.
    pub errors: u64,
    /// Records made here, beyond one for each that entered: by splitting, or by sending one record several ways.
    #[serde(default)]
    pub made: u64,
    /// Records entering a second, over the last seconds.
    pub in_rate: f64,
    /// Records leaving a second, over the last seconds.
    pub out_rate: f64,
}

/// What passes an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeStatus {
    /// Output port as written in the document.
    pub from: String,
    /// Input port as written in the document.
    pub to: String,
    /// Records passed.
    pub records: u64,
    /// Records a second, over the last seconds.
    pub rate: f64,
    /// Fill of the queue behind this edge, 0 to 1.
    pub fill: f64,
}

/// A task as observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskStatus {
    /// Id within the channel.
    pub id: String,
    /// Worker that runs it.
    pub worker: String,
    /// Its state.
    pub state: ChannelState,
    /// Restarts since the deployment.
    pub restarts: u32,
    /// Why.
    pub cause: Option<Cause>,
}

/// How far the targets are behind what the sources have read.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Lag {
    /// Records read and not settled yet: neither delivered nor filtered nor set aside.
    pub records: u64,
    /// How long the oldest of them has been on its way, in seconds.
    pub seconds: f64,
}

/// Who asked for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// A browser that was let in, or the desktop.
    Session,
    /// A program that sent the token.
    #[default]
    Token,
    /// A command on the data directory itself.
    CommandLine,
}

/// What somebody did by hand that changes no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeedKind {
    /// A dead letter's record was edited.
    LetterEdited,
    /// The record that was refused took the edited one's place again.
    LetterRestored,
    /// Records that pass an edge were looked at.
    TapOpened,
}

/// Something that somebody did by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deed {
    /// What.
    pub what: DeedKind,
    /// To what: a dead letter's id, or an edge as `from>to`.
    pub subject: String,
    /// Node that it is about.
    pub node: Option<String>,
    /// Who.
    pub by: Caller,
}

/// A change of state in the past, or something that was done by hand.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// When, RFC 3339.
    pub at: String,
    /// State entered; for a deed, nothing.
    pub state: ChannelState,
    /// Why.
    pub cause: Option<Cause>,
    /// Version in force.
    pub version: Option<u32>,
    /// What was done by hand; the state is then what it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deed: Option<Deed>,
}

impl HistoryEntry {
    /// Something that was done by hand at a time.
    pub fn of_deed(at: String, deed: Deed) -> Self {
        Self { at, deed: Some(deed), ..Self::default() }
    }
}

/// When a channel with a schedule runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleStatus {
    /// Its cron words.
    pub cron: String,
    /// Time zone that they are meant in.
    pub timezone: String,
    /// The next three times, RFC 3339 with the zone's offset. While the channel is paused or stopped they are left out.
    pub next: Vec<String>,
    /// When the schedule last started a run, RFC 3339.
    pub last: Option<String>,
}

/// All that is observed of a channel.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ChannelStatus {
    /// Of which channel.
    pub uid: String,
    /// What is observed.
    pub state: ChannelState,
    /// What the user asked for; absent before the first deploy.
    pub target: Option<TargetState>,
    /// Version in force.
    pub version: Option<u32>,
    /// Why it is in this state.
    pub cause: Option<Cause>,
    /// Since when, RFC 3339.
    pub since: Option<String>,
    /// Totals since the channel's uid was made.
    pub counts: Counts,
    /// Dead letters waiting in the store.
    pub dead_letters: u64,
    /// How far its targets are behind, while any of its tasks is alive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<Lag>,
    /// By node id.
    pub nodes: BTreeMap<String, NodeStatus>,
    /// In document order.
    pub edges: Vec<EdgeStatus>,
    /// By task id.
    pub tasks: Vec<TaskStatus>,
    /// When it runs by itself, where it has a schedule; absent in events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleStatus>,
    /// Newest first; empty in lists and events.
    #[serde(default)]
    pub history: Vec<HistoryEntry>,
}
