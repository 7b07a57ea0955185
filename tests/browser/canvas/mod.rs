//! The canvas under pointer and keys: each test asserts on the document that the server has, or on what is drawn.
//!
//! * `view.rs`: pan, zoom, fit
//! * `edits.rs`: move, delete, undo, copy
//! * `wiring.rs`: edges, the small search, putting nodes into edges
//! * `ends.rs`: ends of edges led elsewhere, panning at the border, renamed outputs
//! * `finding.rs`: the command palette, addresses, the small map
//! * `windows.rs`: text from elsewhere, another editor, forms and channels that are left
//! * `arranging.rs`: copies, guides, cuts, lines, groups and notes
//! * `versions.rs`, `replacing.rs`: versions; another component in a place, the document as text
//! * `own_keys.rs`, `presses.rs`: keys of one's own, pictures; that every press counts
//! * `several.rs`: settings of several nodes, favourites
//! * `live.rs`: what nodes and edges show while the channel runs

mod arranging;
mod edits;
mod ends;
mod finding;
mod live;
mod own_keys;
mod presses;
mod replacing;
mod several;
mod versions;
mod view;
mod windows;
mod wiring;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::designer::with;
use super::look::Place;
use super::{Browser, Looks};

/// A window in which the test channel is shown at its own size.
pub(super) const WINDOW: Looks = Looks {
    viewport: (1440, 900),
    language: "en-US",
    dark: false,
    reduced_motion: true,
    forced_colors: false,
};

/// Three nodes in a row and one aside: read → keep → write, and mask.
fn channel() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "canvas" },
        "spec": {
            "nodes": [
                { "id": "read", "component": "csv_source", "config": { "path": "in/*.csv" } },
                { "id": "keep", "component": "filter_records", "config": { "rules": [{ "field": "a", "op": "exists" }] } },
                { "id": "write", "component": "jsonl_sink", "config": { "path": "out/rows.jsonl" } },
                { "id": "mask", "component": "mask_fields", "config": { "fields": ["b"] } },
            ],
            "edges": [{ "from": "read", "to": "keep" }, { "from": "keep", "to": "write" }],
        },
        "layout": { "nodes": {
            "read": { "x": 0, "y": 0 },
            "keep": { "x": 272, "y": 0 },
            "write": { "x": 544, "y": 0 },
            "mask": { "x": 272, "y": 208 },
        } },
    })
}

impl Browser {
    /// Where a node is drawn.
    async fn node_place(&self, id: &str) -> Result<Place> {
        self.see(&with("data-node", id)).await
    }

    /// A place on the head of a node, where no port is.
    async fn grip(&self, id: &str) -> Result<(f64, f64)> {
        self.see(&format!("{} .node-title", with("data-node", id))).await.map(Place::middle)
    }

    /// Ids of the selected nodes, in the order they are drawn.
    async fn selected(&self) -> Result<Vec<String>> {
        let ids = self
            .eval("[...document.querySelectorAll('.board .node.selected')].map((n) => n.dataset.node)", &[]);
        serde_json::from_value(ids.await?).context("ids are texts")
    }

    /// Waits until exactly these nodes are selected, in any order.
    async fn selected_are(&self, ids: &[&str]) -> Result<()> {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        let expression = format!(
            "[...document.querySelectorAll('.board .node.selected')].map((n) => n.dataset.node).sort().join() === {}",
            json!(ids.join(","))
        );
        self.until(&format!("{ids:?} to be selected"), &expression).await.map(|_| ())
    }
}

/// Where a document puts a node.
fn spot(document: &Value, id: &str) -> (f64, f64) {
    let spot = &document["layout"]["nodes"][id];
    (spot["x"].as_f64().unwrap_or(f64::NAN), spot["y"].as_f64().unwrap_or(f64::NAN))
}

/// Ids of a document's nodes.
fn ids(document: &Value) -> Vec<&str> {
    let nodes = document["spec"]["nodes"].as_array();
    nodes.into_iter().flatten().filter_map(|node| node["id"].as_str()).collect()
}

/// The edges of a document as `from>to`.
fn edges(document: &Value) -> Vec<String> {
    let edges = document["spec"]["edges"].as_array();
    let text = |edge: &Value| {
        format!("{}>{}", edge["from"].as_str().unwrap_or(""), edge["to"].as_str().unwrap_or(""))
    };
    edges.into_iter().flatten().map(text).collect()
}

/// Whether two places of the screen are the same, but for what rounding does.
fn near(a: (f64, f64), b: (f64, f64)) -> bool {
    (a.0 - b.0).abs() < 0.75 && (a.1 - b.1).abs() < 0.75
}
