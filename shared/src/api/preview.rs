//! Trying a channel out: a preview of every step on sample records, and tests of connections. Neither writes to a target,
//! stores anything or moves a position (I9).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::endpoint::endpoint;
use super::status::Cause;
use crate::component::{Kind, Probe};
use crate::diagnostic::Diagnostic;

/// What is to be previewed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewRequest {
    /// The channel as it is drawn now; the stored draft without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
    /// Only this node and what leads to it; every node without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Records in the place of a source's own, by node id: objects, or whole records as `{ "value", "key", "headers" }` where
    /// `whole` is set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub records: BTreeMap<String, Vec<Value>>,
    /// Whether `records` are whole records, as dead letters hold them.
    #[serde(default)]
    pub whole: bool,
    /// Most records of each source, 1 to 1000; 20 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Longest time for the samples in milliseconds, 100 to 30000; 5000 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u32>,
}

/// A preview.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PreviewAnswer {
    /// By node id; nodes that do not lead to the one asked for are left out.
    pub nodes: BTreeMap<String, NodePreview>,
    /// What was cut short, and why; empty when all is shown.
    pub cuts: Vec<Cause>,
    /// What is wrong with the document.
    pub diagnostics: Vec<Diagnostic>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// How far a node came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewState {
    /// It handled all that came. For a target: this is what it would be given; nothing is written.
    Done,
    /// Nothing leads records to it, or a node before it could not go on.
    #[default]
    NotReached,
    /// It could not go on; see its cause.
    Failed,
}

/// What passes one node.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NodePreview {
    /// Source, transform or sink; absent for a component that is not known here.
    pub kind: Option<Kind>,
    /// How far it came.
    pub state: PreviewState,
    /// Why it did not go on.
    pub cause: Option<Cause>,
    /// Records as they came in; none for a source.
    pub inputs: Vec<PreviewRecord>,
    /// Records as they left, by output.
    pub outputs: Vec<PreviewOutput>,
    /// Records that it refused, as they came in.
    pub rejects: Vec<PreviewReject>,
    /// How many there were, also of those not shown.
    pub counts: PreviewCounts,
}

/// Records of one output.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PreviewOutput {
    /// Name of the port.
    pub port: String,
    /// The records, in order.
    pub records: Vec<PreviewRecord>,
}

/// A record at one place. The same `id` at two places is the same record, so that before and after can be put side by side;
/// `of` is the record that one of several children was made of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PreviewRecord {
    /// `source:number`, for a child `source:number.child`.
    pub id: String,
    /// `source:number`.
    pub of: String,
    /// Its fields.
    pub value: Map<String, Value>,
    /// Names of its fields, in order.
    pub fields: Vec<String>,
    /// What each field holds, by name: `int64`, `string`, `null`, ….
    pub types: BTreeMap<String, String>,
    /// Its key, where the source has keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Value>,
    /// Its headers in order, each as name and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, Value)>,
}

/// A record that a node refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PreviewReject {
    /// The record as it came in.
    pub record: PreviewRecord,
    /// Why.
    pub cause: Cause,
    /// The field at fault, when it is one.
    pub field: Option<String>,
}

/// Counts at one node; in = out + filtered + errors, but for a transform that makes several records of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PreviewCounts {
    /// Came in (for a source: were sampled).
    #[serde(rename = "in")]
    pub entered: u64,
    /// Left (for a target: would be written).
    pub out: u64,
    /// Dropped by a rule.
    pub filtered: u64,
    /// Refused.
    pub errors: u64,
}

/// A connection to be tested: that of a node's settings, or a connection's document.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeRequest {
    /// Component whose settings these are. With a connection's document alone: any of its family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The node's settings as drawn. What is not filled in yet may be left out.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// A connection's document, stored or not, in the place of the one that the settings name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<Value>,
    /// Longest time in milliseconds, 100 to 30000; 5000 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u32>,
}

/// What a test of a connection came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProbeAnswer {
    /// What answered, and what there is to choose from; absent when the test failed.
    pub probe: Option<Probe>,
    /// Why the test failed.
    pub cause: Option<Cause>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

endpoint!(PreviewDocument, Post "/api/v1/preview" PreviewRequest => PreviewAnswer, "Runs a channel's document on sample records, step by step; writes nothing.");
endpoint!(PreviewChannel, Post "/api/v1/channels/{uid}/preview" PreviewRequest => PreviewAnswer, "Runs a channel's draft, or a document in its place, on sample records, step by step; writes nothing.");
endpoint!(ProbeConnection, Post "/api/v1/probe" ProbeRequest => ProbeAnswer, "Tests a connection; moves and changes nothing.");
