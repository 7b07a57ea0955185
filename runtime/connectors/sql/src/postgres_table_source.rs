//! `postgres_table_source`: rows of tables in PostgreSQL, one time or as they come.

use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SourceConfig};
use fairway_engine::probe::{ProbeConfig, ProbeCtx, Sample, SampleConfig, SampleCtx};
use fairway_engine::secret::Secret;
use fairway_engine::source::{Source, SourceCtx};
use fairway_engine::units::Span;
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::postgres::connect::{Access, Session, Tls, session_prefix};
use crate::postgres::probe::{Chosen, probe};
use crate::postgres::reading::{Manner, Reader, Specials};
use crate::reading::names::Names;
use crate::reading::sampling::sample;
use crate::reading::size::default_max_record_bytes;
use crate::reading::table_source::TableSource;
use crate::reading::wish::{Keyless, Mode, Nulls, VARIES, Wish};

/// Reads rows of tables in PostgreSQL: all of them once, or new and changed ones as they come.
///
/// Each table is a partition of its own with a position of its own. Records have the columns as fields and the primary key as
/// their key; where several tables may be read, the header `table` names the one. With a pattern, tables made while the
/// channel runs are found and read. The session can only read; the user needs no more than `SELECT`.
///
/// **Modes.** `bulk` reads all rows in the order of the key, goes on there after a stop, and ends. `incrementing` reads
/// rows whose number is greater than the last: new rows only. `timestamp` reads rows whose time of change is as late as the
/// last or later: rows that share the last time are looked for again and delivered once. `timestamp_incrementing` does so with
/// a column that tells rows of the same time apart. `query` reads the answer to a SELECT, once or by one of these
/// columns. A row that is deleted is not noticed; for that, capture changes instead. An index on the columns spares the
/// server from sorting for every answer.
///
/// **Late commits.** A transaction may take a number or a time first and end last; a reader that follows what is visible would
/// miss its rows. With `horizon`, which is on unless you turn it off, rows are read only up to what was the last one
/// when every transaction was open that has ended since: nothing is missed, and a transaction that stays open holds new
/// rows back. In `incrementing` mode only transactions that write to the table count; by time, and for views and queries, all of
/// the database do. Without it, and for rows whose number or time was not made by the server while it wrote them (sequences with
/// `CACHE`, clocks of applications), there are `delay`, which leaves rows alone until their time is that old, and `overlap`, which
/// looks for late rows again so far behind the newest.
///
/// **Once or twice.** Each row is delivered exactly once to targets that can, if there is a key. What has no primary
/// key, no `key` and no column to go by can only be read from its beginning again after a stop: at least once. With
/// a query that is understood; a table or view waits until you set `without_key` to `read_again`. A table that is dropped and made again under its name is another one: the source waits for you to start it over.
///
/// **Values.** Numbers of any size keep every digit; `timestamptz` comes as UTC to the microsecond; `json` and `jsonb` come as
/// they are; arrays and composite types come as JSON; enums, networks, intervals, ranges and all other types come as
/// PostgreSQL's text. `infinity` and `NaN` in dates, times and decimals, and `24:00:00`, are what `special_values` says.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PostgresTableSource {
    /// A connection that says where the database is; what is set here counts more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    connection: Option<String>,
    /// Address of the database in one line, as `postgres://user@host:5432/database`; single settings count more. Refer to the
    /// password in it by `${secret:name}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", extend("x-ui" = {"order": 2, "access": true, "placeholder": "postgres://app@db.example.com/shop"}))]
    url: Option<Secret>,
    /// Name or address of the server's machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 3, "access": true, "placeholder": "db.example.com"}))]
    host: Option<String>,
    /// Port of the server; 5432 if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("x-ui" = {"order": 4, "access": true}))]
    port: Option<u16>,
    /// Name of the database; that of the user if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 5, "access": true, "placeholder": "shop"}))]
    database: Option<String>,
    /// Name of the user; `postgres` if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 6, "access": true}))]
    user: Option<String>,
    /// Password of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 7, "access": true, "secret": true}))]
    password: Option<Secret>,
    /// How the connection is encrypted; `prefer` if not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 8, "access": true, "advanced": true}))]
    tls: Option<Tls>,
    /// File with the certificates of the authorities that vouch for the server (PEM); setting it means `verify`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 9, "access": true, "widget": "path", "advanced": true}))]
    tls_ca: Option<String>,
    /// Name of the schema that the tables are in, exactly.
    #[serde(default = "default_schema")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 10, "show_if": {"mode": ["bulk", "incrementing", "timestamp", "timestamp_incrementing"]}}))]
    schema: String,
    /// How rows that were not read yet are found.
    #[serde(default = "default_mode")]
    #[schemars(extend("x-ui" = {"order": 11}))]
    mode: Mode,
    /// Tables and views: exact names, or patterns with `*` and `?`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 12, "show_if": {"mode": ["bulk", "incrementing", "timestamp", "timestamp_incrementing"]}}))]
    tables: Vec<String>,
    /// Tables that are left out of the above: names or patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 13, "advanced": true, "show_if": {"mode": ["bulk", "incrementing", "timestamp", "timestamp_incrementing"]}}))]
    exclude: Vec<String>,
    /// A SELECT statement, asked as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 14, "widget": "code", "placeholder": "SELECT id, name FROM customers", "show_if": {"mode": ["query"]}}))]
    query: Option<String>,
    /// The column whose values only rise, such as an identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 15, "placeholder": "id", "show_if": {"mode": ["incrementing", "timestamp_incrementing", "query"]}}))]
    incrementing_column: Option<String>,
    /// The column with the time of the last change: `timestamptz`, `timestamp` (taken for UTC) or `date`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 16, "placeholder": "updated_at", "show_if": {"mode": ["timestamp", "timestamp_incrementing", "query"]}}))]
    timestamp_column: Option<String>,
    /// Columns that tell rows apart; the primary key if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 17, "widget": "fields"}))]
    key: Vec<String>,
    /// Tables and views whose rows nothing tells apart.
    #[serde(default = "default_without_key")]
    #[schemars(extend("x-ui" = {"order": 18, "advanced": true, "show_if": {"mode": ["bulk"]}}))]
    without_key: Keyless,
    /// Columns that records have; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 19, "widget": "fields"}))]
    columns: Vec<String>,
    /// Whether rows wait until every transaction that was open when they were first seen has ended, so that no late commit is
    /// missed.
    #[serde(default = "default_horizon")]
    #[schemars(extend("x-ui" = {"order": 20, "show_if": {"mode": ["incrementing", "timestamp", "timestamp_incrementing", "query"]}}))]
    horizon: bool,
    /// How old a row's time must be before it is read.
    #[serde(default = "default_none")]
    #[schemars(extend("x-ui" = {"order": 21, "advanced": true, "show_if": {"mode": ["timestamp", "timestamp_incrementing", "query"]}}))]
    delay: Span,
    /// How far behind the newest time late rows are looked for again. At most 10,000 rows of it are remembered.
    #[serde(default = "default_none")]
    #[schemars(extend("x-ui" = {"order": 22, "advanced": true, "show_if": {"mode": ["timestamp", "timestamp_incrementing", "query"]}}))]
    overlap: Span,
    /// Rows that have no value in a column that they are read by.
    #[serde(default = "default_null_cursor")]
    #[schemars(extend("x-ui" = {"order": 23, "advanced": true}))]
    null_cursor: Nulls,
    /// Infinite dates and times, NaN in decimals, and other values that no other system has.
    #[serde(default = "default_special_values")]
    #[schemars(extend("x-ui" = {"order": 24, "advanced": true}))]
    special_values: Specials,
    /// Time between two looks for new rows.
    #[serde(default = "default_poll")]
    #[schemars(extend("x-ui" = {"order": 25, "show_if": {"mode": ["incrementing", "timestamp", "timestamp_incrementing", "query"]}}))]
    poll: Span,
    /// Most records handed on at once.
    #[serde(default = "default_batch")]
    #[schemars(range(min = 1, max = 10_000), extend("x-ui" = {"order": 26, "advanced": true}))]
    batch: u32,
    /// Most bytes that one record may have; longer ones are refused, without the values that make them long.
    #[serde(default = "default_max_record_bytes")]
    #[schemars(range(min = 1024, max = 1_073_741_824), extend("x-ui" = {"order": 27, "advanced": true}))]
    max_record_bytes: u32,
}

fn default_schema() -> String {
    "public".to_owned()
}

fn default_mode() -> Mode {
    Mode::Bulk
}

fn default_horizon() -> bool {
    true
}

fn default_none() -> Span {
    Span::parse("0s").expect("it is one")
}

fn default_without_key() -> Keyless {
    Keyless::Refuse
}

fn default_null_cursor() -> Nulls {
    Nulls::Wait
}

fn default_special_values() -> Specials {
    Specials::Refuse
}

fn default_poll() -> Span {
    Span::parse("1s").expect("it is one")
}

fn default_batch() -> u32 {
    1000
}

/// How much later than a preview the server gives up: whoever waits has then gone.
const AFTER_DEADLINE: Duration = Duration::from_millis(500);

impl PostgresTableSource {
    fn access(&self) -> Access {
        Access {
            has_connection: self.connection.is_some(),
            url: self.url.clone(),
            host: self.host.clone(),
            port: self.port,
            database: self.database.clone(),
            user: self.user.clone(),
            password: self.password.clone(),
            tls: self.tls,
            tls_ca: self.tls_ca.clone(),
        }
    }

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
            overlap: self.overlap.get(),
        }
    }

    /// Starts reading; `statement` is the longest that an answer may take, zero for as long as the target takes to swallow it.
    fn start(self, cx: SourceCtx, waits: bool, statement: Duration) -> Result<TableSource, Error> {
        if let Some(issue) = self.check().into_iter().next() {
            let error = Error::config("postgres.bad_config", format!("`{}`: {}", issue.field, issue.message));
            return Err(issue.help.into_iter().fold(error, Error::help));
        }
        let name = format!("{}{}", session_prefix(&cx.uid, &cx.node), cx.generation);
        let session = Session { statement, ..Session::new(name) };
        let server = self.access().server(&cx.files, session)?;
        let manner = Manner {
            schema: self.schema.clone(),
            horizon: self.horizon,
            delay: self.delay.get(),
            specials: self.special_values,
        };
        let wish = self.wish();
        Ok(TableSource::start(Reader::new(server, manner, &wish), wish, cx, waits))
    }
}

impl Config for PostgresTableSource {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        bounded: true,
        catches_up: true,
        varies: VARIES,
        position_fields: &["schema", "mode", "incrementing_column", "timestamp_column", "key", "query"],
        examples: &[
            ("All rows of a table, once", r#"{"connection":"shop","tables":["orders"]}"#),
            (
                "New rows of every table as they come",
                r#"{"connection":"shop","mode":"incrementing","tables":["*"],"exclude":["tmp_*"],"incrementing_column":"id"}"#,
            ),
            (
                "New and changed rows, with access data here",
                r#"{"host":"db.example.com","database":"shop","user":"reader","password":"${secret:shop}","mode":"timestamp","tables":["customers"],"timestamp_column":"updated_at","poll":"500ms"}"#,
            ),
            (
                "Rows whose times applications set: late ones are looked for a minute long",
                r#"{"connection":"shop","mode":"timestamp","tables":["events"],"timestamp_column":"at","overlap":"1m"}"#,
            ),
            (
                "The answer to a query, by a column of it",
                r#"{"connection":"shop","mode":"query","query":"SELECT o.id, o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer","incrementing_column":"id"}"#,
            ),
        ],
        ..Meta::new("postgres_table_source", "PostgreSQL tables", "sql")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = self.access().issues();
        let wish = self.wish();
        issues.extend(wish.issues());
        if !self.delay.get().is_zero() && wish.by_time().is_none() {
            let help = "name a time column in a mode that uses it, or remove it";
            issues.push(Issue::new("delay", "only what is read by time can wait for an age", help));
        }
        for (field, name) in
            [("schema", &self.schema)].into_iter().chain(self.tables.iter().map(|name| ("tables", name)))
        {
            if name.contains('\0') {
                issues.push(Issue::new(field, "a name cannot hold U+0000", "correct the name"));
            }
        }
        issues
    }
}

#[async_trait]
impl SourceConfig for PostgresTableSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        Ok(Box::new(self.start(cx, true, Duration::ZERO)?))
    }
}

#[async_trait]
impl SampleConfig for PostgresTableSource {
    async fn sample(mut self, cx: SampleCtx) -> Result<Sample, Error> {
        // A preview waits for nobody.
        self.horizon = false;
        self.delay = default_none();
        // The server itself ends what takes longer than anybody waits for.
        let deadline = cx.deadline + AFTER_DEADLINE;
        sample(cx, |cx| self.start(cx, false, deadline)).await
    }
}

#[async_trait]
impl ProbeConfig for PostgresTableSource {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let columns = &["columns", "key", "incrementing_column", "timestamp_column"];
        let table = self.tables.first().map_or("", String::as_str);
        let mut probe = probe(&self.access(), &cx, Chosen { schema: &self.schema, table, columns }).await?;
        let tables = probe.choices.remove("table").unwrap_or_default();
        probe.choices.insert("tables".to_owned(), tables);
        Ok(probe)
    }
}

#[cfg(test)]
mod tests;
