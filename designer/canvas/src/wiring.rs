//! Which joints are allowed, why not, and which port a loose end snaps to.

use crate::geometry::Point;
use crate::graph::{self, Links};
use crate::shape::{Port, Shape};

/// Screen pixels within which a loose end snaps to a port.
pub const SNAP: f64 = 24.0;

/// A port of a node by the node's rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    /// Rank of the node.
    pub node: usize,
    /// Its port.
    pub port: Port,
}

/// An allowed joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joint {
    /// Output or errors.
    pub from: End,
    /// Input.
    pub to: End,
}

/// Why a joint is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Both ends are of one node.
    SameNode,
    /// Both are outputs.
    TwoOutputs,
    /// Both are inputs.
    TwoInputs,
    /// The edge is there already.
    Joined,
    /// It would close a cycle through these nodes.
    Cycle(Vec<usize>),
}

/// Whether two ends may be joined, in either order.
///
/// # Errors
/// The reason, for one line beside the pointer.
pub fn join(a: End, b: End, joints: &[Joint]) -> Result<Joint, Refusal> {
    if a.node == b.node {
        return Err(Refusal::SameNode);
    }
    let (from, to) = match (a.port.is_input(), b.port.is_input()) {
        (false, true) => (a, b),
        (true, false) => (b, a),
        (false, false) => return Err(Refusal::TwoOutputs),
        (true, true) => return Err(Refusal::TwoInputs),
    };
    let joint = Joint { from, to };
    if joints.contains(&joint) {
        return Err(Refusal::Joined);
    }
    let links: Vec<(usize, usize)> = joints.iter().map(|joint| (joint.from.node, joint.to.node)).collect();
    match graph::path(links.as_slice() as Links<'_>, to.node, from.node) {
        Some(way) => Err(Refusal::Cycle(way)),
        None => Ok(joint),
    }
}

/// Which of all nodes have a port that this end may be joined to: those where [`join`] has an answer that is no refusal,
/// found at once.
pub fn fitting(held: End, nodes: &[Shape], joints: &[Joint]) -> Vec<bool> {
    let links: Vec<(usize, usize)> = joints.iter().map(|joint| (joint.from.node, joint.to.node)).collect();
    let backwards = !held.port.is_input();
    let mut closed = graph::reach(nodes.len(), &links, held.node, backwards);
    closed[held.node] = true;
    let free = |node: usize| {
        let shape: Shape = nodes[node];
        shape.ports().filter(|port| port.is_input() != held.port.is_input()).any(|port| {
            let end = End { node, port };
            let (from, to) = if held.port.is_input() { (end, held) } else { (held, end) };
            !joints.contains(&Joint { from, to })
        })
    };
    (0..nodes.len()).map(|node| !closed[node] && free(node)).collect()
}

/// What a loose end at `pointer` snaps to: the nearest valid port within `reach`, else the nearest invalid one (to say
/// why). All in one space. A tie goes to the earlier candidate.
pub fn nearest(
    pointer: Point,
    reach: f64,
    candidates: impl IntoIterator<Item = (End, Point)>,
    valid: impl Fn(End) -> bool,
) -> Option<End> {
    let mut best: Option<(bool, f64, End)> = None;
    for (end, at) in candidates {
        let distance = pointer.distance(at);
        if distance > reach {
            continue;
        }
        let good = valid(end);
        let better =
            best.is_none_or(|(was_good, was, _)| (good && !was_good) || (good == was_good && distance < was));
        if better {
            best = Some((good, distance, end));
        }
    }
    best.map(|(_, _, end)| end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn out(node: usize) -> End {
        End { node, port: Port::Output(0) }
    }
    fn input(node: usize) -> End {
        End { node, port: Port::Input(0) }
    }
    fn joint(from: usize, to: usize) -> Joint {
        Joint { from: out(from), to: input(to) }
    }

    #[test]
    fn the_direction_of_the_drag_does_not_matter() {
        assert_eq!(join(out(0), input(1), &[]), Ok(joint(0, 1)));
        assert_eq!(join(input(1), out(0), &[]), Ok(joint(0, 1)));
    }

    #[test]
    fn each_refusal_has_its_reason() {
        assert_eq!(join(out(0), input(0), &[]), Err(Refusal::SameNode));
        assert_eq!(join(out(0), out(1), &[]), Err(Refusal::TwoOutputs));
        assert_eq!(join(input(0), input(1), &[]), Err(Refusal::TwoInputs));
        assert_eq!(join(out(0), input(1), &[joint(0, 1)]), Err(Refusal::Joined));
        let chain = [joint(0, 1), joint(1, 2)];
        assert_eq!(join(out(2), input(0), &chain), Err(Refusal::Cycle(vec![0, 1, 2])));
    }

    #[test]
    fn errors_may_go_beside_the_output_but_not_back() {
        let errors = End { node: 0, port: Port::Errors };
        assert!(join(errors, input(1), &[joint(0, 1)]).is_ok());
        let back = End { node: 1, port: Port::Errors };
        assert_eq!(join(back, input(0), &[joint(0, 1)]), Err(Refusal::Cycle(vec![0, 1])));
    }

    #[test]
    fn a_valid_port_wins_over_a_nearer_invalid_one() {
        let candidates = [(input(1), Point::new(2.0, 0.0)), (input(2), Point::new(20.0, 0.0))];
        let pick = |bad: usize| nearest(Point::default(), SNAP, candidates, |end| end.node != bad);
        assert_eq!(pick(1), Some(input(2)));
        assert_eq!(pick(9), Some(input(1)));
        assert_eq!(nearest(Point::new(90.0, 0.0), SNAP, candidates, |_| true), None);
    }

    proptest! {
        #[test]
        fn what_fits_is_what_may_be_joined(
            pairs in prop::collection::vec((0usize..6, 0usize..6), 0..12),
            shapes in prop::collection::vec((0usize..2, 0usize..3), 6),
            held in 0usize..6, rank in 0usize..5,
        ) {
            let shapes: Vec<Shape> = shapes.into_iter().map(|(inputs, outputs)| Shape { inputs, outputs }).collect();
            let mut joints = Vec::new();
            for (from, to) in pairs {
                if let Ok(joint) = join(out(from), input(to), &joints) {
                    joints.push(joint);
                }
            }
            let ports: Vec<Port> = shapes[held].ports().collect();
            let held = End { node: held, port: ports[rank % ports.len()] };
            let fits = fitting(held, &shapes, &joints);
            for (node, shape) in shapes.iter().enumerate() {
                let any = shape.ports().any(|port| join(held, End { node, port }, &joints).is_ok());
                prop_assert_eq!(fits[node], any, "{:?} on {}", held, node);
            }
        }

        #[test]
        fn joining_what_is_allowed_never_makes_a_cycle(pairs in prop::collection::vec((0usize..8, 0usize..8), 0..40)) {
            let mut joints = Vec::new();
            for (from, to) in pairs {
                if let Ok(joint) = join(out(from), input(to), &joints) {
                    joints.push(joint);
                }
            }
            let links: Vec<_> = joints.iter().map(|j| (j.from.node, j.to.node)).collect();
            let layer = graph::layers(8, &links);
            for (from, to) in links {
                prop_assert!(layer[from] < layer[to]);
            }
        }
    }
}
