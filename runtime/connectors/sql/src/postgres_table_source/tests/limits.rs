//! What is bounded: how long a query goes on when nobody waits for it, and how large a record may be.

use std::time::{Duration, Instant};

use fairway_engine::files::Files;
use fairway_engine::probe::SampleCtx;

use super::Base;
use crate::testing::component;

/// Waits until nobody but the witness has a session in the database.
fn until_nobody_is_left(base: &Base) {
    let until = Instant::now() + Duration::from_secs(30);
    let sessions = "select count(*) from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and backend_type = 'client backend'";
    while base.run(sessions) != "0" {
        assert!(Instant::now() < until, "a session is left behind");
        std::thread::sleep(Duration::from_millis(20));
    }
}

const ENDLESS: &str = r#""mode":"query","query":"select 1 as a from pg_sleep(3600)""#;

#[tokio::test(flavor = "multi_thread")]
async fn a_query_ends_with_the_preview_that_asked_it() {
    let base = Base::with("select 1");
    let config = serde_json::from_str(&format!("{{\"url\":\"{}\",{ENDLESS}}}", base.url())).unwrap();
    let cx = SampleCtx {
        uid: "u1".into(),
        node: "in".into(),
        files: Files::open("."),
        wanted: 5,
        deadline: Duration::from_millis(400),
    };
    let late = component("postgres_table_source").sample.unwrap()(config, cx).await.unwrap_err();
    assert_eq!(late.code, "preview.no_record_in_time");
    until_nobody_is_left(&base);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_ends_with_its_channel() {
    let base = Base::with("select 1");
    let mut driven = base.open(ENDLESS, Vec::new()).await;
    let asked = async {
        while base.run("select count(*) from pg_stat_activity where query like 'COPY%pg_sleep%'") != "1" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let asked = tokio::time::timeout(Duration::from_secs(60), asked);
    tokio::select! {
        _ = driven.source.next() => panic!("it never answers"),
        asked = asked => asked.expect("the server is asked"),
    }
    driven.source.close().await;
    drop(driven);
    until_nobody_is_left(&base);
}

#[tokio::test]
async fn a_record_that_is_too_long_is_refused_and_its_long_value_is_never_read() {
    let base = Base::with(
        "create domain tale as text;
        create table t(id int primary key, s tale, j jsonb, b bytea, l text[]);
        insert into t values (1, 'short', '{}', 'x', '{a}'),
            (2, repeat('x', 50000000), null, null, null),
            (3, 's', (select jsonb_agg(n) from generate_series(1, 5000) n), null, null),
            (4, 's', null, convert_to(repeat('x', 5000), 'UTF8'), null),
            (5, 's', null, null, (select array_agg(n::text) from generate_series(1, 5000) n)),
            (6, repeat('x', 800), to_jsonb(repeat('y', 800)), 'kept', null),
            (7, repeat('x', 1024), null, null, null)",
    );
    for config in [r#""tables":["t"]"#, r#""mode":"query","query":"select * from t","key":["id"]"#] {
        let config = format!("{config},\"max_record_bytes\":1100");
        let mut driven = base.open(&config, Vec::new()).await;
        let read = driven.read().await.unwrap();
        assert_eq!(read.len(), 2, "{config}: 1 and 7");
        let found: Vec<(&str, Option<&str>)> =
            driven.dead.iter().map(|error| (error.code, error.field.as_deref())).collect();
        let long = |field| ("table.record_too_long", field);
        let expected = [long(Some("s")), long(Some("j")), long(Some("b")), long(Some("l")), long(None)];
        assert_eq!(found, expected, "{config}");
        let (again, _) = base.read(&config, driven.marks.clone()).await;
        assert!(again.is_empty(), "{config}: what is refused is passed");
    }
}
