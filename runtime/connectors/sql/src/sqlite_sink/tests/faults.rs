//! What no waiting mends is said at once, and what took records with it waits for the user.

use std::time::Duration;

use fairway_engine::error::Kind;
use fairway_engine::files::Files;
use fairway_engine::position::StreamKey;
use fairway_engine::probe::ProbeCtx;
use fairway_engine::sink::{Group, Outcome, Sink};

use crate::testing::{Bay, batch, component, mark, reasons};

const TABLE: &str = r#""table":"t""#;

async fn adopt(sink: &mut dyn Sink) -> u64 {
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap().unwrap().order
}

async fn deliver(sink: &mut dyn Sink, from: u64, until: u64) -> Result<Outcome, fairway_engine::Error> {
    let lines: Vec<String> = (from..until).map(|n| format!(r#"{{"n":{n}}}"#)).collect();
    let (batches, marks) = ([batch(&lines, from)], [mark("", until)]);
    sink.deliver(Group { batches: &batches, marks: &marks }).await
}

/// A table that is gone took its records with it; made anew it would silently lack them.
#[tokio::test]
async fn a_table_that_is_gone_waits_for_the_user() {
    let bay = Bay::new();
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 5).await.unwrap();
    bay.run("DROP TABLE t").await;
    for generation in [0, 2] {
        if generation > 0 {
            sink = bay.sink(generation, TABLE).await.unwrap();
            adopt(&mut *sink).await;
        }
        let error = deliver(&mut *sink, 5, 9).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "sqlite.table_gone"), "{error}");
    }
    // Another table was chosen: it begins here.
    let mut sink = bay.sink(3, r#""table":"other""#).await.unwrap();
    assert_eq!(adopt(&mut *sink).await, 5);
    deliver(&mut *sink, 5, 9).await.unwrap();
    assert_eq!(bay.rows("other").await.len(), 4);
    // The user made the first anew.
    bay.run("CREATE TABLE t(n)").await;
    let mut sink = bay.sink(4, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 9, 10).await.unwrap();
    // Deleting takes nothing away from what is known.
    let mut sink = bay.sink(5, r#""table":"t","mode":"delete","key":["n"]"#).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 10, 11).await.unwrap();
    bay.run("DROP TABLE t").await;
    let mut sink = bay.sink(6, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    assert_eq!(deliver(&mut *sink, 11, 12).await.unwrap_err().code, "sqlite.table_gone");
}

/// Positions that an earlier release wrote are taken over as they are.
#[tokio::test]
async fn positions_of_an_earlier_release_go_on() {
    let bay = Bay::with(
        r#"CREATE TABLE fairway_positions (
            channel TEXT NOT NULL, sink TEXT NOT NULL, source TEXT NOT NULL, partition TEXT NOT NULL, via TEXT NOT NULL,
            generation INTEGER NOT NULL, position TEXT NOT NULL,
            PRIMARY KEY (channel, sink, source, partition, via)) WITHOUT ROWID;
        INSERT INTO fairway_positions VALUES ('u1', 'out', 'in', '', '', 1, '{"order":5,"token":{"offset":5}}')"#,
    )
    .await;
    let mut sink = bay.sink(2, TABLE).await.unwrap();
    assert_eq!(adopt(&mut *sink).await, 5);
    deliver(&mut *sink, 5, 7).await.unwrap();
    assert_eq!(bay.texts("SELECT wrote_to FROM fairway_positions").await, ["t"]);
}

#[tokio::test]
async fn names_that_differ_in_case_only_are_said_to() {
    let bay = Bay::new();
    let dead = bay.deliver(TABLE, &[r#"{"id":1,"ID":2}"#, r#"{"x":3}"#], 100).await;
    assert_eq!(reasons(&dead), [(1, "sqlite.almost_column", Some("ID"))]);
    assert!(dead[0].1.message.contains("`id` and `ID`"), "{}", dead[0].1.message);
    assert_eq!(bay.rows("t").await, ["3"]);
}

/// Also where that alone keeps a table from being made.
#[tokio::test]
async fn names_that_differ_in_case_only_make_no_table() {
    let bay = Bay::new();
    let dead = bay.deliver(TABLE, &[r#"{"ID":13,"id":14}"#, "{}"], 100).await;
    assert_eq!(reasons(&dead), [(1, "sqlite.almost_column", Some("id")), (2, "sqlite.no_fields", None)]);
    assert!(dead[0].1.message.contains("`ID` and `id`"), "{}", dead[0].1.message);
}

/// A database at the path that is not the one that was opened.
async fn replace(bay: &Bay) {
    let other = Bay::with("CREATE TABLE other(a); INSERT INTO other VALUES (1)").await;
    std::fs::copy(other.file(), bay.root().join("new.db")).unwrap();
    std::fs::rename(bay.root().join("new.db"), bay.file()).unwrap();
}

/// What is written to a file that nobody finds any more is lost.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_removed_or_replaced_waits_for_the_user() {
    for replaced in [false, true] {
        let bay = Bay::new();
        let mut sink = bay.sink(1, TABLE).await.unwrap();
        adopt(&mut *sink).await;
        deliver(&mut *sink, 0, 5).await.unwrap();
        let away = bay.root().join("away.db");
        std::fs::rename(bay.file(), &away).unwrap();
        if replaced {
            replace(&bay).await;
        }
        // However often it is tried, with the connection that is open or a new one.
        for _ in 0..2 {
            let error = deliver(&mut *sink, 5, 9).await.unwrap_err();
            assert_eq!((error.kind, &*error.code), (Kind::Hold, "sqlite.file_changed"), "{error}");
            let error = sink.adopt(&StreamKey::straight("in", "")).await.unwrap_err();
            assert_eq!((error.kind, &*error.code), (Kind::Hold, "sqlite.file_changed"), "{error}");
        }
        sink.close().await.unwrap();
        // The log went into the file it belongs to, and not into the other.
        if replaced {
            assert_eq!(bay.texts("SELECT name FROM sqlite_schema").await, ["other"]);
            assert_eq!(bay.texts("PRAGMA integrity_check").await, ["ok"]);
        } else {
            assert!(!bay.file().exists(), "no new file is made");
        }
        std::fs::rename(&away, bay.file()).unwrap();
        assert_eq!(bay.rows("t").await.len(), 5);
        let mut sink = bay.sink(2, TABLE).await.unwrap();
        assert_eq!(adopt(&mut *sink).await, 5);
        deliver(&mut *sink, 5, 9).await.unwrap();
        assert_eq!(bay.rows("t").await.len(), 9);
    }
}

/// The table that holds the positions is not one that a user would create.
#[tokio::test]
async fn positions_that_were_dropped_wait_for_the_user() {
    let bay = Bay::new();
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    adopt(&mut *sink).await;
    deliver(&mut *sink, 0, 5).await.unwrap();
    bay.run("DROP TABLE fairway_positions").await;
    for _ in 0..2 {
        let error = deliver(&mut *sink, 5, 9).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "sqlite.went_back"), "{error}");
        assert!(error.message.contains("fairway_positions"), "{error}");
        assert!(error.help.unwrap().contains("reset the channel's positions"));
    }
    assert_eq!(bay.rows("t").await.len(), 5);
}

#[tokio::test]
async fn what_no_waiting_mends_is_no_outage() {
    let bay = Bay::with("CREATE TABLE base(n); CREATE VIEW t AS SELECT * FROM base").await;
    let error = bay.sink(1, TABLE).await.err().unwrap();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "sqlite.not_a_table"), "{error}");
    std::fs::write(bay.root().join("plain"), "x").unwrap();
    let long = "x".repeat(300);
    for (path, code) in [
        ("plain/x.db".to_owned(), "sqlite.impossible_path"),
        ("plain/deeper/x.db".to_owned(), "sqlite.impossible_path"),
        (long.clone(), "sqlite.impossible_path"),
        (format!("{long}/x.db"), "sqlite.impossible_path"),
        ("/dev/null".to_owned(), "sqlite.not_a_file"),
    ] {
        let error = bay.sink_at(&path, TABLE).await.err().unwrap();
        assert_eq!((error.kind, &*error.code), (Kind::Config, code), "{path}: {error}");
        assert!(error.help.is_some());
    }
}

#[tokio::test]
async fn a_file_that_was_cut_off_waits_for_the_user() {
    let bay = Bay::with("CREATE TABLE t(n, x)").await;
    bay.run("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 5000) INSERT INTO t SELECT n, hex(randomblob(20)) FROM c").await;
    let whole = std::fs::metadata(bay.file()).unwrap().len();
    let file = std::fs::OpenOptions::new().write(true).open(bay.file()).unwrap();
    file.set_len(whole / 2).unwrap();
    let tried = async {
        let mut sink = bay.sink(1, TABLE).await?;
        sink.adopt(&StreamKey::straight("in", "")).await?;
        deliver(&mut *sink, 0, 5).await
    };
    let error = tried.await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "sqlite.corrupt"), "{error}");
    assert!(error.help.is_some());
}

#[tokio::test]
async fn a_probe_says_what_there_is_and_creates_nothing() {
    let bay = Bay::new();
    let probe = async |table: &str| {
        let cx = ProbeCtx { files: Files::open(bay.root()), deadline: Duration::from_secs(5) };
        let config = serde_json::json!({"path": "x.db", "table": table});
        component("sqlite_sink").probe.unwrap()(config, cx).await
    };
    assert!(probe("").await.unwrap().found.starts_with("no file yet"));
    assert!(!bay.file().exists());
    bay.run("CREATE TABLE t(\"a b\" int PRIMARY KEY, x NOT NULL); CREATE VIEW v AS SELECT 1; CREATE TABLE fairway_positions(x)")
        .await;
    let found = probe("t").await.unwrap();
    assert!(found.found.starts_with("SQLite 3."), "{}", found.found);
    let values = |setting: &str| -> Vec<String> {
        found.choices[setting].iter().map(|choice| format!("{}: {}", choice.value, choice.note)).collect()
    };
    assert_eq!(values("table"), ["t: table", "v: view"]);
    assert_eq!(values("key"), ["a b: INT, primary key", "x: not null"]);
    std::fs::write(bay.file(), "no database, whatever its name says; and long enough to be looked at")
        .unwrap();
    assert_eq!(probe("t").await.unwrap_err().code, "sqlite.not_a_database");
}
