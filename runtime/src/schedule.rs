//! When a scheduled channel runs: cron words in a time zone.
//!
//! Where clocks are put forward, a time that is skipped comes at the first moment after it; where they are put back, a fixed time comes
//! once, and one that repeats (`*`, `*/15`) goes on through both hours.

use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use fairway_shared::channel::{Channel, Schedule};
use fairway_shared::diagnostic::{Diagnostic, Place, codes};

/// The times of a schedule.
pub(crate) struct Times {
    cron: Cron,
    zone: Tz,
}

impl Times {
    /// The times that a schedule names.
    ///
    /// # Errors
    /// What is wrong with it, placed in the document.
    pub(crate) fn new(schedule: &Schedule) -> Result<Self, Box<Diagnostic>> {
        let fault = |field: &str, code, message: String| {
            Diagnostic::error(code, Place::at(format!("/spec/settings/schedule/{field}")), message)
        };
        let zone = Tz::from_str(&schedule.timezone).map_err(|_| {
            let message = format!("there is no time zone `{}`", schedule.timezone);
            let near = fairway_shared::suggest::closest(
                &schedule.timezone,
                chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()),
            );
            let near = near.map(|near| format!("Did you mean `{near}`? ")).unwrap_or_default();
            Box::new(
                fault("timezone", codes::SCHEDULE_TIMEZONE, message)
                    .help(format!("{near}Name an IANA time zone such as `UTC` or `Europe/Berlin`.")),
            )
        })?;
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let cron = parser.parse(&schedule.cron).map_err(|_| {
            let message = format!("`{}` is no cron expression: {}", schedule.cron, wrong(&parser, &schedule.cron));
            Box::new(fault("cron", codes::SCHEDULE_CRON, message).help(
                "Five words: minute, hour, day of the month, month, day of the week; `0 2 * * *` is every night at two.",
            ))
        })?;
        let times = Self { cron, zone };
        match times.after(Utc::now()) {
            Some(_) => Ok(times),
            None => Err(Box::new(
                fault("cron", codes::SCHEDULE_NEVER, format!("`{}` never comes", schedule.cron))
                    .help("No calendar has such a day."),
            )),
        }
    }

    /// The first time after a moment.
    pub(crate) fn after(&self, moment: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let found = self.cron.find_next_occurrence(&moment.with_timezone(&self.zone), false);
        found.ok().map(|time| time.with_timezone(&Utc))
    }

    /// The next three times, with the offset of their zone.
    pub(crate) fn next_three(&self, moment: DateTime<Utc>) -> Vec<String> {
        let times = std::iter::successors(self.after(moment), |time| self.after(*time));
        let shown =
            |time: DateTime<Utc>| time.with_timezone(&self.zone).to_rfc3339_opts(SecondsFormat::Secs, true);
        times.take(3).map(shown).collect()
    }
}

/// What is wrong with a cron expression: how many words it has, or which of them says nothing.
fn wrong(parser: &CronParser, cron: &str) -> String {
    const MEANS: [&str; 5] = ["minute", "hour", "day of the month", "month", "day of the week"];
    let words: Vec<&str> = cron.split_whitespace().collect();
    if words.len() != MEANS.len() {
        return format!("five words are wanted, and it has {}", words.len());
    }
    let alone = |at: usize| {
        let mut all = ["*"; MEANS.len()];
        all[at] = words[at];
        parser.parse(&all.join(" ")).is_err()
    };
    match (0..MEANS.len()).find(|at| alone(*at)) {
        Some(at) => format!("`{}` is no {}", words[at], MEANS[at]),
        None => "its words do not go together".to_owned(),
    }
}

/// What is wrong with a channel's schedule.
pub(crate) fn check(channel: &Channel) -> Option<Diagnostic> {
    channel
        .spec
        .settings
        .schedule
        .as_deref()
        .and_then(|schedule| Times::new(schedule).err().map(|fault| *fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(cron: &str, zone: &str) -> Times {
        let schedule = Schedule { cron: cron.into(), timezone: zone.into(), ..Schedule::default() };
        Times::new(&schedule).unwrap_or_else(|fault| panic!("{fault}"))
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_skipped_time_comes_right_after_and_a_doubled_one_once() {
        // Berlin puts its clocks forward on 2026-03-29 at 2:00, and back on 2026-10-25 at 3:00.
        let nightly = times("30 2 * * *", "Europe/Berlin");
        assert_eq!(
            nightly.next_three(at("2026-03-28T00:00:00Z")),
            ["2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"]
        );
        assert_eq!(
            nightly.next_three(at("2026-10-24T12:00:00Z")),
            ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00", "2026-10-27T02:30:00+01:00"]
        );
        let hourly = times("0 * * * *", "Europe/Berlin");
        assert_eq!(
            hourly.next_three(at("2026-10-25T00:00:00Z")),
            ["2026-10-25T02:00:00+01:00", "2026-10-25T03:00:00+01:00", "2026-10-25T04:00:00+01:00"]
        );
    }

    #[test]
    fn what_is_wrong_with_words_is_said() {
        for (cron, expected) in [
            ("* * * *", "five words are wanted, and it has 4"),
            ("* * * * * *", "five words are wanted, and it has 6"),
            ("61 * * * *", "`61` is no minute"),
            ("0 2 * 13 *", "`13` is no month"),
            ("0 2 x * 9", "`x` is no day of the month"),
        ] {
            let schedule = Schedule { cron: cron.into(), timezone: "UTC".into(), ..Schedule::default() };
            let fault = Times::new(&schedule).err().unwrap();
            assert_eq!(fault.message, format!("`{cron}` is no cron expression: {expected}"));
        }
    }

    #[test]
    fn times_only_go_forward_all_year_and_none_is_left_out() {
        for zone in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"] {
            let (hourly, daily) = (times("7 * * * *", zone), times("15 2 * * *", zone));
            let start = at("2026-01-01T00:00:00Z");
            let count = |times: &Times, most: i64| {
                let all = std::iter::successors(times.after(start), |time| times.after(*time));
                let all: Vec<_> = all.take_while(|time| *time < at("2027-01-01T00:00:00Z")).collect();
                assert!(all.is_sorted_by(|a, b| a < b && (*b - *a).num_minutes() <= most), "{zone}");
                all.len()
            };
            assert!((8758..=8761).contains(&count(&hourly, 120)), "{zone}");
            assert_eq!(count(&daily, 25 * 60), 365, "{zone}");
        }
    }

    #[test]
    fn what_comes_every_few_years_is_found() {
        assert_eq!(
            times("0 0 29 2 *", "UTC").after(at("2026-11-30T00:00:00Z")),
            Some(at("2028-02-29T00:00:00Z"))
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let fault = |cron: &str, zone: &str| {
            let schedule = Schedule { cron: cron.into(), timezone: zone.into(), ..Schedule::default() };
            Times::new(&schedule)
                .err()
                .map(|fault| (fault.code.to_string(), fault.place.pointer, fault.help.is_some()))
        };
        let expected = |code: &str, field: &str| {
            Some((code.to_owned(), format!("/spec/settings/schedule/{field}"), true))
        };
        assert_eq!(fault("every night", "UTC"), expected("schedule.cron", "cron"));
        assert_eq!(fault("", "UTC"), expected("schedule.cron", "cron"));
        assert_eq!(fault("0 0 2 * * *", "UTC"), expected("schedule.cron", "cron"));
        assert_eq!(fault("0 0 31 2 *", "UTC"), expected("schedule.never", "cron"));
        assert_eq!(fault("0 2 * * *", "Europe/Berln"), expected("schedule.timezone", "timezone"));
        assert_eq!(fault("*/15 8-18 * * MON-FRI", "America/New_York"), None);
    }
}
