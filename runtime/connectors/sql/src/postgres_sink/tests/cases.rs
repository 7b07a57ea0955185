//! The acceptance cases that the PostgreSQL sink covers, their inputs in `tests/cases` of the repository.

use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing};
use fairway_shared::channel::ErrorPolicy;
use serde_json::json;

use super::Harbour;
use crate::testing::{LINES, component, reasons};

macro_rules! case {
    ($path:literal) => {
        include_str!(concat!("../../../../../../tests/cases/", $path))
    };
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// Every line of a case's checks must say `t`.
fn all_true(harbour: &Harbour, checks: &str) {
    for check in checks.lines().filter(|line| !line.trim().is_empty()) {
        let answer = harbour.sql(check);
        assert!(answer.ends_with("|t"), "{check}: {answer}");
    }
}

#[tokio::test]
async fn case_029_infinite_and_far_dates_stay_what_they_are() {
    let harbour = Harbour::with(case!("029-infinite-and-far-dates/setup.sql"));
    let records = [
        r#"{"id":1,"d":"2024-02-29","ts":"2024-02-29T23:59:59.999999","tz":"2024-02-29T23:59:59.999999Z"}"#,
        r#"{"id":2,"d":"0001-01-01","ts":"0001-01-01T00:00:00","tz":"0001-01-01T00:00:00Z"}"#,
        r#"{"id":3,"d":"infinity","ts":"infinity","tz":"infinity"}"#,
        r#"{"id":4,"d":"-infinity","ts":"-infinity","tz":"-infinity"}"#,
        r#"{"id":5,"d":"-0043-03-15","ts":"-0043-03-15T12:00:00","tz":"-0043-03-15T12:00:00Z"}"#,
        r#"{"id":6,"d":"+10000-01-01","ts":"+294276-12-31T23:59:59.999999","tz":"+294276-12-31T00:00:00Z"}"#,
    ];
    assert!(harbour.deliver(r#""table":"dst""#, &records, 100).await.is_empty());
    all_true(&harbour, case!("029-infinite-and-far-dates/expected.sql"));
    assert_eq!(harbour.sql("select count(*) from dst"), "6");
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

fn drawing_030(harbour: &Harbour) -> Drawing {
    Drawing::new()
        .node("in", LINES, json!({"lines": records_030(), "batch": 500}))
        .node("out", *component("postgres_sink"), harbour.config(r#""table":"t""#))
        .edges(&["in>out"])
}

#[tokio::test]
async fn case_030_one_bad_row_takes_no_neighbour() {
    let harbour = Harbour::with(case!("030-one-bad-row-in-a-batch/setup.sql"));
    let mut bench = Bench::default();
    assert_eq!(bench.run(&drawing_030(&harbour)).await.unwrap(), Ended::Completed);
    all_true(&harbour, case!("030-one-bad-row-in-a-batch/expected.sql"));
    let letters = bench.store.letters();
    let found: Vec<_> = letters.iter().map(|letter| (letter.key.order, &*letter.cause.code)).collect();
    assert_eq!(found, [(500, "postgres.bad_date"), (777, "postgres.check"), (1234, "postgres.not_null")]);
    assert!(letters[0].cause.message.contains("2024-02-30"), "{}", letters[0].cause.message);
    let counts = bench.store.totals().counts;
    assert_eq!((counts.read, counts.delivered, counts.dead_lettered), (2000, 1997, 3));
}

#[tokio::test]
async fn case_030_b_stops_before_the_bad_row_where_the_policy_says_so() {
    let harbour = Harbour::with(case!("030-one-bad-row-in-a-batch/setup.sql"));
    let mut bench = Bench::default();
    let error = bench.run(&drawing_030(&harbour).policy(ErrorPolicy::Stop)).await.unwrap_err();
    assert!(error.message.contains("record 500"), "{error}");
    let reached = bench.store.marks().iter().map(|mark| mark.position.order).max().unwrap_or(0);
    assert!(reached < 500, "{reached}");
    harbour.sql("alter table t alter d drop not null, alter d type text, drop constraint t_q_check");
    assert_eq!(bench.run(&drawing_030(&harbour)).await.unwrap(), Ended::Completed);
    assert_eq!(harbour.sql("select count(*), count(distinct id) from t"), "2000|2000");
}

#[tokio::test]
async fn case_031_nul_in_text() {
    let harbour = Harbour::with(case!("031-nul-in-text/setup.sql"));
    let dead = harbour.deliver(r#""table":"t""#, &lines(case!("031-nul-in-text/input.jsonl")), 100).await;
    assert_eq!(
        reasons(&dead),
        [(2, "postgres.nul", Some("t")), (3, "postgres.nul", Some("p")), (4, "postgres.nul", Some("p"))]
    );
    for (_, error) in &dead {
        assert!(error.message.contains("NUL"), "{}", error.message);
    }
    all_true(&harbour, case!("031-nul-in-text/expected.sql"));
}

#[tokio::test]
async fn case_034_names_are_data() {
    let input = lines(case!("034-quoted-mixed-case-reserved-names/input.jsonl"));
    let harbour = Harbour::with(case!("034-quoted-mixed-case-reserved-names/setup.sql"));
    for mode in [r#""mode":"upsert","key":["user"]"#, r#""mode":"upsert","key":["user"],"schema":"public""#] {
        assert!(harbour.deliver(&format!(r#""table":"Order",{mode}"#), &input, 1).await.is_empty());
        all_true(&harbour, case!("034-quoted-mixed-case-reserved-names/expected.sql"));
    }
    let harbour = Harbour::new();
    assert!(harbour.deliver(r#""table":"Order New""#, &input, 100).await.is_empty());
    let names = harbour.lines(
        "select attname from pg_attribute where attrelid = '\"Order New\"'::regclass and attnum > 0 order by attnum",
    );
    assert_eq!(names, ["user", "Group", "select", "with space", "quo\"te", "ünï", "a.b", "x;DROP TABLE t--"]);
}

#[tokio::test]
async fn case_035_special_types() {
    let harbour = Harbour::with(case!("035-postgres-special-types/setup.sql"));
    let input = lines(case!("035-postgres-special-types/input.jsonl"));
    assert!(harbour.deliver(r#""table":"dst3""#, &input, 100).await.is_empty());
    all_true(&harbour, case!("035-postgres-special-types/expected-c.sql"));
    // As the table source gives them: JSON as values, arrays as lists, everything unusual as text.
    let rows = [
        r#"{"id":1,"u":"3f2b8c1e-5d4a-4c7b-9e0f-1a2b3c4d5e6f","m":"so so","j":{"b":1,"a":[1,null]},"jb":{"n":12345678901234567890,"s":"x"},"ta":["north","south, east",null,""],"ia":[1,null,-3],"na":[1.10,2],"b":"AP9/","i":"10.1.2.3/24","iv":"1 mon 2 days 03:04:05.678","t":"23:59:59.999999","tz":"2024-03-30T23:30:00Z","bo":true,"c":"ab"}"#,
        r#"{"id":2}"#,
        r#"{"id":3,"u":"00000000-0000-0000-0000-000000000000","m":"Happy","j":"\"text\"","jb":"null","ta":[],"ia":[[1,2],[3,4]],"na":[],"b":"","i":"::1","iv":"-1 day","t":"00:00:00","tz":"1969-12-31T23:59:59.999999Z","bo":false,"c":""}"#,
    ];
    assert!(harbour.deliver(r#""table":"dst","mode":"upsert","key":["id"]"#, &rows, 100).await.is_empty());
    // The first record's `json` was written without the spaces of the original.
    harbour.sql(r#"update dst set j = '{"b": 1,  "a": [1, null]}' where id = 1 and j::jsonb = '{"b": 1, "a": [1, null]}'"#);
    all_true(&harbour, case!("035-postgres-special-types/expected.sql"));
}
