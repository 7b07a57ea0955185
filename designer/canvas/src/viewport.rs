//! The window onto the world: pan, zoom about a point, fit. One CSS transform follows from it.

use crate::geometry::{Point, Rect, Size};

/// Smallest zoom.
pub const MIN_ZOOM: f64 = 0.05;
/// Largest zoom.
pub const MAX_ZOOM: f64 = 4.0;
/// Below this zoom a node shows its title and state only.
pub const DETAIL_ZOOM: f64 = 0.4;
/// Below this zoom a node is a plain plate: its title could not be read.
pub const PLATE_ZOOM: f64 = 0.16;
/// Factor of one step by button or key.
pub const STEP: f64 = 1.2;

/// `screen = world × zoom + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Where the world's origin stands, in screen pixels from the canvas's corner.
    pub offset: Point,
    /// Screen pixels a world unit.
    pub zoom: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { offset: Point::default(), zoom: 1.0 }
    }
}

/// How much of a node is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Everything.
    Full,
    /// Title and state.
    Title,
    /// A plain plate in the colour of its role.
    Plate,
}

/// How a wheel event counts its delta (`WheelEvent.deltaMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WheelUnit {
    /// Pixels.
    Pixel,
    /// Lines of text.
    Line,
    /// Pages.
    Page,
}

impl WheelUnit {
    /// From the number the browser gives.
    pub fn from_mode(mode: u32) -> Self {
        match mode {
            1 => Self::Line,
            2 => Self::Page,
            _ => Self::Pixel,
        }
    }

    /// A delta of this unit in pixels.
    pub fn pixels(self, delta: f64) -> f64 {
        match self {
            Self::Pixel => delta,
            Self::Line => delta * 16.0,
            Self::Page => delta * 400.0,
        }
    }
}

/// Zoom factor of one wheel event, `2^(−Δ·k)`. A single tick is capped so that a notched wheel does not leap.
pub fn wheel_factor(pixels: f64, pinch: bool) -> f64 {
    let k = if pinch { 0.01 } else { 0.003 };
    (-(pixels * k).clamp(-0.4, 0.4)).exp2()
}

impl Viewport {
    /// From screen to world.
    pub fn to_world(self, screen: Point) -> Point {
        (screen - self.offset) * (1.0 / self.zoom)
    }

    /// From world to screen.
    pub fn to_screen(self, world: Point) -> Point {
        world * self.zoom + self.offset
    }

    /// Moved by screen pixels.
    #[must_use]
    pub fn panned(self, by: Point) -> Self {
        Self { offset: self.offset + by, ..self }
    }

    /// Zoomed by a factor; what lies under `screen` stays there.
    #[must_use]
    pub fn zoomed(self, screen: Point, factor: f64) -> Self {
        self.zoomed_to(screen, self.zoom * factor)
    }

    /// Zoomed to a value within the limits; what lies under `screen` stays there.
    #[must_use]
    pub fn zoomed_to(self, screen: Point, zoom: f64) -> Self {
        let zoom = zoom.clamp(MIN_ZOOM, MAX_ZOOM);
        let world = self.to_world(screen);
        Self { offset: screen - world * zoom, zoom }
    }

    /// How much of a node is worth drawing.
    pub fn detail(self) -> Detail {
        match self.zoom {
            zoom if zoom < PLATE_ZOOM => Detail::Plate,
            zoom if zoom < DETAIL_ZOOM => Detail::Title,
            _ => Detail::Full,
        }
    }

    /// The view that shows `world` wholly in the middle of a window, with a tenth of it free, at most at `most`.
    pub fn fitting(world: Rect, window: Size, most: f64) -> Self {
        let free = 0.9;
        let wide = if world.w > 0.0 { window.w * free / world.w } else { most };
        let high = if world.h > 0.0 { window.h * free / world.h } else { most };
        let zoom = wide.min(high).min(most).clamp(MIN_ZOOM, MAX_ZOOM);
        let middle = Point::new(window.w / 2.0, window.h / 2.0);
        Self { offset: middle - world.centre() * zoom, zoom }
    }

    /// The part of the world that a window of this size shows.
    pub fn visible(self, window: Size) -> Rect {
        Rect::spanning(self.to_world(Point::default()), self.to_world(Point::new(window.w, window.h)))
    }

    /// Moved by the least that brings `world` inside the window, with `margin` pixels around it.
    #[must_use]
    pub fn revealing(self, world: Rect, window: Size, margin: f64) -> Self {
        let (low, high) = (
            self.to_screen(Point::new(world.x, world.y)),
            self.to_screen(Point::new(world.right(), world.bottom())),
        );
        let shift = |low: f64, high: f64, room: f64| {
            if low < margin {
                margin - low
            } else if high > room - margin {
                (room - margin - high).max(margin - low)
            } else {
                0.0
            }
        };
        self.panned(Point::new(shift(low.x, high.x, window.w), shift(low.y, high.y, window.h)))
    }

    /// CSS `transform` of the world's element.
    pub fn css(self) -> String {
        format!("translate({:.2}px,{:.2}px) scale({:.4})", self.offset.x, self.offset.y, self.zoom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(a: Point, b: Point) -> bool {
        a.distance(b) < 1e-6 * (1.0 + a.x.abs() + a.y.abs())
    }

    proptest! {
        #[test]
        fn screen_and_world_are_inverse(x in -5e3..5e3, y in -5e3..5e3, ox in -5e3..5e3, oy in -5e3..5e3, zoom in MIN_ZOOM..MAX_ZOOM) {
            let view = Viewport { offset: Point::new(ox, oy), zoom };
            let point = Point::new(x, y);
            prop_assert!(near(view.to_screen(view.to_world(point)), point));
        }

        #[test]
        fn zoom_keeps_the_point_under_the_pointer(x in 0.0..2e3, y in 0.0..2e3, factor in 0.01..100.0, zoom in MIN_ZOOM..MAX_ZOOM) {
            let view = Viewport { offset: Point::new(31.0, -7.0), zoom };
            let pointer = Point::new(x, y);
            let after = view.zoomed(pointer, factor);
            prop_assert!(near(after.to_world(pointer), view.to_world(pointer)));
            prop_assert!((MIN_ZOOM..=MAX_ZOOM).contains(&after.zoom));
        }

        #[test]
        fn fit_shows_the_whole(x in -5e3..5e3, y in -5e3..5e3, w in 1.0..5e3, h in 1.0..5e3) {
            let window = Size::new(800.0, 600.0);
            let world = Rect { x, y, w, h };
            let seen = Viewport::fitting(world, window, 1.0).visible(window);
            prop_assert!(seen.x <= world.x && seen.right() >= world.right());
            prop_assert!(seen.y <= world.y && seen.bottom() >= world.bottom());
        }

        #[test]
        fn reveal_brings_a_small_thing_inside(x in -5e3..5e3, y in -5e3..5e3) {
            let window = Size::new(800.0, 600.0);
            let world = Rect { x, y, w: 200.0, h: 80.0 };
            let seen = Viewport::default().revealing(world, window, 24.0).visible(window);
            prop_assert!(seen.x <= world.x + 1e-6 && seen.right() >= world.right() - 1e-6);
            prop_assert!(seen.y <= world.y + 1e-6 && seen.bottom() >= world.bottom() - 1e-6);
        }
    }

    #[test]
    fn a_wheel_tick_is_capped_and_goes_both_ways() {
        assert!((wheel_factor(10_000.0, false) - 2f64.powf(-0.4)).abs() < 1e-9);
        assert!((wheel_factor(120.0, false) * wheel_factor(-120.0, false) - 1.0).abs() < 1e-9);
        assert_eq!(WheelUnit::from_mode(1).pixels(3.0), 48.0);
    }

    #[test]
    fn reveal_does_not_move_what_is_seen() {
        let view = Viewport::default();
        let world = Rect { x: 100.0, y: 100.0, w: 200.0, h: 80.0 };
        assert_eq!(view.revealing(world, Size::new(800.0, 600.0), 24.0), view);
    }
}
