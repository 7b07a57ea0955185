use fairway_engine::error::Kind;
use fairway_engine::position::StreamKey;
use fairway_engine::sink::{Group, Outcome};

use crate::testing::{Bay, batch, mark, reasons};

const TABLE: &str = r#""table":"t","create_table":false,"new_columns":"reject""#;

fn lines(count: u64) -> Vec<String> {
    (1..=count).map(|n| format!(r#"{{"n":{n}}}"#)).collect()
}

/// All but the refused records are in the table, whatever the size of groups (G9, G10).
async fn refused(setup: &str, count: u64, expected: &[(u64, &str)]) {
    for size in [1, 7, 1000] {
        let bay = Bay::with(setup).await;
        let dead = bay.deliver(TABLE, &lines(count), size).await;
        let found: Vec<_> = reasons(&dead).into_iter().map(|(order, code, _)| (order, code)).collect();
        assert_eq!(found, expected, "in groups of {size}");
        let rest: Vec<String> =
            (1..=count).filter(|n| expected.iter().all(|(bad, _)| bad != n)).map(|n| n.to_string()).collect();
        assert_eq!(
            bay.texts("SELECT CAST(n AS TEXT) FROM t ORDER BY rowid").await,
            rest,
            "in groups of {size}"
        );
    }
}

#[tokio::test]
async fn each_kind_of_constraint_names_its_record() {
    refused(
        "CREATE TABLE t(n int UNIQUE CHECK (n <> 300));
         CREATE TRIGGER no BEFORE INSERT ON t WHEN new.n = 601 BEGIN SELECT RAISE(ABORT, 'not 601'); END",
        900,
        &[(300, "sqlite.check"), (601, "sqlite.trigger")],
    )
    .await;
    refused(
        "CREATE TABLE p(n int PRIMARY KEY); INSERT INTO p VALUES (1),(2),(3),(5),(6),(7),(8);
         CREATE TABLE t(n int REFERENCES p(n))",
        8,
        &[(4, "sqlite.foreign_key")],
    )
    .await;
}

#[tokio::test]
async fn a_duplicate_is_the_later_one() {
    let bay = Bay::with("CREATE TABLE t(n int PRIMARY KEY, v text)").await;
    let lines = [r#"{"n":1,"v":"first"}"#, r#"{"n":2}"#, r#"{"n":1,"v":"second"}"#];
    let dead = bay.deliver(TABLE, &lines, 100).await;
    assert_eq!(reasons(&dead), [(3, "sqlite.unique", None)]);
    assert!(dead[0].1.message.contains("t.n"), "{}", dead[0].1.message);
    assert_eq!(bay.rows("t").await, ["1,'first'", "2,NULL"]);
}

#[tokio::test]
async fn triggers_that_undo_more_than_their_row_are_contained() {
    for how in ["ROLLBACK", "FAIL"] {
        let setup = format!(
            "CREATE TABLE t(n int UNIQUE); CREATE TRIGGER no AFTER INSERT ON t WHEN new.n IN (3, 250)
             BEGIN SELECT RAISE({how}, 'no'); END"
        );
        refused(&setup, 300, &[(3, "sqlite.trigger"), (250, "sqlite.trigger")]).await;
    }
}

#[tokio::test]
async fn a_function_that_does_not_like_a_value_refuses_one_record() {
    let setup = "CREATE TABLE t(n int, twice AS (json_extract(CASE n WHEN 5 THEN '{' ELSE '[1]' END, '$[0]')) STORED)";
    refused(setup, 9, &[(5, "sqlite.refused")]).await;
}

#[tokio::test]
async fn a_clause_of_the_table_cannot_make_records_vanish() {
    for clause in ["IGNORE", "REPLACE", "ROLLBACK", "FAIL"] {
        let bay = Bay::with(&format!("CREATE TABLE t(n int UNIQUE ON CONFLICT {clause})")).await;
        let dead = bay.deliver(TABLE, &[r#"{"n":1}"#, r#"{"n":1}"#, r#"{"n":2}"#], 100).await;
        assert_eq!(reasons(&dead), [(2, "sqlite.unique", None)], "{clause}");
        assert_eq!(bay.rows("t").await, ["1", "2"], "{clause}");
    }
}

#[tokio::test]
async fn an_upsert_is_refused_by_other_constraints_only() {
    let bay = Bay::with("CREATE TABLE t(k int PRIMARY KEY, n int UNIQUE)").await;
    let lines = [r#"{"k":1,"n":1}"#, r#"{"k":2,"n":1}"#, r#"{"k":1,"n":5}"#, r#"{"k":3,"n":1}"#];
    let config = r#""table":"t","mode":"upsert","key":["k"]"#;
    let dead = bay.deliver(config, &lines, 100).await;
    assert_eq!(reasons(&dead), [(2, "sqlite.unique", None)]);
    assert_eq!(bay.rows("t").await, ["1,5", "3,1"]);
}

#[tokio::test]
async fn everything_refused_is_learnt_at_once_and_nothing_is_durable_meanwhile() {
    let bay = Bay::with("CREATE TABLE t(n int CHECK (n % 100 <> 0))").await;
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    let batches = [batch(&lines(950), 0), batch(&lines(150), 950)];
    let outcome = sink.deliver(Group { batches: &batches, marks: &[mark("", 1100)] }).await.unwrap();
    let Outcome::RolledBack(refused) = outcome else { panic!("{outcome:?}") };
    let places: Vec<_> = refused.iter().map(|one| (one.batch, one.record)).collect();
    let expected: Vec<_> = (1..=9).map(|n| (0, n * 100 - 1)).chain([(1, 99)]).collect();
    assert_eq!(places, expected);
    assert!(bay.rows("t").await.is_empty());
    assert_eq!(bay.sink(2, TABLE).await.unwrap().adopt(&mark("", 0).stream).await.unwrap().unwrap().order, 0);
}

#[tokio::test]
async fn names_that_cannot_be_columns_are_refused() {
    let bay = Bay::new();
    let lines = [r#"{"a":1}"#, r#"{"a\u0000b":1,"a":2}"#, r#"{"a":3,"A":4}"#, r#"{"":5,"É":6,"é":7}"#];
    let dead = bay.deliver(r#""table":"t""#, &lines, 100).await;
    assert_eq!(
        reasons(&dead),
        [(2, "sqlite.bad_name", Some("a\0b")), (3, "sqlite.almost_column", Some("A"))]
    );
    assert_eq!(bay.rows("t").await, ["1,NULL,NULL,NULL", "NULL,5,6,7"]);
    let wide: Vec<String> = (0..2100).map(|n| format!("\"c{n}\":{n}")).collect();
    let dead = bay
        .deliver(r#""table":"wide""#, &[format!("{{{}}}", wide.join(",")), r#"{"x":1}"#.into()], 100)
        .await;
    assert_eq!(reasons(&dead), [(1, "sqlite.no_room", None)]);
}

#[tokio::test]
async fn a_foreign_key_checked_at_the_end_waits_for_the_user() {
    let bay = Bay::with(
        "CREATE TABLE p(n int PRIMARY KEY); CREATE TABLE t(n int REFERENCES p(n) DEFERRABLE INITIALLY DEFERRED)",
    )
    .await;
    let mut sink = bay.sink(1, TABLE).await.unwrap();
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    for _ in 0..2 {
        let batches = [batch(&lines(3), 0)];
        let error = sink.deliver(Group { batches: &batches, marks: &[mark("", 3)] }).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "sqlite.deferred_foreign_key"));
        assert!(bay.rows("t").await.is_empty());
    }
    bay.run("INSERT INTO p VALUES (1), (2), (3)").await;
    let batches = [batch(&lines(3), 0)];
    sink.deliver(Group { batches: &batches, marks: &[mark("", 3)] }).await.unwrap();
    assert_eq!(bay.rows("t").await, ["1", "2", "3"]);
}
