//! Whether a document makes sense: everything that is wrong with it, all at once, with places and what to do (I7).
//!
//! | File | Looks at |
//! |---|---|
//! | `names` | the document's name |
//! | `nodes` | ids and components |
//! | `edges` | ends and ports |
//! | `ports` | names that settings give to outputs |
//! | `topology` | circles, loose ends |
//! | `config`, `values` | each node's settings against its component's schema |
//! | `secrets` | references, and secrets written out |
//!
//! The shape of the document is `channel::text`'s business, its plan the runtime's `compile`. Rules across fields are each
//! component's own and are added by the runtime, which knows the components' code.

mod at;
mod config;
mod edges;
mod names;
mod nodes;
mod ports;
mod secrets;
mod topology;
mod values;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::Value;

use crate::channel::text::{self, Document};
use crate::channel::{Channel, StreamChoice};
use crate::component::{ComponentSpec, Ports};
use crate::connection::Connection;
use crate::diagnostic::{self, Diagnostic, Place, codes};
use crate::form::{self, FormModel};
use crate::pointer;
use at::At;

/// What is known outside of the document. What is not known is not judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a> {
    /// Every component that can be placed.
    pub components: &'a [ComponentSpec],
    /// Every connection, where they are known.
    pub connections: Option<&'a [Connection]>,
    /// Names of all stored secrets, where they are known.
    pub secrets: Option<&'a [String]>,
    /// Whether there is a cluster with a broker.
    pub cluster: bool,
}

/// All that is wrong with what a channel means, errors first, then as the document reads. What is wrong with its shape
/// was told when it was read, and is told again by [`text::faults`].
pub fn validate(channel: &Channel, facts: &Facts<'_>) -> Vec<Diagnostic> {
    let catalog = Catalog::new(facts.components);
    let graph = Graph::new(channel, &catalog);
    let mut out = Vec::new();
    names::check(&channel.metadata, &mut out);
    nodes::check(channel, facts, &graph, &mut out);
    edges::check(channel, &graph, &mut out);
    topology::check(channel, &graph, &mut out);
    config::check(channel, facts, &graph, &mut out);
    ports::check(channel, &graph, &mut out);
    settings(channel, facts, &mut out);
    diagnostic::settle(&mut out);
    out
}

/// All that is wrong with a channel in memory: shape and meaning.
pub fn everything(channel: &Channel, facts: &Facts<'_>) -> Vec<Diagnostic> {
    let mut out = text::faults(channel);
    out.extend(validate(channel, facts));
    diagnostic::settle(&mut out);
    out
}

/// All that is wrong with what a connection means.
pub fn validate_connection(connection: &Connection, facts: &Facts<'_>) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    names::check(&connection.metadata, &mut out);
    if connection.connector().is_empty() && !connection.spec.extra.contains_key("connector") {
        let place = Place::at("/spec");
        out.push(
            Diagnostic::error(
                codes::CONNECTION_NO_CONNECTOR,
                place,
                "the connection does not say what it connects to",
            )
            .help("Set `spec.connector` to the family of the external system, such as `postgres`."),
        );
    }
    let config = connection.config();
    secrets::check(config, None, &At::Config(&Place::at("/spec/config")), facts.secrets, &mut out);
    diagnostic::settle(&mut out);
    out
}

/// A document without the values that these findings take for secrets: what is passed on does not carry them (I6).
pub fn without_secrets(mut document: Value, found: &[Diagnostic]) -> Value {
    let secret = [codes::SECRET_PLAIN, codes::SECRET_SUSPECTED];
    let mut places: Vec<Vec<String>> = found
        .iter()
        .filter(|fault| secret.contains(&&*fault.code))
        .map(|fault| pointer::segments(&fault.place.pointer))
        .collect();
    // From the end: an element taken out of a list moves those behind it.
    let rank = |place: &Vec<String>| -> Vec<(Option<usize>, String)> {
        place.iter().map(|segment| (pointer::index(segment), segment.clone())).collect()
    };
    places.sort_by_key(|place| std::cmp::Reverse(rank(place)));
    for place in places {
        // A place that is not there any more holds nothing to be left out.
        pointer::put(&mut document, &place, None).unwrap_or_default();
    }
    document
}

/// Reads any bytes as a document and says all that is wrong with them: text, shape and meaning, with lines and columns.
/// Connections that lie in the same bundle count as known.
pub fn validate_text(bytes: &[u8], facts: &Facts<'_>) -> (Option<Document>, Vec<Diagnostic>) {
    let parsed = text::parse(bytes);
    let mut out = parsed.diagnostics;
    if let Some(document) = &parsed.document {
        let parts = document.parts();
        let beside = parts.iter().filter_map(|(_, part)| match part {
            Document::Connection(connection) => Some(connection.clone()),
            _ => None,
        });
        let connections: Option<Vec<_>> =
            facts.connections.map(|known| known.iter().cloned().chain(beside).collect());
        let facts = Facts { connections: connections.as_deref(), ..*facts };
        for (at, part) in parts {
            let found = match part {
                Document::Channel(channel) => validate(channel, &facts),
                Document::Connection(connection) => validate_connection(connection, &facts),
                Document::Bundle(_) => Vec::new(),
            };
            out.extend(found.into_iter().map(|diagnostic| diagnostic.under(&at)));
        }
        text::locate(bytes, &mut out);
    }
    diagnostic::settle(&mut out);
    (parsed.document, out)
}

fn settings(channel: &Channel, facts: &Facts<'_>, out: &mut Vec<Diagnostic>) {
    if channel.spec.settings.stream == StreamChoice::Topic && !facts.cluster {
        let place = Place::at("/spec/settings/stream");
        let message = "streams by topic need a cluster with a broker, and there is none";
        out.push(
            Diagnostic::error(codes::PLAN_TOPIC_WITHOUT_CLUSTER, place, message)
                .help("Deploy it on a cluster, or choose `auto`: tasks then hand records on without a topic.")
                .fix("Change to `auto`", "/spec/settings/stream", Some(StreamChoice::Auto.as_str().into())),
        );
    }
    if facts.cluster {
        return;
    }
    for (index, node) in channel.spec.nodes.iter().enumerate() {
        let spec = facts.components.iter().find(|spec| spec.name == node.component);
        let Some(setting) = spec.and_then(|spec| spec.needs_cluster(&node.config)) else { continue };
        let place = node_place(channel, index, &format!("/config/{setting}")).of_field(&setting);
        let message = format!(
            "with `{setting}` as it is, `{}` needs a cluster, and there is none",
            nodes::shown(&node.id)
        );
        out.push(
            Diagnostic::error(codes::PLAN_NEEDS_CLUSTER, place, message)
                .help("Change the setting, or run the channel on a cluster of workers."),
        );
    }
}

/// Components by name, each with its form, which is made when it is first needed.
struct Catalog<'a> {
    entries: HashMap<&'a str, (&'a ComponentSpec, OnceCell<FormModel>)>,
}

impl<'a> Catalog<'a> {
    fn new(components: &'a [ComponentSpec]) -> Self {
        let entry = |spec: &'a ComponentSpec| (spec.name.as_str(), (spec, OnceCell::new()));
        Self { entries: components.iter().map(entry).collect() }
    }

    fn spec(&self, name: &str) -> Option<&'a ComponentSpec> {
        self.entries.get(name).map(|(spec, _)| *spec)
    }

    fn form(&self, name: &str) -> Option<&FormModel> {
        let (spec, form) = self.entries.get(name)?;
        Some(form.get_or_init(|| form::model(&spec.config_schema)))
    }
}

/// The channel as a graph of indexes.
struct Graph<'a> {
    catalog: &'a Catalog<'a>,
    /// First node of each id.
    index: HashMap<&'a str, usize>,
    /// Description of each node's component, where it is known.
    specs: Vec<Option<&'a ComponentSpec>>,
    /// Ports of each node with its settings, where its component is known.
    ports: Vec<Option<Cow<'a, Ports>>>,
    /// Both ends of each edge, where its nodes are there.
    ends: Vec<Option<(usize, usize)>>,
}

impl<'a> Graph<'a> {
    fn new(channel: &'a Channel, catalog: &'a Catalog<'a>) -> Self {
        let mut index = HashMap::with_capacity(channel.spec.nodes.len());
        for (at, node) in channel.spec.nodes.iter().enumerate() {
            index.entry(node.id.as_str()).or_insert(at);
        }
        let find = |id: &String| index.get(id.as_str()).copied();
        let ends = channel
            .spec
            .edges
            .iter()
            .map(|edge| Some((find(&edge.from.node)?, find(&edge.to.node)?)))
            .collect();
        let specs: Vec<_> = channel.spec.nodes.iter().map(|node| catalog.spec(&node.component)).collect();
        let ports = channel.spec.nodes.iter().zip(&specs);
        let ports = ports.map(|(node, spec)| spec.map(|spec| spec.ports_for(&node.config))).collect();
        Self { catalog, index, specs, ports, ends }
    }
}

/// The place of a node, or of a member of it.
fn node_place(channel: &Channel, index: usize, member: &str) -> Place {
    let id = channel.spec.nodes.get(index).map(|node| node.id.clone()).filter(|id| !id.is_empty());
    Place { node: id, ..Place::at(format!("/spec/nodes/{index}{member}")) }
}
