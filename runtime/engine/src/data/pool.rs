//! Buffers used again: large vectors of finished batches are kept for the next ones.
//!
//! Fresh vectors above the allocator's mmap threshold cost page faults with every batch; taking them from here
//! removes those. Buffers cross threads, because a batch is usually built on one and dropped on another. What
//! is kept is bounded (I5), small buffers go straight back to the allocator.

use std::sync::Mutex;

use super::cell::Cell;
use super::meta::Meta;

/// Buffers below this many bytes are not worth a lock.
const SMALLEST: usize = 4 << 10;
/// Buffers above this many bytes are given back to the allocator.
const LARGEST: usize = 8 << 20;
/// All buffers kept in one shelf together, in bytes.
const SHELF: usize = 32 << 20;
/// Most buffers in one shelf.
const MOST: usize = 64;
/// A buffer is given to whoever asks for at least this part of it: small batches must not sit on large buffers, or
/// queues that are bounded by what batches hold would hold much more.
const FIT: usize = 4;

struct Shelf<T> {
    kept: Mutex<(Vec<Vec<T>>, usize)>,
}

impl<T> Shelf<T> {
    const fn new() -> Self {
        Shelf { kept: Mutex::new((Vec::new(), 0)) }
    }

    fn take(&self, capacity: usize) -> Vec<T> {
        let fits = |buffer: &Vec<T>| (capacity..=capacity * FIT).contains(&buffer.capacity());
        if capacity * size_of::<T>() >= SMALLEST
            && let Ok(mut kept) = self.kept.lock()
            && let Some(at) = kept.0.iter().rposition(fits)
        {
            let found = kept.0.swap_remove(at);
            kept.1 -= found.capacity() * size_of::<T>();
            return found;
        }
        Vec::with_capacity(capacity)
    }

    fn give(&self, mut buffer: Vec<T>) {
        let bytes = buffer.capacity() * size_of::<T>();
        if !(SMALLEST..=LARGEST).contains(&bytes) {
            return;
        }
        buffer.clear();
        if let Ok(mut kept) = self.kept.lock()
            && kept.1 + bytes <= SHELF
            && kept.0.len() < MOST
        {
            kept.1 += bytes;
            kept.0.push(buffer);
        }
    }
}

static BYTES: Shelf<u8> = Shelf::new();
static CELLS: Shelf<Cell> = Shelf::new();
static METAS: Shelf<Meta> = Shelf::new();

/// An empty buffer with room for `capacity` bytes, used before if one is at hand.
pub fn take_bytes(capacity: usize) -> Vec<u8> {
    BYTES.take(capacity)
}

/// Gives a buffer back to be taken again. Its content is forgotten.
pub fn give_bytes(buffer: Vec<u8>) {
    BYTES.give(buffer);
}

pub(super) fn take_cells(capacity: usize) -> Vec<Cell> {
    CELLS.take(capacity)
}

pub(super) fn give_cells(buffer: Vec<Cell>) {
    CELLS.give(buffer);
}

pub(super) fn take_metas(capacity: usize) -> Vec<Meta> {
    METAS.take(capacity)
}

pub(super) fn give_metas(buffer: Vec<Meta>) {
    METAS.give(buffer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_is_bounded_and_gives_back_what_it_kept() {
        let shelf: Shelf<u8> = Shelf::new();
        shelf.give(Vec::with_capacity(SMALLEST - 1));
        shelf.give(Vec::with_capacity(LARGEST + 1));
        assert_eq!(shelf.kept.lock().unwrap().0.len(), 0);
        for _ in 0..10 {
            shelf.give(Vec::with_capacity(LARGEST));
        }
        assert_eq!(shelf.kept.lock().unwrap().0.len(), SHELF / LARGEST);
        assert!(shelf.take(SMALLEST).capacity() < LARGEST, "a large buffer is not for a small use");
        let mut used: Vec<u8> = shelf.take(LARGEST / 2);
        assert_eq!(used.capacity(), LARGEST);
        assert_eq!(shelf.kept.lock().unwrap().1, SHELF - LARGEST);
        used.push(1);
        shelf.give(used);
        assert!(shelf.take(LARGEST).is_empty());
    }
}
