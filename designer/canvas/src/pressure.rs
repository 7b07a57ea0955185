//! Which one step is the cause of back pressure. A full edge says that what it leads to is slow; if an edge behind that is
//! full as well, the slow step lies further on. The cause is where the full edges end.

use crate::graph::Links;

/// A step that is the cause, and how many are held back by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause {
    /// The slow step.
    pub node: usize,
    /// Steps before it that wait for it.
    pub waiting: usize,
}

/// The fill from which an edge counts as full.
pub const FULL: f64 = 0.85;

/// The slow steps, the one that holds back most first. `fills` are those of the links, 0 to 1.
pub fn causes(size: usize, links: Links<'_>, fills: &[f64]) -> Vec<Cause> {
    let full: Vec<(usize, usize)> = links
        .iter()
        .zip(fills)
        .filter(|(link, fill)| **fill > FULL && link.0 < size && link.1 < size)
        .map(|(link, _)| *link)
        .collect();
    let slow =
        |node: usize| full.iter().any(|(_, to)| *to == node) && !full.iter().any(|(from, _)| *from == node);
    let mut causes: Vec<Cause> = (0..size)
        .filter(|node| slow(*node))
        .map(|node| {
            // What leads there waits as well where nothing is queued between two steps.
            let waits = crate::graph::reach(size, links, node, true);
            let waiting = waits.iter().enumerate().filter(|(other, waits)| **waits && *other != node).count();
            Cause { node, waiting }
        })
        .collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.waiting));
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_where_the_full_edges_end() {
        let links = [(0, 1), (1, 2), (2, 3)];
        assert_eq!(causes(4, &links, &[0.95, 1.0, 0.2]), [Cause { node: 2, waiting: 2 }]);
        assert_eq!(causes(4, &links, &[0.95, 1.0, 0.9]), [Cause { node: 3, waiting: 3 }]);
        assert_eq!(causes(4, &links, &[0.1, 0.5, 0.85]), []);
    }

    #[test]
    fn of_two_the_one_that_holds_back_more_comes_first() {
        let links = [(0, 1), (0, 2), (2, 3)];
        assert_eq!(
            causes(4, &links, &[1.0, 0.9, 0.9]),
            [Cause { node: 3, waiting: 2 }, Cause { node: 1, waiting: 1 }]
        );
    }
}
