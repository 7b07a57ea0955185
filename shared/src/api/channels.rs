//! Channels: drafts, versions, plans, deployments, target states, export and import.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::{None, endpoint};
use super::status::{ChannelStatus, TargetState};
use crate::diagnostic::Diagnostic;
use crate::plan::{Plan, PlanDiff};

/// A channel in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelSummary {
    /// Given by the server; stays through rename and import over.
    pub uid: String,
    /// `metadata.name` of the draft.
    pub name: String,
    /// `metadata.title` of the draft.
    pub title: Option<String>,
    /// `metadata.description` of the draft.
    pub description: Option<String>,
    /// Version in force.
    pub deployed: Option<u32>,
    /// Whether the draft means something else than the version in force.
    pub changed: bool,
    /// Small picture: nodes with kind and place, and edges by node index.
    pub picture: Picture,
    /// What is observed.
    pub status: ChannelStatus,
    /// When the draft was last saved, RFC 3339.
    pub saved_at: String,
}

/// What a small picture of the graph needs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Picture {
    /// One entry a node.
    pub nodes: Vec<PictureNode>,
    /// Pairs of indexes into `nodes`.
    pub edges: Vec<(usize, usize)>,
}

/// A node of a small picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PictureNode {
    /// Component, for its icon.
    pub component: String,
    /// Canvas units.
    pub x: f64,
    /// Canvas units.
    pub y: f64,
}

/// All channels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelList {
    /// By name.
    pub channels: Vec<ChannelSummary>,
}

/// A new channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreateChannel {
    /// The whole document; its name must be free.
    pub document: Value,
}

/// A channel with its draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelDetail {
    /// Given by the server.
    pub uid: String,
    /// The draft, in canonical order.
    pub document: Value,
    /// `ETag` of the draft, to be sent back as `If-Match`.
    pub etag: String,
    /// What is wrong with the draft.
    pub diagnostics: Vec<Diagnostic>,
    /// Version in force.
    pub deployed: Option<u32>,
    /// What is observed.
    pub status: ChannelStatus,
    /// Fields that samples showed on the edges when the version in force was deployed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: SeenFields,
}

/// Answer to a saved draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SavedDraft {
    /// New `ETag`.
    pub etag: String,
    /// What is wrong with the draft.
    pub diagnostics: Vec<Diagnostic>,
}

/// All that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostics {
    /// Errors first.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a deploy would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanAnswer {
    /// The plan, when the draft has no errors.
    pub plan: Option<Plan>,
    /// What changes against what is deployed.
    pub diff: PlanDiff,
    /// The next three times that its schedule names, RFC 3339 with the zone's offset; empty without a schedule.
    #[serde(default)]
    pub next_runs: Vec<String>,
    /// What is wrong with the draft.
    pub diagnostics: Vec<Diagnostic>,
}

/// A deployment in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deployment {
    /// Number of the frozen version.
    pub version: u32,
    /// Its plan.
    pub plan: Plan,
    /// When, RFC 3339.
    pub deployed_at: String,
}

/// A frozen version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Version {
    /// Rising number within the channel.
    pub version: u32,
    /// The document as deployed.
    pub document: Value,
    /// When, RFC 3339.
    pub created_at: String,
    /// Whether it is in force.
    pub deployed: bool,
}

/// A field that samples showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenField {
    /// Its name.
    pub name: String,
    /// Types that it had, as `int64` or `int64 | string`; empty where it was null everywhere.
    pub kind: String,
}

/// Fields that samples showed on edges, by edge as `from>to`.
pub type SeenFields = BTreeMap<String, Vec<SeenField>>;

/// What a deploy keeps with the version.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeployRequest {
    /// Fields that samples showed on the edges when it was deployed, so that later ones can be compared with them. At most 1,000 edges and 200
    /// fields of each are kept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: SeenFields,
}

/// All versions, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Versions {
    /// Newest first.
    pub versions: Vec<Version>,
}

/// A wished target state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetTarget {
    /// Running, paused or stopped.
    pub target: TargetState,
}

/// Documents to import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Import {
    /// A channel, connection or bundle.
    pub document: Value,
    /// What to do with a channel whose name exists.
    #[serde(default)]
    pub existing: Existing,
}

/// What an import does with a channel whose name exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Existing {
    /// Nothing is imported; the answer is a conflict.
    #[default]
    Refuse,
    /// It becomes the draft of that channel, which keeps its uid and positions.
    Over,
    /// It becomes a channel of its own under a free name.
    Copy,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// Channels, by uid.
    pub channels: Vec<String>,
    /// Connections, by name.
    pub connections: Vec<String>,
    /// Secrets that the documents refer to and that do not exist here.
    pub missing_secrets: Vec<String>,
    /// What is wrong with the imported documents.
    pub diagnostics: Vec<Diagnostic>,
}

/// A stored position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoredPosition {
    /// Source node.
    pub source: String,
    /// Partition of the source.
    pub partition: String,
    /// Target whose watermark it is; absent for the source's own.
    pub target: Option<String>,
    /// Rank of the last record covered.
    pub order: u64,
    /// Resume point, as the source wrote it.
    pub token: Value,
}

/// All positions of a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Positions {
    /// By source, partition, target.
    pub positions: Vec<StoredPosition>,
}

endpoint!(ListChannels, Get "/api/v1/channels" None => ChannelList, "Lists all channels.");
endpoint!(AddChannel, Post "/api/v1/channels" CreateChannel => ChannelDetail, "Creates a channel from a document.", 201);
endpoint!(GetChannel, Get "/api/v1/channels/{uid}" None => ChannelDetail, "Reads a channel and its draft.");
endpoint!(DeleteChannel, Delete "/api/v1/channels/{uid}" None => None, "Stops and deletes a channel, its positions included.", 204);
endpoint!(SaveDraft, Put "/api/v1/channels/{uid}/draft" Value => SavedDraft, "Saves the draft; needs `If-Match` with the `ETag` it was read with.");
endpoint!(ValidateDocument, Post "/api/v1/validate" Value => Diagnostics, "Says all that is wrong with a document.");
endpoint!(PlanChannel, Post "/api/v1/channels/{uid}/plan" None => PlanAnswer, "Says what a deploy of the draft would do.");
endpoint!(DeployChannel, Post "/api/v1/channels/{uid}/deploy" DeployRequest => Deployment, "Freezes the draft as a version and puts it in force.");
endpoint!(SetTargetState, Put "/api/v1/channels/{uid}/target" SetTarget => ChannelStatus, "Asks for running, paused or stopped.");
endpoint!(RestartTask, Post "/api/v1/channels/{uid}/tasks/{task}/restart" None => ChannelStatus, "Restarts one task with a fresh budget; the others are not touched.");
endpoint!(RestartChannel, Post "/api/v1/channels/{uid}/restart" None => ChannelStatus, "Restarts all tasks with a fresh budget.");
endpoint!(GetStatus, Get "/api/v1/channels/{uid}/status" None => ChannelStatus, "Reads what is observed.");
endpoint!(ListVersions, Get "/api/v1/channels/{uid}/versions" None => Versions, "Lists frozen versions.");
endpoint!(ExportChannel, Get "/api/v1/channels/{uid}/export" None => Value, "Exports the draft as one document, with the connections it names.");
endpoint!(ImportDocument, Post "/api/v1/import" Import => Imported, "Imports a channel, connection or bundle.");
endpoint!(GetPositions, Get "/api/v1/channels/{uid}/positions" None => Positions, "Reads all positions.");
endpoint!(ResetPositions, Delete "/api/v1/channels/{uid}/positions" None => None, "Forgets all positions of a stopped channel: it starts over.", 204);
