//! What the settings say about columns, what the columns of one file are called, and how a field of each is read.

use std::collections::HashSet;
use std::sync::Arc;

use fairway_engine::component::Issue;
use fairway_engine::data::cast::Cast;
use fairway_engine::data::text::write_text;
use fairway_engine::data::{Decimal, Number, Ref, parse_number, time};
use fairway_shared::types::Type;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the types of columns are found.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Columns {
    /// By a word.
    By(By),
    /// By declaration.
    Declared(Vec<Column>),
}

/// How the types of columns are found when none are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum By {
    /// From the first rows of each file.
    Infer,
    /// All columns are text.
    Text,
}

/// A declared column.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    /// Its name in the header, exactly; without a header, what it is to be called.
    #[schemars(extend("x-ui" = {"order": 1}))]
    name: String,
    /// Its type.
    #[serde(rename = "type")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    ty: Type,
    /// How dates, times or bytes are written, as in `cast_fields`; empty for the usual forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 3, "placeholder": "%d.%m.%Y"}))]
    format: Option<String>,
    /// Unquoted words that mean null; an empty word for a field with nothing in it, which alone holds unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 4}))]
    null: Option<Vec<String>>,
}

/// The settings, read.
#[derive(Debug, Clone)]
pub(super) enum Declared {
    Infer,
    /// Types of the named columns; the others are text.
    Types(Vec<(String, Reader)>),
}

impl Columns {
    pub(super) const INFER: Columns = Columns::By(By::Infer);

    pub(super) fn check(&self) -> Vec<Issue> {
        let Columns::Declared(columns) = self else { return Vec::new() };
        let mut issues = Vec::new();
        for (index, column) in columns.iter().enumerate() {
            if let Err(message) = column.reader() {
                let help = "see the formats of `cast_fields`";
                issues.push(Issue::new(format!("columns.{index}.format"), message, help));
            }
            if columns[..index].iter().any(|earlier| earlier.name == column.name) {
                let message = format!("`{}` is declared twice", column.name);
                issues.push(Issue::new(format!("columns.{index}.name"), message, "keep one of them"));
            }
        }
        issues
    }

    /// # Errors
    /// A sentence for the user when a format is none.
    pub(super) fn declared(&self) -> Result<Declared, String> {
        match self {
            Columns::By(By::Infer) => Ok(Declared::Infer),
            Columns::By(By::Text) => Ok(Declared::Types(Vec::new())),
            Columns::Declared(columns) => {
                let read = |column: &Column| Ok((column.name.clone(), column.reader()?));
                columns.iter().map(read).collect::<Result<_, String>>().map(Declared::Types)
            }
        }
    }
}

impl Column {
    fn reader(&self) -> Result<Reader, String> {
        let kind = match (self.ty, self.format.as_deref().filter(|format| !format.is_empty())) {
            (Type::String, None) => Kind::Text,
            (ty, None) => Kind::Cast(Cast::to(ty)),
            (ty, Some(format)) => Kind::Cast(Cast::with_format(ty, format)?),
        };
        let nulls = match &self.null {
            None => Nulls::Empty,
            Some(words) => Nulls::Words(words.iter().map(|word| word.as_str().into()).collect()),
        };
        Ok(Reader { kind, nulls })
    }
}

/// Names for the columns of a header: every column keeps one of its own that depends on the header alone (G12, case 004).
pub(super) fn names(header: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = header.iter().filter(|name| !name.is_empty()).cloned().collect();
    let mut seen = HashSet::new();
    let mut free = |stem: &str, from: usize| {
        let numbered = (from..).map(|number| format!("{stem}_{number}"));
        let name = numbered.filter(|name| !taken.contains(name)).take(1).next().unwrap_or_default();
        taken.insert(name.clone());
        name
    };
    let mut name = |(index, name): (usize, &String)| match name.as_str() {
        "" => free("column", index + 1),
        name if seen.insert(name.to_owned()) => name.to_owned(),
        name => free(name, 2),
    };
    header.iter().enumerate().map(&mut name).collect()
}

/// How the fields of a column are read.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    pub(super) kind: Kind,
    pub(super) nulls: Nulls,
}

/// What is null.
#[derive(Debug, Clone)]
pub(super) enum Nulls {
    /// A field with nothing in it.
    Empty,
    /// These words.
    Words(Arc<[Box<str>]>),
}

/// What a field that is not null is read as.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Text as it is.
    Text,
    /// A declared type.
    Cast(Cast),
    /// An inferred type: what would be written otherwise than it was read is refused (G2).
    Inferred(Inferred),
}

/// Types that are inferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inferred {
    Bool,
    Int64,
    Uint64,
    Decimal,
    Float64,
    Date,
    Timestamp,
}

impl Inferred {
    /// All, the narrowest first.
    pub(super) const ALL: [Inferred; 7] = [
        Inferred::Bool,
        Inferred::Int64,
        Inferred::Uint64,
        Inferred::Decimal,
        Inferred::Float64,
        Inferred::Date,
        Inferred::Timestamp,
    ];

    pub(super) fn ty(self) -> Type {
        match self {
            Inferred::Bool => Type::Bool,
            Inferred::Int64 => Type::Int64,
            Inferred::Uint64 => Type::Uint64,
            Inferred::Decimal => Type::Decimal,
            Inferred::Float64 => Type::Float64,
            Inferred::Date => Type::Date,
            Inferred::Timestamp => Type::Timestamp,
        }
    }

    /// The value of a text that would be written back as the same text, or for a float as the same number; `None` for any
    /// other.
    #[inline]
    pub(super) fn read(self, text: &str) -> Option<Ref<'_>> {
        match self {
            Inferred::Int64 => whole(text).filter(|value| matches!(value, Ref::I64(_))),
            Inferred::Decimal => decimal(text),
            Inferred::Float64 => float(text).filter(|_| is_no_label(text)),
            Inferred::Uint64 => whole(text).filter(|value| match value {
                Ref::I64(value) => *value >= 0,
                other => matches!(other, Ref::U64(_)),
            }),
            Inferred::Bool => match text {
                "true" => Some(Ref::Bool(true)),
                "false" => Some(Ref::Bool(false)),
                _ => None,
            },
            Inferred::Date => {
                let days = time::parse_date(text).ok()?;
                // With a year of four digits there is one way to write a day.
                let plain = text.len() == 10 || same(text, |out| time::write_date(days, out));
                plain.then_some(Ref::Date(days))
            }
            Inferred::Timestamp => {
                let (us, offset) = time::parse_timestamp(text).ok()?;
                same(text, |out| time::write_timestamp(us, offset, out)).then_some(Ref::Ts { us, offset })
            }
        }
    }

    /// Like [`read`](Inferred::read) once the type is settled: a moment or a float may be written in more than one way and still
    /// be the same, another number or a day may not.
    #[inline]
    pub(super) fn read_later(self, text: &str) -> Option<Ref<'_>> {
        match self {
            Inferred::Timestamp => {
                time::parse_timestamp(text).ok().map(|(us, offset)| Ref::Ts { us, offset })
            }
            Inferred::Float64 => float(text),
            other => other.read(text),
        }
    }

    /// Code and message for a value that disproves the type.
    #[cold]
    pub(super) fn refusal(self, text: &str) -> (&'static str, String) {
        let shown: String = text.chars().take(60).collect();
        let message = format!("`{shown}` is not the {} that the first rows were", self.ty());
        ("csv.not_as_inferred", message)
    }
}

/// A whole number in its plain form.
#[inline]
fn whole(text: &str) -> Option<Ref<'_>> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && text != "-0";
    match parse_number(text)? {
        Number::I64(value) if plain => Some(Ref::I64(value)),
        Number::U64(value) if plain => Some(Ref::U64(value)),
        _ => None,
    }
}

/// A decimal number in its plain form.
#[inline]
fn decimal(text: &str) -> Option<Ref<'_>> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.')) {
        return None;
    }
    match parse_number(text)? {
        // Minus zero has no digits that a decimal could keep the sign with.
        Number::Dec(value) if value.mantissa() == 0 && text.starts_with('-') => None,
        Number::Dec(value) => Some(Ref::Dec(value)),
        Number::I64(0) if text.starts_with('-') => None,
        Number::I64(value) => Some(Decimal::new(value, 0).map_or(Ref::Big(text), Ref::Dec)),
        Number::U64(_) => Some(Ref::Big(text)),
        Number::Big(digits) => (digits == text).then_some(Ref::Big(text)),
    }
}

/// Whether a number with an exponent is one for sure: `12e4` is as likely a label as long as it has neither point nor sign
/// (G2). Minus zero needs an exponent to be taken for a float.
fn is_no_label(text: &str) -> bool {
    match text.split_once(['e', 'E']) {
        Some((mantissa, power)) => mantissa.contains('.') || power.starts_with(['-', '+']),
        None => !text.starts_with('-') || text.contains(|letter: char| ('1'..='9').contains(&letter)),
    }
}

/// A number that a binary float holds without losing a digit: the shortest text of the float is the same number.
fn float(text: &str) -> Option<Ref<'_>> {
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    let mut shortest = Vec::new();
    write_text(Ref::F64(value), &mut shortest);
    (exponential(text)? == exponential(std::str::from_utf8(&shortest).ok()?)?).then_some(Ref::F64(value))
}

/// Sign, digits without zeros at either end, and the power of ten of the last one; `None` for what is no number or has
/// zeros in front.
fn exponential(text: &str) -> Option<(bool, String, i64)> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, power) = match text.split_once(['e', 'E']) {
        Some((mantissa, power)) => (mantissa, power.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digit = |byte: u8| byte.is_ascii_digit();
    let plain = !whole.is_empty() && whole.bytes().all(digit) && fraction.bytes().all(digit);
    if !plain
        || (whole.len() > 1 && whole.starts_with('0'))
        || (mantissa.contains('.') && fraction.is_empty())
    {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let power =
        power.checked_sub(fraction.len() as i64)?.checked_add((digits.len() - significant.len()) as i64)?;
    let significant = significant.trim_start_matches('0');
    Some((negative, significant.to_owned(), if significant.is_empty() { 0 } else { power }))
}

fn same(text: &str, write: impl FnOnce(&mut Vec<u8>)) -> bool {
    let mut out = Vec::with_capacity(text.len());
    write(&mut out);
    out == text.as_bytes()
}

impl Reader {
    pub(super) const TEXT: Reader = Reader { kind: Kind::Text, nulls: Nulls::Empty };

    pub(super) fn ty(&self) -> Type {
        match &self.kind {
            Kind::Text => Type::String,
            Kind::Cast(cast) => cast.ty(),
            Kind::Inferred(inferred) => inferred.ty(),
        }
    }

    /// Whether a field is null (G3).
    #[inline]
    pub(super) fn is_null(&self, text: &str, quoted: bool) -> bool {
        match &self.nulls {
            Nulls::Empty => text.is_empty() && !quoted,
            Nulls::Words(words) => {
                // In a column of another type, a quoted word cannot be meant as text.
                (!quoted || !matches!(self.kind, Kind::Text)) && words.iter().any(|word| **word == *text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case 004: no value may vanish behind another of the same name.
    #[test]
    fn names_are_stable_and_differ() {
        for (header, expected) in [
            (
                vec!["id", "sprint", "sprint", "note", "sprint"],
                vec!["id", "sprint", "sprint_2", "note", "sprint_3"],
            ),
            (vec!["id", "sprint", "sprint", "sprint_2"], vec!["id", "sprint", "sprint_3", "sprint_2"]),
            (vec!["id", "", ""], vec!["id", "column_2", "column_3"]),
            (vec!["column_2", "", "column_2"], vec!["column_2", "column_3", "column_2_2"]),
            (vec!["a", "A", " a"], vec!["a", "A", " a"]),
        ] {
            let header: Vec<String> = header.into_iter().map(str::to_owned).collect();
            assert_eq!(names(&header), expected);
        }
    }

    #[test]
    fn inferred_values_are_written_back_as_they_were() {
        use fairway_engine::data::text::to_text;
        let texts = [
            "0",
            "-0",
            "5",
            "007",
            "+5",
            "1e3",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551616",
            "0.50",
            "-0.0",
            "1.",
            ".5",
            "-1.25",
            "123456789012345678901234567890.5",
            "true",
            "TRUE",
            "1 ",
            "",
            "2024-02-29",
            "2024-2-9",
            "2024-02-30",
            "2024-01-01T00:00:00Z",
            "2024-01-01 00:00:00",
            "x",
        ];
        for text in texts {
            for inferred in Inferred::ALL {
                match inferred.read(text) {
                    Some(Ref::F64(value)) => assert_eq!(value, text.parse::<f64>().unwrap(), "{text}"),
                    Some(value) => assert_eq!(to_text(value), text, "{inferred:?}"),
                    None => {}
                }
            }
        }
        let first = |text: &str| Inferred::ALL.into_iter().find(|inferred| inferred.read(text).is_some());
        for (text, expected) in [
            ("0", Some(Inferred::Int64)),
            ("9223372036854775808", Some(Inferred::Uint64)),
            ("18446744073709551616", Some(Inferred::Decimal)),
            ("0.50", Some(Inferred::Decimal)),
            ("true", Some(Inferred::Bool)),
            ("2024-02-29", Some(Inferred::Date)),
            ("2024-01-01T00:00:00.500000+02:00", Some(Inferred::Timestamp)),
            ("007", None),
            ("1e3", None),
            ("1.5e-07", Some(Inferred::Float64)),
            ("1E+05", Some(Inferred::Float64)),
            ("0.0e+00", Some(Inferred::Float64)),
            ("01.5e-7", None),
            ("1.e-7", None),
            ("1.00000000000000000001e-7", None),
            ("1e-999", None),
            ("inf", None),
        ] {
            assert_eq!(first(text), expected, "{text}");
        }
    }
}
