//! The text form of documents: bytes to document with everything that is wrong with them (I7), and document to canonical
//! text. Reading the text is `json`, taking it apart is `read`, writing is `write`.

use serde_json::Value;

use super::{Channel, json, read, write};
use crate::connection::{Bundle, Connection};
use crate::diagnostic::{self, Diagnostic, Place, codes};

/// The most bytes of a document: three times what a thousand nodes with large settings take.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// A document of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Document {
    /// A channel.
    Channel(Channel),
    /// Named access data.
    Connection(Connection),
    /// An export of several documents.
    Bundle(Bundle),
}

/// What became of some bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The document, when the bytes are JSON of a known kind. It may have errors, and loses nothing when saved; only of two
    /// equal keys the first is gone, which is an error among the diagnostics.
    pub document: Option<Document>,
    /// All that is wrong with text and shape, errors first. What it means is `validate`'s business.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads any bytes as a document. Never panics; bounded in time and memory by [`MAX_BYTES`].
pub fn parse(bytes: &[u8]) -> Parsed {
    let mut diagnostics = Vec::new();
    let Some(text) = decode(bytes, &mut diagnostics) else {
        return Parsed { document: None, diagnostics };
    };
    let outcome = json::read(text);
    diagnostics.extend(outcome.faults);
    // A text with slips is read as far as it goes, for the sake of its other faults, but it is no document.
    let document =
        outcome.value.and_then(|value| read::document(value, "", &mut diagnostics)).filter(|_| outcome.sound);
    locate_in(text, &mut diagnostics);
    diagnostic::settle(&mut diagnostics);
    Parsed { document, diagnostics }
}

/// Adds line and column to diagnostics about a document that was read from these bytes. A place that the text does not
/// hold (a missing field) gets those of the nearest part around it.
pub fn locate(bytes: &[u8], diagnostics: &mut [Diagnostic]) {
    if let Some(text) = decode(bytes, &mut Vec::new()) {
        locate_in(text, diagnostics);
    }
}

fn locate_in(text: &str, diagnostics: &mut [Diagnostic]) {
    fn around(pointer: &str) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(pointer), |inner| inner.rfind('/').map(|end| &inner[..end]))
    }
    let open = |diagnostic: &&Diagnostic| diagnostic.place.line.is_none();
    if !diagnostics.iter().any(|diagnostic| open(&diagnostic)) {
        return;
    }
    let wanted = diagnostics.iter().filter(open).flat_map(|diagnostic| around(&diagnostic.place.pointer));
    let found = json::locate(text, wanted);
    for place in
        diagnostics.iter_mut().map(|diagnostic| &mut diagnostic.place).filter(|place| place.line.is_none())
    {
        if let Some((line, column)) = around(&place.pointer).find_map(|pointer| found.get(pointer)) {
            (place.line, place.column) = (Some(*line), Some(*column));
        }
    }
}

/// The text of the bytes, without a byte order mark.
fn decode<'b>(bytes: &'b [u8], diagnostics: &mut Vec<Diagnostic>) -> Option<&'b str> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the document has {} bytes; the most are {MAX_BYTES}", bytes.len());
        diagnostics.push(
            Diagnostic::error(codes::DOCUMENT_TOO_LARGE, Place::default(), message)
                .help("Split the channel, or move large values into files that its components read."),
        );
        return None;
    }
    let first = Place { line: Some(1), column: Some(1), ..Place::default() };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let fault = Diagnostic::error(codes::DOCUMENT_ENCODING, first, "the document is UTF-16, not UTF-8");
        diagnostics.push(fault.help("Save it as UTF-8."));
        return None;
    }
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            let message = "the document begins with a byte order mark; it is ignored";
            diagnostics.push(
                Diagnostic::warning(codes::DOCUMENT_BYTE_ORDER_MARK, first, message)
                    .help("Save it without one."),
            );
            rest
        }
        None => bytes,
    };
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let (good, rest) = bytes.split_at(error.valid_up_to());
            let line_start = good.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let place = Place {
                line: Some(good.iter().filter(|byte| **byte == b'\n').count() + 1),
                column: Some(good.len() - line_start + 1),
                ..Place::default()
            };
            let byte = rest.first().copied().unwrap_or_default();
            let message = format!("the byte 0x{byte:02x} here is not UTF-8");
            diagnostics
                .push(Diagnostic::error(codes::DOCUMENT_ENCODING, place, message).help("Save it as UTF-8."));
            None
        }
    }
}

/// Reads a JSON value as a document, with all that is wrong with its shape.
pub fn document_from_value(value: &Value) -> (Option<Document>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let document = read::document(value.clone(), "", &mut diagnostics);
    diagnostic::settle(&mut diagnostics);
    (document, diagnostics)
}

/// Reads a JSON value as a channel, with all that is wrong with its shape; nothing for a document of another kind.
pub fn from_value(value: &Value) -> (Option<Channel>, Vec<Diagnostic>) {
    match document_from_value(value) {
        (Some(Document::Channel(channel)), diagnostics) => (Some(channel), diagnostics),
        (None, diagnostics) => (None, diagnostics),
        (Some(other), mut diagnostics) => {
            let message =
                format!("a channel is expected here, but this is a {}", other.kind().to_lowercase());
            diagnostics.insert(0, Diagnostic::error(codes::DOCUMENT_KIND, Place::at("/kind"), message));
            (None, diagnostics)
        }
    }
}

/// All that is wrong with the shape of a channel that was read before: what [`from_value`] told, less what has been
/// mended since.
pub fn faults(channel: &Channel) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    read::document(to_value(channel), "", &mut diagnostics);
    diagnostic::settle(&mut diagnostics);
    diagnostics
}

/// A channel as a JSON value.
pub fn to_value(channel: &Channel) -> Value {
    write::channel(channel).to_value()
}

/// A channel as canonical text: fixed key order, two-space indent, a newline at the end.
pub fn to_text(channel: &Channel) -> String {
    write::channel(channel).pretty()
}

impl Document {
    /// `Channel`, `Connection` or `Bundle`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Channel(_) => "Channel",
            Self::Connection(_) => "Connection",
            Self::Bundle(_) => "Bundle",
        }
    }

    /// `metadata.name`; nothing for a bundle.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Channel(channel) => Some(&channel.metadata.name),
            Self::Connection(connection) => Some(connection.name()),
            Self::Bundle(_) => None,
        }
    }

    /// The document as a JSON value.
    pub fn to_value(&self) -> Value {
        write::document(self).to_value()
    }

    /// The document as canonical text.
    pub fn to_text(&self) -> String {
        write::document(self).pretty()
    }

    /// Its channels and connections, each with the JSON pointer at which it lies: itself, or the items of a bundle.
    pub fn parts(&self) -> Vec<(String, &Document)> {
        match self {
            Self::Bundle(bundle) => {
                let place = |index| format!("/items/{}", bundle.indexes.get(index).unwrap_or(&index));
                bundle.items.iter().enumerate().map(|(index, item)| (place(index), item)).collect()
            }
            single => vec![(String::new(), single)],
        }
    }
}
