//! Tables.

use async_trait::async_trait;
use fairway_engine::Component;
use fairway_engine::testkit::SinkFixture;
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
