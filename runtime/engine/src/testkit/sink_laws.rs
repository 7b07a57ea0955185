//! What every target must hold to, whichever it is: the suite that a registry runs over all of them.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use fairway_shared::channel::Guarantee;
use serde_json::{Value, json};

use super::faulty::{Fault, faulty};
use super::{Bench, Drawing, MEMORY_SOURCE};
use crate::component::Component;
use crate::error::Kind;
use crate::task::Ended;

/// Records of one run: each has a field `n` that counts from 1.
const COUNT: i64 = 60;

/// How a target is set up and looked at from outside.
#[async_trait]
pub trait SinkFixture: Send + Sync {
    /// The target.
    fn component(&self) -> Component;

    /// Settings for a target of its own, empty.
    async fn fresh(&self) -> Value;

    /// The numbers that arrived there, in order where there is one.
    async fn numbers(&self, config: &Value) -> Vec<i64>;
}

/// Runs every law.
///
/// # Panics
/// If the target breaks one, saying which.
pub async fn sink_conforms(fixture: &dyn SinkFixture) {
    groups_of_any_size_give_one_result(fixture).await;
    every_hand_over_may_fail(fixture).await;
    if fixture.component().meta.delivery == Guarantee::ExactlyOnce {
        the_target_knows_when_the_store_forgot(fixture).await;
    }
}

async fn groups_of_any_size_give_one_result(fixture: &dyn SinkFixture) {
    for size in [1, 2, 100] {
        let config = fixture.fresh().await;
        let drawing = drawing(fixture.component(), config.clone(), 7).groups_of(size);
        let ended = Bench::default().run(&drawing).await;
        let name = fixture.component().meta.name;
        assert!(matches!(ended, Ok(Ended::Completed)), "{name}, groups of {size}: {ended:?}");
        check(fixture, &config, &format!("groups of {size}"), Guarantee::ExactlyOnce).await;
    }
}

/// Kills, panics and outages before and after the target has a group: nothing is lost, and nothing doubled where the
/// target promises that.
async fn every_hand_over_may_fail(fixture: &dyn SinkFixture) {
    let promise = fixture.component().meta.delivery;
    for fault in [Fault::Outage, Fault::Panic, Fault::Hang] {
        for after in [false, true] {
            for at in [1, 4] {
                let config = fixture.fresh().await;
                let (component, wrapped, script) = faulty(fixture.component(), &config, fault, after, at);
                let drawing = drawing(component, wrapped, 10).groups_of(10);
                let bench = Bench::default();
                let what = format!("{fault:?} {} delivery {at}", if after { "after" } else { "before" });
                let mut starts = 0;
                loop {
                    starts += 1;
                    assert!(starts < 5, "{}: {what}: does not get over it", fixture.component().meta.name);
                    let running = tokio::spawn({
                        let (mut bench, drawing) = (bench.clone(), drawing.clone());
                        async move { bench.run(&drawing).await }
                    });
                    let stop = running.abort_handle();
                    let ended = tokio::select! {
                        ended = running => ended,
                        () = script.hung() => {
                            stop.abort();
                            continue;
                        }
                    };
                    match ended {
                        Ok(Ok(Ended::Completed)) => break,
                        Ok(Err(error)) if error.kind == Kind::Failed => {}
                        other => panic!("{}: {what}: {other:?}", fixture.component().meta.name),
                    }
                }
                assert!(script.happened(), "{what}: it never came to that");
                bench.control.abort();
                check(fixture, &config, &what, promise).await;
            }
        }
    }
}

/// Positions were restored from an older copy, or never written: the target's own say what it has.
async fn the_target_knows_when_the_store_forgot(fixture: &dyn SinkFixture) {
    let config = fixture.fresh().await;
    let drawing = drawing(fixture.component(), config.clone(), 10);
    let mut bench = Bench::default();
    for _ in 0..2 {
        let ended = bench.run(&drawing).await;
        assert!(matches!(ended, Ok(Ended::Completed)), "{ended:?}");
        bench.store.forget_marks();
    }
    check(fixture, &config, "the store forgot", Guarantee::ExactlyOnce).await;
}

fn drawing(component: Component, config: Value, batch: u64) -> Drawing {
    let mut drawing = Drawing::new()
        .node("numbers", MEMORY_SOURCE, json!({ "count": COUNT, "batch": batch }))
        .node("target", component, config)
        .edges(&["numbers>target"]);
    drawing.0.give_up = Some(Duration::from_secs(30));
    drawing
}

async fn check(fixture: &dyn SinkFixture, config: &Value, what: &str, promise: Guarantee) {
    let found = fixture.numbers(config).await;
    let mut counted: BTreeMap<i64, usize> = BTreeMap::new();
    found.iter().for_each(|n| *counted.entry(*n).or_default() += 1);
    let lost: Vec<i64> = (1..=COUNT).filter(|n| !counted.contains_key(n)).collect();
    let doubled: Vec<_> = counted.iter().filter(|(_, times)| **times > 1).map(|(n, _)| n).collect();
    let name = fixture.component().meta.name;
    assert!(lost.is_empty(), "{name}: {what}: lost {lost:?}");
    assert!(counted.len() == COUNT as usize, "{name}: {what}: strangers among {counted:?}");
    assert!(doubled.is_empty() || promise == Guarantee::AtLeastOnce, "{name}: {what}: doubled {doubled:?}");
}
