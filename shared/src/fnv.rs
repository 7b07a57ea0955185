//! FNV-1a, for what must be the same on every machine and in every version: which partition a record lies in, which task reads it.

/// Hash of some bytes.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
