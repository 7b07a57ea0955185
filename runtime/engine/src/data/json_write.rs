//! Records and values as JSON text.
//!
//! | Value | JSON |
//! |---|---|
//! | whole numbers, decimals, big numbers | a number with exactly its digits and scale |
//! | floats | the shortest number that reads back the same; `"NaN"`, `"Infinity"`, `"-Infinity"` in quotes |
//! | bytes | text in base64, standard alphabet, padded |
//! | date, time, timestamp | text as in RFC 3339, microseconds only where they are not zero; UTC is `Z`, no zone is no suffix |
//! | uuid | text, lower case with hyphens |
//! | raw JSON | as it is, on one line |
//!
//! Missing fields are left out, in nested maps too; a missing item of a list is null. Files, framing and
//! compression are the sinks' business.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::number_text;
use super::record::RecordRef;
use super::swar;
use super::text::write_text;
use super::value::Ref;

/// Writes a record as one JSON object, on one line, without the newline.
pub fn write_record(record: &RecordRef<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    let start = out.len();
    for field in record.schema().fields() {
        let value = record.get_slot(field.slot());
        if value.is_missing() {
            continue;
        }
        field.write_key(out);
        write_value(value, out);
        out.push(b',');
    }
    close(start, b'}', out);
}

/// Writes a value. `Missing` becomes null.
#[inline]
pub fn write_value(value: Ref<'_>, out: &mut Vec<u8>) {
    match value {
        Ref::Str(text) => write_str(text, out),
        Ref::I64(value) => number_text::write_i64(value, out),
        Ref::Dec(value) => number_text::write_decimal(value, out),
        Ref::Missing | Ref::Null => out.extend_from_slice(b"null"),
        Ref::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        other => write_other(other, out),
    }
}

fn write_other(value: Ref<'_>, out: &mut Vec<u8>) {
    match value {
        Ref::U64(_) | Ref::Big(_) => write_text(value, out),
        Ref::F64(float) if float.is_finite() => number_text::write_f64(float, out),
        Ref::F64(_) | Ref::Bytes(_) | Ref::Uuid(_) | Ref::Date(_) | Ref::Time(_) | Ref::Ts { .. } => {
            out.push(b'"');
            write_text(value, out);
            out.push(b'"');
        }
        Ref::List(list) => {
            if let Some(text) = list.written() {
                return out.extend_from_slice(text.as_bytes());
            }
            out.push(b'[');
            let start = out.len();
            for item in list.iter() {
                write_value(item, out);
                out.push(b',');
            }
            close(start, b']', out);
        }
        Ref::Map(map) => {
            if let Some(text) = map.written() {
                return out.extend_from_slice(text.as_bytes());
            }
            out.push(b'{');
            let start = out.len();
            for (name, value) in map.iter().filter(|(_, value)| !value.is_missing()) {
                write_str(name, out);
                out.push(b':');
                write_value(value, out);
                out.push(b',');
            }
            close(start, b'}', out);
        }
        Ref::Raw(json) => {
            // Line ends can only stand between tokens: inside texts JSON demands escapes.
            out.extend(json.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
        }
        simple => write_value(simple, out),
    }
}

/// Ends a list or an object: the last comma makes place for the bracket.
#[inline]
fn close(start: usize, bracket: u8, out: &mut Vec<u8>) {
    if out.len() > start {
        out.pop();
    }
    out.push(bracket);
}

/// Writes bytes as base64, standard alphabet, padded.
pub fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    // The space is exactly what padded base64 takes.
    let written = STANDARD.encode_slice(bytes, &mut out[start..]).unwrap_or(0);
    out.truncate(start + written);
}

/// Writes a text in quotes, escaped where JSON demands it.
#[inline]
pub fn write_str(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        write_escaped(bytes, out);
    }
    out.push(b'"');
}

#[inline]
fn is_plain(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    if words.iter().any(|word| swar::specials(u64::from_le_bytes(*word)) != 0) {
        return false;
    }
    if rest.is_empty() {
        return true;
    }
    // The rest, filled up with a harmless byte; or the last eight bytes, some of them again.
    match bytes.last_chunk::<8>() {
        Some(last) => swar::specials(u64::from_le_bytes(*last)) == 0,
        None => !rest.iter().any(|byte| ESCAPES[usize::from(*byte)] != 0),
    }
}

/// For each byte: 0 if it stands for itself, `u` if it needs a code, else the letter after the backslash.
static ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = b'u';
        byte += 1;
    }
    table[0x08] = b'b';
    table[b'\t' as usize] = b't';
    table[b'\n' as usize] = b'n';
    table[0x0c] = b'f';
    table[b'\r' as usize] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};

#[cold]
fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut plain_from = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let escape = ESCAPES[usize::from(byte)];
        if escape == 0 {
            continue;
        }
        out.extend_from_slice(&bytes[plain_from..at]);
        plain_from = at + 1;
        out.extend_from_slice(&[b'\\', escape]);
        if escape == b'u' {
            let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
            out.extend_from_slice(&[b'0', b'0', high, low]);
        }
    }
    out.extend_from_slice(&bytes[plain_from..]);
}
