use fairway_engine::error::Kind;
use fairway_engine::position::StreamKey;
use fairway_engine::sink::Group;

use super::Harbour;
use crate::testing::{batch, mark, reasons};

#[tokio::test]
async fn each_refusal_says_why_and_where_and_takes_no_neighbour() {
    let harbour = Harbour::with(
        "create table other(id int primary key); insert into other values (1);
        create table t(id int primary key, n int check (n > 0), o int references other, s varchar(3) not null, d date);
        create function no() returns trigger language plpgsql as
            $$begin if new.s = 'no' then raise exception 'never %', new.id; end if; return new; end$$;
        create trigger no before insert on t for each row execute function no()",
    );
    let lines = [
        r#"{"id":1,"n":1,"o":1,"s":"a"}"#,
        r#"{"id":1,"n":1,"o":1,"s":"twice"}"#,
        r#"{"id":1,"n":1,"o":1,"s":"b"}"#,
        r#"{"id":3,"n":-1,"o":1,"s":"c"}"#,
        r#"{"id":4,"n":1,"o":2,"s":"d"}"#,
        r#"{"id":5,"n":1,"o":1,"s":null}"#,
        r#"{"id":6,"n":1,"o":1,"s":"no"}"#,
        r#"{"id":7,"n":1,"o":1,"s":"e","d":"2024-02-30"}"#,
        r#"{"id":99999999999,"n":1,"o":1,"s":"f"}"#,
        r#"{"id":10,"n":1,"o":1,"s":"g","d":"2024-02-29"}"#,
    ];
    let expected = [
        (2, "postgres.too_long", Some("s")),
        (3, "postgres.unique", None),
        (4, "postgres.check", None),
        (5, "postgres.foreign_key", None),
        (6, "postgres.not_null", Some("s")),
        (7, "postgres.trigger", None),
        (8, "postgres.bad_date", Some("d")),
        (9, "postgres.out_of_range", Some("id")),
    ];
    for size in [1, 3, 100] {
        harbour.sql("truncate t; drop table if exists fairway_positions");
        let dead = harbour.deliver(r#""table":"t""#, &lines, size).await;
        assert_eq!(reasons(&dead), expected, "at {size}");
        assert!(dead[1].1.message.contains("(id)=(1) already exists"), "{}", dead[1].1.message);
        assert_eq!(harbour.lines("select id from t order by id"), ["1", "10"], "at {size}");
    }
    harbour.sql("truncate t; drop table fairway_positions");
    let dead = harbour.deliver(r#""table":"t","mode":"upsert","key":["id"]"#, &lines, 100).await;
    let upserted: Vec<_> = expected.iter().filter(|one| one.0 != 3).copied().collect();
    assert_eq!(reasons(&dead), upserted);
    assert_eq!(harbour.lines("select id, s from t order by id"), ["1|b", "10|g"]);
}

/// A child may come before its parent where the table says so; one without a parent goes alone.
#[tokio::test]
async fn constraints_that_wait_for_the_end_refuse_single_records() {
    let harbour = Harbour::with(
        "create table t(id int primary key, parent int references t deferrable initially deferred)",
    );
    let lines = [
        r#"{"id":1,"parent":2}"#,
        r#"{"id":2,"parent":null}"#,
        r#"{"id":3,"parent":99}"#,
        r#"{"id":4,"parent":5}"#,
        r#"{"id":5,"parent":4}"#,
        r#"{"id":6,"parent":1}"#,
    ];
    let dead = harbour.deliver(r#""table":"t""#, &lines, 100).await;
    let refused = reasons(&dead);
    assert!(refused.contains(&(3, "postgres.foreign_key", None)), "{refused:?}");
    for good in [1, 2, 6] {
        assert!(refused.iter().all(|one| one.0 != good), "{refused:?}");
    }
    assert_eq!(harbour.sql("select count(*) from t where id in (1, 2, 6)"), "3");
}

/// Faults of the target refuse nothing and pass (outages), or wait for the user.
#[tokio::test]
async fn faults_of_the_target_are_nobodys_dead_letter() {
    let harbour = Harbour::with(
        "create table t(n int); create role intern login; grant usage, create on schema public to intern;
        grant select, insert on t to intern",
    );
    let config = r#""table":"t","user":"intern""#;
    let mut sink = harbour.sink(1, config).await.unwrap();
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    harbour.sql("revoke insert on t from intern");
    let batches = [batch(&[r#"{"n":1}"#], 0)];
    let marks = [mark("", 1)];
    for _ in 0..2 {
        let error = sink.deliver(Group { batches: &batches, marks: &marks }).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Outage, "postgres.permission"), "{error}");
        assert!(error.help.is_some());
    }
    harbour.sql("grant insert on t to intern");
    sink.deliver(Group { batches: &batches, marks: &marks }).await.unwrap();
    assert_eq!(harbour.sql("select count(*) from t"), "1");
    sink.close().await.unwrap();
    harbour.sql("drop owned by intern; drop role intern");
}

/// The server takes no COPY where policies for rows hold; a row that they bar is refused alone.
#[tokio::test]
async fn policies_for_rows_refuse_single_records() {
    let harbour = Harbour::with(
        "create table t(n int); alter table t enable row level security;
        create policy small on t with check (n < 10); create role tenant login;
        grant usage, create on schema public to tenant; grant select, insert on t to tenant",
    );
    let lines = [r#"{"n":1}"#, r#"{"n":99}"#, r#"{"n":2}"#];
    let dead = harbour.deliver(r#""table":"t","user":"tenant""#, &lines, 100).await;
    assert_eq!(reasons(&dead), [(2, "postgres.policy", None)]);
    assert_eq!(harbour.lines("select n from t order by n"), ["1", "2"]);
    harbour.sql("drop owned by tenant; drop role tenant");
}
