//! Rows that are known to be delivered and may be met again: those of the newest time, those of the overlap before it, and,
//! after a crash, those that left although the position had not moved yet.

use std::collections::{HashSet, VecDeque};

/// Most rows that are remembered: their digests travel with every position.
const MOST: usize = if cfg!(test) { 200 } else { 10_000 };

/// What is remembered of one table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Window {
    /// How far behind the newest time rows are looked for again, in microseconds.
    width: i64,
    /// Rows met in this reading or the last, by rising time.
    met: VecDeque<(i64, u64)>,
    known: HashSet<u64>,
    /// Rows known from a position and not met yet.
    pending: HashSet<u64>,
    /// Rows of this time and before are passed over.
    pub(crate) floor: Option<i64>,
    /// Rows of one time are too many to be remembered.
    pub(crate) crowded: bool,
}

impl Window {
    pub(crate) fn new(
        width: i64,
        seen: impl Iterator<Item = u64>,
        floor: Option<i64>,
        crowded: bool,
    ) -> Self {
        Self { width, pending: seen.collect(), floor, crowded, ..Self::default() }
    }

    /// How many rows an answer may hold that are passed over.
    pub(crate) fn len(&self) -> usize {
        self.met.len() + self.pending.len()
    }

    /// Whether times are compared as numbers, since rows may come late with an earlier one.
    pub(crate) fn is_wide(&self) -> bool {
        self.width > 0
    }

    /// Whether the row is done already.
    pub(crate) fn has(&self, digest: u64, us: i64) -> bool {
        self.floor.is_some_and(|floor| us <= floor)
            || self.known.contains(&digest)
            || self.pending.contains(&digest)
    }

    /// A row that is done although it does not lie before the cursor.
    pub(crate) fn promise_kept(&mut self, digest: u64) {
        self.pending.insert(digest);
    }

    /// A row that a reading by key has passed.
    pub(crate) fn passed(&mut self, digest: u64) {
        self.pending.remove(&digest);
    }

    /// A row was met, whether it is new or not.
    pub(crate) fn meet(&mut self, digest: u64, us: i64) {
        self.pending.remove(&digest);
        if self.crowded || !self.known.insert(digest) {
            return;
        }
        // A late row comes behind later ones, so it is kept as long as they are.
        self.met.push_back((us, digest));
        if self.met.len() <= MOST {
            return;
        }
        if self.width == 0 {
            // From here on the last row's key says where to go on.
            self.crowded = true;
        } else if let Some((us, digest)) = self.met.pop_front() {
            self.known.remove(&digest);
            if self.floor.is_none() {
                tracing::warn!(
                    rows = MOST,
                    "more rows in the overlap than can be remembered; it is cut short"
                );
            }
            self.floor = self.floor.max(Some(us));
        }
    }

    /// The newest time is another.
    pub(crate) fn moved(&mut self, us: i64) {
        if self.width == 0 {
            self.met.clear();
            self.known.clear();
            self.crowded = false;
            return;
        }
        while let Some((old, digest)) = self.met.front().copied()
            && old < us.saturating_sub(self.width)
        {
            self.met.pop_front();
            self.known.remove(&digest);
        }
    }

    /// Everything was read: what was not met is gone.
    pub(crate) fn read_through(&mut self) {
        self.pending.clear();
        if self.crowded {
            self.met.clear();
            self.known.clear();
        }
    }

    /// Digests that a position has to keep.
    pub(crate) fn seen(&self) -> impl Iterator<Item = u64> {
        let met = if self.crowded { 0 } else { self.met.len() };
        self.met.iter().take(met).map(|(_, digest)| *digest).chain(self.pending.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_known_until_the_time_moves() {
        let mut window = Window::new(0, [7].into_iter(), None, false);
        assert!(window.has(7, 0) && !window.has(8, 0));
        window.meet(7, 0);
        window.meet(8, 0);
        window.read_through();
        assert_eq!(window.seen().collect::<Vec<_>>(), [7, 8]);
        window.moved(0);
        assert!(!window.has(8, 0));
    }

    #[test]
    fn too_many_ties_are_not_remembered() {
        let mut window = Window::default();
        for row in 0..=MOST as u64 {
            window.meet(row, 0);
        }
        assert!(window.crowded && window.has(1, 0), "until the reading ends they are known");
        assert_eq!(window.seen().count(), 0);
        window.read_through();
        assert_eq!(window.len(), 0);
        window.moved(0);
        assert!(!window.crowded);
    }

    #[test]
    fn an_overlap_forgets_by_time_and_never_reads_what_it_forgot() {
        let mut window = Window::new(100, std::iter::empty(), None, false);
        for us in 0..300 {
            window.meet(us as u64, us);
            window.moved(us);
        }
        assert!(window.has(299, 299) && window.has(199, 199) && !window.has(198, 198));
        let mut window = Window::new(1000, std::iter::empty(), None, false);
        for us in 0..300 {
            window.meet(us as u64, us);
        }
        assert_eq!(window.floor, Some(299 - MOST as i64));
        assert!(window.has(1_000_000, 99) && !window.has(1_000_000, 100));
    }
}
