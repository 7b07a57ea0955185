//! What lies between two states of a channel: nodes and edges that came, went, or changed. Where things stand is looks, and no
//! difference.

use std::collections::{BTreeMap, BTreeSet};

use fairway_shared::channel::{Channel, Node, text};
use serde_json::{Map, Value};

use super::EdgeKey;

/// The differences from one state to another.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Comparison {
    /// Ids of nodes that only the later one has.
    pub(crate) added: BTreeSet<String>,
    /// Ids of nodes that only the earlier one has.
    pub(crate) removed: BTreeSet<String>,
    /// Nodes of both that are not the same, with the names of what differs.
    pub(crate) changed: BTreeMap<String, Vec<String>>,
    /// Edges that only the later one has.
    pub(crate) edges_added: BTreeSet<EdgeKey>,
    /// Edges that only the earlier one has.
    pub(crate) edges_removed: BTreeSet<EdgeKey>,
    /// What differs of the channel itself: `name`, `title`, `description`, `settings`.
    pub(crate) channel: Vec<&'static str>,
}

impl Comparison {
    /// Compares two states.
    pub(crate) fn of(before: &Channel, after: &Channel) -> Self {
        let (old, new) = (by_id(before), by_id(after));
        let only = |a: &BTreeMap<&str, &Node>, b: &BTreeMap<&str, &Node>| {
            a.keys().filter(|id| !b.contains_key(*id)).map(|id| (*id).to_owned()).collect()
        };
        let changed = old.iter().filter_map(|(id, node)| {
            let parts = parts(node, new.get(id)?);
            (!parts.is_empty()).then(|| ((*id).to_owned(), parts))
        });
        let edges = |channel: &Channel| channel.spec.edges.iter().map(EdgeKey::of).collect::<BTreeSet<_>>();
        let (lines, later) = (edges(before), edges(after));
        let (a, b) = (&before.metadata, &after.metadata);
        let channel = [
            ("name", a.name != b.name),
            ("title", a.title != b.title),
            ("description", a.description != b.description),
            ("settings", before.spec.settings != after.spec.settings),
        ];
        Self {
            added: only(&new, &old),
            removed: only(&old, &new),
            changed: changed.collect(),
            edges_added: later.difference(&lines).cloned().collect(),
            edges_removed: lines.difference(&later).cloned().collect(),
            channel: channel.into_iter().filter(|(_, differs)| *differs).map(|(part, _)| part).collect(),
        }
    }

    /// Whether both mean the same.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn by_id(channel: &Channel) -> BTreeMap<&str, &Node> {
    channel.spec.nodes.iter().map(|node| (node.id.as_str(), node)).collect()
}

/// The names of what differs of a node: its settings by name, and what it is.
fn parts(old: &Node, new: &Node) -> Vec<String> {
    let mut parts = Vec::new();
    if old.component != new.component {
        parts.push("component".to_owned());
    }
    if old.title != new.title {
        parts.push("title".to_owned());
    }
    if old.tasks != new.tasks {
        parts.push("tasks".to_owned());
    }
    parts.extend(settings(&old.config, &new.config));
    parts
}

fn settings(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<String> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names.into_iter().filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

/// What became of a line of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stands in both.
    Same,
    /// Only in the later one.
    Added,
    /// Only in the earlier one.
    Removed,
}

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The two as texts, line by line, in pieces around what differs. Looks are left out.
pub(crate) fn lines(before: &Channel, after: &Channel) -> Vec<Vec<(Fate, String)>> {
    let plain = |channel: &Channel| {
        let mut channel = channel.clone();
        channel.layout = Default::default();
        text::to_text(&channel)
    };
    let (old, new) = (plain(before), plain(after));
    let diff = similar::TextDiff::from_lines(&old, &new);
    let pieces = diff.grouped_ops(CONTEXT);
    let line = |change: similar::Change<&str>| {
        let fate = match change.tag() {
            similar::ChangeTag::Equal => Fate::Same,
            similar::ChangeTag::Insert => Fate::Added,
            similar::ChangeTag::Delete => Fate::Removed,
        };
        (fate, change.value().trim_end_matches('\n').to_owned())
    };
    pieces.iter().map(|piece| piece.iter().flat_map(|op| diff.iter_changes(op)).map(line).collect()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn channel(nodes: Value, edges: Value) -> Channel {
        let value = json!({ "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "n" }, "spec": { "nodes": nodes, "edges": edges } });
        text::from_value(&value).0.unwrap()
    }

    #[test]
    fn what_came_went_and_changed_is_named() {
        let before = channel(
            json!([{ "id": "a", "component": "x", "config": { "p": 1, "q": 2 } }, { "id": "b", "component": "x" }]),
            json!([{ "from": "a", "to": "b" }]),
        );
        let mut after = channel(
            json!([{ "id": "a", "component": "x", "title": "A", "config": { "p": 3, "q": 2 } }, { "id": "c", "component": "y" }]),
            json!([{ "from": "a", "to": "c" }]),
        );
        let found = Comparison::of(&before, &after);
        assert_eq!(found.added, BTreeSet::from(["c".to_owned()]));
        assert_eq!(found.removed, BTreeSet::from(["b".to_owned()]));
        assert_eq!(
            found.changed,
            BTreeMap::from([("a".to_owned(), vec!["title".to_owned(), "p".to_owned()])])
        );
        assert_eq!(found.edges_added.first().map(EdgeKey::hook), Some("a>c".to_owned()));
        assert_eq!(found.edges_removed.first().map(EdgeKey::hook), Some("a>b".to_owned()));
        assert!(found.channel.is_empty());
        after.metadata.title = Some("T".into());
        assert_eq!(Comparison::of(&before, &after).channel, ["title"]);
        assert!(Comparison::of(&after, &after).is_empty());
    }

    #[test]
    fn the_text_shows_the_changed_lines_with_what_stands_around_them() {
        let before = channel(json!([{ "id": "a", "component": "x", "config": { "p": 1 } }]), json!([]));
        let mut after = before.clone();
        after.spec.nodes[0].config.insert("p".into(), json!(2));
        let pieces = lines(&before, &after);
        assert_eq!(pieces.len(), 1);
        let of = |fate: Fate| {
            pieces[0]
                .iter()
                .filter(|(known, _)| *known == fate)
                .map(|(_, line)| line.trim())
                .collect::<Vec<_>>()
        };
        assert!(of(Fate::Removed).iter().any(|line| line.contains('1')), "{pieces:?}");
        assert!(of(Fate::Added).iter().any(|line| line.contains('2')), "{pieces:?}");
        after.layout.nodes.insert("a".into(), Default::default());
        assert_eq!(lines(&after, &after), Vec::<Vec<_>>::new());
    }
}
