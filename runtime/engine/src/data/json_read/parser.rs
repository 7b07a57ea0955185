//! The grammar: one token after the other.

use std::borrow::Cow;
use std::fmt;

use super::super::number::{Number, parse_number, short_prefix};
use super::super::swar::first_special;
use super::escape;

/// Levels of lists and objects within each other, as in `serde_json`.
const DEEPEST: u8 = 127;

/// Text that is not JSON, or not what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Offset in bytes from the start of the text (or of the base it lies in).
    pub at: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.at)
    }
}

impl std::error::Error for JsonError {}

/// A text between quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoted<'t> {
    /// Offset of the first byte behind the opening quote.
    pub(super) start: usize,
    /// The text as written.
    pub(super) written: &'t str,
    /// Whether it has escapes; they are checked.
    pub(super) escaped: bool,
}

impl<'t> Quoted<'t> {
    pub(super) fn text(self) -> Cow<'t, str> {
        if !self.escaped {
            return Cow::Borrowed(self.written);
        }
        let mut text = String::with_capacity(self.written.len());
        escape::unescape(self.written, &mut text);
        Cow::Owned(text)
    }
}

/// What a value begins with. Words are passed, lists and objects are entered; of a text ([`Parser::quoted`]) and a
/// number ([`Parser::number`]) nothing is taken yet.
pub(super) enum Begin {
    Null,
    Bool(bool),
    Number,
    Text,
    List,
    Object,
}

pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: u8,
    /// Whether what was read since [`Parser::mark`] is written just as [`json_write`](super::super::json_write)
    /// would write it.
    verbatim: bool,
}

impl<'t> Parser<'t> {
    /// A parser of `text` from an offset on.
    pub(super) fn new(text: &'t str, at: usize) -> Parser<'t> {
        Parser { text, at, depth: 0, verbatim: true }
    }

    /// Has just entered a list or an object: where it began, and whether what came before it was written as the writer
    /// would. Ends with [`Parser::written`].
    #[inline]
    pub(super) fn mark(&mut self) -> (usize, bool) {
        (self.at - 1, std::mem::replace(&mut self.verbatim, true))
    }

    /// The offset and length of what was read since a mark, if it is written just as the writer would write it.
    #[inline]
    pub(super) fn written(&mut self, (start, before): (usize, bool)) -> Option<(usize, usize)> {
        let written = self.verbatim.then_some((start, self.at - start));
        self.verbatim &= before;
        written
    }

    /// What was read is not what stands there.
    pub(super) fn differs(&mut self) {
        self.verbatim = false;
    }

    /// All of the text.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    fn error<T>(&self, reason: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at: self.at.min(self.text.len()), reason })
    }

    #[inline]
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
            self.verbatim = false;
        }
        None
    }

    fn enter(&mut self) -> Result<(), JsonError> {
        if self.depth == DEEPEST {
            return self.error("nested more than 127 levels deep");
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// Nothing but white space may be left.
    pub(super) fn end(&mut self) -> Result<(), JsonError> {
        if self.peek().is_some() { self.error("text behind the end of the value") } else { Ok(()) }
    }

    /// The opening brace of an object.
    pub(super) fn open_object(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            Some(b'{') => self.enter(),
            Some(_) => self.error("an object was expected"),
            None => self.error("the text ends where an object was expected"),
        }
    }

    /// Takes the next name in an object and its colon if they are written exactly so; else nothing is taken.
    #[inline]
    pub(super) fn take_key(&mut self, first: bool, key: &[u8]) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let rest = match rest {
            [b',', rest @ ..] if !first => rest,
            _ if first => rest,
            _ => return false,
        };
        let found = rest.starts_with(key);
        if found {
            self.at += usize::from(!first) + key.len();
        }
        found
    }

    /// The next name in an object and its colon; `None` at the end of the object.
    #[inline]
    pub(super) fn next_name(&mut self, first: bool) -> Result<Option<Cow<'t, str>>, JsonError> {
        Ok(self.next_key(first)?.map(Quoted::text))
    }

    /// The next name in an object and its colon, as written; `None` at the end of the object.
    #[inline(always)]
    pub(super) fn next_key(&mut self, first: bool) -> Result<Option<Quoted<'t>>, JsonError> {
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                self.depth -= 1;
                return Ok(None);
            }
            Some(b',') if !first => {
                self.at += 1;
                if self.peek() != Some(b'"') {
                    return self.error("a name was expected");
                }
            }
            Some(b'"') if first => {}
            Some(_) if first => return self.error("a name or `}` was expected"),
            Some(_) => return self.error("`,` or `}` was expected"),
            None => return self.error("the text ends within an object"),
        }
        let name = self.quoted()?;
        if self.peek() != Some(b':') {
            return self.error("`:` was expected");
        }
        self.at += 1;
        Ok(Some(name))
    }

    /// Whether another item follows in a list; its comma is passed.
    #[inline]
    pub(super) fn next_item(&mut self, first: bool) -> Result<bool, JsonError> {
        match self.peek() {
            Some(b']') => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if first => Ok(true),
            Some(_) => self.error("`,` or `]` was expected"),
            None => self.error("the text ends within a list"),
        }
    }

    /// What the value here begins with.
    #[inline(always)]
    pub(super) fn begin(&mut self) -> Result<Begin, JsonError> {
        match self.peek() {
            Some(b'"') => Ok(Begin::Text),
            Some(b'-' | b'0'..=b'9') => Ok(Begin::Number),
            Some(b'{') => self.enter().map(|()| Begin::Object),
            Some(b'[') => self.enter().map(|()| Begin::List),
            Some(b'n') => self.word("null", Begin::Null),
            Some(b't') => self.word("true", Begin::Bool(true)),
            Some(b'f') => self.word("false", Begin::Bool(false)),
            Some(_) => self.error("a value was expected"),
            None => self.error("the text ends where a value was expected"),
        }
    }

    fn word(&mut self, word: &str, begin: Begin) -> Result<Begin, JsonError> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(begin)
        } else {
            self.error("a value was expected")
        }
    }

    /// A number from its first byte on.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Result<Number<'t>, JsonError> {
        let bytes = &self.text.as_bytes()[self.at..];
        match short_prefix(bytes) {
            Some((number, len)) => {
                self.at += len;
                // The sign of a zero is not kept.
                self.verbatim &= bytes[0] != b'-' || !number.is_zero();
                Ok(number)
            }
            None => self.long_number(),
        }
    }

    #[cold]
    fn long_number(&mut self) -> Result<Number<'t>, JsonError> {
        self.verbatim = false;
        let bytes = &self.text.as_bytes()[self.at..];
        let in_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let len = bytes.iter().take_while(in_number).count();
        // All ASCII, so this cuts no character.
        match parse_number(&self.text[self.at..self.at + len]) {
            Some(number) => {
                self.at += len;
                Ok(number)
            }
            None => self.error("not a number"),
        }
    }

    /// A text from its opening quote on.
    #[inline]
    pub(super) fn quoted(&mut self) -> Result<Quoted<'t>, JsonError> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut escaped = false;
        let mut at = start;
        loop {
            at = first_special(bytes, at);
            self.at = at;
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Quoted { start, written: &self.text[start..at], escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.verbatim = false;
                    match escape::length(&bytes[at..]) {
                        Some(len) => at += len,
                        None => return self.error("not an escape sequence"),
                    }
                }
                Some(_) => return self.error("a control character within a text"),
                None => return self.error("the text ends within quotes"),
            }
        }
    }
}

/// What [`scan_value`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// A value from its first byte up to `end`, if it is one: only brackets and quotes were looked at.
    Value {
        /// First byte.
        start: usize,
        /// First byte behind.
        end: usize,
    },
    /// A `,`, `:`, `]` or `}` where a value would begin.
    Mark {
        /// Which.
        mark: u8,
        /// Its place.
        at: usize,
    },
    /// The buffer ends before the value does.
    Incomplete {
        /// First byte of the value.
        start: usize,
    },
    /// Nothing but white space.
    End,
}

/// Finds where the value that begins at or behind `from` ends, without checking it: for cutting documents that
/// follow each other, or the items of a long list, out of a buffer that is still growing. With `eof`, a number or
/// word may end with the buffer.
pub fn scan_value(buffer: &[u8], from: usize, eof: bool) -> Scan {
    let white = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    let Some(start) = (from..buffer.len()).find(|at| !white(&buffer[*at])) else { return Scan::End };
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(byte) = buffer.get(at) {
        match byte {
            b'"' => {
                at += 1;
                loop {
                    let Some(found) = memchr::memchr2(b'"', b'\\', buffer.get(at..).unwrap_or_default())
                    else {
                        return Scan::Incomplete { start };
                    };
                    at += found + 1;
                    if buffer[at - 1] == b'"' {
                        break;
                    }
                    at += 1;
                }
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b'}' | b']' | b',' | b':' if depth == 0 => return Scan::Mark { mark: *byte, at },
            _ if depth > 0 => {
                at += 1;
                continue;
            }
            _ => {
                let ends =
                    |byte: &u8| white(byte) || matches!(byte, b',' | b':' | b'"' | b'{' | b'}' | b'[' | b']');
                match buffer[at..].iter().position(ends) {
                    Some(len) => at += len,
                    None if eof => at = buffer.len(),
                    None => return Scan::Incomplete { start },
                }
            }
        }
        if depth == 0 {
            return Scan::Value { start, end: at };
        }
    }
    Scan::Incomplete { start }
}
