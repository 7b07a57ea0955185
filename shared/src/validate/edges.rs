//! Ends and ports of edges.

use std::collections::HashMap;

use super::nodes::shown;
use super::{Graph, node_place};
use crate::channel::{Channel, Edge, PortRef};
use crate::component::{ComponentSpec, Kind, Port, Ports};
use crate::diagnostic::{Diagnostic, Place, codes};
use crate::suggest::{closest, did_you_mean};

pub(super) fn check(channel: &Channel, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<(usize, &str, usize, &str), usize> = HashMap::new();
    for (index, edge) in channel.spec.edges.iter().enumerate() {
        if edge.extra.contains_key(crate::channel::fields::RAW) {
            continue;
        }
        let before = out.len();
        end(channel, graph, index, edge, End::From, out);
        end(channel, graph, index, edge, End::To, out);
        if let (true, Some((from, to))) = (out.len() == before, graph.ends[index]) {
            let output = graph.ports[from].as_deref().and_then(Ports::default_output);
            let input = graph.ports[to].as_deref().and_then(|ports| ports.inputs.first());
            let input = input.map(|port| port.name.as_str());
            let key = (from, port_name(&edge.from, output), to, port_name(&edge.to, input));
            if let Some(first) = seen.get(&key) {
                let place = Place::at(format!("/spec/edges/{index}"));
                let message =
                    format!("`{}` to `{}` joins what edge {} joins already", edge.from, edge.to, first + 1);
                out.push(
                    Diagnostic::error(codes::EDGE_DUPLICATE, place.clone(), message)
                        .help("Every record would arrive twice.")
                        .fix("Remove this edge", place.pointer, None),
                );
            } else {
                seen.insert(key, index);
            }
        }
    }
}

/// The port that an end means: as written, or the default.
fn port_name<'a>(end: &'a PortRef, default: Option<&'a str>) -> &'a str {
    end.port.as_deref().or(default).unwrap_or_default()
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    From,
    To,
}

/// Whether an end needs no further look, as nearly all do not.
fn is_sound(graph: &Graph<'_>, port: &PortRef, end: End) -> bool {
    if *port == PortRef::default() {
        return false;
    }
    let Some(at) = graph.index.get(port.node.as_str()) else { return false };
    let (Some(spec), Some(ports)) = (graph.specs[*at], &graph.ports[*at]) else { return true };
    match end {
        End::From => port.is_errors() || ports.output(port.port.as_deref()).is_some(),
        End::To if spec.kind == Kind::Source => false,
        End::To => match port.port.as_deref() {
            None => !ports.inputs.is_empty(),
            Some(name) => ports.inputs.iter().any(|port| port.name == name),
        },
    }
}

fn end(channel: &Channel, graph: &Graph<'_>, index: usize, edge: &Edge, end: End, out: &mut Vec<Diagnostic>) {
    let (key, port) = match end {
        End::From => ("from", &edge.from),
        End::To => ("to", &edge.to),
    };
    if is_sound(graph, port, end) {
        return;
    }
    let pointer = format!("/spec/edges/{index}/{key}");
    let place = Place::at(&pointer);
    if *port == PortRef::default() {
        // An end of the wrong type was reported when the document was read.
        if edge.extra.get(key).is_none_or(|kept| kept.is_null() || kept == "") {
            let message = format!("the edge has no `{key}`");
            let place = Place::at(format!("/spec/edges/{index}"));
            let fault =
                Diagnostic::error(codes::EDGE_NO_END, place, message).help("It is a node, or `node.port`.");
            out.push(fault.fix("Remove this edge", format!("/spec/edges/{index}"), None));
        }
        return;
    }
    let Some(at) = graph.index.get(port.node.as_str()).copied() else {
        // Looking for the nearest of many names many times would take for ever; the first hundred are help enough.
        let most = if out.len() < 100 { 2_000 } else { 0 };
        let names = channel.spec.nodes.iter().map(|node| node.id.as_str()).take(most);
        let near = closest(&port.node, names);
        let message = format!("there is no node `{}`{}", shown(&port.node), did_you_mean(near));
        let fault = Diagnostic::error(codes::EDGE_UNKNOWN_NODE, place, message)
            .help("Name a node of this channel, or remove the edge.");
        out.push(match near {
            Some(near) => {
                let meant = PortRef { node: near.to_owned(), port: port.port.clone() }.to_string();
                fault.fix(format!("Change to `{meant}`"), pointer, Some(meant.into()))
            }
            None => fault.fix("Remove this edge", format!("/spec/edges/{index}"), None),
        });
        return;
    };
    let (Some(spec), Some(ports)) = (graph.specs[at], &graph.ports[at]) else { return };
    let fault = match end {
        End::From => output(ports, port, place),
        End::To => input(spec, port, place),
    };
    if let Some(mut fault) = fault {
        fault.place.node = node_place(channel, at, "").node;
        out.push(fault);
    }
}

fn output(ports: &Ports, port: &PortRef, place: Place) -> Option<Diagnostic> {
    if port.is_errors() {
        return None;
    }
    if ports.outputs.is_empty() && ports.outputs_from.is_none() {
        let message = format!("`{}` is a target: nothing leads on from it", shown(&port.node));
        let errors = PortRef::port(&port.node, crate::channel::ERRORS).to_string();
        let pointer = place.pointer.clone();
        return Some(
            Diagnostic::error(codes::EDGE_FROM_SINK, place, message)
                .help(format!("Only records that it refuses lead on, from `{errors}`."))
                .fix(format!("Change to `{errors}`"), pointer, Some(errors.into())),
        );
    }
    if port.port.is_none() {
        return Some(no_port(ports, port, place));
    }
    unknown_port(&ports.outputs, Some(crate::channel::ERRORS), "output", port, place)
}

/// An edge that does not say which of the outputs that settings name it means.
fn no_port(ports: &Ports, port: &PortRef, place: Place) -> Diagnostic {
    let names: Vec<&str> = ports.outputs.iter().map(|port| port.name.as_str()).collect();
    let pointer = place.pointer.clone();
    let message = format!("the edge does not say which output of `{}` it begins at", shown(&port.node));
    let fault = Diagnostic::error(codes::EDGE_NO_PORT, place, message).help(format!(
        "Write `{}.` and one of {}.",
        shown(&port.node),
        crate::channel::fields::listed(&names)
    ));
    match names.as_slice() {
        [single] => {
            let meant = PortRef::port(&port.node, *single).to_string();
            fault.fix(format!("Change to `{meant}`"), pointer, Some(meant.into()))
        }
        _ => fault,
    }
}

fn input(spec: &ComponentSpec, port: &PortRef, place: Place) -> Option<Diagnostic> {
    if spec.kind == Kind::Source || !spec.accepts_input() {
        let message = format!("`{}` is a source: nothing leads into it", shown(&port.node));
        return Some(
            Diagnostic::error(codes::EDGE_INTO_SOURCE, place, message)
                .help("Sources bring records in from outside."),
        );
    }
    unknown_port(&spec.ports.inputs, None, "input", port, place)
}

fn unknown_port(
    ports: &[Port],
    also: Option<&'static str>,
    what: &str,
    port: &PortRef,
    place: Place,
) -> Option<Diagnostic> {
    let written = port.port.as_deref()?;
    let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).chain(also).collect();
    if names.contains(&written) {
        return None;
    }
    let near = closest(written, names.iter().copied());
    let message = format!("`{}` has no {what} `{}`{}", shown(&port.node), shown(written), did_you_mean(near));
    let pointer = place.pointer.clone();
    let fault = Diagnostic::error(codes::EDGE_UNKNOWN_PORT, place, message)
        .help(format!("It has {}.", crate::channel::fields::listed(&names)));
    let meant = match (near, ports) {
        (Some(near), _) => PortRef::port(&port.node, near),
        (None, [_single]) => PortRef::node(&port.node),
        (None, _) => return Some(fault),
    };
    Some(fault.fix(format!("Change to `{meant}`"), pointer, Some(meant.to_string().into())))
}
