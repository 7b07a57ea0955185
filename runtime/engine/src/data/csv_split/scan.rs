//! Finding the bytes that mean something in CSV, 64 at a time.
//!
//! A block of 64 bytes becomes a word with a bit for each mark, and fields are found by walking its bits: most of
//! the text is never looked at one by one. (The idea is that of simdjson: Langdale and Lemire, "Parsing Gigabytes
//! of JSON per Second", 2019.)

use super::Dialect;

/// The bytes to be found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Delimiter, quote and escape; a mark that is not used repeats the delimiter. Line ends come besides.
    bytes: [u8; 3],
}

impl Marks {
    pub(super) fn new(dialect: &Dialect) -> Marks {
        let quote = dialect.quote.unwrap_or(dialect.delimiter);
        let escape = dialect.escape.filter(|_| dialect.quote.is_some());
        Marks { bytes: [dialect.delimiter, quote, escape.unwrap_or(quote)] }
    }

    /// A bit for every byte of a block that is a mark or a line end, the lowest for the first byte.
    #[inline]
    fn find(&self, block: &[u8; 64]) -> u64 {
        let [delimiter, quote, escape] = self.bytes;
        // The compiler turns this loop into vector instructions on every processor that has them.
        let mut found = [0_u8; 64];
        for (found, &byte) in found.iter_mut().zip(block) {
            let field = (byte == delimiter) | (byte == quote) | (byte == escape);
            *found = u8::from(field | (byte == b'\n') | (byte == b'\r'));
        }
        let (words, _) = found.as_chunks::<8>();
        let mut bits = 0;
        for (index, word) in words.iter().enumerate() {
            // Gathers the lowest bit of each byte: every product lands on a bit of its own in the top byte.
            let gathered = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits |= gathered << (index * 8);
        }
        bits
    }
}

/// The places of marks in a buffer, in order.
#[derive(Clone, Debug)]
pub(super) struct Specials {
    /// Marks in the current block that were not yet taken.
    bits: u64,
    /// Offset of the current block.
    block: usize,
    /// Offset behind the current block: the next one begins here.
    next: usize,
}

impl Specials {
    pub(super) fn new(start: usize) -> Specials {
        Specials { bits: 0, block: start, next: start }
    }

    /// Begins again at an offset.
    pub(super) fn rewind(&mut self, at: usize) {
        *self = Specials::new(at);
    }

    /// The place of the next mark; `None` at the end of the buffer.
    #[inline]
    pub(super) fn next(&mut self, buffer: &[u8], marks: &Marks) -> Option<usize> {
        while self.bits == 0 {
            if self.next >= buffer.len() {
                return None;
            }
            self.load(buffer, marks);
        }
        let at = self.block + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(at)
    }

    /// Passes over the byte at `at`, if it is the next mark.
    #[inline]
    pub(super) fn skip(&mut self, buffer: &[u8], marks: &Marks, at: usize) {
        if self.bits == 0 && at >= self.next && at < buffer.len() {
            self.load(buffer, marks);
        }
        if let Some(bit) = at.checked_sub(self.block)
            && bit < 64
            && at < self.next
        {
            self.bits &= !(1 << bit);
        }
    }

    fn load(&mut self, buffer: &[u8], marks: &Marks) {
        self.block = self.next;
        let rest = &buffer[self.block..];
        match rest.first_chunk::<64>() {
            Some(block) => {
                self.bits = marks.find(block);
                self.next = self.block + 64;
            }
            None => {
                let mut block = [0; 64];
                block[..rest.len()].copy_from_slice(rest);
                // The filling must not be taken for marks, whatever those are.
                self.bits = marks.find(&block) & ((1 << rest.len()) - 1);
                self.next = buffer.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_plain_loop_finds(text in proptest::collection::vec(prop_oneof![Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r'), Just(b'\\'), any::<u8>()], 64), escape in any::<bool>()) {
            let dialect = Dialect { escape: escape.then_some(b'\\'), ..Dialect::default() };
            let marks = Marks::new(&dialect);
            let block: &[u8; 64] = text.first_chunk().unwrap();
            let expected = block.iter().enumerate().fold(0_u64, |bits, (at, byte)| {
                let mark = matches!(byte, b',' | b'"' | b'\n' | b'\r') || escape && *byte == b'\\';
                bits | u64::from(mark) << at
            });
            prop_assert_eq!(marks.find(block), expected);
        }
    }
}
