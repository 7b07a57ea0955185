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
