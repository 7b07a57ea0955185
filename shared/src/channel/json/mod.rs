//! A JSON reader that never stops at the first slip: it reports every fault with line and column, keeps numbers digit
//! for digit (G1), sees duplicate keys, and bounds nesting (I7). What the value means is `read`'s business.
//!
//! serde_json would answer with its first error only, lets the last of two equal keys win in silence, and takes an object
//! with a certain private key for a number.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use crate::diagnostic::{Diagnostic, Place, codes};
use crate::pointer;

/// Deepest nesting of lists and objects.
const MAX_DEPTH: usize = 128;

/// Faults after which reading stops: bytes that are no JSON at all would otherwise yield one a byte.
const MAX_FAULTS: usize = 100;

/// What became of a text.
pub(crate) struct Outcome {
    /// The value, as far as the text could be followed.
    pub(crate) value: Option<Value>,
    /// Whether the text is JSON: a value read past slips is good for looking for more faults, but not for saving.
    pub(crate) sound: bool,
    /// Slips and duplicate keys.
    pub(crate) faults: Vec<Diagnostic>,
}

/// Reads a text.
pub(crate) fn read(text: &str) -> Outcome {
    let mut reader = Reader::new(text);
    let value = reader.document().ok();
    Outcome { sound: value.is_some() && !reader.broken, value, faults: reader.faults }
}

/// Line and column, both from 1, of each of the places in `pointers` that the text holds.
pub(crate) fn locate<'p>(
    text: &str,
    pointers: impl Iterator<Item = &'p str>,
) -> HashMap<String, (usize, usize)> {
    let mut reader = Reader::new(text);
    let none = (0, 0);
    reader.wanted = pointers.map(|pointer| (pointer.to_owned(), none)).collect();
    // Whatever stops the reading was reported when the text was read for its value.
    drop(reader.document());
    reader.wanted.retain(|_, place| *place != none);
    reader.wanted
}

/// Reading cannot go on; the fault is recorded.
struct Stop;

type Step<T> = Result<T, Stop>;

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    line_start: usize,
    depth: usize,
    /// Pointer of the value being read.
    path: String,
    wanted: HashMap<String, (usize, usize)>,
    broken: bool,
    faults: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            line_start: 0,
            depth: 0,
            path: String::new(),
            wanted: HashMap::new(),
            broken: false,
            faults: Vec::new(),
        }
    }

    fn document(&mut self) -> Step<Value> {
        self.space()?;
        if self.peek().is_none() {
            return Err(self.stop("the document is empty", "A document is one JSON object."));
        }
        self.found();
        let value = self.value()?;
        self.space()?;
        if self.peek().is_some() {
            self.slip(
                "there is text after the end of the document",
                "Remove it: a document is one JSON object.",
            )?;
        }
        Ok(value)
    }

    fn value(&mut self) -> Step<Value> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::list),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word(),
            Some(b'\'') => Err(self.stop("text is in single quotes", "JSON has only double quotes.")),
            Some(_) => {
                let letter = self.letter();
                Err(self.stop(format!("`{letter}` does not begin a value"), "A value is expected here."))
            }
            None => Err(self.ended()),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Step<Value>) -> Step<Value> {
        if self.depth == MAX_DEPTH {
            let place = self.here();
            let message = format!("lists and objects are nested deeper than {MAX_DEPTH}");
            self.faults.push(Diagnostic::error(codes::DOCUMENT_TOO_DEEP, place, message));
            self.broken = true;
            return Err(Stop);
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Step<Value> {
        let mut map = Map::new();
        loop {
            self.space()?;
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(map));
                }
                Some(b',') => {
                    self.slip("there is a comma without a member before it", "Remove the comma.")?;
                    self.at += 1;
                    continue;
                }
                None => return Err(self.ended()),
                Some(_) => {}
            }
            let outer = self.path.len();
            let start = self.here();
            let key = self.key()?;
            pointer::push(&mut self.path, &key);
            self.found_at(&start);
            self.space()?;
            if self.peek() == Some(b':') {
                self.at += 1;
                self.space()?;
            } else if self.peek().is_none() {
                return Err(self.ended());
            } else {
                self.slip("there is no `:` after the key", "Write `\"key\": value`.")?;
            }
            let value = self.value()?;
            if map.contains_key(&key) {
                let place = Place { pointer: self.path.clone(), ..start };
                let message = format!("`{key}` is there twice; the last one counts");
                self.faults.push(
                    Diagnostic::error(codes::DOCUMENT_DUPLICATE_KEY, place, message)
                        .help("Remove one of the two, or give it another name."),
                );
                self.bound()?;
            }
            map.insert(key, value);
            self.path.truncate(outer);
            if self.after_part(b'}')? {
                return Ok(Value::Object(map));
            }
        }
    }

    fn list(&mut self) -> Step<Value> {
        let mut items = Vec::new();
        loop {
            self.space()?;
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                Some(b',') => {
                    self.slip("there is a comma without an element before it", "Remove the comma.")?;
                    self.at += 1;
                    continue;
                }
                None => return Err(self.ended()),
                Some(_) => {}
            }
            let outer = self.path.len();
            pointer::push(&mut self.path, &items.len().to_string());
            self.found();
            items.push(self.value()?);
            self.path.truncate(outer);
            if self.after_part(b']')? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// Reads on to the next part; true when the end of the list or object was there instead.
    fn after_part(&mut self, close: u8) -> Step<bool> {
        self.space()?;
        match self.peek() {
            Some(b',') => {
                let comma = (self.at, self.here());
                self.at += 1;
                self.space()?;
                if self.peek() == Some(close) {
                    self.slip_at(comma.1, "there is a comma after the last part", "Remove the comma.")?;
                    self.at += 1;
                    return Ok(true);
                }
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            Some(b'}' | b']') => {
                let letter = self.letter();
                let help = format!("`{}` is expected here.", char::from(close));
                Err(self.stop(format!("`{letter}` closes what it did not open"), help))
            }
            Some(_) => {
                self.slip("there is no comma between two parts", "Put a comma before this.")?;
                Ok(false)
            }
            None => Err(self.ended()),
        }
    }

    fn key(&mut self) -> Step<String> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => {
                self.slip("a key is not in quotes", "Put double quotes around it.")?;
                Ok(self
                    .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-'))
                    .to_owned())
            }
            Some(b'\'') => Err(self.stop("a key is in single quotes", "JSON has only double quotes.")),
            _ => {
                let letter = self.letter();
                Err(self.stop(
                    format!("`{letter}` does not begin a key"),
                    "A key in double quotes is expected here.",
                ))
            }
        }
    }

    fn string(&mut self) -> Step<String> {
        let start = self.here();
        self.at += 1;
        let mut text = String::new();
        loop {
            let run = self.take_while(|byte| byte != b'"' && byte != b'\\' && byte >= b' ');
            text.push_str(run);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(control) => {
                    let name = char::from(control).escape_default();
                    let help = format!("Write it as `{}`.", escaped(control));
                    self.slip(format!("there is a bare control character ({name}) in a text"), help)?;
                    text.push(char::from(control));
                    self.at += 1;
                    if control == b'\n' {
                        self.newline();
                    }
                }
                None => {
                    self.broken = true;
                    self.slip_at(
                        start,
                        "the text that begins here has no end",
                        "Put a double quote at its end.",
                    )?;
                    return Err(Stop);
                }
            }
        }
    }

    fn escape(&mut self) -> Step<char> {
        let start = self.here();
        self.at += 1;
        let Some(kind) = self.peek() else { return Err(self.ended()) };
        if !kind.is_ascii() {
            self.slip_at(
                start,
                "a backslash stands before a letter it cannot escape",
                "Write `\\\\` for a backslash.",
            )?;
            return Ok('\\');
        }
        self.at += 1;
        Ok(match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => return self.unicode(start),
            other => {
                let message = format!("`\\{}` is not an escape", char::from(other).escape_default());
                self.slip_at(start, message, "Write `\\\\` for a backslash.")?;
                char::from(other)
            }
        })
    }

    fn unicode(&mut self, start: Place) -> Step<char> {
        let first = self.hex();
        let code = match first {
            Some(high @ 0xd800..=0xdbff) if self.rest().starts_with("\\u") => {
                self.at += 2;
                match self.hex() {
                    Some(low @ 0xdc00..=0xdfff) => Some(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)),
                    _ => None,
                }
            }
            other => other,
        };
        match code.and_then(char::from_u32) {
            Some(letter) => Ok(letter),
            None => {
                let message = "an escape names no Unicode character";
                self.slip_at(
                    start,
                    message,
                    "Four hexadecimal digits are expected, and surrogates in pairs.",
                )?;
                Ok(char::REPLACEMENT_CHARACTER)
            }
        }
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn number(&mut self) -> Step<Value> {
        let start = self.here();
        let digits =
            self.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_'));
        if is_number(digits) {
            // The text is the number (G1): nothing is rounded, shortened or rewritten.
            return Ok(Value::Number(Number::from_string_unchecked(digits.to_owned())));
        }
        let shown: String = digits.chars().take(40).collect();
        self.slip_at(
            start,
            format!("`{shown}` is not a number"),
            "Write it as in `-12.5e3`, or as a text in quotes.",
        )?;
        Ok(Value::Null)
    }

    fn word(&mut self) -> Step<Value> {
        let start = self.here();
        let word = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Ok(match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            other => {
                let help = match other.to_ascii_lowercase().as_str() {
                    "true" => "Write `true`.",
                    "false" => "Write `false`.",
                    "null" | "none" | "nil" | "undefined" => "Write `null`, or leave the member out.",
                    "nan" | "infinity" | "inf" => "JSON has no such number; write it as a text in quotes.",
                    _ => "A text stands in double quotes.",
                };
                let shown: String = other.chars().take(40).collect();
                self.slip_at(start, format!("`{shown}` is not JSON"), help)?;
                Value::Null
            }
        })
    }

    /// Skips white space, and comments with a fault.
    fn space(&mut self) -> Step<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    self.newline();
                }
                Some(b'/') if self.rest().starts_with("//") => {
                    self.slip("there is a comment", "JSON has none; use `description` or a note.")?;
                    self.take_while(|byte| byte != b'\n');
                }
                Some(b'/') if self.rest().starts_with("/*") => {
                    self.slip("there is a comment", "JSON has none; use `description` or a note.")?;
                    let end = self.rest().find("*/").map_or(self.text.len(), |length| self.at + length + 2);
                    while self.at < end {
                        self.at += 1;
                        if self.text.as_bytes()[self.at - 1] == b'\n' {
                            self.newline();
                        }
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn letter(&self) -> String {
        self.rest().chars().next().map(|letter| letter.escape_debug().to_string()).unwrap_or_default()
    }

    /// The bytes up to the first that fails; `accept` must take or refuse non-ASCII bytes alike.
    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'t str {
        let bytes = &self.text.as_bytes()[self.at..];
        let length = bytes.iter().position(|byte| !accept(*byte)).unwrap_or(bytes.len());
        let taken = &self.text[self.at..self.at + length];
        self.at += length;
        taken
    }

    fn newline(&mut self) {
        self.line += 1;
        self.line_start = self.at;
    }

    fn here(&self) -> Place {
        Place { line: Some(self.line), column: Some(self.at - self.line_start + 1), ..Place::default() }
    }

    fn found(&mut self) {
        if !self.wanted.is_empty() {
            let here = self.here();
            self.found_at(&here);
        }
    }

    fn found_at(&mut self, place: &Place) {
        if let (Some(wanted), Some(line), Some(column)) =
            (self.wanted.get_mut(&self.path), place.line, place.column)
        {
            *wanted = (line, column);
        }
    }

    fn slip(&mut self, message: impl Into<String>, help: impl Into<String>) -> Step<()> {
        self.slip_at(self.here(), message, help)
    }

    fn slip_at(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) -> Step<()> {
        self.broken = true;
        let place = Place { pointer: self.path.clone(), ..place };
        self.faults.push(Diagnostic::error(codes::DOCUMENT_SYNTAX, place, message).help(help));
        self.bound()
    }

    fn bound(&mut self) -> Step<()> {
        if self.faults.len() < MAX_FAULTS {
            return Ok(());
        }
        self.broken = true;
        let message = format!("reading stopped after {MAX_FAULTS} faults");
        self.faults
            .push(Diagnostic::error(codes::DOCUMENT_SYNTAX, self.here(), message).help("Is this JSON?"));
        Err(Stop)
    }

    fn stop(&mut self, message: impl Into<String>, help: impl Into<String>) -> Stop {
        match self.slip(message, help) {
            Ok(()) | Err(Stop) => Stop,
        }
    }

    fn ended(&mut self) -> Stop {
        self.stop("the text ends in the middle", "Is the file cut off?")
    }
}

fn escaped(control: u8) -> String {
    match control {
        b'\n' => "\\n".into(),
        b'\r' => "\\r".into(),
        b'\t' => "\\t".into(),
        other => format!("\\u{other:04x}"),
    }
}

/// JSON's grammar of numbers (RFC 8259, section 6).
fn is_number(text: &str) -> bool {
    fn digits(text: &str) -> Option<&str> {
        let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        (rest.len() < text.len()).then_some(rest)
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let whole = match unsigned.strip_prefix('0') {
        Some(rest) => Some(rest),
        None => digits(unsigned),
    };
    let fraction = whole.and_then(|rest| match rest.strip_prefix('.') {
        Some(part) => digits(part),
        None => Some(rest),
    });
    let exponent = fraction.and_then(|rest| match rest.strip_prefix(['e', 'E']) {
        Some(part) => digits(part.strip_prefix(['+', '-']).unwrap_or(part)),
        None => Some(rest),
    });
    exponent == Some("")
}

#[cfg(test)]
mod tests;
