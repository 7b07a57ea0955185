//! Driving the components of SQL databases in tests: batches from lines of JSON, contexts, a source of lines, and looking
//! into a SQLite file with a connection of one's own.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Component, Config, Meta, Opener, SourceConfig};
use fairway_engine::data::json_read::JsonReader;
use fairway_engine::data::{Base, Batch, BatchBuilder, Meta as RecordMeta, RecordError};
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_engine::source::{Next, Polled, Source, SourceCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{Connection, Row};

use crate::REGISTRY;
use crate::sql::assembled;

pub(crate) fn component(name: &str) -> &'static Component {
    REGISTRY.iter().find(|component| component.meta.name == name).unwrap()
}

/// The fields that `check` finds fault with.
pub(crate) fn issues(name: &str, config: &str) -> Vec<String> {
    let issues = component(name).check(&serde_json::from_str(config).unwrap()).unwrap();
    issues.into_iter().map(|issue| issue.field).collect()
}

/// A batch from lines of JSON whose orders begin behind `order`.
pub(crate) fn batch<L: AsRef<str>>(lines: &[L], order: u64) -> Batch {
    let text: String = lines.iter().map(|line| format!("{}\n", line.as_ref())).collect();
    let mut builder = BatchBuilder::default();
    builder.set_base(Base::new(text.into_bytes()).unwrap());
    let mut reader = JsonReader::default();
    let mut offset = 0;
    for (row, line) in lines.iter().enumerate() {
        let meta = RecordMeta::new(order + row as u64 + 1, row as u32);
        reader.read_row(&mut builder, offset, line.as_ref().len(), meta).unwrap();
        offset += line.as_ref().len() + 1;
    }
    builder.finish()
}

pub(crate) fn mark(partition: &str, order: u64) -> Mark {
    let position = Position { order, token: serde_json::json!({ "offset": order }) };
    Mark { stream: StreamKey::straight("in", partition), position }
}

/// A folder with a SQLite file in it.
pub(crate) struct Bay {
    dir: tempfile::TempDir,
}

impl Bay {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// A file in which these statements ran first.
    pub(crate) async fn with(setup: &str) -> Self {
        let bay = Self::new();
        bay.run(setup).await;
        bay
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.dir.path().join("x.db")
    }

    /// A connection beside those of the components.
    pub(crate) async fn connection(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.file()).create_if_missing(true);
        SqliteConnection::connect_with(&options).await.unwrap()
    }

    pub(crate) async fn run(&self, sql: &str) {
        sqlx::raw_sql(assembled(sql)).execute(&mut self.connection().await).await.unwrap();
    }

    /// The first column of each row, which must be text.
    pub(crate) async fn texts(&self, sql: &str) -> Vec<String> {
        let rows = sqlx::query(assembled(sql)).fetch_all(&mut self.connection().await).await.unwrap();
        rows.iter().map(|row| row.try_get::<Option<String>, _>(0).unwrap().unwrap_or("NULL".into())).collect()
    }

    /// All rows of a table as SQLite's own literals, in order of their making.
    pub(crate) async fn rows(&self, table: &str) -> Vec<String> {
        let sql = format!("SELECT name FROM pragma_table_info('{}')", table.replace('\'', "''"));
        let columns = self.texts(&sql).await;
        let quoted = |name: &String| format!("quote({})", crate::sql::quote(name).unwrap());
        let parts: Vec<String> = columns.iter().map(quoted).collect();
        let table = crate::sql::quote(table).unwrap();
        self.texts(&format!("SELECT {} FROM {table} ORDER BY rowid", parts.join("||','||"))).await
    }

    /// How a table was made.
    pub(crate) async fn made(&self, table: &str) -> String {
        let sql = format!("SELECT sql FROM sqlite_schema WHERE name = '{}'", table.replace('\'', "''"));
        self.texts(&sql).await.pop().unwrap()
    }

    /// A `sqlite_sink` on the file; `config` is the inside of an object.
    pub(crate) async fn sink(&self, generation: u64, config: &str) -> Result<Box<dyn Sink>, Error> {
        self.open(generation, "x.db", config).await
    }

    /// The same on another file.
    pub(crate) async fn sink_at(&self, path: &str, config: &str) -> Result<Box<dyn Sink>, Error> {
        self.open(1, path, config).await
    }

    async fn open(&self, generation: u64, path: &str, config: &str) -> Result<Box<dyn Sink>, Error> {
        let Opener::Sink(open) = component("sqlite_sink").opener else { panic!("it is a sink") };
        let cx = SinkCtx {
            uid: "u1".into(),
            node: "out".into(),
            share: None,
            generation,
            files: Files::open(self.root()),
        };
        let config = format!("{{\"path\":\"{path}\",{config}}}");
        open(serde_json::from_str(&config).unwrap(), cx).await
    }

    /// Delivers lines to a fresh sink in batches of `size`, as the engine would: what is refused is taken out and the rest
    /// delivered again. Answers what was refused, by number of the line from 1.
    pub(crate) async fn deliver<L: AsRef<str>>(&self, config: &str, lines: &[L], size: usize) -> Vec<Dead> {
        let mut sink = self.sink(1, config).await.unwrap();
        sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
        let mut dead = Vec::new();
        let mut order = 0;
        for lines in lines.chunks(size) {
            dead.extend(insist(&mut *sink, batch(lines, order), order + lines.len() as u64).await);
            order += lines.len() as u64;
        }
        sink.close().await.unwrap();
        dead.sort_by_key(|(order, _)| *order);
        dead
    }
}

/// Order of a refused record, and why.
pub(crate) type Dead = (u64, RecordError);

/// Orders, codes and fields of what was refused.
pub(crate) fn reasons(dead: &[Dead]) -> Vec<(u64, &str, Option<&str>)> {
    dead.iter().map(|(order, error)| (*order, error.code, error.field.as_deref())).collect()
}

/// Delivers a batch until it is durable but for what is refused.
pub(crate) async fn insist(sink: &mut dyn Sink, mut batch: Batch, until: u64) -> Vec<Dead> {
    let mut dead = Vec::new();
    for _ in 0..20 {
        let marks = [mark("", until)];
        match sink.deliver(Group { batches: std::slice::from_ref(&batch), marks: &marks }).await.unwrap() {
            Outcome::Delivered(refused) => {
                assert!(refused.is_empty(), "a sink that holds positions rolls back");
                return dead;
            }
            Outcome::RolledBack(refused) => {
                assert!(!refused.is_empty());
                let gone = |row: usize| refused.iter().any(|refused| refused.record == row);
                dead.extend(refused.iter().map(|one| (batch.metas()[one.record].order, one.error.clone())));
                let rest: Vec<usize> = (0..batch.len()).filter(|row| !gone(*row)).collect();
                batch = batch.select_rows(&rest);
            }
        }
    }
    panic!("refusals without end");
}

/// Lines of JSON as records: the n-th line has order n.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Lines {
    lines: Vec<String>,
    batch: usize,
}

impl Config for Lines {
    const META: Meta = Meta { bounded: true, ..Meta::new("lines_source", "Lines", "test") };
}

/// The source as a registry entry.
pub(crate) const LINES: Component = Component::source::<Lines>();

#[async_trait]
impl SourceConfig for Lines {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        Ok(Box::new(Reading {
            at: cx.position("").map_or(0, |position| position.order as usize),
            config: self,
        }))
    }
}

struct Reading {
    config: Lines,
    at: usize,
}

#[async_trait]
impl Source for Reading {
    async fn next(&mut self) -> Result<Next, Error> {
        let end = (self.at + self.config.batch).min(self.config.lines.len());
        if end == self.at {
            return Ok(Next::End);
        }
        let batch = batch(&self.config.lines[self.at..end], self.at as u64);
        self.at = end;
        let position = Position { order: end as u64, token: serde_json::Value::Null };
        Ok(Next::Batch(Polled { partition: "".into(), position, batch, rejects: None }))
    }
}

#[test]
fn components_describe_themselves() {
    fairway_engine::testkit::describe_themselves(REGISTRY);
}
