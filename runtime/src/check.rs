//! Everything that is wrong with a document in this place: its shape, its meaning, each component's own rules, and what it
//! names that is not here (I7); and its plan, when nothing is.

use fairway_shared::channel::text::{self, Document};
use fairway_shared::channel::{Channel, Node};
use fairway_shared::connection::Connection;
use fairway_shared::diagnostic::{self, Diagnostic, Place};
use fairway_shared::plan::Plan;
use fairway_shared::pointer;
use serde_json::{Map, Value};

use crate::compile;
use crate::registry::Registry;

/// What is known outside of the document; what is not known is not judged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Every connection.
    pub(crate) connections: Option<Vec<Connection>>,
    /// Names of all secrets.
    pub(crate) secrets: Option<Vec<String>>,
}

/// All that is wrong with a channel, errors first.
pub(crate) fn channel(registry: &Registry, channel: &Channel, known: &Known) -> Vec<Diagnostic> {
    let mut found = text::faults(channel);
    for (index, node) in channel.spec.nodes.iter().enumerate() {
        rules(registry, node, index, known, &mut found);
    }
    diagnostic::sort(&mut found);
    found
}

/// All that is wrong with any bytes, with lines and columns.
pub(crate) fn bytes(registry: &Registry, bytes: &[u8], known: &Known) -> (Option<Document>, Vec<Diagnostic>) {
    let parsed = text::parse(bytes);
    let mut found = parsed.diagnostics;
    if let Some(document) = &parsed.document {
        for (at, part) in document.parts() {
            if let Document::Channel(channel) = part {
                found.extend(
                    self::channel(registry, channel, known).into_iter().map(|fault| fault.under(&at)),
                );
            }
        }
    }
    diagnostic::sort(&mut found);
    (parsed.document, found)
}

/// The plan of a channel when it has no errors, and all that is wrong with it.
pub(crate) fn plan(registry: &Registry, channel: &Channel, known: &Known) -> (Option<Plan>, Vec<Diagnostic>) {
    let found = self::channel(registry, channel, known);
    if found.iter().any(Diagnostic::is_error) {
        return (None, found);
    }
    (Some(compile::compile(channel, registry.specs())), found)
}

/// A node's config over the access data of the connection it names; what the node says itself wins.
pub(crate) fn merge(connection: &Connection, config: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = connection.config().clone();
    merged.extend(config.iter().map(|(key, value)| (key.clone(), value.clone())));
    merged
}

/// Rules across fields, which only the component's code knows.
fn rules(registry: &Registry, node: &Node, index: usize, known: &Known, found: &mut Vec<Diagnostic>) {
    let Some(component) = registry.get(&node.component) else {
        return;
    };
    let config = match node.config.get("connection").and_then(Value::as_str) {
        None => node.config.clone(),
        Some(name) => {
            let connections = known.connections.iter().flatten();
            match connections.into_iter().find(|connection| connection.name() == name) {
                Some(connection) => merge(connection, &node.config),
                // Nothing is known about half of the config, so nothing can be said about the whole.
                None => return,
            }
        }
    };
    // A config of the wrong shape was told of before, by its schema.
    for issue in component.check(&Value::Object(config)).unwrap_or_default() {
        let mut at = format!("/spec/nodes/{index}/config");
        if !issue.field.is_empty() {
            issue.field.split('.').for_each(|part| pointer::push(&mut at, part));
        }
        let place = Place::at(at).of_node(&node.id);
        let place = if issue.field.is_empty() { place } else { place.of_field(issue.field) };
        let mut fault = Diagnostic::error("config.rule", place, issue.message);
        fault.help = issue.help;
        found.push(fault);
    }
}
