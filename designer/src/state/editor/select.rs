//! What is selected. Each node and edge has its own signal; the whole is one value for the inspector.

use std::collections::BTreeSet;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::views::put;
use super::{EdgeKey, Editor};

/// Selected nodes, or one edge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Selection {
    /// Ids of nodes.
    pub(crate) nodes: BTreeSet<String>,
    /// An edge; then no node is selected.
    pub(crate) edge: Option<EdgeKey>,
}

impl Selection {
    /// These nodes.
    pub(crate) fn of_nodes(ids: impl IntoIterator<Item = String>) -> Self {
        Self { nodes: ids.into_iter().collect(), edge: None }
    }

    /// This edge.
    pub(crate) fn of_edge(edge: EdgeKey) -> Self {
        Self { nodes: BTreeSet::new(), edge: Some(edge) }
    }

    /// The only selected node.
    pub(crate) fn single(&self) -> Option<&String> {
        if self.nodes.len() == 1 { self.nodes.first() } else { None }
    }

    /// Whether nothing is selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edge.is_none()
    }
}

impl Editor {
    /// Makes this the selection. Signals fire only where something changes.
    pub(crate) fn select(self, wanted: Selection) {
        if self.selection.with_untracked(|known| *known == wanted) {
            return;
        }
        // An input of the form that is about to go hands over what was typed while it is still there.
        leave_input();
        self.nodes.with_untracked(|nodes| {
            for node in nodes {
                put(&node.selected, &wanted.nodes.contains(&node.id));
            }
        });
        self.edges.with_untracked(|edges| {
            for edge in edges {
                put(&edge.selected, &(wanted.edge.as_ref() == Some(&edge.key)));
            }
        });
        self.close_entry();
        self.selection.set(wanted);
    }

    /// Selects one node.
    pub(crate) fn select_node(self, id: &str) {
        self.select(Selection::of_nodes([id.to_owned()]));
    }

    /// Adds a node to the selection, or takes it away.
    pub(crate) fn toggle(self, id: &str) {
        let mut nodes = self.selection.with_untracked(|selection| selection.nodes.clone());
        if !nodes.remove(id) {
            nodes.insert(id.to_owned());
        }
        self.select(Selection { nodes, edge: None });
    }

    /// Adds a node to the selection.
    pub(crate) fn add_to_selection(self, id: &str) {
        let mut nodes = self.selection.with_untracked(|selection| selection.nodes.clone());
        nodes.insert(id.to_owned());
        self.select(Selection { nodes, edge: None });
    }

    /// Selects every node.
    pub(crate) fn select_all(self) {
        self.select(Selection::of_nodes(
            self.nodes.with_untracked(|nodes| nodes.iter().map(|node| node.id.clone()).collect::<Vec<_>>()),
        ));
    }

    /// Leaves in the selection only what still exists; new views take the selection over.
    pub(super) fn trim_selection(self) {
        let mut wanted = self.selection.get_untracked();
        self.nodes.with_untracked(|nodes| {
            wanted.nodes.retain(|id| nodes.iter().any(|node| node.id == *id));
            for node in nodes {
                put(&node.selected, &wanted.nodes.contains(&node.id));
            }
        });
        self.edges.with_untracked(|edges| {
            wanted.edge = wanted.edge.take().filter(|key| edges.iter().any(|edge| edge.key == *key));
            for edge in edges {
                put(&edge.selected, &(wanted.edge.as_ref() == Some(&edge.key)));
            }
        });
        if self.selection.with_untracked(|known| *known != wanted) {
            self.selection.set(wanted);
        }
    }
}

/// Takes the focus out of an input of the settings.
fn leave_input() {
    let Some(active) = document().active_element() else { return };
    if active.closest(".inspector").is_ok_and(|inside| inside.is_some())
        && let Some(input) = active.dyn_ref::<web_sys::HtmlElement>()
    {
        // An element that cannot lose the focus keeps it.
        input.blur().ok();
    }
}
