//! Messages that cannot be read, on their way to the errors port or the dead letters: what lay there, and where.

use std::sync::Arc;

use fairway_engine::data::{BatchBuilder, Extra, Meta, RecordError, Ref, Rejects, Schema, Value};

/// Most bytes of a refused value that are kept.
const KEPT: usize = 256 << 10;

/// Where a message lay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) topic: &'a str,
    pub(super) partition: i32,
    pub(super) offset: i64,
    /// Milliseconds since 1970.
    pub(super) time: Option<i64>,
}

impl Place<'_> {
    /// The place as a map, for a field.
    pub(super) fn value(&self) -> Value {
        Value::Map(vec![
            ("topic".into(), Value::Str(self.topic.into())),
            ("partition".into(), Value::I64(self.partition.into())),
            ("offset".into(), Value::I64(self.offset)),
            ("time".into(), moment(self.time)),
        ])
    }

    /// A message about what lay here.
    pub(super) fn at(&self, what: impl std::fmt::Display) -> String {
        format!("topic `{}`, partition {}, offset {}: {what}", self.topic, self.partition, self.offset)
    }
}

fn moment(time: Option<i64>) -> Value {
    time.map_or(Value::Null, |ms| Value::Ts { us: ms.saturating_mul(1000), offset: 0 })
}

/// Gathers refused messages as records `{ raw, topic, partition, offset, key, time }`.
#[derive(Debug)]
pub(super) struct Refusals {
    builder: BatchBuilder,
    errors: Vec<RecordError>,
}

impl Default for Refusals {
    fn default() -> Self {
        let names = ["raw", "topic", "partition", "offset", "key", "time"];
        // The names differ.
        let schema = Schema::new(names.map(|name| (name, None))).unwrap_or_default();
        Self { builder: BatchBuilder::new(Arc::new(schema)), errors: Vec::new() }
    }
}

impl Refusals {
    /// Adds a refused message: text where it is text, else bytes; at most the first 256 KiB of it.
    pub(super) fn push(
        &mut self,
        meta: Meta,
        raw: &[u8],
        place: Place<'_>,
        extra: Extra,
        error: RecordError,
    ) {
        let end = if raw.len() > KEPT {
            (KEPT - 3..=KEPT).rev().find(|end| raw[*end] & 0xc0 != 0x80).unwrap_or(KEPT)
        } else {
            raw.len()
        };
        let raw = &raw[..end];
        let raw = std::str::from_utf8(raw).map_or(Ref::Bytes(raw), Ref::Str);
        let time = moment(place.time);
        let fields = [
            ("raw", raw),
            ("topic", Ref::Str(place.topic)),
            ("partition", Ref::I64(place.partition.into())),
            ("offset", Ref::I64(place.offset)),
            ("key", extra.key.as_ref().map_or(Ref::Null, Ref::from)),
            ("time", Ref::from(&time)),
        ];
        self.builder.push_row(meta, fields).expect("a batch of refused messages is far smaller than 4 GiB");
        self.builder.set_extra(extra);
        self.errors.push(error);
    }

    /// What was gathered, if anything.
    pub(super) fn finish(&mut self) -> Option<Rejects> {
        if self.errors.is_empty() {
            return None;
        }
        Some(Rejects { batch: self.builder.finish(), errors: std::mem::take(&mut self.errors) })
    }
}
