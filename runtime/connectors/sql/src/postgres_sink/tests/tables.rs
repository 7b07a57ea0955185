use fairway_engine::data::{Batch, BatchBuilder, Meta, Value};
use fairway_engine::error::Kind;
use fairway_engine::position::StreamKey;

use super::Harbour;
use crate::testing::{insist, reasons};

const TYPES: &str =
    "select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum)
    from pg_attribute where attrelid = 't'::regclass and attnum > 0";

fn of_values(fields: &[(&str, Value)]) -> Batch {
    let mut builder = BatchBuilder::default();
    let slots: Vec<_> = fields.iter().map(|(name, _)| builder.field(name)).collect();
    builder.begin_row(Meta::new(1, 0));
    for (slot, (_, value)) in slots.into_iter().zip(fields) {
        builder.push(slot, value.as_ref()).unwrap();
    }
    builder.finish()
}

#[tokio::test]
async fn a_table_is_made_of_the_first_records_types() {
    let digits = "123456789012345678901234567890123456789";
    let id = "3f2b8c1e-5d4a-4c7b-9e0f-1a2b3c4d5e6f";
    let record = of_values(&[
        ("id", Value::I64(1)),
        ("big", Value::Big(digits.into())),
        ("moment", Value::Ts { us: 1, offset: 120 }),
        ("local", Value::Ts { us: 1, offset: fairway_engine::data::NO_ZONE }),
        ("day", Value::Date(0)),
        ("time", Value::Time(1)),
        ("bytes", Value::Bytes(vec![0, 255])),
        ("json", Value::Map(vec![("a".into(), Value::List(vec![Value::Null]))])),
        ("yes", Value::Bool(true)),
        ("float", Value::F64(0.1)),
        ("text", Value::Str("a\tb\\N".into())),
        ("uuid", Value::Uuid(id.parse().unwrap())),
    ]);
    let harbour = Harbour::new();
    let mut sink = harbour.sink(1, r#""table":"t","key":["id"],"mode":"upsert""#).await.unwrap();
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    assert!(insist(&mut *sink, record, 1).await.is_empty());
    assert_eq!(
        harbour.sql(TYPES),
        "id bigint, big numeric, moment timestamp with time zone, local timestamp without time zone, day date, \
         \"time\" time without time zone, bytes bytea, json jsonb, yes boolean, \"float\" double precision, text text, uuid uuid"
            .replace('"', "")
    );
    assert_eq!(
        harbour.sql("set timezone = 'UTC'; select * from t"),
        format!(
            "1|{digits}|1970-01-01 00:00:00.000001+00|1970-01-01 00:00:00.000001|1970-01-01|00:00:00.000001|\\x00ff|\
             {{\"a\": [null]}}|t|0.1|a\tb\\N|{id}"
        )
    );
    assert_eq!(
        harbour.sql("select count(*) from pg_index where indrelid = 't'::regclass and indisprimary"),
        "1"
    );
}

/// The same end state however records are cut into groups (G9).
#[tokio::test]
async fn upserts_and_deletes_are_the_same_at_every_size() {
    let changes = [
        r#"{"id":1,"a":"x","b":1}"#,
        r#"{"id":2,"a":"y"}"#,
        r#"{"id":1,"a":"z"}"#,
        r#"{"id":1,"b":null}"#,
        r#"{"id":3,"a":null,"b":3}"#,
        r#"{"id":2,"b":2}"#,
        r#"{"id":3,"a":"w"}"#,
        r#"{"a":"no key"}"#,
        r#"{"id":null,"a":"no key"}"#,
    ];
    for size in [1, 2, 100] {
        let harbour =
            Harbour::with("create table t(id int primary key, a text default 'd', b int default 7)");
        let dead = harbour.deliver(r#""table":"t","mode":"upsert","key":["id"]"#, &changes, size).await;
        let no_key = |order| (order, "postgres.no_key", Some("id"));
        assert_eq!(reasons(&dead), [no_key(8), no_key(9)]);
        assert_eq!(harbour.lines("select * from t order by id"), ["1|z|", "2|y|2", "3|w|3"], "at {size}");
        harbour.sql("update fairway_positions set \"position\" = '{\"order\":0,\"token\":null}'");
        let gone = [r#"{"id":1,"x":1}"#, r#"{"id":1}"#, r#"{"id":9}"#, r#"{"id":3}"#];
        assert!(harbour.deliver(r#""table":"t","mode":"delete","key":["id"]"#, &gone, size).await.is_empty());
        assert_eq!(harbour.lines("select * from t"), ["2|y|2"], "at {size}");
    }
}

/// A few rows go by INSERT and many by COPY: both mean the same, and a table's rules are asked by neither.
#[tokio::test]
async fn few_rows_and_many_come_to_the_same() {
    let columns = "id int primary key, c char(4), v varchar(3), n numeric(6,2), at timestamp(0), b bytea, \
        t text, a text[], f bit(3), d date, j jsonb";
    let setup = format!(
        "create table few ({columns}); create table many ({columns}); create table ruled ({columns});
         create rule none as on insert to ruled do instead nothing"
    );
    let rows = [
        r#"{"id":1,"c":"ab","v":"x'y","n":12.3,"at":"2026-11-30T12:00:00","b":"AP9cJw==","f":"101","d":"2026-11-30"}"#,
        r#"{"id":2,"t":"tab\t line\n return\r back\\slash 'quotes' \\N","a":["x'y","\\",null,""],"j":{"k":"it's \\ \n"}}"#,
        r#"{"id":3,"t":"\\N","v":"","c":null}"#,
        r#"{"id":4,"v":"far too long"}"#,
    ];
    let long = format!(r#"{{"id":5,"t":"{}"}}"#, "x".repeat(20_000));
    for mode in ["", r#","mode":"upsert","key":["id"]"#] {
        let harbour = Harbour::with(&setup);
        let few = harbour.deliver(&format!(r#""table":"few"{mode}"#), &rows, 100).await;
        harbour.sql("update fairway_positions set \"position\" = '{\"order\":0,\"token\":null}'");
        let more: Vec<&str> = rows.iter().copied().chain([&*long]).collect();
        let many = harbour.deliver(&format!(r#""table":"many"{mode}"#), &more, 100).await;
        assert_eq!(reasons(&few), [(4, "postgres.too_long", Some("v"))]);
        assert_eq!(reasons(&many), reasons(&few));
        let all = "select id, c, v, n, at, b, t, a, f, d, j from {} where id < 5 order by id";
        let [few, many] = ["few", "many"].map(|table| harbour.lines(&all.replace("{}", table)));
        assert_eq!(few, many);
        assert!(few[0].contains("\\x00ff5c27"), "{few:?}");
        assert!(harbour.sql("select t from few where id = 3").contains("\\N"));
    }
    let harbour = Harbour::with(&setup);
    assert!(harbour.deliver(r#""table":"ruled""#, &rows[..3], 100).await.is_empty());
    assert_eq!(harbour.sql("select count(*) from ruled"), "3");
}

#[tokio::test]
async fn missing_is_not_null_and_new_fields_follow_the_policy() {
    let lines = [r#"{"id":1}"#, r#"{"id":2,"b":null}"#, r#"{"id":3,"c":null}"#, r#"{"id":4,"c":1.5}"#];
    for size in [1, 100] {
        for (policy, refused, rows) in [
            ("add", vec![], vec!["1|7|", "2||", "3|7|", "4|7|1.5"]),
            ("ignore", vec![], vec!["1|7", "2|", "3|7", "4|7"]),
            ("reject", vec![3, 4], vec!["1|7", "2|"]),
        ] {
            let harbour = Harbour::with("create table t(id int, b int default 7)");
            let config = format!(r#""table":"t","new_columns":"{policy}""#);
            let dead = harbour.deliver(&config, &lines, size).await;
            assert_eq!(
                dead.iter().map(|(order, _)| *order).collect::<Vec<_>>(),
                refused,
                "{policy} at {size}"
            );
            assert_eq!(harbour.lines("select * from t order by id"), rows, "{policy} at {size}");
        }
    }
}

#[tokio::test]
async fn a_table_that_is_made_is_the_same_at_every_size() {
    let lines = [r#"{"a":null,"b":1}"#, r#"{"a":2.5}"#, r#"{"c":"x","a":"no number"}"#, r#"{"a":1}"#];
    for size in [1, 100] {
        let harbour = Harbour::new();
        let dead = harbour.deliver(r#""table":"t""#, &lines, size).await;
        assert_eq!(reasons(&dead), [(3, "postgres.not_a_number", Some("a"))], "at {size}");
        assert_eq!(harbour.sql(TYPES), "b bigint, a numeric", "at {size}");
        assert_eq!(harbour.lines("select coalesce(a::text, '-') from t order by t.a"), ["1", "2.5", "-"]);
    }
}

#[tokio::test]
async fn what_rows_cannot_be_kept_in_is_refused_at_once() {
    let harbour = Harbour::with(
        "create table base(id int); create view v as select * from base; create unlogged table u(id int);
        create table k(id int)",
    );
    for (config, kind, code) in [
        (r#""table":"v""#, Kind::Config, "postgres.not_a_table"),
        (r#""table":"u""#, Kind::Config, "postgres.unlogged"),
        (r#""table":"k","mode":"upsert","key":["id"]"#, Kind::Config, "postgres.key_not_unique"),
        (r#""table":"k","mode":"delete","key":["ID"]"#, Kind::Config, "postgres.no_key_column"),
        (r#""table":"none","create_table":false"#, Kind::Outage, "postgres.no_table"),
    ] {
        let error = harbour.sink(1, config).await.err().unwrap();
        assert_eq!((error.kind, &*error.code), (kind, code), "{error}");
        assert!(error.help.is_some(), "{error}");
    }
}

#[tokio::test]
async fn names_that_postgres_would_change_are_refused() {
    let long = "x".repeat(64);
    let line = format!(r#"{{"id":1,"{long}":1}}"#);
    let lines = [line.as_str(), r#"{"id":2,"ctid":1}"#, r#"{"id":3,"Id":1,"ID":2}"#];
    let harbour = Harbour::new();
    let dead = harbour.deliver(r#""table":"t""#, &lines, 100).await;
    assert_eq!(
        reasons(&dead),
        [(1, "postgres.bad_name", Some(long.as_str())), (2, "postgres.bad_name", Some("ctid"))]
    );
    assert_eq!(harbour.sql(TYPES), "id bigint, Id bigint, ID bigint");
}

#[tokio::test]
async fn rows_of_nothing_but_defaults() {
    let harbour = Harbour::with(
        "create table t(id int generated always as identity, x int default 7, c int generated always as (1) stored)",
    );
    let dead = harbour.deliver(r#""table":"t""#, &["{}", "{}", r#"{"c":5}"#, r#"{"x":1}"#], 100).await;
    assert_eq!(reasons(&dead), [(3, "postgres.computed_column", Some("c"))]);
    assert_eq!(harbour.lines("select x from t order by x"), ["1", "7", "7"]);
}
