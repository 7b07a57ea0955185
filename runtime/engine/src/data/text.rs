//! Values as plain text: what a cast to `string`, a mask or a CSV cell shows.
//!
//! The forms are those of [`json_write`] without the quotes, except that text stands as it is.

use super::json_write;
use super::number_text;
use super::time;
use super::value::Ref;

/// Appends a value as text: numbers digit for digit, times as in RFC 3339, bytes in base64, lists and maps as JSON.
/// `Missing` and `Null` write nothing: a caller that must keep them apart from empty text looks first (G3).
pub fn write_text(value: Ref<'_>, out: &mut Vec<u8>) {
    match value {
        Ref::Missing | Ref::Null => {}
        Ref::Str(text) | Ref::Big(text) => out.extend_from_slice(text.as_bytes()),
        Ref::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        Ref::I64(value) => number_text::write_i64(value, out),
        Ref::U64(value) => number_text::write_u64(value, out),
        Ref::F64(value) => number_text::write_f64(value, out),
        Ref::Dec(value) => number_text::write_decimal(value, out),
        Ref::Bytes(bytes) => json_write::write_base64(bytes, out),
        Ref::Uuid(id) => {
            out.extend_from_slice(id.hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()).as_bytes());
        }
        Ref::Date(days) => time::write_date(days, out),
        Ref::Time(us) => time::write_time(us, out),
        Ref::Ts { us, offset } => time::write_timestamp(us, offset, out),
        Ref::List(_) | Ref::Map(_) | Ref::Raw(_) => json_write::write_value(value, out),
    }
}

/// A value as text: see [`write_text`].
pub fn to_text(value: Ref<'_>) -> String {
    let mut out = Vec::new();
    write_text(value, &mut out);
    // Everything written above is UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::number::Decimal;
    use super::super::value::{NO_ZONE, Value};
    use super::*;

    #[test]
    fn text_is_json_without_quotes_and_escapes() {
        let list = Value::List(vec![Value::I64(1), Value::Str("a\"b".into())]);
        for (value, text) in [
            (Ref::Null, ""),
            (Ref::Bool(true), "true"),
            (Ref::Str("a\"b\n"), "a\"b\n"),
            (Ref::F64(0.1), "0.1"),
            (Ref::F64(f64::NAN), "NaN"),
            (Ref::Dec(Decimal::new(-150, 2).unwrap()), "-1.50"),
            (Ref::Big("123456789012345678901234567890"), "123456789012345678901234567890"),
            (Ref::Bytes(b"ab"), "YWI="),
            (Ref::Date(0), "1970-01-01"),
            (Ref::Ts { us: 1, offset: 0 }, "1970-01-01T00:00:00.000001Z"),
            (Ref::Ts { us: 0, offset: NO_ZONE }, "1970-01-01T00:00:00"),
            (list.as_ref(), r#"[1,"a\"b"]"#),
        ] {
            assert_eq!(to_text(value), text);
        }
    }
}
