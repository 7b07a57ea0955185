//! What is worth drawing: what lies in the view or within a quarter of a view around it.

use crate::geometry::{Rect, Size};
use crate::viewport::Viewport;

/// The part of the world that is drawn. It moves in steps of a quarter of a view: a pan draws anew
/// seldom, and little at a time.
pub fn window(view: Viewport, size: Size) -> Rect {
    let seen = view.visible(size);
    let (dx, dy) = ((seen.w / 4.0).max(1.0), (seen.h / 4.0).max(1.0));
    let x = (seen.x / dx).floor() * dx - dx;
    let y = (seen.y / dy).floor() * dy - dy;
    Rect { x, y, w: seen.w + 3.0 * dx, h: seen.h + 3.0 * dy }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Point;

    proptest! {
        #[test]
        fn everything_seen_and_a_quarter_of_a_view_around_it_is_drawn(x in -1e4..1e4, y in -1e4..1e4, zoom in 0.05..4.0) {
            let size = Size::new(1280.0, 800.0);
            let view = Viewport { offset: Point::new(x, y), zoom };
            let (seen, drawn) = (view.visible(size), window(view, size));
            let slack = 1e-6 * (1.0 + seen.w);
            prop_assert!(drawn.x <= seen.x - seen.w / 4.0 + slack && drawn.right() >= seen.right() + seen.w / 4.0 - slack);
            prop_assert!(drawn.y <= seen.y - seen.h / 4.0 + slack && drawn.bottom() >= seen.bottom() + seen.h / 4.0 - slack);
        }
    }

    #[test]
    fn a_small_pan_draws_the_same() {
        let size = Size::new(1280.0, 800.0);
        let view = Viewport { offset: Point::new(-100.0, -100.0), zoom: 1.0 };
        assert_eq!(window(view, size), window(view.panned(Point::new(-20.0, -20.0)), size));
    }
}
