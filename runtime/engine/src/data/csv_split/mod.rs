//! Cutting CSV text into records and fields, without copying any of it.
//!
//! What ends a record is found by parsing, so newlines in quotes never split one and a record that is only half
//! there is never taken for a whole one (G4). The language is that of the `csv` crate in its flexible mode, and
//! tests hold it to that; what no reader of CSV may lose is kept besides: whether a field was quoted, so that
//! `""` is an empty text and nothing at all can be null (G3).
//!
//! Headers, column counts, nulls and types are the business of the CSV source. A byte order mark is the first
//! field's text unless the caller starts behind it.

mod scan;
mod text;

pub use text::{EndFinder, count_lines, unescape};

use scan::{Marks, Specials};

/// How a CSV text is written. All marks are single ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between fields.
    pub delimiter: u8,
    /// Around fields; a quote within is doubled. `None`: quotes mean nothing.
    pub quote: Option<u8>,
    /// Before a quote within a quoted field, beside doubling.
    pub escape: Option<u8>,
    /// At the start of a line that is no record.
    pub comment: Option<u8>,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect { delimiter: b',', quote: Some(b'"'), escape: None, comment: None }
    }
}

/// Where a field lies, counted from the start of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpan {
    /// First byte: behind the opening quote, unless `needs_unescape`.
    pub offset: u32,
    /// Number of bytes: up to the closing quote, unless `needs_unescape`.
    pub len: u32,
    /// Whether the field began with a quote.
    pub quoted: bool,
    /// Whether the text is not simply what lies in the span: the span then holds the field as it was written,
    /// quotes and all, and [`unescape`] makes the text.
    pub needs_unescape: bool,
}

/// What [`Splitter::next_record`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A record; its fields were put out.
    Record {
        /// First byte of the record, behind blank lines and comments.
        start: usize,
        /// First byte behind the record and its line end.
        end: usize,
    },
    /// The buffer ends within a record, or it cannot be known whether it does: read on from `start` with more bytes.
    Incomplete {
        /// First byte of what is not yet a record.
        start: usize,
    },
    /// Nothing is left.
    End,
}

/// Cuts one buffer into records, from front to back.
///
/// The buffer is given anew with every call, and must be the same; make another splitter for the next buffer.
#[derive(Clone, Debug)]
pub struct Splitter {
    marks: Marks,
    dialect: Dialect,
    specials: Specials,
    at: usize,
}

impl Splitter {
    /// A splitter for a buffer, beginning at an offset.
    pub fn new(dialect: Dialect, start: usize) -> Splitter {
        Splitter { marks: Marks::new(&dialect), dialect, specials: Specials::new(start), at: start }
    }

    /// Where the next record or blank line begins.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Finds the next record and puts its fields into `fields`, which is emptied first. Lines with nothing on
    /// them are passed over, as are comments.
    ///
    /// With `eof`, the end of the buffer ends a record; an open quote is then closed by it, as in the `csv`
    /// crate, and seen by [`is_open`].
    ///
    /// # Panics
    /// With a buffer of more than 4 GiB.
    pub fn next_record(&mut self, buffer: &[u8], eof: bool, fields: &mut Vec<FieldSpan>) -> Found {
        assert!(u32::try_from(buffer.len()).is_ok(), "a buffer is at most 4 GiB");
        fields.clear();
        let Some(start) = self.skip_blank(buffer, eof) else {
            return if eof || self.at >= buffer.len() {
                Found::End
            } else {
                Found::Incomplete { start: self.at }
            };
        };
        let mut field = start;
        loop {
            let end = if self.dialect.quote.is_some_and(|quote| buffer.get(field) == Some(&quote)) {
                self.quoted_field(buffer, field, eof, fields)
            } else {
                self.plain_field(buffer, field, eof, fields)
            };
            let Some(end) = end else {
                self.specials.rewind(start);
                return Found::Incomplete { start };
            };
            match buffer.get(end) {
                Some(byte) if *byte == self.dialect.delimiter => field = end + 1,
                Some(_) => {
                    self.at = end + 1;
                    if buffer[end] == b'\r' {
                        match buffer.get(end + 1) {
                            Some(b'\n') => {
                                self.specials.skip(buffer, &self.marks, end + 1);
                                self.at = end + 2;
                            }
                            Some(_) => {}
                            // The other half of the line end may be still to come; taking it for a blank line
                            // afterwards would do no harm, but `end` must not differ with how bytes arrive.
                            None if !eof => {
                                self.specials.rewind(start);
                                return Found::Incomplete { start };
                            }
                            None => {}
                        }
                    }
                    return Found::Record { start, end: self.at };
                }
                None => {
                    self.at = end;
                    return Found::Record { start, end };
                }
            }
        }
    }

    /// Passes blank lines and comments: the start of the next record, `None` at the end of the buffer.
    fn skip_blank(&mut self, buffer: &[u8], eof: bool) -> Option<usize> {
        loop {
            match buffer.get(self.at)? {
                // Its other half may be still to come, and both are one line to whoever counts them.
                b'\r' if !eof && self.at + 1 == buffer.len() => return None,
                b'\r' | b'\n' => {
                    self.specials.skip(buffer, &self.marks, self.at);
                    self.at += 1;
                }
                byte if self.dialect.comment == Some(*byte) => {
                    let rest = &buffer[self.at..];
                    let end = memchr::memchr(b'\n', rest).map(|len| self.at + len + 1);
                    match end {
                        Some(end) => self.at = end,
                        None if eof => self.at = buffer.len(),
                        None => return None,
                    }
                    self.specials.rewind(self.at);
                }
                _ => return Some(self.at),
            }
        }
    }

    /// Reads a field that began without a quote: the place of the mark that ends it, `None` if it is not there.
    #[inline]
    fn plain_field(
        &mut self,
        buffer: &[u8],
        start: usize,
        eof: bool,
        fields: &mut Vec<FieldSpan>,
    ) -> Option<usize> {
        let end = self.field_end(buffer, eof)?;
        fields.push(span(start, end, false, false));
        Some(end)
    }

    /// The next delimiter or line end; quotes mean nothing here.
    #[inline]
    fn field_end(&mut self, buffer: &[u8], eof: bool) -> Option<usize> {
        loop {
            let Some(at) = self.specials.next(buffer, &self.marks) else {
                return eof.then_some(buffer.len());
            };
            let byte = buffer[at];
            if byte == self.dialect.delimiter || byte == b'\n' || byte == b'\r' {
                return Some(at);
            }
        }
    }

    /// Reads a field that began with a quote at `start`.
    fn quoted_field(
        &mut self,
        buffer: &[u8],
        start: usize,
        eof: bool,
        fields: &mut Vec<FieldSpan>,
    ) -> Option<usize> {
        let quote = self.dialect.quote?;
        self.specials.skip(buffer, &self.marks, start);
        let mut needs_unescape = false;
        loop {
            let Some(at) = self.specials.next(buffer, &self.marks) else {
                // The end of input closes the quote.
                if !eof {
                    return None;
                }
                let end = buffer.len();
                fields.push(if needs_unescape {
                    span(start, end, true, true)
                } else {
                    span(start + 1, end, true, false)
                });
                return Some(end);
            };
            if buffer[at] != quote {
                if self.dialect.escape == Some(buffer[at]) {
                    needs_unescape = true;
                    self.specials.skip(buffer, &self.marks, at + 1);
                    if at + 1 >= buffer.len() && !eof {
                        return None;
                    }
                }
                continue;
            }
            match buffer.get(at + 1) {
                Some(next) if *next == quote => {
                    needs_unescape = true;
                    self.specials.skip(buffer, &self.marks, at + 1);
                }
                Some(next) if *next == self.dialect.delimiter || matches!(next, b'\n' | b'\r') => {
                    self.specials.skip(buffer, &self.marks, at + 1);
                    fields.push(if needs_unescape {
                        span(start, at + 1, true, true)
                    } else {
                        span(start + 1, at, true, false)
                    });
                    return Some(at + 1);
                }
                Some(_) => {
                    // Text behind the closing quote belongs to the field, and quotes in it mean nothing.
                    let end = self.field_end(buffer, eof)?;
                    fields.push(span(start, end, true, true));
                    return Some(end);
                }
                None if eof => {
                    fields.push(if needs_unescape {
                        span(start, at + 1, true, true)
                    } else {
                        span(start + 1, at, true, false)
                    });
                    return Some(at + 1);
                }
                None => return None,
            }
        }
    }
}

/// Whether a record as it was written ends within quotes: at the end of an input, it was cut off.
pub fn is_open(record: &[u8], dialect: &Dialect) -> bool {
    text::is_open(record, dialect)
}

#[inline]
fn span(start: usize, end: usize, quoted: bool, needs_unescape: bool) -> FieldSpan {
    // Buffers are at most 4 GiB, as `next_record` demands.
    FieldSpan { offset: start as u32, len: (end - start) as u32, quoted, needs_unescape }
}

#[cfg(test)]
mod tests;
