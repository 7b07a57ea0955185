//! RFC 3339 and ISO 8601, by hand: chrono's parsers take several forms for granted and cut fractions.

use super::super::value::NO_ZONE;
use super::{MINUTE, SECOND, TimeError, days_of, month_length};

/// Reads `2024-02-29`: days since 1970-01-01. Years beyond four digits carry a sign (`+12024-02-29`).
///
/// # Errors
/// [`TimeError::Form`], or [`TimeError::Range`] for a day that does not exist.
pub fn parse_date(text: &str) -> Result<i32, TimeError> {
    let mut rest = Rest(text.as_bytes());
    let days = rest.date()?;
    rest.end()?;
    i32::try_from(days).map_err(|_| TimeError::Range)
}

/// Reads `13:05`, `13:05:59` or `13:05:59.123456`: microseconds since midnight.
///
/// # Errors
/// [`TimeError`], among them one for a fraction finer than a microsecond.
pub fn parse_time(text: &str) -> Result<i64, TimeError> {
    let mut rest = Rest(text.as_bytes());
    let us = rest.time()?;
    rest.end()?;
    Ok(us)
}

/// Reads a date and a time with `T` or a space between them, and `Z`, an offset (`+02:00`, `+0200`, `+02`) or
/// nothing after them: microseconds since 1970-01-01 UTC and the offset in minutes, [`NO_ZONE`] for nothing.
///
/// # Errors
/// [`TimeError`], among them one for a fraction finer than a microsecond.
pub fn parse_timestamp(text: &str) -> Result<(i64, i16), TimeError> {
    let mut rest = Rest(text.as_bytes());
    let days = rest.date()?;
    match rest.next() {
        Some(b'T' | b't' | b' ') => {}
        _ => return Err(TimeError::Form),
    }
    let time = rest.time()?;
    let offset = rest.offset()?;
    rest.end()?;
    let local = days.checked_mul(super::DAY).and_then(|us| us.checked_add(time)).ok_or(TimeError::Range)?;
    let shift = if offset == NO_ZONE { 0 } else { i64::from(offset) * MINUTE };
    Ok((local.checked_sub(shift).ok_or(TimeError::Range)?, offset))
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn take(&mut self, expected: u8) -> bool {
        let found = self.0.first() == Some(&expected);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn end(&self) -> Result<(), TimeError> {
        if self.0.is_empty() { Ok(()) } else { Err(TimeError::Form) }
    }

    /// Exactly so many digits.
    fn digits(&mut self, count: usize) -> Result<i64, TimeError> {
        let (digits, rest) = self.0.split_at_checked(count).ok_or(TimeError::Form)?;
        let mut value = 0;
        for &byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return Err(TimeError::Form);
            }
            value = value * 10 + i64::from(digit);
        }
        self.0 = rest;
        Ok(value)
    }

    fn date(&mut self) -> Result<i64, TimeError> {
        let year = match self.0.first() {
            Some(sign @ (b'+' | b'-')) => {
                let count = self.0[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if !(4..=7).contains(&count) {
                    return Err(TimeError::Form);
                }
                let negative = *sign == b'-';
                self.0 = &self.0[1..];
                let year = self.digits(count)?;
                if negative { -year } else { year }
            }
            _ => self.digits(4)?,
        };
        self.hyphen()?;
        let month = self.digits(2)?;
        self.hyphen()?;
        let day = self.digits(2)?;
        if !(1..=12).contains(&month) || !(1..=month_length(year, month)).contains(&day) {
            return Err(TimeError::Range);
        }
        Ok(days_of(year, month, day))
    }

    fn hyphen(&mut self) -> Result<(), TimeError> {
        if self.take(b'-') { Ok(()) } else { Err(TimeError::Form) }
    }

    fn time(&mut self) -> Result<i64, TimeError> {
        let hour = self.digits(2)?;
        if !self.take(b':') {
            return Err(TimeError::Form);
        }
        let minute = self.digits(2)?;
        let mut second = 0;
        let mut fraction = 0;
        if self.take(b':') {
            second = self.digits(2)?;
            if self.take(b'.') || self.take(b',') {
                fraction = self.fraction()?;
            }
        }
        if hour > 23 || minute > 59 || second > 60 {
            return Err(TimeError::Range);
        }
        if second == 60 {
            return Err(TimeError::LeapSecond);
        }
        Ok((hour * 60 + minute) * MINUTE + second * SECOND + fraction)
    }

    /// Digits behind the point as microseconds.
    fn fraction(&mut self) -> Result<i64, TimeError> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(TimeError::Form);
        }
        let kept = count.min(6);
        let mut us = self.digits(kept)?;
        for _ in kept..6 {
            us *= 10;
        }
        let (finer, rest) = self.0.split_at(count - kept);
        self.0 = rest;
        if finer.iter().any(|digit| *digit != b'0') { Err(TimeError::Precision) } else { Ok(us) }
    }

    fn offset(&mut self) -> Result<i16, TimeError> {
        if self.0.is_empty() {
            return Ok(NO_ZONE);
        }
        // PostgreSQL and others put a space before the offset.
        if self.0.len() > 1 {
            self.take(b' ');
        }
        let sign = match self.next() {
            Some(b'Z' | b'z') => return Ok(0),
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(TimeError::Form),
        };
        let hours = self.digits(2)?;
        let minutes = match self.0 {
            [] => 0,
            _ => {
                self.take(b':');
                self.digits(2)?
            }
        };
        if hours > 23 || minutes > 59 {
            return Err(TimeError::Range);
        }
        i16::try_from(sign * (hours * 60 + minutes)).map_err(|_| TimeError::Range)
    }
}
