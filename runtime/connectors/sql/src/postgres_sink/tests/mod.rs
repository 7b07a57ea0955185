//! `postgres_sink` against a real server, with `psql` as the witness.

mod cases;
mod exactly_once;
mod killed;
mod many;
mod refusals;
mod tables;

use fairway_engine::Error;
use fairway_engine::component::Opener;
use fairway_engine::files::Files;
use fairway_engine::position::StreamKey;
use fairway_engine::sink::{Sink, SinkCtx};
use fairway_peers::postgres::{Postgres, shared};

use crate::testing::{Dead, batch, component, insist, issues};

/// An empty database.
struct Harbour {
    postgres: &'static Postgres,
    database: String,
}

impl Harbour {
    fn new() -> Self {
        let postgres = shared();
        Self { postgres, database: postgres.database().unwrap() }
    }

    /// A database in which these statements ran first.
    fn with(setup: &str) -> Self {
        let harbour = Self::new();
        harbour.sql(setup);
        harbour
    }

    fn sql(&self, statements: &str) -> String {
        self.postgres.sql(&self.database, statements).unwrap()
    }

    fn lines(&self, statements: &str) -> Vec<String> {
        self.sql(statements).lines().map(str::to_owned).collect()
    }

    /// A component's config; `config` is the inside of an object.
    fn config(&self, config: &str) -> serde_json::Value {
        let url = self.postgres.url(&self.database);
        serde_json::from_str(&format!("{{\"url\":\"{url}\",{config}}}")).unwrap()
    }

    async fn sink(&self, generation: u64, config: &str) -> Result<Box<dyn Sink>, Error> {
        let Opener::Sink(open) = component("postgres_sink").opener else { panic!("it is a sink") };
        let cx = SinkCtx {
            uid: "u1".into(),
            node: "out".into(),
            share: None,
            generation,
            files: Files::open("."),
        };
        open(self.config(config), cx).await
    }

    /// Delivers lines to a fresh sink in batches of `size`, as the engine would: what is refused is taken out and the rest
    /// delivered again. Answers what was refused, by number of the line from 1.
    async fn deliver<L: AsRef<str>>(&self, config: &str, lines: &[L], size: usize) -> Vec<Dead> {
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

#[test]
fn settings_are_checked() {
    for (config, fields) in [
        (r#"{"table":"t"}"#, vec!["host"]),
        (r#"{"connection":"c","table":"t"}"#, vec![]),
        (r#"{"url":"mysql://x","table":"t"}"#, vec!["url"]),
        (r#"{"host":"h","table":"fairway_positions"}"#, vec!["table"]),
        (r#"{"host":"h","table":"t","mode":"upsert"}"#, vec!["key"]),
        (r#"{"host":"h","table":"t","key":["a","A","a"]}"#, vec!["key.2"]),
    ] {
        assert_eq!(issues("postgres_sink", config), fields, "{config}");
    }
}
