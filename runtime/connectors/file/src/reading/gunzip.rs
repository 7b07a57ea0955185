//! Gzip as the tool of that name reads it: any number of members, and zero bytes behind them, which tapes and fixed
//! blocks leave there.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Decompresses one member after the other.
pub(super) struct Gunzip<R> {
    /// `None` behind the last.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gunzip<R> {
    pub(super) fn new(packed: R) -> Self {
        Self { member: Some(GzDecoder::new(packed)) }
    }
}

impl<R: BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.member else { return Ok(0) };
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.member = match self.member.take() {
                Some(ended) => next_member(ended.into_inner())?,
                None => None,
            };
        }
    }
}

/// Passes padding: the next member if anything else follows.
fn next_member<R: BufRead>(mut packed: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let (length, zeros) = {
            let ahead = packed.fill_buf()?;
            (ahead.len(), ahead.iter().take_while(|byte| **byte == 0).count())
        };
        if length == 0 {
            return Ok(None);
        }
        packed.consume(zeros);
        if zeros < length {
            return Ok(Some(GzDecoder::new(packed)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        // A small buffer, so that every boundary is met.
        Gunzip::new(BufReader::with_capacity(7, bytes)).read_to_end(&mut text).map(|_| text)
    }

    #[test]
    fn members_and_padding_are_read_and_garbage_is_damage() {
        let (one, two, none) = (packed(b"one"), packed(b"two"), packed(b""));
        let zeros = vec![0; 1000];
        assert_eq!(unpacked(&[&one[..], &none, &two].concat()).unwrap(), b"onetwo");
        assert_eq!(unpacked(&[&one[..], &zeros].concat()).unwrap(), b"one");
        assert_eq!(unpacked(&[&one[..], &zeros, &two, b"\0"].concat()).unwrap(), b"onetwo");
        assert!(unpacked(&[&one[..], b"garbage"].concat()).is_err());
        assert!(unpacked(&one[..one.len() - 1]).is_err());
    }
}
