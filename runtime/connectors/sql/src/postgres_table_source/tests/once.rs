use std::time::Duration;

use fairway_engine::error::Kind;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SINK, PLAIN_SINK, shelf};
use serde_json::json;
use sqlx::{Connection, PgConnection};

use super::{Base, case};
use crate::sql::assembled;
use crate::testing::component;

fn count(lines: &[String]) -> usize {
    let unique: std::collections::HashSet<&String> = lines.iter().collect();
    assert_eq!(unique.len(), lines.len(), "each once");
    lines.len()
}

/// Case 022: rows with the same timestamp.
#[tokio::test]
async fn rows_of_the_same_time_come_once_each() {
    let case = |file| case("022-rows-with-the-same-timestamp", file);
    let base = Base::with(&case("setup.sql"));
    let config = r#""tables":["src"],"mode":"timestamp","timestamp_column":"updated_at","batch":7"#;
    let (mut all, mut marks) = base.read(config, Vec::new()).await;
    assert_eq!(count(&all), 40);
    for (later, total) in [("later.sql", 43), ("later2.sql", 46)] {
        base.run(&case(later));
        let (more, after) = base.read(config, marks).await;
        all.extend(more);
        marks = after;
        assert_eq!(count(&all), total);
    }
    assert!(base.read(config, marks).await.0.is_empty());
}

/// Case 023: the position keeps every digit of the column.
#[tokio::test]
async fn microseconds_count() {
    let case = |file| case("023-microseconds-in-the-position", file);
    let base = Base::with(&case("setup.sql"));
    for mode in [r#""mode":"timestamp""#, r#""mode":"timestamp_incrementing","incrementing_column":"id""#] {
        for table in ["src", "src_tz"] {
            base.run("DELETE FROM src WHERE id = 5; DELETE FROM src_tz WHERE id = 5");
            let config = format!(r#""tables":["{table}"],{mode},"timestamp_column":"updated_at""#);
            let (all, mut marks) = base.read(&config, Vec::new()).await;
            assert_eq!(count(&all), 4, "{config}");
            let token = marks[0].position.token.to_string();
            assert!(token.contains("2021-07-08 09:10:12.999999"), "{token}");
            for _ in 0..3 {
                let (none, after) = base.read(&config, marks).await;
                assert!(none.is_empty(), "{config}: {none:?}");
                marks = after;
            }
            base.run(&case("later.sql"));
            let (one, marks) = base.read(&config, marks).await;
            assert_eq!(one.len(), 1, "{config}");
            assert!(base.read(&config, marks).await.0.is_empty(), "{config}");
        }
    }
}

/// Case 024: a transaction takes the lower number first and commits last.
#[tokio::test]
async fn late_commits_are_waited_for() {
    for (mode, key) in [
        (r#""mode":"incrementing","incrementing_column":"id""#, "id"),
        (r#""mode":"timestamp","timestamp_column":"updated_at""#, "updated_at"),
    ] {
        let base = Base::with(
            "CREATE TABLE src(id bigint PRIMARY KEY, v text, updated_at timestamptz NOT NULL DEFAULT now());
             INSERT INTO src(id, v) VALUES (99, 'before')",
        );
        let config = format!(r#""tables":["src"],"columns":["id"],{mode}"#);
        let (all, marks) = base.read(&config, Vec::new()).await;
        assert_eq!(all, [r#"src: {"id":99}"#]);
        let mut slow = PgConnection::connect(&base.url()).await.unwrap();
        sqlx::raw_sql("BEGIN; INSERT INTO src(id, v) VALUES (100, 'slow')").execute(&mut slow).await.unwrap();
        base.run("INSERT INTO src(id, v) VALUES (101, 'fast')");
        let mut source = base.open(&config, marks.clone()).await;
        let nothing = tokio::time::timeout(Duration::from_millis(300), source.read()).await;
        assert!(nothing.is_err(), "{key}: the fast row waits for the slow one: {nothing:?}");
        // Without the horizon the fast row comes, and the slow one would be missed.
        let hasty = format!(r#"{config},"horizon":false"#);
        assert_eq!(base.read(&hasty, marks).await.0, [r#"src: {"id":101}"#]);
        sqlx::raw_sql("COMMIT").execute(&mut slow).await.unwrap();
        assert_eq!(source.read().await.unwrap(), [r#"src: {"id":100}"#, r#"src: {"id":101}"#], "{key}");
    }
}

#[tokio::test]
async fn an_overlap_finds_late_rows_and_repeats_none() {
    let base = Base::with(
        "CREATE TABLE t(id int PRIMARY KEY, at timestamptz NOT NULL);
         INSERT INTO t SELECT i, timestamptz '2024-01-01' + i * interval '1 second' FROM generate_series(1, 30) i",
    );
    let config = r#""tables":["t"],"columns":["id"],"mode":"timestamp","timestamp_column":"at","overlap":"10s","batch":4"#;
    let (all, marks) = base.read(config, Vec::new()).await;
    assert_eq!(count(&all), 30);
    base.run(
        "INSERT INTO t VALUES (100, '2024-01-01 00:00:25.5'), (101, '2024-01-01 00:00:05'), (102, '2024-01-01 00:00:31')",
    );
    let (more, marks) = base.read(config, marks).await;
    assert_eq!(
        more,
        [r#"t: {"id":100}"#, r#"t: {"id":102}"#],
        "what is older than the overlap is not looked for"
    );
    assert!(base.read(config, marks).await.0.is_empty());
}

#[tokio::test]
async fn a_delay_leaves_young_rows_alone() {
    let base = Base::with(
        "CREATE TABLE t(id int PRIMARY KEY, at timestamp NOT NULL);
         INSERT INTO t VALUES (1, now() - interval '1 hour'), (2, now() + interval '1 hour')",
    );
    let config =
        r#""tables":["t"],"columns":["id"],"mode":"timestamp","timestamp_column":"at","delay":"200ms""#;
    let (all, marks) = base.read(config, Vec::new()).await;
    assert_eq!(all, [r#"t: {"id":1}"#]);
    base.run("INSERT INTO t VALUES (3, now())");
    assert_eq!(base.read(config, marks).await.0, [r#"t: {"id":3}"#]);
}

/// Rows without a key are read anew after a stop, with orders above all that were used.
#[tokio::test]
async fn rows_without_a_key_come_at_least_once() {
    let base = Base::with("CREATE TABLE t(v int); INSERT INTO t SELECT generate_series(1, 50)");
    // Whoever did not agree to that is asked first.
    let error = base.open(r#""tables":["t"]"#, Vec::new()).await.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "table.no_key"));
    let config = r#""tables":["t"],"without_key":"read_again","batch":10"#;
    let mut source = base.open(config, Vec::new()).await;
    let mut highest = 0;
    for _ in 0..3 {
        let polled = source.batch().await.unwrap();
        highest = polled.position.order;
        if polled.batch.is_empty() {
            source.acknowledge("t", polled.position).await;
        }
    }
    let marks = source.marks.clone();
    drop(source);
    let mut source = base.open(config, marks).await;
    let mut rows = 0;
    while let Some(polled) = source.batch().await {
        assert!(polled.batch.records().all(|record| record.meta().order > highest));
        rows += polled.batch.len();
        source.acknowledge("t", polled.position).await;
    }
    assert_eq!(rows, 50);
    assert!(base.read(config, source.marks.clone()).await.0.is_empty(), "it is done");
}

/// Killed again and again while several sessions write and commit out of order, and change what they wrote: nothing is
/// lost, and where nothing changes nothing is doubled.
#[tokio::test(flavor = "multi_thread")]
async fn killed_forty_times_with_writers_at_work() {
    for (place, mode) in [
        ("postgres-incrementing", json!({"mode": "incrementing", "incrementing_column": "n"})),
        ("postgres-timestamp", json!({"mode": "timestamp", "timestamp_column": "at", "key": ["id"]})),
    ] {
        let base = Base::with(
            "CREATE TABLE t(n bigserial PRIMARY KEY, id text UNIQUE NOT NULL, at timestamptz NOT NULL DEFAULT now())",
        );
        let mut config = mode;
        for (name, value) in [
            ("url", json!(base.url())),
            ("tables", json!(["t"])),
            ("batch", json!(9)),
            ("poll", json!("10ms")),
        ] {
            config[name] = value;
        }
        let plain = format!("{place}-plain");
        let mut drawing = Drawing::new()
            .node("in", *component("postgres_table_source"), config)
            .node("out", MEMORY_SINK, json!({ "shelf": place }))
            .node("beside", PLAIN_SINK, json!({ "shelf": plain }))
            .edges(&["in>out", "in>beside"])
            .groups_of(20);
        let mut writers = Vec::new();
        for writer in 0..3u64 {
            let url = base.url();
            writers.push(tokio::spawn(async move {
                let mut session = PgConnection::connect(&url).await.unwrap();
                for burst in 0..40u64 {
                    let sql = format!(
                        "BEGIN; INSERT INTO t(id) SELECT '{writer}-{burst}-' || i FROM generate_series(1, 15) i"
                    );
                    sqlx::raw_sql(assembled(sql)).execute(&mut session).await.unwrap();
                    tokio::time::sleep(Duration::from_millis(2 + (burst * 7 + writer * 5) % 19)).await;
                    sqlx::raw_sql("COMMIT").execute(&mut session).await.unwrap();
                }
            }));
        }
        let mut bench = Bench::default();
        for round in 0..40u64 {
            bench.crash_after(&drawing, Duration::from_millis(8 + round * 11 % 37)).await;
        }
        for writer in writers {
            writer.await.unwrap();
        }
        drawing.0.until_caught_up = true;
        bench.run(&drawing).await.unwrap();
        let total: i64 = base.run("SELECT count(*) FROM t").parse().unwrap();
        let mut numbers = shelf(place).numbers();
        numbers.sort_unstable();
        assert!(numbers == (1..=total).collect::<Vec<_>>(), "{place}: {} rows of {total}", numbers.len());
        let seen: std::collections::BTreeSet<i64> = shelf(&plain).numbers().into_iter().collect();
        assert_eq!(seen.len() as i64, total, "{place}: at least once where the target holds no position");
    }
}

/// The server goes away in the middle: an outage, then it goes on, and nothing is lost.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_are_ended_are_an_outage() {
    let base = Base::with("CREATE TABLE t(n int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 5000)");
    let config = json!({"url": base.url(), "tables": ["t"], "batch": 20, "poll": "10ms"});
    let mut drawing = Drawing::new()
        .node("in", *component("postgres_table_source"), config)
        .node("out", MEMORY_SINK, json!({ "shelf": "postgres-outage" }))
        .edges(&["in>out"])
        .groups_of(50);
    drawing.0.until_caught_up = true;
    let mut bench = Bench::default();
    let running = tokio::spawn(async move { bench.run(&drawing).await });
    let mut ended = 0;
    while !running.is_finished() {
        let sql = "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'fairway/%' AND datname = current_database()) x";
        ended += base.run(sql).parse::<u32>().unwrap();
        if ended >= 3 {
            break;
        }
    }
    running.await.unwrap().unwrap();
    let mut numbers = shelf("postgres-outage").numbers();
    numbers.sort_unstable();
    assert!(numbers == (1..=5000).collect::<Vec<_>>(), "{} rows", numbers.len());
}
