//! Names that settings give to outputs.

use super::nodes::shown;
use super::{Graph, node_place};
use crate::channel::Channel;
use crate::component::{NameFault, NameFaultKind, OutputsFrom, Ports, is_output_name};
use crate::diagnostic::{Diagnostic, Place, codes};
use crate::pointer;

pub(super) fn check(channel: &Channel, graph: &Graph<'_>, out: &mut Vec<Diagnostic>) {
    for (index, node) in channel.spec.nodes.iter().enumerate() {
        let Some(ports) = graph.specs[index].map(|spec| &spec.ports) else { continue };
        let Some(from) = &ports.outputs_from else { continue };
        for fault in ports.name_faults(&node.config) {
            let mut place = node_place(channel, index, "/config");
            for segment in [from.list.as_str(), &fault.item.to_string(), &from.name] {
                pointer::push(&mut place.pointer, segment);
            }
            let field = format!("{}.{}.{}", from.list, fault.item, from.name);
            out.push(judged(&fault, ports, from, &node.config, place.of_field(field)));
        }
    }
}

fn judged(
    fault: &NameFault<'_>,
    ports: &Ports,
    from: &OutputsFrom,
    config: &serde_json::Map<String, serde_json::Value>,
    place: Place,
) -> Diagnostic {
    let name = shown(fault.name);
    let (code, message, help) = match fault.kind {
        NameFaultKind::Letters => (
            codes::PORT_BAD_NAME,
            format!("`{name}` cannot name an output"),
            "Names are letters and digits of any script, `_` and `-`, at most 64 of them.",
        ),
        NameFaultKind::Twice(first) => (
            codes::PORT_DUPLICATE_NAME,
            format!("`{name}` is the name of item {} of `{}` as well", first + 1, from.list),
            "Edges tell outputs apart by name. Give this one another.",
        ),
        NameFaultKind::Fixed => (
            codes::PORT_DUPLICATE_NAME,
            format!("every node of this kind has an output `{name}` of its own"),
            "Edges tell outputs apart by name. Give this one another.",
        ),
    };
    let pointer = place.pointer.clone();
    let other = free(fault.name, ports, config);
    Diagnostic::error(code, place, message).help(help).fix(
        format!("Change to `{other}`"),
        pointer,
        Some(other.into()),
    )
}

/// A name like the one given that nothing else has.
fn free(name: &str, ports: &Ports, config: &serde_json::Map<String, serde_json::Value>) -> String {
    let fit = |letter: char| if is_output_name(letter.encode_utf8(&mut [0; 4])) { letter } else { '_' };
    let stem: String = name.chars().take(60).map(fit).collect();
    let node = ports.for_config(config);
    let taken =
        |name: &str| name == crate::channel::ERRORS || node.outputs.iter().any(|port| port.name == name);
    let numbered = (2u32..).map(|number| format!("{stem}_{number}"));
    std::iter::once(stem.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(stem)
}
