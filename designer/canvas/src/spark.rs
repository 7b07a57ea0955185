//! A sparkline: the last values of something as a small line.

use std::collections::VecDeque;

/// Values kept.
pub const LENGTH: usize = 32;

/// The last values, the newest at the end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trail(VecDeque<f64>);

impl Trail {
    /// Adds the newest value; the oldest goes once there are [`LENGTH`].
    pub fn push(&mut self, value: f64) {
        if self.0.len() == LENGTH {
            self.0.pop_front();
        }
        self.0.push_back(if value.is_finite() { value.max(0.0) } else { 0.0 });
    }

    /// Whether there is a line to draw.
    pub fn is_line(&self) -> bool {
        self.0.len() > 1
    }

    /// Whether all its values are nothing.
    pub fn is_still(&self) -> bool {
        self.0.iter().all(|value| *value <= 0.0)
    }

    /// The greatest of the values.
    pub fn most(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// SVG path data within a box of this size, its left upper corner at 0, 0. The newest value stands at the right, the
    /// greatest at the top; values that are all alike stand in the middle, and nothing at all at the bottom.
    pub fn path(&self, width: f64, height: f64) -> String {
        let most = self.most();
        let least = self.0.iter().copied().fold(f64::INFINITY, f64::min);
        let level = |value: f64| match (most <= 0.0, most - least < most * 1e-3) {
            (true, _) => 0.0,
            (false, true) => 0.5,
            (false, false) => value / most,
        };
        let step = width / (LENGTH - 1) as f64;
        let first = LENGTH - self.0.len();
        let mut path = String::with_capacity(self.0.len() * 10);
        for (rank, value) in self.0.iter().enumerate() {
            let letter = if rank == 0 { 'M' } else { 'L' };
            let (x, y) = ((first + rank) as f64 * step, height * (1.0 - level(*value)));
            path.push_str(&format!("{letter}{x:.1} {y:.1}"));
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Trail {
        let mut trail = Trail::default();
        values.iter().for_each(|value| trail.push(*value));
        trail
    }

    #[test]
    fn the_newest_is_right_and_the_greatest_on_top() {
        assert_eq!(of(&[0.0, 10.0, 5.0]).path(31.0, 10.0), "M29.0 10.0L30.0 0.0L31.0 5.0");
        assert_eq!(of(&[7.0, 7.0]).path(31.0, 10.0), "M30.0 5.0L31.0 5.0");
        assert_eq!(of(&[0.0, 0.0]).path(31.0, 10.0), "M30.0 10.0L31.0 10.0");
    }

    #[test]
    fn only_the_last_are_kept_and_nonsense_is_nothing() {
        let mut trail = of(&vec![1.0; LENGTH * 2]);
        assert_eq!(trail.0.len(), LENGTH);
        trail.push(f64::NAN);
        assert_eq!(trail.0.back(), Some(&0.0));
        assert!(!of(&[1.0]).is_line() && trail.is_line());
    }
}
