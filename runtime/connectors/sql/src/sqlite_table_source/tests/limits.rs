//! What is bounded: how long a query goes on when nobody waits for it, and how large a record may be.

use std::time::{Duration, Instant};

use fairway_engine::files::Files;
use fairway_engine::probe::SampleCtx;

use super::{open, read};
use crate::sql::assembled;
use crate::testing::{Bay, component};

/// A query without end that has the file open for reading, so that nobody can write.
const ENDLESS: &str = r#""mode":"query","query":"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) AS n FROM n, t""#;

/// Waits until the file can be written, as it can when no query reads it.
async fn until_it_can_be_written(bay: &Bay) {
    let until = Instant::now() + Duration::from_secs(30);
    while sqlx::raw_sql(assembled("INSERT INTO t VALUES (2)"))
        .execute(&mut bay.connection().await)
        .await
        .is_err()
    {
        assert!(Instant::now() < until, "the query goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_ends_with_the_preview_that_asked_it() {
    let bay = Bay::with("CREATE TABLE t(a); INSERT INTO t VALUES (1)").await;
    let config = serde_json::from_str(&format!("{{\"path\":\"x.db\",{ENDLESS}}}")).unwrap();
    let cx = SampleCtx {
        uid: "u1".into(),
        node: "in".into(),
        files: Files::open(bay.root()),
        wanted: 5,
        deadline: Duration::from_millis(400),
    };
    let late = component("sqlite_table_source").sample.unwrap()(config, cx).await.unwrap_err();
    assert_eq!(late.code, "preview.no_record_in_time");
    until_it_can_be_written(&bay).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_ends_with_its_channel() {
    let bay = Bay::with("CREATE TABLE t(a); INSERT INTO t VALUES (1)").await;
    let mut driven = open(&bay, ENDLESS, Vec::new()).await;
    let waited = tokio::time::timeout(Duration::from_millis(400), driven.source.next()).await;
    assert!(waited.is_err(), "it never answers");
    driven.source.close().await;
    drop(driven);
    until_it_can_be_written(&bay).await;
}

#[tokio::test]
async fn a_record_that_is_too_long_is_refused_and_its_long_value_is_never_read() {
    let bay = Bay::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, s TEXT, b BLOB);
         INSERT INTO t VALUES (1, 'short', x'01'), (2, printf('%.*c', 50000000, 'x'), NULL), (3, 's', zeroblob(5000)),
             (4, printf('%.*c', 800, 'x'), zeroblob(800)), (5, printf('%.*c', 1024, 'x'), NULL), (6, 7, 8.5)",
    )
    .await;
    for config in [r#""tables":["t"]"#, r#""mode":"query","query":"select * from t","key":["id"]"#] {
        let config = format!("{config},\"max_record_bytes\":1100");
        let mut driven = open(&bay, &config, Vec::new()).await;
        let all = driven.read().await.unwrap();
        assert_eq!(all.len(), 3, "{config}: 1, 5 and 6");
        assert!(all[0].ends_with(r#"{"id":1,"s":"short","b":"AQ=="}"#), "{}", all[0]);
        assert!(all[2].ends_with(r#"{"id":6,"s":"7","b":8.5}"#), "{}", all[2]);
        let found: Vec<(&str, Option<&str>)> =
            driven.dead.iter().map(|error| (error.code, error.field.as_deref())).collect();
        let long = |field| ("table.record_too_long", field);
        assert_eq!(found, [long(Some("s")), long(Some("b")), long(None)], "{config}");
        let (again, _) = read(&bay, &config, driven.marks.clone()).await;
        assert!(again.is_empty(), "{config}: what is refused is passed");
    }
}
