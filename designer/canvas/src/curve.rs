//! The Bézier of an edge: its path, its bounds, how far a point is from it.

use crate::geometry::{Point, Rect};

/// Screen pixels within which an edge is hit.
pub const HIT: f64 = 10.0;

/// Screen pixels from an end of an edge within which a drag takes that end off its port.
pub const END: f64 = 44.0;

/// An end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tip {
    /// Where it leaves.
    From,
    /// Where it enters.
    To,
}

/// A cubic Bézier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// Start.
    pub from: Point,
    /// First handle.
    pub out: Point,
    /// Second handle.
    pub into: Point,
    /// End.
    pub to: Point,
}

impl Curve {
    /// From an output on the right of a node to an input on the left of another. Handles are level, longer when the
    /// target lies behind, so that the line always leaves and enters sideways.
    pub fn sideways(from: Point, to: Point) -> Self {
        let arm = arm(from, to);
        Self { from, out: from + Point::new(arm, 0.0), into: to - Point::new(arm, 0.0), to }
    }

    /// From an errors port below a node to an input on the left of another.
    pub fn downwards(from: Point, to: Point) -> Self {
        let drop = ((to.y - from.y).abs() * 0.6).clamp(32.0, 120.0);
        let arm = ((to.x - from.x).abs() * 0.5).clamp(40.0, 160.0);
        Self { from, out: from + Point::new(0.0, drop), into: to - Point::new(arm, 0.0), to }
    }

    /// SVG path data.
    pub fn path(self) -> String {
        let Self { from, out, into, to } = self;
        format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            from.x, from.y, out.x, out.y, into.x, into.y, to.x, to.y
        )
    }

    /// The point at share `t`, 0 to 1.
    pub fn at(self, t: f64) -> Point {
        let (a, b, c) =
            (self.from.lerp(self.out, t), self.out.lerp(self.into, t), self.into.lerp(self.to, t));
        a.lerp(b, t).lerp(b.lerp(c, t), t)
    }

    /// A rectangle that holds the whole curve (of its handles, so a little too large).
    pub fn bounds(self) -> Rect {
        Rect::spanning(self.from, self.to).union(Rect::spanning(self.out, self.into))
    }

    /// The end that a point on the curve is near to: within `reach`, and never past the middle.
    pub fn tip(self, point: Point, reach: f64) -> Option<Tip> {
        let (from, to) = (point.distance(self.from), point.distance(self.to));
        let (tip, distance) = if from < to { (Tip::From, from) } else { (Tip::To, to) };
        let half = self.from.distance(self.to) / 2.0;
        (distance <= reach && distance <= half).then_some(tip)
    }

    /// The place on the curve that lies about this far from an end: where its handle is drawn.
    pub fn handle(self, tip: Tip, away: f64) -> Point {
        let end = if tip == Tip::From { self.from } else { self.to };
        let at = |step: u32| self.at(f64::from(if tip == Tip::From { step } else { 32 - step }) / 32.0);
        (1..=16).map(at).find(|place| place.distance(end) >= away).unwrap_or_else(|| self.at(0.5))
    }

    /// Whether a straight line from one point to another crosses the curve, by the same chords as [`Self::distance`].
    pub fn crossed(self, a: Point, b: Point) -> bool {
        const CHORDS: usize = 32;
        let side = |from: Point, to: Point, point: Point| {
            (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
        };
        let mut last = self.from;
        (1..=CHORDS).any(|step| {
            let next = self.at(step as f64 / CHORDS as f64);
            // One of two points may lie on the line itself, as the end of a chord does; both is no crossing.
            let parted = |from: Point, to: Point, one: Point, other: Point| {
                let (one, other) = (side(from, to, one), side(from, to, other));
                one * other <= 0.0 && (one != 0.0 || other != 0.0)
            };
            let crossed = parted(a, b, last, next) && parted(last, next, a, b);
            last = next;
            crossed
        })
    }

    /// Distance of a point from the curve, by 32 chords: within a pixel at the sizes a canvas has.
    pub fn distance(self, point: Point) -> f64 {
        const CHORDS: usize = 32;
        let mut last = self.from;
        let mut best = f64::INFINITY;
        for step in 1..=CHORDS {
            let next = self.at(step as f64 / CHORDS as f64);
            best = best.min(to_segment(point, last, next));
            last = next;
        }
        best
    }
}

fn arm(from: Point, to: Point) -> f64 {
    let ahead = to.x - from.x;
    if ahead >= 0.0 { (ahead * 0.5).max(40.0) } else { (40.0 - ahead * 0.4).min(240.0) }
}

fn to_segment(point: Point, a: Point, b: Point) -> f64 {
    let along = b - a;
    let length = along.x * along.x + along.y * along.y;
    let t =
        if length == 0.0 { 0.0 } else { ((point.x - a.x) * along.x + (point.y - a.y) * along.y) / length };
    point.distance(a + along * t.clamp(0.0, 1.0))
}

/// The nearest curve within `reach` of a point, by its rank.
pub fn nearest(curves: impl IntoIterator<Item = Curve>, point: Point, reach: f64) -> Option<usize> {
    curves
        .into_iter()
        .enumerate()
        .filter(|(_, curve)| curve.bounds().inflate(reach).contains(point))
        .map(|(rank, curve)| (rank, curve.distance(point)))
        .filter(|(_, distance)| *distance <= reach)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(rank, _)| rank)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point() -> impl Strategy<Value = Point> {
        (-2e3..2e3, -2e3..2e3).prop_map(|(x, y)| Point::new(x, y))
    }

    proptest! {
        #[test]
        fn a_point_of_the_curve_hits_it(from in point(), to in point(), t in 0.0..1.0) {
            for curve in [Curve::sideways(from, to), Curve::downwards(from, to)] {
                let on = curve.at(t);
                prop_assert!(curve.distance(on) < HIT);
                prop_assert!(curve.bounds().inflate(0.001).contains(on));
                prop_assert_eq!(nearest([curve], on, HIT), Some(0));
            }
        }

        #[test]
        fn a_point_far_away_does_not(from in point(), to in point()) {
            let curve = Curve::sideways(from, to);
            let away = Point::new(curve.bounds().right() + 11.0, from.y);
            prop_assert_eq!(nearest([curve], away, HIT), None);
        }
    }

    #[test]
    fn ends_are_taken_near_the_ports_and_nowhere_else() {
        let curve = Curve::sideways(Point::new(0.0, 0.0), Point::new(200.0, 0.0));
        assert_eq!(curve.tip(Point::new(30.0, 0.0), END), Some(Tip::From));
        assert_eq!(curve.tip(Point::new(170.0, 0.0), END), Some(Tip::To));
        assert_eq!(curve.tip(Point::new(100.0, 0.0), END), None);
        let handle = curve.handle(Tip::To, 20.0);
        assert!(handle.x < 182.0 && handle.x > 150.0, "{handle:?}");
        assert_eq!(curve.tip(handle, END), Some(Tip::To));
        let short = Curve::sideways(Point::new(0.0, 0.0), Point::new(40.0, 0.0));
        assert_eq!(short.tip(Point::new(30.0, 0.0), END), Some(Tip::To));
    }

    #[test]
    fn a_stroke_across_crosses_and_one_beside_does_not() {
        let curve = Curve::sideways(Point::new(0.0, 0.0), Point::new(200.0, 100.0));
        let across = |x: f64| curve.crossed(Point::new(x, -50.0), Point::new(x + 3.0, 150.0));
        assert!(across(50.0) && across(100.0) && across(180.0));
        let level = Curve::sideways(Point::new(0.0, 0.0), Point::new(48.0, 0.0));
        assert!(level.crossed(Point::new(24.0, -50.0), Point::new(24.0, 50.0)), "just through its middle");
        assert!(!across(-20.0) && !across(230.0));
        assert!(!curve.crossed(Point::new(50.0, -50.0), Point::new(51.0, -20.0)), "too short to reach it");
    }

    #[test]
    fn the_nearest_of_two_wins() {
        let low = Curve::sideways(Point::new(0.0, 0.0), Point::new(100.0, 0.0));
        let high = Curve::sideways(Point::new(0.0, 8.0), Point::new(100.0, 8.0));
        assert_eq!(nearest([low, high], Point::new(50.0, 6.0), HIT), Some(1));
    }

    #[test]
    fn an_edge_leaves_and_enters_sideways() {
        let curve = Curve::sideways(Point::new(0.0, 0.0), Point::new(-300.0, 50.0));
        assert!(curve.out.x > 0.0 && curve.into.x < -300.0);
        assert_eq!(curve.out.y, 0.0);
    }
}
