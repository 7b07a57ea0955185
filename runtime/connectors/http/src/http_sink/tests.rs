//! Requests to targets of every temper, from a running task.

mod order;
mod refusals;
mod settings;
mod tempers;
mod tls;

use std::sync::Arc;

use fairway_engine::component::Component;
use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SOURCE};
use fairway_engine::{Error, Kind};
use serde_json::{Value, json};

use crate::testing::target::{Reply, Target};

const HTTP: Component = crate::REGISTRY[1];

/// Sends numbers from 1 on to a target, with the bench that remembers.
async fn send(target: &Target, count: u64, settings: Value) -> (Result<Ended, Error>, Bench) {
    let mut bench = Bench::default();
    let ended = bench.run(&drawing(target, count, settings)).await;
    (ended, bench)
}

fn drawing(target: &Target, count: u64, mut settings: Value) -> Drawing {
    if settings.get("url").is_none() {
        settings["url"] = json!(target.url("/in"));
    }
    Drawing::new()
        .node("numbers", MEMORY_SOURCE, json!({ "count": count, "batch": 7 }))
        .node("out", HTTP, settings)
        .edges(&["numbers>out"])
}

fn completed(ended: &Result<Ended, Error>) {
    assert!(matches!(ended, Ok(Ended::Completed)), "{ended:?}");
}
