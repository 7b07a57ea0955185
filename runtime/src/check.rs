//! Everything that is wrong with a document in this place: its shape, its meaning, each component's own rules, and what it
//! names that is not here (I7); and its plan, when nothing is.

use fairway_shared::channel::Channel;
use fairway_shared::channel::text::{self, Document};
use fairway_shared::connection::Connection;
use fairway_shared::diagnostic::{self, Diagnostic, Place, codes};
use fairway_shared::plan::Plan;
use fairway_shared::pointer;
use fairway_shared::validate::{self, Facts};
use serde_json::{Map, Value};

use crate::compile;
use crate::registry::Registry;
use crate::schedule;

/// What is known outside of the document; what is not known is not judged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Every connection.
    pub(crate) connections: Option<Vec<Connection>>,
    /// Names of all secrets.
    pub(crate) secrets: Option<Vec<String>>,
    /// Whether tasks can be joined by streams.
    pub(crate) cluster: bool,
}

impl Known {
    fn facts<'a>(&'a self, registry: &'a Registry) -> Facts<'a> {
        Facts {
            components: registry.specs(),
            connections: self.connections.as_deref(),
            secrets: self.secrets.as_deref(),
            cluster: self.cluster,
        }
    }
}

/// All that is wrong with a channel, errors first.
pub(crate) fn channel(registry: &Registry, channel: &Channel, known: &Known) -> Vec<Diagnostic> {
    let mut found = validate::everything(channel, &known.facts(registry));
    rules(registry, channel, known.connections.as_deref(), &mut found);
    found.extend(schedule::check(channel));
    diagnostic::sort(&mut found);
    found
}

/// All that is wrong with a connection, errors first.
pub(crate) fn connection(registry: &Registry, connection: &Connection, known: &Known) -> Vec<Diagnostic> {
    validate::validate_connection(connection, &known.facts(registry))
}

/// All that is wrong with any bytes, with lines and columns.
pub(crate) fn bytes(registry: &Registry, bytes: &[u8], known: &Known) -> (Option<Document>, Vec<Diagnostic>) {
    let (document, mut found) = validate::validate_text(bytes, &known.facts(registry));
    if let Some(document) = &document {
        let parts = document.parts();
        let beside = parts.iter().filter_map(|(_, part)| match part {
            Document::Connection(connection) => Some(connection.clone()),
            _ => None,
        });
        let connections: Vec<_> = known.connections.iter().flatten().cloned().chain(beside).collect();
        let mut broken = Vec::new();
        for (at, part) in &parts {
            if let Document::Channel(channel) = part {
                let mut faults = Vec::new();
                rules(registry, channel, Some(&connections), &mut faults);
                faults.extend(schedule::check(channel));
                broken.extend(faults.into_iter().map(|fault| fault.under(at)));
            }
        }
        text::locate(bytes, &mut broken);
        found.extend(broken);
        diagnostic::sort(&mut found);
    }
    (document, found)
}

/// The plan of a channel when it has no errors, and all that is wrong with it.
pub(crate) fn plan(registry: &Registry, channel: &Channel, known: &Known) -> (Option<Plan>, Vec<Diagnostic>) {
    let mut found = self::channel(registry, channel, known);
    if found.iter().any(Diagnostic::is_error) {
        return (None, found);
    }
    match compile::compile(channel, &known.facts(registry)) {
        Ok(plan) => (Some(plan), found),
        Err(faults) => {
            found.extend(faults.into_iter().filter(Diagnostic::is_error));
            diagnostic::sort(&mut found);
            (None, found)
        }
    }
}

/// A node's config over the access data of the connection it names; what the node says itself wins.
pub(crate) fn merge(connection: &Connection, config: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = connection.config().clone();
    merged.extend(config.iter().map(|(key, value)| (key.clone(), value.clone())));
    merged
}

/// Rules across fields, which only the components' code knows.
fn rules(
    registry: &Registry,
    channel: &Channel,
    connections: Option<&[Connection]>,
    found: &mut Vec<Diagnostic>,
) {
    for (index, node) in channel.spec.nodes.iter().enumerate() {
        let Some(component) = registry.get(&node.component) else {
            continue;
        };
        let config = match node.config.get("connection").and_then(Value::as_str) {
            None => node.config.clone(),
            Some(name) => {
                let mut connections = connections.iter().copied().flatten();
                match connections.find(|connection| connection.name() == name) {
                    Some(connection) => merge(connection, &node.config),
                    // Nothing is known about half of the config, so nothing can be said about the whole.
                    None => continue,
                }
            }
        };
        // A config of the wrong shape was told of before, by its schema.
        for issue in component.check(&Value::Object(config)).unwrap_or_default() {
            let mut at = format!("/spec/nodes/{index}/config");
            let mut place = Place::default().of_node(&node.id);
            if !issue.field.is_empty() {
                issue.field.split('.').for_each(|part| pointer::push(&mut at, part));
                place = place.of_field(issue.field);
            }
            let mut fault =
                Diagnostic::error(codes::CONFIG_RULE, Place { pointer: at, ..place }, issue.message);
            fault.help = issue.help;
            found.push(fault);
        }
    }
}
