use std::time::Duration;

use fairway_engine::error::Kind;
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Sink};
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SOURCE};
use serde_json::json;

use crate::testing::{Bay, batch, component, mark};

const TABLE: &str = r#""table":"t""#;

fn lines(range: std::ops::Range<u64>) -> Vec<String> {
    range.map(|n| format!(r#"{{"n":{},"t":"é{n}"}}"#, n + 1)).collect()
}

fn straight() -> StreamKey {
    StreamKey::straight("in", "")
}

async fn adopt(sink: &mut dyn Sink) -> u64 {
    sink.adopt(&straight()).await.unwrap().unwrap().order
}

/// Delivers records behind `from` up to `until` as one group.
async fn deliver(sink: &mut dyn Sink, from: u64, until: u64) -> Result<Outcome, fairway_engine::Error> {
    let (batches, marks) = ([batch(&lines(from..until), from)], [mark("", until)]);
    sink.deliver(Group { batches: &batches, marks: &marks }).await
}

async fn numbers(bay: &Bay) -> Vec<u64> {
    bay.texts("SELECT CAST(n AS TEXT) FROM t ORDER BY n").await.iter().map(|n| n.parse().unwrap()).collect()
}

#[tokio::test]
async fn a_killed_sink_goes_on_exactly_where_it_was() {
    let bay = Bay::new();
    let mut done = 0;
    for generation in 1..=5 {
        let mut sink = bay.sink(generation, TABLE).await.unwrap();
        assert_eq!(adopt(&mut *sink).await, done);
        for _ in 0..3 {
            deliver(&mut *sink, done, done + 7).await.unwrap();
            done += 7;
        }
        // Killed: the object goes away without being closed.
        drop(sink);
    }
    assert_eq!(numbers(&bay).await, (1..=done).collect::<Vec<_>>());
    let token = bay.sink(6, TABLE).await.unwrap().adopt(&straight()).await.unwrap();
    assert_eq!(token, Some(mark("", done).position));
}

/// Wherever a delivery is cut off, rows and position agree: both are there or neither.
#[tokio::test]
async fn a_delivery_cut_off_leaves_all_or_nothing() {
    let bay = Bay::new();
    let mut done = 0;
    for round in 0..40 {
        let mut sink = bay.sink(round, TABLE).await.unwrap();
        let found = adopt(&mut *sink).await;
        assert!(found == done || found == done + 2000, "{found} of {done}");
        done = found;
        let cut = Duration::from_micros(round * 500);
        // Whether it was done in time does not matter.
        tokio::time::timeout(cut, deliver(&mut *sink, done, done + 2000)).await.ok();
        drop(sink);
    }
    let mut sink = bay.sink(40, TABLE).await.unwrap();
    let done = adopt(&mut *sink).await;
    assert!(done > 0, "some delivery was done in time");
    assert_eq!(numbers(&bay).await, (1..=done).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_later_owner_fences_an_earlier_one() {
    let bay = Bay::new();
    let mut older = bay.sink(4, TABLE).await.unwrap();
    assert_eq!(adopt(&mut *older).await, 0);
    deliver(&mut *older, 0, 5).await.unwrap();
    let mut newer = bay.sink(5, TABLE).await.unwrap();
    assert_eq!(adopt(&mut *newer).await, 5);
    assert_eq!(deliver(&mut *older, 5, 9).await.unwrap_err().kind, Kind::Fenced);
    deliver(&mut *newer, 5, 7).await.unwrap();
    assert_eq!(deliver(&mut *older, 5, 7).await.unwrap_err().kind, Kind::Fenced);
    assert_eq!(older.adopt(&straight()).await.unwrap_err().kind, Kind::Fenced);
    deliver(&mut *newer, 7, 9).await.unwrap();
    assert_eq!(numbers(&bay).await, (1..=9).collect::<Vec<_>>());
}

/// Two sinks of one generation stand for one whose commit went through without its knowing.
#[tokio::test]
async fn a_commit_of_unknown_outcome_is_not_written_twice() {
    let bay = Bay::new();
    let mut unaware = bay.sink(1, TABLE).await.unwrap();
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    assert_eq!((adopt(&mut *sink).await, adopt(&mut *unaware).await), (0, 0));
    deliver(&mut *sink, 0, 5).await.unwrap();
    assert!(
        matches!(deliver(&mut *unaware, 0, 5).await.unwrap(), Outcome::Delivered(refused) if refused.is_empty())
    );
    deliver(&mut *unaware, 5, 8).await.unwrap();
    // The same group once more, to one that knows.
    deliver(&mut *unaware, 5, 8).await.unwrap();
    assert_eq!(numbers(&bay).await, (1..=8).collect::<Vec<_>>());
}

#[tokio::test]
async fn streams_are_committed_together_and_channels_apart() {
    let bay = Bay::new();
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    let other = straight().via("x");
    for stream in [&mark("a", 0).stream, &mark("b'\"", 0).stream, &other] {
        assert_eq!(sink.adopt(stream).await.unwrap(), Some(Position::start()));
    }
    let mut marks = vec![mark("a", 3), mark("b'\"", u64::MAX)];
    marks[0].position.token = json!({"digits": 1.50, "text": "é\u{0}"});
    let batches = [batch(&lines(0..2), 0), batch(&lines(2..3), 0)];
    sink.deliver(Group { batches: &batches, marks: &marks }).await.unwrap();
    let mut next = bay.sink(2, TABLE).await.unwrap();
    for mark in &marks {
        assert_eq!(next.adopt(&mark.stream).await.unwrap().as_ref(), Some(&mark.position));
    }
    assert_eq!(next.adopt(&other).await.unwrap(), Some(Position::start()));
    assert_eq!(bay.texts("SELECT channel || sink || count(*) FROM fairway_positions").await, ["u1out3"]);
    // Nothing without marks is ever taken for done.
    next.deliver(Group { batches: &batches[1..], marks: &[] }).await.unwrap();
    assert_eq!(numbers(&bay).await, [1, 2, 3, 3]);
}

#[tokio::test]
async fn a_target_that_went_back_waits_for_the_user() {
    let bay = Bay::new();
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 5).await.unwrap();
    bay.run("DELETE FROM fairway_positions").await;
    let error = deliver(&mut *sink, 5, 9).await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "sqlite.went_back"));
    assert_eq!(numbers(&bay).await.len(), 5, "a missing row is never inserted by a delivery");
    assert_eq!(adopt(&mut *sink).await, 0);
    bay.run(r#"UPDATE fairway_positions SET position = '{"order":3,"token":null}'"#).await;
    assert_eq!(deliver(&mut *sink, 5, 9).await.unwrap_err().kind, Kind::Hold);
}

#[tokio::test]
async fn another_writer_is_waited_for() {
    let bay = Bay::new();
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 2).await.unwrap();
    let mut other = bay.connection().await;
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    for _ in 0..2 {
        let error = deliver(&mut *sink, 2, 5).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Outage, "sqlite.busy"), "{error}");
    }
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    deliver(&mut *sink, 2, 5).await.unwrap();
    assert_eq!(numbers(&bay).await, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn a_table_dropped_or_changed_meanwhile_is_an_outage_or_made_anew() {
    let bay = Bay::with("CREATE TABLE t(n int, t text, x int)").await;
    let config = r#""table":"t","create_table":false"#;
    let mut sink = bay.sink(1, config).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 2).await.unwrap();
    bay.run("DROP TABLE t").await;
    for _ in 0..2 {
        let error = deliver(&mut *sink, 2, 5).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Outage, "sqlite.no_table"), "{error}");
    }
    bay.run("CREATE TABLE t(n int)").await;
    deliver(&mut *sink, 2, 5).await.unwrap();
    assert_eq!(bay.rows("t").await, ["3,'é2'", "4,'é3'", "5,'é4'"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_task_killed_again_and_again_delivers_each_record_once() {
    let bay = Bay::new();
    let mut drawing = Drawing::new()
        .node("in", MEMORY_SOURCE, json!({"count": 20_000, "batch": 50}))
        .node("out", *component("sqlite_sink"), json!({"path": "x.db", "table": "t"}))
        .edges(&["in>out"])
        .groups_of(300);
    drawing.0.files = fairway_engine::files::Files::open(bay.root());
    let mut bench = Bench::default();
    for round in 0..8 {
        bench.crash_after(&drawing, Duration::from_millis(5 + round * 3)).await;
    }
    bench.run(&drawing).await.unwrap();
    assert_eq!(numbers(&bay).await, (1..=20_000).collect::<Vec<_>>());
}
