//! The document a user draws: a graph of nodes and edges, its settings, and (kept apart) its looks.
//!
//! Here are the types. `text` reads and writes them; whether a document makes sense is `crate::validate`'s business;
//! older documents are brought up to date by `migrate` before they are read.
//!
//! Every struct carries `extra`: fields this version does not know, and known ones whose value it could not take. They
//! are diagnostics and never dropped (G14). A known field stands in `extra` only while the typed one is at its default;
//! as soon as the typed field says something else, that is what is written.

pub(crate) mod fields;
mod json;
pub(crate) mod keys;
pub mod migrate;
mod port_ref;
pub(crate) mod read;
pub mod schema;
mod settings;
pub mod text;
pub(crate) mod tidy;
pub(crate) mod write;

pub use port_ref::{ERRORS, PortRef};
pub use settings::{ErrorPolicy, ErrorSettings, Guarantee, Missed, Retry, Schedule, Settings, StreamChoice};
pub use tidy::Part;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The `apiVersion` this build writes.
pub const API_VERSION: &str = "fairway/v1";

/// Fields of a document that this version does not know or could not take, kept as they came.
pub type Extra = Map<String, Value>;

/// A data channel, deployed as a unit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Channel {
    /// Name, title, labels.
    pub metadata: Metadata,
    /// What the channel means.
    pub spec: Spec,
    /// How it is drawn; never changes the plan.
    pub layout: Layout,
    /// Unknown top-level fields.
    pub extra: Extra,
}

/// What a channel is called.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metadata {
    /// Free text, unique within one Fairway by code points.
    pub name: String,
    /// Shown instead of the name where there is room.
    pub title: Option<String>,
    /// What the channel is for.
    pub description: Option<String>,
    /// Free labels for search and filters.
    pub labels: BTreeMap<String, String>,
    /// Unknown fields.
    pub extra: Extra,
}

/// The meaning of a channel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spec {
    /// Placed components, in document order.
    pub nodes: Vec<Node>,
    /// Connections between ports, in document order.
    pub edges: Vec<Edge>,
    /// What holds for the whole channel.
    pub settings: Settings,
    /// Unknown fields.
    pub extra: Extra,
}

/// A placed component.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// Stable id, `[A-Za-z0-9_-]{1,64}`, unique within the channel.
    pub id: String,
    /// Name of the component, such as `csv_source`.
    pub component: String,
    /// Shown on the canvas instead of the id.
    pub title: Option<String>,
    /// Settings of the component, checked against its schema.
    pub config: Map<String, Value>,
    /// The most tasks this node may be split into.
    pub tasks: Option<u32>,
    /// Unknown fields.
    pub extra: Extra,
}

/// A connection from an output port to an input port.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Edge {
    /// Output: `node`, `node.port` or `node.errors`.
    pub from: PortRef,
    /// Input: `node` or `node.port`.
    pub to: PortRef,
    /// Unknown fields.
    pub extra: Extra,
}

/// The looks of a channel: positions, notes and groups.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// Top left corner of each node, in canvas units.
    pub nodes: BTreeMap<String, Spot>,
    /// Free notes, kept as they came.
    pub notes: Vec<Value>,
    /// Groups of nodes, kept as they came.
    pub groups: Vec<Value>,
    /// Unknown fields.
    pub extra: Extra,
}

/// Where a node stands on the canvas.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Spot {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Channel {
    /// The node with this id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.spec.nodes.iter().find(|node| node.id == id)
    }

    /// The node with this id, to change it.
    pub fn node_mut(&mut self, id: &str) -> Option<&mut Node> {
        self.spec.nodes.iter_mut().find(|node| node.id == id)
    }
}
