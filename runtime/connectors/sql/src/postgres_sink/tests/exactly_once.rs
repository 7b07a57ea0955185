use std::time::{Duration, Instant};

use fairway_engine::error::Kind;
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Sink};
use serde_json::json;
use sqlx::{Connection, PgConnection};

use super::Harbour;
use crate::testing::{batch, mark};

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

/// Numbers from 1 to `until`, each once.
fn each_once(harbour: &Harbour, until: u64) {
    let found = harbour.sql("select count(*), count(distinct n), coalesce(max(n), 0) from t");
    assert_eq!(found, format!("{until}|{until}|{until}"));
}

/// Wherever a delivery is cut off, rows and position agree: both are there or neither.
#[tokio::test]
async fn a_delivery_cut_off_leaves_all_or_nothing() {
    let harbour = Harbour::with("create table t(n bigint, t text)");
    let mut done = 0;
    for round in 0..30 {
        let mut sink = harbour.sink(round, TABLE).await.unwrap();
        let found = adopt(&mut *sink).await;
        assert!(found == done || found == done + 2000, "{found} of {done}");
        done = found;
        let cut = Duration::from_micros(round * 500);
        // Whether it was done in time does not matter.
        tokio::time::timeout(cut, deliver(&mut *sink, done, done + 2000)).await.ok();
        drop(sink);
    }
    let mut sink = harbour.sink(30, TABLE).await.unwrap();
    let done = adopt(&mut *sink).await;
    assert!(done > 0, "some delivery was done in time");
    each_once(&harbour, done);
}

#[tokio::test]
async fn a_later_owner_fences_an_earlier_one() {
    let harbour = Harbour::new();
    let mut older = harbour.sink(4, TABLE).await.unwrap();
    assert_eq!(adopt(&mut *older).await, 0);
    deliver(&mut *older, 0, 5).await.unwrap();
    let mut newer = harbour.sink(5, TABLE).await.unwrap();
    assert_eq!(adopt(&mut *newer).await, 5);
    // Its session was ended: it learns the rest when it comes again.
    assert_eq!(deliver(&mut *older, 5, 9).await.unwrap_err().kind, Kind::Outage);
    assert_eq!(deliver(&mut *older, 5, 9).await.unwrap_err().kind, Kind::Fenced);
    deliver(&mut *newer, 5, 7).await.unwrap();
    assert_eq!(deliver(&mut *older, 5, 7).await.unwrap_err().kind, Kind::Fenced);
    assert_eq!(older.adopt(&straight()).await.unwrap_err().kind, Kind::Fenced);
    deliver(&mut *newer, 7, 9).await.unwrap();
    each_once(&harbour, 9);
}

/// A frozen owner in the middle of a transaction holds its row; taking over does not wait for it.
#[tokio::test]
async fn a_frozen_owner_is_ended_at_once() {
    let harbour = Harbour::new();
    let mut older = harbour.sink(1, TABLE).await.unwrap();
    adopt(&mut *older).await;
    deliver(&mut *older, 0, 5).await.unwrap();
    // It stands still after its positions moved, before its rows are complete.
    let mut other = PgConnection::connect(&harbour.postgres.url(&harbour.database)).await.unwrap();
    sqlx::raw_sql("begin; lock table t").execute(&mut other).await.unwrap();
    let frozen = tokio::time::timeout(Duration::from_millis(200), deliver(&mut *older, 5, 9)).await;
    assert!(frozen.is_err(), "it waits for the table");
    // Dropped futures close their connections; a session left open stands for the frozen process.
    let mut stuck = PgConnection::connect(&format!(
        "{}?application_name=fairway/u1/out@1",
        harbour.postgres.url(&harbour.database)
    ))
    .await
    .unwrap();
    sqlx::raw_sql("begin; select * from fairway_positions for update").execute(&mut stuck).await.unwrap();
    other.close().await.unwrap();
    let begin = Instant::now();
    let mut newer = harbour.sink(2, TABLE).await.unwrap();
    assert_eq!(adopt(&mut *newer).await, 5);
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    deliver(&mut *newer, 5, 9).await.unwrap();
    each_once(&harbour, 9);
    assert!(sqlx::raw_sql("commit").execute(&mut stuck).await.is_err(), "its session is gone");
}

/// A process that stands still inside a transaction is ended by the server itself.
#[tokio::test]
async fn sessions_do_not_sit_in_a_transaction() {
    let harbour = Harbour::new();
    let sink = harbour.sink(3, TABLE).await.unwrap();
    let name = harbour.sql("select application_name from pg_stat_activity where datname = current_database() and application_name like 'fairway/%'");
    assert_eq!(name, "fairway/u1/out@3");
    drop(sink);
}

/// Its answer was lost on the way, but the commit had gone through: another session did what the first was told to.
#[tokio::test]
async fn a_commit_of_unknown_outcome_is_not_written_twice() {
    let harbour = Harbour::new();
    let mut sink = harbour.sink(1, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 5).await.unwrap();
    let position = r#"{"order":9,"token":{"offset":9}}"#;
    harbour.sql(&format!(
        "begin; insert into t select g, 'é' from generate_series(6, 9) g;
        update fairway_positions set \"position\" = '{position}'; commit"
    ));
    assert!(
        matches!(deliver(&mut *sink, 5, 9).await.unwrap(), Outcome::Delivered(refused) if refused.is_empty())
    );
    deliver(&mut *sink, 9, 12).await.unwrap();
    // The same group once more, to one that knows.
    deliver(&mut *sink, 9, 12).await.unwrap();
    each_once(&harbour, 12);
}

#[tokio::test]
async fn streams_are_committed_together_and_channels_apart() {
    let harbour = Harbour::new();
    let mut sink = harbour.sink(1, TABLE).await.unwrap();
    let other = straight().via("x");
    for stream in [&mark("a", 0).stream, &mark("b'\"", 0).stream, &other] {
        assert_eq!(sink.adopt(stream).await.unwrap(), Some(Position::start()));
    }
    let mut marks = vec![mark("a", 3), mark("b'\"", u64::MAX)];
    marks[0].position.token = json!({"digits": 1.50, "text": "é\u{0}"});
    let batches = [batch(&lines(0..2), 0), batch(&lines(2..3), 0)];
    sink.deliver(Group { batches: &batches, marks: &marks }).await.unwrap();
    let mut next = harbour.sink(2, TABLE).await.unwrap();
    for mark in &marks {
        assert_eq!(next.adopt(&mark.stream).await.unwrap().as_ref(), Some(&mark.position));
    }
    assert_eq!(next.adopt(&other).await.unwrap(), Some(Position::start()));
    assert_eq!(harbour.sql("select distinct channel || sink from fairway_positions"), "u1out");
    each_once(&harbour, 3);
}

#[tokio::test]
async fn a_target_that_went_back_waits_for_the_user() {
    let harbour = Harbour::new();
    let mut sink = harbour.sink(1, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 5).await.unwrap();
    harbour.sql("delete from fairway_positions");
    let error = deliver(&mut *sink, 5, 9).await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "postgres.went_back"));
    each_once(&harbour, 5);
    assert_eq!(adopt(&mut *sink).await, 0);
    harbour.sql(r#"update fairway_positions set "position" = '{"order":3,"token":null}'"#);
    assert_eq!(deliver(&mut *sink, 5, 9).await.unwrap_err().kind, Kind::Hold);
}

/// A table that is gone took its records with it; made anew it would silently lack them.
#[tokio::test]
async fn a_table_that_is_gone_waits_for_the_user() {
    let harbour = Harbour::new();
    let mut sink = harbour.sink(1, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 5).await.unwrap();
    harbour.sql("drop table t");
    let error = deliver(&mut *sink, 5, 9).await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "postgres.no_table"), "{error}");
    for generation in [0, 2] {
        if generation > 0 {
            sink = harbour.sink(generation, TABLE).await.unwrap();
            adopt(&mut *sink).await;
        }
        let error = deliver(&mut *sink, 5, 9).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "postgres.table_gone"), "{error}");
    }
    // Another table was chosen: it begins here.
    let mut sink = harbour.sink(3, r#""table":"other""#).await.unwrap();
    assert_eq!(adopt(&mut *sink).await, 5);
    deliver(&mut *sink, 5, 9).await.unwrap();
    assert_eq!(harbour.sql("select count(*) from other"), "4");
    // Going back to the first: its rows are still gone, but the user made it anew.
    harbour.sql("create table t(n bigint, t text)");
    let mut sink = harbour.sink(4, TABLE).await.unwrap();
    assert_eq!(adopt(&mut *sink).await, 9);
    deliver(&mut *sink, 9, 10).await.unwrap();
    // Deleting takes nothing away from what is known.
    let mut sink = harbour.sink(5, r#""table":"t","mode":"delete","key":["n"]"#).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 9, 11).await.unwrap();
    harbour.sql("drop table t");
    let mut sink = harbour.sink(6, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    assert_eq!(deliver(&mut *sink, 11, 12).await.unwrap_err().code, "postgres.table_gone");
}
