//! Ids and components of nodes.

use std::collections::HashMap;

use super::{Facts, Graph, node_place};
use crate::channel::Channel;
use crate::diagnostic::{Diagnostic, codes};
use crate::edit;
use crate::suggest::{closest, did_you_mean};

pub(super) fn check(channel: &Channel, facts: &Facts<'_>, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    // One source of free ids for all fixes, so that no two of them offer the same.
    let mut ids = None;
    let mut fresh = |name: &str| ids.get_or_insert_with(|| edit::FreeIds::of(channel)).fresh(name);
    for (index, node) in channel.spec.nodes.iter().enumerate() {
        // What is no object at all was reported when the document was read.
        if node.extra.contains_key(crate::channel::fields::RAW) {
            continue;
        }
        let missing = |key: &str| node.extra.get(key).is_none_or(|kept| kept.is_null() || kept == "");
        let at = || format!("/spec/nodes/{index}/id");
        if node.id.is_empty() {
            if missing("id") {
                let id = fresh(&node.component);
                out.push(
                    Diagnostic::error(
                        codes::NODE_NO_ID,
                        node_place(channel, index, ""),
                        "the node has no id",
                    )
                    .help("Edges name nodes by id.")
                    .fix(format!("Call it `{id}`"), at(), Some(id.into())),
                );
            }
        } else if !edit::is_id(&node.id) {
            let id = fresh(&node.id);
            let message = format!("`{}` cannot be an id", shown(&node.id));
            out.push(
                Diagnostic::error(codes::NODE_BAD_ID, node_place(channel, index, "/id"), message)
                    .help("Ids are letters, digits, `_` and `-`, at most 64 of them. The title is free text.")
                    .fix(format!("Change to `{id}`"), at(), Some(id.into())),
            );
        } else if let Some(first) = seen.insert(&node.id, index) {
            let id = fresh(&node.id);
            let message = format!("`{}` is the id of node {} as well", node.id, first + 1);
            out.push(
                Diagnostic::error(codes::NODE_DUPLICATE_ID, node_place(channel, index, "/id"), message)
                    .help("Edges that name it mean the first one. Give this one another id.")
                    .fix(format!("Change to `{id}`"), at(), Some(id.into())),
            );
        }
        if node.component.is_empty() {
            if missing("component") {
                let place = node_place(channel, index, "");
                out.push(
                    Diagnostic::error(
                        codes::NODE_NO_COMPONENT,
                        place,
                        "the node does not say which component it is",
                    )
                    .help("Set `component`; `fairway components` lists all of them."),
                );
            }
        } else if graph.specs[index].is_none() {
            let near = closest(&node.component, facts.components.iter().map(|spec| spec.name.as_str()));
            let place = node_place(channel, index, "/component");
            let pointer = place.pointer.clone();
            let message = format!("there is no component `{}`{}", shown(&node.component), did_you_mean(near));
            let fault = Diagnostic::error(codes::NODE_UNKNOWN_COMPONENT, place, message)
                .help("`fairway components` lists all of them. The node is kept as it is.");
            out.push(match near {
                Some(near) => fault.fix(format!("Change to `{near}`"), pointer, Some(near.into())),
                None => fault,
            });
        }
    }
}

/// A name from a document as it is shown in a message: control characters, and those that turn the direction of writing,
/// escaped; and not without end.
pub(super) fn shown(name: &str) -> String {
    let mut shown = String::with_capacity(name.len().min(320));
    for letter in name.chars().take(80) {
        let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if letter.is_control() || turns {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    if name.chars().nth(80).is_some() {
        shown.push('…');
    }
    shown
}
