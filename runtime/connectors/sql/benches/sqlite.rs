//! How fast `sqlite_sink` writes, beside a bare loop of prepared multi-row inserts with the same settings of the file.
//!
//! `cargo bench -p fairway-connector-sql --bench sqlite`, optionally followed by `-- ROWS`.

use std::path::Path;
use std::time::Instant;

use fairway_connector_sql::REGISTRY;
use fairway_engine::component::Opener;
use fairway_engine::data::json_read::JsonReader;
use fairway_engine::data::{Base, Batch, BatchBuilder, Meta};
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, SinkCtx};
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous,
};
use sqlx::{Arguments, AssertSqlSafe, ConnectOptions, Connection};

/// Records a batch, as a source would read them.
const BATCH: u64 = 1000;

fn main() {
    let rows = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_000_u64);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    for group in [1000, 10_000, 50_000] {
        runtime.block_on(async {
            let bare = best(async || bare(rows, group).await).await;
            println!("{group:>6} rows a commit: bare inserts  {bare:>9.0} rows/s");
            for (name, config) in [
                ("insert", r#"{"path":"b.db","table":"t"}"#),
                ("upsert", r#"{"path":"b.db","table":"t","mode":"upsert","key":["id"]}"#),
            ] {
                let sink = best(async || sink(rows, group, config).await).await;
                println!("{group:>6} rows a commit: sqlite_sink, {name} {sink:>9.0} rows/s");
            }
        });
    }
}

/// The best of three, as others may use the machine.
async fn best(run: impl AsyncFn() -> f64) -> f64 {
    run().await.max(run().await).max(run().await)
}

fn line(n: u64) -> String {
    format!(
        r#"{{"id":{n},"name":"customer {n}","price":{}.50,"quantity":{},"active":{},"at":"2026-01-01T00:00:{:02}Z","city":"Rotterdam","note":null}}"#,
        n % 1000,
        n % 50,
        n.is_multiple_of(2),
        n % 60
    )
}

fn batches(rows: u64) -> Vec<Batch> {
    let mut builder = BatchBuilder::default();
    let mut reader = JsonReader::default();
    let batch = |first: u64| {
        let lines: Vec<String> = (first..rows.min(first + BATCH)).map(line).collect();
        builder.set_base(Base::new(lines.concat().into_bytes()).expect("short text"));
        let mut offset = 0;
        for (row, line) in lines.iter().enumerate() {
            let meta = Meta::new(first + row as u64 + 1, row as u32);
            reader.read_row(&mut builder, offset, line.len(), meta).expect("sound JSON");
            offset += line.len();
        }
        builder.finish()
    };
    (0..rows).step_by(BATCH as usize).map(batch).collect()
}

async fn sink(rows: u64, group: u64, config: &str) -> f64 {
    let dir = tempfile::tempdir().expect("a folder");
    let batches = batches(rows);
    let component =
        REGISTRY.iter().find(|component| component.meta.name == "sqlite_sink").expect("it is there");
    let Opener::Sink(open) = component.opener else { unreachable!("it is a sink") };
    let cx = SinkCtx {
        uid: "u".into(),
        node: "n".into(),
        share: None,
        generation: 1,
        files: Files::open(dir.path()),
    };
    let mut sink = open(serde_json::from_str(config).expect("JSON"), cx).await.expect("a sink");
    let stream = StreamKey::straight("in", "");
    sink.adopt(&stream).await.expect("a stream");
    let begin = Instant::now();
    let mut order = 0;
    for batches in batches.chunks((group / BATCH) as usize) {
        order += batches.iter().map(|batch| batch.len() as u64).sum::<u64>();
        let position = Position { order, token: serde_json::Value::Null };
        let marks = [Mark { stream: stream.clone(), position }];
        let outcome = sink.deliver(Group { batches, marks: &marks }).await.expect("a delivery");
        assert!(matches!(outcome, Outcome::Delivered(_)));
    }
    let took = begin.elapsed().as_secs_f64();
    sink.close().await.expect("closed");
    rows as f64 / took
}

async fn bare(rows: u64, group: u64) -> f64 {
    const CHUNK: u64 = 256;
    let dir = tempfile::tempdir().expect("a folder");
    let mut connection = open(&dir.path().join("b.db")).await;
    let create = "CREATE TABLE t (id INTEGER, name TEXT, price TEXT, quantity INTEGER, active INTEGER, at TEXT, city TEXT, note TEXT)";
    sqlx::query(create).execute(&mut connection).await.expect("a table");
    let begin = Instant::now();
    for first in (0..rows).step_by(group as usize) {
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.expect("a transaction");
        let until = rows.min(first + group);
        for first in (first..until).step_by(CHUNK as usize) {
            let mut arguments = SqliteArguments::default();
            let count = CHUNK.min(until - first);
            for n in first..first + count {
                bind(&mut arguments, n);
            }
            let values = vec!["(?,?,?,?,?,?,?,?)"; count as usize].join(",");
            let sql = format!("INSERT INTO t VALUES {values}");
            let insert = sqlx::query_with(AssertSqlSafe(sql), arguments);
            insert.execute(&mut *transaction).await.expect("rows");
        }
        transaction.commit().await.expect("a commit");
    }
    rows as f64 / begin.elapsed().as_secs_f64()
}

fn bind(arguments: &mut SqliteArguments, n: u64) {
    let fine = "plain values";
    arguments.add(n as i64).expect(fine);
    arguments.add(format!("customer {n}")).expect(fine);
    arguments.add(format!("{}.50", n % 1000)).expect(fine);
    arguments.add((n % 50) as i64).expect(fine);
    arguments.add(n.is_multiple_of(2)).expect(fine);
    arguments.add(format!("2026-01-01T00:00:{:02}Z", n % 60)).expect(fine);
    arguments.add("Rotterdam").expect(fine);
    arguments.add(None::<i64>).expect(fine);
}

async fn open(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", "10000")
        .disable_statement_logging();
    SqliteConnection::connect_with(&options).await.expect("a file")
}
