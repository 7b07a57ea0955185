//! How far a file was read, and whether a file is the one that was read (G6).
//!
//! A position's order is the offset behind the last record in the text of the file (decompressed, as UTF-8, without byte
//! order mark): it rises strictly, and reading again gives the same orders. Its token also says how the file could be
//! found again and what its first and last 4 KiB were: path and inode are hints, content decides.

use std::cell::OnceCell;

use fairway_engine::data::csv_split::count_lines;
use fairway_engine::position::{Mark, Position};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::paths::Found;

/// Bytes of each end that are compared.
pub(crate) const ENDS: usize = 4 << 10;

/// How far the text of a file was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    /// Bytes passed.
    pub(crate) offset: u64,
    /// Lines passed.
    pub(crate) line: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Fingerprint of the head, made once when it is complete.
    head_print: OnceCell<String>,
}

impl Trail {
    /// The trail up to an offset, from both ends of what lies before it.
    pub(crate) fn at(offset: u64, line: u64, head: Vec<u8>, tail: Vec<u8>) -> Self {
        Self { offset, line, head, tail, ..Self::default() }
    }

    /// Passes the next bytes.
    pub(crate) fn advance(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.line += count_lines(bytes) as u64;
        if self.tail.last() == Some(&b'\r') && bytes[0] == b'\n' {
            // The two halves of one line end.
            self.line -= 1;
        }
        self.offset += bytes.len() as u64;
        let missing = ENDS.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        if bytes.len() >= ENDS {
            self.tail.clear();
            self.tail.extend_from_slice(&bytes[bytes.len() - ENDS..]);
        } else {
            let keep = self.tail.len().min(ENDS - bytes.len());
            self.tail.drain(..self.tail.len() - keep);
            self.tail.extend_from_slice(bytes);
        }
    }

    /// Whether what was passed ends behind a line end, or is nothing.
    pub(crate) fn ends_a_line(&self) -> bool {
        matches!(self.tail.last(), None | Some(b'\n' | b'\r'))
    }

    fn head_print(&self) -> String {
        if self.head.len() < ENDS {
            return fingerprint(&self.head);
        }
        self.head_print.get_or_init(|| fingerprint(&self.head)).clone()
    }

    /// Whether this is what is known of a file.
    pub(crate) fn is(&self, known: &Known) -> bool {
        self.offset == known.offset
            && fingerprint(&self.head) == known.head
            && fingerprint(&self.tail) == known.tail
    }

    /// The position in a file of which everything up to here is read.
    pub(crate) fn position(&self, file: &Found) -> Position {
        let token = json!({
            "path": file.name,
            "inode": file.id.1,
            "offset": self.offset,
            "line": self.line,
            "head": self.head_print(),
            "tail": fingerprint(&self.tail),
        });
        Position { order: self.offset, token }
    }
}

fn fingerprint(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// What a stored position says about the file it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) partition: String,
    pub(crate) path: String,
    pub(crate) inode: u64,
    pub(crate) offset: u64,
    pub(crate) line: u64,
    head: String,
    tail: String,
}

impl Known {
    /// `None` for a position that is no place in a file.
    pub(crate) fn of(mark: &Mark) -> Option<Self> {
        let token = &mark.position.token;
        let number = |name: &str| token.get(name).and_then(Value::as_u64);
        let text = |name: &str| token.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            partition: mark.stream.partition.to_string(),
            path: text("path")?,
            inode: number("inode")?,
            offset: number("offset")?,
            line: number("line")?,
            head: text("head")?,
            tail: text("tail")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use fairway_engine::position::StreamKey;

    use super::*;

    #[test]
    fn pieces_change_nothing() {
        let text: Vec<u8> = (0..20_000_u32).flat_map(|n| format!("{n}\r\n").into_bytes()).collect();
        let mut whole = Trail::default();
        whole.advance(&text);
        for size in [1, 7, 4095, 4096, 4097, 50_000] {
            let mut pieces = Trail::default();
            text.chunks(size).for_each(|piece| pieces.advance(piece));
            assert_eq!((pieces.offset, pieces.line), (whole.offset, 20_000), "pieces of {size}");
            assert_eq!((&pieces.head, &pieces.tail), (&whole.head, &whole.tail));
        }
    }

    #[test]
    fn a_position_knows_its_file_again() {
        let file =
            Found { path: "x".into(), name: "in/x".into(), id: (1, u64::MAX), length: 0, written: None };
        let mut trail = Trail::default();
        trail.advance(b"a,b\n1,2");
        assert!(!trail.ends_a_line());
        let mark = Mark { stream: StreamKey::straight("in", "p"), position: trail.position(&file) };
        let known = Known::of(&mark).unwrap();
        assert_eq!((known.offset, known.line, known.inode), (7, 1, u64::MAX));
        assert!(trail.is(&known));
        trail.advance(b"3");
        assert!(!trail.is(&known));
        assert_eq!(Known::of(&Mark { position: Position::start(), ..mark }), None);
    }
}
