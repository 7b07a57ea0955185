//! Types from the first rows of a file: only what none of them contradicts (G2).

use super::columns::{Inferred, Kind, Nulls, Reader};

/// Rows that are looked at.
pub(super) const ROWS: usize = 1000;

/// What the rows so far allow for one column.
#[derive(Debug, Clone)]
struct Candidate {
    fits: [bool; Inferred::ALL.len()],
    /// Whether any value was there at all.
    seen: bool,
    quoted: bool,
}

/// Looks at rows and settles the type of each column.
#[derive(Debug)]
pub(super) struct Inference {
    columns: Vec<Candidate>,
    /// Whether a value without quotes was seen in any column: only then do quotes say something about theirs.
    any_unquoted: bool,
}

impl Inference {
    pub(super) fn new(columns: usize) -> Self {
        let candidate = Candidate { fits: [true; Inferred::ALL.len()], seen: false, quoted: false };
        Self { columns: vec![candidate; columns], any_unquoted: false }
    }

    /// Looks at one field of a row.
    pub(super) fn see(&mut self, column: usize, text: &str, quoted: bool) {
        if text.is_empty() && !quoted {
            return;
        }
        let candidate = &mut self.columns[column];
        candidate.seen = true;
        candidate.quoted |= quoted;
        self.any_unquoted |= !quoted;
        for (fits, inferred) in candidate.fits.iter_mut().zip(Inferred::ALL) {
            *fits = *fits && inferred.read(text).is_some();
        }
    }

    /// How each column is read.
    pub(super) fn readers(&self) -> Vec<Reader> {
        let reader = |candidate: &Candidate| {
            let says_text = candidate.quoted && self.any_unquoted;
            let first = candidate.fits.iter().position(|fits| *fits).filter(|_| candidate.seen && !says_text);
            match first {
                Some(index) => Reader { kind: Kind::Inferred(Inferred::ALL[index]), nulls: Nulls::Empty },
                None => Reader::TEXT,
            }
        };
        self.columns.iter().map(reader).collect()
    }
}

#[cfg(test)]
mod tests {
    use fairway_shared::types::Type;

    use super::*;

    #[test]
    fn every_row_has_a_say() {
        for (fields, expected) in [
            (vec![("1", false), ("2", false)], Type::Int64),
            (vec![("1", false), ("2.5", false)], Type::Decimal),
            (vec![("1", false), ("01", false)], Type::String),
            (vec![("", false), ("1", false)], Type::Int64),
            (vec![("", true), ("1", false)], Type::String),
            (vec![("", false)], Type::String),
            (vec![("1", true), ("2", true)], Type::Int64),
            (vec![("1", true), ("2", false)], Type::String),
            (vec![("-1", false), ("18446744073709551615", false)], Type::Decimal),
            (vec![("true", false), ("1", false)], Type::String),
            (vec![("2", false), ("1.5e-07", false)], Type::Float64),
            (vec![("1E+05", false), ("-0.25", false)], Type::Float64),
            (vec![("2.5", false), ("12e4", false)], Type::String),
            (vec![("-0", false), ("1", false)], Type::String),
        ] {
            let mut inference = Inference::new(1);
            fields.iter().for_each(|(text, quoted)| inference.see(0, text, *quoted));
            assert_eq!(inference.readers()[0].ty(), expected, "{fields:?}");
        }
    }

    #[test]
    fn quotes_say_text_only_where_they_are_a_choice() {
        let mut inference = Inference::new(2);
        inference.see(0, "94107", true);
        inference.see(1, "5", true);
        assert_eq!(inference.readers()[0].ty(), Type::Int64);
        inference.see(0, "94108", true);
        inference.see(1, "6", false);
        assert_eq!(inference.readers()[0].ty(), Type::String);
    }
}
