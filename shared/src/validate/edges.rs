//! Ends and ports of edges.

use std::collections::HashMap;

use super::nodes::shown;
use super::{Graph, node_place};
use crate::channel::{Channel, Edge, PortRef};
use crate::component::{ComponentSpec, Kind, Port};
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
            let output = graph.specs[from].map_or(&[][..], |spec| &spec.ports.outputs);
            let input = graph.specs[to].map_or(&[][..], |spec| &spec.ports.inputs);
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
fn port_name<'a>(end: &'a PortRef, ports: &'a [Port]) -> &'a str {
    end.port.as_deref().or(ports.first().map(|port| port.name.as_str())).unwrap_or_default()
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
    let Some(spec) = graph.specs[*at] else { return true };
    let ports = match end {
        End::From if port.is_errors() => return true,
        End::From => &spec.ports.outputs,
        End::To if spec.kind == Kind::Source => return false,
        End::To => &spec.ports.inputs,
    };
    match port.port.as_deref() {
        None => !ports.is_empty(),
        Some(name) => ports.iter().any(|port| port.name == name),
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
    let Some(spec) = graph.specs[at] else { return };
    let fault = match end {
        End::From => output(spec, port, place),
        End::To => input(spec, port, place),
    };
    if let Some(mut fault) = fault {
        fault.place.node = node_place(channel, at, "").node;
        out.push(fault);
    }
}

fn output(spec: &ComponentSpec, port: &PortRef, place: Place) -> Option<Diagnostic> {
    if port.is_errors() {
        return None;
    }
    if spec.ports.outputs.is_empty() {
        let message = format!("`{}` is a target: nothing leads on from it", shown(&port.node));
        let errors = PortRef::port(&port.node, crate::channel::ERRORS).to_string();
        let pointer = place.pointer.clone();
        return Some(
            Diagnostic::error(codes::EDGE_FROM_SINK, place, message)
                .help(format!("Only records that it refuses lead on, from `{errors}`."))
                .fix(format!("Change to `{errors}`"), pointer, Some(errors.into())),
        );
    }
    unknown_port(&spec.ports.outputs, Some(crate::channel::ERRORS), "output", port, place)
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
