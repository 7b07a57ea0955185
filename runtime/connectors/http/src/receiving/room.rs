//! How many requests and bytes may wait (I5): beyond that a sender is asked to come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A bound and what is taken of it.
#[derive(Debug)]
pub(crate) struct Bound {
    most: usize,
    taken: AtomicUsize,
}

impl Bound {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: AtomicUsize::new(0) })
    }

    /// Room for so much, if there is.
    pub(crate) fn take(self: &Arc<Self>, much: usize) -> Option<Room> {
        let mut room = Room { bound: self.clone(), much: 0 };
        room.grow(much).then_some(room)
    }

    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Acquire)
    }
}

/// A share of a bound, given back when it goes.
#[derive(Debug)]
pub(crate) struct Room {
    bound: Arc<Bound>,
    much: usize,
}

impl Room {
    /// Takes more; `false` if there is not so much.
    pub(crate) fn grow(&mut self, more: usize) -> bool {
        let fits = |taken: usize| taken.checked_add(more).filter(|sum| *sum <= self.bound.most);
        let grown = self.bound.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits).is_ok();
        if grown {
            self.much += more;
        }
        grown
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.bound.taken.fetch_sub(self.much, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back() {
        let bound = Bound::new(10);
        let mut one = bound.take(6).unwrap();
        assert!(bound.take(5).is_none());
        assert!(one.grow(4) && !one.grow(1));
        drop(one);
        assert!(bound.take(10).is_some());
        assert!(bound.take(usize::MAX).is_none());
        assert_eq!(bound.taken(), 0);
    }
}
