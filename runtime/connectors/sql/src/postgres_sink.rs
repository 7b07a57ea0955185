//! `postgres_sink`: records as rows of a table. How rows and positions are written together is in `postgres`.

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SinkConfig};
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::probe::{ProbeConfig, ProbeCtx};
use fairway_engine::secret::Secret;
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::postgres::connect::{Access, Tls};
use crate::postgres::layout::Wish;
use crate::postgres::probe::{Chosen, probe};
use crate::postgres::writer::Writer;
use crate::writing::{Mode, NewColumns, default_create_table, default_mode, default_new_columns, ledger};

/// Writes each record as a row of a table in PostgreSQL, exactly once.
///
/// Every field goes to the column of exactly its name, letter case included. A field that a record does not have leaves
/// its column to its default or, in an upsert, as it was. Keys and headers of records are not written.
///
/// Values are kept exactly or refused with the reason. The server reads each value by the type of its column, so enums,
/// addresses, intervals and types of your own take text; lists fill arrays; maps and lists fill `json` and `jsonb`. Text for
/// a column of numbers must be a number written plainly (`007` is refused), text for a date or a timestamp must be ISO 8601
/// or `infinity`; text for `bytea` is base64 or hexadecimal behind `\x`; text for JSON is taken for JSON text. A numeric
/// that keeps fewer digits refuses what it would round. A local time in a column with time zone is taken for UTC, a
/// moment in a column without is written as UTC. No text in PostgreSQL can hold U+0000.
///
/// A table made here gets the types `boolean`, `bigint`, `numeric`, `double precision`, `text`, `bytea`, `date`, `time`, `timestamptz`
/// (`timestamp` for local times), `uuid` and, for JSON, lists and maps, `jsonb`. A column's type follows the field's declared
/// type, else its first value, and is never changed later: cast the field before if it varies.
///
/// The table `fairway_positions` in the same schema holds how far each source has come, and is written in the same
/// transaction as the rows: after a crash every record is there once. The user therefore needs the right to create it, or to
/// select, insert and update there, and to create temporary tables for upserts and deletes. Where a record is refused (a
/// constraint, a trigger), the others of its transaction are written all the same. Of records with the same key in one
/// transaction, an upsert writes the last.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PostgresSink {
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
    /// Name of the schema that the table is in, exactly.
    #[serde(default = "default_schema")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 10}))]
    schema: String,
    /// Name of the table, exactly.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 11, "placeholder": "orders"}))]
    table: String,
    /// What becomes of a record.
    #[serde(default = "default_mode")]
    #[schemars(extend("x-ui" = {"order": 12}))]
    mode: Mode,
    /// Fields that tell records apart: needed to upsert and to delete, and the primary key of a table made here. None may
    /// be null.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 13, "widget": "fields"}))]
    key: Vec<String>,
    /// Whether a table that is missing is made, with the fields of the first record as columns.
    #[serde(default = "default_create_table")]
    #[schemars(extend("x-ui" = {"order": 14, "show_if": {"mode": ["insert", "upsert"]}}))]
    create_table: bool,
    /// What becomes of fields that the table has no column for.
    #[serde(default = "default_new_columns")]
    #[schemars(extend("x-ui" = {"order": 15, "show_if": {"mode": ["insert", "upsert"]}}))]
    new_columns: NewColumns,
}

fn default_schema() -> String {
    "public".to_owned()
}

impl Config for PostgresSink {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        examples: &[
            ("A table of orders", r#"{"connection":"shop","table":"orders"}"#),
            (
                "The latest state of each customer",
                r#"{"connection":"shop","table":"customers","mode":"upsert","key":["id"]}"#,
            ),
            (
                "A table that is there already, with its access data here",
                r#"{"host":"db.example.com","database":"shop","user":"app","password":"${secret:shop}","schema":"sales","table":"orders","create_table":false,"new_columns":"reject"}"#,
            ),
            (
                "Rows that are to go",
                r#"{"connection":"shop","table":"customers","mode":"delete","key":["id"]}"#,
            ),
        ],
        several: true,
        ..Meta::new("postgres_sink", "PostgreSQL table", "sql")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = self.access().issues();
        if self.table == ledger::TABLE {
            let message = format!("`{}` is kept for positions", self.table);
            issues.push(Issue::new("table", message, "use another name"));
        }
        for (field, name) in [("schema", &self.schema), ("table", &self.table)] {
            if name.len() > 63 || name.contains('\0') {
                let message = format!("{name:?} cannot be a name in PostgreSQL");
                issues.push(Issue::new(field, message, "use at most 63 bytes, without U+0000"));
            }
        }
        if self.key.is_empty() && self.mode != Mode::Insert {
            let message = "without a key no row can be found".to_owned();
            issues.push(Issue::new("key", message, "name the fields that tell records apart"));
        }
        for (index, name) in self.key.iter().enumerate() {
            let field = || format!("key.{index}");
            if self.key[..index].contains(name) {
                issues.push(Issue::new(field(), format!("`{name}` is named twice"), "name each field once"));
            }
            if name.len() > 63 || name.contains('\0') {
                let message = format!("{name:?} cannot be the name of a column");
                issues.push(Issue::new(field(), message, "rename the field in a step before"));
            }
        }
        issues
    }
}

impl PostgresSink {
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
}

#[async_trait]
impl ProbeConfig for PostgresSink {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let chosen = Chosen { schema: &self.schema, table: &self.table, columns: &["key"] };
        probe(&self.access(), &cx, chosen).await
    }
}

#[async_trait]
impl SinkConfig for PostgresSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        if let Some(issue) = self.check().into_iter().next() {
            let error = Error::config("postgres.bad_config", format!("`{}`: {}", issue.field, issue.message));
            return Err(issue.help.into_iter().fold(error, Error::help));
        }
        let access = self.access();
        let wish =
            Wish::new((&self.schema, &self.table), self.mode, self.key, self.create_table, self.new_columns)?;
        Ok(Box::new(Rows { writer: Writer::open(&access, wish, &cx).await? }))
    }
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
