//! Points, sizes and rectangles, in either space.

use std::ops::{Add, Mul, Sub};

/// A place or a distance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// Width and height.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Size {
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

/// An upright rectangle: top left corner and size, never negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Point {
    /// A point from its parts.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Distance to another point.
    pub fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// The point a share `t` (0 to 1) of the way to another.
    pub fn lerp(self, other: Self, t: f64) -> Self {
        self + (other - self) * t
    }
}

impl Add for Point {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self::new(self.x * by, self.y * by)
    }
}

impl Size {
    /// A size from its parts.
    pub const fn new(w: f64, h: f64) -> Self {
        Self { w, h }
    }
}

impl Rect {
    /// A rectangle from its corner and size.
    pub const fn at(corner: Point, size: Size) -> Self {
        Self { x: corner.x, y: corner.y, w: size.w, h: size.h }
    }

    /// The smallest rectangle around two opposite corners, in any order.
    pub fn spanning(a: Point, b: Point) -> Self {
        Self { x: a.x.min(b.x), y: a.y.min(b.y), w: (a.x - b.x).abs(), h: (a.y - b.y).abs() }
    }

    /// The smallest rectangle around all of them; none when there are none.
    pub fn around(rects: impl IntoIterator<Item = Self>) -> Option<Self> {
        rects.into_iter().reduce(|a, b| a.union(b))
    }

    /// Right edge.
    pub fn right(self) -> f64 {
        self.x + self.w
    }

    /// Bottom edge.
    pub fn bottom(self) -> f64 {
        self.y + self.h
    }

    /// Middle.
    pub fn centre(self) -> Point {
        Point::new(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// The smallest rectangle around both.
    pub fn union(self, other: Self) -> Self {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Self { x, y, w: self.right().max(other.right()) - x, h: self.bottom().max(other.bottom()) - y }
    }

    /// The same rectangle, larger by `by` on each side.
    pub fn inflate(self, by: f64) -> Self {
        Self { x: self.x - by, y: self.y - by, w: self.w + 2.0 * by, h: self.h + 2.0 * by }
    }

    /// Whether the two share a point; touching edges count.
    pub fn touches(self, other: Self) -> bool {
        self.x <= other.right()
            && other.x <= self.right()
            && self.y <= other.bottom()
            && other.y <= self.bottom()
    }

    /// Whether the point lies inside or on the edge.
    pub fn contains(self, point: Point) -> bool {
        self.x <= point.x && point.x <= self.right() && self.y <= point.y && point.y <= self.bottom()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spanning_takes_corners_in_any_order() {
        let rect = Rect::spanning(Point::new(10.0, 2.0), Point::new(4.0, 8.0));
        assert_eq!(rect, Rect { x: 4.0, y: 2.0, w: 6.0, h: 6.0 });
    }

    #[test]
    fn touching_edges_count_and_a_gap_does_not() {
        let a = Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 };
        assert!(a.touches(Rect { x: 10.0, y: 10.0, w: 1.0, h: 1.0 }));
        assert!(!a.touches(Rect { x: 10.1, y: 0.0, w: 1.0, h: 1.0 }));
    }

    #[test]
    fn around_holds_every_rectangle() {
        let rects = [Rect { x: 0.0, y: 0.0, w: 1.0, h: 1.0 }, Rect { x: 5.0, y: -3.0, w: 2.0, h: 2.0 }];
        assert_eq!(Rect::around(rects), Some(Rect { x: 0.0, y: -3.0, w: 7.0, h: 4.0 }));
        assert_eq!(Rect::around([]), None);
    }
}
