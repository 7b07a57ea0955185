use std::collections::BTreeMap;
use std::time::Duration;

use fairway_engine::source::Next;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SINK, shelf};
use serde_json::json;
use tokio::time::Instant;

use crate::REGISTRY;
use crate::testing::{drain, issues, source};

const NAME: &str = "generate_source";

async fn lines(config: &str, from: u64) -> Vec<String> {
    drain(&mut *source(NAME, config, from).await.unwrap(), from).await
}

#[tokio::test]
async fn a_record_depends_on_seed_and_order_alone() {
    let all = lines(r#"{"count":100}"#, 0).await;
    assert_eq!(all.len(), 100);
    for batch in [1, 2, 100] {
        for from in [0, 1, 63, 99, 100, 200] {
            let rest = lines(&format!(r#"{{"count":100,"batch":{batch}}}"#), from).await;
            assert_eq!(rest, all[all.len().min(from as usize)..], "behind {from} in batches of {batch}");
        }
    }
    assert_ne!(lines(r#"{"count":100,"seed":1}"#, 0).await, all);
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), 100);
}

#[tokio::test]
async fn a_release_does_not_change_the_records() {
    let config = r#"{"count":2,"seed":18446744073709551615,"fields":{
        "a":{"sequence":{"start":9223372036854775807,"step":1}},"b":{"integer":{"min":-9223372036854775808,"max":9223372036854775807}},
        "c":{"decimal":{"min":-1,"max":1,"scale":9}},"d":{"choice":{"values":[null,1.50,{"x":[1e400]}]}},"e":{"text":{"words":2}},
        "f":"boolean","g":{"timestamp":{"start":"2026-01-01T00:00:00.5+02:00","step_ms":1}},"h":"uuid"}}"#;
    let found = lines(config, 0).await;
    assert_eq!(
        found,
        [
            r#"{"a":9223372036854775807,"b":-7538938316478502100,"c":0.038116300,"d":null,"e":"channel strait","f":false,"g":"2026-01-01T00:00:00.500000+02:00","h":"614f7290-3e4b-4fd1-a377-f41afdd0948e"}"#,
            r#"{"a":9223372036854775808,"b":-7291440131135386634,"c":0.010081117,"d":{"x":[1e400]},"e":"jetty keel","f":true,"g":"2026-01-01T00:00:00.501000+02:00","h":"a55b1e7f-2e03-447b-a4a0-f49ef2723ee6"}"#
        ]
    );
}

#[tokio::test]
async fn fields_do_not_disturb_each_other() {
    let one = lines(r#"{"count":9,"fields":{"x":{"integer":{}}}}"#, 0).await;
    let two = lines(r#"{"count":9,"fields":{"a":"uuid","x":{"integer":{}}}}"#, 0).await;
    for (one, two) in one.iter().zip(&two) {
        let x = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["x"].clone();
        assert_eq!(x(one), x(two));
    }
}

#[tokio::test]
async fn chance_reaches_every_value() {
    let config = r#"{"count":6000,"seed":3,"fields":{"eyes":{"integer":{"min":1,"max":6}}}}"#;
    let mut counted = BTreeMap::<String, usize>::new();
    lines(config, 0).await.into_iter().for_each(|line| *counted.entry(line).or_default() += 1);
    assert_eq!(counted.len(), 6);
    assert!(counted.values().all(|times| (800..1200).contains(times)), "{counted:?}");
}

#[tokio::test(start_paused = true)]
async fn a_rate_is_kept_and_lost_time_is_not_made_up_for() {
    for rate in [0.5, 10.0, 1000.0, 5000.0] {
        let begin = Instant::now();
        let count = (rate * 20.0) as u64;
        let found = lines(&format!(r#"{{"count":{count},"rate":{rate}}}"#), 0).await;
        assert_eq!(found.len() as u64, count);
        let seconds = begin.elapsed().as_secs_f64();
        assert!((17.9..20.2).contains(&seconds), "{count} records at {rate} took {seconds} s");
    }
    let mut source = source(NAME, r#"{"rate":100}"#, 0).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let Next::Batch(polled) = source.next().await.unwrap() else { panic!("a batch is due") };
    assert_eq!(polled.batch.len(), 100);
    let Next::Batch(polled) = source.next().await.unwrap() else { panic!("the next one comes in time") };
    assert!((1..=10).contains(&polled.batch.len()), "{}", polled.batch.len());
}

#[tokio::test]
async fn large_records_come_in_small_batches() {
    let text = "x".repeat(1 << 20);
    let config = json!({"count": 10, "fields": {"x": {"choice": {"values": [text]}}}}).to_string();
    let mut source = source(NAME, &config, 0).await.unwrap();
    let Next::Batch(polled) = source.next().await.unwrap() else { panic!("there are records") };
    assert!((1..=5).contains(&polled.batch.len()), "{} records", polled.batch.len());
}

#[tokio::test]
async fn settings_that_cannot_work_are_named() {
    for (config, field) in [
        (r#"{"fields":{}}"#, "fields"),
        (r#"{"rate":0}"#, "rate"),
        (r#"{"fields":{"a":{"integer":{"min":2,"max":1}}}}"#, "fields.a.integer.min"),
        (r#"{"fields":{"a":{"decimal":{"min":2,"max":1}}}}"#, "fields.a.decimal.min"),
        (r#"{"fields":{"a":{"decimal":{"max":99999999999,"scale":9}}}}"#, "fields.a.decimal.scale"),
        (r#"{"fields":{"a":{"choice":{"values":[]}}}}"#, "fields.a.choice.values"),
        (r#"{"fields":{"a":{"timestamp":{"start":"2026-02-30T00:00:00Z"}}}}"#, "fields.a.timestamp.start"),
    ] {
        assert_eq!(issues(NAME, config), [field], "{config}");
        assert!(source(NAME, config, 0).await.is_err(), "{config}");
    }
}

#[tokio::test]
async fn a_killed_run_goes_on_where_it_was() {
    let generate = *REGISTRY.iter().find(|component| component.meta.name == NAME).unwrap();
    let config = json!({"count": 3000, "batch": 10, "fields": {"n": {"sequence": {}}}});
    let drawing = Drawing::new()
        .node("in", generate, config)
        .node("out", MEMORY_SINK, json!({"shelf": "generated"}))
        .edges(&["in>out"])
        .groups_of(10);
    let mut bench = Bench::default();
    for _ in 0..3 {
        bench.crash_after(&drawing, Duration::from_millis(3)).await;
    }
    bench.run(&drawing).await.unwrap();
    assert_eq!(shelf("generated").numbers(), (1..=3000).collect::<Vec<_>>());
}
