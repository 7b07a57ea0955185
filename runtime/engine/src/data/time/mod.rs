//! Dates, times and timestamps from text and to text, exact to the microsecond.
//!
//! Here are RFC 3339 and ISO 8601 in their usual dress; formats of a user's own are in [`TimeFormat`]. A fraction
//! finer than a microsecond is refused, not cut, unless its further digits are zeros (G2).

mod format;
mod parse;
mod write;

pub use format::TimeFormat;
pub use parse::{parse_date, parse_time, parse_timestamp};
pub use write::{write_date, write_time, write_timestamp};

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;
/// Microseconds of a minute.
const MINUTE: i64 = 60 * SECOND;
/// Microseconds of a day.
const DAY: i64 = 24 * 60 * MINUTE;

/// Why a text is no date, time or timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// The text does not look like one.
    #[error("does not have the expected form")]
    Form,
    /// It looks like one, but there is no such day, hour, minute, second or offset.
    #[error("names a day, time or offset that does not exist")]
    Range,
    /// A fraction of a second with more digits than a microsecond has.
    #[error("is finer than a microsecond")]
    Precision,
    /// Second 60: there is no place for it between two microseconds.
    #[error("is a leap second, which cannot be kept")]
    LeapSecond,
}

/// Days since 1970-01-01 of a day of the proleptic Gregorian calendar. (`days_from_civil` of Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms".) The day must exist.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of days since 1970-01-01: the inverse of [`days_of`], from the same source.
fn civil_of(days: i64) -> (i64, u8, u8) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u8, day as u8)
}

fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests;
