//! Outputs that settings name: while a name is typed, the edges that leave by it follow.
//!
//! On its way from one name to another an output may have no usable name for a moment (an empty field, or the name of its
//! neighbour). [`OutputNames`] holds on to what the edges say until a usable one is there.

use serde_json::{Map, Value};

use super::Command;
use crate::channel::{Channel, Edge, PortRef};
use crate::component::{NameFault, Ports};

/// What the edges of one node call the outputs that its settings name. Kept by whoever edits, for as long as they edit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OutputNames {
    node: String,
    /// The list as it was after the last change: where it differs now, somebody else has edited.
    written: Vec<Value>,
    /// The name that edges use for each item; none for an item that never had a usable one.
    held: Vec<Option<String>>,
}

impl OutputNames {
    /// The command that gives a setting a value and takes edges along to outputs that are thereby renamed. One that renames
    /// nothing is the plain [`Command::SetConfig`].
    pub fn set_config(
        &mut self,
        channel: &Channel,
        ports: Option<&Ports>,
        node: &str,
        field: &str,
        value: Option<Value>,
    ) -> Command {
        let set = Command::SetConfig { node: node.to_owned(), field: field.to_owned(), value: value.clone() };
        let list = ports.and_then(|ports| ports.outputs_from.as_ref()).map(|from| from.list.as_str());
        let (Some(ports), Some(list), Some(now)) = (ports, list, channel.node(node)) else { return set };
        if list != field {
            return set;
        }
        let mut after = now.config.clone();
        match value {
            Some(value) => after.insert(list.to_owned(), value),
            None => after.remove(list),
        };
        let renamed = self.renamed(ports, node, &now.config, &after);
        let follow = follow(channel, node, &renamed);
        match follow.is_empty() {
            true => set,
            false => Command::Batch(std::iter::once(set).chain(follow).collect()),
        }
    }

    /// Old and new names of the outputs that this change of settings renames.
    fn renamed(
        &mut self,
        ports: &Ports,
        node: &str,
        before: &Map<String, Value>,
        after: &Map<String, Value>,
    ) -> Vec<(String, String)> {
        let (was, is) = (items(ports, before), items(ports, after));
        if self.node != node || self.written != was {
            *self = Self { node: node.to_owned(), written: was.to_vec(), held: usable(ports, before) };
        }
        self.held = aligned(was, is, &self.held);
        self.written = is.to_vec();
        let names = usable(ports, after);
        // A name that edges use for an item is free for another only if that item takes a new one as well.
        let mut changes: Vec<usize> = (0..names.len())
            .filter(|item| names[*item].is_some() && names[*item] != self.held[*item])
            .collect();
        loop {
            let free = |item: &usize| {
                let holder =
                    (0..names.len()).find(|other| other != item && self.held[*other] == names[*item]);
                holder.is_none_or(|holder| changes.contains(&holder))
            };
            let still: Vec<usize> = changes.iter().copied().filter(free).collect();
            if still.len() == changes.len() {
                break;
            }
            changes = still;
        }
        let change = |item: usize| {
            let name = names[item].clone()?;
            Some((self.held[item].replace(name.clone())?, name))
        };
        changes.into_iter().filter_map(change).collect()
    }
}

/// The edges of a node that leave by a renamed output, each led to its new name. The order is such that no two edges are
/// alike on the way; edges that only change places with each other stay where they are.
fn follow(channel: &Channel, node: &str, renamed: &[(String, String)]) -> Vec<Command> {
    let mut edges: Vec<(PortRef, PortRef)> =
        channel.spec.edges.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect();
    let new_name = |edge: &Edge| {
        let port = edge.from.port.as_ref().filter(|_| edge.from.node == node)?;
        renamed.iter().find(|(old, _)| old == port).map(|(_, name)| name.clone())
    };
    let mut waiting: Vec<(usize, String)> =
        channel.spec.edges.iter().enumerate().filter_map(|(at, edge)| Some((at, new_name(edge)?))).collect();
    let mut commands = Vec::new();
    loop {
        let ready = waiting.iter().position(|(at, name)| {
            let led = (PortRef { node: node.to_owned(), port: Some(name.clone()) }, edges[*at].1.clone());
            !edges.contains(&led)
        });
        let Some(ready) = ready else { return commands };
        let (at, name) = waiting.swap_remove(ready);
        let (from, to) = edges[at].clone();
        let led = PortRef { node: node.to_owned(), port: Some(name) };
        edges[at].0 = led.clone();
        let edge = Edge { from: led, ..channel.spec.edges[at].clone() };
        commands.push(Command::ReplaceEdge { from, to, edge });
    }
}

/// What edges call each item of the list as it is now: items that came, went or changed places take their names along, and
/// of those that are left the one at the same place is the one that was edited.
fn aligned(was: &[Value], is: &[Value], held: &[Option<String>]) -> Vec<Option<String>> {
    let mut source: Vec<Option<usize>> =
        (0..is.len()).map(|at| (was.get(at) == Some(&is[at])).then_some(at)).collect();
    for at in 0..is.len() {
        if source[at].is_none() {
            source[at] = (0..was.len()).find(|old| was[*old] == is[at] && !source.contains(&Some(*old)));
        }
    }
    for at in 0..is.len() {
        if source[at].is_none() && was.len() == is.len() && !source.contains(&Some(at)) {
            source[at] = Some(at);
        }
    }
    source.into_iter().map(|old| old.and_then(|old| held.get(old).cloned().flatten())).collect()
}

fn items<'c>(ports: &Ports, config: &'c Map<String, Value>) -> &'c [Value] {
    let list = ports.outputs_from.as_ref().and_then(|from| config.get(&from.list)).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// The usable name of each item of the list, in order.
fn usable(ports: &Ports, config: &Map<String, Value>) -> Vec<Option<String>> {
    let Some(from) = &ports.outputs_from else { return Vec::new() };
    let faults: Vec<NameFault<'_>> = ports.name_faults(config);
    let name = |(at, item): (usize, &Value)| {
        let name = item.get(&from.name)?.as_str()?;
        (!name.is_empty() && !faults.iter().any(|fault| fault.item == at)).then(|| name.to_owned())
    };
    items(ports, config).iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::channel::text;
    use crate::component::{OutputsFrom, Port};
    use crate::edit::History;

    fn ports() -> Ports {
        let port = |name: &str| Port { name: name.into(), help: String::new() };
        let from = OutputsFrom { list: "routes".into(), name: "name".into(), help: String::new() };
        Ports { inputs: vec![port("in")], outputs: vec![port("unmatched")], outputs_from: Some(from) }
    }

    fn channel() -> Channel {
        let value = json!({
            "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "routes" },
            "spec": {
                "nodes": [
                    { "id": "route", "component": "route_records", "config": routes(&["ab", "a"]) },
                    { "id": "x", "component": "log_sink" },
                    { "id": "y", "component": "log_sink" },
                ],
                "edges": [{ "from": "route.ab", "to": "x" }, { "from": "route.a", "to": "y" }, { "from": "route.unmatched", "to": "x" }],
            },
        });
        text::from_value(&value).0.unwrap()
    }

    fn routes(names: &[&str]) -> Value {
        json!({ "routes": names.iter().map(|name| json!({ "name": name, "rules": [] })).collect::<Vec<_>>() })
    }

    fn froms(channel: &Channel) -> Vec<String> {
        channel.spec.edges.iter().map(|edge| edge.from.to_string()).collect()
    }

    /// Types one state of the list after the other; answers where the edges leave in the end.
    fn typed(channel: &mut Channel, history: &mut History, states: &[&[&str]]) -> Vec<String> {
        let mut names = OutputNames::default();
        for (at, state) in states.iter().enumerate() {
            let value = routes(state)["routes"].clone();
            let command = names.set_config(channel, Some(&ports()), "route", "routes", Some(value));
            history.run(channel, command, at as u64 * 10).unwrap();
        }
        froms(channel)
    }

    #[test]
    fn edges_follow_letter_by_letter_and_one_undo_takes_the_word_back() {
        let (mut document, mut history) = (channel(), History::default());
        let start = document.clone();
        let ends = typed(&mut document, &mut history, &[&["abc", "a"], &["abcd", "a"], &["abcde", "a"]]);
        assert_eq!(ends, ["route.abcde", "route.a", "route.unmatched"]);
        let end = document.clone();
        assert_eq!(history.undo.len(), 1);
        assert!(history.undo(&mut document).unwrap());
        assert_eq!(document, start);
        assert!(history.redo(&mut document).unwrap());
        assert_eq!(document, end);
    }

    #[test]
    fn a_name_may_be_empty_or_taken_on_the_way() {
        for way in [&[&["", "a"][..], &["large", "a"]][..], &[&["a", "a"], &["ac", "a"], &["large", "a"]]] {
            let (mut document, mut history) = (channel(), History::default());
            let ends = typed(&mut document, &mut history, way);
            assert_eq!(ends, ["route.large", "route.a", "route.unmatched"], "{way:?}");
        }
    }

    #[test]
    fn items_that_move_come_or_go_keep_their_edges() {
        for list in [&["a", "ab"][..], &["ab", "a", "new"], &["a"]] {
            let (mut document, mut history) = (channel(), History::default());
            let ends = typed(&mut document, &mut history, &[list]);
            assert_eq!(ends, ["route.ab", "route.a", "route.unmatched"], "{list:?}");
        }
    }

    #[test]
    fn other_settings_are_plain() {
        let document = channel();
        let mut names = OutputNames::default();
        let plain = names.set_config(&document, Some(&ports()), "route", "take", Some(json!("all")));
        assert!(matches!(plain, Command::SetConfig { .. }));
        let plain = names.set_config(&document, None, "x", "routes", Some(json!([])));
        assert!(matches!(plain, Command::SetConfig { .. }));
    }
}
