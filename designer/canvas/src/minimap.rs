//! The small map of everything: how the world and the view lie in it, and where a place of it lies in the world.

use crate::geometry::{Point, Rect, Size};
use crate::viewport::Viewport;

/// Size of the map, in screen pixels.
pub const SIZE: Size = Size::new(184.0, 116.0);

/// Free space around everything, as a share of the map.
const MARGIN: f64 = 0.06;

/// How the world lies in the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimap {
    scale: f64,
    offset: Point,
}

impl Minimap {
    /// A map that shows all of these nodes and what the view shows.
    pub fn of(nodes: Option<Rect>, seen: Rect) -> Self {
        let all = nodes.map_or(seen, |nodes| nodes.union(seen));
        let room = Size::new(SIZE.w * (1.0 - 2.0 * MARGIN), SIZE.h * (1.0 - 2.0 * MARGIN));
        let scale = (room.w / all.w.max(1.0)).min(room.h / all.h.max(1.0));
        let middle = Point::new(SIZE.w / 2.0, SIZE.h / 2.0);
        Self { scale, offset: middle - all.centre() * scale }
    }

    /// A rectangle of the world in the map, at least a pixel and a half each way, so that it is seen.
    pub fn rect(self, world: Rect) -> Rect {
        let corner = Point::new(world.x, world.y) * self.scale + self.offset;
        Rect {
            x: corner.x,
            y: corner.y,
            w: (world.w * self.scale).max(1.5),
            h: (world.h * self.scale).max(1.5),
        }
    }

    /// The place of the world under a place of the map.
    pub fn world(self, map: Point) -> Point {
        (map - self.offset) * (1.0 / self.scale)
    }

    /// The view whose middle lies at a place of the map.
    #[must_use]
    pub fn looking_at(self, map: Point, view: Viewport, window: Size) -> Viewport {
        let middle = Point::new(window.w / 2.0, window.h / 2.0);
        Viewport { offset: middle - self.world(map) * view.zoom, zoom: view.zoom }
    }
}

/// SVG path data of rectangles: one element for all of them.
pub fn path(rects: impl IntoIterator<Item = Rect>) -> String {
    rects.into_iter().fold(String::new(), |mut path, Rect { x, y, w, h }| {
        path.push_str(&format!("M{x:.1} {y:.1}h{w:.1}v{h:.1}h-{w:.1}z"));
        path
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn everything_lies_inside_and_a_click_brings_it_to_the_middle(
            x in -5e3..5e3, y in -5e3..5e3, w in 10.0..5e3, h in 10.0..5e3, ox in -3e3..3e3, oy in -3e3..3e3, zoom in 0.1..3.0,
        ) {
            let window = Size::new(900.0, 600.0);
            let view = Viewport { offset: Point::new(ox, oy), zoom };
            let nodes = Rect { x, y, w, h };
            let map = Minimap::of(Some(nodes), view.visible(window));
            for rect in [map.rect(nodes), map.rect(view.visible(window))] {
                prop_assert!(rect.x >= -1.6 && rect.right() <= SIZE.w + 1.6, "{rect:?}");
                prop_assert!(rect.y >= -1.6 && rect.bottom() <= SIZE.h + 1.6, "{rect:?}");
            }
            let there = map.rect(nodes).centre();
            let looking = map.looking_at(there, view, window);
            prop_assert!(looking.to_screen(map.world(there)).distance(Point::new(450.0, 300.0)) < 1e-3);
        }
    }

    #[test]
    fn one_path_for_all() {
        let rects = [Rect { x: 1.0, y: 2.0, w: 3.0, h: 4.0 }, Rect { x: 0.0, y: 0.0, w: 1.0, h: 1.0 }];
        assert_eq!(path(rects), "M1.0 2.0h3.0v4.0h-3.0zM0.0 0.0h1.0v1.0h-1.0z");
    }
}
