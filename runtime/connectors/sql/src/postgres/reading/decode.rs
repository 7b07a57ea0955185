//! Values as the server sends them in binary form. Nothing goes through a binary float that was none (G1), and what no value
//! can stand for (infinity, NaN, a day beyond all days) is named as such, never turned into another.

use std::fmt::Write as _;

use fairway_engine::data::time::{write_date, write_time};
use fairway_engine::data::{NO_ZONE, RecordError, Ref, parse_number};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kind::Kind;

/// Days from 1970-01-01 to 2000-01-01, where PostgreSQL begins to count.
const EPOCH_DAYS: i32 = 10_957;
const DAY_US: i64 = 86_400_000_000;

/// What becomes of infinite dates, of NaN in decimal columns and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Specials {
    /// The record is refused.
    Refuse,
    /// The field gets PostgreSQL's text: `infinity`, `-infinity`, `NaN`, `24:00:00`.
    Text,
}

/// A value, or why there is none.
pub(super) enum Decoded<'a> {
    Value(Ref<'a>),
    /// No value of the type can stand for it; this is its text.
    Special(String),
    Damaged(&'static str),
}

pub(super) fn refusal(column: &str, text: &str) -> RecordError {
    let what = format!(
        "`{text}` is no value that other systems have; set `special_values` to `text` to keep it as text"
    );
    RecordError::in_field("table.special_value", column, what)
}

pub(super) fn damage(column: &str, what: &'static str) -> RecordError {
    RecordError::in_field("table.damaged_value", column, what)
}

/// Reads a value. `scratch` is working memory; what it holds is gone with the next call.
pub(super) fn decode<'a>(kind: Kind, bytes: Option<&'a [u8]>, scratch: &'a mut String) -> Decoded<'a> {
    let Some(bytes) = bytes else { return Decoded::Value(Ref::Null) };
    let read = match kind {
        Kind::Bool => array(bytes).map(|[byte]| Ref::Bool(byte != 0)),
        Kind::Int2 => array(bytes).map(|bytes| Ref::I64(i16::from_be_bytes(bytes).into())),
        Kind::Int4 => array(bytes).map(|bytes| Ref::I64(i32::from_be_bytes(bytes).into())),
        Kind::Int8 => array(bytes).map(|bytes| Ref::I64(i64::from_be_bytes(bytes))),
        // The shortest text of 32 bits, read as 64: 0.1 stays 0.1.
        Kind::Float4 => array(bytes).map(|bytes| {
            let value = f32::from_be_bytes(bytes);
            Ref::F64(value.to_string().parse().unwrap_or_else(|_| value.into()))
        }),
        Kind::Float8 => array(bytes).map(|bytes| Ref::F64(f64::from_be_bytes(bytes))),
        Kind::Bytes => Some(Ref::Bytes(bytes)),
        Kind::Uuid => array(bytes).map(|bytes| Ref::Uuid(uuid::Uuid::from_bytes(bytes))),
        Kind::Numeric => return numeric(bytes, scratch),
        Kind::Text | Kind::AsText => return text(bytes, Ref::Str),
        Kind::Json | Kind::AsJson => return text(bytes, Ref::Raw),
        Kind::Jsonb => match bytes {
            [1, json @ ..] => return text(json, Ref::Raw),
            _ => None,
        },
        Kind::Date => return array(bytes).map_or(BROKEN, |bytes| date(i32::from_be_bytes(bytes))),
        Kind::Time => match array(bytes).map(i64::from_be_bytes) {
            Some(DAY_US) => return Decoded::Special("24:00:00".to_owned()),
            us => us.map(Ref::Time),
        },
        Kind::Timestamp => return moment(bytes, NO_ZONE),
        Kind::TimestampTz => return moment(bytes, 0),
    };
    read.map_or(BROKEN, Decoded::Value)
}

const BROKEN: Decoded<'static> =
    Decoded::Damaged("the server sent a value of another form than its type has");

fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn text<'a>(bytes: &'a [u8], make: impl Fn(&'a str) -> Ref<'a>) -> Decoded<'a> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Decoded::Value(make(text)),
        Err(_) => Decoded::Damaged("the text is not UTF-8; it was kept as bytes"),
    }
}

fn date(days: i32) -> Decoded<'static> {
    match days {
        i32::MAX => Decoded::Special("infinity".to_owned()),
        i32::MIN => Decoded::Special("-infinity".to_owned()),
        // PostgreSQL's last day is far below the limit.
        days => Decoded::Value(Ref::Date(days.saturating_add(EPOCH_DAYS))),
    }
}

fn moment(bytes: &[u8], offset: i16) -> Decoded<'static> {
    let Some(us) = array(bytes).map(i64::from_be_bytes) else { return BROKEN };
    match us {
        i64::MAX => Decoded::Special("infinity".to_owned()),
        i64::MIN => Decoded::Special("-infinity".to_owned()),
        us => match us.checked_add(i64::from(EPOCH_DAYS) * DAY_US) {
            Some(us) => Decoded::Value(Ref::Ts { us, offset }),
            None => Decoded::Special(far(us, offset)),
        },
    }
}

/// The text of a moment in the last months that PostgreSQL has, beyond what 64 bits of microseconds since 1970 reach.
fn far(us: i64, offset: i16) -> String {
    let days = i32::try_from(us.div_euclid(DAY_US)).unwrap_or(i32::MAX).saturating_add(EPOCH_DAYS);
    let mut out = Vec::new();
    write_date(days, &mut out);
    out.push(b'T');
    write_time(us.rem_euclid(DAY_US), &mut out);
    if offset != NO_ZONE {
        out.push(b'Z');
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A decimal of any size: digits to the base of 10,000, the place of the first, the sign, and how many digits are behind the
/// point.
fn numeric<'a>(bytes: &'a [u8], scratch: &'a mut String) -> Decoded<'a> {
    let word = |at: usize| bytes.get(at..at + 2).map(|two| u16::from_be_bytes([two[0], two[1]]));
    let (Some(count), Some(weight), Some(sign), Some(scale)) = (word(0), word(2), word(4), word(6)) else {
        return BROKEN;
    };
    match sign {
        0 | 0x4000 => {}
        0xc000 => return Decoded::Special("NaN".to_owned()),
        0xd000 => return Decoded::Special("Infinity".to_owned()),
        0xf000 => return Decoded::Special("-Infinity".to_owned()),
        _ => return BROKEN,
    }
    let weight = i32::from(weight.cast_signed());
    let digit = |place: i32| match usize::try_from(weight - place) {
        Ok(index) if index < usize::from(count) => word(8 + index * 2).unwrap_or(0),
        _ => 0,
    };
    let text = scratch;
    text.clear();
    if sign == 0x4000 {
        text.push('-');
    }
    // Writing to a text never fails.
    write!(text, "{}", digit(weight.max(0))).ok();
    for place in (0..weight.max(0)).rev() {
        write!(text, "{:04}", digit(place)).ok();
    }
    if scale > 0 {
        text.push('.');
        let end = text.len() + usize::from(scale);
        let mut place = -1;
        while text.len() < end {
            write!(text, "{:04}", digit(place)).ok();
            place -= 1;
        }
        text.truncate(end);
    }
    if text.starts_with("-0") && text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.')) {
        text.remove(0);
    }
    match parse_number(text) {
        Some(fairway_engine::data::Number::I64(value)) => Decoded::Value(Ref::I64(value)),
        Some(fairway_engine::data::Number::U64(value)) => Decoded::Value(Ref::U64(value)),
        Some(fairway_engine::data::Number::Dec(value)) => Decoded::Value(Ref::Dec(value)),
        // Plain digits are kept as they are.
        Some(fairway_engine::data::Number::Big(_)) => Decoded::Value(Ref::Big(text)),
        None => BROKEN,
    }
}
