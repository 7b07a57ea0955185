//! Tables.

use async_trait::async_trait;
use fairway_engine::Component;
use fairway_engine::testkit::{SinkFixture, SourceFixture};
use serde_json::{Value, json};
use sqlx::Connection as _;

use super::file::Folder;

#[derive(Default)]
pub(super) struct SqliteTable(Folder);

#[async_trait]
impl SinkFixture for SqliteTable {
    fn component(&self) -> Component {
        super::component("sqlite_sink")
    }

    async fn fresh(&self) -> Value {
        json!({ "path": self.0.fresh("db"), "table": "numbers" })
    }

    async fn numbers(&self, config: &Value) -> Vec<i64> {
        let path = config["path"].as_str().unwrap();
        let mut database = sqlx::SqliteConnection::connect(&format!("sqlite://{path}")).await.unwrap();
        sqlx::query_scalar("select n from numbers order by rowid").fetch_all(&mut database).await.unwrap()
    }
}

/// A table in a database of its own.
pub(super) struct PostgresTable;

#[async_trait]
impl SinkFixture for PostgresTable {
    fn component(&self) -> Component {
        super::component("postgres_sink")
    }

    async fn fresh(&self) -> Value {
        let postgres = fairway_peers::postgres::shared();
        json!({ "url": postgres.url(&postgres.database().unwrap()), "table": "numbers" })
    }

    async fn numbers(&self, config: &Value) -> Vec<i64> {
        let url = config["url"].as_str().unwrap();
        let mut database = sqlx::PgConnection::connect(url).await.unwrap();
        sqlx::query_scalar("select n from numbers order by ctid").fetch_all(&mut database).await.unwrap()
    }
}

const NUMBERS: &str = "create table numbers(n integer primary key);
    insert into numbers with recursive g(n) as (select 1 union all select n + 1 from g where n <";

/// A file with a table in it.
#[derive(Default)]
pub(super) struct SqliteRows(Folder);

#[async_trait]
impl SourceFixture for SqliteRows {
    fn component(&self) -> Component {
        super::component("sqlite_table_source")
    }

    async fn filled(&self, count: i64, batch: usize) -> Value {
        let path = self.0.fresh("db");
        let url = format!("sqlite://{}?mode=rwc", path.display());
        let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
        let sql = format!("{NUMBERS} {count}) select n from g");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut database).await.unwrap();
        json!({ "path": path, "tables": ["numbers"], "batch": batch })
    }
}

/// A table in a database of its own, read as it grows.
pub(super) struct PostgresRows;

#[async_trait]
impl SourceFixture for PostgresRows {
    fn component(&self) -> Component {
        super::component("postgres_table_source")
    }

    async fn filled(&self, count: i64, batch: usize) -> Value {
        let postgres = fairway_peers::postgres::shared();
        let database = postgres.database().unwrap();
        postgres.sql(&database, &format!("{NUMBERS} {count}) select n from g")).unwrap();
        let (url, mode) = (postgres.url(&database), "incrementing");
        json!({ "url": url, "tables": ["numbers"], "mode": mode, "incrementing_column": "n", "batch": batch })
    }
}
