//! The pages and panels beside the canvas: connections, preview, dead letters, ways to begin, settings, and texts from
//! elsewhere, which must be nothing but texts.

mod channels;
mod cluster;
mod connections;
mod guide;
mod hostile;
mod letters;
mod mapper;
mod preview;
mod settings;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{Browser, Looks};

/// A window as people have it.
const WINDOW: Looks = Looks {
    viewport: (1440, 900),
    language: "en-US",
    dark: false,
    reduced_motion: true,
    forced_colors: false,
};

/// A channel of nodes in a row.
fn chain(name: &str, nodes: Value) -> Result<Value> {
    let ids: Vec<String> = nodes
        .as_array()
        .context("nodes are a list")?
        .iter()
        .map(|node| node["id"].as_str().unwrap_or_default().to_owned())
        .collect();
    let edges: Vec<Value> = ids.windows(2).map(|pair| json!({ "from": pair[0], "to": pair[1] })).collect();
    let layout: serde_json::Map<String, Value> =
        ids.iter().enumerate().map(|(at, id)| (id.clone(), json!({ "x": at * 288, "y": 0 }))).collect();
    Ok(json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": name },
        "spec": { "nodes": nodes, "edges": edges },
        "layout": { "nodes": layout },
    }))
}

impl Browser {
    /// Opens a panel of the drawer.
    pub(crate) async fn panel(&mut self, word: &str) -> Result<()> {
        self.click(&format!("[data-tab={word}]")).await?;
        self.see("#drawer-panel").await.map(|_| ())
    }

    /// Texts of all elements that match.
    async fn texts(&self, css: &str) -> Result<Vec<String>> {
        let texts = self
            .eval("[...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", &[json!(css)])
            .await?;
        serde_json::from_value(texts).context("texts are texts")
    }
}
