//! Circles and loose ends of the graph.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::nodes::shown;
use super::{Graph, node_place};
use crate::channel::Channel;
use crate::component::{Kind, Ports};
use crate::diagnostic::{Diagnostic, Place, codes};

pub(super) fn check(channel: &Channel, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    if channel.spec.nodes.is_empty() {
        // Something else in the place of the nodes was reported when the document was read.
        if !channel.spec.extra.contains_key("nodes") && !channel.extra.contains_key("spec") {
            let place = Place::at("/spec/nodes");
            out.push(
                Diagnostic::error(codes::GRAPH_EMPTY, place, "the channel has no nodes")
                    .help("Place a source and a target, and join them."),
            );
        }
        return;
    }
    loose_ends(channel, graph, out);
    loose_outputs(channel, graph, out);
    cycles(channel, graph, out);
    copies(channel, graph, out);
}

fn loose_ends(channel: &Channel, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    let count = channel.spec.nodes.len();
    let (mut fed, mut leads) = (vec![false; count], vec![false; count]);
    for (edge, ends) in channel.spec.edges.iter().zip(&graph.ends) {
        // An edge with a fault in one end still says that the other end is meant to be joined.
        if let Some(to) = graph.index.get(edge.to.node.as_str()) {
            fed[*to] = true;
        }
        if let Some(from) = graph.index.get(edge.from.node.as_str())
            && (!edge.from.is_errors() || ends.is_none())
        {
            leads[*from] = true;
        }
    }
    for (index, node) in channel.spec.nodes.iter().enumerate() {
        // Of several nodes with one id the first has the edges; the others are reported as such.
        let Some(spec) = graph.specs[index].filter(|_| graph.index.get(node.id.as_str()) == Some(&index))
        else {
            continue;
        };
        let name = || shown(&node.id);
        let place = || node_place(channel, index, "");
        if spec.accepts_input() && !fed[index] {
            let what = if spec.kind == Kind::Sink { "target" } else { "transform" };
            let message = format!("nothing leads to the {what} `{}`", name());
            out.push(
                Diagnostic::error(codes::GRAPH_NO_INPUT, place(), message)
                    .help("Join it to a source or a transform, or remove it."),
            );
        }
        if spec.kind != Kind::Sink && !leads[index] {
            let what = if spec.kind == Kind::Source { "source" } else { "transform" };
            // I1: a record may only end where the user drew that it ends.
            let message = format!("nothing leads on from the {what} `{}`; its records would vanish", name());
            out.push(
                Diagnostic::error(codes::GRAPH_NO_OUTPUT, place(), message)
                    .help("Join it to a target, or remove it."),
            );
        }
    }
}

/// Warns of single outputs from which nothing leads on, at nodes with several: that may be meant, and their records are
/// then counted as filtered (I1).
fn loose_outputs(channel: &Channel, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    // For each node with several outputs that an edge begins at, which of them lead on; `None` once an edge names no output.
    let mut joined: BTreeMap<usize, Option<Vec<bool>>> = BTreeMap::new();
    for edge in channel.spec.edges.iter().filter(|edge| !edge.from.is_errors()) {
        // An edge with a fault in its other end still says that this one is meant to be joined.
        let Some(&from) = graph.index.get(edge.from.node.as_str()) else { continue };
        let Some(ports) = several(&graph.ports[from]) else { continue };
        let leads = joined.entry(from).or_insert_with(|| Some(vec![false; ports.outputs.len()]));
        match (leads.as_mut(), ports.output(edge.from.port.as_deref())) {
            (Some(leads), Some(rank)) => leads[rank] = true,
            _ => *leads = None,
        }
    }
    for (index, leads) in joined {
        // Where nothing leads on at all, or an edge names no output, that is an error and told as such.
        let (Some(ports), Some(leads)) = (several(&graph.ports[index]), leads) else { continue };
        for (port, _) in ports.outputs.iter().zip(leads).filter(|(_, leads)| !leads) {
            let node = shown(&channel.spec.nodes[index].id);
            let message = format!(
                "nothing leads on from the output `{}` of `{node}`; its records are dropped",
                port.name
            );
            out.push(
                Diagnostic::warning(codes::GRAPH_LOOSE_OUTPUT, node_place(channel, index, ""), message)
                    .help("Join it to a target, or leave it if these records are to be dropped; they count as filtered."),
            );
        }
    }
}

/// Ports with several outputs.
fn several<'p>(ports: &'p Option<Cow<'_, Ports>>) -> Option<&'p Ports> {
    ports.as_deref().filter(|ports| ports.outputs.len() > 1)
}

/// Most copies that a drawing may make of one record: far more than anybody draws, and few enough to be held (I5).
const MOST_COPIES: u64 = 10_000;

/// Reports where ways part and meet again so often that one record becomes more copies than can be held. A record leaves a
/// node by one of its outputs, so the one with the most ways behind it counts.
fn copies(channel: &Channel, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    let count = channel.spec.nodes.len();
    let (mut leaving, mut feeders) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (edge, ends) in graph.ends.iter().enumerate() {
        let Some((from, to)) = *ends else { continue };
        let end = &channel.spec.edges[edge].from;
        let output = graph.ports[from].as_ref().and_then(|ports| ports.output(end.port.as_deref()));
        leaving[from].push(((end.is_errors(), output), to));
        feeders[to].push(from);
    }
    // From the ends backwards; nodes on a circle never come to be counted, and are reported as such.
    let mut uncounted: Vec<usize> = leaving.iter().map(Vec::len).collect();
    let mut open: Vec<usize> = (0..count).filter(|node| uncounted[*node] == 0).collect();
    let mut most = vec![1u64; count];
    while let Some(node) = open.pop() {
        let mut by_output: BTreeMap<_, u64> = BTreeMap::new();
        for (output, to) in &leaving[node] {
            let copies = by_output.entry(*output).or_default();
            *copies = copies.saturating_add(most[*to]);
        }
        most[node] = by_output.into_values().max().unwrap_or(1);
        if most[node] > MOST_COPIES && feeders[node].is_empty() {
            let message = format!(
                "one record of `{}` would become more than 10,000 copies on its way",
                shown(&channel.spec.nodes[node].id)
            );
            out.push(
                Diagnostic::error(codes::GRAPH_TOO_MANY_COPIES, node_place(channel, node, ""), message).help(
                    "Join the layers of nodes behind it by fewer edges: each way through them makes a copy.",
                ),
            );
        }
        for from in &feeders[node] {
            uncounted[*from] -= 1;
            if uncounted[*from] == 0 {
                open.push(*from);
            }
        }
    }
}

/// Reports one circle for each group of nodes that lead back to each other; `errors` ports lead like any other.
fn cycles(channel: &Channel, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    let count = channel.spec.nodes.len();
    let mut next: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
    for (edge, ends) in graph.ends.iter().enumerate() {
        if let Some((from, to)) = ends {
            next[*from].push((*to, edge));
        }
    }
    // Depth first with an own stack: the depth of a drawing is not bounded. 0 unseen, 1 on the way, 2 done.
    let mut state = vec![0u8; count];
    for start in 0..count {
        if state[start] != 0 {
            continue;
        }
        state[start] = 1;
        let mut way = vec![(start, 0usize, None)];
        while let Some((node, branch, _)) = way.last_mut() {
            let Some(&(to, edge)) = next[*node].get(*branch) else {
                state[*node] = 2;
                way.pop();
                continue;
            };
            *branch += 1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    way.push((to, 0, Some(edge)));
                }
                1 => {
                    let from = way.iter().position(|(node, ..)| *node == to).unwrap_or_default();
                    let circle: Vec<usize> = way[from..].iter().map(|(node, ..)| *node).collect();
                    out.push(cycle(channel, &circle, edge));
                }
                _ => {}
            }
        }
    }
}

fn cycle(channel: &Channel, circle: &[usize], closing: usize) -> Diagnostic {
    const SHOWN: usize = 12;
    let name = |index: &usize| shown(&channel.spec.nodes[*index].id);
    let mut path: Vec<String> = circle.iter().take(SHOWN).map(name).collect();
    if circle.len() > SHOWN {
        path.push(format!("… {} more …", circle.len() - SHOWN));
    }
    path.extend(circle.first().map(name));
    let errors = channel.spec.edges[closing].from.is_errors();
    let way = if errors { "by an errors port " } else { "" };
    let message = format!("nodes lead {way}back to themselves: {}", path.join(" → "));
    let pointer = format!("/spec/edges/{closing}");
    let mut place = Place::at(&pointer);
    place.node = circle.first().map(|index| channel.spec.nodes[*index].id.clone());
    Diagnostic::error(codes::GRAPH_CYCLE, place, message).help("Remove one edge of the circle.").fix(
        format!("Remove the edge to `{}`", path.last().map_or("", String::as_str)),
        pointer,
        None,
    )
}
