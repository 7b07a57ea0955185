//! Edges with a loose end: begun at a port, taken off a port, led to another, let go.

use std::collections::HashSet;
use std::sync::Arc;

use fairway_canvas::Point;
use fairway_canvas::curve::Tip;
use fairway_canvas::wiring::{self, End};
use leptos::prelude::*;

use super::Surface;
use super::gesture::{Gesture, Loose};
use super::hints::reason;
use super::quick_add::QuickAdd;
use crate::state::editor::{EdgeKey, NodeView};

/// Begins an edge at an end that stays; nodes without a port that would do are drawn faintly from now on.
pub(super) fn begin(surface: Surface, end: End, from: Point, replaces: Option<EdgeKey>) {
    let joints = surface.editor.joints_but(replaces.as_ref());
    let unfit = surface.editor.nodes.with_untracked(|nodes| {
        let shapes: Vec<_> = nodes.iter().map(|node| node.shape()).collect();
        let fits = wiring::fitting(end, &shapes, &joints);
        let unfit = nodes.iter().zip(fits).filter(|(_, fits)| !fits).map(|(node, _)| node.id.clone());
        unfit.collect()
    });
    surface.unfit.set(unfit);
    surface.loose.set(Some(Loose::new(end, from, replaces)));
}

/// Moves the loose end to the pointer, or onto the port it snaps to.
pub(super) fn aim(surface: Surface, window: Point) {
    let Some(loose) = surface.loose.get_untracked() else { return };
    let local = surface.local(window);
    let joints = surface.editor.joints_but(loose.replaces.as_ref());
    let ports = surface.ports(loose.end.node);
    let valid = |end: End| wiring::join(loose.end, end, &joints).is_ok();
    let snapped = wiring::nearest(local, wiring::SNAP, ports.iter().copied(), valid);
    let refusal = snapped
        .and_then(|end| wiring::join(loose.end, end, &joints).err())
        .map(|refusal| reason(surface, loose.end, &refusal));
    let to = match snapped {
        Some(end) => ports.iter().find(|(port, _)| *port == end).map_or(local, |(_, at)| *at),
        None => local,
    };
    surface.loose.set(Some(Loose { to: surface.world(to), snapped, refusal, ..loose }));
}

/// Lets the loose edge go at a place: on a port it joins, on a node it takes the best port, on empty canvas the small
/// search offers what fits.
pub(super) fn end(surface: Surface, window: Point, offer: bool) {
    aim(surface, window);
    let Some(loose) = surface.loose.get_untracked() else {
        surface.gesture.set(Gesture::Idle);
        return;
    };
    let local = surface.local(window);
    let world = surface.world(local);
    if let Some(end) = loose.snapped {
        if loose.refusal.is_none() {
            join(surface, loose.end, end);
        } else if let Some(refusal) = &loose.refusal {
            surface.say(refusal.clone());
        }
        finish(surface);
        return;
    }
    if let Some(node) = node_at(surface, world) {
        end_on(surface, &node);
        return;
    }
    if offer && surface.holds(window) {
        // The edge stays where it was let go until something is chosen.
        surface.gesture.set(Gesture::Idle);
        surface.unfit.set(HashSet::new());
        surface.quick_add.set(Some(QuickAdd { at: local, world, wire: Some(loose.end), into: None }));
    } else {
        finish(surface);
    }
}

/// Lets the loose edge go on a node: its first port that may be joined.
pub(super) fn end_on(surface: Surface, node: &Arc<NodeView>) {
    if let Some(loose) = surface.loose.get_untracked()
        && let Some(end) = fitting_port(surface, &loose, node)
    {
        join(surface, loose.end, end);
    }
    finish(surface);
}

/// The first port of a node that the loose end may be joined to; where there is none the reason is said.
fn fitting_port(surface: Surface, loose: &Loose, node: &Arc<NodeView>) -> Option<End> {
    let rank = surface.editor.rank(&node.id)?;
    let joints = surface.editor.joints_but(loose.replaces.as_ref());
    let mut first = None;
    for port in node.shape().ports() {
        match wiring::join(loose.end, End { node: rank, port }, &joints) {
            Ok(_) => return Some(End { node: rank, port }),
            Err(refusal) => first = first.or(Some(refusal)),
        }
    }
    surface.say(first.map(|refusal| reason(surface, loose.end, &refusal)).unwrap_or_default());
    None
}

fn join(surface: Surface, a: End, b: End) {
    if let Ok(joint) = wiring::join(a, b, &surface.editor.joints()) {
        surface.editor.connect(joint);
    }
}

/// Takes an end of an edge off its port.
pub(super) fn lift(surface: Surface, key: &EdgeKey, tip: Tip) {
    let Some(edge) = surface.editor.edge(key) else { return };
    let (node, port) = match tip {
        Tip::To => (&edge.from, edge.from_port),
        Tip::From => (&edge.to, edge.to_port),
    };
    if let Some(rank) = surface.editor.rank(&node.id) {
        begin(surface, End { node: rank, port }, node.port_at_untracked(port), Some(key.clone()));
        surface.lifted.set(Some(key.clone()));
    }
}

/// Lets an end that was taken off go: on another port the edge leads there (with `all`, every edge that ended at the same
/// port), on empty canvas it is gone, and elsewhere it is as it was.
pub(super) fn end_lifted(surface: Surface, key: &EdgeKey, tip: Tip, window: Point, all: bool) {
    aim(surface, window);
    let loose = surface.loose.get_untracked();
    let world = surface.world(surface.local(window));
    if let Some(loose) = loose {
        let end = match (loose.snapped, &loose.refusal) {
            (Some(end), None) => Some(end),
            (Some(_), Some(refusal)) => {
                surface.say(refusal.clone());
                None
            }
            (None, _) => match node_at(surface, world) {
                Some(node) => fitting_port(surface, &loose, &node),
                None => {
                    if surface.holds(window) {
                        surface.editor.remove_edge(key);
                    }
                    None
                }
            },
        };
        if let Some(end) = end {
            surface.editor.retarget(key, tip, end, all);
        }
    }
    finish(surface);
}

/// The node at a place of the world.
fn node_at(surface: Surface, world: Point) -> Option<Arc<NodeView>> {
    surface
        .editor
        .nodes
        .with_untracked(|nodes| nodes.iter().find(|node| node.rect().contains(world)).cloned())
}

/// No edge is loose any more.
pub(super) fn finish(surface: Surface) {
    surface.let_loose_go();
    surface.gesture.set(Gesture::Idle);
}
