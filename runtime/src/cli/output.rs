//! What commands print: text for people, JSON for scripts.

use std::io::{self, Write};

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
            Self::Json => print(&json(serde_json::to_string_pretty(answer))),
            Self::Text => print(&text(answer)),
        }
    }
}

/// Prints an object on one line of JSON.
pub(super) fn line(object: &impl Serialize) {
    print(&json(serde_json::to_string(object)));
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

/// Rows under headings, in columns as wide as they must be.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
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
    for row in rows {
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
    fn numbers_are_readable() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), expected);
        }
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "running".to_owned()], vec!["größer".to_owned(), "x".to_owned()]];
        assert_eq!(table(&["NAME", "STATE"], &rows), "NAME    STATE\na       running\ngrößer  x\n");
    }
}
