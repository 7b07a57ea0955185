//! Times and sizes as settings write them: `30s`, `1h30m`, `64KiB`. Parsed once, then trusted; written back as they were.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::{Serialize, Serializer};

/// A time, such as `500ms`, `30s` or `1h30m`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    text: String,
    time: Duration,
}

/// A size in bytes, such as `64KiB`, `10MB` or `1048576`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Size {
    text: String,
    bytes: u64,
}

impl Span {
    /// Reads a time; `None` for what is none, or is longer than anybody can wait.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut micros = 0u64;
        loop {
            let (number, after) = number(rest)?;
            // The longer unit first: `ms` is no minute.
            let (unit, next) = SPANS.iter().find_map(|(name, us)| Some((*us, after.strip_prefix(name)?)))?;
            micros = micros.checked_add(times(number, unit)?)?;
            rest = next.trim_start_matches(' ');
            if rest.is_empty() {
                return Some(Self { text: text.to_owned(), time: Duration::from_micros(micros) });
            }
        }
    }

    /// How long it is.
    pub fn get(&self) -> Duration {
        self.time
    }
}

impl Size {
    /// Reads a size; `None` for what is none.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, after) = number(text)?;
        let name = after.trim_start_matches(' ');
        let (_, unit) = SIZES.iter().find(|(unit, _)| *unit == name)?;
        Some(Self { text: text.to_owned(), bytes: times(number, *unit)? })
    }

    /// Bytes.
    pub fn get(&self) -> usize {
        usize::try_from(self.bytes).unwrap_or(usize::MAX)
    }
}

const SPANS: [(&str, u64); 6] = [
    ("ms", 1_000),
    ("us", 1),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

const SIZES: [(&str, u64); 11] = [
    ("", 1),
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// Leading digits, with at most one decimal point between them, and what follows.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let sound = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.matches('.').count() <= 1;
    sound.then_some((digits, rest))
}

/// A decimal number times a unit, in whole steps.
fn times(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut sum = whole.parse::<u64>().ok()?.checked_mul(unit)?;
    let mut step = unit;
    for digit in fraction.bytes() {
        step /= 10;
        sum = sum.checked_add(u64::from(digit - b'0') * step)?;
    }
    Some(sum)
}

macro_rules! text_form {
    ($name:ident, $format:literal, $expected:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is not {}", $expected)))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": $format })
            }
        }
    };
}

text_form!(Span, "duration", "a time such as `500ms`, `30s` or `1h30m`");
text_form!(Size, "byte-size", "a size such as `64KiB`, `10MB` or `1048576`");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, us) in [
            ("0s", 0),
            ("7us", 7),
            ("500ms", 500_000),
            ("1.5s", 1_500_000),
            ("1h30m", 5_400_000_000),
            ("1h 30m", 5_400_000_000),
            ("2d", 172_800_000_000),
        ] {
            assert_eq!(Span::parse(text).unwrap().get().as_micros(), us, "{text}");
        }
        for text in ["", "5", "s", "-1s", "1,5s", "1.s", "99999999999999999999s", "9999999999999d"] {
            assert_eq!(Span::parse(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("0", 0),
            ("12 B", 12),
            ("64KiB", 65_536),
            ("1.5MB", 1_500_000),
            ("1GiB", 1 << 30),
            ("2kB", 2000),
        ] {
            assert_eq!(Size::parse(text).unwrap().get(), bytes, "{text}");
        }
        for text in ["", "KiB", "1Kib", "1 PB", "1.2.3B", "99999999999TB"] {
            assert_eq!(Size::parse(text), None, "{text}");
        }
    }

    #[test]
    fn they_are_written_as_they_were() {
        let span: Span = serde_json::from_str("\"1h 30m\"").unwrap();
        assert_eq!(serde_json::to_string(&span).unwrap(), "\"1h 30m\"");
        let error = serde_json::from_str::<Size>("\"many\"").unwrap_err().to_string();
        assert!(error.starts_with("`many` is not a size such as"), "{error}");
    }
}
