//! Dates, times and timestamps as PostgreSQL reads them without a guess.
//!
//! ISO 8601 counts a year 0 and signs years beyond four digits; PostgreSQL writes `0044-03-15 BC` and `10000-01-01`. Text
//! that is not ISO 8601 would be read by the server's own lights (`03/04/05`, `today`, a time cut off): it is refused.

use fairway_engine::data::time::{
    TimeError, parse_date, parse_time, parse_timestamp, write_date, write_time, write_timestamp,
};
use fairway_engine::data::{NO_ZONE, Ref};

use super::encode::{Unfit, wrong_kind};

const DAY: i64 = 86_400_000_000;

/// Appends a date.
pub(super) fn date(value: Ref<'_>, out: &mut Vec<u8>) -> Result<(), Unfit> {
    match value {
        Ref::Date(days) => iso(out, |out| write_date(days, out)),
        Ref::Ts { us, offset } => {
            let shift = if offset == NO_ZONE { 0 } else { i64::from(offset) * 60_000_000 };
            let local = us.saturating_add(shift);
            let days = i32::try_from(local.div_euclid(DAY)).ok().filter(|_| local.rem_euclid(DAY) == 0);
            let days = days.ok_or_else(|| {
                Unfit::new(
                    "postgres.inexact",
                    "holds a day, and the field has a time of day too; cast it to date",
                )
            })?;
            iso(out, |out| write_date(days, out));
        }
        Ref::Str(text) => in_text(text, |text| parse_date(text).map(drop), "2024-02-29", out)?,
        _ => return Err(wrong_kind(value, "days")),
    }
    Ok(())
}

/// Appends a time of day.
pub(super) fn time(value: Ref<'_>, out: &mut Vec<u8>) -> Result<(), Unfit> {
    match value {
        Ref::Time(us) => write_time(us, out),
        // PostgreSQL knows the end of a day as well.
        Ref::Str("24:00:00") => out.extend_from_slice(b"24:00:00"),
        Ref::Str(text) => in_text(text, |text| parse_time(text).map(drop), "13:05:59.5", out)?,
        _ => return Err(wrong_kind(value, "times of day")),
    }
    Ok(())
}

/// Appends a timestamp: with zone the moment, without the local time as given or, if it has a zone, that of UTC. A local
/// time in a column with zone is taken for UTC.
pub(super) fn timestamp(value: Ref<'_>, zoned: bool, out: &mut Vec<u8>) -> Result<(), Unfit> {
    let suffix = if zoned { 0 } else { NO_ZONE };
    match value {
        Ref::Ts { us, .. } => iso(out, |out| write_timestamp(us, suffix, out)),
        Ref::Date(days) => iso(out, |out| write_timestamp(i64::from(days) * DAY, suffix, out)),
        Ref::Str(text) => match parse_timestamp(text) {
            Ok((us, _)) => iso(out, |out| write_timestamp(us, suffix, out)),
            Err(TimeError::Form) if parse_date(text).is_ok() => {
                iso(out, |out| out.extend_from_slice(text.as_bytes()))
            }
            // Beyond what 64 bits of microseconds from 1970 reach, PostgreSQL still reaches some years.
            Err(_) => in_text(text, |text| parse_timestamp(text).map(drop), "2024-02-29T13:05:59Z", out)?,
        },
        _ => return Err(wrong_kind(value, "moments")),
    }
    Ok(())
}

fn in_text(
    text: &str,
    parse: impl Fn(&str) -> Result<(), TimeError>,
    example: &str,
    out: &mut Vec<u8>,
) -> Result<(), Unfit> {
    if text.eq_ignore_ascii_case("infinity") || text.eq_ignore_ascii_case("-infinity") {
        out.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    let as_shown = text.strip_suffix(" BC").unwrap_or(text);
    match parse(as_shown) {
        // What does not exist is the server's to refuse, in its words.
        Ok(()) | Err(TimeError::Range) if as_shown.len() < text.len() => {
            out.extend_from_slice(text.as_bytes())
        }
        Ok(()) | Err(TimeError::Range) => iso(out, |out| out.extend_from_slice(text.as_bytes())),
        Err(fault @ TimeError::Form) => {
            let what = format!(
                "cannot take {text:?}, which {fault}; write {example}, or cast the field with its format"
            );
            return Err(Unfit::new("postgres.bad_date", what));
        }
        Err(fault) => {
            return Err(Unfit::new("postgres.inexact", format!("cannot take {text:?}, which {fault}")));
        }
    }
    Ok(())
}

/// Appends what `write` writes in ISO 8601, with its year as PostgreSQL has it.
fn iso(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let (sign, digits) = match out.get(start) {
        Some(sign @ (b'+' | b'-')) => (*sign, start + 1),
        _ => (b'+', start),
    };
    let end = digits + out[digits..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let year: i64 =
        std::str::from_utf8(&out[digits..end]).ok().and_then(|year| year.parse().ok()).unwrap_or(1);
    if sign == b'-' || (year == 0 && out.get(end) == Some(&b'-')) {
        let rest = out[end..].to_vec();
        out.truncate(start);
        out.extend_from_slice(format!("{:04}", year + 1).as_bytes());
        out.extend_from_slice(&rest);
        out.extend_from_slice(b" BC");
    } else if digits > start {
        out.remove(start);
    }
}

#[cfg(test)]
mod tests {
    use fairway_engine::data::Value;

    use super::*;

    fn written(write: impl Fn(&mut Vec<u8>) -> Result<(), Unfit>) -> Result<String, &'static str> {
        let mut out = b"x".to_vec();
        write(&mut out).map(|()| String::from_utf8(out).unwrap()[1..].to_owned()).map_err(|unfit| unfit.code)
    }

    #[test]
    fn dates_and_times_are_never_guessed() {
        let text = |text: &str| Value::Str(text.into());
        for (value, shown) in [
            (Value::Date(0), Ok("1970-01-01")),
            (Value::Date(-719_529), Ok("0002-12-31 BC")),
            (text("-0043-03-15"), Ok("0044-03-15 BC")),
            (text("0044-03-15 BC"), Ok("0044-03-15 BC")),
            (text("+10000-01-01"), Ok("10000-01-01")),
            (text("infinity"), Ok("infinity")),
            (text("2024-02-30"), Ok("2024-02-30")),
            (text("2024-02-29T10:00:00"), Err("postgres.bad_date")),
            (text("today"), Err("postgres.bad_date")),
            (text("03/04/05"), Err("postgres.bad_date")),
            (Value::Ts { us: DAY, offset: 0 }, Ok("1970-01-02")),
            (Value::Ts { us: 1, offset: 0 }, Err("postgres.inexact")),
            (Value::I64(1), Err("postgres.wrong_type")),
        ] {
            assert_eq!(written(|out| date(value.as_ref(), out)), shown.map(str::to_owned), "{value:?}");
        }
        for (value, local, moment) in [
            (text("2024-02-29T01:00:00+02:00"), "2024-02-28T23:00:00", "2024-02-28T23:00:00Z"),
            (text("2024-02-29"), "2024-02-29", "2024-02-29"),
            (Value::Ts { us: 0, offset: NO_ZONE }, "1970-01-01T00:00:00", "1970-01-01T00:00:00Z"),
            (text("+294276-12-31T00:00:00Z"), "294276-12-31T00:00:00Z", "294276-12-31T00:00:00Z"),
        ] {
            assert_eq!(written(|out| timestamp(value.as_ref(), false, out)).as_deref(), Ok(local));
            assert_eq!(written(|out| timestamp(value.as_ref(), true, out)).as_deref(), Ok(moment));
        }
        assert_eq!(
            written(|out| timestamp(Ref::Str("2024-02-29T00:00:00.0000001Z"), true, out)),
            Err("postgres.inexact")
        );
        assert_eq!(written(|out| time(Ref::Str("allballs"), out)), Err("postgres.bad_date"));
    }
}
