//! When two values are the same: the bytes of a key for maps, joins, deduplication and choosing a partition.

use super::number::{Grammar, Parts, parts};
use super::number_text;
use super::value::Ref;

/// Appends bytes that are equal for values that are the same, and only for those; several values one after the
/// other stay apart too. Numbers are the same when they compare equal, whatever their kinds: 1, 1.0 and 1e0. NaN is
/// the same as NaN. Timestamps are the same when they are the same moment, or the same local time without zone.
/// Null, missing, empty text and empty bytes are all different (G3).
///
/// The bytes may change with a release: keep them in memory, not in a store.
pub fn write_identity(value: Ref<'_>, out: &mut Vec<u8>) {
    match value {
        Ref::Missing => out.push(b'm'),
        Ref::Null => out.push(b'n'),
        Ref::Bool(value) => out.extend_from_slice(&[b'b', u8::from(value)]),
        Ref::I64(_) | Ref::U64(_) | Ref::Dec(_) | Ref::F64(_) | Ref::Big(_) => number(value, out),
        Ref::Str(text) => sized(b's', text.as_bytes(), out),
        Ref::Raw(json) => match super::json_read::read_value(json) {
            Ok(value) => write_identity(value.as_ref(), out),
            Err(_) => sized(b'r', json.as_bytes(), out),
        },
        Ref::Bytes(bytes) => sized(b'y', bytes, out),
        Ref::Uuid(id) => {
            out.push(b'u');
            out.extend_from_slice(id.as_bytes());
        }
        Ref::Date(days) => {
            out.push(b'd');
            out.extend_from_slice(&days.to_le_bytes());
        }
        Ref::Time(us) => fixed(b't', us, out),
        Ref::Ts { us, offset: super::NO_ZONE } => fixed(b'l', us, out),
        Ref::Ts { us, .. } => fixed(b'z', us, out),
        Ref::List(list) => {
            fixed(b'[', list.len() as i64, out);
            list.iter().for_each(|item| write_identity(item, out));
        }
        Ref::Map(map) => {
            // Maps are the same in whatever order their names come.
            let mut entries: Vec<(&str, Ref<'_>)> =
                map.iter().filter(|(_, value)| !value.is_missing()).collect();
            entries.sort_by_key(|(name, _)| *name);
            fixed(b'{', entries.len() as i64, out);
            for (name, value) in entries {
                sized(b's', name.as_bytes(), out);
                write_identity(value, out);
            }
        }
    }
}

fn fixed(tag: u8, value: i64, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&value.to_le_bytes());
}

fn sized(tag: u8, bytes: &[u8], out: &mut Vec<u8>) {
    fixed(tag, bytes.len() as i64, out);
    out.extend_from_slice(bytes);
}

fn number(value: Ref<'_>, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    match value {
        Ref::I64(value) => return fixed(b'i', value, out),
        Ref::F64(value) if !value.is_finite() => {
            number_text::write_f64(value, &mut text);
            return sized(b'f', &text, out);
        }
        // As in comparisons, a float is the decimal number that it is written as.
        Ref::F64(value) => number_text::write_f64(value, &mut text),
        Ref::Dec(value) => number_text::write_decimal(value, &mut text),
        Ref::U64(value) => number_text::write_u64(value, &mut text),
        Ref::Big(digits) => text.extend_from_slice(digits.as_bytes()),
        _ => {}
    }
    let text = String::from_utf8(text).unwrap_or_default();
    let zero = Parts { negative: false, whole: "", fraction: "", exponent: 0 };
    let Parts { negative, whole, fraction, exponent } = parts(&text, Grammar::Json).unwrap_or(zero);
    let digits = format!("{whole}{fraction}");
    let shown = digits.trim_end_matches('0');
    let power = exponent - fraction.len() as i64 + (digits.len() - shown.len()) as i64;
    let shown = shown.trim_start_matches('0');
    if shown.is_empty() {
        return fixed(b'i', 0, out);
    }
    let sign = if negative { "-" } else { "" };
    // What fits an i64 must look like one.
    if (0..19).contains(&power)
        && let Ok(small) = format!("{sign}{shown}{}", "0".repeat(usize::try_from(power).unwrap_or(0))).parse()
    {
        return fixed(b'i', small, out);
    }
    sized(b'e', format!("{sign}{shown}").as_bytes(), out);
    out.extend_from_slice(&power.to_le_bytes());
}
