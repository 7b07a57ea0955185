use super::{open, read};
use crate::testing::Bay;

#[tokio::test]
async fn values_are_what_sqlite_holds() {
    let bay = Bay::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v INT, b BOOLEAN);
         INSERT INTO t VALUES (1, 9223372036854775807, 1), (2, 'seven', 0), (3, 1.5, 2), (4, x'00ff', NULL), (5, '', 'x')",
    )
    .await;
    let (all, _) = read(&bay, r#""tables":["t"]"#, Vec::new()).await;
    assert_eq!(
        all,
        [
            r#"t: {"id":1,"v":9223372036854775807,"b":true}"#,
            r#"t: {"id":2,"v":"seven","b":false}"#,
            r#"t: {"id":3,"v":1.5,"b":2}"#,
            r#"t: {"id":4,"v":"AP8=","b":null}"#,
            r#"t: {"id":5,"v":"","b":"x"}"#,
        ]
    );
}

#[tokio::test]
async fn text_that_is_no_text_is_refused_alone() {
    let bay = Bay::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v);
         INSERT INTO t VALUES (1, 'a'), (2, CAST(x'ff' AS TEXT)), (3, 'c')",
    )
    .await;
    let mut source = open(&bay, r#""tables":["t"]"#, Vec::new()).await;
    assert_eq!(source.read().await.unwrap(), [r#"t: {"id":1,"v":"a"}"#, r#"t: {"id":3,"v":"c"}"#]);
    assert_eq!((source.dead[0].code, source.dead[0].field.as_deref()), ("table.not_utf8", Some("v")));
}

/// Keys of any type are gone on from exactly: by number, text, bytes and floating point number.
#[tokio::test]
async fn cursors_of_any_type() {
    for (declared, values) in [
        ("INTEGER", ["-5", "0", "9223372036854775807"]),
        ("TEXT", ["'a''b'", "'ä'", "'日'"]),
        ("BLOB", ["x''", "x'00'", "x'ff00'"]),
        ("REAL", ["-1e300", "0.1", "0.30000000000000004"]),
        ("NUMERIC", ["5", "'a'", "x'00'"]),
    ] {
        let rows: Vec<String> = values.iter().map(|value| format!("({value})")).collect();
        let bay = Bay::with(&format!(
            "CREATE TABLE t(k {declared} NOT NULL PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES {}",
            rows.join(", ")
        ))
        .await;
        let config = r#""tables":["t"],"mode":"incrementing","incrementing_column":"k","batch":1"#;
        let (all, marks) = read(&bay, config, Vec::new()).await;
        assert_eq!(all.len(), 3, "{declared}");
        assert!(read(&bay, config, marks).await.0.is_empty(), "{declared}");
    }
}

/// Rows of 10 MB leave one by one, not a whole batch of them at once.
#[tokio::test]
async fn wide_rows_are_cut_by_bytes() {
    let bay = Bay::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v);
         INSERT INTO t VALUES (1, zeroblob(10000000)), (2, zeroblob(10000000)), (3, 'x')",
    )
    .await;
    let mut source = open(&bay, r#""tables":["t"]"#, Vec::new()).await;
    let mut lengths = Vec::new();
    while let Some(polled) = source.batch().await {
        lengths.push(polled.batch.len());
    }
    assert_eq!(lengths, [1, 1, 1, 0]);
}
