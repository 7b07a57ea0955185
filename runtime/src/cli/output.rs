//! What commands print: text for people, JSON for scripts.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// Shape of standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum Format {
    /// For people.
    #[default]
    Text,
    /// For scripts.
    Json,
}

impl Format {
    /// Prints an answer: as indented JSON, or as the text that `text` makes of it.
    pub(super) fn print<T: Serialize>(self, answer: &T, text: impl FnOnce(&T) -> String) {
        match self {
            Self::Json => print(&clean_json(&json(serde_json::to_string_pretty(answer)))),
            Self::Text => print(&clean(&text(answer))),
        }
    }
}

/// Prints an object on one line of JSON.
pub(super) fn line(object: &impl Serialize) {
    print(&clean_json(&json(serde_json::to_string(object))));
}

/// Prints a document: to a terminal without what would lead it astray, to anything else byte for byte.
pub(super) fn document(text: &str) {
    if io::stdout().is_terminal() { print(&clean_json(text)) } else { print(text) }
}

/// Says something to a person, on standard error.
pub(super) fn say(text: &str) {
    eprintln!("{}", clean(text));
}

/// Text that shows what it holds: characters that would move a terminal's cursor, colour it, or turn its direction of writing are
/// written out, so that a name or a record never passes for something else.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    written_out(text, |letter| format!("\\u{{{:x}}}", u32::from(letter)))
}

/// The same for JSON, which means the same afterwards: such characters stand in texts only.
fn clean_json(text: &str) -> Cow<'_, str> {
    written_out(text, |letter| format!("\\u{:04x}", u32::from(letter)))
}

fn written_out(text: &str, write: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(misleads) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if misleads(letter) { out.push_str(&write(letter)) } else { out.push(letter) }
    }
    Cow::Owned(out)
}

/// Control characters but newline and tab, and the marks, embeddings, overrides and isolates of bidirectional text.
fn misleads(letter: char) -> bool {
    (letter.is_control() && letter != '\n' && letter != '\t')
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Prints text on lines of its own. Whoever reads may have gone: that is no failure.
pub(super) fn print(text: &str) {
    if !text.is_empty() {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let mut out = io::stdout().lock();
        write!(out, "{text}{newline}").and_then(|()| out.flush()).unwrap_or_default();
    }
}

fn json(written: serde_json::Result<String>) -> String {
    written.expect("answers have text for keys and nothing that cannot be written")
}

/// A number with its thousands apart.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Rows under headings, in columns as wide as they must be. A cell is one line: a name cannot make up rows of its own.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let one_line = |cell: &String| cell.replace('\n', "\\n").replace('\t', "\\t");
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| clean(&one_line(cell)).into_owned()).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let mut text = line(headings.to_vec());
    for row in &rows {
        text.push_str(&line(row.iter().map(String::as_str).collect()));
    }
    text
}

/// The word by which JSON knows a unit variant.
pub(super) fn word(variant: &impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_mislead_is_written_out() {
        for (text, expected) in [
            ("plain ü\n\tnext", "plain ü\n\tnext"),
            ("a\u{202e}fdp.exe", "a\\u{202e}fdp.exe"),
            ("\u{1b}[2J\r\u{7f}\u{9b}", "\\u{1b}[2J\\u{d}\\u{7f}\\u{9b}"),
        ] {
            assert_eq!(clean(text), expected);
        }
        let json = serde_json::to_string("a\u{202e}b\u{9b}").unwrap_or_default();
        assert_eq!(clean_json(&json), "\"a\\u202eb\\u009b\"");
        assert_eq!(
            serde_json::from_str::<String>(&clean_json(&json)).ok().as_deref(),
            Some("a\u{202e}b\u{9b}")
        );
    }

    #[test]
    fn numbers_are_readable() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), expected);
        }
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "running".to_owned()], vec!["größer".to_owned(), "x".to_owned()]];
        assert_eq!(table(&["NAME", "STATE"], &rows), "NAME    STATE\na       running\ngrößer  x\n");
        let sly = [vec!["a\nb  running\u{202e}".to_owned(), "x".to_owned()]];
        let text = table(&["NAME", "STATE"], &sly);
        assert_eq!(text.lines().nth(1), Some("a\\nb  running\\u{202e}  x"), "{text}");
    }
}
