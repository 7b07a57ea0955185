//! What the settings ask for, and which columns a table is therefore read by.

use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::component::{Issue, Varies};
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::names::Names;

/// How rows that were not read yet are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// All rows once, in the order of the key; then the source ends.
    Bulk,
    /// New rows, by a column whose values only rise.
    Incrementing,
    /// New and changed rows, by the time of the last change.
    Timestamp,
    /// New and changed rows, by the time of the last change; a rising column tells rows of the same time apart.
    TimestampIncrementing,
    /// The answer to a query: once, or by a rising or a time column of the answer.
    Query,
}

/// What becomes of a table whose cursor column is null in some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Nulls {
    /// The source says so and waits: such a row has no place in the order.
    Wait,
    /// Such rows are not read until they get a value.
    Skip,
}

/// What becomes of a table or view that is read whole and whose rows nothing tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Keyless {
    /// The source says so and waits.
    Refuse,
    /// After a stop it is read from its beginning again: rows may come twice.
    ReadAgain,
}

/// What the settings change of what table sources promise: all modes but two wait for more, and what is read from its beginning again
/// because nothing tells its rows apart comes at least once.
pub(crate) const VARIES: &[Varies] = &[
    Varies::endless(&[("mode", &["incrementing", "timestamp", "timestamp_incrementing"])]),
    Varies::endless(&[("mode", &["query"]), ("incrementing_column", &["*"])]),
    Varies::endless(&[("mode", &["query"]), ("timestamp_column", &["*"])]),
    Varies {
        when: &[
            ("mode", &["query"]),
            ("key", &[""]),
            ("incrementing_column", &[""]),
            ("timestamp_column", &[""]),
        ],
        delivery: Some(Guarantee::AtLeastOnce),
        bounded: None,
        cluster: false,
    },
    Varies {
        when: &[("mode", &["bulk"]), ("key", &[""]), ("without_key", &["read_again"])],
        delivery: Some(Guarantee::AtLeastOnce),
        bounded: None,
        cluster: false,
    },
];

/// What to read, whichever the database.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) mode: Mode,
    pub(crate) names: Names,
    /// Empty for all.
    pub(crate) columns: Vec<String>,
    /// Empty for the primary key.
    pub(crate) key: Vec<String>,
    pub(crate) incrementing: Option<String>,
    pub(crate) timestamp: Option<String>,
    pub(crate) query: Option<String>,
    pub(crate) nulls: Nulls,
    pub(crate) keyless: Keyless,
    pub(crate) poll: Duration,
    pub(crate) batch: usize,
    /// Most bytes of a record.
    pub(crate) record_bytes: usize,
    /// How far behind the newest time rows are looked for again.
    pub(crate) overlap: Duration,
}

impl Wish {
    /// Rules across the settings that all databases share.
    pub(crate) fn issues(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        let mut issue = |field: &str, message: &str, help: &str| {
            issues.push(Issue::new(field, message, help));
        };
        let has_query = self.query.as_ref().is_some_and(|query| !query.trim().is_empty());
        match (self.mode, has_query) {
            (Mode::Query, false) => {
                issue("query", "there is no query", "write a SELECT, or choose another mode")
            }
            (Mode::Query, true) => {}
            (_, true) => {
                issue("query", "a query is only asked with mode `query`", "choose that mode, or remove it")
            }
            (_, false) if self.names.is_empty() => {
                issue("tables", "no table is named", "name one, or a pattern such as `*`");
            }
            (_, false) => {}
        }
        let by_number = matches!(self.mode, Mode::Incrementing | Mode::TimestampIncrementing);
        if by_number && self.incrementing.is_none() {
            issue("incrementing_column", "this mode needs a column whose values only rise", "name it");
        }
        let by_time = matches!(self.mode, Mode::Timestamp | Mode::TimestampIncrementing);
        if by_time && self.timestamp.is_none() {
            issue(
                "timestamp_column",
                "this mode needs the column with the time of the last change",
                "name it",
            );
        }
        if !by_number && self.mode != Mode::Query && self.incrementing.is_some() {
            issue("incrementing_column", "this mode does not use it", "choose another mode, or remove it");
        }
        if !by_time && self.mode != Mode::Query && self.timestamp.is_some() {
            issue("timestamp_column", "this mode does not use it", "choose another mode, or remove it");
        }
        if !self.overlap.is_zero() && self.by_time().is_none() {
            let help = "name a time column in a mode that uses it, or remove it";
            issues.push(Issue::new("overlap", "only what is read by time can overlap", help));
        }
        for (field, names) in [("key", &self.key), ("columns", &self.columns)] {
            for (at, name) in names.iter().enumerate() {
                if names[..at].contains(name) {
                    let message = format!("`{name}` is named twice");
                    issues.push(Issue::new(format!("{field}.{at}"), message, "name each column once"));
                }
            }
        }
        issues
    }

    /// Whether the source ends when everything was read once.
    pub(crate) fn is_bounded(&self) -> bool {
        self.by_time().is_none() && self.by_number().is_none()
    }

    /// How far behind the newest time rows are looked for again, in microseconds; 0 where they are not read by time.
    pub(crate) fn overlap_us(&self) -> i64 {
        let overlap = i64::try_from(self.overlap.as_micros()).unwrap_or(i64::MAX);
        if self.by_time().is_some() { overlap } else { 0 }
    }

    /// The column with the time of the last change, where rows are read by it.
    pub(crate) fn by_time(&self) -> Option<&str> {
        let used = matches!(self.mode, Mode::Timestamp | Mode::TimestampIncrementing | Mode::Query);
        self.timestamp.as_deref().filter(|_| used)
    }

    fn by_number(&self) -> Option<&str> {
        let used = matches!(self.mode, Mode::Incrementing | Mode::TimestampIncrementing | Mode::Query);
        self.incrementing.as_deref().filter(|_| used)
    }

    /// By which columns a table is read.
    ///
    /// # Errors
    /// Kind `Config`, when its rows cannot be told apart and the mode needs that.
    pub(crate) fn way(&self, facts: &dyn Facts) -> Result<Way, Error> {
        let key: Vec<String> = if self.key.is_empty() { facts.primary_key() } else { self.key.clone() };
        let beside = |cursor: &str, others: &[String]| {
            let others = others.iter().filter(|name| *name != cursor).cloned();
            std::iter::once(cursor.to_owned()).chain(others).collect::<Vec<_>>()
        };
        let (columns, window) = match (self.by_time(), self.by_number()) {
            (Some(time), Some(number)) => (beside(time, &[number.to_owned()]), true),
            (Some(_), None) if key.is_empty() => {
                let what =
                    format!("rows of `{}` cannot be told apart: there is no primary key", facts.name());
                return Err(Error::config("table.no_key", what).help(
                    "name columns that tell rows apart in `key`, or use `timestamp_incrementing` with a column that does",
                ));
            }
            (Some(time), None) => (beside(time, &key), true),
            (None, Some(number)) if key.is_empty() || facts.is_unique(number) => {
                (vec![number.to_owned()], false)
            }
            (None, Some(number)) => (beside(number, &key), true),
            (None, None) if key.is_empty() && self.mode == Mode::Bulk && self.keyless == Keyless::Refuse => {
                let what = format!(
                    "nothing tells the rows of `{}` apart: it would have to be read from its beginning again after a stop",
                    facts.name()
                );
                return Err(Error::config("table.no_key", what).help(
                    "name columns that tell rows apart in `key`, or set `without_key` to `read_again` and have rows come twice then",
                ));
            }
            (None, None) => (key.clone(), false),
        };
        let orders = match &*columns {
            [] => Orders::Fresh,
            [one] if !window && facts.is_whole_number(one) => Orders::Value,
            _ => Orders::Journal,
        };
        Ok(Way { window: window && columns.len() > 1, columns, key, orders, once: self.is_bounded() })
    }
}

/// What is known of a table that decides how it can be read.
pub(crate) trait Facts {
    /// Its name.
    fn name(&self) -> &str;
    /// Columns of its primary key; empty if it has none.
    fn primary_key(&self) -> Vec<String>;
    /// Whether no two rows can have the same value here.
    fn is_unique(&self, column: &str) -> bool;
    /// Whether every value is a whole number of 64 bits.
    fn is_whole_number(&self, column: &str) -> bool;
}

/// Where the orders of a table's rows come from; see the module comment of [`super`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orders {
    Value,
    Journal,
    Fresh,
}

/// How a table is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// Rows are read in the order of these; none if there is no key.
    pub(crate) columns: Vec<String>,
    /// Whether rows may come late with a value of the first column that was read already: reading begins at that value
    /// again, and what is known is passed over.
    pub(crate) window: bool,
    pub(crate) orders: Orders,
    /// Columns of the records' keys.
    pub(crate) key: Vec<String>,
    /// Whether the table is done when it was read once.
    pub(crate) once: bool,
}
