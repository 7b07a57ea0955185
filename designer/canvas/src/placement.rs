//! Where a new node goes: beside what it belongs to, in the first free row.

use crate::drag::{GRID, snapped};
use crate::geometry::{Point, Rect, Size};
use crate::shape::{HEIGHT, WIDTH};

/// Free space kept around a node.
pub const GAP: f64 = 32.0;
/// Distance of two columns.
pub const PITCH_X: f64 = WIDTH + 96.0;
/// Distance of two rows.
pub const PITCH_Y: f64 = HEIGHT + 48.0;

/// The free spot nearest to `wanted` in its column: there, else rows below and above in turn, on the grid.
pub fn free(wanted: Point, size: Size, taken: &[Rect]) -> Point {
    let wanted = snapped(wanted);
    let is_free = |corner: Point| {
        let mine = Rect::at(corner, size).inflate(GAP / 2.0 - 1.0);
        !taken.iter().any(|other| mine.touches(*other))
    };
    (0..)
        .flat_map(|row| {
            let by = f64::from(row) * GRID;
            [Point::new(wanted.x, wanted.y + by), Point::new(wanted.x, wanted.y - by)]
        })
        .find(|corner| is_free(*corner))
        .unwrap_or(wanted)
}

/// The spot one column right of a node.
pub fn right_of(node: Rect, size: Size, taken: &[Rect]) -> Point {
    free(Point::new(node.x + PITCH_X, node.y), size, taken)
}

/// The spot whose middle is `centre`.
pub fn centred(centre: Point, size: Size, taken: &[Rect]) -> Point {
    free(Point::new(centre.x - size.w / 2.0, centre.y - size.h / 2.0), size, taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: Size = Size::new(WIDTH, HEIGHT);

    proptest! {
        #[test]
        fn nothing_is_ever_covered(corners in prop::collection::vec((-500f64..500.0, -500f64..500.0), 0..30), x in -500f64..500.0, y in -500f64..500.0) {
            let taken: Vec<Rect> = corners.into_iter().map(|(x, y)| Rect::at(Point::new(x, y), SIZE)).collect();
            let spot = free(Point::new(x, y), SIZE, &taken);
            let mine = Rect::at(spot, SIZE);
            prop_assert!(taken.iter().all(|other| !mine.touches(*other)));
            prop_assert_eq!(spot, snapped(spot));
        }
    }

    #[test]
    fn a_free_place_is_taken_as_it_is() {
        assert_eq!(free(Point::new(33.0, 47.0), SIZE, &[]), Point::new(32.0, 48.0));
        let first = Rect::at(Point::default(), SIZE);
        assert_eq!(right_of(first, SIZE, &[first]), Point::new(PITCH_X, 0.0));
    }
}
