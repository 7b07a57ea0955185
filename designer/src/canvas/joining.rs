//! Joining nodes by keyboard: two selected nodes at once, or one node with an end that is chosen from a list.

use std::sync::Arc;

use fairway_canvas::Port;
use fairway_canvas::wiring::{self, End, Joint};
use leptos::prelude::*;

use super::commands::Asked;
use super::gesture::Gesture;
use super::picker::Choice;
use super::{Surface, hints};
use crate::i18n::{components, t};
use crate::icons::component_icon;
use crate::state::editor::NodeView;

/// `C`: two selected nodes are joined; with one, what it can be joined to is listed. An edge that follows the pointer ends
/// at the node that has the focus.
pub(super) fn start(surface: Surface) {
    let editor = surface.editor;
    let nodes = editor.selected_nodes();
    let focus = surface.current.get_untracked().and_then(|id| editor.node(&id));
    if let Some(loose) = surface.loose.get_untracked() {
        let target = focus.and_then(|node| editor.rank(&node.id));
        surface.loose.set(None);
        surface.gesture.set(Gesture::Idle);
        if let Some(rank) = target {
            join_ends(surface, loose.end, End { node: rank, port: Port::Input(0) });
        }
        return;
    }
    if let [a, b] = nodes.as_slice() {
        join_two(surface, a, b);
        return;
    }
    let Some(node) = nodes.first().cloned().or(focus) else { return };
    if nodes.is_empty() {
        editor.select_node(&node.id);
    }
    if choices(surface).is_empty() {
        surface.say(t!("said-no-join"));
    } else {
        surface.asked.set(Some(Asked::Join));
    }
}

fn join_two(surface: Surface, a: &NodeView, b: &NodeView) {
    let editor = surface.editor;
    let (Some(first), Some(second)) = (editor.rank(&a.id), editor.rank(&b.id)) else { return };
    let joints = editor.joints();
    let forward = (End { node: first, port: Port::Output(0) }, End { node: second, port: Port::Input(0) });
    let backward = (End { node: second, port: Port::Output(0) }, End { node: first, port: Port::Input(0) });
    // The left one leads, unless only the other way fits.
    let left_leads = a.rect().x <= b.rect().x;
    let tries = if left_leads { [forward, backward] } else { [backward, forward] };
    let fits = tries.into_iter().find(|(from, to)| {
        exists(surface, *from) && exists(surface, *to) && wiring::join(*from, *to, &joints).is_ok()
    });
    match fits {
        Some((from, to)) => join_ends(surface, from, to),
        None => surface.say(t!("said-no-join")),
    }
}

fn exists(surface: Surface, end: End) -> bool {
    surface.editor.nodes.with_untracked(|nodes| {
        nodes.get(end.node).is_some_and(|node| node.shape().ports().any(|port| port == end.port))
    })
}

fn join_ends(surface: Surface, from: End, to: End) {
    match wiring::join(from, to, &surface.editor.joints()) {
        Ok(joint) if exists(surface, to) && exists(surface, from) => {
            surface.editor.connect(joint);
            surface.say(t!("said-joined"));
        }
        Ok(_) => surface.say(t!("said-no-join")),
        Err(refusal) => surface.say(hints::reason(surface, from, &refusal)),
    }
}

/// All that the selected node can be joined to: from its outputs on, then what could lead into it. With each the words it
/// is found by.
pub(super) fn choices(surface: Surface) -> Vec<(Choice, String)> {
    let editor = surface.editor;
    let Some(node) = editor.selected_nodes().first().cloned() else { return Vec::new() };
    let Some(rank) = editor.rank(&node.id) else { return Vec::new() };
    let nodes = editor.nodes.get_untracked();
    let joints = editor.joints();
    let mut found = Vec::new();
    let (into, out): (Vec<Port>, Vec<Port>) = node.shape().ports().partition(|port| port.is_input());
    for port in out {
        for (other, target) in nodes.iter().enumerate() {
            for input in target.shape().ports().filter(|port| port.is_input()) {
                let ends = (End { node: rank, port }, End { node: other, port: input });
                if let Ok(joint) = wiring::join(ends.0, ends.1, &joints) {
                    found.push(choice(surface, target, &way(&node, port, true), joint));
                }
            }
        }
    }
    for port in into {
        for (other, source) in nodes.iter().enumerate() {
            for output in source.shape().ports().filter(|port| !port.is_input()) {
                let ends = (End { node: other, port: output }, End { node: rank, port });
                if let Ok(joint) = wiring::join(ends.0, ends.1, &joints) {
                    found.push(choice(surface, source, &way(source, output, false), joint));
                }
            }
        }
    }
    found
}

/// Which output is meant and which way the edge goes, in few words.
fn way(node: &NodeView, port: Port, forward: bool) -> String {
    let name = node.port_name(port);
    if forward { t!("join-to", port = name) } else { t!("join-from", port = name) }
}

fn choice(surface: Surface, node: &NodeView, detail: &str, joint: Joint) -> (Choice, String) {
    let catalog = surface.editor.catalog();
    let spec = catalog.get(&node.component);
    let family = spec.map(|spec| spec.family.clone()).unwrap_or_default();
    let title = spec.map_or_else(|| node.component.clone(), components::title);
    let (component, kind) = (node.component.clone(), node.kind);
    let name = surface.editor.name_of(node);
    let text = format!("{name} {title} {detail}");
    let choice = Choice {
        hook: node.id.clone(),
        kind: Some(kind),
        shape: Arc::new(move || component_icon(&component, &family, kind).into_any()),
        text: name,
        detail: detail.to_owned(),
        keys: Vec::new(),
        act: Callback::new(move |()| join_ends(surface, joint.from, joint.to)),
    };
    (choice, text)
}
