//! Numbers to text, digit for digit.
//!
//! The text is that of a JSON number for everything finite; what happens to the rest is said by the writer of
//! each format.

use super::number::Decimal;

/// Writes a whole number.
#[inline]
pub(super) fn write_i64(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Writes a whole number.
#[inline]
pub(super) fn write_u64(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Writes a decimal with all digits of its scale.
#[inline]
pub(super) fn write_decimal(value: Decimal, out: &mut Vec<u8>) {
    let scale = usize::from(value.scale());
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(value.mantissa().unsigned_abs()).as_bytes();
    if value.mantissa() < 0 {
        out.push(b'-');
    }
    if digits.len() > scale {
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        out.extend_from_slice(whole);
        if scale > 0 {
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
    } else {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + (scale - digits.len()), b'0');
        out.extend_from_slice(digits);
    }
}

/// Writes the shortest text that reads back as the same float: always with a point or an exponent, `NaN`,
/// `Infinity` and `-Infinity` for what no JSON number can be.
#[inline]
pub(super) fn write_f64(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() {
        out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    } else if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else {
        out.extend_from_slice(if value > 0.0 { b"Infinity" } else { b"-Infinity" });
    }
}
