//! Time zones: names with rules, and plain offsets.

use std::str::FromStr;

use chrono::{DateTime, MappedLocalTime, NaiveDateTime, Offset, TimeZone};
use chrono_tz::Tz;
use fairway_engine::data::NO_ZONE;
use fairway_engine::data::time::parse_timestamp;

use super::{Twice, Wrong};

const MINUTE: i64 = 60_000_000;

/// A zone.
#[derive(Debug, Clone, Copy)]
pub(super) enum Zone {
    /// Minutes east of UTC.
    Offset(i16),
    /// By name, with the rules of the IANA data that this build carries.
    Named(Tz),
}

impl Zone {
    /// Reads `Z`, `+02:00` or `Europe/Berlin`.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        if matches!(text, "Z" | "z" | "UTC") {
            return Ok(Self::Offset(0));
        }
        if text.starts_with(['+', '-']) {
            let moment = parse_timestamp(&format!("1970-01-02T00:00:00{text}"));
            return moment
                .map(|(_, offset)| Self::Offset(offset))
                .map_err(|_| format!("`{text}` is not an offset such as `+02:00`"));
        }
        Tz::from_str(text)
            .map(Self::Named)
            .map_err(|_| format!("there is no time zone `{text}`; names are such as `Europe/Berlin`"))
    }
}

/// A moment where it may have been a local time without zone: put into `zone`, if there is one.
pub(super) fn place(us: i64, offset: i16, zone: Option<&Zone>, twice: Twice) -> Result<(i64, i16), Wrong> {
    match zone {
        Some(Zone::Offset(minutes)) if offset == NO_ZONE => {
            let utc = us.checked_sub(i64::from(*minutes) * MINUTE).ok_or_else(out_of_range)?;
            Ok((utc, *minutes))
        }
        Some(Zone::Named(zone)) if offset == NO_ZONE => {
            let local = naive(us)?;
            let moment = match (zone.from_local_datetime(&local), twice) {
                (MappedLocalTime::Single(moment), _) => moment,
                (MappedLocalTime::Ambiguous(earlier, _), Twice::Earlier) => earlier,
                (MappedLocalTime::Ambiguous(_, later), Twice::Later) => later,
                (MappedLocalTime::Ambiguous(..), Twice::Reject) => {
                    let what = format!("comes twice in {zone}, when clocks are put back; set `twice`");
                    return Err(("time.ambiguous", what));
                }
                (MappedLocalTime::None, _) => {
                    let what = format!("does not exist in {zone}, where clocks skip it");
                    return Err(("time.skipped", what));
                }
            };
            Ok((moment.timestamp_micros(), minutes(&moment)?))
        }
        _ => Ok((us, offset)),
    }
}

/// The offset of a moment in another zone, or as it is where there is none.
pub(super) fn turn(us: i64, offset: i16, zone: Option<&Zone>) -> Result<i16, Wrong> {
    match zone {
        None => Ok(offset),
        Some(_) if offset == NO_ZONE => Err((
            "time.no_zone",
            "does not say its zone, so it has no time in another; set `zone`".to_owned(),
        )),
        Some(Zone::Offset(minutes)) => Ok(*minutes),
        Some(Zone::Named(zone)) => minutes(&zone.from_utc_datetime(&naive(us)?)),
    }
}

fn naive(us: i64) -> Result<NaiveDateTime, Wrong> {
    DateTime::from_timestamp_micros(us).map(|moment| moment.naive_utc()).ok_or_else(out_of_range)
}

/// The offset in minutes. Before railways, towns had offsets with seconds, which no timestamp can say.
fn minutes(moment: &DateTime<Tz>) -> Result<i16, Wrong> {
    let seconds = moment.offset().fix().local_minus_utc();
    let whole = (seconds % 60 == 0).then(|| i16::try_from(seconds / 60).ok()).flatten();
    whole.ok_or_else(|| {
        ("time.odd_offset", format!("is a time at which {} had an offset with seconds", moment.timezone()))
    })
}

fn out_of_range() -> Wrong {
    ("time.out_of_range", "is beyond the range of time zones".to_owned())
}
