//! From a diagnostic's fix to the command that carries it out.

use serde_json::Value;

use super::{Command, Step};
use crate::channel::Channel;
use crate::diagnostic::Fix;
use crate::pointer;

/// The command that carries out a fix of this document.
pub fn apply_fix(channel: &Channel, fix: &Fix) -> Command {
    let segments = pointer::segments(&fix.pointer);
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    match (parts.as_slice(), &fix.value) {
        (["spec", "edges", index], None) => match pointer::index(index) {
            Some(index) if index < channel.spec.edges.len() => {
                return Command::Steps(vec![Step::TakeEdge(index)]);
            }
            _ => {}
        },
        (["spec", "nodes", index, "config", field @ ..], value) => {
            let node = pointer::index(index).and_then(|index| channel.spec.nodes.get(index));
            // Through the node's own command, so that it reads as a change of a field; where ids are not unique the
            // pointer alone says which node is meant.
            if let Some(node) = node
                && channel.spec.nodes.iter().filter(|other| other.id == node.id).count() == 1
                && !node.extra.contains_key("config")
            {
                if field.is_empty() {
                    return match value {
                        Some(Value::Object(config)) => {
                            Command::ReplaceConfig { node: node.id.clone(), config: config.clone() }
                        }
                        _ => raw(fix),
                    };
                }
                let field = field.iter().fold(String::new(), |at, segment| pointer::join(&at, segment));
                return Command::SetConfig { node: node.id.clone(), field, value: value.clone() };
            }
        }
        _ => {}
    }
    raw(fix)
}

fn raw(fix: &Fix) -> Command {
    Command::SetRaw { pointer: fix.pointer.clone(), value: fix.value.clone() }
}
