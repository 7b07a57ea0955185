use std::time::Duration;

use fairway_engine::data::Batch;
use fairway_engine::files::Files;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SINK, PLAIN_SINK, shelf};
use serde_json::json;

use super::{open, read};
use crate::testing::{Bay, component};

const NUMBERS: &str = "WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 3000)";

fn count(lines: &[String]) -> usize {
    let unique: std::collections::HashSet<&String> = lines.iter().collect();
    assert_eq!(unique.len(), lines.len(), "each once");
    lines.len()
}

/// Orders and texts of records.
fn ranked(batch: &Batch) -> Vec<(u64, String)> {
    batch.records().map(|record| (record.meta().order, format!("{record:?}"))).collect()
}

/// Case 022: rows with the same timestamp.
#[tokio::test]
async fn rows_of_the_same_time_come_once_each() {
    let case = |name: &str| {
        let folder = "../../../tests/cases/022-rows-with-the-same-timestamp";
        std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
    };
    let bay = Bay::with(&case("setup.sqlite.sql")).await;
    let config = r#""tables":["src"],"mode":"timestamp","timestamp_column":"updated_at","batch":7"#;
    let (mut all, mut marks) = read(&bay, config, Vec::new()).await;
    assert_eq!(count(&all), 40);
    for (later, total) in [("later.sql", 43), ("later2.sql", 46)] {
        bay.run(&case(later)).await;
        let (more, after) = read(&bay, config, marks).await;
        all.extend(more);
        marks = after;
        assert_eq!(count(&all), total);
    }
    let (none, _) = read(&bay, config, marks).await;
    assert!(none.is_empty(), "{none:?}");
}

/// Every position that leaves is resumed from: nothing is lost, and what was announced has the order it was promised.
#[tokio::test]
async fn from_every_position_the_rest_comes() {
    let bay = Bay::with(&format!(
        "CREATE TABLE t(id TEXT NOT NULL PRIMARY KEY, at TEXT NOT NULL, n INTEGER) WITHOUT ROWID;
         INSERT INTO t {NUMBERS} SELECT 'k' || (i * 7919 % 3001), printf('2024-01-01 %02d', i / 40), i FROM g WHERE i <= 90"
    ))
    .await;
    for config in [
        r#""tables":["t"],"batch":7"#,
        r#""tables":["t"],"batch":7,"mode":"timestamp","timestamp_column":"at""#,
        r#""tables":["t"],"batch":7,"mode":"timestamp_incrementing","timestamp_column":"at","incrementing_column":"n""#,
    ] {
        let mut first = open(&bay, config, Vec::new()).await;
        let mut whole = Vec::new();
        let mut positions = vec![(Vec::new(), 0)];
        while let Some(polled) = first.batch().await {
            whole.extend(ranked(&polled.batch));
            first.acknowledge("t", polled.position).await;
            positions.push((first.marks.clone(), whole.len()));
        }
        assert_eq!(whole.len(), 90, "{config}");
        assert!(whole.windows(2).all(|pair| pair[0].0 < pair[1].0), "orders rise");
        for (marks, done) in positions {
            let mut again = open(&bay, config, marks).await;
            let mut rest = Vec::new();
            while let Some(polled) = again.batch().await {
                rest.extend(ranked(&polled.batch));
                again.acknowledge("t", polled.position).await;
            }
            let texts = |rows: &[(u64, String)]| rows.iter().map(|row| row.1.clone()).collect::<Vec<_>>();
            assert!(texts(&rest) == texts(&whole[done..]), "{config}: after {done}");
            assert!(rest.windows(2).all(|pair| pair[0].0 < pair[1].0), "orders rise");
        }
    }
}

/// A row that vanishes between crash and restart must not hand its order to the next one, which would then be skipped.
#[tokio::test]
async fn a_row_that_vanished_takes_its_order_with_it() {
    let bay = Bay::with(&format!(
        "CREATE TABLE t(id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
         INSERT INTO t {NUMBERS} SELECT printf('k%03d', i), i / 10 FROM g WHERE i <= 40"
    ))
    .await;
    let config = r#""tables":["t"],"batch":5,"mode":"timestamp","timestamp_column":"at""#;
    let mut source = open(&bay, config, Vec::new()).await;
    let announcement = source.batch().await.unwrap();
    assert!(announcement.batch.is_empty(), "nothing leaves before it is announced");
    source.acknowledge("t", announcement.position).await;
    // The target gets these, but the position after them is never stored.
    let first = ranked(&source.batch().await.unwrap().batch);
    assert_eq!(first.len(), 5);
    let marks = source.marks.clone();
    drop(source);
    bay.run("DELETE FROM t WHERE id = 'k002'; UPDATE t SET at = 99 WHERE id = 'k004'").await;
    bay.run("INSERT INTO t VALUES ('k000', 0)").await;
    let reached = first[4].0;
    let mut again = open(&bay, config, marks).await;
    let (mut skipped, mut delivered) = (Vec::new(), Vec::new());
    while let Some(polled) = again.batch().await {
        let (known, new): (Vec<_>, Vec<_>) =
            ranked(&polled.batch).into_iter().partition(|row| row.0 <= reached);
        skipped.extend(known);
        delivered.extend(new.into_iter().map(|row| row.1));
        again.acknowledge("t", polled.position).await;
    }
    assert!(skipped.iter().all(|line| first.contains(line)), "{skipped:?}");
    assert_eq!(skipped.len(), 3, "k001, k003 and k005 come again with their orders");
    // 40 + 1 rows, less the deleted one, less those three.
    assert_eq!(delivered.len(), 37);
    assert!(delivered.iter().any(|row| row.contains("k000")), "a late row is not lost");
    assert!(delivered.iter().any(|row| row.contains("k004") && row.contains("99")));
}

/// More rows of one time than can be remembered, and a stop in the middle of them.
#[tokio::test]
async fn a_crowd_of_one_time_is_read_through() {
    let bay = Bay::with(&format!(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, at INTEGER NOT NULL); INSERT INTO t {NUMBERS} SELECT i, 5 FROM g WHERE i <= 1500"
    ))
    .await;
    let config = r#""tables":["t"],"batch":40,"mode":"timestamp","timestamp_column":"at""#;
    let mut source = open(&bay, config, Vec::new()).await;
    let mut all = Vec::new();
    while all.len() < 1000 {
        let polled = source.batch().await.unwrap();
        all.extend(ranked(&polled.batch).into_iter().map(|row| row.1));
        source.acknowledge("t", polled.position).await;
    }
    let marks = source.marks.clone();
    drop(source);
    let mut source = open(&bay, config, marks).await;
    while let Some(polled) = source.batch().await {
        all.extend(ranked(&polled.batch).into_iter().map(|row| row.1));
        source.acknowledge("t", polled.position).await;
    }
    assert_eq!(count(&all), 1500);
    bay.run("INSERT INTO t VALUES (9000, 5), (9001, 6)").await;
    assert_eq!(read(&bay, config, source.marks.clone()).await.0.len(), 2);
}

/// Killed again and again while others write: nothing is lost, and nothing doubled.
#[tokio::test(flavor = "multi_thread")]
async fn killed_forty_times_with_writers_at_work() {
    for (place, config) in [
        ("sqlite-incrementing", json!({"mode": "incrementing", "incrementing_column": "n"})),
        ("sqlite-timestamp", json!({"mode": "timestamp", "timestamp_column": "at", "key": ["id"]})),
    ] {
        let bay = Bay::with(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE t(n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, at TEXT NOT NULL)",
        )
        .await;
        let mut config = config;
        for (name, value) in
            [("path", json!("x.db")), ("tables", json!(["t"])), ("batch", json!(9)), ("poll", json!("10ms"))]
        {
            config[name] = value;
        }
        let plain = format!("{place}-plain");
        let mut drawing = Drawing::new()
            .node("in", *component("sqlite_table_source"), config)
            .node("out", MEMORY_SINK, json!({ "shelf": place }))
            .node("beside", PLAIN_SINK, json!({ "shelf": plain }))
            .edges(&["in>out", "in>beside"])
            .groups_of(20);
        drawing.0.files = Files::open(bay.root());
        let mut writer = bay.connection().await;
        let writing = tokio::spawn(async move {
            for burst in 0..60 {
                let sql = format!(
                    "INSERT INTO t(id, at) {NUMBERS}
                     SELECT 'b{burst}-' || i, strftime('%Y-%m-%d %H:%M:%f') FROM g WHERE i <= 40"
                );
                sqlx::raw_sql(crate::sql::assembled(sql)).execute(&mut writer).await.unwrap();
                tokio::time::sleep(Duration::from_millis(8)).await;
            }
        });
        let mut bench = Bench::default();
        for round in 0..40u64 {
            bench.crash_after(&drawing, Duration::from_millis(3 + round * 7 % 23)).await;
        }
        writing.await.unwrap();
        drawing.0.until_caught_up = true;
        bench.run(&drawing).await.unwrap();
        let mut numbers = shelf(place).numbers();
        numbers.sort_unstable();
        assert!(numbers == (1..=2400).collect::<Vec<_>>(), "{place}: {} rows of 2400", numbers.len());
        let seen: std::collections::BTreeSet<i64> = shelf(&plain).numbers().into_iter().collect();
        assert_eq!(seen.len(), 2400, "{place}: at least once where the target holds no position");
    }
}
