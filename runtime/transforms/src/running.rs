//! Transforms in whole drawings, with sources and targets in memory: what routes count, and what a kill does to children.

use std::collections::BTreeMap;
use std::time::Duration;

use fairway_engine::component::Component;
use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SINK, MEMORY_SOURCE, shelf};
use serde_json::{Value, json};

use crate::REGISTRY;

fn component(name: &str) -> Component {
    *REGISTRY.iter().find(|component| component.meta.name == name).unwrap()
}

fn routes() -> Value {
    json!({ "routes": [
        { "name": "small", "rules": [{ "field": "n", "op": "le", "value": 10 }] },
        { "name": "middle", "rules": [{ "field": "n", "op": "le", "value": 60 }] },
    ] })
}

fn routed(name: &str, config: Value) -> Drawing {
    Drawing::new()
        .node("numbers", MEMORY_SOURCE, json!({ "count": 100, "batch": 7 }))
        .node("route", component("route_records"), config)
        .node("low", MEMORY_SINK, json!({ "shelf": format!("{name}-low") }))
        .node("high", MEMORY_SINK, json!({ "shelf": format!("{name}-high") }))
}

/// I1: what leaves by an output from which nothing leads on was dropped by the drawing, and counts as filtered.
#[tokio::test]
async fn routes_are_outputs_and_a_loose_one_filters() {
    let drawing =
        routed("loose", routes()).edges(&["numbers>route", "route.small>low", "route.unmatched>high"]);
    let mut bench = Bench::default();
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    assert_eq!(shelf("loose-low").numbers(), (1..=10).collect::<Vec<_>>());
    assert_eq!(shelf("loose-high").numbers(), (61..=100).collect::<Vec<_>>());
    let totals = bench.store.totals();
    assert_eq!((totals.counts.read, totals.counts.delivered, totals.counts.filtered), (100, 50, 50));
    let passed = totals.nodes["route"];
    assert_eq!((passed.entered, passed.out, passed.filtered, passed.errors), (100, 50, 50, 0));
}

/// An edge names its output: that the order of routes changed must not change where it leads, and an edge that names none
/// is refused before anything runs (I8).
#[tokio::test]
async fn edges_mean_outputs_by_name() {
    let mut turned = routes();
    turned["routes"].as_array_mut().unwrap().reverse();
    let drawing =
        routed("turned", turned).edges(&["numbers>route", "route.small>low", "route.unmatched>high"]);
    Bench::default().run(&drawing).await.unwrap();
    // The first route takes all up to 60 now.
    assert_eq!(shelf("turned-low").numbers(), [0; 0]);
    let unnamed = routed("unnamed", routes()).edges(&["numbers>route", "route>low", "route.unmatched>high"]);
    let error = Bench::default().run(&unnamed).await.unwrap_err();
    assert_eq!(error.code, "task.bad_graph");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn children_are_delivered_together_whenever_it_is_killed() {
    const COUNT: i64 = 20_000;
    let drawing = Drawing::new()
        .node("numbers", MEMORY_SOURCE, json!({ "count": COUNT, "batch": 13 }))
        .node("list", component("set_fields"), json!({ "fields": { "l": [1, 2, 3] } }))
        .node("split", component("split_records"), json!({ "field": "l" }))
        .node("out", MEMORY_SINK, json!({ "shelf": "children" }))
        .groups_of(10)
        .edges(&["numbers>list", "list>split", "split>out"]);
    let mut bench = Bench::default();
    for round in 0..20u64 {
        bench.crash_after(&drawing, Duration::from_micros(400 + round * 197 % 4_000)).await;
        // A commit never falls between the children of one record, whatever groups are made of them.
        let cut: Vec<_> = shelf("children").counted().into_iter().filter(|(_, times)| *times != 3).collect();
        assert!(cut.is_empty(), "round {round}: {:?}", &cut[..cut.len().min(5)]);
    }
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    let found: BTreeMap<i64, usize> = shelf("children").counted();
    assert!(
        found.len() as i64 == COUNT && found.values().all(|times| *times == 3),
        "{} numbers",
        found.len()
    );
    let counts = bench.store.totals().counts;
    assert_eq!((counts.read, counts.delivered), (COUNT as u64, COUNT as u64), "counts are of source records");
}
