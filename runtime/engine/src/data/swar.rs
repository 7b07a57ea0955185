//! Looking at eight bytes at once, for JSON texts.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of every byte that cannot stand for itself in a JSON text: below 0x20, a quote or a backslash.
/// The lowest bit that is set is right; higher ones may be false alarms, so use it only for "any" and "first".
/// ("Determine if a word has a byte less than n" of the Bit Twiddling Hacks.)
#[inline]
pub(super) fn specials(word: u64) -> u64 {
    let control = word.wrapping_sub(LOW * 0x20) & !word;
    let quote = word ^ (LOW * b'"' as u64);
    let quote = quote.wrapping_sub(LOW) & !quote;
    let slash = word ^ (LOW * b'\\' as u64);
    let slash = slash.wrapping_sub(LOW) & !slash;
    (control | quote | slash) & HIGH
}

/// Whether a single byte cannot stand for itself in a JSON text.
#[inline]
pub(super) fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The place of the first byte from `at` on that cannot stand for itself; the length if there is none.
#[inline]
pub(super) fn first_special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let found = specials(u64::from_le_bytes(*word));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while at < bytes.len() && !is_special(bytes[at]) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_is_exact(bytes in proptest::collection::vec(prop_oneof![9 => 0x1e_u8..=255, 1 => any::<u8>()], 0..40), at in 0_usize..40) {
            let at = at.min(bytes.len());
            let expected = (at..bytes.len()).find(|at| is_special(bytes[*at])).unwrap_or(bytes.len());
            prop_assert_eq!(first_special(&bytes, at), expected);
        }
    }
}
