//! Dates, times and timestamps as RFC 3339 text.

use super::super::value::NO_ZONE;
use super::{DAY, MINUTE, SECOND, civil_of};

/// Writes days since 1970-01-01 as `2024-02-29`; years beyond four digits with a sign, as ISO 8601 has it.
pub fn write_date(days: i32, out: &mut Vec<u8>) {
    date(i64::from(days), out);
}

/// Writes microseconds since midnight as `13:05:59`, with six more digits where they are not all zero.
pub fn write_time(us: i64, out: &mut Vec<u8>) {
    let second = us.div_euclid(SECOND);
    let fraction = us.rem_euclid(SECOND);
    two(second / 3600, out);
    out.push(b':');
    two(second / 60 % 60, out);
    out.push(b':');
    two(second % 60, out);
    if fraction != 0 {
        out.push(b'.');
        two(fraction / 10_000, out);
        two(fraction / 100 % 100, out);
        two(fraction % 100, out);
    }
}

/// Writes microseconds since 1970-01-01 UTC as the local time at an offset in minutes: `2024-02-29T13:05:59+02:00`,
/// `Z` for UTC, nothing behind a local time without zone ([`NO_ZONE`]).
pub fn write_timestamp(us: i64, offset: i16, out: &mut Vec<u8>) {
    let shift = if offset == NO_ZONE { 0 } else { i128::from(offset) * i128::from(MINUTE) };
    let local = i128::from(us) + shift;
    // Days of any i64 of microseconds are few; the rest is less than a day.
    date(local.div_euclid(i128::from(DAY)) as i64, out);
    out.push(b'T');
    write_time(local.rem_euclid(i128::from(DAY)) as i64, out);
    match offset {
        NO_ZONE => {}
        0 => out.push(b'Z'),
        _ => {
            out.push(if offset < 0 { b'-' } else { b'+' });
            let minutes = i64::from(offset.unsigned_abs());
            two(minutes / 60, out);
            out.push(b':');
            two(minutes % 60, out);
        }
    }
}

fn date(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil_of(days);
    if (0..=9999).contains(&year) {
        two(year / 100, out);
        two(year % 100, out);
    } else {
        out.push(if year < 0 { b'-' } else { b'+' });
        let text = year.unsigned_abs().to_string();
        out.resize(out.len() + 4_usize.saturating_sub(text.len()), b'0');
        out.extend_from_slice(text.as_bytes());
    }
    out.push(b'-');
    two(i64::from(month), out);
    out.push(b'-');
    two(i64::from(day), out);
}

/// Two digits of a number below 100.
#[inline]
fn two(value: i64, out: &mut Vec<u8>) {
    let value = value as u8;
    out.extend_from_slice(&[b'0' + value / 10 % 10, b'0' + value % 10]);
}
