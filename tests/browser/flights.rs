//! What the channel of `story.rs` must do with the sample flights, worked out from the file by other means than Fairway:
//! late flights only, those without a known arrival refused, registrations masked.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Number, Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{Column, ConnectOptions, Row, TypeInfo, ValueRef};

use crate::support::samples_folder;

/// Columns that hold text; all others hold whole numbers.
const TEXTS: [&str; 5] = ["carrier", "tailnum", "origin", "dest", "time_hour"];

/// What becomes of the flights.
pub(crate) struct Flights {
    /// Records in the file.
    pub(crate) read: u64,
    /// Records that are not late, or never left.
    pub(crate) filtered: u64,
    /// Late flights as they reach the targets, in the order of the file.
    pub(crate) delivered: Vec<Value>,
    /// Late flights that never arrived, as they were read.
    pub(crate) refused: Vec<Value>,
}

impl Flights {
    pub(crate) fn of_samples() -> Result<Self> {
        let mut rows = csv::Reader::from_path(samples_folder().join("flights.csv"))?;
        let columns: Vec<String> = rows.headers()?.iter().map(str::to_owned).collect();
        let mut flights = Self { read: 0, filtered: 0, delivered: Vec::new(), refused: Vec::new() };
        for row in rows.records() {
            let row = row?;
            let mut record = Map::new();
            for (column, text) in columns.iter().zip(&row) {
                record.insert(column.clone(), value(column, text)?);
            }
            flights.read += 1;
            if record["dep_delay"].as_i64().is_none_or(|minutes| minutes <= 0) {
                flights.filtered += 1;
            } else if record["arr_delay"].is_null() {
                flights.refused.push(Value::Object(record));
            } else {
                if let Value::String(registration) = &mut record["tailnum"] {
                    "***".clone_into(registration);
                }
                flights.delivered.push(Value::Object(record));
            }
        }
        Ok(flights)
    }
}

/// A field of the file: nothing is null, numbers keep their digits.
fn value(column: &str, text: &str) -> Result<Value> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    if TEXTS.contains(&column) {
        return Ok(Value::String(text.to_owned()));
    }
    let number: Number = serde_json::from_str(text).with_context(|| format!("{column} holds {text:?}"))?;
    Ok(Value::Number(number))
}

/// The records of a file of JSON lines.
pub(crate) fn json_lines(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let record =
        |line: &str| serde_json::from_str(line).with_context(|| format!("{}: {line}", path.display()));
    text.lines().map(record).collect()
}

/// The rows of a table in a SQLite file, in the order they were written, each value as the type it is stored in.
pub(crate) async fn table(path: &Path, table: &str) -> Result<Vec<Value>> {
    let mut database = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .connect()
        .await
        .with_context(|| format!("cannot open {}", path.display()))?;
    let select = format!("select * from \"{table}\" order by rowid");
    let rows = sqlx::query(sqlx::AssertSqlSafe(select)).fetch_all(&mut database).await?;
    rows.iter().map(stored).collect()
}

fn stored(row: &SqliteRow) -> Result<Value> {
    let mut record = Map::new();
    for column in row.columns() {
        let at = column.ordinal();
        let raw = row.try_get_raw(at)?;
        let value = match raw.type_info().name() {
            _ if raw.is_null() => Value::Null,
            "INTEGER" => json!(row.try_get_unchecked::<i64, _>(at)?),
            "TEXT" => json!(row.try_get_unchecked::<String, _>(at)?),
            other => bail!("`{}` is stored as {other}", column.name()),
        };
        record.insert(column.name().to_owned(), value);
    }
    Ok(Value::Object(record))
}

/// Late flights as SQLite keeps them: its own numbers would not keep every decimal, so decimals are text.
pub(crate) fn as_rows(flights: &[Value]) -> Vec<Value> {
    let row = |flight: &Value| {
        let mut row = flight.clone();
        row["distance"] = Value::String(flight["distance"].to_string());
        row
    };
    flights.iter().map(row).collect()
}

/// Fails at the first record that is not as expected, rather than with thousands of lines.
pub(crate) fn assert_same(what: &str, found: &[Value], expected: &[Value]) {
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "{what}: record {at} differs");
    }
    assert_eq!(found.len(), expected.len(), "{what}: the number of records differs");
}
