use fairway_engine::error::Kind;
use fairway_engine::position::StreamKey;

use crate::testing::{Bay, issues, reasons};

const PLAIN: &str = r#""table":"t""#;

/// However records are cut into groups, the end is the same (G9), down to how the table was made.
async fn one_end(setup: &str, config: &str, lines: &[&str]) -> (String, Vec<String>) {
    let mut ends = Vec::new();
    for size in [1, 2, 100] {
        let bay = Bay::with(setup).await;
        let dead = bay.deliver(config, lines, size).await;
        let mut rows = bay.rows("t").await;
        rows.extend(reasons(&dead).into_iter().map(|dead| format!("{dead:?}")));
        ends.push((bay.made("t").await, rows));
    }
    assert_eq!(ends[0], ends[2]);
    assert_eq!(ends[1], ends[2]);
    ends.pop().unwrap()
}

#[tokio::test]
async fn a_table_is_made_as_its_records_come() {
    let lines = [
        r#"{"id":1,"name":null,"price":12.50}"#,
        r#"{"id":2,"name":"a","on":true,"big":18446744073709551615}"#,
        r#"{"id":3,"name":7,"tags":["x"],"on":false}"#,
        r#"{"id":"4","name":"007","price":9007199254740993.5}"#,
        r#"{"id":"007"}"#,
    ];
    let (made, rows) = one_end("", PLAIN, &lines).await;
    assert_eq!(
        made,
        r#"CREATE TABLE "t" ("id" INTEGER, "name", "price" TEXT, "on" INTEGER, "big" TEXT, "tags" TEXT)"#
    );
    assert_eq!(
        rows,
        [
            "1,NULL,'12.50',NULL,NULL,NULL",
            "2,'a',NULL,1,'18446744073709551615',NULL",
            "3,7,NULL,0,NULL,'[\"x\"]'",
            "4,'007','9007199254740993.5',NULL,NULL,NULL",
            r#"(5, "sqlite.inexact", Some("id"))"#,
        ]
    );
}

#[tokio::test]
async fn upserts_end_with_the_last_and_keep_what_a_record_does_not_say() {
    let config = r#""table":"t","mode":"upsert","key":["a","b"]"#;
    let lines = [
        r#"{"a":1,"b":"x","v":1,"w":1}"#,
        r#"{"a":2,"b":"x","v":1}"#,
        r#"{"a":1,"b":"x","v":2}"#,
        r#"{"a":1,"b":"x","v":null}"#,
        r#"{"a":2,"b":"x","w":5}"#,
        r#"{"a":null,"b":"x","w":5}"#,
        r#"{"a":3,"w":5}"#,
        r#"{"a":2,"b":"x"}"#,
    ];
    let (made, rows) = one_end("", config, &lines).await;
    assert_eq!(
        made,
        r#"CREATE TABLE "t" ("a" INTEGER NOT NULL, "b" TEXT NOT NULL, "v" INTEGER, "w" INTEGER, PRIMARY KEY ("a", "b"))"#
    );
    assert_eq!(
        rows,
        [
            "1,'x',NULL,1",
            "2,'x',1,5",
            r#"(6, "sqlite.no_key", Some("a"))"#,
            r#"(7, "sqlite.no_key", Some("b"))"#
        ]
    );
    // The first record makes nothing if it is refused.
    let (made, _) =
        one_end("", config, &[r#"{"a":null,"b":1,"n":1}"#, r#"{"a":"1","b":"2","n":"007"}"#]).await;
    assert_eq!(
        made,
        r#"CREATE TABLE "t" ("a" TEXT NOT NULL, "b" TEXT NOT NULL, "n" TEXT, PRIMARY KEY ("a", "b"))"#
    );
}

#[tokio::test]
async fn a_table_may_be_keys_only() {
    let config = r#""table":"t","mode":"upsert","key":["k"]"#;
    let (_, rows) = one_end("", config, &[r#"{"k":"a"}"#, r#"{"k":"b"}"#, r#"{"k":"a"}"#]).await;
    assert_eq!(rows, ["'a'", "'b'"]);
}

#[tokio::test]
async fn deletes_find_rows_by_key() {
    let setup = "CREATE TABLE t(a int, b text, PRIMARY KEY (a, b)); INSERT INTO t VALUES (1,'x'),(1,'y'),(2,'x'),(3,'a')";
    let lines = [r#"{"a":1,"b":"x","other":1}"#, r#"{"a":9,"b":"x"}"#, r#"{"a":2,"b":"x"}"#, r#"{"b":"x"}"#];
    let (_, rows) = one_end(setup, r#""table":"t","mode":"delete","key":["a","b"]"#, &lines).await;
    assert_eq!(rows, ["1,'y'", "3,'a'", r#"(4, "sqlite.no_key", Some("a"))"#]);
    let setup = "CREATE TABLE t(a int PRIMARY KEY); INSERT INTO t VALUES (1),(2),(3)";
    let (_, rows) = one_end(setup, r#""table":"t","mode":"delete","key":["a"]"#, &lines).await;
    assert_eq!(rows, ["3", r#"(4, "sqlite.no_key", Some("a"))"#]);
}

#[tokio::test]
async fn defaults_work_where_a_record_says_nothing() {
    let setup = "CREATE TABLE t(id INTEGER PRIMARY KEY, a text DEFAULT 'd', b int DEFAULT 5)";
    let lines = [r#"{"id":1}"#, r#"{"id":2,"a":null}"#, r#"{"b":7}"#, r#"{"id":9,"a":"x","b":1}"#, "{}"];
    let (_, rows) = one_end(setup, PLAIN, &lines).await;
    assert_eq!(rows, ["1,'d',5", "2,NULL,5", "3,'d',7", "9,'x',1", "10,'d',5"]);
}

#[tokio::test]
async fn fields_without_a_column_go_as_the_user_wishes() {
    let setup = "CREATE TABLE t(id int)";
    let lines = [r#"{"id":1,"x":1.5}"#, r#"{"id":2}"#, r#"{"id":3,"ID":4}"#];
    for (wish, made, rows) in [
        (
            "add",
            "CREATE TABLE t(id int, \"x\" TEXT)",
            &["1,'1.5'", "2,NULL", r#"(3, "sqlite.almost_column", Some("ID"))"#][..],
        ),
        ("ignore", setup, &["1", "2", r#"(3, "sqlite.almost_column", Some("ID"))"#]),
        (
            "reject",
            setup,
            &["2", r#"(1, "sqlite.unknown_field", Some("x"))"#, r#"(3, "sqlite.almost_column", Some("ID"))"#],
        ),
    ] {
        let (as_made, found) = one_end(setup, &format!(r#"{PLAIN},"new_columns":"{wish}""#), &lines).await;
        assert_eq!(
            (&*as_made, &found[..]),
            (made, &rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>()[..])
        );
    }
    // A table made here has the fields of its first record, whatever comes with it.
    let lines = [r#"{"a":1}"#, r#"{"a":2,"b":3}"#];
    let (made, rows) = one_end("", &format!(r#"{PLAIN},"new_columns":"ignore""#), &lines).await;
    assert_eq!(
        (&*made, &rows[..]),
        ("CREATE TABLE \"t\" (\"a\" INTEGER)", &["1".to_owned(), "2".to_owned()][..])
    );
}

#[tokio::test]
async fn strict_tables_and_computed_columns_are_respected() {
    let setup = "CREATE TABLE t(id INTEGER, twice ANY AS (id * 2), x ANY, r REAL) STRICT";
    let lines = [
        r#"{"id":1,"x":"007","n":null,"r":0.5}"#,
        r#"{"id":"a"}"#,
        r#"{"id":2,"twice":4}"#,
        r#"{"id":3,"x":12345678901234567890.5}"#,
    ];
    let (made, rows) = one_end(setup, PLAIN, &lines).await;
    assert!(made.contains("\"n\" ANY"), "{made}");
    assert_eq!(
        rows,
        [
            "1,'007',0.5,NULL",
            "3,'12345678901234567890.5',NULL,NULL",
            r#"(2, "sqlite.wrong_type", None)"#,
            r#"(3, "sqlite.computed_column", Some("twice"))"#
        ]
        .map(str::to_owned)
    );
}

#[tokio::test]
async fn tables_that_do_not_fit_say_so() {
    let bay = Bay::with("CREATE TABLE \"Order\"(id int); CREATE TABLE v(id int)").await;
    for (config, kind, code) in [
        (r#""table":"order""#, Kind::Config, "sqlite.almost_table"),
        (r#""table":"none","create_table":false"#, Kind::Outage, "sqlite.no_table"),
        (r#""table":"none","mode":"delete","key":["id"]"#, Kind::Outage, "sqlite.no_table"),
        (r#""table":"v","mode":"upsert","key":["id"]"#, Kind::Config, "sqlite.key_not_unique"),
        (r#""table":"v","mode":"upsert","key":["ID"]"#, Kind::Config, "sqlite.no_key_column"),
        (r#""table":"v","mode":"delete","key":["x"]"#, Kind::Config, "sqlite.no_key_column"),
    ] {
        let error = bay.sink(1, config).await.err().unwrap();
        assert_eq!((error.kind, &*error.code), (kind, code), "{config}: {error}");
        assert!(error.help.is_some());
    }
    bay.run("CREATE UNIQUE INDEX i ON v(id)").await;
    assert!(bay.sink(1, r#""table":"v","mode":"upsert","key":["id"]"#).await.is_ok());
}

#[tokio::test]
async fn files_that_cannot_be_used_say_so() {
    let bay = Bay::new();
    std::fs::write(bay.file(), "this is no database, however long it may be ".repeat(200)).unwrap();
    let error = bay.sink(1, PLAIN).await.err().unwrap();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "sqlite.not_a_database"), "{error}");
    std::fs::remove_file(bay.file()).unwrap();
    std::fs::create_dir(bay.file()).unwrap();
    let error = bay.sink(1, PLAIN).await.err().unwrap();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "sqlite.is_a_folder"));
}

#[tokio::test]
async fn folders_are_made_and_names_of_files_are_data() {
    let bay = Bay::new();
    for path in ["a/b/c.db", "file:x.db", ":memory:", "with space & 50%.db", "日本.db"] {
        let config = format!(r#""table":"t","path":"{path}""#);
        // The later of two members of one name counts.
        let mut sink = bay.sink(1, &config).await.unwrap();
        sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
        sink.close().await.unwrap();
        assert!(bay.root().join(path).is_file(), "{path}");
    }
}

#[test]
fn settings_that_cannot_work_are_named() {
    const NAME: &str = "sqlite_sink";
    for (config, fields) in [
        (r#"{"path":"a","table":"t"}"#, &[][..]),
        (r#"{"connection":"c","table":"t"}"#, &[]),
        (r#"{"table":"t"}"#, &["path"]),
        (r#"{"path":"a","table":"Fairway_Positions"}"#, &["table"]),
        (r#"{"path":"a","table":"sqlite_x"}"#, &["table"]),
        (r#"{"path":"a","table":"a\u0000b"}"#, &["table"]),
        (r#"{"path":"a","table":"t","mode":"upsert"}"#, &["key"]),
        (r#"{"path":"a","table":"t","mode":"delete","key":["a","A","b\u0000"]}"#, &["key.1", "key.2"]),
    ] {
        assert_eq!(issues(NAME, config), fields, "{config}");
    }
}
