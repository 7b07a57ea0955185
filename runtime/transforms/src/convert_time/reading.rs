//! Reading a value as a moment: microseconds since 1970 in UTC and an offset, or of a local time without one.

use fairway_engine::data::text::to_text;
use fairway_engine::data::time::{TimeError, TimeFormat, parse_date, parse_timestamp};
use fairway_engine::data::{NO_ZONE, Number, Ref, parse_number_lenient};

use super::{Fault, From, Wrong};

/// Microseconds of a day.
pub(super) const DAY: i64 = 86_400_000_000;

/// How values are read.
pub(super) struct Reading {
    how: How,
    /// Whether digits finer than a microsecond are cut.
    cut: bool,
}

enum How {
    Usual,
    Format(TimeFormat),
    /// Digits behind the point of a second.
    Epoch(u32),
}

impl Reading {
    pub(super) fn new(from: From, format: &str, cut: bool) -> Result<Self, Fault> {
        let how = match from {
            From::Usual => How::Usual,
            From::Format => How::Format(TimeFormat::new(format).map_err(|message| ("from_format", message))?),
            From::EpochS => How::Epoch(0),
            From::EpochMs => How::Epoch(3),
            From::EpochUs => How::Epoch(6),
            From::EpochNs => How::Epoch(9),
        };
        Ok(Self { how, cut })
    }

    pub(super) fn read(&self, value: Ref<'_>) -> Result<(i64, i16), Wrong> {
        match (&self.how, value) {
            (_, Ref::Ts { us, offset }) => Ok((us, offset)),
            (_, Ref::Date(days)) => Ok((midnight(days).ok_or_else(out_of_range)?, NO_ZONE)),
            (How::Epoch(digits), Ref::Str(text)) => self.epoch(text.trim_ascii(), *digits),
            (How::Epoch(digits), Ref::I64(_) | Ref::U64(_) | Ref::Dec(_) | Ref::Big(_) | Ref::F64(_)) => {
                self.epoch(&to_text(value), *digits)
            }
            (How::Usual | How::Format(_), Ref::Str(text)) => self.text(text.trim_ascii()),
            (
                How::Usual | How::Format(_),
                Ref::I64(_) | Ref::U64(_) | Ref::Dec(_) | Ref::Big(_) | Ref::F64(_),
            ) => {
                let what = "is a number, which does not say what it counts; set `from` to its unit";
                Err(("time.unlike", what.to_owned()))
            }
            (_, other) => Err(("time.unlike", format!("of type {} is no date or time", other.kind()))),
        }
    }

    fn text(&self, text: &str) -> Result<(i64, i16), Wrong> {
        match self.parse(text) {
            Err(TimeError::Precision) if self.cut => {
                let shorter = without_finer_digits(text);
                self.parse(&shorter).map_err(wrong)
            }
            outcome => outcome.map_err(wrong),
        }
    }

    fn parse(&self, text: &str) -> Result<(i64, i16), TimeError> {
        let (moment, date) = match &self.how {
            How::Format(format) => (format.parse_timestamp(text), format.parse_date(text)),
            _ => (parse_timestamp(text), parse_date(text)),
        };
        match (moment, date) {
            // A day alone is its first moment.
            (Err(TimeError::Form), Ok(days)) => {
                midnight(days).map(|us| (us, NO_ZONE)).ok_or(TimeError::Range)
            }
            // A day that does not exist is told as that.
            (Err(TimeError::Form), Err(error)) => Err(error),
            (moment, _) => moment,
        }
    }

    fn epoch(&self, text: &str, digits: u32) -> Result<(i64, i16), Wrong> {
        let (mantissa, scale) = match parse_number_lenient(text) {
            Some(Number::I64(whole)) => (i128::from(whole), 0),
            Some(Number::U64(whole)) => (i128::from(whole), 0),
            Some(Number::Dec(decimal)) => (i128::from(decimal.mantissa()), u32::from(decimal.scale())),
            Some(Number::Big(_)) => return Err(out_of_range()),
            None => return Err(("time.bad_text", "is no number".to_owned())),
        };
        // value × 10^-scale units of 10^-digits seconds, in units of 10^-6 seconds.
        let down = digits + scale;
        let us = if down <= 6 {
            mantissa * 10_i128.pow(6 - down)
        } else {
            let unit = 10_i128.pow(down - 6);
            if !self.cut && mantissa % unit != 0 {
                return Err(("time.not_exact", "is finer than a microsecond".to_owned()));
            }
            // Towards the past, also before 1970.
            mantissa.div_euclid(unit)
        };
        i64::try_from(us).map(|us| (us, 0)).map_err(|_| out_of_range())
    }
}

/// The first moment of a day; days reach further than microseconds do.
fn midnight(days: i32) -> Option<i64> {
    i64::from(days).checked_mul(DAY)
}

fn out_of_range() -> Wrong {
    ("time.out_of_range", "is beyond the range of timestamps".to_owned())
}

fn wrong(error: TimeError) -> Wrong {
    let code = if error == TimeError::Precision { "time.not_exact" } else { "time.bad_text" };
    (code, error.to_string())
}

/// A text whose digits after a point are at most six: a fraction always adds to its second, so cutting it goes towards
/// the past.
fn without_finer_digits(text: &str) -> String {
    let mut shorter = String::with_capacity(text.len());
    let mut behind = None;
    for letter in text.chars() {
        behind = match (letter, behind) {
            ('.' | ',', _) => Some(0),
            ('0'..='9', Some(count)) => Some(count + 1),
            _ => None,
        };
        if behind.is_none_or(|count| count <= 6) {
            shorter.push(letter);
        }
    }
    shorter
}

/// The value for a message: whole if short, else its beginning.
pub(super) fn shown(value: Ref<'_>) -> String {
    const SHOWN: usize = 60;
    let text = match value {
        Ref::Str(text) => text.chars().take(SHOWN + 1).collect(),
        other => to_text(other),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
