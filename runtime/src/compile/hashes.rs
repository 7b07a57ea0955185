//! When is a node, a task or a plan another one than before: hashes over canonical text, so that neither layout, titles,
//! the order of keys nor the order of nodes in the document change them.

use std::collections::BTreeMap;

use fairway_shared::canonical::{compact, hash};
use fairway_shared::channel::{Channel, Node, PortRef};
use fairway_shared::component::ComponentSpec;
use fairway_shared::form::FormModel;
use fairway_shared::plan::{Connector, Share, Task};
use serde_json::{Value, json};

use super::graph::Graph;

/// Hash of everything that makes a node what it is.
pub(super) fn node(node: &Node) -> String {
    hash(&compact(&json!([node.component, node.config, node.tasks])))
}

/// Hash of each config field that a source's position depends on; an absent field counts as its default.
pub(super) fn position_fields(
    node: &Node,
    spec: &ComponentSpec,
    form: &FormModel,
) -> BTreeMap<String, String> {
    let value = |field: &String| {
        let default = || form.field(field).and_then(|field| field.default.clone());
        node.config.get(field).cloned().or_else(default).unwrap_or(Value::Null)
    };
    spec.position_fields.iter().map(|field| (field.clone(), hash(&compact(&value(field))))).collect()
}

/// Hash of all that a source's position depends on.
pub(super) fn position(node: &Node, fields: &BTreeMap<String, String>) -> String {
    hash(&compact(&json!([node.component, fields])))
}

/// Hash of everything that a task runs: its nodes, its edges, and the channel's settings.
pub(super) fn task(
    channel: &Channel,
    specs: &[&ComponentSpec],
    graph: &Graph,
    part: &std::collections::BTreeSet<usize>,
    connectors: &[Connector],
) -> String {
    let mut nodes: Vec<_> =
        part.iter().map(|at| (&channel.spec.nodes[*at].id, &connectors[*at].hash)).collect();
    nodes.sort_unstable();
    let touches = |from: &usize, to: &usize| part.contains(from) || part.contains(to);
    let own = channel.spec.edges.iter().zip(&graph.ends).filter(|(_, (from, to))| touches(from, to));
    let mut edges: Vec<_> = own
        .map(|(edge, (from, to))| {
            let ports = specs[*from].ports_for(&channel.spec.nodes[*from].config);
            let input = specs[*to].ports.inputs.first().map(|port| port.name.as_str());
            [named(&edge.from, ports.default_output()), named(&edge.to, input)]
        })
        .collect();
    edges.sort_unstable();
    let settings = &channel.spec.settings;
    let settings = [
        settings.stream.as_str(),
        settings.delivery.as_str(),
        settings.errors.policy.as_str(),
        &settings.errors.retry.max_attempts.to_string(),
        // Whether it ends when it has caught up; when it starts is not the task's business.
        if settings.schedule.is_some() { "scheduled" } else { "" },
    ];
    hash(&compact(&json!([nodes, edges, settings])))
}

/// Hash of what one of several tasks runs: another number of them makes others of all, for each has other partitions then.
pub(super) fn shared(task: &str, share: Option<Share>) -> String {
    match share {
        None => task.to_owned(),
        Some(share) => hash(&compact(&json!([task, share.index, share.of]))),
    }
}

/// An end of an edge with its port written out: `a` and `a.out` are the same where `out` is the default.
fn named(end: &PortRef, default: Option<&str>) -> String {
    let port = end.port.as_deref().or(default).unwrap_or_default();
    format!("{}.{port}", end.node)
}

/// Hash of a whole plan.
pub(super) fn plan(tasks: &[Task]) -> String {
    let mut parts: Vec<_> = tasks.iter().map(|task| (&task.id, &task.hash)).collect();
    parts.sort_unstable();
    hash(&compact(&json!(parts)))
}
