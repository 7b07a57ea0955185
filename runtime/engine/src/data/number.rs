//! Exact numbers: from text to the smallest form that holds every digit (G1).
//!
//! Comparing numbers is in `compare`, writing them in `number_text`.

use std::borrow::Cow;
use std::fmt;

use super::number_text;

/// Most digits of a [`Decimal`]'s mantissa, and its largest scale.
const DIGITS: usize = 18;
/// Big numbers given with an exponent are written out in full up to this many digits.
const PLAIN: usize = 64;
/// Longest exponent that is read, in digits; nothing real has more.
const EXPONENT_DIGITS: usize = 18;

/// A decimal number of at most 18 digits: mantissa × 10^-scale. The scale is kept: 1.50 is not 1.5, though both
/// compare equal as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i64,
    scale: u8,
}

impl Decimal {
    /// The number `mantissa` × 10^-`scale`; `None` with more than 18 digits or a scale above 18.
    pub const fn new(mantissa: i64, scale: u8) -> Option<Decimal> {
        if mantissa.unsigned_abs() < 1_000_000_000_000_000_000 && scale as usize <= DIGITS {
            Some(Decimal { mantissa, scale })
        } else {
            None
        }
    }

    /// A decimal that was taken apart into a cell before.
    #[inline]
    pub(super) const fn from_cell(mantissa: i64, scale: u8) -> Decimal {
        Decimal { mantissa, scale }
    }

    /// All digits, as a whole number; below 10^18 either way.
    pub const fn mantissa(self) -> i64 {
        self.mantissa
    }

    /// How many of the digits are behind the point; at most 18.
    pub const fn scale(self) -> u8 {
        self.scale
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(24);
        number_text::write_decimal(*self, &mut text);
        f.pad_integral(self.mantissa >= 0, "", String::from_utf8_lossy(&text).trim_start_matches('-'))
    }
}

/// A number read from text, in the smallest form that keeps all its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number<'a> {
    /// A whole number.
    I64(i64),
    /// A whole number above the range of `I64`.
    U64(u64),
    /// Up to 18 digits with some behind the point.
    Dec(Decimal),
    /// Everything else, as the text of a JSON number.
    Big(Cow<'a, str>),
}

impl Number<'_> {
    /// Whether it is a short zero, whose sign is lost.
    #[inline]
    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Number::I64(0) | Number::Dec(Decimal { mantissa: 0, .. }))
    }
}

/// The parts of a number's text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'a> {
    pub(super) negative: bool,
    pub(super) whole: &'a str,
    pub(super) fraction: &'a str,
    pub(super) exponent: i64,
}

/// Reads a number in JSON's grammar: no leading zeros, no `+`, digits on both sides of a point.
/// Every number that fits no smaller form stays exact as text.
///
/// `None` if the text is no such number (or its exponent has more than 18 digits).
#[inline]
pub fn parse_number(text: &str) -> Option<Number<'_>> {
    match short(text.as_bytes()) {
        Some(number) => Some(number),
        None => classify(parts(text, Grammar::Json)?, text),
    }
}

/// Like [`parse_number`], for text that people write: a leading `+` or leading zeros are allowed, and either side
/// of the point may be empty (`.5`, `5.`). Spaces are not.
#[inline]
pub fn parse_number_lenient(text: &str) -> Option<Number<'_>> {
    match short(text.as_bytes()) {
        Some(number) => Some(number),
        None => classify(parts(text, Grammar::Lenient)?, text),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Grammar {
    Json,
    Lenient,
}

/// A whole text as [`short_prefix`] has it.
#[inline]
fn short(text: &[u8]) -> Option<Number<'static>> {
    short_prefix(text).filter(|(_, len)| *len == text.len()).map(|(number, _)| number)
}

/// The commonest numbers by far, and how long they are: up to 18 digits, maybe a point with digits on both sides, no
/// leading zero, nothing behind that could go on with the number.
#[inline]
pub(super) fn short_prefix(text: &[u8]) -> Option<(Number<'static>, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut value: i64 = 0;
    let mut at = start;
    // Where the point stands, once there was one.
    let mut point = None;
    while let Some(&byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            // Only a 19th digit can wrap, and that is not taken.
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        } else if byte == b'.' && point.is_none() {
            point = Some(at);
        } else if matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-') {
            return None;
        } else {
            break;
        }
        at += 1;
        if at - start > DIGITS + 1 {
            return None;
        }
    }
    let value = if negative { value.wrapping_neg() } else { value };
    let whole = point.unwrap_or(at) - start;
    if whole == 0 || (whole > 1 && text[start] == b'0') {
        return None;
    }
    let number = match point {
        None if whole <= DIGITS => Number::I64(value),
        None => return None,
        Some(point) => match at - point - 1 {
            0 => return None,
            scale => Number::Dec(Decimal { mantissa: value, scale: scale as u8 }),
        },
    };
    Some((number, at))
}

/// Appends digits to a value; `None` at anything else. The caller bounds the length.
#[inline]
fn digits_value(start: i64, digits: &[u8]) -> Option<i64> {
    let mut value = start;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(value)
}

#[inline]
fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Takes the text of a number apart.
pub(super) fn parts(text: &str, grammar: Grammar) -> Option<Parts<'_>> {
    let bytes = text.as_bytes();
    let lenient = grammar == Grammar::Lenient;
    let mut at = match bytes.first() {
        Some(b'-') => 1,
        Some(b'+') if lenient => 1,
        _ => 0,
    };
    let negative = bytes.first() == Some(&b'-');
    let whole_len = count_digits(&bytes[at..]);
    let whole = &text[at..at + whole_len];
    at += whole_len;
    let mut fraction = "";
    if bytes.get(at) == Some(&b'.') {
        let len = count_digits(&bytes[at + 1..]);
        if len == 0 && !lenient {
            return None;
        }
        fraction = &text[at + 1..at + 1 + len];
        at += 1 + len;
    }
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() && (!lenient || fraction.is_empty()) || leading_zero && !lenient {
        return None;
    }
    let mut exponent = 0;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        let down = bytes.get(at) == Some(&b'-');
        if matches!(bytes.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let len = count_digits(&bytes[at..]);
        let digits = text[at..at + len].trim_start_matches('0');
        if len == 0 || digits.len() > EXPONENT_DIGITS {
            return None;
        }
        exponent = digits_value(0, digits.as_bytes())?;
        if down {
            exponent = -exponent;
        }
        at += len;
    }
    (at == bytes.len()).then_some(Parts { negative, whole, fraction, exponent })
}

fn classify<'a>(parts: Parts<'a>, text: &'a str) -> Option<Number<'a>> {
    let Parts { negative, whole, fraction, exponent } = parts;
    let whole = whole.trim_start_matches('0');
    // Where the point stands, counted from the right end of all digits.
    let scale = i64::try_from(fraction.len()).ok()? - exponent;
    let significant =
        if whole.is_empty() { fraction.trim_start_matches('0').len() } else { whole.len() + fraction.len() };
    if significant == 0 {
        let scale = u8::try_from(scale.clamp(0, DIGITS as i64)).ok()?;
        return Some(if scale == 0 { Number::I64(0) } else { Number::Dec(Decimal { mantissa: 0, scale }) });
    }
    if significant <= DIGITS && (1..=DIGITS as i64).contains(&scale) {
        let value = digits_value(digits_value(0, whole.as_bytes())?, fraction.as_bytes())?;
        let mantissa = if negative { -value } else { value };
        return Some(Number::Dec(Decimal { mantissa, scale: u8::try_from(scale).ok()? }));
    }
    // Whole numbers may have up to 20 digits.
    let zeros = usize::try_from(-scale).ok();
    if let Some(zeros) = zeros
        && significant + zeros <= 20
    {
        let mut value: i128 = 0;
        for byte in whole.bytes().chain(fraction.bytes()).chain(std::iter::repeat_n(b'0', zeros)) {
            value = value * 10 + i128::from(byte - b'0');
        }
        let value = if negative { -value } else { value };
        if let Ok(small) = i64::try_from(value) {
            return Some(Number::I64(small));
        }
        if let Ok(small) = u64::try_from(value) {
            return Some(Number::U64(small));
        }
    }
    Some(Number::Big(big_text(parts, scale, text)))
}

/// The text of a number that fits nothing smaller: plain if it came so or is short, else whole digits and an
/// exponent, so that `1e1000000000` does not become a gigabyte.
fn big_text<'a>(parts: Parts<'a>, scale: i64, text: &'a str) -> Cow<'a, str> {
    let Parts { negative, whole, fraction, exponent } = parts;
    let proper = !whole.is_empty() && (whole.len() == 1 || !whole.starts_with('0')) && !text.starts_with('+');
    if proper && exponent == 0 && !text.ends_with('.') && !text.contains(['e', 'E']) {
        return Cow::Borrowed(text);
    }
    let sign = if negative { "-" } else { "" };
    let whole = whole.trim_start_matches('0');
    let mut digits = format!("{whole}{fraction}");
    if exponent == 0 {
        let point = digits.len() - fraction.len();
        return Cow::Owned(plain(sign, &digits, point));
    }
    digits.drain(..digits.len() - digits.trim_start_matches('0').len());
    let len = digits.len() as i64;
    if scale <= 0 && len - scale <= PLAIN as i64 {
        digits.extend(std::iter::repeat_n('0', usize::try_from(-scale).unwrap_or(0)));
        return Cow::Owned(format!("{sign}{digits}"));
    }
    if scale > 0 && scale.max(len) <= PLAIN as i64 {
        let scale = usize::try_from(scale).unwrap_or(0);
        let missing = scale.saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
        let point = digits.len() - scale;
        return Cow::Owned(plain(sign, &digits, point));
    }
    Cow::Owned(format!("{sign}{digits}e{}", -scale))
}

fn plain(sign: &str, digits: &str, point: usize) -> String {
    let (whole, fraction) = digits.split_at(point);
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}
