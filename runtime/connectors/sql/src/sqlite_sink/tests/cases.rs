//! The acceptance cases that SQLite covers, their inputs in `tests/cases` of the repository.

use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing};
use fairway_shared::channel::ErrorPolicy;
use serde_json::json;

use crate::testing::{Bay, LINES, component, reasons};

macro_rules! case {
    ($path:literal) => {
        include_str!(concat!("../../../../../../tests/cases/", $path))
    };
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[tokio::test]
async fn case_008_integers_keep_their_digits() {
    let input = lines(case!("008-json-integers-beyond-2-53/input.jsonl"));
    for size in [1, 2, 100] {
        let bay = Bay::new();
        let dead = bay.deliver(r#""table":"t""#, &input, size).await;
        // The column of `big` was made for whole numbers; one of 30 digits is refused, never rounded.
        assert_eq!(reasons(&dead), [(4, "sqlite.inexact", Some("big"))]);
        assert!(dead[0].1.message.contains("123456789012345678901234567890"), "{}", dead[0].1.message);
        assert_eq!(
            bay.rows("t").await,
            [
                r#"3458764513820540931,'{"n":1234567890123456789}',1"#,
                r#"3458764513820540930,'{"n":-9007199254740993}',2"#,
                r#"9223372036854775807,'{"n":9007199254740993}',3"#,
            ]
        );
    }
    // In a table that the user made for it, all digits stay.
    let bay = Bay::with("CREATE TABLE t(id bigint PRIMARY KEY, p text, big text)").await;
    assert!(bay.deliver(r#""table":"t""#, &input, 100).await.is_empty());
    assert_eq!(bay.texts("SELECT big FROM t WHERE id < 0").await, ["123456789012345678901234567890"]);
}

/// The records of `make.py`: 500 has a day that does not exist, 777 breaks a check, 1234 has a null.
fn records_030() -> Vec<String> {
    let record = |n: usize| {
        let day = match n {
            500 => "\"2024-02-30\"".to_owned(),
            1234 => "null".to_owned(),
            n => format!("\"2024-{:02}-{:02}\"", n % 12 + 1, n % 28 + 1),
        };
        let q = if n == 777 { -1 } else { (n % 50) as i64 };
        format!(r#"{{"id":{n},"d":{day},"q":{q}}}"#)
    };
    (1..=2000).map(record).collect()
}

fn drawing_030(bay: &Bay) -> Drawing {
    let mut drawing = Drawing::new()
        .node("in", LINES, json!({"lines": records_030(), "batch": 500}))
        .node("out", *component("sqlite_sink"), json!({"path": "x.db", "table": "t", "create_table": false}))
        .edges(&["in>out"])
        .groups_of(500);
    drawing.0.files = Files::open(bay.root());
    drawing
}

const SETUP_030: &str = case!("030-one-bad-row-in-a-batch/setup.sqlite.sql");

async fn check_030(bay: &Bay, bench: &Bench) {
    assert_eq!(bay.texts("SELECT CAST(count(*) AS TEXT) FROM t").await, ["1997"]);
    assert_eq!(bay.texts("SELECT CAST(count(*) AS TEXT) FROM t WHERE id IN (500, 777, 1234)").await, ["0"]);
    let letters: Vec<(u64, String)> =
        bench.store.letters().into_iter().map(|letter| (letter.key.order, letter.cause.code)).collect();
    assert_eq!(
        letters,
        [(500, "sqlite.check".into()), (777, "sqlite.check".into()), (1234, "sqlite.not_null".into())]
    );
    let counts = bench.store.totals().counts;
    assert_eq!((counts.read, counts.delivered, counts.dead_lettered), (2000, 1997, 3));
}

#[tokio::test]
async fn case_030_one_bad_row_takes_no_other_along() {
    let bay = Bay::with(SETUP_030).await;
    let mut bench = Bench::default();
    assert!(matches!(bench.run(&drawing_030(&bay)).await, Ok(Ended::Completed)));
    check_030(&bay, &bench).await;
}

#[tokio::test]
async fn case_030_stops_before_the_bad_row_when_told_to() {
    let bay = Bay::with(SETUP_030).await;
    let mut bench = Bench::default();
    let error = bench.run(&drawing_030(&bay).policy(ErrorPolicy::Stop)).await.unwrap_err();
    assert!(error.to_string().contains("500") || error.message.contains("CHECK"), "{error}");
    assert_eq!(bay.texts("SELECT CAST(count(*) AS TEXT) FROM t WHERE id >= 500").await, ["0"]);
    // Repaired, it goes on and nothing is lost.
    let mut drawing = drawing_030(&bay);
    drawing.0.nodes[0].config = json!({"lines": records_030().iter()
        .map(|line| line.replace("2024-02-30", "2024-02-28").replace(":-1}", ":1}").replace(":null", ":\"2024-01-01\""))
        .collect::<Vec<_>>(), "batch": 500});
    bench.run(&drawing).await.unwrap();
    assert_eq!(bay.texts("SELECT CAST(count(*) AS TEXT) FROM t").await, ["2000"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn case_030_survives_kills_in_the_middle() {
    for round in 0..5 {
        let bay = Bay::with(SETUP_030).await;
        let mut bench = Bench::default();
        bench.crash_after(&drawing_030(&bay), Duration::from_millis(4 + 6 * round)).await;
        bench.run(&drawing_030(&bay)).await.unwrap();
        check_030(&bay, &bench).await;
    }
}

#[tokio::test]
async fn case_031_nul_is_kept_not_cut() {
    let bay = Bay::with(case!("031-nul-in-text/setup.sqlite.sql")).await;
    let dead = bay.deliver(r#""table":"t""#, &lines(case!("031-nul-in-text/input.jsonl")), 100).await;
    assert!(dead.is_empty(), "{dead:?}");
    assert_eq!(bay.texts("SELECT CAST(length(CAST(t AS blob)) AS TEXT) FROM t WHERE id = 2").await, ["3"]);
    assert_eq!(bay.texts("SELECT t FROM t WHERE id = 2").await, ["a\0b"]);
    assert_eq!(bay.texts(r"SELECT id || t FROM t WHERE id IN (1, 5)").await, ["1ok", "5back\\u0000slash"]);
    assert_eq!(
        bay.texts("SELECT p FROM t WHERE id IN (3, 4) ORDER BY id").await,
        [r#"{"x":"c\u0000d"}"#, r#"{"k\u0000":1}"#]
    );
}

#[tokio::test]
async fn case_034_names_are_quoted_and_exact() {
    let input = lines(case!("034-quoted-mixed-case-reserved-names/input.jsonl"));
    let setup = case!("034-quoted-mixed-case-reserved-names/setup.sqlite.sql");
    for size in [1, 2] {
        let bay = Bay::with(setup).await;
        let config = r#""table":"Order","mode":"upsert","key":["user"]"#;
        for _ in 0..2 {
            bay.deliver(config, &input, size).await;
            bay.run("DELETE FROM fairway_positions").await;
        }
        let values = "SELECT \"Group\"||\"select\"||\"with space\"||\"quo\"\"te\"||\"ünï\"||\"a.b\"||\"x;DROP TABLE t--\"
            FROM \"Order\" ORDER BY \"user\"";
        assert_eq!(bay.texts(values).await, ["gswqudz", "NULL"]);
        // Part C: a table made here has the names of the fields, byte for byte.
        assert!(bay.deliver(r#""table":"Order New""#, &input, size).await.is_empty());
        assert_eq!(
            bay.texts("SELECT name FROM pragma_table_info('Order New')").await,
            ["user", "Group", "select", "with space", "quo\"te", "ünï", "a.b", "x;DROP TABLE t--"]
        );
    }
}
