//! Dragging: when a press becomes a drag, the grid, the marquee.

use crate::geometry::{Point, Rect, Size};

/// The grid, in world units.
pub const GRID: f64 = 16.0;
/// Screen pixels a mouse may move before a press becomes a drag.
pub const THRESHOLD: f64 = 4.0;
/// The same for a finger.
pub const THRESHOLD_TOUCH: f64 = 10.0;

/// Screen pixels from the border within which a drag moves the view.
pub const BORDER: f64 = 40.0;
/// Most screen pixels that the view moves a frame.
pub const BORDER_SPEED: f64 = 15.0;
/// Milliseconds that the pointer must stay there first.
pub const BORDER_WAIT: f64 = 200.0;

/// By how much the view pans in one frame while something is dragged at this place of the window: the deeper in the border
/// or beyond it, the faster.
pub fn border_pan(at: Point, window: Size) -> Point {
    let speed = |at: f64, room: f64| {
        let depth = |into: f64| (into / BORDER).clamp(0.0, 1.0) * BORDER_SPEED;
        depth(BORDER - at) - depth(at - (room - BORDER))
    };
    // A window too small to have a middle stays where it is.
    if window.w < 3.0 * BORDER || window.h < 3.0 * BORDER {
        return Point::default();
    }
    Point::new(speed(at.x, window.w), speed(at.y, window.h))
}

/// A press that may become a drag. Once it is one it stays one, also when the pointer comes back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Press {
    /// Where it began, in screen pixels.
    pub start: Point,
    /// Whether it has become a drag.
    pub dragging: bool,
    threshold: f64,
}

impl Press {
    /// A press at a place; a finger is allowed more than a mouse.
    pub fn new(start: Point, touch: bool) -> Self {
        Self { start, dragging: false, threshold: if touch { THRESHOLD_TOUCH } else { THRESHOLD } }
    }

    /// The pointer is here now. Answers how far it came, when this is a drag.
    pub fn to(&mut self, now: Point) -> Option<Point> {
        self.dragging |= self.start.distance(now) >= self.threshold;
        self.dragging.then(|| now - self.start)
    }
}

/// The nearest grid point.
pub fn snapped(point: Point) -> Point {
    Point::new((point.x / GRID).round() * GRID, (point.y / GRID).round() * GRID)
}

/// By how much a group moves, in world units: the node under the pointer lands on the grid and the others keep their
/// distance to it. `free` suspends the grid (Shift).
pub fn group_shift(anchor: Point, by: Point, free: bool) -> Point {
    if free { by } else { snapped(anchor + by) - anchor }
}

/// What becomes of the selection when a marquee touches things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marquee {
    /// They become the selection.
    Replace,
    /// They are added.
    Add,
    /// They are taken away.
    Subtract,
}

impl Marquee {
    /// Shift adds, Mod+Shift subtracts.
    pub fn from_keys(shift: bool, command: bool) -> Self {
        match (shift, command) {
            (true, true) => Self::Subtract,
            (true, false) => Self::Add,
            _ => Self::Replace,
        }
    }

    /// Whether a thing is selected afterwards; touching counts.
    pub fn keeps(self, area: Rect, thing: Rect, selected: bool) -> bool {
        let touched = area.touches(thing);
        match self {
            Self::Replace => touched,
            Self::Add => selected || touched,
            Self::Subtract => selected && !touched,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_press_becomes_a_drag_at_four_pixels_and_stays_one() {
        let mut press = Press::new(Point::new(10.0, 10.0), false);
        assert_eq!(press.to(Point::new(13.0, 10.0)), None);
        assert_eq!(press.to(Point::new(14.0, 10.0)), Some(Point::new(4.0, 0.0)));
        assert_eq!(press.to(Point::new(10.0, 10.0)), Some(Point::default()));
        let mut finger = Press::new(Point::default(), true);
        assert_eq!(finger.to(Point::new(9.0, 0.0)), None);
    }

    #[test]
    fn the_border_pans_towards_what_lies_beyond_it() {
        let window = Size::new(800.0, 600.0);
        assert_eq!(border_pan(Point::new(400.0, 300.0), window), Point::default());
        assert_eq!(border_pan(Point::new(20.0, 300.0), window), Point::new(BORDER_SPEED / 2.0, 0.0));
        assert_eq!(
            border_pan(Point::new(900.0, 590.0), window),
            Point::new(-BORDER_SPEED, -BORDER_SPEED * 0.75)
        );
        assert_eq!(border_pan(Point::new(1.0, 1.0), Size::new(80.0, 80.0)), Point::default());
    }

    #[test]
    fn marquee_modes() {
        let area = Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 };
        let inside = Rect { x: 5.0, y: 5.0, w: 50.0, h: 50.0 };
        let outside = Rect { x: 50.0, y: 50.0, w: 1.0, h: 1.0 };
        assert!(Marquee::from_keys(false, false).keeps(area, inside, false));
        assert!(!Marquee::from_keys(false, true).keeps(area, outside, true));
        assert!(Marquee::from_keys(true, false).keeps(area, outside, true));
        assert!(!Marquee::from_keys(true, true).keeps(area, inside, true));
    }

    proptest! {
        #[test]
        fn the_anchor_lands_on_the_grid_and_near_the_pointer(x in -2e3..2e3, y in -2e3..2e3, dx in -2e3..2e3, dy in -2e3..2e3) {
            let anchor = Point::new(x, y);
            let by = Point::new(dx, dy);
            let landed = anchor + group_shift(anchor, by, false);
            prop_assert!(landed.distance(snapped(landed)) < 1e-6);
            prop_assert!(landed.distance(anchor + by) <= GRID);
            prop_assert_eq!(group_shift(anchor, by, true), by);
        }
    }
}
