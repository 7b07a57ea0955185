//! Trying a connection: which server answers, which tables there are, and the columns of the one that is chosen.

use std::collections::BTreeMap;
use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::probe::ProbeCtx;
use fairway_shared::component::{Choice, Probe};
use sqlx::postgres::PgConnection;

use super::connect::{Access, Session};
use super::fault;

/// Most tables that are listed.
const MOST_TABLES: i64 = 2000;

/// What the settings say so far of the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chosen<'a> {
    pub(crate) schema: &'a str,
    /// May be empty.
    pub(crate) table: &'a str,
    /// Settings that name columns: each gets the columns as choices.
    pub(crate) columns: &'a [&'a str],
}

/// Choices for `schema`, for `table` in the chosen schema, and for settings that name columns.
pub(crate) async fn probe(access: &Access, cx: &ProbeCtx, chosen: Chosen<'_>) -> Result<Probe, Error> {
    let session = Session { statement: cx.deadline, ..Session::new("fairway/probe".into()) };
    let server = access.server(&cx.files, session)?;
    let looking = async {
        let mut connection = server.connect().await?;
        look(&mut connection, chosen).await.map_err(|error| {
            fault::of_target(error, &format!("the tables of {} cannot be listed", server.place()))
        })
    };
    match tokio::time::timeout(cx.deadline.max(Duration::from_millis(1)), looking).await {
        Ok(probe) => probe,
        Err(_) => {
            Err(Error::outage("postgres.no_answer", format!("{} does not answer in time", server.place()))
                .help("see whether host and port are right, and no firewall is between"))
        }
    }
}

async fn look(connection: &mut PgConnection, chosen: Chosen<'_>) -> Result<Probe, sqlx::Error> {
    let (version, database): (String, String) =
        sqlx::query_as("SELECT current_setting('server_version'), current_database()::text")
            .fetch_one(&mut *connection)
            .await?;
    // Debian and others add where the build comes from.
    let version = version.split(' ').next().unwrap_or_default();
    let mut choices = BTreeMap::new();
    let schemas: Vec<(String, i64)> = sqlx::query_as(
        "SELECT n.nspname::text, count(c.oid) FILTER (WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f'))
            FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid
            WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
            GROUP BY 1 ORDER BY 1",
    )
    .fetch_all(&mut *connection)
    .await?;
    let schemas = schemas.into_iter().map(|(name, tables)| Choice::new(name, format!("{tables} tables")));
    choices.insert("schema".to_owned(), schemas.collect());
    let tables: Vec<(String, String)> = sqlx::query_as(
        "SELECT c.relname::text, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                WHEN 'f' THEN 'foreign table' WHEN 'p' THEN 'partitioned table' ELSE 'table' END
                || CASE WHEN c.reltuples > 0 THEN ', about ' || c.reltuples::bigint || ' rows' ELSE '' END
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname <> 'fairway_positions'
            ORDER BY 1 LIMIT $2",
    )
    .bind(chosen.schema)
    .bind(MOST_TABLES)
    .fetch_all(&mut *connection)
    .await?;
    choices
        .insert("table".to_owned(), tables.into_iter().map(|(name, note)| Choice::new(name, note)).collect());
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod)
                || CASE WHEN a.attnotnull THEN ', not null' ELSE '' END
                || CASE WHEN p.indrelid IS NOT NULL THEN ', primary key' ELSE '' END
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_index p ON p.indrelid = c.oid AND p.indisprimary AND a.attnum = ANY (p.indkey)
            WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
    )
    .bind(chosen.schema)
    .bind(chosen.table)
    .fetch_all(connection)
    .await?;
    let columns: Vec<Choice> = columns.into_iter().map(|(name, note)| Choice::new(name, note)).collect();
    for setting in chosen.columns {
        choices.insert((*setting).to_owned(), columns.clone());
    }
    Ok(Probe { found: format!("PostgreSQL {version}, database {database}"), choices })
}

#[cfg(test)]
mod tests {
    use fairway_engine::files::Files;

    use super::*;

    #[tokio::test]
    async fn says_what_answers_and_what_there_is_to_choose() {
        let postgres = fairway_peers::postgres::shared();
        let database = postgres.database().unwrap();
        postgres
            .sql(
                &database,
                r#"create table "Order" (id int primary key, "at x" timestamptz not null); create view v as select 1 as one; create schema s"#,
            )
            .unwrap();
        let access = Access { url: Some(postgres.url(&database).into()), ..Access::default() };
        let cx = ProbeCtx { files: Files::open("."), deadline: Duration::from_secs(10) };
        let chosen = Chosen { schema: "public", table: "Order", columns: &["key"] };
        let probe = probe(&access, &cx, chosen).await.unwrap();
        assert!(probe.found.starts_with("PostgreSQL "), "{}", probe.found);
        assert!(probe.found.ends_with(&format!(", database {database}")), "{}", probe.found);
        let values = |setting: &str| -> Vec<String> {
            probe.choices[setting].iter().map(|choice| format!("{}: {}", choice.value, choice.note)).collect()
        };
        assert_eq!(values("schema"), ["public: 2 tables", "s: 0 tables"]);
        assert_eq!(values("table"), ["Order: table", "v: view"]);
        assert_eq!(
            values("key"),
            ["id: integer, not null, primary key", "at x: timestamp with time zone, not null"]
        );
    }
}
