//! Trying a file: whether it is a database, which tables there are, and the columns of the one that is chosen. Nothing is
//! created.

use std::collections::BTreeMap;

use fairway_engine::Error;
use fairway_engine::probe::ProbeCtx;
use fairway_shared::component::{Choice, Probe};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use super::fault;

/// Choices for `table`, and for settings that name columns.
pub(crate) async fn probe(cx: &ProbeCtx, path: &str, table: &str, columns: &[&str]) -> Result<Probe, Error> {
    let resolved = cx.files.resolve(path)?;
    let absolute = std::path::absolute(&resolved).unwrap_or(resolved);
    if !absolute.exists() {
        let found = format!("no file yet: `{path}` is created with the first record");
        return Ok(Probe { found, choices: BTreeMap::new() });
    }
    if !absolute.is_file() {
        return Err(Error::config("sqlite.not_a_file", format!("`{path}` is no file")).help("name a file"));
    }
    let options = SqliteConnectOptions::new().filename(&absolute).read_only(true).disable_statement_logging();
    let looking = async {
        let mut connection = SqliteConnection::connect_with(&options).await?;
        let probe = look(&mut connection, path, table, columns).await?;
        connection.close().await?;
        Ok(probe)
    };
    match tokio::time::timeout(cx.deadline, looking).await {
        Ok(probe) => probe.map_err(|error| fault::of_target(error, &format!("`{path}` cannot be read"))),
        Err(_) => Err(Error::outage("sqlite.busy", format!("`{path}` does not answer in time"))
            .help("see whether another program holds it")),
    }
}

async fn look(
    connection: &mut SqliteConnection,
    path: &str,
    table: &str,
    settings: &[&str],
) -> Result<Probe, sqlx::Error> {
    let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut *connection).await?;
    let tables: Vec<(String, String)> = sqlx::query_as(
        "SELECT name, type FROM pragma_table_list
            WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
                AND name <> 'fairway_positions' ORDER BY name",
    )
    .fetch_all(&mut *connection)
    .await?;
    let columns: Vec<(String, String, bool, bool)> =
        sqlx::query_as("SELECT name, type, \"notnull\" <> 0, pk > 0 FROM pragma_table_info(?1)")
            .bind(table)
            .fetch_all(connection)
            .await?;
    let note = |(name, ty, not_null, key): (String, String, bool, bool)| {
        let words =
            [ty.as_str(), if not_null { "not null" } else { "" }, if key { "primary key" } else { "" }];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        Choice::new(name, words.join(", "))
    };
    let columns: Vec<Choice> = columns.into_iter().map(note).collect();
    let tables = tables.into_iter().map(|(name, note)| Choice::new(name, note)).collect();
    let mut choices = BTreeMap::from([("table".to_owned(), tables)]);
    choices.extend(settings.iter().map(|setting| ((*setting).to_owned(), columns.clone())));
    Ok(Probe { found: format!("SQLite {version}, `{path}`"), choices })
}
