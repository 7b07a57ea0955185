//! Rows of CSV: the columns, which are fixed with the first record, and fields as they can be read again.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use fairway_engine::data::csv_split::{Dialect, EndFinder, Found, Splitter, is_open, unescape};
use fairway_engine::data::text::write_text;
use fairway_engine::data::{Batch, RecordError, RecordRef, Ref, Schema};
use fairway_engine::sink::Refused;

use super::Quoting;
use crate::writing::{Ending, Format};

/// Bytes of a file of somebody else that are looked at in one step.
const STEP: usize = 256 << 10;
/// Longest header of such a file.
const LONGEST_HEADER: usize = 1 << 20;

/// How rows are written.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
    pub(super) quoting: Quoting,
    pub(super) null: String,
    pub(super) line_end: &'static [u8],
    pub(super) header: bool,
}

/// Writes rows.
#[derive(Debug)]
pub(super) struct Rows {
    layout: Layout,
    /// What the settings name; empty where the first record decides.
    wanted: Vec<String>,
    columns: Option<Vec<String>>,
    /// Where the columns lie in records of the schema last seen.
    places: Places,
    /// The text of a field that is no text.
    text: Vec<u8>,
}

#[derive(Debug, Default)]
struct Places {
    schema: Option<Arc<Schema>>,
    /// Slot of each column, where the schema has it.
    columns: Vec<Option<usize>>,
    /// Slots of fields that are no columns.
    others: Vec<usize>,
}

impl Rows {
    pub(super) fn new(layout: Layout, wanted: Vec<String>) -> Self {
        let columns = (!wanted.is_empty()).then(|| wanted.clone());
        Self { layout, wanted, columns, places: Places::default(), text: Vec::new() }
    }

    fn dialect(&self) -> Dialect {
        Dialect {
            delimiter: self.layout.delimiter,
            quote: Some(self.layout.quote),
            escape: None,
            comment: None,
        }
    }

    /// Looks the columns up in a schema, once.
    fn look_up(&mut self, schema: &Arc<Schema>) {
        if self.places.schema.as_ref().is_some_and(|known| Arc::ptr_eq(known, schema)) {
            return;
        }
        let columns = self.columns.as_deref().unwrap_or_default();
        let others =
            schema.fields().iter().filter(|field| !columns.iter().any(|name| **name == **field.name()));
        self.places = Places {
            columns: columns.iter().map(|name| schema.slot(name)).collect(),
            others: others.map(|field| field.slot()).collect(),
            schema: Some(Arc::clone(schema)),
        };
    }

    /// What is wrong with a record.
    fn fault(&self, record: &RecordRef<'_>) -> Option<RecordError> {
        if let Some(other) = self.places.others.iter().find(|slot| !record.get_slot(**slot).is_missing()) {
            let field = record.schema().fields().iter().find(|field| field.slot() == *other)?;
            let name = field.name();
            let message =
                format!("the file has no column `{name}`; `columns` or the first record fixed them");
            return Some(RecordError::in_field("csv.no_column", &**name, message));
        }
        match self.places.columns.as_slice() {
            [] => Some(RecordError::new("csv.no_fields", "a record without fields makes no row")),
            [only] if self.layout.null.is_empty() && self.value(record, *only).is_none() => {
                let message =
                    "null alone in a row is an empty line, which readers pass over; set a word for `null`";
                Some(RecordError::new("csv.empty_line", message))
            }
            _ => None,
        }
    }

    /// The value of a field; `None` for null.
    fn value<'a>(&self, record: &RecordRef<'a>, slot: Option<usize>) -> Option<Ref<'a>> {
        let value = slot.map_or(Ref::Missing, |slot| record.get_slot(slot));
        (!matches!(value, Ref::Missing | Ref::Null)).then_some(value)
    }
}

impl Layout {
    /// Whether a text would be read as something else without quotes (G3, G4).
    fn needs_quotes(&self, text: &[u8]) -> bool {
        let special =
            |byte: &u8| *byte == self.delimiter || *byte == self.quote || matches!(byte, b'\r' | b'\n');
        text.is_empty()
            || text.iter().any(special)
            || text == self.null.as_bytes()
            // At the front of a file, it would be taken for a mark.
            || text.starts_with("\u{feff}".as_bytes())
    }

    fn put(&self, text: &[u8], quoted: bool, out: &mut Vec<u8>) {
        if !quoted && !self.needs_quotes(text) {
            return out.extend_from_slice(text);
        }
        out.push(self.quote);
        let mut rest = text;
        while let Some(at) = memchr::memchr(self.quote, rest) {
            out.extend_from_slice(&rest[..=at]);
            out.push(self.quote);
            rest = &rest[at + 1..];
        }
        out.extend_from_slice(rest);
        out.push(self.quote);
    }
}

impl Format for Rows {
    fn admit(&mut self, batches: &[Batch]) -> Vec<Refused> {
        let mut refused = Vec::new();
        for (index, batch) in batches.iter().enumerate() {
            for (at, record) in batch.records().enumerate() {
                // The first record alone decides, however records are cut into groups (G9).
                if self.columns.is_none() && record.fields().next().is_some() {
                    self.columns = Some(record.fields().map(|(name, _)| name.to_owned()).collect());
                    self.places = Places::default();
                }
                self.look_up(batch.schema());
                if self.places.others.is_empty() && self.places.columns.len() > 1 {
                    break;
                }
                if let Some(error) = self.fault(&record) {
                    refused.push(Refused { batch: index, record: at, error });
                }
            }
        }
        refused
    }

    fn begin(&self, out: &mut Vec<u8>) {
        let columns = self.columns.as_deref().unwrap_or_default();
        if !self.layout.header {
            return;
        }
        for (index, name) in columns.iter().enumerate() {
            if index > 0 {
                out.push(self.layout.delimiter);
            }
            self.layout.put(name.as_bytes(), self.layout.quoting != Quoting::Needed, out);
        }
        out.extend_from_slice(self.layout.line_end);
    }

    fn write(&mut self, record: &RecordRef<'_>, out: &mut Vec<u8>) {
        self.look_up(record.schema());
        let Self { layout, places, text, .. } = self;
        for (index, slot) in places.columns.iter().enumerate() {
            if index > 0 {
                out.push(layout.delimiter);
            }
            match slot.map_or(Ref::Missing, |slot| record.get_slot(slot)) {
                Ref::Missing | Ref::Null => out.extend_from_slice(layout.null.as_bytes()),
                Ref::Str(value) => layout.put(value.as_bytes(), layout.quoting != Quoting::Needed, out),
                other => {
                    text.clear();
                    write_text(other, text);
                    layout.put(text, layout.quoting == Quoting::All, out);
                }
            }
        }
        out.extend_from_slice(layout.line_end);
    }

    /// Rows are told apart from the front: a line end may lie in quotes.
    fn ending(&mut self, file: &mut File, length: u64) -> io::Result<Ending> {
        let dialect = self.dialect();
        if self.layout.header {
            let columns = header(file, dialect)?;
            self.keep_columns(columns).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))?;
        }
        file.seek(SeekFrom::Start(0))?;
        let mut rows = io::BufReader::with_capacity(STEP, file.take(length));
        let (mut finder, mut start, mut at) = (EndFinder::new(dialect), 0, 0);
        // The beginning of a row without an end is all that is held.
        let mut last: Vec<u8> = Vec::new();
        loop {
            let piece = io::BufRead::fill_buf(&mut rows)?;
            if piece.is_empty() {
                break;
            }
            let mut from = 0;
            while let Some(end) = finder.find(&piece[from..]) {
                from += end;
                start = at + from as u64;
                last.clear();
                finder = EndFinder::new(dialect);
            }
            if last.len() + piece.len() - from > LONGEST_HEADER {
                let message = "its last row is not ended within a megabyte";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            last.extend_from_slice(&piece[from..]);
            let length = piece.len();
            at += length as u64;
            io::BufRead::consume(&mut rows, length);
        }
        Ok(match last.as_slice() {
            [] => Ending::Whole,
            [.., b'\r'] if !is_open(&last, &dialect) => Ending::Whole,
            last if is_open(last, &dialect) => Ending::Half(start),
            _ => Ending::NoLineEnd,
        })
    }

    fn goes_on_with_compressed(&self) -> bool {
        !self.layout.header || self.columns.is_some()
    }

    fn columns(&self) -> Option<&[String]> {
        self.columns.as_deref()
    }

    fn keep_columns(&mut self, columns: Vec<String>) -> Result<(), String> {
        if !self.wanted.is_empty() && self.wanted != columns {
            return Err(format!(
                "the file has the columns {}, not {}",
                listed(&columns),
                listed(&self.wanted)
            ));
        }
        (self.columns, self.places) = (Some(columns), Places::default());
        Ok(())
    }
}

/// The names in the first row of a file.
fn header(file: &mut File, dialect: Dialect) -> io::Result<Vec<String>> {
    let invalid = |message: &str| io::Error::new(io::ErrorKind::InvalidData, message.to_owned());
    file.seek(SeekFrom::Start(0))?;
    let mut front = Vec::new();
    let whole = file.take(LONGEST_HEADER as u64).read_to_end(&mut front)? < LONGEST_HEADER;
    let front = String::from_utf8_lossy(front.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&front));
    let mut spans = Vec::new();
    match Splitter::new(dialect, 0).next_record(front.as_bytes(), whole, &mut spans) {
        Found::Record { .. } => {}
        _ => return Err(invalid("its first row does not end within a megabyte")),
    }
    let name = |span: &fairway_engine::data::csv_split::FieldSpan| {
        let written = &front[span.offset as usize..(span.offset + span.len) as usize];
        let mut name = String::new();
        if span.needs_unescape {
            unescape(written, &dialect, &mut name)
        } else {
            name.push_str(written)
        }
        name
    };
    let names: Vec<String> = spans.iter().map(name).collect();
    if names.iter().enumerate().any(|(at, name)| names[..at].contains(name)) {
        return Err(invalid("a name comes twice in its header"));
    }
    Ok(names)
}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > SHOWN { " and more" } else { "" };
    format!("{}{more}", shown.join(", "))
}
