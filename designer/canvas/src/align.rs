//! Several nodes in line, or at equal distances.

use crate::geometry::{Point, Rect};

/// Where nodes are brought to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Left edges.
    Left,
    /// Middles, one above the other.
    Centre,
    /// Right edges.
    Right,
    /// Top edges.
    Top,
    /// Middles, side by side.
    Middle,
    /// Bottom edges.
    Bottom,
    /// Equal gaps from left to right; the outermost stay.
    Across,
    /// Equal gaps downwards; the outermost stay.
    Down,
}

/// A corner for each node.
pub fn aligned(rects: &[Rect], how: Align) -> Vec<Point> {
    let Some(around) = Rect::around(rects.iter().copied()) else { return Vec::new() };
    let centre = around.centre();
    let place = |rect: &Rect| match how {
        Align::Left => Point::new(around.x, rect.y),
        Align::Centre => Point::new(centre.x - rect.w / 2.0, rect.y),
        Align::Right => Point::new(around.right() - rect.w, rect.y),
        Align::Top => Point::new(rect.x, around.y),
        Align::Middle => Point::new(rect.x, centre.y - rect.h / 2.0),
        Align::Bottom => Point::new(rect.x, around.bottom() - rect.h),
        Align::Across | Align::Down => Point::new(rect.x, rect.y),
    };
    let mut corners: Vec<Point> = rects.iter().map(place).collect();
    if matches!(how, Align::Across | Align::Down) {
        spread(rects, &mut corners, how == Align::Across);
    }
    corners
}

/// Reads a side of a rectangle.
type Side = fn(&Rect) -> f64;

fn spread(rects: &[Rect], corners: &mut [Point], across: bool) {
    let (start, length): (Side, Side) =
        if across { (|rect| rect.x, |rect| rect.w) } else { (|rect| rect.y, |rect| rect.h) };
    let mut order: Vec<usize> = (0..rects.len()).collect();
    order.sort_by(|a, b| start(&rects[*a]).total_cmp(&start(&rects[*b])));
    let (Some(first), Some(last)) = (order.first(), order.last()) else { return };
    if order.len() < 3 {
        return;
    }
    let from = start(&rects[*first]);
    let room = start(&rects[*last]) + length(&rects[*last]) - from;
    let filled: f64 = rects.iter().map(length).sum();
    let gap = (room - filled) / (order.len() - 1) as f64;
    let mut at = from;
    for rank in order {
        if across {
            corners[rank].x = at;
        } else {
            corners[rank].y = at;
        }
        at += length(&rects[rank]) + gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rects() -> [Rect; 3] {
        [(0.0, 0.0, 80.0), (300.0, 50.0, 112.0), (350.0, 400.0, 80.0)].map(|(x, y, h)| Rect {
            x,
            y,
            w: 224.0,
            h,
        })
    }

    #[test]
    fn edges_and_middles_come_into_line() {
        let at = |how| aligned(&rects(), how);
        assert!(at(Align::Left).iter().all(|corner| corner.x == 0.0));
        assert!(at(Align::Right).iter().all(|corner| corner.x == 350.0));
        assert!(at(Align::Top).iter().all(|corner| corner.y == 0.0));
        assert_eq!(
            at(Align::Bottom).iter().map(|corner| corner.y).collect::<Vec<_>>(),
            [400.0, 368.0, 400.0]
        );
        assert_eq!(
            at(Align::Middle).iter().map(|corner| corner.y).collect::<Vec<_>>(),
            [200.0, 184.0, 200.0]
        );
    }

    #[test]
    fn gaps_become_equal_and_the_outermost_stay() {
        let corners = aligned(&rects(), Align::Down);
        assert_eq!(corners.iter().map(|corner| corner.y).collect::<Vec<_>>(), [0.0, 184.0, 400.0]);
        assert_eq!(corners[1].x, 300.0);
        let two = [rects()[0], rects()[1]];
        assert_eq!(aligned(&two, Align::Across), [Point::new(0.0, 0.0), Point::new(300.0, 50.0)]);
        assert_eq!(aligned(&[], Align::Left), []);
    }
}
