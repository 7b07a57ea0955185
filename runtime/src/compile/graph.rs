//! A sound channel as a graph of indexes: its connected parts and the order in which records pass. Edges of `errors` ports
//! count like any other.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use fairway_shared::channel::Channel;

/// The graph of a channel that `validate` found sound: ids are unique, edges end somewhere, nothing circles.
pub(super) struct Graph {
    /// Both ends of each edge.
    pub(super) ends: Vec<(usize, usize)>,
    /// Nodes that records go to from each node.
    pub(super) next: Vec<Vec<usize>>,
    /// All nodes, each after all that lead to it; where that leaves a choice, in document order.
    pub(super) order: Vec<usize>,
    /// Connected parts, in the order of their first nodes.
    pub(super) parts: Vec<BTreeSet<usize>>,
}

impl Graph {
    pub(super) fn new(channel: &Channel) -> Self {
        let nodes = &channel.spec.nodes;
        let index: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
        let ends: Vec<(usize, usize)> = channel
            .spec
            .edges
            .iter()
            .filter_map(|edge| {
                Some((*index.get(edge.from.node.as_str())?, *index.get(edge.to.node.as_str())?))
            })
            .collect();
        let mut next = vec![Vec::new(); nodes.len()];
        for (from, to) in &ends {
            next[*from].push(*to);
        }
        Self { order: order(&next), parts: parts(nodes.len(), &ends), ends, next }
    }

    /// For each node whether records of this one may come to it.
    pub(super) fn reached(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.next.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for to in &self.next[node] {
                if !std::mem::replace(&mut reached[*to], true) {
                    open.push(*to);
                }
            }
        }
        reached
    }
}

/// Kahn's algorithm, taking the first node of the document among those that are free.
fn order(next: &[Vec<usize>]) -> Vec<usize> {
    let mut waits = vec![0usize; next.len()];
    next.iter().flatten().for_each(|to| waits[*to] += 1);
    let mut free: BinaryHeap<Reverse<usize>> =
        (0..next.len()).filter(|node| waits[*node] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(next.len());
    while let Some(Reverse(node)) = free.pop() {
        order.push(node);
        for to in &next[node] {
            waits[*to] -= 1;
            if waits[*to] == 0 {
                free.push(Reverse(*to));
            }
        }
    }
    order
}

/// Connected parts by union of the ends of edges.
fn parts(nodes: usize, ends: &[(usize, usize)]) -> Vec<BTreeSet<usize>> {
    let mut root: Vec<usize> = (0..nodes).collect();
    fn find(root: &mut [usize], mut node: usize) -> usize {
        while root[node] != node {
            root[node] = root[root[node]];
            node = root[node];
        }
        node
    }
    for (from, to) in ends {
        let (a, b) = (find(&mut root, *from), find(&mut root, *to));
        // The smaller index is the root, so that parts come in the order of their first nodes.
        root[a.max(b)] = a.min(b);
    }
    let mut parts: std::collections::BTreeMap<usize, BTreeSet<usize>> = Default::default();
    for node in 0..nodes {
        parts.entry(find(&mut root, node)).or_default().insert(node);
    }
    parts.into_values().collect()
}
