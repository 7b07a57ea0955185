use fairway_engine::data::Ref;

use super::{Base, case};

/// Case 035: special types. Lists, JSON as it is, null elements; everything has a form and nothing is left out.
#[tokio::test]
async fn special_types() {
    let base = Base::with(&case("035-postgres-special-types", "setup.sql"));
    let (all, _) = base.read(r#""tables":["src"]"#, Vec::new()).await;
    assert_eq!(
        all,
        [
            r#"src: {"id":1,"u":"3f2b8c1e-5d4a-4c7b-9e0f-1a2b3c4d5e6f","m":"so so","j":{"b": 1,  "a": [1, null]},"jb":{"n": 12345678901234567890, "s": "x"},"ta":["north","south, east",null,""],"ia":[1,null,-3],"na":[1.10,2],"b":"AP9/","i":"10.1.2.3/24","iv":"1 mon 2 days 03:04:05.678","t":"23:59:59.999999","tz":"2024-03-30T23:30:00Z","bo":true,"c":"ab   "}"#,
            r#"src: {"id":2,"u":null,"m":null,"j":null,"jb":null,"ta":null,"ia":null,"na":null,"b":null,"i":null,"iv":null,"t":null,"tz":null,"bo":null,"c":null}"#,
            r#"src: {"id":3,"u":"00000000-0000-0000-0000-000000000000","m":"Happy","j":"text","jb":null,"ta":[],"ia":[[1,2],[3,4]],"na":[],"b":"","i":"::1/128","iv":"-1 days","t":"00:00:00","tz":"1969-12-31T23:59:59.999999Z","bo":false,"c":"     "}"#,
        ]
    );
}

/// Case 029: infinite and far dates are values, refusals or text by choice, and never other dates.
#[tokio::test]
async fn infinite_and_far_dates() {
    let base = Base::with(&case("029-infinite-and-far-dates", "setup.sql"));
    let mut source = base.open(r#""tables":["src"]"#, Vec::new()).await;
    let sound = source.read().await.unwrap();
    assert_eq!(
        sound,
        [
            r#"src: {"id":1,"d":"2024-02-29","ts":"2024-02-29T23:59:59.999999","tz":"2024-02-29T23:59:59.999999Z"}"#,
            r#"src: {"id":2,"d":"0001-01-01","ts":"0001-01-01T00:00:00","tz":"0001-01-01T00:00:00Z"}"#,
            r#"src: {"id":5,"d":"-0043-03-15","ts":"-0043-03-15T12:00:00","tz":"-0043-03-15T12:00:00Z"}"#,
        ]
    );
    let reasons: Vec<_> =
        source.dead.iter().map(|error| (error.code, error.field.as_deref().unwrap())).collect();
    let special = "table.special_value";
    assert_eq!(reasons, [(special, "d"), (special, "d"), (special, "ts")]);
    let (all, _) = base.read(r#""tables":["src"],"special_values":"text""#, Vec::new()).await;
    assert_eq!(all[2], r#"src: {"id":3,"d":"infinity","ts":"infinity","tz":"infinity"}"#);
    assert_eq!(all[3], r#"src: {"id":4,"d":"-infinity","ts":"-infinity","tz":"-infinity"}"#);
    assert_eq!(
        all[5],
        r#"src: {"id":6,"d":"+10000-01-01","ts":"+294276-12-31T23:59:59.999999","tz":"+294276-12-31T00:00:00Z"}"#
    );
}

#[tokio::test]
async fn numbers_keep_every_digit() {
    let texts = [
        "0",
        "-0",
        "0.00",
        "1",
        "-1",
        "10000",
        "9999",
        "0.0001",
        "0.00010000",
        "-0.00000000000000000000000000000001",
        "123456789012345678901234567890123456789012345678901234567890.123456789",
        "1.50",
        "100000000",
        "1e40",
        "0.1000",
        "12345678.00009",
        "-99999999999999999999",
        "9223372036854775807",
        "9223372036854775808",
        "20000.5",
    ];
    let rows: Vec<String> = texts.iter().enumerate().map(|(at, text)| format!("({at}, '{text}')")).collect();
    let base = Base::with(&format!(
        "CREATE TABLE t(id int PRIMARY KEY, n numeric); INSERT INTO t VALUES {}",
        rows.join(", ")
    ));
    let outside = base.run("SELECT n FROM t ORDER BY id");
    let (all, _) = base.read(r#""tables":["t"]"#, Vec::new()).await;
    for (found, expected) in all.iter().zip(outside.lines()) {
        let number = found.rsplit_once("\"n\":").unwrap().1.trim_end_matches('}');
        assert_eq!(number, expected);
    }
    assert_eq!(all.len(), texts.len());
    let base = Base::with(
        "CREATE DOMAIN money2 AS numeric(10,2); CREATE TYPE pair AS (a int, b text);
         CREATE TABLE t(id int PRIMARY KEY, s smallint, b bigint, f real, d float8, m money2, p pair, r int4range, o oid);
         INSERT INTO t VALUES (1, -32768, -9223372036854775808, 0.1, 0.1, 7, (1, 'x'), '[1,5)', 4294967295)",
    );
    let (all, _) = base.read(r#""tables":["t"]"#, Vec::new()).await;
    assert_eq!(
        all,
        [
            r#"t: {"id":1,"s":-32768,"b":-9223372036854775808,"f":0.1,"d":0.1,"m":7.00,"p":{"a":1,"b":"x"},"r":"[1,5)","o":"4294967295"}"#
        ]
    );
}

/// Keys of any type are gone on from exactly, one row an answer.
#[tokio::test]
async fn cursors_of_any_type() {
    for (ty, values) in [
        ("bigint", "(-9223372036854775807), (0), (9223372036854775807)"),
        ("text", r"('a''b\'), (''), ('日')"),
        (
            "uuid",
            "('00000000-0000-0000-0000-000000000001'), ('00000000-0000-0000-0000-000000000002'), ('ffffffff-0000-0000-0000-000000000000')",
        ),
        ("numeric", "(0.1), (1e30), (-5.000)"),
        ("float8", "(0.1), (0.30000000000000004), ('-Infinity')"),
        ("bytea", r"('\x00'), ('\xff'), ('')"),
        ("char(3)", "('a'), ('b'), ('c')"),
        ("timestamptz", "('2024-01-01 00:00:00.000001+00'), ('infinity'), ('-infinity')"),
        ("inet", "('10.0.0.1'), ('::1'), ('10.0.0.0/8')"),
    ] {
        let base = Base::with(&format!("CREATE TABLE t(k {ty} PRIMARY KEY); INSERT INTO t VALUES {values}"));
        let config = r#""tables":["t"],"mode":"incrementing","incrementing_column":"k","batch":1,"special_values":"text""#;
        let (all, marks) = base.read(config, Vec::new()).await;
        assert_eq!(all.len(), 3, "{ty}");
        assert!(base.read(config, marks).await.0.is_empty(), "{ty}");
    }
}

/// Rows of 10 MB leave one by one, not a whole batch of them at once.
#[tokio::test]
async fn wide_rows_are_cut_by_bytes() {
    let base = Base::with(
        "CREATE TABLE t(id int PRIMARY KEY, v text); INSERT INTO t SELECT i, repeat('x', 10000000) FROM generate_series(1, 3) i",
    );
    let mut source = base.open(r#""tables":["t"]"#, Vec::new()).await;
    let mut lengths = Vec::new();
    while let Some(polled) = source.batch().await {
        if let Some(record) = polled.batch.records().next() {
            assert!(matches!(record.get("v"), Ref::Str(text) if text.len() == 10_000_000));
        }
        lengths.push(polled.batch.len());
    }
    assert_eq!(lengths, [1, 1, 1, 0]);
}
