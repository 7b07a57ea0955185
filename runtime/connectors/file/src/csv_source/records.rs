//! Rows of one CSV file: the header, the types, and each row straight into cells.

use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::csv_split::{
    Dialect, EndFinder, FieldSpan, Found, Splitter, count_lines, is_open, unescape,
};
use fairway_engine::data::{BatchBuilder, Meta, RecordError, Ref, Schema};
use fairway_shared::component::Choice;
use fairway_shared::types::Type;

use super::columns::{Declared, Kind, Reader, names};
use super::infer::{Inference, ROWS};
use crate::reading::{Ask, Chunk, Format, Place, Records, Refusals, Taken, at, too_long, what_is};

/// CSV as the settings say.
pub(crate) struct Csv {
    pub(super) dialect: Dialect,
    pub(super) header: bool,
    pub(super) columns: Declared,
    /// Field that gets the name of the file.
    pub(super) file_field: Option<String>,
}

impl Format for Csv {
    type Records = Rows;

    fn begin(&self, name: &str, head: &Chunk) -> Result<Option<(Rows, usize)>, Error> {
        let bytes = head.base.as_bytes();
        let mut splitter = Splitter::new(self.dialect, 0);
        let mut spans = Vec::new();
        let (start, end) = match splitter.next_record(bytes, head.ended, &mut spans) {
            Found::Record { start, end } => (start, end),
            Found::Incomplete { .. } if !head.ended => {
                let message = format!("`{name}`: the first row does not end within a megabyte");
                let help = "check delimiter and quote, or whether this is a CSV file";
                return Err(Error::config("csv.no_first_row", message).help(help));
            }
            _ => return Ok(None),
        };
        let header: Vec<String> = if self.header {
            if let Some(damage) = head.damage_in(start..end) {
                let message = format!("the header of `{name}` is no text: {}", what_is(damage));
                return Err(
                    Error::config("csv.bad_header", message).help("set `encoding` to that of the file")
                );
            }
            spans.iter().map(|span| field_text(head.base.as_str(), span, &self.dialect)).collect()
        } else {
            vec![String::new(); spans.len()]
        };
        let first = if self.header { end } else { start };
        let (names, readers) = self.columns(name, &header, head, first)?;
        if let Some(field) = self.file_field.as_ref().filter(|field| names.contains(field)) {
            let message = format!("`{name}` has a column `{field}` of its own");
            return Err(Error::config("csv.bad_header", message).help("choose another `file_field`"));
        }
        let fields = names.iter().zip(&readers).map(|(name, reader)| (name, Some(reader.ty())));
        let fields = fields.chain(self.file_field.iter().map(|name| (name, Some(Type::String))));
        let schema =
            Schema::new(fields).map_err(|error| Error::config("csv.bad_header", error.to_string()))?;
        let rows = Rows {
            dialect: self.dialect,
            names,
            readers,
            builder: BatchBuilder::new(Arc::new(schema)),
            refusals: Refusals::default(),
            spans,
            text: String::new(),
            names_file: self.file_field.is_some(),
        };
        Ok(Some((rows, first)))
    }
}

impl Csv {
    /// Names and readers of the columns of a file.
    fn columns(
        &self,
        file: &str,
        header: &[String],
        head: &Chunk,
        first: usize,
    ) -> Result<(Vec<String>, Vec<Reader>), Error> {
        let types = match &self.columns {
            Declared::Infer => return Ok((names(header), self.infer(header.len(), head, first))),
            Declared::Types(types) => types,
        };
        if !self.header {
            // Without a header, declarations name the columns by their place.
            let mut given: Vec<String> = types.iter().map(|(name, _)| name.clone()).collect();
            given.resize(header.len().max(given.len()), String::new());
            let mut readers: Vec<Reader> = types.iter().map(|(_, reader)| reader.clone()).collect();
            readers.resize(given.len(), Reader::TEXT);
            return Ok((names(&given), readers));
        }
        let names = names(header);
        if let Some((missing, _)) = types.iter().find(|(name, _)| !names.contains(name)) {
            let message = format!("`{file}` has no column `{missing}`; it has {}", listed(&names));
            let help = "correct the name in `columns`, or leave the file out";
            return Err(Error::config("csv.column_missing", message).help(help));
        }
        let reader =
            |name: &String| types.iter().find(|(known, _)| known == name).map(|(_, reader)| reader.clone());
        let readers = names.iter().map(|name| reader(name).unwrap_or(Reader::TEXT)).collect();
        Ok((names, readers))
    }

    fn infer(&self, columns: usize, head: &Chunk, first: usize) -> Vec<Reader> {
        let mut inference = Inference::new(columns);
        let mut splitter = Splitter::new(self.dialect, first);
        let mut spans = Vec::new();
        for _ in 0..ROWS {
            let Found::Record { start, end } =
                splitter.next_record(head.base.as_bytes(), head.ended, &mut spans)
            else {
                break;
            };
            if spans.len() != columns || head.damage_in(start..end).is_some() {
                continue;
            }
            for (column, span) in spans.iter().enumerate() {
                inference.see(column, &field_text(head.base.as_str(), span, &self.dialect), span.quoted);
            }
        }
        inference.readers()
    }
}

/// The first names of a list.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn field_text(text: &str, span: &FieldSpan, dialect: &Dialect) -> String {
    let written = written(text, span);
    if !span.needs_unescape {
        return written.to_owned();
    }
    let mut out = String::new();
    unescape(written, dialect, &mut out);
    out
}

#[inline]
fn written<'t>(text: &'t str, span: &FieldSpan) -> &'t str {
    &text[span.offset as usize..(span.offset + span.len) as usize]
}

/// Reads the rows of one file.
pub(crate) struct Rows {
    dialect: Dialect,
    names: Vec<String>,
    readers: Vec<Reader>,
    builder: BatchBuilder,
    refusals: Refusals,
    spans: Vec<FieldSpan>,
    /// The text of a field that is not simply as it was written.
    text: String,
    /// Whether the last field is the name of the file.
    names_file: bool,
}

impl Records for Rows {
    fn take(&mut self, chunk: &Chunk, ask: &Ask<'_>) -> Taken {
        let bytes = chunk.base.as_bytes();
        let mut splitter = Splitter::new(self.dialect, ask.at);
        let mut spans = std::mem::take(&mut self.spans);
        self.builder.set_base(chunk.base.clone());
        // Lines up to a place, counted only as far as somebody asks.
        let mut counted = (ask.at, ask.line);
        let mut taken_up_to = ask.at;
        while self.builder.len() + self.refusals.len() < ask.limits.batch {
            let (start, end) = match splitter.next_record(bytes, ask.last, &mut spans) {
                Found::Record { start, end } => (start, end),
                // With nothing taken, blank lines before what is not whole are passed all the same.
                Found::Incomplete { start } if taken_up_to == ask.at => {
                    taken_up_to = start;
                    break;
                }
                Found::End if taken_up_to == ask.at => {
                    taken_up_to = splitter.position();
                    break;
                }
                Found::Incomplete { .. } | Found::End => break,
            };
            let row = self.builder.len() + self.refusals.len();
            let meta = Meta::new(chunk.start + end as u64, u32::try_from(row).unwrap_or(u32::MAX));
            let torn = ask.torn && taken_up_to == ask.at && row == 0;
            if let Err((code, column, message)) = self.row(chunk, ask, (start, end), &spans, meta, torn) {
                counted = (start, counted.1 + count_lines(&bytes[counted.0..start]) as u64);
                let place = Place { file: ask.file, line: counted.1 + 1, offset: chunk.start + start as u64 };
                let error = match column {
                    Some(column) => {
                        let name = &self.names[column];
                        let message = format!("column {} (`{name}`): {message}", column + 1);
                        RecordError::in_field(code, name, at(place, message))
                    }
                    None if code == TOO_LONG => too_long(place, (end - start) as u64, ask.limits, ""),
                    None => RecordError::new(code, at(place, message)),
                };
                self.refusals.push(meta, chunk.bytes(start..end), place, error);
            }
            taken_up_to = end;
        }
        self.spans = spans;
        Taken { batch: self.builder.finish(), rejects: self.refusals.finish(), end: taken_up_to }
    }

    fn end_finder(&self) -> impl FnMut(&[u8]) -> Option<usize> {
        let mut finder = EndFinder::new(self.dialect);
        move |piece| finder.find(piece)
    }

    fn without_end(&self) -> &'static str {
        "; it goes up to the end of the file, so a quote may never be closed"
    }
}

impl Rows {
    /// The columns with their types, to choose from.
    pub(super) fn choices(&self) -> Vec<Choice> {
        let choice = |(name, reader): (&String, &Reader)| Choice::new(name, reader.ty().to_string());
        self.names.iter().zip(&self.readers).map(choice).collect()
    }
}

/// Code, column and message of what is wrong with a row.
type Fault = (&'static str, Option<usize>, String);

const TOO_LONG: &str = "file.record_too_long";

impl Rows {
    /// Adds a row to the batch, or says what is wrong with it.
    #[inline]
    fn row(
        &mut self,
        chunk: &Chunk,
        ask: &Ask<'_>,
        (start, end): (usize, usize),
        spans: &[FieldSpan],
        meta: Meta,
        torn: bool,
    ) -> Result<(), Fault> {
        if let Some(fault) = self.unsound(chunk, ask, (start, end), spans, torn) {
            return Err(fault);
        }
        self.builder.begin_row(meta);
        let text = chunk.base.as_str();
        for (column, span) in spans.iter().enumerate() {
            if let Err((code, message)) = self.field(text, column, span) {
                self.builder.abort_row();
                return Err((code, Some(column), message));
            }
        }
        if self.names_file
            && let Err(full) = self.builder.push_str(spans.len(), ask.file)
        {
            self.builder.abort_row();
            return Err(("record.too_large", None, full.to_string()));
        }
        Ok(())
    }

    /// What is wrong with a row before any of its fields is looked at.
    #[inline]
    fn unsound(
        &self,
        chunk: &Chunk,
        ask: &Ask<'_>,
        (start, end): (usize, usize),
        spans: &[FieldSpan],
        torn: bool,
    ) -> Option<Fault> {
        if let Some(damage) = chunk.damage_in(start..end) {
            return Some(("csv.bad_encoding", None, what_is(damage)));
        }
        if torn {
            let message = "this goes on with a line that was taken for whole when the file ended there";
            return Some(("csv.torn_row", None, message.into()));
        }
        if end - start > ask.limits.record_bytes {
            return Some((TOO_LONG, None, String::new()));
        }
        let bytes = chunk.base.as_bytes();
        if ask.last && end == bytes.len() && is_open(&bytes[start..end], &self.dialect) {
            let (size, lines) = (end - start, count_lines(&bytes[start..end]).max(1));
            let message = format!(
                "a quote is never closed: this record takes all that is left of the file, {size} bytes in {lines} lines"
            );
            return Some(("csv.open_quote", None, message));
        }
        if spans.len() != self.readers.len() {
            let (found, expected) = (spans.len(), self.readers.len());
            let fields = if found == 1 { "field" } else { "fields" };
            return Some(("csv.ragged_row", None, format!("the row has {found} {fields}, not {expected}")));
        }
        None
    }

    /// Puts a field into the current row.
    #[inline]
    fn field(&mut self, text: &str, column: usize, span: &FieldSpan) -> Result<(), (&'static str, String)> {
        let reader = &self.readers[column];
        let mut value = written(text, span);
        if span.needs_unescape {
            self.text.clear();
            unescape(value, &self.dialect, &mut self.text);
            value = &self.text;
        }
        // Slots are the places of columns: the schema was made of them in their order.
        let full = if reader.is_null(value, span.quoted) {
            self.builder.push(column, Ref::Null)
        } else {
            match &reader.kind {
                Kind::Text if span.needs_unescape => self.builder.push_str(column, value),
                Kind::Text => {
                    self.builder.push_str_base(column, span.offset as usize, span.len as usize);
                    return Ok(());
                }
                Kind::Inferred(inferred) => match inferred.read_later(value) {
                    Some(value) => self.builder.push(column, value),
                    None => return Err(inferred.refusal(value)),
                },
                Kind::Cast(cast) => {
                    let value = cast.cast(Ref::Str(value)).map_err(|error| (error.code, error.message))?;
                    self.builder.push(column, value.as_ref())
                }
            }
        };
        full.map_err(|full| ("record.too_large", full.to_string()))
    }
}
