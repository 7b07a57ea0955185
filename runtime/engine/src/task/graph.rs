//! The drawing as the loops need it: nodes by index in topological order, edges by port, and which targets a source or a
//! sink's errors port can reach.

use std::sync::Arc;

use fairway_shared::channel::{ERRORS, PortRef};
use fairway_shared::component::{Kind, Ports};

use super::{NodeSpec, TaskSpec};
use crate::error::Error;

/// A node by index.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) id: Arc<str>,
    pub(crate) kind: Kind,
    /// Edges by output port.
    pub(crate) outputs: Vec<Vec<Edge>>,
    /// Edges of the errors port.
    pub(crate) errors: Vec<Edge>,
}

/// An edge by index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// Index of the edge in the specification.
    pub(crate) index: usize,
    /// Node it leads to.
    pub(crate) to: usize,
}

/// The drawing of one task.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// Edges as `from>to` in the document's spelling.
    pub(crate) edges: Vec<String>,
    /// Node that each edge leads to.
    pub(crate) edge_ends: Vec<usize>,
    /// Indexes of sources.
    pub(crate) sources: Vec<usize>,
    /// All nodes, feeders first.
    pub(crate) order: Vec<usize>,
    /// The targets that a node feeds, by straight edges and by errors ports of itself and of transforms; a sink reaches
    /// itself, for what is replayed into it.
    pub(crate) reached: Vec<Vec<usize>>,
    /// For a sink: the targets that its errors port feeds.
    pub(crate) reached_by_errors: Vec<Vec<usize>>,
}

impl Graph {
    /// # Errors
    /// `task.bad_graph` when the drawing is not what validation lets through: a task never runs less than what is drawn (I8).
    pub(crate) fn new(spec: &TaskSpec) -> Result<Self, Error> {
        let graph = Self::drawn(&spec.nodes, &spec.edges)?;
        match graph.sources.iter().find(|source| graph.reached[**source].is_empty()) {
            Some(&lost) => Err(bad(format!("source `{}` reaches no target", graph.nodes[lost].id))),
            None => Ok(graph),
        }
    }

    /// The drawing as far as it goes: a source may reach no target yet.
    ///
    /// # Errors
    /// `task.bad_graph` for edges that name what is not there, or that form a circle.
    pub(crate) fn drawn(drawn: &[NodeSpec], edges: &[(PortRef, PortRef)]) -> Result<Self, Error> {
        let ports: Vec<Ports> = drawn.iter().map(|node| node.component.ports(&node.config)).collect();
        let find = |port: &PortRef| {
            drawn
                .iter()
                .position(|node| node.id == port.node)
                .ok_or_else(|| bad(format!("an edge names `{port}`, which is not in this task")))
        };
        let mut nodes: Vec<Node> = drawn
            .iter()
            .zip(&ports)
            .map(|(node, ports)| Node {
                id: node.id.as_str().into(),
                kind: node.component.kind(),
                outputs: ports.outputs.iter().map(|_| Vec::new()).collect(),
                errors: Vec::new(),
            })
            .collect();
        let mut edge_ends = Vec::new();
        for (index, (from, to)) in edges.iter().enumerate() {
            let (source, end) = (find(from)?, find(to)?);
            let edge = Edge { index, to: end };
            edge_ends.push(end);
            if from.port.as_deref() == Some(ERRORS) {
                nodes[source].errors.push(edge);
                continue;
            }
            let port = ports[source]
                .output(from.port.as_deref())
                .ok_or_else(|| bad(format!("`{from}` is not an output")))?;
            nodes[source].outputs[port].push(edge);
        }
        let order = topological(&nodes)?;
        let reach = |starts: &[Edge]| reached(&nodes, starts);
        let straight = |node: &Node| -> Vec<Edge> {
            node.outputs.iter().flatten().chain(&node.errors).copied().collect()
        };
        let reached: Vec<_> = (0..nodes.len())
            .map(|at| match nodes[at].kind {
                Kind::Sink => vec![at],
                Kind::Source | Kind::Transform => reach(&straight(&nodes[at])),
            })
            .collect();
        let reached_by_errors = nodes
            .iter()
            .map(|node| if node.kind == Kind::Sink { reach(&node.errors) } else { Vec::new() })
            .collect();
        let sources: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node].kind == Kind::Source).collect();
        let edges = edges.iter().map(|(from, to)| format!("{from}>{to}")).collect();
        Ok(Self { nodes, edges, edge_ends, sources, order, reached, reached_by_errors })
    }
}

/// Targets behind some edges. The way ends at a target: what a target refuses starts a way of its own.
fn reached(nodes: &[Node], starts: &[Edge]) -> Vec<usize> {
    let mut seen = vec![false; nodes.len()];
    let mut open: Vec<usize> = starts.iter().map(|edge| edge.to).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) || nodes[node].kind == Kind::Sink {
            continue;
        }
        open.extend(nodes[node].outputs.iter().flatten().chain(&nodes[node].errors).map(|edge| edge.to));
    }
    (0..nodes.len()).filter(|&node| seen[node] && nodes[node].kind == Kind::Sink).collect()
}

fn topological(nodes: &[Node]) -> Result<Vec<usize>, Error> {
    let mut feeders = vec![0usize; nodes.len()];
    let edges = |node: &Node| -> Vec<usize> {
        node.outputs.iter().flatten().chain(&node.errors).map(|edge| edge.to).collect()
    };
    for node in nodes {
        for to in edges(node) {
            feeders[to] += 1;
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    let mut ready: Vec<usize> = (0..nodes.len()).rev().filter(|&node| feeders[node] == 0).collect();
    while let Some(node) = ready.pop() {
        order.push(node);
        for to in edges(&nodes[node]) {
            feeders[to] -= 1;
            if feeders[to] == 0 {
                ready.push(to);
            }
        }
    }
    if order.len() == nodes.len() { Ok(order) } else { Err(bad("the edges form a circle")) }
}

fn bad(what: impl Into<String>) -> Error {
    Error::config("task.bad_graph", what).help("validate the channel")
}
