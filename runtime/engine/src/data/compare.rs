//! Comparing values, numbers of any kind exactly.
//!
//! A float takes part as the decimal number that it is written as (its shortest text that reads back as the same
//! float). So 0.1 as `float64` equals 0.1 as `decimal`, a comparison gives the same answer before and after a
//! trip through JSON or CSV, and the order is total and transitive; no number is ever rounded to be compared.

use std::cmp::Ordering;

use super::number::{Decimal, Grammar, Parts, parts};
use super::number_text;
use super::value::{NO_ZONE, Ref};

/// Orders two values of one kind: numbers by value, text and bytes byte by byte, false before true, dates, times and
/// moments by time, UUIDs by their bytes.
///
/// `None` for values of different kinds, for lists and maps, missing and null, NaN, and for a timestamp with a zone
/// beside one without, which no rule can order.
pub fn compare(left: Ref<'_>, right: Ref<'_>) -> Option<Ordering> {
    match (left, right) {
        (Ref::Str(a), Ref::Str(b)) => Some(a.cmp(b)),
        (Ref::Bool(a), Ref::Bool(b)) => Some(a.cmp(&b)),
        (Ref::Bytes(a), Ref::Bytes(b)) => Some(a.cmp(b)),
        (Ref::Uuid(a), Ref::Uuid(b)) => Some(a.cmp(&b)),
        (Ref::Date(a), Ref::Date(b)) => Some(a.cmp(&b)),
        (Ref::Time(a), Ref::Time(b)) => Some(a.cmp(&b)),
        (Ref::Ts { us: a, offset: x }, Ref::Ts { us: b, offset: y }) => {
            ((x == NO_ZONE) == (y == NO_ZONE)).then(|| a.cmp(&b))
        }
        _ => compare_numbers(left, right),
    }
}

/// Orders two numbers by their exact values, whatever their kinds; 1.50 equals 1.5.
///
/// `None` if either is not a number, or is NaN.
pub fn compare_numbers(left: Ref<'_>, right: Ref<'_>) -> Option<Ordering> {
    let (left, right) = (Operand::of(left)?, Operand::of(right)?);
    Some(match (left, right) {
        (Operand::Small(a, s), Operand::Small(b, t)) => compare_small(a, s, b, t),
        (Operand::Float(a), Operand::Float(b)) => return a.partial_cmp(&b),
        (Operand::Float(a), b) => compare_float(a, b),
        (a, Operand::Float(b)) => compare_float(b, a).reverse(),
        (a, b) => compare_text(&a.text(), &b.text()),
    })
}

#[derive(Clone, Copy)]
enum Operand<'a> {
    /// Mantissa below 2^64 and scale of at most 18.
    Small(i128, u8),
    /// Not NaN.
    Float(f64),
    Big(&'a str),
}

impl<'a> Operand<'a> {
    fn of(value: Ref<'a>) -> Option<Operand<'a>> {
        Some(match value {
            Ref::I64(value) => Operand::Small(i128::from(value), 0),
            Ref::U64(value) => Operand::Small(i128::from(value), 0),
            Ref::Dec(value) => Operand::Small(i128::from(value.mantissa()), value.scale()),
            Ref::F64(value) if value.is_nan() => return None,
            Ref::F64(value) => Operand::Float(value),
            Ref::Big(digits) => Operand::Big(digits),
            _ => return None,
        })
    }

    fn text(self) -> String {
        let mut out = Vec::new();
        match self {
            Operand::Small(mantissa, 0) => return mantissa.to_string(),
            Operand::Small(mantissa, scale) => {
                // Only decimals have a scale, and their mantissas fit.
                let mantissa = i64::try_from(mantissa).unwrap_or_default();
                number_text::write_decimal(Decimal::from_cell(mantissa, scale), &mut out);
            }
            Operand::Float(value) => number_text::write_f64(value, &mut out),
            Operand::Big(digits) => return digits.to_owned(),
        }
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Fits: a mantissa is below 2^64 and grows by at most 10^18, which is below 2^127.
fn compare_small(a: i128, s: u8, b: i128, t: u8) -> Ordering {
    match s.cmp(&t) {
        Ordering::Equal => a.cmp(&b),
        Ordering::Less => (a * power(t - s)).cmp(&b),
        Ordering::Greater => a.cmp(&(b * power(s - t))),
    }
}

fn power(exponent: u8) -> i128 {
    10_i128.pow(u32::from(exponent))
}

fn compare_float(float: f64, other: Operand<'_>) -> Ordering {
    if float.is_infinite() {
        return if float > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    if let Operand::Small(mantissa, scale) = other {
        let near = mantissa as f64 / 10_f64.powi(i32::from(scale));
        // Far apart: the rounding of `near`, some 10^-16 of it, cannot change the answer.
        if (float - near).abs() > near.abs() * 1e-12 {
            return float.partial_cmp(&near).unwrap_or(Ordering::Equal);
        }
        // Whole floats of up to 15 digits are written as they are.
        if float.fract() == 0.0 && float.abs() < 1e15 {
            return compare_small(float as i128, 0, mantissa, scale);
        }
    }
    compare_text(&Operand::Float(float).text(), &other.text())
}

/// Compares two texts of numbers, digit by digit from the highest.
fn compare_text(left: &str, right: &str) -> Ordering {
    // Both texts were made or checked by this crate; one that is no number would count as zero.
    let (left, right) = (Digits::of(left), Digits::of(right));
    match (left.sign(), right.sign()) {
        (a, b) if a != b => a.cmp(&b),
        (0, _) => Ordering::Equal,
        (1, _) => left.magnitude(&right),
        _ => right.magnitude(&left),
    }
}

struct Digits<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    /// Power of ten of the digit before the first one.
    top: i64,
}

impl<'a> Digits<'a> {
    fn of(text: &'a str) -> Digits<'a> {
        let zero = Parts { negative: false, whole: "", fraction: "", exponent: 0 };
        let Parts { negative, whole, fraction, exponent } = parts(text, Grammar::Json).unwrap_or(zero);
        let whole = whole.trim_start_matches('0');
        let mut top = whole.len() as i64 + exponent;
        let mut rest = fraction;
        if whole.is_empty() {
            rest = fraction.trim_start_matches('0');
            top -= (fraction.len() - rest.len()) as i64;
        }
        Digits { negative, whole, fraction: rest, top }
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    fn sign(&self) -> i8 {
        match (self.digits().all(|digit| digit == b'0'), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    fn magnitude(&self, other: &Digits<'_>) -> Ordering {
        self.top.cmp(&other.top).then_with(|| {
            let (mut a, mut b) = (self.digits(), other.digits());
            loop {
                match (a.next(), b.next()) {
                    (None, None) => return Ordering::Equal,
                    (a, b) => match a.unwrap_or(b'0').cmp(&b.unwrap_or(b'0')) {
                        Ordering::Equal => {}
                        unequal => return unequal,
                    },
                }
            }
        })
    }
}
