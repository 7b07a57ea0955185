//! What travels beside the fields of a record: where it came from, and its key, headers and time.
//!
//! Positions themselves (offsets, LSNs, cursors) are the source's; a record carries only its order among them.

use std::sync::Arc;

use super::pool;
use super::value::Value;

/// Where a record came from. Every record has one; 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Meta {
    /// The record's place in the order of positions of its source partition; grows within a partition.
    pub order: u64,
    /// Index of the record in the batch as the source gave it: what acknowledgements count.
    pub row: u32,
    /// Index among the records made of the same source record; 0 for a record never split.
    pub child: u32,
}

impl Meta {
    /// The meta of the source's record number `row` at `order`, not split.
    pub const fn new(order: u64, row: u32) -> Self {
        Meta { order, row, child: 0 }
    }
}

/// Key, headers and time of a record. Batches whose records have none carry nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra {
    /// The key; `None` when the source has no keys, `Some(Value::Null)` when it is null (G3).
    pub key: Option<Value>,
    /// Headers in order; a name may come more than once.
    pub headers: Vec<(Arc<str>, Value)>,
    /// When the record was made, in microseconds since 1970-01-01 UTC.
    pub time: Option<i64>,
}

impl Extra {
    /// Whether there is nothing here.
    pub fn is_empty(&self) -> bool {
        self.key.is_none() && self.headers.is_empty() && self.time.is_none()
    }

    /// About how many bytes of memory this takes.
    pub(super) fn bytes(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + 32 + value.bytes()).sum();
        size_of::<Extra>() + self.key.as_ref().map_or(0, Value::bytes) + headers
    }
}

/// The metas of a batch; the buffer is used again when the last batch that shares it is gone.
#[derive(Debug, Default)]
pub(super) struct Metas(pub(super) Vec<Meta>);

impl Clone for Metas {
    fn clone(&self) -> Self {
        let mut copy = pool::take_metas(self.0.len());
        copy.extend_from_slice(&self.0);
        Metas(copy)
    }
}

impl Drop for Metas {
    fn drop(&mut self) {
        pool::give_metas(std::mem::take(&mut self.0));
    }
}
