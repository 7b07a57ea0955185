//! How far a table is read, as the position keeps it. Values of cursor columns are the text that the database itself gives, so
//! no digit is lost on the way (a timestamp keeps its microseconds).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use fairway_engine::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a position of a table holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Token {
    /// Values of the cursor columns of the last row; empty before the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) cursor: Vec<String>,
    /// Digests of rows that are done although they do not lie before the cursor.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) seen: String,
    /// Whether too many rows share the cursor's first value to be remembered: reading goes on behind the last of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) crowded: bool,
    /// Where rows are looked for again for a while: time of the cursor, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<i64>,
    /// Rows of this time and before, in microseconds, are no longer looked for: too many are to be remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) floor: Option<i64>,
    /// Rows announced: they may have left, with these orders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) next: Vec<Run>,
    /// Values of the cursor columns of the last row announced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) end: Vec<String>,
    /// The database's own number of the table, which another table of the same name does not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) table: Option<u32>,
    /// Whether the table was read to its end and nothing more is wanted of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) done: bool,
}

/// Announced rows with orders without a gap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    /// Order of the first.
    order: u64,
    /// Their digests.
    rows: String,
}

/// An announced row: order and digest.
pub(crate) type Entry = (u64, u64);

impl Token {
    /// Reads what [`Token::write`] wrote.
    ///
    /// # Errors
    /// Kind `Hold`, for a position that is none of a table.
    pub(crate) fn read(value: &Value) -> Result<Self, Error> {
        serde_json::from_value(value.clone()).map_err(|error| {
            Error::hold("table.bad_position", "the stored position is not that of a table")
                .help("start the source over")
                .source(error)
        })
    }

    /// The token as a position holds it.
    pub(crate) fn write(&self) -> Value {
        serde_json::to_value(self).expect("texts, numbers and lists of them")
    }

    /// Digests of rows that are done.
    pub(crate) fn seen(&self) -> impl Iterator<Item = u64> {
        unpack(&self.seen).into_iter()
    }

    /// Sets the digests of rows that are done.
    pub(crate) fn set_seen(&mut self, seen: impl Iterator<Item = u64>) {
        self.seen = pack(seen);
    }

    /// Announced rows by rising order.
    pub(crate) fn announced(&self) -> impl Iterator<Item = Entry> {
        self.next.iter().flat_map(|run| (run.order..).zip(unpack(&run.rows)))
    }

    /// Sets the announced rows, which come by rising order.
    pub(crate) fn announce(&mut self, entries: impl Iterator<Item = Entry>) {
        let mut runs: Vec<(u64, Vec<u64>)> = Vec::new();
        for (order, digest) in entries {
            match runs.last_mut() {
                Some((first, digests)) if *first + digests.len() as u64 == order => digests.push(digest),
                _ => runs.push((order, vec![digest])),
            }
        }
        self.next =
            runs.into_iter().map(|(order, digests)| Run { order, rows: pack(digests.into_iter()) }).collect();
    }
}

fn pack(digests: impl Iterator<Item = u64>) -> String {
    let bytes: Vec<u8> = digests.flat_map(u64::to_le_bytes).collect();
    BASE64.encode(bytes)
}

/// Damaged text holds no digests: its rows then come again rather than be missed.
fn unpack(text: &str) -> Vec<u64> {
    let bytes = BASE64.decode(text).unwrap_or_default();
    bytes.chunks_exact(8).map(|eight| u64::from_le_bytes(eight.try_into().unwrap_or_default())).collect()
}

/// The digest of a row: of its cursor and key. The same in every release (FNV-1a, then mixed so that all bits count).
pub(crate) fn digest<'a>(values: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut byte = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for value in values {
        value.bytes().for_each(&mut byte);
        // No UTF-8 text has this byte: `ab`, `c` is not `a`, `bc`.
        byte(0xff);
    }
    hash ^= hash >> 30;
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^= hash >> 27;
    hash = hash.wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut token =
            Token { cursor: vec!["2024-01-01 00:00:00.000001".into(), "é".into()], ..Token::default() };
        token.set_seen([1, u64::MAX].into_iter());
        token.announce([(5, 7), (6, 8), (9, 1)].into_iter());
        let read = Token::read(&token.write()).unwrap();
        assert_eq!(read, token);
        assert_eq!(read.seen().collect::<Vec<_>>(), [1, u64::MAX]);
        assert_eq!(read.announced().collect::<Vec<_>>(), [(5, 7), (6, 8), (9, 1)]);
        assert_eq!(read.next.len(), 2);
        assert!(Token::read(&serde_json::json!({"cursor": 1})).is_err());
        assert_eq!(Token::default().write(), serde_json::json!({}));
    }

    #[test]
    fn digests_tell_rows_apart() {
        assert_eq!(digest(["ab", "c"]), digest(["ab", "c"]));
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
        // Stored positions depend on it.
        assert_eq!(digest(["2024-01-01", "1"]), digest(["2024-01-01", "1"]));
    }
}
