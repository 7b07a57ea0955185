//! What the address says about the canvas: which nodes or edge are selected and which panel of the drawer is open, so that a
//! link leads back to exactly that. The path says which channel (`router`).

use leptos::prelude::*;

use super::Surface;
use crate::router::{part, set_part};
use crate::state::editor::Selection;

const NODE: &str = "node";
const EDGE: &str = "edge";
const PANEL: &str = "panel";

/// Takes over what the address says, and lets the address follow from then on.
pub(super) fn follow(surface: Surface) {
    let editor = surface.editor;
    if let Some(panel) = part(PANEL) {
        editor.panel.set(Some(panel));
    }
    if let Some(ids) = part(NODE) {
        let known = ids.split(',').filter(|id| editor.node(id).is_some()).map(str::to_owned);
        editor.select(Selection::of_nodes(known.collect::<Vec<_>>()));
    } else if let Some(hook) = part(EDGE) {
        let found = editor.edges.with_untracked(|edges| {
            edges.iter().find(|edge| edge.key.hook() == hook).map(|edge| edge.key.clone())
        });
        if let Some(key) = found {
            editor.select(Selection::of_edge(key));
        }
    }
    Effect::new(move || {
        editor.selection.with(|selection| {
            let ids: Vec<&str> = selection.nodes.iter().map(String::as_str).collect();
            set_part(NODE, Some(&ids.join(",")));
            set_part(EDGE, selection.edge.as_ref().map(|edge| edge.hook()).as_deref());
        });
    });
    Effect::new(move || editor.panel.with(|panel| set_part(PANEL, panel.as_deref())));
}

/// Brings what the address meant into view, once there is a view.
pub(super) fn arrive(surface: Surface) {
    let Some(id) = surface.editor.selection.with_untracked(|selection| selection.single().cloned()) else {
        return;
    };
    surface.reveal(&id);
    surface.flash(&id);
}
