//! Everything that changes a channel while it is drawn, as commands with inverses: undo, redo, clipboard, fixes.
//!
//! One intention of the user is one [`Command`]. [`apply`] carries it out and answers the command that takes it back, which
//! restores the exact document: order of nodes and edges, layout, unknown fields. [`History`] keeps both and joins what
//! belongs together, such as the letters of one word. Nothing here judges the document; that is `crate::validate`.

mod apply;
mod clipboard;
mod fix;
mod history;
mod merge;
mod outputs;
mod steps;

pub use apply::apply;
pub use clipboard::{copy, paste};
pub use fix::apply_fix;
pub use history::{Entry, History, JOIN_WITHIN_MS, can_join};
pub use merge::{About, Clash, Merge};
pub use outputs::OutputNames;
pub use steps::{Instead, SpotStep, Step};

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::channel::{Channel, Edge, Metadata, Node, PortRef, Settings, Spot};
use crate::pointer::PutError;

/// A change of a channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Places a component, after all others.
    AddNode {
        /// The node; its id must be free.
        node: Node,
        /// Where it stands.
        spot: Option<Spot>,
    },
    /// Takes nodes away with their edges.
    RemoveNodes {
        /// Their ids.
        ids: Vec<String>,
    },
    /// Takes nodes away and joins what was before them with what was behind them.
    HealNodes {
        /// Their ids.
        ids: Vec<String>,
    },
    /// Moves nodes on the canvas.
    MoveNodes {
        /// Where each of them stands from now on.
        spots: BTreeMap<String, Spot>,
    },
    /// Sets or removes one value of a node's config.
    SetConfig {
        /// Id of the node.
        node: String,
        /// A field's name, or a JSON pointer into the config (with a leading slash).
        field: String,
        /// The value; absent means remove it.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "crate::canonical::present"
        )]
        value: Option<Value>,
    },
    /// Replaces a node's whole config.
    ReplaceConfig {
        /// Id of the node.
        node: String,
        /// All settings.
        config: Map<String, Value>,
    },
    /// Makes a node of another component; its config stays.
    SetComponent {
        /// Id of the node.
        node: String,
        /// Name of the component.
        component: String,
    },
    /// Titles a node.
    SetTitle {
        /// Id of the node.
        node: String,
        /// The title; absent means the id is shown.
        title: Option<String>,
    },
    /// Limits the tasks a node may be split into.
    SetTasks {
        /// Id of the node.
        node: String,
        /// The most; absent means no limit.
        tasks: Option<u32>,
    },
    /// Gives a node another id, also in edges and layout. Its position belongs to the id and starts anew.
    RenameNode {
        /// Present id.
        from: String,
        /// New id; must be free.
        to: String,
    },
    /// Joins two ports, after all other edges.
    AddEdge {
        /// The edge; its nodes must be there.
        edge: Edge,
    },
    /// Takes the joint of two ports away.
    RemoveEdge {
        /// Output as written.
        from: PortRef,
        /// Input as written.
        to: PortRef,
    },
    /// Puts another edge in an edge's place.
    ReplaceEdge {
        /// Output as written.
        from: PortRef,
        /// Input as written.
        to: PortRef,
        /// The other edge.
        edge: Edge,
    },
    /// Puts a node into an edge.
    Splice {
        /// Output of the edge as written.
        from: PortRef,
        /// Input of the edge as written.
        to: PortRef,
        /// Id of a node of the channel.
        node: String,
        /// Its input port; absent means the default.
        input: Option<String>,
        /// Its output port; absent means the default.
        output: Option<String>,
    },
    /// Adds nodes with the edges among them. [`paste`] makes it with fresh ids.
    Paste {
        /// Nodes and where they stand.
        nodes: Vec<Placed>,
        /// Edges.
        edges: Vec<Edge>,
    },
    /// Replaces the settings.
    SetSettings {
        /// All settings.
        settings: Settings,
    },
    /// Replaces name, title, description and labels.
    SetMetadata {
        /// All of them.
        metadata: Metadata,
    },
    /// Replaces the free notes.
    SetNotes {
        /// All notes.
        notes: Vec<Value>,
    },
    /// Replaces the groups.
    SetGroups {
        /// All groups.
        groups: Vec<Value>,
    },
    /// Sets or removes any value of the document as written.
    SetRaw {
        /// JSON pointer into the document.
        pointer: String,
        /// The value; absent means remove it.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "crate::canonical::present"
        )]
        value: Option<Value>,
    },
    /// Puts another document in this one's place, as by import or by editing its text.
    ReplaceDocument {
        /// The other document.
        channel: Box<Channel>,
    },
    /// Several changes as one: all are made or none.
    Batch(Vec<Command>),
    /// Exact changes by index: what inverses are made of.
    Steps(Vec<Step>),
}

/// A node and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// The node.
    pub node: Node,
    /// Where it stands.
    pub spot: Option<Spot>,
}

/// Why a command cannot be carried out. The document is then as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// No node has the id.
    #[error("there is no node `{0}`")]
    NoSuchNode(String),
    /// A node has the id already.
    #[error("there is a node `{0}` already")]
    NodeExists(String),
    /// Ids are `[A-Za-z0-9_-]{1,64}`.
    #[error("`{0}` is no id of a node: letters, digits, `_` and `-`, at most 64 of them")]
    BadId(String),
    /// No edge joins these ports.
    #[error("there is no edge from `{0}` to `{1}`")]
    NoSuchEdge(PortRef, PortRef),
    /// An edge joins these ports already.
    #[error("there is an edge from `{0}` to `{1}` already")]
    EdgeExists(PortRef, PortRef),
    /// The place of a value cannot be reached.
    #[error("`{pointer}`: {source}")]
    Place {
        /// The pointer as given.
        pointer: String,
        /// Why not.
        source: PutError,
    },
    /// The change would leave something that is no channel.
    #[error("the document would no longer be a channel")]
    NotAChannel,
    /// An exact change does not fit this document: it was made for another one.
    #[error("the change was made for another state of the document")]
    Stale,
}

/// Whether a text can be the id of a node.
pub fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A free id made of a component's name: `csv_source` gives `csv`, then `csv-2`.
pub fn fresh_id(channel: &Channel, component: &str) -> String {
    FreeIds::of(channel).fresh(component)
}

/// Gives out ids that no node has, none of them twice.
pub(crate) struct FreeIds {
    taken: BTreeSet<String>,
    /// For each stem, the number to try next: many copies of one node must not try all numbers each.
    next: BTreeMap<String, u64>,
}

impl FreeIds {
    /// Ids that no node of this channel has.
    pub(crate) fn of(channel: &Channel) -> Self {
        Self { taken: channel.spec.nodes.iter().map(|node| node.id.clone()).collect(), next: BTreeMap::new() }
    }

    /// Takes an id as it is, if it can be one and is free.
    pub(crate) fn take(&mut self, id: &str) -> bool {
        is_id(id) && self.taken.insert(id.to_owned())
    }

    /// Takes a free id like this name.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        let stem = ["_source", "_sink"].iter().find_map(|kind| name.strip_suffix(kind)).unwrap_or(name);
        // A copy of a copy counts on and does not grow a second number.
        let stem = match stem.rsplit_once('-') {
            Some((before, digits))
                if !before.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                before
            }
            _ => stem,
        };
        let plain: String =
            stem.chars().filter(|letter| is_id(letter.encode_utf8(&mut [0; 4]))).take(40).collect();
        let stem = if plain.is_empty() { "node".to_owned() } else { plain };
        let mut number = self.next.get(&stem).copied().unwrap_or(1);
        loop {
            let id = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            number += 1;
            if self.taken.insert(id.clone()) {
                self.next.insert(stem, number);
                return id;
            }
        }
    }
}
