//! Guides while a node is dragged: its edges and its middle come to lie on those of its neighbours.

use crate::drag::snapped;
use crate::geometry::{Point, Rect};

/// Screen pixels within which a neighbour attracts.
pub const NEAR: f64 = 6.0;

/// A line along which the dragged node and a neighbour lie, in world units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guide {
    /// One end.
    pub from: Point,
    /// The other end; straight below it or right of it.
    pub to: Point,
}

/// Left, middle and right of a rectangle, or top, middle and bottom.
fn lines(rect: Rect, level: bool) -> [f64; 3] {
    let (start, length) = if level { (rect.y, rect.h) } else { (rect.x, rect.w) };
    [start, start + length / 2.0, start + length]
}

/// The nearest of the neighbours' lines of the same kind within `reach`: how far it is, and whose.
fn nearest(moving: Rect, others: &[Rect], reach: f64, level: bool) -> Option<(f64, f64, Rect)> {
    let mine = lines(moving, level);
    let pairs = others.iter().flat_map(|other| {
        let theirs = lines(*other, level);
        [0, 1, 2].map(|rank| (theirs[rank] - mine[rank], theirs[rank], *other))
    });
    let near = pairs.filter(|(by, ..)| by.abs() <= reach);
    // Of equals the one that is nearest across counts: its line is the shortest.
    let across = |other: Rect| other.centre().distance(moving.centre());
    near.min_by(|a, b| a.0.abs().total_cmp(&b.0.abs()).then(across(a.2).total_cmp(&across(b.2))))
}

/// Where a dragged node comes to lie: on a neighbour's line where one is within `reach`, on the grid elsewhere; and the lines
/// that say so. All in world units.
pub fn settle(moving: Rect, others: &[Rect], reach: f64) -> (Point, Vec<Guide>) {
    let mut corner = snapped(Point::new(moving.x, moving.y));
    let upright = nearest(moving, others, reach, false);
    let level = nearest(moving, others, reach, true);
    if let Some((by, ..)) = upright {
        corner.x = moving.x + by;
    }
    if let Some((by, ..)) = level {
        corner.y = moving.y + by;
    }
    let placed = Rect { x: corner.x, y: corner.y, ..moving };
    let mut guides = Vec::new();
    if let Some((_, x, other)) = upright {
        let both = placed.union(other);
        guides.push(Guide { from: Point::new(x, both.y), to: Point::new(x, both.bottom()) });
    }
    if let Some((_, y, other)) = level {
        let both = placed.union(other);
        guides.push(Guide { from: Point::new(both.x, y), to: Point::new(both.right(), y) });
    }
    (corner, guides)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::drag::GRID;

    fn rect(x: f64, y: f64, h: f64) -> Rect {
        Rect { x, y, w: 224.0, h }
    }

    #[test]
    fn a_neighbours_edge_attracts_and_draws_its_line() {
        let (corner, guides) = settle(rect(303.0, 200.0, 80.0), &[rect(299.0, 0.0, 80.0)], NEAR);
        assert_eq!(corner, Point::new(299.0, 208.0), "left on left, and the grid downwards");
        assert_eq!(guides, [Guide { from: Point::new(299.0, 0.0), to: Point::new(299.0, 288.0) }]);
    }

    #[test]
    fn middles_meet_where_heights_differ() {
        let (corner, guides) = settle(rect(500.0, 5.0, 112.0), &[rect(0.0, 20.0, 80.0)], NEAR);
        assert_eq!(corner.y, 4.0, "the middle of 112 on the middle of 80");
        assert_eq!(guides.len(), 1);
    }

    #[test]
    fn far_from_all_neighbours_the_grid_holds() {
        let (corner, guides) = settle(rect(100.0, 100.0, 80.0), &[rect(400.0, 300.0, 80.0)], NEAR);
        assert_eq!((corner, guides), (Point::new(96.0, 96.0), Vec::new()));
    }

    proptest! {
        #[test]
        fn nothing_is_pulled_further_than_it_may(x in -500f64..500.0, y in -500f64..500.0, others in prop::collection::vec((-500f64..500.0, -500f64..500.0), 0..8), reach in 0f64..20.0) {
            let others: Vec<Rect> = others.into_iter().map(|(x, y)| rect(x, y, 80.0)).collect();
            let (corner, guides) = settle(rect(x, y, 80.0), &others, reach);
            let most = reach.max(GRID / 2.0) + 1e-9;
            prop_assert!((corner.x - x).abs() <= most && (corner.y - y).abs() <= most);
            prop_assert!(guides.len() <= 2);
        }
    }
}
