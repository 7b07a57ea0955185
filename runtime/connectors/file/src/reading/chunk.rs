//! A stretch of a file's text that records are taken from.

use std::ops::Range;

use fairway_engine::data::{Base, take_bytes};

use super::input::{Damage, Input};

/// A stretch of text with the place it has in the file.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// The text; damaged bytes are question marks in it.
    pub(crate) base: Base,
    /// Offset of its first byte in the text of the file.
    pub(crate) start: u64,
    /// Whether the file ends with it, for now.
    pub(crate) ended: bool,
    /// Damaged ranges of the base, rising.
    damage: Vec<(Range<usize>, Damage)>,
    /// The bytes as they were, if the base is not the same.
    raw: Option<Vec<u8>>,
    /// A character cut off by the end of the chunk: the next one begins with it.
    cut: Vec<u8>,
}

impl Chunk {
    /// Nothing, at an offset.
    pub(crate) fn empty(start: u64) -> Chunk {
        Chunk { start, ..Chunk::default() }
    }

    /// The bytes of a part, as they were read.
    pub(crate) fn bytes(&self, part: Range<usize>) -> &[u8] {
        match &self.raw {
            Some(raw) => &raw[part],
            None => &self.base.as_bytes()[part],
        }
    }

    /// The first damage in a part.
    pub(crate) fn damage_in(&self, part: Range<usize>) -> Option<&Damage> {
        let behind = self.damage.partition_point(|(range, _)| range.end <= part.start);
        self.damage.get(behind).filter(|(range, _)| range.start < part.end).map(|(_, damage)| damage)
    }

    /// The chunk that begins with what of this one lies behind `at`, read on to `size` bytes or the end.
    ///
    /// # Errors
    /// The chunk holds what was read before the fault.
    pub(crate) fn next(&self, at: usize, input: &mut Input, size: usize) -> (Chunk, std::io::Result<()>) {
        let rest = self.bytes(at..self.base.len());
        let mut bytes = take_bytes(size.max(rest.len() + self.cut.len()));
        bytes.extend_from_slice(rest);
        bytes.extend_from_slice(&self.cut);
        let start = self.start + at as u64;
        let (ended, fault) = match input.read(&mut bytes, size) {
            Ok(ended) => (ended, Ok(())),
            Err(error) => (false, Err(error)),
        };
        let transcoded = self
            .damage
            .iter()
            .filter(|(range, damage)| range.start >= at && damage.encoding != UTF_8)
            .map(|(_, damage)| damage.clone())
            .chain(input.damage())
            .collect();
        (Chunk::of(bytes, start, ended, transcoded), fault)
    }

    fn of(mut bytes: Vec<u8>, start: u64, ended: bool, transcoded: Vec<Damage>) -> Chunk {
        if ended && bytes.len() < bytes.capacity() / 2 {
            // What is read to its end may wait for long: it must not hold a whole read's room meanwhile.
            bytes.shrink_to_fit();
        }
        let mut cut = Vec::new();
        if !ended {
            let whole = whole_characters(&bytes);
            cut = bytes.split_off(whole);
        }
        let place = |damage: Damage| {
            let at = usize::try_from(damage.offset - start).unwrap_or(usize::MAX);
            (at..at.saturating_add(1), damage)
        };
        let mut damage: Vec<(Range<usize>, Damage)> = transcoded.into_iter().map(place).collect();
        let (base, raw) = match Base::new(bytes) {
            Ok(base) => (base, None),
            Err(invalid) => {
                let raw = invalid.bytes.clone();
                // Chunks are far smaller than a base can be.
                let (base, ranges) = Base::repaired(invalid.bytes).unwrap_or_default();
                damage.extend(ranges.into_iter().map(|range| {
                    let bytes = raw[range.clone()].iter().copied().take(SHOWN).collect();
                    let offset = start + range.start as u64;
                    (range, Damage { offset, bytes, encoding: UTF_8 })
                }));
                damage.sort_by_key(|(range, _)| range.start);
                (base, Some(raw))
            }
        };
        Chunk { base, start, ended, damage, raw, cut }
    }
}

const UTF_8: &str = "UTF-8";
/// Damaged bytes kept for the message.
const SHOWN: usize = 8;

/// Length up to the last whole character: what may be the beginning of one more is left out.
fn whole_characters(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let at = bytes.len() - back;
        let needs = match bytes[at] {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => return bytes.len(),
        };
        return if needs > back { at } else { bytes.len() };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_never_cut() {
        let text = "aé€😀".as_bytes();
        for end in 0..=text.len() {
            let whole = whole_characters(&text[..end]);
            assert!(std::str::from_utf8(&text[..whole]).is_ok() && end - whole < 4, "{end}");
        }
        assert_eq!(whole_characters(b"a\xff"), 2);
        assert_eq!(whole_characters(b"\x80\x80\x80\x80"), 4);
    }

    #[test]
    fn damage_is_found_where_it_is() {
        let chunk = Chunk::of(b"ab\xffcd\xfe\xfde\xc3".to_vec(), 100, false, Vec::new());
        assert_eq!(chunk.base.as_str(), "ab?cd??e");
        assert_eq!(chunk.cut, b"\xc3");
        assert_eq!(chunk.bytes(1..4), b"b\xffc");
        let found = |part| chunk.damage_in(part).map(|damage| (damage.offset, damage.bytes.clone()));
        assert_eq!(found(0..2), None);
        assert_eq!(found(0..3), Some((102, vec![0xff])));
        assert_eq!(found(3..5), None);
        assert_eq!(found(3..8), Some((105, vec![0xfe, 0xfd])));
        assert_eq!(found(7..8), None);
    }
}
