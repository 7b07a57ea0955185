//! Keys that have passed, bounded by number and time.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hasher};

use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The latest keys, by their hashes. 128 bits under a seed that nobody outside knows: that two keys fall together does not
/// happen by chance, nor can it be brought about.
pub(super) struct Seen {
    most: usize,
    /// In microseconds.
    window: Option<u128>,
    seed: u64,
    /// By hash: the number of the record that passed, and its time.
    passed: HashMap<u128, (u64, i64)>,
    /// Hashes in the order in which their records passed, with the record's number. One that passed anew is in here
    /// twice, and only the later entry counts.
    order: VecDeque<(u128, u64)>,
    next: u64,
}

impl Seen {
    pub(super) fn new(most: usize, window: Option<u128>) -> Self {
        let seed = RandomState::new().build_hasher().finish();
        Self { most, window, seed, passed: HashMap::new(), order: VecDeque::new(), next: 0 }
    }

    /// Whether no record with this key passed within the bounds; then this one is remembered.
    pub(super) fn is_first(&mut self, key: &[u8], time: i64) -> bool {
        let hash = xxh3_128_with_seed(key, self.seed);
        let near = |then: i64| self.window.is_none_or(|window| u128::from(time.abs_diff(then)) <= window);
        if self.passed.get(&hash).is_some_and(|(_, then)| near(*then)) {
            return false;
        }
        self.passed.insert(hash, (self.next, time));
        self.order.push_back((hash, self.next));
        self.next += 1;
        while self.order.len() > self.most {
            if let Some((oldest, number)) = self.order.pop_front()
                && self.passed.get(&oldest).is_some_and(|(last, _)| *last == number)
            {
                self.passed.remove(&oldest);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    fn firsts(seen: &mut Seen, keys: &[(&str, i64)]) -> Vec<bool> {
        keys.iter().map(|(key, time)| seen.is_first(key.as_bytes(), *time)).collect()
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut seen = Seen::new(2, None);
        assert_eq!(
            firsts(&mut seen, &[("a", 0), ("b", 0), ("a", 0), ("c", 0), ("a", 0), ("c", 0)]),
            [true, true, false, true, true, false]
        );
        assert!(seen.passed.len() <= 2 && seen.order.len() <= 2);
    }

    #[test]
    fn the_window_is_measured_from_what_passed() {
        let mut seen = Seen::new(10, Some(10));
        assert_eq!(
            firsts(&mut seen, &[("a", 0), ("a", 10), ("a", 11), ("a", 20), ("a", -5)]),
            [true, false, true, false, true]
        );
        // Passing anew leaves nothing behind that would make it forgotten early.
        let mut seen = Seen::new(3, Some(10));
        assert_eq!(
            firsts(&mut seen, &[("a", 0), ("a", 100), ("b", 100), ("c", 100), ("a", 101)]),
            [true, true, true, true, false]
        );
    }
}
