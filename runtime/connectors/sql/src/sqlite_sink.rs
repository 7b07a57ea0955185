//! `sqlite_sink`: records as rows of a table. How rows and positions are written together is in `sqlite`.

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SinkConfig};
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::probe::{ProbeConfig, ProbeCtx};
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sqlite::connect::Database;
use crate::sqlite::layout::Wish;
use crate::sqlite::positions::Positions;
use crate::sqlite::probe::probe;
use crate::sqlite::writer::Writer;
use crate::writing::{Mode, NewColumns, default_create_table, default_mode, default_new_columns, ledger};

/// Writes each record as a row of a table in a SQLite file, exactly once.
///
/// Every field goes to the column of exactly its name; SQLite does not tell `id` from `ID`, so a field that differs from a
/// column in letter case only is refused. A field that a record does not have leaves its column to its default or, in
/// an upsert, as it was. Keys and headers of records are not written.
///
/// Values are kept exactly or refused with the reason. `bool` becomes 0 or 1, `int64` an integer, `float64` a real,
/// `bytes` a blob; decimals, `uint64` and numbers beyond 64 bits become text with all their digits, for SQLite's own numbers
/// would lose some; dates and times become text as in RFC 3339, lists, maps and JSON become JSON text. A column that the
/// table declares as a number takes text only if it is a number written plainly: `007` is refused. A column made here follows
/// the field's declared type, else its first value, and is never changed later: cast the field before if it varies.
///
/// The table `fairway_positions` in the same file holds how far each source has come, and is written in the same transaction
/// as the rows: after a crash every record is there once. The file is switched to write-ahead logging. Where a record
/// is refused (a constraint, a trigger), the others of its transaction are written all the same. A table's own `ON
/// CONFLICT` clauses do not count: what is there twice is refused.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SqliteSink {
    /// A connection that names the file; what is set here counts more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    connection: Option<String>,
    /// The file; it and its folders are created if they are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 2, "access": true, "widget": "path", "placeholder": "out/shop.db"}))]
    path: Option<String>,
    /// Name of the table, exactly.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 3, "placeholder": "orders"}))]
    table: String,
    /// What becomes of a record.
    #[serde(default = "default_mode")]
    #[schemars(extend("x-ui" = {"order": 4}))]
    mode: Mode,
    /// Fields that tell records apart: needed to upsert and to delete, and the primary key of a table made here. None may
    /// be null.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 5, "widget": "fields"}))]
    key: Vec<String>,
    /// Whether a table that is missing is made, with the fields of the first record as columns.
    #[serde(default = "default_create_table")]
    #[schemars(extend("x-ui" = {"order": 6, "show_if": {"mode": ["insert", "upsert"]}}))]
    create_table: bool,
    /// What becomes of fields that the table has no column for.
    #[serde(default = "default_new_columns")]
    #[schemars(extend("x-ui" = {"order": 7, "show_if": {"mode": ["insert", "upsert"]}}))]
    new_columns: NewColumns,
}

impl Config for SqliteSink {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        examples: &[
            ("A table of orders", r#"{"path":"out/shop.db","table":"orders"}"#),
            (
                "The latest state of each customer",
                r#"{"path":"out/shop.db","table":"customers","mode":"upsert","key":["id"]}"#,
            ),
            (
                "A table that is there already",
                r#"{"connection":"shop","table":"orders","create_table":false,"new_columns":"reject"}"#,
            ),
        ],
        ..Meta::new("sqlite_sink", "SQLite table", "sql")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.path.is_none() && self.connection.is_none() {
            issues.push(Issue::new("path", "no file is named", "name one here, or a connection that does"));
        }
        let reserved = self.table.eq_ignore_ascii_case(ledger::TABLE)
            || self.table.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("sqlite_"));
        if reserved || self.table.contains('\0') {
            let message = format!("{:?} cannot be the name of a table here", self.table);
            issues.push(Issue::new("table", message, "use another name"));
        }
        if self.key.is_empty() && self.mode != Mode::Insert {
            let message = "without a key no row can be found".to_owned();
            issues.push(Issue::new("key", message, "name the fields that tell records apart"));
        }
        for (index, name) in self.key.iter().enumerate() {
            let field = || format!("key.{index}");
            if self.key[..index].iter().any(|earlier| earlier.eq_ignore_ascii_case(name)) {
                let message = format!("`{name}` is named twice, as SQLite sees it");
                issues.push(Issue::new(field(), message, "name each field once"));
            }
            if name.contains('\0') {
                issues.push(Issue::new(field(), "a column's name cannot hold U+0000", "rename the field"));
            }
        }
        issues
    }
}

#[async_trait]
impl ProbeConfig for SqliteSink {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let path = self.path.as_deref().ok_or_else(no_path)?;
        probe(&cx, path, &self.table, &["key"]).await
    }
}

#[async_trait]
impl SinkConfig for SqliteSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        if let Some(issue) = self.check().into_iter().next() {
            let error = Error::config("sqlite.bad_config", format!("`{}`: {}", issue.field, issue.message));
            return Err(issue.help.into_iter().fold(error, Error::help));
        }
        let path = self.path.ok_or_else(no_path)?;
        let database = Database::at(&cx.files, &path)?;
        let wish = Wish {
            table: self.table,
            mode: self.mode,
            key: self.key,
            create_table: self.create_table,
            new_columns: self.new_columns,
        };
        let writes_to = (wish.mode != Mode::Delete).then(|| wish.table.clone());
        let writer = Writer::open(database, wish, Positions::new(&cx, writes_to)?).await?;
        Ok(Box::new(Rows { writer }))
    }
}

fn no_path() -> Error {
    Error::config("sqlite.no_path", "neither settings nor connection name a file")
        .help("set `path` in the connection, or here")
}

struct Rows {
    writer: Writer,
}

#[async_trait]
impl Sink for Rows {
    async fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        self.writer.adopt(stream).await.map(Some)
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        self.writer.write(group).await
    }

    async fn close(&mut self) -> Result<(), Error> {
        self.writer.close().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
