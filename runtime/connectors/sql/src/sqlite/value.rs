//! Values as SQLite keeps them. A column's affinity may turn text into a number or a number into text; where that would
//! change what the value says, the record is refused instead (G1, G2).

use std::sync::Arc;

use fairway_engine::data::text::write_text;
use fairway_engine::data::{Number, Ref, compare_numbers, parse_number, parse_number_lenient};
use sqlx::Arguments;
use sqlx::sqlite::SqliteArguments;

use super::table::Affinity;

/// Why a column cannot hold a value; to be completed by the name of the column.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfit(pub(super) String);

/// A value ready to be bound.
#[derive(Debug, PartialEq)]
pub(super) enum Bound {
    Null,
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    Blob(Vec<u8>),
}

impl Bound {
    pub(super) fn add_to(self, arguments: &mut SqliteArguments) {
        let added = match self {
            Self::Null => arguments.add(None::<i64>),
            Self::Int(value) => arguments.add(value),
            Self::Float(value) => arguments.add(value),
            Self::Text(text) => arguments.add(text),
            Self::Blob(bytes) => arguments.add(bytes),
        };
        added.expect("plain values are always encoded");
    }
}

/// The value as a column of this affinity is to get it. `buffer` is working memory.
pub(super) fn bind(value: Ref<'_>, affinity: Affinity, buffer: &mut Vec<u8>) -> Result<Bound, Unfit> {
    Ok(match (value, affinity) {
        (Ref::Missing | Ref::Null, _) => Bound::Null,
        (Ref::Bytes(bytes), _) => Bound::Blob(bytes.to_vec()),
        (Ref::I64(value), Affinity::Numeric | Affinity::None) => Bound::Int(value),
        (Ref::Str(text), Affinity::Text | Affinity::None) => Bound::Text(text.into()),
        (_, Affinity::Text) => text(value, buffer),
        (Ref::Bool(value), _) => Bound::Int(i64::from(value)),
        // SQLite would store null for it (G3).
        (Ref::F64(value), _) if value.is_nan() => {
            return Err(Unfit("cannot hold NaN, only a TEXT column can".into()));
        }
        (Ref::F64(value), _) => Bound::Float(value),
        (Ref::Str(text), _) => looking_like_number(text, affinity)?,
        (Ref::I64(_) | Ref::U64(_) | Ref::Dec(_) | Ref::Big(_), Affinity::Numeric | Affinity::Real) => {
            write(value, buffer);
            number(as_str(buffer), affinity)?
        }
        (Ref::Raw(json), Affinity::Numeric | Affinity::Real) => looking_like_number(json, affinity)?,
        _ => text(value, buffer),
    })
}

fn write(value: Ref<'_>, buffer: &mut Vec<u8>) {
    buffer.clear();
    write_text(value, buffer);
}

fn as_str(buffer: &[u8]) -> &str {
    // Everything that `write_text` writes is UTF-8.
    std::str::from_utf8(buffer).unwrap_or_default()
}

fn text(value: Ref<'_>, buffer: &mut Vec<u8>) -> Bound {
    write(value, buffer);
    Bound::Text(as_str(buffer).into())
}

/// Text on its way into a column of numbers. SQLite would turn all that can be read as a number into one, `007` too.
fn looking_like_number(text: &str, affinity: Affinity) -> Result<Bound, Unfit> {
    // What SQLite passes over.
    let trimmed = text.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    if parse_number_lenient(trimmed).is_none() {
        return Ok(Bound::Text(text.into()));
    }
    if parse_number(text).is_none() {
        return Err(Unfit(format!(
            "would turn the text {text:?} into a number; cast the field, or declare the column TEXT"
        )));
    }
    number(text, affinity)
}

/// A number on its way into a column of numbers: whole if it can, else the float that is written with the same digits.
fn number(text: &str, affinity: Affinity) -> Result<Bound, Unfit> {
    if let Some(Number::I64(value)) = parse_number(text)
        && affinity == Affinity::Numeric
    {
        return Ok(Bound::Int(value));
    }
    let float: f64 = text.parse().unwrap_or(f64::NAN);
    if float.is_finite()
        && compare_numbers(Ref::F64(float), Ref::Big(text)) == Some(std::cmp::Ordering::Equal)
    {
        return Ok(Bound::Float(float));
    }
    Err(Unfit(format!("would lose digits of {text}; declare the column TEXT")))
}

#[cfg(test)]
mod tests;
