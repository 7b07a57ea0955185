//! `sqlite_table_source`: rows of tables in a SQLite file, one time or as they come.

use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SourceConfig};
use fairway_engine::files::Files;
use fairway_engine::probe::{ProbeConfig, ProbeCtx, Sample, SampleConfig, SampleCtx};
use fairway_engine::source::{Source, SourceCtx};
use fairway_engine::units::Span;
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reading::names::Names;
use crate::reading::sampling::sample;
use crate::reading::size::default_max_record_bytes;
use crate::reading::table_source::TableSource;
use crate::reading::wish::{Keyless, Mode, Nulls, VARIES, Wish};
use crate::sqlite::connect::Database;
use crate::sqlite::reading::{Reader, probe};

/// Reads rows of tables in a SQLite file: all of them once, or new and changed ones as they come.
///
/// Each table is a partition of its own with a position of its own. Records have the columns as fields and the primary key as
/// their key; where several tables may be read, the header `table` names the one. With a pattern, tables made while the
/// channel runs are found and read. The file is only read, and nothing in it is changed.
///
/// **Modes.** `bulk` reads all rows in the order of the key, goes on there after a stop, and ends. `incrementing` reads
/// rows whose number is greater than the last: new rows only. `timestamp` reads rows whose time of change is as late as the
/// last or later: rows that share the last time are looked for again and delivered once. `timestamp_incrementing` does so with
/// a column that tells rows of the same time apart. `query` reads the answer to a SELECT, once or by one of these
/// columns. A row that is deleted is not noticed. An index on the columns spares SQLite from sorting for every batch.
///
/// **What is not seen.** A number smaller than one that was read is never read: SQLite gives the number of a deleted last row
/// again unless the table is declared `AUTOINCREMENT`. A time earlier than the last one read is never read either.
/// A table that is dropped and made again is taken for the same one, and so is a file that another is put in the place of:
/// start the source over.
///
/// **Once or twice.** Each row is delivered exactly once to targets that can, with any key. A view or a query without
/// `key` and without a column to go by can only be read from its beginning again after a stop: at least once. With a query
/// that is understood; a view waits until you set `without_key` to `read_again`. A table without
/// a primary key is read by its row number; `VACUUM` may give new ones, so do not vacuum while such a table is half read.
///
/// **Values.** What SQLite holds is what comes: whole numbers, floating point numbers, text, bytes, null, whatever the column
/// declares. In columns declared `BOOLEAN` 0 and 1 are false and true. Text that is not UTF-8 is refused.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SqliteTableSource {
    /// A connection that names the file; what is set here counts more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    connection: Option<String>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 2, "access": true, "widget": "path", "placeholder": "in/shop.db"}))]
    path: Option<String>,
    /// How rows that were not read yet are found.
    #[serde(default = "default_mode")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    mode: Mode,
    /// Tables and views: exact names, or patterns with `*` and `?`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 4, "show_if": {"mode": ["bulk", "incrementing", "timestamp", "timestamp_incrementing"]}}))]
    tables: Vec<String>,
    /// Tables that are left out of the above: names or patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 5, "advanced": true, "show_if": {"mode": ["bulk", "incrementing", "timestamp", "timestamp_incrementing"]}}))]
    exclude: Vec<String>,
    /// A SELECT statement, asked as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 6, "widget": "code", "placeholder": "SELECT id, name FROM customers", "show_if": {"mode": ["query"]}}))]
    query: Option<String>,
    /// The column whose values only rise, such as an identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 7, "placeholder": "id", "show_if": {"mode": ["incrementing", "timestamp_incrementing", "query"]}}))]
    incrementing_column: Option<String>,
    /// The column with the time of the last change. Values must sort by time as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 8, "placeholder": "updated_at", "show_if": {"mode": ["timestamp", "timestamp_incrementing", "query"]}}))]
    timestamp_column: Option<String>,
    /// Columns that tell rows apart; the primary key if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 9, "widget": "fields"}))]
    key: Vec<String>,
    /// Tables and views whose rows nothing tells apart.
    #[serde(default = "default_without_key")]
    #[schemars(extend("x-ui" = {"order": 10, "advanced": true, "show_if": {"mode": ["bulk"]}}))]
    without_key: Keyless,
    /// Columns that records have; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 11, "widget": "fields"}))]
    columns: Vec<String>,
    /// Rows that have no value in a column that they are read by.
    #[serde(default = "default_null_cursor")]
    #[schemars(extend("x-ui" = {"order": 12, "advanced": true}))]
    null_cursor: Nulls,
    /// Time between two looks for new rows.
    #[serde(default = "default_poll")]
    #[schemars(extend("x-ui" = {"order": 13, "show_if": {"mode": ["incrementing", "timestamp", "timestamp_incrementing", "query"]}}))]
    poll: Span,
    /// Most records handed on at once.
    #[serde(default = "default_batch")]
    #[schemars(range(min = 1, max = 10_000), extend("x-ui" = {"order": 14, "advanced": true}))]
    batch: u32,
    /// Most bytes that one record may have; longer ones are refused, without the values that make them long.
    #[serde(default = "default_max_record_bytes")]
    #[schemars(range(min = 1024, max = 1_073_741_824), extend("x-ui" = {"order": 15, "advanced": true}))]
    max_record_bytes: u32,
}

fn default_mode() -> Mode {
    Mode::Bulk
}

fn default_without_key() -> Keyless {
    Keyless::Refuse
}

fn default_null_cursor() -> Nulls {
    Nulls::Wait
}

fn default_poll() -> Span {
    Span::parse("1s").expect("it is one")
}

fn default_batch() -> u32 {
    1000
}

impl SqliteTableSource {
    fn wish(&self) -> Wish {
        Wish {
            mode: self.mode,
            names: Names { include: self.tables.clone(), exclude: self.exclude.clone() },
            columns: self.columns.clone(),
            key: self.key.clone(),
            incrementing: self.incrementing_column.clone(),
            timestamp: self.timestamp_column.clone(),
            query: self.query.clone(),
            nulls: self.null_cursor,
            keyless: self.without_key,
            poll: self.poll.get(),
            batch: self.batch as usize,
            record_bytes: self.max_record_bytes as usize,
            overlap: Duration::ZERO,
        }
    }

    fn file(&self, files: &Files) -> Result<Database, Error> {
        let Some(path) = &self.path else {
            return Err(Error::config("sqlite.no_path", "the connection names no file")
                .help("set `path` in the connection, or here"));
        };
        Database::read_only(files, path)
    }

    fn start(self, cx: SourceCtx, waits: bool) -> Result<TableSource, Error> {
        if let Some(issue) = self.check().into_iter().next() {
            let error = Error::config("sqlite.bad_config", format!("`{}`: {}", issue.field, issue.message));
            return Err(issue.help.into_iter().fold(error, Error::help));
        }
        let wish = self.wish();
        let reader = Reader::new(self.file(&cx.files)?, &wish);
        Ok(TableSource::start(reader, wish, cx, waits))
    }
}

impl Config for SqliteTableSource {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        bounded: true,
        catches_up: true,
        varies: VARIES,
        position_fields: &["path", "mode", "incrementing_column", "timestamp_column", "key", "query"],
        examples: &[
            ("All rows of a table, once", r#"{"path":"in/shop.db","tables":["orders"]}"#),
            (
                "New rows of every table as they come",
                r#"{"path":"in/shop.db","mode":"incrementing","tables":["*"],"exclude":["tmp_*"],"incrementing_column":"id"}"#,
            ),
            (
                "New and changed rows",
                r#"{"connection":"shop","mode":"timestamp","tables":["customers"],"timestamp_column":"updated_at","poll":"500ms"}"#,
            ),
            (
                "The answer to a query, by a column of it",
                r#"{"path":"in/shop.db","mode":"query","query":"SELECT o.id, o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer","incrementing_column":"id"}"#,
            ),
        ],
        ..Meta::new("sqlite_table_source", "SQLite tables", "sql")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.path.is_none() && self.connection.is_none() {
            issues.push(Issue::new("path", "no file is named", "name one here, or a connection that does"));
        }
        issues.extend(self.wish().issues());
        issues
    }
}

#[async_trait]
impl SourceConfig for SqliteTableSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        Ok(Box::new(self.start(cx, true)?))
    }
}

#[async_trait]
impl SampleConfig for SqliteTableSource {
    async fn sample(self, cx: SampleCtx) -> Result<Sample, Error> {
        sample(cx, |cx| self.start(cx, false)).await
    }
}

#[async_trait]
impl ProbeConfig for SqliteTableSource {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let file = self.file(&cx.files)?;
        let chosen = self.tables.first().map(String::as_str);
        match tokio::time::timeout(cx.deadline, probe(&file, chosen)).await {
            Ok(probe) => probe,
            Err(_) => Err(Error::outage("sqlite.no_answer", "the file does not answer in time")
                .help("see whether another program holds it, and the disk works")),
        }
    }
}

#[cfg(test)]
mod tests;
