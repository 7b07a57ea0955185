//! Chance that can be asked for any record at any time: a pure function of seed, field name and order.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014), names
//! are hashed by 64-bit FNV-1a. Neither may ever change: replays must give the same records. Not for secrets.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Random(u64);

impl Random {
    /// Where the chance of one field begins.
    pub(super) fn of_name(seed: u64, name: &str) -> Self {
        let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(mix(seed) ^ name.bytes().fold(0xcbf2_9ce4_8422_2325, fnv))
    }

    /// The chance of that field in the record of this order.
    pub(super) fn at(self, order: u64) -> Self {
        Self(mix(self.0 ^ mix(order.wrapping_mul(GOLDEN))))
    }

    /// 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A whole number from `min` to `max`, both included; `min` must not be greater.
    pub(super) fn within(&mut self, min: i64, max: i64) -> i64 {
        let span = (i128::from(max) - i128::from(min) + 1).unsigned_abs();
        // The high half of a product with 64 bits of chance lies below `span`, so the sum never leaves the bounds.
        let step = (u128::from(self.bits()) * span) >> 64;
        min.wrapping_add(step as i64)
    }

    /// An index below `len`, which must not be 0.
    pub(super) fn below(&mut self, len: usize) -> usize {
        ((u128::from(self.bits()) * len as u128) >> 64) as usize
    }
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
