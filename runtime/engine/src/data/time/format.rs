//! Formats of a user's own, in the strftime words that chrono knows (`%d.%m.%Y %H:%M`).

use std::fmt::Write as _;

use chrono::format::{Item, Parsed, StrftimeItems, parse};
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use super::super::value::NO_ZONE;
use super::TimeError;

/// A format, checked once and then used for every value.
#[derive(Clone, Debug)]
pub struct TimeFormat {
    items: Vec<Item<'static>>,
}

impl TimeFormat {
    /// Checks a format.
    ///
    /// # Errors
    /// A sentence for the user when it is empty or has a word that strftime does not know.
    pub fn new(format: &str) -> Result<TimeFormat, String> {
        let items: Vec<Item<'static>> = StrftimeItems::new(format)
            .parse_to_owned()
            .map_err(|_| format!("`{format}` is not a date or time format (as of strftime)"))?;
        if items.is_empty() {
            return Err("a date or time format cannot be empty".into());
        }
        Ok(TimeFormat { items })
    }

    fn parsed(&self, text: &str) -> Result<Parsed, TimeError> {
        let mut parsed = Parsed::new();
        parse(&mut parsed, text, self.items.iter()).map_err(reason)?;
        Ok(parsed)
    }

    /// Reads a date: days since 1970-01-01.
    ///
    /// # Errors
    /// [`TimeError`].
    pub fn parse_date(&self, text: &str) -> Result<i32, TimeError> {
        let date = self.parsed(text)?.to_naive_date().map_err(reason)?;
        Ok(date.to_epoch_days())
    }

    /// Reads a time of day: microseconds since midnight.
    ///
    /// # Errors
    /// [`TimeError`].
    pub fn parse_time(&self, text: &str) -> Result<i64, TimeError> {
        let time = self.parsed(text)?.to_naive_time().map_err(reason)?;
        Ok(i64::from(time.num_seconds_from_midnight()) * super::SECOND + micros(time.nanosecond())?)
    }

    /// Reads a timestamp: microseconds since 1970-01-01 UTC and the offset in minutes, [`NO_ZONE`] when the
    /// format has none.
    ///
    /// # Errors
    /// [`TimeError`].
    pub fn parse_timestamp(&self, text: &str) -> Result<(i64, i16), TimeError> {
        let parsed = self.parsed(text)?;
        let (local, offset) = match parsed.offset() {
            Some(seconds) if seconds % 60 != 0 => return Err(TimeError::Range),
            Some(seconds) => {
                let moment = parsed.to_datetime().map_err(reason)?;
                (moment.naive_utc(), i16::try_from(seconds / 60).map_err(|_| TimeError::Range)?)
            }
            None if parsed.timestamp().is_some() => {
                (parsed.to_naive_datetime_with_offset(0).map_err(reason)?, 0)
            }
            None => (parsed.to_naive_datetime_with_offset(0).map_err(reason)?, NO_ZONE),
        };
        // A leap second shows as more than 10^9 nanoseconds.
        let fraction = micros(local.nanosecond())?;
        let whole = local.and_utc().timestamp().checked_mul(super::SECOND).ok_or(TimeError::Range)?;
        Ok((whole.checked_add(fraction).ok_or(TimeError::Range)?, offset))
    }

    /// Writes a date; `None` when it is beyond chrono's years or the format asks for a time of day.
    #[must_use]
    pub fn format_date(&self, days: i32) -> Option<String> {
        let date = NaiveDate::from_epoch_days(days)?;
        self.text(date.format_with_items(self.items.iter()))
    }

    /// Writes a time of day; `None` when the format asks for a date.
    #[must_use]
    pub fn format_time(&self, us: i64) -> Option<String> {
        let second = u32::try_from(us / super::SECOND).ok()?;
        let nano = u32::try_from(us % super::SECOND * 1000).ok()?;
        let time = NaiveTime::from_num_seconds_from_midnight_opt(second, nano)?;
        self.text(time.format_with_items(self.items.iter()))
    }

    /// Writes a timestamp at its offset; `None` when it is beyond chrono's years, or the format asks for an
    /// offset and there is none.
    #[must_use]
    pub fn format_timestamp(&self, us: i64, offset: i16) -> Option<String> {
        let utc: NaiveDateTime = DateTime::from_timestamp_micros(us)?.naive_utc();
        if offset == NO_ZONE {
            return self.text(utc.format_with_items(self.items.iter()));
        }
        let zone = FixedOffset::east_opt(i32::from(offset) * 60)?;
        self.text(
            DateTime::<FixedOffset>::from_naive_utc_and_offset(utc, zone)
                .format_with_items(self.items.iter()),
        )
    }

    fn text(&self, value: impl std::fmt::Display) -> Option<String> {
        let mut text = String::new();
        write!(text, "{value}").ok().map(|()| text)
    }
}

fn reason(error: chrono::ParseError) -> TimeError {
    use chrono::format::ParseErrorKind;
    match error.kind() {
        ParseErrorKind::OutOfRange | ParseErrorKind::Impossible => TimeError::Range,
        _ => TimeError::Form,
    }
}

/// Nanoseconds as microseconds, exactly.
fn micros(nanos: u32) -> Result<i64, TimeError> {
    if nanos >= 1_000_000_000 {
        return Err(TimeError::LeapSecond);
    }
    if !nanos.is_multiple_of(1000) {
        return Err(TimeError::Precision);
    }
    Ok(i64::from(nanos / 1000))
}
