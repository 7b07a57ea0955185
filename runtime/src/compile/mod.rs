//! Channel to plan: pure and deterministic, without clock, files or services. What is wrong is answered as diagnostics;
//! what is right is answered as the plan that the canvas draws, a deploy shows, and the worker runs.
//!
//! Each connected part of the drawing becomes one direct task: sources, chains and targets in one process, acknowledged end
//! to end. Where the channel asks for streams by topic, `cut` says where a part is cut into tasks that streams join. Where a node asks
//! for several tasks, `shares` says whether each of them can have a share of the partitions.
//! `graph` finds the parts and their order, `hashes` says when something is another thing than before,
//! `delivery` what is promised about each target, `files` whether the channel would feed itself. What a deploy changes is `fairway_shared::plan::diff`.

mod cut;
mod delivery;
mod files;
mod graph;
mod hashes;
mod shares;

use std::collections::BTreeMap;

use fairway_shared::channel::{Channel, StreamChoice};
use fairway_shared::component::{ComponentSpec, Kind};
use fairway_shared::diagnostic::{self, Diagnostic, Place, codes};
use fairway_shared::form::{self, FormModel};
use fairway_shared::plan::{Connector, Plan, Share, Stream, StreamKind, Task, TaskKind};
use fairway_shared::validate::{Facts, validate};

use cut::Piece;
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
    let pieces = pieces(channel, &specs, &graph, &mut diagnostics);
    diagnostics.extend(shares::refused(channel, &specs, &pieces));
    diagnostics.extend(files::loops(channel, &specs));
    if diagnostics.iter().any(Diagnostic::is_error) {
        diagnostic::sort(&mut diagnostics);
        return Err(diagnostics);
    }
    let connectors = connectors(channel, &specs, &pieces);
    let tasks = tasks(channel, &specs, &graph, &connectors, &pieces);
    let sources = channel.spec.nodes.iter().zip(&specs).filter(|(_, spec)| spec.kind == Kind::Source);
    Ok(Plan {
        hash: hashes::plan(&tasks),
        // Whoever reads a stream does not know that nothing more comes.
        bounded: sources.clone().all(|(node, spec)| spec.is_bounded(&node.config))
            && pieces.iter().all(|piece| piece.kind == TaskKind::Direct),
        connectors,
        tasks,
        streams: channel
            .spec
            .edges
            .iter()
            .zip(&graph.ends)
            .map(|(edge, (from, to))| Stream {
                from: edge.from.clone(),
                to: edge.to.clone(),
                kind: if pieces.iter().any(|piece| piece.nodes.contains(from) && piece.nodes.contains(to)) {
                    StreamKind::Direct
                } else {
                    StreamKind::Topic
                },
            })
            .collect(),
        targets,
    })
}

/// The tasks in the making. A part that cannot be cut as asked is an error, never run otherwise in silence (I8). Without a cluster
/// `validate` says so.
fn pieces(
    channel: &Channel,
    specs: &[&ComponentSpec],
    graph: &Graph,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Piece> {
    let settings = &channel.spec.settings;
    if settings.stream == StreamChoice::Topic && settings.schedule.is_some() {
        diagnostics.push(endless());
    }
    let mut pieces = Vec::new();
    for part in &graph.parts {
        if settings.stream != StreamChoice::Topic {
            pieces.push(cut::whole(part, specs));
            continue;
        }
        match cut::cut(channel, specs, graph, part) {
            Ok(cut) => pieces.extend(cut),
            Err(node) => diagnostics.push(uncut(channel, node)),
        }
    }
    pieces
}

/// A run that is over when its sources are would leave in the stream what they brought last.
fn endless() -> Diagnostic {
    let pointer = "/spec/settings/stream";
    let message =
        "a channel that runs by a schedule ends each time, and one with streams by topic never does";
    Diagnostic::error(codes::PLAN_SCHEDULE_WITH_STREAM, Place::at(pointer), message)
        .help("Choose `auto` or `direct`, or take the schedule away.")
        .fix("Change to `auto`", pointer, Some(StreamChoice::Auto.as_str().into()))
}

fn uncut(channel: &Channel, node: usize) -> Diagnostic {
    let id = &channel.spec.nodes[node].id;
    let place = Place::at(format!("/spec/nodes/{node}")).of_node(id);
    let message =
        format!("the errors port of `{id}` leads into another task, and a stream does not carry that");
    Diagnostic::error(codes::PLAN_ERRORS_ACROSS_STREAM, place, message)
        .help("Take the edge away, so that such records become dead letters, or choose direct streams.")
        .fix("Change to `direct`", "/spec/settings/stream", Some(StreamChoice::Direct.as_str().into()))
}

fn connectors(channel: &Channel, specs: &[&ComponentSpec], pieces: &[Piece]) -> Vec<Connector> {
    // One form a component, not one a node.
    let mut forms: BTreeMap<&str, FormModel> = BTreeMap::new();
    let mut connectors = Vec::with_capacity(specs.len());
    for (at, (node, spec)) in channel.spec.nodes.iter().zip(specs).enumerate() {
        let mut position_fields = BTreeMap::new();
        if spec.kind == Kind::Source {
            let form = forms.entry(&spec.name).or_insert_with(|| form::model(&spec.config_schema));
            position_fields = hashes::position_fields(node, spec, form);
            if pieces.iter().any(|piece| piece.kind == TaskKind::Source && piece.nodes.contains(&at)) {
                // What a stream holds is past its source: joined otherwise, nobody would read it, so its source starts over.
                position_fields.insert("stream".to_owned(), StreamChoice::Topic.as_str().to_owned());
            }
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

fn tasks(
    channel: &Channel,
    specs: &[&ComponentSpec],
    graph: &Graph,
    connectors: &[Connector],
    pieces: &[Piece],
) -> Vec<Task> {
    let of_piece = |piece: &Piece| {
        let of_kind = piece.kind;
        let kind = match of_kind {
            TaskKind::Direct => "direct",
            TaskKind::Source => "source",
            TaskKind::Sink => "sink",
        };
        let first = format!("{kind}-{}", channel.spec.nodes[piece.first].id);
        let order = graph.order.iter().copied().filter(|node| piece.nodes.contains(node));
        let nodes: Vec<String> = order.map(|node| channel.spec.nodes[node].id.clone()).collect();
        let hash = hashes::task(channel, specs, graph, &piece.nodes, connectors);
        let task = move |share: Option<Share>| Task {
            id: match share {
                Some(share) if share.index > 0 => format!("{first}.{}", share.index + 1),
                _ => first.clone(),
            },
            kind: of_kind,
            nodes: nodes.clone(),
            hash: hashes::shared(&hash, share),
            share,
        };
        Share::all(shares::of(channel, piece)).into_iter().map(task)
    };
    pieces.iter().flat_map(of_piece).collect()
}
