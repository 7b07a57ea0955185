//! Where a channel is cut into tasks that streams join.
//!
//! What several targets need runs in a *source task*: the sources, the transforms that more than one target waits for, and those that
//! follow in a straight line. From there each target goes on alone, in a *sink task* with what leads to nothing else. So every node
//! is in exactly one task, as if nothing were cut, and a slow target holds up only what is its own.
//!
//! A sink and all that its errors port leads to stay together. What other errors ports of a source task lead to stays there, for a stream
//! does not say that a record came by an errors path; where that cannot be, the part is not cut and says which node is in the way.

use std::collections::BTreeSet;

use fairway_shared::channel::Channel;
use fairway_shared::component::{ComponentSpec, Kind};
use fairway_shared::plan::TaskKind;

use super::graph::Graph;

/// A task in the making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: TaskKind,
    /// The node that it is named after.
    pub(super) first: usize,
    pub(super) nodes: BTreeSet<usize>,
}

/// A part in one piece.
pub(super) fn whole(part: &BTreeSet<usize>, specs: &[&ComponentSpec]) -> Piece {
    let sources = part.iter().copied().filter(|node| specs[*node].kind == Kind::Source);
    // Validation lets no part through without a source: all that takes input is fed, and nothing circles.
    let first = sources.chain(part.iter().copied()).next().expect("a part has nodes");
    Piece { kind: TaskKind::Direct, first, nodes: part.clone() }
}

/// A part cut into source tasks and sink tasks, in the order of their first nodes.
///
/// # Errors
/// The node whose errors port leads across the cut.
pub(super) fn cut(
    channel: &Channel,
    specs: &[&ComponentSpec],
    graph: &Graph,
    part: &BTreeSet<usize>,
) -> Result<Vec<Piece>, usize> {
    let groups = groups(specs, graph, part);
    let mut head = head(channel, specs, graph, part, &groups);
    while let Some((from, to)) = crossing(channel, specs, graph, &head) {
        let reached = graph.reached(to);
        let behind = |node: &usize| *node == to || reached[*node];
        let fed_from_elsewhere =
            graph.ends.iter().any(|(from, to)| behind(to) && !behind(from) && !head.contains(from));
        if fed_from_elsewhere {
            return Err(from);
        }
        head.extend(part.iter().copied().filter(behind));
    }
    if head.len() == part.len() {
        return Ok(vec![whole(part, specs)]);
    }
    let mut pieces = Vec::new();
    for nodes in connected(&head, graph) {
        let sources = nodes.iter().copied().filter(|node| specs[*node].kind == Kind::Source);
        let first = sources.chain(nodes.iter().copied()).next().unwrap_or_default();
        pieces.push(Piece { kind: TaskKind::Source, first, nodes });
    }
    let mut sinks: Vec<(&BTreeSet<usize>, BTreeSet<usize>)> = Vec::new();
    for node in part.difference(&head) {
        let group = &groups[*node];
        match sinks.iter_mut().find(|(known, _)| *known == group) {
            Some((_, nodes)) => drop(nodes.insert(*node)),
            None => sinks.push((group, BTreeSet::from([*node]))),
        }
    }
    for (group, nodes) in sinks {
        let first = group.iter().chain(&nodes).copied().find(|node| specs[*node].kind == Kind::Sink);
        pieces.push(Piece { kind: TaskKind::Sink, first: first.unwrap_or_default(), nodes });
    }
    Ok(pieces)
}

/// An edge of an errors port that leads from the source tasks to a sink task.
fn crossing(
    channel: &Channel,
    specs: &[&ComponentSpec],
    graph: &Graph,
    head: &BTreeSet<usize>,
) -> Option<(usize, usize)> {
    let mut edges = channel.spec.edges.iter().zip(&graph.ends);
    let crosses = |from: &usize, to: &usize| head.contains(from) && !head.contains(to);
    let found = edges.find(|(edge, (from, to))| {
        edge.from.is_errors() && specs[*from].kind != Kind::Sink && crosses(from, to)
    });
    found.map(|(_, ends)| *ends)
}

/// For each node the sinks that its records may come to. Sinks that errors ports join count as one, by its first.
fn groups(specs: &[&ComponentSpec], graph: &Graph, part: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
    let sinks: Vec<usize> = part.iter().copied().filter(|node| specs[*node].kind == Kind::Sink).collect();
    let mut first: Vec<usize> = (0..specs.len()).collect();
    // As often as there are sinks, for what is joined to one that is joined is joined to all.
    for _ in &sinks {
        for &sink in &sinks {
            let reached = graph.reached(sink);
            for other in sinks.iter().copied().filter(|other| reached[*other]) {
                let joined = first[sink].min(first[other]);
                (first[sink], first[other]) = (joined, joined);
            }
        }
    }
    let of = |node: usize| {
        let reached = graph.reached(node);
        let reached = sinks.iter().copied().filter(|sink| *sink == node || reached[*sink]);
        reached.map(|sink| first[sink]).collect()
    };
    (0..specs.len()).map(|node| if part.contains(&node) { of(node) } else { BTreeSet::new() }).collect()
}

/// The nodes of source tasks.
fn head(
    channel: &Channel,
    specs: &[&ComponentSpec],
    graph: &Graph,
    part: &BTreeSet<usize>,
    groups: &[BTreeSet<usize>],
) -> BTreeSet<usize> {
    let shared = |node: &usize| specs[*node].kind == Kind::Source || groups[*node].len() > 1;
    let mut head: BTreeSet<usize> = part.iter().copied().filter(shared).collect();
    let edges: Vec<_> = channel.spec.edges.iter().zip(&graph.ends).collect();
    for &node in
        graph.order.iter().filter(|node| part.contains(node) && specs[**node].kind == Kind::Transform)
    {
        let mut into = edges.iter().filter(|(_, (_, to))| *to == node);
        let (Some((edge, (before, _))), None) = (into.next(), into.next()) else { continue };
        let straight = graph.next[*before].len() == 1 && !edge.from.is_errors();
        if straight && head.contains(before) {
            head.insert(node);
        }
    }
    head
}

/// The connected parts of some nodes, in the order of their first ones.
fn connected(nodes: &BTreeSet<usize>, graph: &Graph) -> Vec<BTreeSet<usize>> {
    let mut left = nodes.clone();
    let mut parts = Vec::new();
    while let Some(first) = left.pop_first() {
        let (mut part, mut open) = (BTreeSet::from([first]), vec![first]);
        while let Some(node) = open.pop() {
            let joined = graph.ends.iter().filter_map(|(from, to)| match node {
                node if node == *from => Some(*to),
                node if node == *to => Some(*from),
                _ => None,
            });
            for other in joined {
                if left.remove(&other) {
                    part.insert(other);
                    open.push(other);
                }
            }
        }
        parts.push(part);
    }
    parts
}
