//! Names that settings give to outputs.

use std::collections::{HashMap, HashSet};

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
        let faults = ports.name_faults(&node.config);
        if faults.is_empty() {
            continue;
        }
        let mut free = FreeNames::of(ports, &node.config);
        for fault in faults {
            let mut place = node_place(channel, index, "/config");
            for segment in [from.list.as_str(), &fault.item.to_string(), &from.name] {
                pointer::push(&mut place.pointer, segment);
            }
            let field = format!("{}.{}.{}", from.list, fault.item, from.name);
            out.push(judged(&fault, from, &mut free, place.of_field(field)));
        }
    }
}

fn judged(fault: &NameFault<'_>, from: &OutputsFrom, free: &mut FreeNames, place: Place) -> Diagnostic {
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
    let other = free.like(fault.name);
    Diagnostic::error(code, place, message).help(help).fix(
        format!("Change to `{other}`"),
        pointer,
        Some(other.into()),
    )
}

/// Gives out names that no output of a node has, none of them twice.
struct FreeNames {
    taken: HashSet<String>,
    /// For each stem, the number to try next.
    next: HashMap<String, u32>,
}

impl FreeNames {
    fn of(ports: &Ports, config: &serde_json::Map<String, serde_json::Value>) -> Self {
        let node = ports.for_config(config);
        let names = node.outputs.iter().map(|port| port.name.clone());
        Self { taken: names.chain([crate::channel::ERRORS.to_owned()]).collect(), next: HashMap::new() }
    }

    /// A name like the one given.
    fn like(&mut self, name: &str) -> String {
        let fit = |letter: char| if is_output_name(letter.encode_utf8(&mut [0; 4])) { letter } else { '_' };
        let stem: String = name.chars().take(57).map(fit).collect();
        let mut number = self.next.get(&stem).copied().unwrap_or(1);
        loop {
            let other = if number == 1 { stem.clone() } else { format!("{stem}_{number}") };
            number += 1;
            if self.taken.insert(other.clone()) {
                self.next.insert(stem, number);
                return other;
            }
        }
    }
}
