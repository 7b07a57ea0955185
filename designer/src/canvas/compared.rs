//! What lies between a version and the drawing, on the canvas: marks on what came or changed, and faint pictures of what went,
//! where it stood.

use std::sync::Arc;

use fairway_canvas::{Point, Port};
use fairway_shared::channel::{Channel, PortRef};
use leptos::prelude::*;

use super::{Surface, use_surface};
use crate::i18n::t;
use crate::state::editor::{Comparison, EdgeKey, Editor, curve};

/// The comparison that the surface shows. One for the page.
pub(super) fn follow(
    editor: Editor,
    base: RwSignal<Option<Arc<(u32, Channel)>>>,
) -> Memo<Option<Arc<Comparison>>> {
    Memo::new(move |_| {
        let base = base.get()?;
        editor.moved.track();
        Some(Arc::new(editor.with(|now| Comparison::of(&base.1, now))))
    })
}

/// The word for a node of the drawing: `added`, `changed`, or none. Tracks.
pub(super) fn of_node(surface: Surface, id: &str) -> Option<&'static str> {
    surface.compared.with(|found| {
        let found = found.as_ref()?;
        match () {
            () if found.added.contains(id) => Some("added"),
            () if found.changed.contains_key(id) => Some("changed"),
            () => None,
        }
    })
}

/// Whether an edge of the drawing is new. Tracks.
pub(super) fn is_new(surface: Surface, key: &EdgeKey) -> bool {
    surface.compared.with(|found| found.as_ref().is_some_and(|found| found.edges_added.contains(key)))
}

/// Nodes and edges that went.
#[component]
pub(super) fn Gone() -> impl IntoView {
    let surface = use_surface();
    move || {
        let found = surface.compared.get()?;
        let base = surface.base.get_untracked()?;
        let nodes = found.removed.iter().filter_map(|id| {
            let node = base.1.node(id)?;
            let at = spot(surface, &base.1, id)?;
            let size = surface.editor.shape(&node.component).size();
            let name = node.title.clone().filter(|title| !title.is_empty()).unwrap_or_else(|| id.clone());
            Some(view! {
                <div
                    class="gone-node"
                    data-gone=id.clone()
                    style:transform=format!("translate({}px,{}px)", at.x, at.y)
                    style:width=format!("{}px", size.w)
                    style:height=format!("{}px", size.h)
                >
                    <span class="diff-mark">{t!("diff-removed")}</span>
                    <bdi class="clip">{name}</bdi>
                </div>
            })
        });
        let edges = found.edges_removed.iter().filter_map(|key| {
            let (from, to) = (end(surface, &base.1, &key.from, false)?, end(surface, &base.1, &key.to, true)?);
            Some(view! { <path class="edge-line" data-gone=key.hook() d=curve(from.0, from.1, to.1).path() /> })
        });
        Some(view! {
            {nodes.collect_view()}
            <svg class="edges gone-edges" width="1" height="1" aria-hidden="true">{edges.collect_view()}</svg>
        })
    }
}

/// Where a node stands now, or stood in the version.
fn spot(surface: Surface, base: &Channel, id: &str) -> Option<Point> {
    let now = surface.editor.node(id).map(|node| node.at.get_untracked());
    now.or_else(|| base.layout.nodes.get(id).map(|spot| Point::new(spot.x, spot.y)))
}

/// An end of an edge of the version: its port and its place.
fn end(surface: Surface, base: &Channel, port: &PortRef, input: bool) -> Option<(Port, Point)> {
    let at = spot(surface, base, &port.node)?;
    let node = base.node(&port.node)?;
    let ports = surface.editor.catalog().ports(&node.component, &node.config);
    let rank = |names: &[String]| {
        port.port.as_ref().and_then(|name| names.iter().position(|known| known == name)).unwrap_or(0)
    };
    let which = match input {
        true => Port::Input(rank(&ports.inputs)),
        false if port.is_errors() => Port::Errors,
        false => Port::Output(rank(&ports.outputs)),
    };
    Some((which, at + ports.shape().port(which)))
}
