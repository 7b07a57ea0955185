//! Lines of JSON, each straight into cells.

use std::ops::Range;

use fairway_engine::Error;
use fairway_engine::data::csv_split::count_lines;
use fairway_engine::data::json_read::{JsonReader, ReadError};
use fairway_engine::data::{BatchBuilder, Meta, RecordError};

use crate::reading::{Ask, Chunk, Format, Place, Records, Refusals, Taken, at, too_long, what_is};

/// JSON lines as the settings say.
pub(crate) struct JsonLines {
    /// Field that gets the name of the file.
    pub(super) file_field: Option<String>,
}

impl Format for JsonLines {
    type Records = Lines;

    fn begin(&self, _name: &str, head: &Chunk) -> Result<Option<(Lines, usize)>, Error> {
        let lines = || Lines { file_field: self.file_field.clone(), ..Lines::default() };
        Ok((!head.base.is_empty()).then(|| (lines(), 0)))
    }
}

/// Reads the lines of one file.
#[derive(Default)]
pub(crate) struct Lines {
    reader: JsonReader,
    builder: BatchBuilder,
    refusals: Refusals,
    file_field: Option<String>,
}

/// What a line is.
enum Line {
    /// Nothing but space.
    Blank,
    Record,
    /// The batch has no room for it.
    Full,
}

impl Records for Lines {
    fn take(&mut self, chunk: &Chunk, ask: &Ask<'_>) -> Taken {
        let bytes = chunk.base.as_bytes();
        self.builder.set_base(chunk.base.clone());
        // Blank lines are passed with what follows, or alone where nothing else was taken.
        let (mut next, mut taken_up_to) = (ask.at, ask.at);
        // Lines up to a place, counted only as far as somebody asks.
        let mut counted = (ask.at, ask.line);
        while self.rows() < ask.limits.batch && next < bytes.len() {
            let start = next;
            let end = match memchr::memchr(b'\n', &bytes[start..]) {
                Some(length) => start + length + 1,
                None if ask.last => bytes.len(),
                None => break,
            };
            let torn = ask.torn && start == ask.at;
            match self.line(chunk, ask, start..end, torn) {
                Ok(Line::Record) => {}
                Ok(Line::Full) => break,
                Ok(Line::Blank) => {
                    next = end;
                    if self.rows() == 0 {
                        taken_up_to = end;
                    }
                    continue;
                }
                Err((code, message)) => {
                    counted = (start, counted.1 + count_lines(&bytes[counted.0..start]) as u64);
                    let place =
                        Place { file: ask.file, line: counted.1 + 1, offset: chunk.start + start as u64 };
                    let error = match code {
                        TOO_LONG => too_long(place, (end - start) as u64, ask.limits, ""),
                        code => RecordError::new(code, at(place, message)),
                    };
                    let meta = self.meta(chunk, end);
                    self.refusals.push(meta, chunk.bytes(start..end), place, error);
                }
            }
            (next, taken_up_to) = (end, end);
        }
        Taken { batch: self.builder.finish(), rejects: self.refusals.finish(), end: taken_up_to }
    }

    fn end_finder(&self) -> impl FnMut(&[u8]) -> Option<usize> {
        |piece| memchr::memchr(b'\n', piece).map(|at| at + 1)
    }

    fn without_end(&self) -> &'static str {
        "; it goes up to the end of the file"
    }
}

/// Code and message of what is wrong with a line.
type Fault = (&'static str, String);

const TOO_LONG: &str = "file.record_too_long";

impl Lines {
    fn rows(&self) -> usize {
        self.builder.len() + self.refusals.len()
    }

    fn meta(&self, chunk: &Chunk, end: usize) -> Meta {
        Meta::new(chunk.start + end as u64, u32::try_from(self.rows()).unwrap_or(u32::MAX))
    }

    /// Adds a line to the batch, or says what is wrong with it.
    #[inline]
    fn line(&mut self, chunk: &Chunk, ask: &Ask<'_>, part: Range<usize>, torn: bool) -> Result<Line, Fault> {
        if let Some(damage) = chunk.damage_in(part.clone()) {
            return Err(("jsonl.bad_encoding", what_is(damage)));
        }
        if torn {
            let message = "this goes on with a line that was taken for whole when the file ended there";
            return Err(("jsonl.torn_line", message.into()));
        }
        if part.len() > ask.limits.record_bytes {
            return Err((TOO_LONG, String::new()));
        }
        let meta = self.meta(chunk, part.end);
        match self.reader.read_row(&mut self.builder, part.start, part.len(), meta) {
            Ok(()) => self.name_file(ask.file),
            Err(ReadError::Full(_)) if !self.builder.is_empty() => Ok(Line::Full),
            Err(ReadError::Full(full)) => Err(("record.too_large", full.to_string())),
            Err(ReadError::Json(error)) => {
                let text = &chunk.base.as_str()[part.clone()];
                if text.bytes().all(|byte| byte.is_ascii_whitespace()) {
                    return Ok(Line::Blank);
                }
                let object = text.trim_ascii_start().starts_with('{');
                if !object && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
                    return Err((
                        "jsonl.not_an_object",
                        format!("the line is {}, not an object", kind(text)),
                    ));
                }
                let byte = error.at.saturating_sub(part.start) + 1;
                Err(("jsonl.bad_line", format!("the line is no JSON: {} at byte {byte}", error.reason)))
            }
        }
    }
}

impl Lines {
    /// Adds the name of the file to the row just read, where it is asked for.
    #[inline]
    fn name_file(&mut self, file: &str) -> Result<Line, Fault> {
        let Some(name) = &self.file_field else { return Ok(Line::Record) };
        let slot = self.builder.field(name);
        if self.builder.is_set(slot) {
            self.builder.abort_row();
            let message =
                format!("the line has a field `{name}` of its own, which `file_field` would replace");
            return Err(("jsonl.field_taken", message));
        }
        match self.builder.push_str(slot, file) {
            Ok(()) => Ok(Line::Record),
            Err(full) => {
                self.builder.abort_row();
                if self.builder.is_empty() {
                    Err(("record.too_large", full.to_string()))
                } else {
                    Ok(Line::Full)
                }
            }
        }
    }
}

/// What a JSON text that is no object is.
fn kind(text: &str) -> &'static str {
    match text.trim_start().as_bytes().first() {
        Some(b'[') => "a list",
        Some(b'"') => "a text",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ => "a number",
    }
}
