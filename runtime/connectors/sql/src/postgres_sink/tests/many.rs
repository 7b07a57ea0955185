//! Many at once: refusals, and rows of one key.

use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing};
use serde_json::json;

use super::Harbour;
use crate::testing::{LINES, component, reasons};

/// A third of the records is refused: each is found, and what was delivered shows long before the end.
#[tokio::test]
async fn many_refusals_are_found_step_by_step() {
    const RECORDS: u64 = 600;
    let harbour = Harbour::with(
        "create table t(id int primary key check (id % 3 <> 0), during xid8 default pg_current_xact_id())",
    );
    for config in [r#""table":"t""#, r#""table":"t","mode":"upsert","key":["id"]"#] {
        harbour.sql("truncate t; drop table if exists fairway_positions");
        let lines: Vec<String> = (1..=RECORDS).map(|id| format!("{{\"id\":{id}}}")).collect();
        let drawing = Drawing::new()
            .node("in", LINES, json!({"lines": lines, "batch": 50}))
            .node("out", *component("postgres_sink"), harbour.config(config))
            .edges(&["in>out"]);
        let mut bench = Bench::default();
        assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
        let counts = bench.store.totals().counts;
        assert_eq!((counts.read, counts.delivered, counts.dead_lettered), (600, 400, 200), "{config}");
        assert_eq!(harbour.sql("select count(*), count(distinct id) from t"), "400|400", "{config}");
        let letters = bench.store.letters();
        assert!(
            letters.iter().all(|letter| letter.key.order % 3 == 0 && letter.cause.code == "postgres.check")
        );
        let commits: usize = harbour.sql("select count(distinct during) from t").parse().unwrap();
        assert!(commits >= 2, "{config}: all was delivered by {commits} commits");
    }
}

/// The server sorts the rows of an upsert only where it must: the last of each key counts.
#[tokio::test]
async fn rows_are_sorted_only_where_keys_repeat() {
    let config = r#""table":"t","mode":"upsert","key":["id"]"#;
    for repeated in [false, true] {
        let harbour = Harbour::with("create table t(id int primary key, s text)");
        let mut lines = vec![r#"{"id":3,"s":"a"}"#, r#"{"id":1,"s":"b"}"#, r#"{"id":2,"s":"c"}"#];
        if repeated {
            lines.push(r#"{"id":3,"s":"d"}"#);
        }
        assert_eq!(reasons(&harbour.deliver(config, &lines, 100).await), []);
        let rows = harbour.lines("select id, s from t order by ctid");
        if repeated {
            assert_eq!(rows, ["1|b", "2|c", "3|d"]);
        } else {
            assert_eq!(rows, ["3|a", "1|b", "2|c"], "as they came");
        }
    }
}

/// A repeated key and a refused row in one group, and a new column with them.
#[tokio::test]
async fn keys_repeat_beside_refusals_and_new_columns() {
    let harbour = Harbour::with("create table t(id int primary key, n int check (n > 0))");
    let config = r#""table":"t","mode":"upsert","key":["id"],"new_columns":"add""#;
    let lines = [
        r#"{"id":1,"n":1,"s":"a"}"#,
        r#"{"id":2,"n":-1,"s":"b"}"#,
        r#"{"id":1,"n":2,"s":"c"}"#,
        r#"{"id":3,"n":3,"s":"d"}"#,
        r#"{"id":1,"n":-3,"s":"e"}"#,
    ];
    for size in [1, 2, 100] {
        harbour.sql("drop table t; create table t(id int primary key, n int check (n > 0)); drop table if exists fairway_positions");
        let dead = harbour.deliver(config, &lines, size).await;
        assert_eq!(reasons(&dead), [(2, "postgres.check", None), (5, "postgres.check", None)], "at {size}");
        assert_eq!(harbour.lines("select id, n, s from t order by id"), ["1|2|c", "3|3|d"], "at {size}");
    }
}
