use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::component::Opener;
use fairway_engine::error::Kind;
use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_engine::probe::{ProbeCtx, SampleCtx};
use fairway_engine::source::{Next, Source, SourceCtx};
use serde_json::json;

use super::{open, read};
use crate::testing::{Bay, component, issues};

/// Case 034: quoted, mixed case and reserved names.
#[tokio::test]
async fn odd_names_are_data() {
    let folder = "../../../tests/cases/034-quoted-mixed-case-reserved-names";
    let bay = Bay::with(&std::fs::read_to_string(format!("{folder}/setup.sqlite.sql")).unwrap()).await;
    bay.run(
        r#"INSERT INTO "Order"("user", "Group", "quo""te", "x;DROP TABLE t--") VALUES (1, 'g', 'q', 'z'), (2, NULL, NULL, NULL)"#,
    )
    .await;
    let config = r#""tables":["Order"],"mode":"incrementing","incrementing_column":"user""#;
    let (all, _) = read(&bay, config, Vec::new()).await;
    assert_eq!(
        all,
        [
            r#"Order: {"user":1,"Group":"g","select":null,"with space":null,"quo\"te":"q","ünï":null,"a.b":null,"x;DROP TABLE t--":"z"}"#,
            r#"Order: {"user":2,"Group":null,"select":null,"with space":null,"quo\"te":null,"ünï":null,"a.b":null,"x;DROP TABLE t--":null}"#,
        ]
    );
    let error = open(&bay, r#""tables":["order"]"#, Vec::new()).await.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "sqlite.no_table"));
    assert_eq!(error.help.as_deref(), Some("did you mean `Order`?"));
}

#[tokio::test]
async fn several_tables_columns_and_keys() {
    let bay = Bay::with(
        "CREATE TABLE a_one(id INTEGER PRIMARY KEY, x, y); INSERT INTO a_one VALUES (1, 2, 3);
         CREATE TABLE a_two(p TEXT NOT NULL, q INT NOT NULL, x, PRIMARY KEY (q, p)) WITHOUT ROWID;
         INSERT INTO a_two VALUES ('k', 7, 5);
         CREATE TABLE a_skip(x); CREATE TABLE b(x); INSERT INTO b VALUES (1)",
    )
    .await;
    let config = r#""tables":["a_*"],"exclude":["*skip"],"columns":["x"]"#;
    let mut source = open(&bay, config, Vec::new()).await;
    assert_eq!(source.read().await.unwrap(), [r#"a_one: {"x":2}"#, r#"a_two: {"x":5}"#]);
    assert_eq!(format!("{:?}", source.keys), r#"[I64(1), Map([("q", I64(7)), ("p", Str("k"))])]"#);
    let error = open(&bay, r#""tables":["b"],"columns":["X"]"#, Vec::new()).await.read().await.unwrap_err();
    assert_eq!((&*error.code, error.help.as_deref()), ("table.no_column", Some("did you mean `x`?")));
}

#[tokio::test]
async fn tables_and_columns_that_come_and_go() {
    let bay = Bay::with("CREATE TABLE t1(id INTEGER PRIMARY KEY, a); INSERT INTO t1 VALUES (1, 'x')").await;
    let config = r#""tables":["t*"],"mode":"incrementing","incrementing_column":"id""#;
    let (all, marks) = read(&bay, config, Vec::new()).await;
    assert_eq!(all, [r#"t1: {"id":1,"a":"x"}"#]);
    bay.run("ALTER TABLE t1 ADD COLUMN b DEFAULT 9; INSERT INTO t1 VALUES (2, 'y', 8)").await;
    bay.run("CREATE TABLE t2(id INTEGER PRIMARY KEY); INSERT INTO t2 VALUES (5)").await;
    let (all, marks) = read(&bay, config, marks).await;
    assert_eq!(all, [r#"t1: {"id":2,"a":"y","b":8}"#, r#"t2: {"id":5}"#]);
    bay.run("ALTER TABLE t1 DROP COLUMN a; DROP TABLE t2; INSERT INTO t1 VALUES (3, 7)").await;
    let (all, marks) = read(&bay, config, marks).await;
    assert_eq!(all, [r#"t1: {"id":3,"b":7}"#]);
    bay.run("ALTER TABLE t1 RENAME COLUMN id TO nr").await;
    let error = open(&bay, config, marks).await.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "table.no_column"));
}

#[tokio::test]
async fn a_query_once_or_by_a_column() {
    let bay =
        Bay::with("CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b')").await;
    let once = r#""mode":"query","query":"SELECT v || '!' AS w FROM t ORDER BY id -- end""#;
    let (all, marks) = read(&bay, once, Vec::new()).await;
    assert_eq!(all, [r#"query: {"w":"a!"}"#, r#"query: {"w":"b!"}"#]);
    assert!(read(&bay, once, marks).await.0.is_empty(), "it was read to its end");
    let by_id = r#""mode":"query","query":"SELECT id, v FROM t WHERE v <> 'a';","incrementing_column":"id""#;
    let (all, marks) = read(&bay, by_id, Vec::new()).await;
    assert_eq!(all, [r#"query: {"id":2,"v":"b"}"#]);
    bay.run("INSERT INTO t VALUES (3, 'c')").await;
    assert_eq!(read(&bay, by_id, marks).await.0, [r#"query: {"id":3,"v":"c"}"#]);
    for bad in ["DELETE FROM t", "SELECT", "SELECT 1; DELETE FROM t"] {
        let config = format!(r#""mode":"query","query":"{bad}""#);
        let error = open(&bay, &config, Vec::new()).await.read().await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Config, "table.bad_query"), "{bad}");
    }
    assert_eq!(bay.texts("SELECT count(*) || '' FROM t").await, ["3"]);
}

#[tokio::test]
async fn null_in_a_cursor_waits_or_is_skipped() {
    let bay = Bay::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, at TEXT); INSERT INTO t VALUES (1, '2024'), (2, NULL)",
    )
    .await;
    let config = r#""tables":["t"],"mode":"timestamp","timestamp_column":"at""#;
    let mut source = open(&bay, config, Vec::new()).await;
    let error = source.read().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "table.null_cursor"));
    bay.run("UPDATE t SET at = '2025' WHERE id = 2").await;
    assert_eq!(source.read().await.unwrap().len(), 2, "the same source goes on");
    bay.run("INSERT INTO t VALUES (3, NULL)").await;
    let (all, _) = read(&bay, &format!(r#"{config},"null_cursor":"skip""#), Vec::new()).await;
    assert_eq!(all.len(), 2);
}

#[tokio::test]
async fn a_file_or_table_that_is_not_there_is_waited_for() {
    let bay = Bay::new();
    let mut source = open(&bay, r#""tables":["t"]"#, Vec::new()).await;
    for code in ["sqlite.no_file", "sqlite.no_file"] {
        let error = source.read().await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Outage, code));
    }
    bay.run("CREATE TABLE u(x)").await;
    assert_eq!(&*source.read().await.unwrap_err().code, "sqlite.no_table");
    bay.run("CREATE TABLE t(x); INSERT INTO t VALUES (1)").await;
    assert_eq!(source.read().await.unwrap(), [r#"t: {"x":1}"#]);
}

/// An open connection would read on in what nobody writes to any more.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_removed_or_replaced_meanwhile_is_noticed() {
    let bay = Bay::with("CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)").await;
    let config =
        r#"{"path":"x.db","tables":["t"],"mode":"incrementing","incrementing_column":"id","poll":"10ms"}"#;
    let Opener::Source(start) = component("sqlite_table_source").opener else { panic!("it is a source") };
    let cx = SourceCtx {
        uid: "u1".into(),
        node: "in".into(),
        generation: 1,
        share: None,
        files: Files::open(bay.root()),
        hooks: Hooks::default(),
        resume: Vec::new(),
        until_caught_up: false,
    };
    let mut source = start(serde_json::from_str(config).unwrap(), cx).await.unwrap();
    assert_eq!(until(&mut *source).await.unwrap(), 1);
    let other = Bay::with("CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)").await;
    std::fs::copy(other.file(), bay.root().join("new.db")).unwrap();
    std::fs::rename(bay.root().join("new.db"), bay.file()).unwrap();
    assert_eq!(until(&mut *source).await.unwrap(), 1);
    std::fs::remove_file(bay.file()).unwrap();
    assert_eq!(until(&mut *source).await.unwrap_err().code, "sqlite.no_file");
}

/// Number of records that come next, however long that takes.
#[cfg(unix)]
async fn until(source: &mut dyn Source) -> Result<usize, Error> {
    let next = async {
        loop {
            if let Next::Batch(polled) = source.next().await? {
                source.acknowledge(&polled.partition, &polled.position).await?;
                if !polled.batch.is_empty() {
                    return Ok(polled.batch.len());
                }
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), next).await.expect("nothing comes")
}

#[tokio::test]
async fn a_writer_is_never_kept_waiting() {
    let bay = Bay::with("CREATE TABLE t(id INTEGER PRIMARY KEY, v)").await;
    bay.run(
        "WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM g WHERE i < 5000)
         INSERT INTO t SELECT i, hex(randomblob(200)) FROM g",
    )
    .await;
    let config = r#""tables":["t"],"mode":"incrementing","incrementing_column":"id","batch":10"#;
    let mut source = open(&bay, config, Vec::new()).await;
    // One batch was taken; the source has read on as far as it may and waits for its target.
    source.batch().await.unwrap();
    for _ in 0..5 {
        bay.run("UPDATE t SET v = 'changed' WHERE id = 5000").await;
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn samples_and_choices() {
    let bay = Bay::with(
        "CREATE TABLE t(id TEXT NOT NULL PRIMARY KEY, at); INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3)",
    )
    .await;
    let source = component("sqlite_table_source");
    let deadline = Duration::from_secs(10);
    let files = Files::open(bay.root());
    let cx = SampleCtx { uid: "u".into(), node: "in".into(), files: files.clone(), wanted: 2, deadline };
    let config = json!({"path": "x.db", "tables": ["t"], "mode": "timestamp", "timestamp_column": "at"});
    let sample = source.sample.unwrap()(config, cx).await.unwrap();
    assert_eq!(sample.len(), 2);
    let cx = ProbeCtx { files, deadline };
    let probe = source.probe.unwrap()(json!({"path": "x.db", "tables": ["t"]}), cx).await.unwrap();
    assert!(probe.found.starts_with("SQLite 3."));
    assert_eq!(probe.choices["tables"][0].value, "t");
    assert_eq!(probe.choices["key"][0].note, "TEXT, not null, primary key");
}

#[test]
fn settings_that_cannot_work_are_found() {
    for (config, field) in [
        (r#"{"tables":["t"]}"#, "path"),
        (r#"{"path":"x"}"#, "tables"),
        (r#"{"path":"x","tables":["t"],"mode":"incrementing"}"#, "incrementing_column"),
        (r#"{"path":"x","tables":["t"],"mode":"timestamp"}"#, "timestamp_column"),
        (r#"{"path":"x","tables":["t"],"timestamp_column":"a"}"#, "timestamp_column"),
        (r#"{"path":"x","mode":"query"}"#, "query"),
        (r#"{"path":"x","tables":["t"],"query":"SELECT 1"}"#, "query"),
        (r#"{"path":"x","tables":["t"],"key":["a","a"]}"#, "key.1"),
    ] {
        assert_eq!(issues("sqlite_table_source", config), [field], "{config}");
    }
}
