//! Channel to plan: pure and deterministic, without clock, files or services. What is wrong is answered as diagnostics;
//! what is right is answered as the plan that the canvas draws, a deploy shows, and the worker runs.
//!
//! Each connected part of the drawing becomes one direct task: sources, chains and targets in one process, acknowledged end
//! to end. `graph` finds the parts and their order, `hashes` says when something is another thing than before,
//! `delivery` what is promised about each target, `files` whether the channel would feed itself. What a deploy changes is `fairway_shared::plan::diff`.

mod delivery;
mod files;
mod graph;
mod hashes;

use std::collections::BTreeMap;

use fairway_shared::channel::{Channel, StreamChoice};
use fairway_shared::component::{ComponentSpec, Kind};
use fairway_shared::diagnostic::{self, Diagnostic, Place, codes};
use fairway_shared::form::{self, FormModel};
use fairway_shared::plan::{Connector, Plan, Stream, StreamKind, Task, TaskKind};
use fairway_shared::validate::{Facts, validate};

use graph::Graph;

/// Makes the plan of a channel: the same document gives the same plan on any machine.
///
/// # Errors
/// All diagnostics of a channel that has errors, those of `validate` among them; nothing of it is planned (I8).
pub fn compile(channel: &Channel, facts: &Facts<'_>) -> Result<Plan, Vec<Diagnostic>> {
    let mut diagnostics = validate(channel, facts);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let spec_of = |name: &str| facts.components.iter().find(|spec| spec.name == name);
    let specs: Option<Vec<&ComponentSpec>> =
        channel.spec.nodes.iter().map(|node| spec_of(&node.component)).collect();
    let specs = specs.expect("validate refuses unknown components");
    let graph = Graph::new(channel);
    let targets = delivery::targets(channel, &specs, &graph);
    diagnostics.extend(delivery::too_low(channel, &targets));
    diagnostics.extend(no_topics(channel, facts));
    diagnostics.extend(files::loops(channel, &specs));
    if diagnostics.iter().any(Diagnostic::is_error) {
        diagnostic::sort(&mut diagnostics);
        return Err(diagnostics);
    }
    let connectors = connectors(channel, &specs);
    let tasks = tasks(channel, &specs, &graph, &connectors);
    let sources = channel.spec.nodes.iter().zip(&specs).filter(|(_, spec)| spec.kind == Kind::Source);
    Ok(Plan {
        hash: hashes::plan(&tasks),
        bounded: sources.clone().all(|(node, spec)| spec.is_bounded(&node.config)),
        connectors,
        tasks,
        streams: channel
            .spec
            .edges
            .iter()
            .map(|edge| Stream { from: edge.from.clone(), to: edge.to.clone(), kind: StreamKind::Direct })
            .collect(),
        targets,
    })
}

/// Streams by topic are refused, never replaced by others in silence (I8). Without a cluster `validate` says so.
fn no_topics(channel: &Channel, facts: &Facts<'_>) -> Option<Diagnostic> {
    let refused = channel.spec.settings.stream == StreamChoice::Topic && facts.cluster;
    refused.then(|| {
        let pointer = "/spec/settings/stream";
        Diagnostic::error(
            codes::PLAN_TOPIC_WITHOUT_CLUSTER,
            Place::at(pointer),
            "this build of Fairway joins tasks in one process only",
        )
        .help("Choose `auto` or `direct`.")
        .fix("Change to `auto`", pointer, Some(StreamChoice::Auto.as_str().into()))
    })
}

fn connectors(channel: &Channel, specs: &[&ComponentSpec]) -> Vec<Connector> {
    // One form a component, not one a node.
    let mut forms: BTreeMap<&str, FormModel> = BTreeMap::new();
    let mut connectors = Vec::with_capacity(specs.len());
    for (node, spec) in channel.spec.nodes.iter().zip(specs) {
        let mut position_fields = BTreeMap::new();
        if spec.kind == Kind::Source {
            let form = forms.entry(&spec.name).or_insert_with(|| form::model(&spec.config_schema));
            position_fields = hashes::position_fields(node, spec, form);
        }
        connectors.push(Connector {
            node: node.id.clone(),
            component: node.component.clone(),
            kind: spec.kind,
            hash: hashes::node(node),
            position_hash: (spec.kind == Kind::Source).then(|| hashes::position(node, &position_fields)),
            position_fields,
        });
    }
    connectors
}

fn tasks(channel: &Channel, specs: &[&ComponentSpec], graph: &Graph, connectors: &[Connector]) -> Vec<Task> {
    let parts = graph.parts.iter().map(|part| {
        let sources = part.iter().copied().filter(|node| specs[*node].kind == Kind::Source);
        // Validation lets no part through without a source: all that takes input is fed, and nothing circles.
        let first = sources.chain(part.iter().copied()).next().expect("a part has nodes");
        let order = graph.order.iter().copied().filter(|node| part.contains(node));
        Task {
            id: format!("direct-{}", channel.spec.nodes[first].id),
            kind: TaskKind::Direct,
            nodes: order.map(|node| channel.spec.nodes[node].id.clone()).collect(),
            hash: hashes::task(channel, specs, graph, part, connectors),
        }
    });
    parts.collect()
}
