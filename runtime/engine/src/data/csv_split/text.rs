//! The text of a field from its written form, and lines of a text.

use super::Dialect;

/// Makes the text of a field whose span [`needs_unescape`](super::FieldSpan::needs_unescape), from the field as
/// it was written: opening quote first.
pub fn unescape(written: &str, dialect: &Dialect, out: &mut impl Extend<char>) {
    walk(written.chars(), dialect, |character| out.extend(std::iter::once(character)));
}

/// Whether a field or record as written ends within quotes.
pub(super) fn is_open(record: &[u8], dialect: &Dialect) -> bool {
    let Some(quote) = dialect.quote else { return false };
    let mut at_start = true;
    let mut state = State::Plain;
    for &byte in record {
        state = match state {
            State::Plain if at_start && byte == quote => State::Quoted,
            State::Plain => State::Plain,
            State::Quoted if byte == quote => State::Closing,
            State::Quoted if dialect.escape == Some(byte) => State::Escaped,
            State::Quoted | State::Escaped => State::Quoted,
            State::Closing if byte == quote => State::Quoted,
            State::Closing => State::Plain,
        };
        at_start =
            matches!(state, State::Plain) && (byte == dialect.delimiter || matches!(byte, b'\n' | b'\r'));
    }
    matches!(state, State::Quoted | State::Escaped)
}

/// Finds the end of one record that comes in pieces, for records too long to be held in memory.
#[derive(Clone, Debug)]
pub struct EndFinder {
    dialect: Dialect,
    state: State,
    /// Whether the next byte begins a field.
    at_start: bool,
    /// Whether the line end so far is a carriage return, which may have its other half in the next piece.
    ended: bool,
}

impl EndFinder {
    /// At the start of a record.
    pub fn new(dialect: Dialect) -> EndFinder {
        EndFinder { dialect, state: State::Plain, at_start: true, ended: false }
    }

    /// Looks at the next piece: the offset behind the record's line end, if it is there. At the end of the input the
    /// record ends with it.
    pub fn find(&mut self, piece: &[u8]) -> Option<usize> {
        for (at, &byte) in piece.iter().enumerate() {
            if self.ended {
                return Some(at + usize::from(byte == b'\n'));
            }
            let plain = matches!(self.state, State::Plain | State::Closing);
            let is_quote = self.dialect.quote == Some(byte);
            match byte {
                b'\n' if plain => return Some(at + 1),
                b'\r' if plain => self.ended = true,
                _ => {}
            }
            self.state = match self.state {
                State::Plain if self.at_start && is_quote => State::Quoted,
                State::Quoted if is_quote => State::Closing,
                State::Quoted if self.dialect.escape == Some(byte) => State::Escaped,
                State::Closing if is_quote => State::Quoted,
                State::Quoted | State::Escaped => State::Quoted,
                State::Plain | State::Closing => State::Plain,
            };
            self.at_start = matches!(self.state, State::Plain) && byte == self.dialect.delimiter;
        }
        None
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    Plain,
    Quoted,
    Closing,
    Escaped,
}

fn walk(written: impl Iterator<Item = char>, dialect: &Dialect, mut put: impl FnMut(char)) {
    let is = |mark: Option<u8>, character: char| mark.is_some_and(|mark| character == char::from(mark));
    let mut state = State::Plain;
    let mut first = true;
    for character in written {
        let opening = std::mem::take(&mut first) && is(dialect.quote, character);
        state = match state {
            State::Plain if opening => State::Quoted,
            State::Quoted if is(dialect.quote, character) => State::Closing,
            State::Quoted if is(dialect.escape, character) => State::Escaped,
            State::Closing if is(dialect.quote, character) => {
                put(character);
                State::Quoted
            }
            State::Quoted | State::Escaped => {
                put(character);
                State::Quoted
            }
            State::Plain | State::Closing => {
                put(character);
                State::Plain
            }
        };
    }
}

/// Number of line ends in a text: `\n`, `\r\n`, and `\r` alone. To say on which line a record stands, count from
/// the start of the input to the record.
pub fn count_lines(text: &[u8]) -> usize {
    let feeds = memchr::memchr_iter(b'\n', text).count();
    let lone = memchr::memchr_iter(b'\r', text).filter(|at| text.get(at + 1) != Some(&b'\n')).count();
    feeds + lone
}
