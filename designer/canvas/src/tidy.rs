//! The layered layout, left to right: longest-path layers, order within a layer by barycentres (the second and third
//! steps of Sugiyama, Tagawa and Toda 1981), columns centred on one another.

use crate::drag::snapped;
use crate::geometry::{Point, Size};
use crate::graph::{self, Links};
use crate::placement::{PITCH_X, PITCH_Y};
use crate::shape::HEIGHT;

const SWEEPS: usize = 6;

/// A corner for each node, the first column at `origin`. Deterministic; equals keep the order they came in.
pub fn layered(sizes: &[Size], links: Links<'_>, origin: Point) -> Vec<Point> {
    if sizes.is_empty() {
        return Vec::new();
    }
    let layer = graph::layers(sizes.len(), links);
    let mut columns: Vec<Vec<usize>> = vec![Vec::new(); layer.iter().max().map_or(0, |most| most + 1)];
    for (node, &column) in layer.iter().enumerate() {
        columns[column].push(node);
    }
    order(&mut columns, sizes.len(), links);

    let gap = PITCH_Y - HEIGHT;
    let tall = |column: &[usize]| column.iter().map(|&n| sizes[n].h + gap).sum::<f64>() - gap;
    let most = columns.iter().map(|column| tall(column)).fold(0.0, f64::max);
    let mut corners = vec![origin; sizes.len()];
    for (rank, column) in columns.iter().enumerate() {
        let mut y = origin.y + (most - tall(column)) / 2.0;
        for &node in column {
            corners[node] = snapped(Point::new(origin.x + rank as f64 * PITCH_X, y));
            y += sizes[node].h + gap;
        }
    }
    corners
}

/// Orders each column by the mean rank of its neighbours, forward and backward in turn.
fn order(columns: &mut [Vec<usize>], size: usize, links: Links<'_>) {
    let mut rank = vec![0f64; size];
    for column in columns.iter() {
        for (at, &node) in column.iter().enumerate() {
            rank[node] = at as f64;
        }
    }
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        let last = columns.len() - 1;
        for step in 0..=last {
            let column = &mut columns[if forward { step } else { last - step }];
            let mean = |node: usize| {
                let near = links.iter().filter_map(|&(from, to)| match forward {
                    true if to == node => Some(rank[from]),
                    false if from == node => Some(rank[to]),
                    _ => None,
                });
                let (sum, count) = near.fold((0.0, 0.0), |(sum, count), r| (sum + r, count + 1.0));
                if count == 0.0 { rank[node] } else { sum / count }
            };
            let mut keyed: Vec<(f64, usize)> = column.iter().map(|&node| (mean(node), node)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            *column = keyed.into_iter().map(|(_, node)| node).collect();
            for (at, &node) in column.iter().enumerate() {
                rank[node] = at as f64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Rect;
    use crate::shape::WIDTH;

    const SIZE: Size = Size::new(WIDTH, HEIGHT);

    #[test]
    fn a_chain_lies_in_one_row() {
        let corners = layered(&[SIZE; 3], &[(0, 1), (1, 2)], Point::default());
        assert_eq!(
            corners,
            vec![Point::new(0.0, 0.0), Point::new(PITCH_X, 0.0), Point::new(2.0 * PITCH_X, 0.0)]
        );
    }

    #[test]
    fn crossing_edges_are_untangled() {
        let corners = layered(&[SIZE; 4], &[(0, 3), (1, 2)], Point::default());
        assert_eq!(corners[0].y < corners[1].y, corners[3].y < corners[2].y);
    }

    proptest! {
        #[test]
        fn no_two_nodes_touch_and_links_go_right(pairs in prop::collection::vec((0usize..12, 0usize..12), 0..30)) {
            let links: Vec<_> = pairs.into_iter().filter(|(a, b)| a < b).collect();
            let corners = layered(&[SIZE; 12], &links, Point::new(16.0, 32.0));
            for (a, corner) in corners.iter().enumerate() {
                for other in &corners[a + 1..] {
                    prop_assert!(!Rect::at(*corner, SIZE).touches(Rect::at(*other, SIZE)));
                }
            }
            for (from, to) in links {
                prop_assert!(corners[from].x < corners[to].x);
            }
        }
    }
}
