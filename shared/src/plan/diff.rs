//! What a deploy would change: shown before it is done, and then done exactly so.

use std::collections::{BTreeMap, BTreeSet};

use super::{Connector, Plan, PlanDiff, PositionChange, PositionFate, Restart, Stream, Task};

/// The difference between what runs and what would run. Tasks are compared by id and hash, positions by what they depend
/// on; everything comes in the order of the plans.
pub fn diff(old: Option<&Plan>, new: &Plan) -> PlanDiff {
    let mut diff = PlanDiff::default();
    let before: BTreeMap<&str, &Task> = tasks(old).map(|task| (task.id.as_str(), task)).collect();
    for task in &new.tasks {
        match (before.get(task.id.as_str()), old) {
            (Some(was), _) if was.hash == task.hash => diff.keeps.push(task.id.clone()),
            (Some(was), Some(old)) => {
                diff.restarts.push(Restart { task: task.id.clone(), because: changed(old, was, new, task) });
            }
            _ => diff.starts.push(task.id.clone()),
        }
    }
    let after: BTreeSet<&str> = new.tasks.iter().map(|task| task.id.as_str()).collect();
    diff.stops.extend(tasks(old).map(|task| &task.id).filter(|id| !after.contains(id.as_str())).cloned());
    diff.positions = positions(old, new);
    diff
}

fn tasks(plan: Option<&Plan>) -> impl Iterator<Item = &Task> {
    plan.into_iter().flat_map(|plan| &plan.tasks)
}

/// Nodes of a task that changed, came or went, or whose edges did.
fn changed(old: &Plan, was: &Task, new: &Plan, is: &Task) -> Vec<String> {
    let before = hashes(old, was);
    let after = hashes(new, is);
    let edges_before = edges(old, was);
    let edges_after = edges(new, is);
    let rewired: BTreeSet<&str> = edges_before
        .symmetric_difference(&edges_after)
        .flat_map(|stream| [stream.0.split('.').next(), stream.1.split('.').next()])
        .flatten()
        .collect();
    let new_order = is.nodes.iter();
    let gone = was.nodes.iter().filter(|node| !after.contains_key(node.as_str()));
    new_order
        .chain(gone)
        .filter(|node| {
            before.get(node.as_str()) != after.get(node.as_str()) || rewired.contains(node.as_str())
        })
        .cloned()
        .collect()
}

fn hashes<'p>(plan: &'p Plan, task: &'p Task) -> BTreeMap<&'p str, &'p str> {
    let own: BTreeSet<&str> = task.nodes.iter().map(String::as_str).collect();
    let connectors = plan.connectors.iter().filter(|connector| own.contains(connector.node.as_str()));
    connectors.map(|connector| (connector.node.as_str(), connector.hash.as_str())).collect()
}

fn edges(plan: &Plan, task: &Task) -> BTreeSet<(String, String)> {
    let own: BTreeSet<&str> = task.nodes.iter().map(String::as_str).collect();
    let inside =
        |stream: &&Stream| own.contains(stream.from.node.as_str()) || own.contains(stream.to.node.as_str());
    plan.streams
        .iter()
        .filter(inside)
        .map(|stream| (stream.from.to_string(), stream.to.to_string()))
        .collect()
}

fn positions(old: Option<&Plan>, new: &Plan) -> Vec<PositionChange> {
    let sources = |plan: &'_ Plan| -> Vec<Connector> {
        plan.connectors.iter().filter(|connector| connector.position_hash.is_some()).cloned().collect()
    };
    let before = old.map(sources).unwrap_or_default();
    let after = sources(new);
    let find = |all: &[Connector], node: &str| all.iter().find(|connector| connector.node == node).cloned();
    let mut changes = Vec::new();
    for source in &after {
        let (fate, because) = match find(&before, &source.node) {
            Some(was) if was.position_hash == source.position_hash => (PositionFate::Kept, Vec::new()),
            Some(was) => (PositionFate::New, reasons(&was, source)),
            None => (PositionFate::New, Vec::new()),
        };
        changes.push(PositionChange { node: source.node.clone(), fate, because });
    }
    let gone = before.iter().filter(|source| find(&after, &source.node).is_none());
    changes.extend(gone.map(|source| PositionChange {
        node: source.node.clone(),
        fate: PositionFate::Dropped,
        because: Vec::new(),
    }));
    changes
}

/// Why a position cannot be kept.
fn reasons(was: &Connector, is: &Connector) -> Vec<String> {
    if was.component != is.component {
        return vec!["component".into()];
    }
    let fields: BTreeSet<&String> = was.position_fields.keys().chain(is.position_fields.keys()).collect();
    let differs = |field: &&&String| was.position_fields.get(**field) != is.position_fields.get(**field);
    fields.iter().filter(differs).map(|field| (*field).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Kind;
    use crate::plan::{StreamKind, TaskKind};

    fn plan(tasks: &[(&str, &str, &[&str])], edges: &[(&str, &str)], sources: &[(&str, &str)]) -> Plan {
        let connector = |node: &str| Connector {
            node: node.into(),
            component: "c".into(),
            kind: Kind::Transform,
            hash: node.trim_end_matches('\'').into(),
            position_hash: None,
            position_fields: BTreeMap::new(),
        };
        let mut connectors: Vec<_> =
            tasks.iter().flat_map(|(_, _, nodes)| *nodes).map(|node| connector(node)).collect();
        for (node, path) in sources {
            connectors.push(Connector {
                hash: (*path).into(),
                position_hash: Some((*path).into()),
                position_fields: BTreeMap::from([("path".into(), (*path).into()), ("x".into(), "x".into())]),
                ..connector(node)
            });
        }
        let stream = |(from, to): &(&str, &str)| Stream {
            from: (*from).into(),
            to: (*to).into(),
            kind: StreamKind::Direct,
        };
        Plan {
            hash: String::new(),
            connectors,
            tasks: tasks
                .iter()
                .map(|(id, hash, nodes)| Task {
                    share: None,
                    id: (*id).into(),
                    kind: TaskKind::Direct,
                    nodes: nodes.iter().map(|node| (*node).into()).collect(),
                    hash: (*hash).into(),
                })
                .collect(),
            streams: edges.iter().map(stream).collect(),
            targets: Vec::new(),
            bounded: true,
        }
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_first_deploy_starts_everything() {
        let new = plan(&[("direct-s", "1", &["a"])], &[], &[("s", "p")]);
        let diff = diff(None, &new);
        assert_eq!(diff.starts, ["direct-s"]);
        assert_eq!(
            diff.positions,
            [PositionChange { node: "s".into(), fate: PositionFate::New, because: vec![] }]
        );
        assert!(diff.stops.is_empty() && diff.restarts.is_empty() && diff.keeps.is_empty());
    }

    #[test]
    fn the_same_plan_changes_nothing() {
        let same = plan(&[("direct-s", "1", &["a"])], &[("s", "a")], &[("s", "p")]);
        let diff = diff(Some(&same), &same);
        assert_eq!(diff.keeps, ["direct-s"]);
        assert_eq!(diff.positions[0].fate, PositionFate::Kept);
        assert_eq!(PlanDiff { keeps: vec![], positions: vec![], ..diff }, PlanDiff::default());
    }

    #[test]
    fn restarts_name_what_came_went_changed_or_was_rewired() {
        let old = plan(
            &[("t", "1", &["a", "b", "c"]), ("gone", "1", &["x"]), ("settings", "1", &["y"])],
            &[("a", "b"), ("b.errors", "c")],
            &[],
        );
        let new = plan(
            &[("t", "2", &["a", "c", "d"]), ("new", "1", &["z"]), ("settings", "2", &["y"])],
            &[("a", "d"), ("a", "c")],
            &[],
        );
        let diff = diff(Some(&old), &new);
        assert_eq!(diff.starts, ["new"]);
        assert_eq!(diff.stops, ["gone"]);
        let restart = |task: &str, because: &[&str]| Restart { task: task.into(), because: strings(because) };
        assert_eq!(diff.restarts, [restart("t", &["a", "c", "d", "b"]), restart("settings", &[])]);
    }

    #[test]
    fn positions_are_kept_renewed_or_dropped() {
        let old = plan(&[], &[], &[("kept", "p"), ("moved", "p"), ("gone", "p")]);
        let new = plan(&[], &[], &[("moved", "q"), ("kept", "p"), ("fresh", "p")]);
        let fates: Vec<_> = diff(Some(&old), &new)
            .positions
            .into_iter()
            .map(|change| (change.node, change.fate, change.because))
            .collect();
        assert_eq!(
            fates,
            [
                ("moved".into(), PositionFate::New, strings(&["path"])),
                ("kept".into(), PositionFate::Kept, vec![]),
                ("fresh".into(), PositionFate::New, vec![]),
                ("gone".into(), PositionFate::Dropped, vec![]),
            ]
        );
    }
}
