use std::path::Path;
use std::time::Duration;

use fairway_engine::error::Kind;
use fairway_engine::files::Files;
use fairway_engine::probe::{ProbeCtx, SampleCtx};
use serde_json::json;

use super::{Base, case};
use crate::testing::{component, issues};

/// Case 034: quoted, mixed case and reserved names.
#[tokio::test]
async fn odd_names_are_data() {
    let base = Base::with(&case("034-quoted-mixed-case-reserved-names", "setup.sql"));
    base.run(
        r#"INSERT INTO "Order"("user", "Group", "quo""te", "x;DROP TABLE t--") VALUES (1, 'g', 'q', 'z'), (2, NULL, NULL, NULL)"#,
    );
    let config = r#""tables":["Order"],"mode":"incrementing","incrementing_column":"user""#;
    assert_eq!(
        base.read(config, Vec::new()).await.0,
        [
            r#"Order: {"user":1,"Group":"g","select":null,"with space":null,"quo\"te":"q","ünï":null,"a.b":null,"x;DROP TABLE t--":"z"}"#,
            r#"Order: {"user":2,"Group":null,"select":null,"with space":null,"quo\"te":null,"ünï":null,"a.b":null,"x;DROP TABLE t--":null}"#,
        ]
    );
    let error = base.open(r#""tables":["ORDER"]"#, Vec::new()).await.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "postgres.no_table"));
    base.run(r#"CREATE SCHEMA "s'1"; CREATE TABLE "s'1"."t""'"("k'" text PRIMARY KEY); INSERT INTO "s'1"."t""'" VALUES ('a''b'), ('c\d')"#);
    let config = r#""schema":"s'1","tables":["t\"'"],"batch":1"#;
    let (all, marks) = base.read(config, Vec::new()).await;
    assert_eq!(all, [r#"t"': {"k'":"a'b"}"#, r#"t"': {"k'":"c\\d"}"#]);
    assert!(base.read(config, marks).await.0.is_empty());
}

#[tokio::test]
async fn several_tables_columns_keys_partitions_and_views() {
    let base = Base::with(
        "CREATE TABLE a_one(id int PRIMARY KEY, x int, y int); INSERT INTO a_one VALUES (1, 2, 3);
         CREATE TABLE a_two(p text, q int, x int, PRIMARY KEY (q, p)); INSERT INTO a_two VALUES ('k', 7, 5);
         CREATE TABLE a_part(id int PRIMARY KEY, x int) PARTITION BY RANGE (id);
         CREATE TABLE a_part1 PARTITION OF a_part FOR VALUES FROM (0) TO (10); INSERT INTO a_part VALUES (4, 6);
         CREATE VIEW a_view AS SELECT 8 AS x; CREATE TABLE a_skip(x int); CREATE TABLE b(x int)",
    );
    let config = r#""tables":["a_*"],"exclude":["*skip"],"columns":["x"],"without_key":"read_again""#;
    let mut source = base.open(config, Vec::new()).await;
    assert_eq!(
        source.read().await.unwrap(),
        [r#"a_one: {"x":2}"#, r#"a_part: {"x":6}"#, r#"a_two: {"x":5}"#, r#"a_view: {"x":8}"#]
    );
    assert_eq!(format!("{:?}", source.keys), r#"[I64(1), I64(4), Map([("q", I64(7)), ("p", Str("k"))])]"#);
}

/// Case 057 and its like: another table under the same name is not taken for the one that was read.
#[tokio::test]
async fn a_table_made_again_waits_for_the_user() {
    let base = Base::with("CREATE TABLE t(id int PRIMARY KEY); INSERT INTO t VALUES (1), (2)");
    let config = r#""tables":["t"],"mode":"incrementing","incrementing_column":"id""#;
    let (all, marks) = base.read(config, Vec::new()).await;
    assert_eq!(all.len(), 2);
    base.run("DROP TABLE t");
    let mut source = base.open(config, marks).await;
    assert_eq!(&*source.read().await.unwrap_err().code, "postgres.no_table");
    base.run("CREATE TABLE t(id int PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)");
    let error = source.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "table.replaced"));
    let (all, _) = base.read(config, Vec::new()).await;
    assert_eq!(all.len(), 3, "started over");
}

#[tokio::test]
async fn tables_and_columns_that_come_and_go() {
    let base = Base::with("CREATE TABLE t1(id int PRIMARY KEY, a text); INSERT INTO t1 VALUES (1, 'x')");
    let config = r#""tables":["t*"],"mode":"incrementing","incrementing_column":"id""#;
    let (all, marks) = base.read(config, Vec::new()).await;
    assert_eq!(all, [r#"t1: {"id":1,"a":"x"}"#]);
    base.run("ALTER TABLE t1 ADD COLUMN b int DEFAULT 9; INSERT INTO t1 VALUES (2, 'y', 8); CREATE TABLE t2(id int PRIMARY KEY); INSERT INTO t2 VALUES (5)");
    let (all, marks) = base.read(config, marks).await;
    assert_eq!(all, [r#"t1: {"id":2,"a":"y","b":8}"#, r#"t2: {"id":5}"#]);
    base.run("ALTER TABLE t1 DROP COLUMN a; DROP TABLE t2; INSERT INTO t1 VALUES (3, 7)");
    let (all, marks) = base.read(config, marks).await;
    assert_eq!(all, [r#"t1: {"id":3,"b":7}"#]);
    base.run("ALTER TABLE t1 ALTER COLUMN id TYPE text");
    base.run("INSERT INTO t1 VALUES ('4', 7)");
    let (all, marks) = base.read(config, marks).await;
    assert_eq!(all, [r#"t1: {"id":"4","b":7}"#], "the way changes with the type and goes on");
    base.run("ALTER TABLE t1 RENAME COLUMN id TO nr");
    let error = base.open(config, marks).await.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "table.no_column"));
}

#[tokio::test]
async fn a_query_once_or_by_a_column() {
    let base =
        Base::with("CREATE TABLE t(id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b')");
    let once = r#""mode":"query","query":"SELECT v || '!' AS w, ARRAY[id] AS ids FROM t ORDER BY id -- end""#;
    let (all, marks) = base.read(once, Vec::new()).await;
    assert_eq!(all, [r#"query: {"w":"a!","ids":[1]}"#, r#"query: {"w":"b!","ids":[2]}"#]);
    assert!(base.read(once, marks).await.0.is_empty(), "it was read to its end");
    let by_id = r#""mode":"query","query":"SELECT id, v FROM t WHERE v <> 'a';","incrementing_column":"id""#;
    let (all, marks) = base.read(by_id, Vec::new()).await;
    assert_eq!(all, [r#"query: {"id":2,"v":"b"}"#]);
    base.run("INSERT INTO t VALUES (3, 'c')");
    assert_eq!(base.read(by_id, marks).await.0, [r#"query: {"id":3,"v":"c"}"#]);
    for bad in ["DELETE FROM t", "SELECT FROM", "SELECT 1; DELETE FROM t", "SELECT nope FROM t"] {
        let config = format!(r#""mode":"query","query":"{bad}""#);
        let error = base.open(&config, Vec::new()).await.read().await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Config, "table.bad_query"), "{bad}");
    }
    base.run("CREATE FUNCTION naughty() RETURNS int LANGUAGE sql AS 'DELETE FROM t RETURNING 1'");
    let error = base.open(r#""mode":"query","query":"SELECT naughty() AS x""#, Vec::new()).await.read().await;
    assert!(error.is_err(), "the session can only read");
    assert_eq!(base.run("SELECT count(*) FROM t"), "3");
}

#[tokio::test]
async fn what_cannot_be_read_by_time_or_has_no_place_says_so() {
    let base = Base::with(
        "CREATE TABLE t(id int PRIMARY KEY, at timestamptz, v int); INSERT INTO t VALUES (1, '2024-01-01', 1), (2, NULL, 2);
         CREATE TABLE keyless(at timestamptz)",
    );
    let config = r#""tables":["t"],"mode":"timestamp","timestamp_column":"at""#;
    let error = base.open(config, Vec::new()).await.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "table.null_cursor"));
    let (all, _) = base.read(&format!(r#"{config},"null_cursor":"skip""#), Vec::new()).await;
    assert_eq!(all.len(), 1);
    for (table, column, code) in [("t", "v", "table.not_a_time"), ("keyless", "at", "table.no_key")] {
        let config = format!(r#""tables":["{table}"],"mode":"timestamp","timestamp_column":"{column}""#);
        let error = base.open(&config, Vec::new()).await.read().await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Config, code));
    }
}

#[tokio::test]
async fn samples_and_choices() {
    let base = Base::with(
        "CREATE TABLE t(id text PRIMARY KEY, at timestamptz NOT NULL); INSERT INTO t VALUES ('a', now()), ('b', now()), ('c', now())",
    );
    let source = component("postgres_table_source");
    let (files, deadline) = (Files::open(Path::new(".")), Duration::from_secs(10));
    let cx = SampleCtx { uid: "u".into(), node: "in".into(), files: files.clone(), wanted: 2, deadline };
    let config = json!({"url": base.url(), "tables": ["t"], "mode": "timestamp", "timestamp_column": "at"});
    assert_eq!(source.sample.unwrap()(config, cx).await.unwrap().len(), 2);
    let probe = source.probe.unwrap();
    let answer =
        probe(json!({"url": base.url(), "tables": ["t"]}), ProbeCtx { files, deadline }).await.unwrap();
    assert!(answer.found.starts_with("PostgreSQL "));
    assert_eq!(answer.choices["tables"][0].value, "t");
    assert_eq!(answer.choices["timestamp_column"].len(), 2);
}

#[test]
fn settings_that_cannot_work_are_found() {
    for (config, field) in [
        (r#"{"tables":["t"]}"#, "host"),
        (r#"{"host":"x"}"#, "tables"),
        (r#"{"host":"x","tables":["t"],"delay":"1s"}"#, "delay"),
        (r#"{"host":"x","tables":["t"],"overlap":"1s"}"#, "overlap"),
        (
            r#"{"host":"x","tables":["t"],"mode":"timestamp_incrementing","timestamp_column":"a"}"#,
            "incrementing_column",
        ),
    ] {
        assert_eq!(issues("postgres_table_source", config), [field], "{config}");
    }
}
