//! One file a promise: each row once, whatever is killed, late or changed; tables and columns; values.

mod limits;
mod once;
mod tables;
mod values;

use std::path::Path;

use fairway_engine::position::Mark;
use fairway_peers::postgres::{Postgres, shared};

use crate::reading::testing::Driven;

/// A database of its own.
struct Base {
    postgres: &'static Postgres,
    name: String,
}

impl Base {
    fn with(setup: &str) -> Self {
        let postgres = shared();
        let base = Self { postgres, name: postgres.database().unwrap() };
        base.run(setup);
        base
    }

    /// Runs statements as an outside witness would.
    fn run(&self, sql: &str) -> String {
        self.postgres.sql(&self.name, sql).unwrap()
    }

    fn url(&self) -> String {
        self.postgres.url(&self.name)
    }

    /// A source; `config` is the inside of an object.
    async fn open(&self, config: &str, marks: Vec<Mark>) -> Driven {
        let config = format!("{{\"url\":\"{}\",\"poll\":\"10ms\",{config}}}", self.url());
        Driven::open("postgres_table_source", Path::new("."), &config, marks).await
    }

    /// What one reading from these positions brings, and the positions after it.
    async fn read(&self, config: &str, marks: Vec<Mark>) -> (Vec<String>, Vec<Mark>) {
        self.open(config, marks).await.all().await
    }
}

fn case(folder: &str, file: &str) -> String {
    std::fs::read_to_string(format!("../../../tests/cases/{folder}/{file}")).unwrap()
}
