//! What a file is called and when the next one begins: a single file, or a series of them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fairway_engine::component::Issue;
use fairway_engine::data::time::write_timestamp;
use fairway_engine::units::{Size, Span};

use super::{Mode, is_side_file};

/// When the next file of a series begins; whatever comes first.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// Bytes that a file has at most before its last record.
    pub(crate) bytes: Option<u64>,
    /// Most records of a file.
    pub(crate) records: Option<u64>,
    /// Longest time from the beginning of a file to its last commit.
    pub(crate) age: Option<Duration>,
}

impl Limits {
    fn any(&self) -> bool {
        self.bytes.is_some() || self.records.is_some() || self.age.is_some()
    }

    /// Whether a file takes no more records.
    pub(super) fn reached(&self, bytes: u64, records: u64) -> bool {
        records > 0
            && (self.bytes.is_some_and(|most| bytes >= most)
                || self.records.is_some_and(|most| records >= most))
    }

    /// Whether a file was begun too long ago.
    pub(super) fn outlived(&self, began: i64) -> bool {
        let past = now().saturating_sub(began);
        self.age.is_some_and(|age| u64::try_from(past).is_ok_and(|past| Duration::from_secs(past) >= age))
    }
}

/// A path in which `{n}` stands for the number of the file in the series, `{time}` for the moment it was begun and `{date}`
/// for that day, both in UTC.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(super) path: String,
    pub(super) limits: Limits,
}

impl Series {
    /// Whether there may be more than one file.
    pub(super) fn is_series(&self) -> bool {
        self.path.contains("{n}")
    }

    /// The path of one file.
    pub(super) fn name(&self, number: u64, began: i64) -> String {
        if !self.is_series() {
            return self.path.clone();
        }
        let mut stamp = Vec::new();
        write_timestamp(began.saturating_mul(1_000_000), 0, &mut stamp);
        let stamp = String::from_utf8(stamp).unwrap_or_default();
        let date = stamp.split('T').next().unwrap_or_default();
        let time = stamp.replace(['-', ':'], "");
        // Of equal length, so that names are in the order of numbers.
        self.path.replace("{n}", &format!("{number:06}")).replace("{time}", &time).replace("{date}", date)
    }
}

/// Some paths that a path of a sink may stand for.
pub(crate) fn examples(path: &str) -> Vec<String> {
    let series = Series { path: path.to_owned(), limits: Limits::default() };
    (1..=9).map(|number| series.name(number, 0)).collect()
}

/// Seconds since 1970-01-01 UTC.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// The settings about rolling as they stand in a sink.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rolling<'a> {
    pub(crate) path: &'a str,
    pub(crate) mode: Mode,
    pub(crate) size: Option<&'a Size>,
    pub(crate) records: Option<u64>,
    pub(crate) age: Option<&'a Span>,
}

impl Rolling<'_> {
    /// What is wrong with the settings.
    pub(crate) fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if is_side_file(self.path) {
            let message = format!("`{}` is the name of a side file", self.path);
            issues.push(Issue::new("path", message, "choose a name with another ending than `.fairway`"));
        }
        let series = self.path.contains("{n}");
        let limits = self.limits();
        if limits.any() && !series {
            let message = "files that roll need a number in their names";
            issues.push(Issue::new(
                "path",
                message,
                "write `{n}` where it stands, as in `out/orders-{n}.csv`",
            ));
        }
        if series && !limits.any() {
            let message = "`{n}` numbers the files of a series, and nothing says when the next one begins";
            issues.push(Issue::new(
                "path",
                message,
                "set `roll_size`, `roll_records` or `roll_every`, or take `{n}` out of the path",
            ));
        }
        if !series && (self.path.contains("{time}") || self.path.contains("{date}")) {
            let message = "`{time}` and `{date}` stand for the beginning of a file of a series";
            issues.push(Issue::new("path", message, "add `{n}`, the number of the file"));
        }
        if self.path.rsplit_once('/').is_some_and(|(folders, _)| folders.contains('{')) && series {
            let message = "only the name of a file is numbered, not its folders";
            issues.push(Issue::new(
                "path",
                message,
                "write `{n}`, `{time}` and `{date}` behind the last `/`",
            ));
        }
        if series && self.mode == Mode::Overwrite {
            let message = "files of a series are never overwritten";
            issues.push(Issue::new(
                "mode",
                message,
                "choose `append` or `create`, or take `{n}` out of the path",
            ));
        }
        if self.size.is_some_and(|size| size.get() == 0) {
            issues.push(Issue::new("roll_size", "no file is that small", "write `100MB` or `64KiB`"));
        }
        if self.age.is_some_and(|age| age.get() < Duration::from_secs(1)) {
            issues.push(Issue::new("roll_every", "files roll by the second", "write `1h` or `30s`"));
        }
        issues
    }

    /// What the files are called and when they roll.
    pub(crate) fn series(&self) -> Series {
        Series { path: self.path.to_owned(), limits: self.limits() }
    }

    fn limits(&self) -> Limits {
        Limits {
            bytes: self.size.map(|size| size.get() as u64),
            records: self.records,
            age: self.age.map(Span::get),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_numbers() {
        let series = |path: &str| Series { path: path.into(), limits: Limits::default() };
        assert_eq!(series("out/a.csv").name(7, 0), "out/a.csv");
        assert_eq!(
            series("a-{date}-{time}-{n}.csv").name(7, 86_399),
            "a-1970-01-01-19700101T235959Z-000007.csv"
        );
        let names: Vec<String> = [9, 10, 99_999].map(|number| series("a{n}").name(number, 0)).into();
        assert!(names.is_sorted());
    }

    #[test]
    fn settings_that_contradict_each_other_are_said() {
        let (none, mega, hour, short) =
            (Size::parse("0"), Size::parse("1MB"), Span::parse("1h"), Span::parse("1ms"));
        let (mega, none, hour, short) = (mega.as_ref(), none.as_ref(), hour.as_ref(), short.as_ref());
        let rolling = |path, mode, size, age| Rolling { path, mode, size, records: None, age };
        for (rolling, field) in [
            (rolling("a.csv", Mode::Append, mega, None), Some("path")),
            (rolling("a-{date}.csv", Mode::Append, None, None), Some("path")),
            (rolling("a-{n}.csv", Mode::Append, None, None), Some("path")),
            (rolling("a.csv.fairway", Mode::Append, None, None), Some("path")),
            (rolling("a.csv.fairway.new", Mode::Append, None, None), Some("path")),
            (rolling("a-{n}.csv", Mode::Overwrite, mega, None), Some("mode")),
            (rolling("a-{n}.csv", Mode::Append, none, None), Some("roll_size")),
            (rolling("a-{n}.csv", Mode::Append, None, short), Some("roll_every")),
            (rolling("a-{n}.csv", Mode::Create, mega, hour), None),
            (rolling("a.csv", Mode::Overwrite, None, None), None),
        ] {
            let fields: Vec<String> = rolling.check().into_iter().map(|issue| issue.field).collect();
            assert_eq!(fields, Vec::from_iter(field.map(str::to_owned)), "{rolling:?}");
        }
    }
}
