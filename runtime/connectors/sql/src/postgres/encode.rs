//! Values as COPY's text format has them (<https://www.postgresql.org/docs/current/sql-copy.html>), straight from a batch.
//!
//! The server reads the text by the rules of the column's type. Some of these rules change a value silently (a numeric's
//! scale, a zone that is dropped, `today`, `03/04/05`): what they would meet is refused here, or written so that they do
//! not apply (G1, G2).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fairway_engine::data::json_write::write_value;
use fairway_engine::data::text::write_text;
use fairway_engine::data::{Decimal, ListRef, Number, Ref, compare_numbers, parse_number};

use super::kind::Kind;
use super::moment;

/// Why a column cannot hold a value: a code, and words to be completed by the name of the column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unfit {
    pub(super) code: &'static str,
    pub(super) what: String,
}

impl Unfit {
    pub(super) fn new(code: &'static str, what: impl Into<String>) -> Self {
        Self { code, what: what.into() }
    }
}

/// Appends a value. `scratch` is working memory.
pub(super) fn encode(
    value: Ref<'_>,
    kind: &Kind,
    scratch: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), Unfit> {
    match (value, kind) {
        (Ref::Missing | Ref::Null, _) => out.extend_from_slice(b"\\N"),
        (Ref::Str(text), Kind::Text | Kind::Other) => escape(text.as_bytes(), out)?,
        (Ref::I64(_) | Ref::U64(_), Kind::Int) => write_text(value, out),
        _ => {
            scratch.clear();
            plain(value, kind, scratch)?;
            escape(scratch, out)?;
        }
    }
    Ok(())
}

/// The text that the server is to read, not escaped.
fn plain(value: Ref<'_>, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Unfit> {
    match (kind, value) {
        (Kind::Int, Ref::Dec(value)) => whole(value, out)?,
        (Kind::Int, Ref::F64(value)) if value.fract() == 0.0 && value.abs() < 9.2e18 => {
            write_text(Ref::I64(value as i64), out);
        }
        (Kind::Int, Ref::F64(_)) => return Err(inexact(value)),
        (Kind::Int | Kind::Numeric(_) | Kind::Float4 | Kind::Float8, Ref::Str(text)) => {
            number_in_text(text, kind, out)?;
        }
        (Kind::Numeric(_) | Kind::Float4 | Kind::Float8, _) => number(value, kind, out)?,
        (Kind::Date, _) => moment::date(value, out)?,
        (Kind::Time, _) => moment::time(value, out)?,
        (Kind::Timestamp, _) => moment::timestamp(value, false, out)?,
        (Kind::TimestampTz, _) => moment::timestamp(value, true, out)?,
        (Kind::Bytea, Ref::Bytes(bytes)) => hex(bytes, out),
        (Kind::Bytea, Ref::Str(text)) => bytes_in_text(text, out)?,
        // Text is taken for JSON text; the server sees whether it is.
        (Kind::Json, Ref::Str(text)) => out.extend_from_slice(text.as_bytes()),
        (Kind::Json, _) => write_value(value, out),
        (Kind::Array(inner), Ref::List(list)) => array(list, inner, out)?,
        (Kind::Bytea, _) => return Err(wrong_kind(value, "bytes")),
        _ => write_text(value, out),
    }
    Ok(())
}

pub(super) fn wrong_kind(value: Ref<'_>, wanted: &str) -> Unfit {
    Unfit::new("postgres.wrong_type", format!("holds {wanted}, and the field is {}", value.kind()))
}

fn inexact(value: Ref<'_>) -> Unfit {
    let mut text = Vec::new();
    write_text(value, &mut text);
    let text = String::from_utf8_lossy(&text);
    Unfit::new("postgres.inexact", format!("would lose digits of {text}; give it another type"))
}

fn whole(value: Decimal, out: &mut Vec<u8>) -> Result<(), Unfit> {
    let unit = 10_i64.pow(u32::from(value.scale()));
    if value.mantissa() % unit != 0 {
        return Err(inexact(Ref::Dec(value)));
    }
    write_text(Ref::I64(value.mantissa() / unit), out);
    Ok(())
}

/// Text on its way into a column of numbers must be a number written plainly: `007` or ` 1` are text (G2).
fn number_in_text(text: &str, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Unfit> {
    match parse_number(text) {
        Some(Number::I64(value)) if *kind == Kind::Int => write_text(Ref::I64(value), out),
        Some(Number::Dec(value)) if *kind == Kind::Int => whole(value, out)?,
        Some(_) if *kind == Kind::Int => out.extend_from_slice(text.as_bytes()),
        Some(_) => number(Ref::Big(text), kind, out)?,
        None if *kind != Kind::Int && matches!(text, "NaN" | "Infinity" | "-Infinity") => {
            out.extend_from_slice(text.as_bytes());
        }
        None => {
            let what = format!(
                "holds numbers, and {text:?} is not written as one; cast the field, or give the column type text"
            );
            return Err(Unfit::new("postgres.not_a_number", what));
        }
    }
    Ok(())
}

fn number(value: Ref<'_>, kind: &Kind, out: &mut Vec<u8>) -> Result<(), Unfit> {
    let start = out.len();
    write_text(value, out);
    let text = std::str::from_utf8(&out[start..]).unwrap_or_default();
    let kept = match (kind, value) {
        (_, Ref::F64(value)) if !value.is_finite() => true,
        (Kind::Numeric(None), _) => true,
        (Kind::Numeric(Some(scale)), _) => digits_behind_point(text) <= *scale,
        (Kind::Float8, Ref::F64(_)) => true,
        (Kind::Float8, Ref::I64(value)) if value.unsigned_abs() <= 1 << 53 => true,
        (Kind::Float8, _) => reads_back(text.parse().unwrap_or(f64::NAN), text),
        (_, _) => {
            let short: f32 = text.parse().unwrap_or(f32::NAN);
            // The shortest text of the smaller float, as the server will show it.
            reads_back(short.to_string().parse().unwrap_or(f64::NAN), text)
        }
    };
    // What is no number at all is the server's to refuse.
    let is_number = matches!(value, Ref::I64(_) | Ref::U64(_) | Ref::F64(_) | Ref::Dec(_) | Ref::Big(_));
    if kept || !is_number { Ok(()) } else { Err(inexact(value)) }
}

fn reads_back(float: f64, text: &str) -> bool {
    float.is_finite() && compare_numbers(Ref::F64(float), Ref::Big(text)) == Some(std::cmp::Ordering::Equal)
}

/// Digits behind the point that are not zeros at the end; below zero for whole numbers with zeros at their end.
fn digits_behind_point(text: &str) -> i64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.trim_end_matches('0');
    let mut behind = fraction.len() as i64;
    if fraction.is_empty() {
        let digits = whole.trim_start_matches('-');
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        if zeros == digits.len() {
            return i64::MIN;
        }
        behind = -(zeros as i64);
    }
    behind - exponent
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"\\x");
    for byte in bytes {
        out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

/// Bytes as text are base64, as everywhere in Fairway, or hexadecimal as PostgreSQL shows them.
fn bytes_in_text(text: &str, out: &mut Vec<u8>) -> Result<(), Unfit> {
    if text.starts_with("\\x") {
        out.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    let bytes = STANDARD.decode(text).map_err(|_| {
        Unfit::new(
            "postgres.bad_value",
            "holds bytes, and the text is neither base64 nor hexadecimal behind \\x",
        )
    })?;
    hex(&bytes, out);
    Ok(())
}

/// A list as an array's text: `{"a",NULL,{"b"}}`.
fn array(list: ListRef<'_>, inner: &Kind, out: &mut Vec<u8>) -> Result<(), Unfit> {
    out.push(b'{');
    let mut text = Vec::new();
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match item {
            Ref::Missing | Ref::Null => out.extend_from_slice(b"NULL"),
            // An array of arrays; JSON has arrays of its own.
            Ref::List(list) if *inner != Kind::Json => array(list, inner, out)?,
            item => {
                text.clear();
                plain(item, inner, &mut text)?;
                out.push(b'"');
                for byte in &text {
                    if matches!(byte, b'"' | b'\\') {
                        out.push(b'\\');
                    }
                    out.push(*byte);
                }
                out.push(b'"');
            }
        }
    }
    out.push(b'}');
    Ok(())
}

/// Copies text, escaped where COPY demands it.
#[inline]
fn escape(text: &[u8], out: &mut Vec<u8>) -> Result<(), Unfit> {
    // Without a branch for each byte: most texts have nothing to escape.
    let odd = text.iter().fold(false, |odd, byte| odd | (*byte < b' ') | (*byte == b'\\'));
    if odd {
        return escape_odd(text, out);
    }
    out.extend_from_slice(text);
    Ok(())
}

#[cold]
fn escape_odd(text: &[u8], out: &mut Vec<u8>) -> Result<(), Unfit> {
    for &byte in text {
        match byte {
            0 => {
                let what =
                    "cannot hold U+0000 (NUL), as no text in PostgreSQL can; remove it in a step before";
                return Err(Unfit::new("postgres.nul", what));
            }
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            other => out.push(other),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
