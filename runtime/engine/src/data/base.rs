//! The input of a batch as it was read: text that cells point into and nobody changes.
//!
//! Encodings other than UTF-8 are transcoded by the source before they come here.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::pool;

/// Immutable UTF-8 text, shared by all batches cut from it. Cloning is counting.
#[derive(Clone, Default)]
pub struct Base(Option<Arc<Shared>>);

struct Shared(String);

impl Drop for Shared {
    fn drop(&mut self) {
        pool::give_bytes(std::mem::take(&mut self.0).into_bytes());
    }
}

/// Bytes that cannot be a [`Base`]; they are handed back.
#[derive(Debug, PartialEq, Eq)]
pub struct InvalidBase {
    /// The bytes as they were given.
    pub bytes: Vec<u8>,
    /// How many bytes from the front are valid UTF-8; `None` if the buffer was only too long (over 4 GiB).
    pub valid_up_to: Option<usize>,
}

impl fmt::Display for InvalidBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.valid_up_to {
            Some(at) => write!(f, "invalid UTF-8 at byte {at}"),
            None => f.write_str("a buffer cannot be longer than 4 GiB"),
        }
    }
}

impl std::error::Error for InvalidBase {}

impl Base {
    /// Takes over a buffer after checking once that it is UTF-8 and short enough for 32-bit offsets.
    /// Take the buffer from [`take_bytes`](super::take_bytes), and it will be used again.
    ///
    /// # Errors
    /// Hands the bytes back, with the place of the fault.
    pub fn new(bytes: Vec<u8>) -> Result<Base, InvalidBase> {
        if u32::try_from(bytes.len()).is_err() {
            return Err(InvalidBase { bytes, valid_up_to: None });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Base(Some(Arc::new(Shared(text))))),
            Err(error) => {
                let valid_up_to = Some(error.utf8_error().valid_up_to());
                Err(InvalidBase { bytes: error.into_bytes(), valid_up_to })
            }
        }
    }

    /// Like [`Base::new`], for a read that may have ended within a character: the bytes of that character are
    /// handed back, to be put in front of the next read.
    ///
    /// # Errors
    /// Hands all bytes back, with the place of the fault, when there is another one.
    pub fn of_read(mut bytes: Vec<u8>) -> Result<(Base, Vec<u8>), InvalidBase> {
        // A character has at most four bytes, its first is 0b11xxxxxx, the others 0b10xxxxxx.
        let last =
            bytes.iter().rev().take(3).position(|byte| *byte >= 0b1100_0000).map_or(0, |back| back + 1);
        let start = bytes.len() - last;
        let cut = std::str::from_utf8(&bytes[start..]).is_err_and(|error| error.error_len().is_none());
        let rest = if cut { bytes.split_off(start) } else { Vec::new() };
        Base::new(bytes).map(|base| (base, rest))
    }

    /// Like [`Base::new`], but overwrites every invalid byte with `?` and says where: a source can then refuse
    /// the records that overlap one of the ranges and keep their neighbours (G5, G10). Offsets do not move.
    ///
    /// # Errors
    /// Only for a buffer over 4 GiB.
    pub fn repaired(mut bytes: Vec<u8>) -> Result<(Base, Vec<Range<usize>>), InvalidBase> {
        let mut damaged: Vec<Range<usize>> = Vec::new();
        let mut from = 0;
        while let Err(error) = std::str::from_utf8(&bytes[from..]) {
            let start = from + error.valid_up_to();
            let end = error.error_len().map_or(bytes.len(), |len| start + len);
            bytes[start..end].fill(b'?');
            match damaged.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => damaged.push(start..end),
            }
            from = end;
        }
        Ok((Base::new(bytes)?, damaged))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", |shared| &shared.0)
    }

    /// The text as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.as_str().as_bytes()
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.as_str().len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Base({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_text_is_handed_back_with_its_place() {
        let error = Base::new(b"ab\xffcd".to_vec()).unwrap_err();
        assert_eq!(error, InvalidBase { bytes: b"ab\xffcd".to_vec(), valid_up_to: Some(2) });
    }

    #[test]
    fn a_read_may_end_within_a_character() {
        let text = "aé€😀b";
        for cut in 0..=text.len() {
            let (base, rest) = Base::of_read(text.as_bytes()[..cut].to_vec()).unwrap();
            assert_eq!([base.as_bytes(), &rest].concat(), text.as_bytes()[..cut]);
            assert_eq!(base.len(), (0..=cut).rev().find(|at| text.is_char_boundary(*at)).unwrap());
        }
        for wrong in [&b"a\xff"[..], b"a\x80", b"\xe2\x28", b"\xc3\xa9\xa9", b"\xf0\x9f\x92\x80\x80"] {
            assert!(Base::of_read(wrong.to_vec()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn repair_keeps_offsets_and_names_the_damage() {
        let (base, damaged) = Base::repaired(b"ab\xff\xfecd\n\xc3\xa9\xe2\x82".to_vec()).unwrap();
        assert_eq!(base.as_str(), "ab??cd\n\u{e9}??");
        assert_eq!(damaged, [2..4, 9..11]);
        let (_, damaged) = Base::repaired("fine é".into()).unwrap();
        assert_eq!(damaged, []);
    }
}
