//! Input that is no sound record, on its way to the errors port or the dead letters: what was read, and where.

use std::sync::Arc;

use fairway_engine::data::{BatchBuilder, Meta, RecordError, Ref, Rejects, Schema};

use super::input::Damage;

/// Most bytes of a refused record that are kept.
const KEPT: usize = 256 << 10;

/// Where a record was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Name of the file.
    pub(crate) file: &'a str,
    /// Line it begins on, from 1.
    pub(crate) line: u64,
    /// Offset of its first byte in the text of the file.
    pub(crate) offset: u64,
}

/// Gathers refused input as records `{ raw, file, line, offset }`.
#[derive(Debug)]
pub(crate) struct Refusals {
    builder: BatchBuilder,
    errors: Vec<RecordError>,
}

impl Default for Refusals {
    fn default() -> Self {
        // The names differ.
        let schema =
            Schema::new(["raw", "file", "line", "offset"].map(|name| (name, None))).unwrap_or_default();
        Self { builder: BatchBuilder::new(Arc::new(schema)), errors: Vec::new() }
    }
}

impl Refusals {
    /// Adds a refused record: text where it is text, else bytes; at most its first 256 KiB.
    pub(crate) fn push(&mut self, meta: Meta, raw: &[u8], place: Place<'_>, error: RecordError) {
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let mut raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        if raw.len() > KEPT {
            let end = (KEPT - 3..=KEPT).rev().find(|end| raw[*end] & 0xc0 != 0x80).unwrap_or(KEPT);
            raw = &raw[..end];
        }
        let raw = std::str::from_utf8(raw).map_or(Ref::Bytes(raw), Ref::Str);
        let fields = [
            ("raw", raw),
            ("file", Ref::Str(place.file)),
            ("line", Ref::I64(i64::try_from(place.line).unwrap_or(i64::MAX))),
            ("offset", Ref::I64(i64::try_from(place.offset).unwrap_or(i64::MAX))),
        ];
        self.builder.push_row(meta, fields).expect("a batch of chunks of a file is far smaller than 4 GiB");
        self.errors.push(error);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// What was gathered, if anything.
    pub(crate) fn finish(&mut self) -> Option<Rejects> {
        if self.errors.is_empty() {
            return None;
        }
        Some(Rejects { batch: self.builder.finish(), errors: std::mem::take(&mut self.errors) })
    }
}

/// The message of an error with its place in the file.
pub(crate) fn at(place: Place<'_>, what: impl std::fmt::Display) -> String {
    format!("{}, line {}: {what}", place.file, place.line)
}

/// Bytes that are no text, in words.
pub(crate) fn what_is(damage: &Damage) -> String {
    let bytes: Vec<String> = damage.bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("bytes {} at offset {} are not {}", bytes.join(" "), damage.offset, damage.encoding)
}
