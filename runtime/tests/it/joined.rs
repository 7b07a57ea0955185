//! Channels whose tasks are joined by streams, as a controller runs them over the services of a cluster.

use std::sync::Arc;
use std::time::Duration;

use fairway_engine::component::Component;
use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_engine::testkit::{Faults, MEMORY_SINK, MEMORY_SOURCE, REFUSE_EVEN, shelf};
use fairway_runtime::controller::Controller;
use fairway_runtime::registry::Registry;
use fairway_runtime::services::{Services, kafka::Backend};
use fairway_shared::api::status::{ChannelState, ChannelStatus, TargetState};
use serde_json::{Value, json};

use crate::conformance::{open_on_kafka, sqlite};

const COMPONENTS: &[Component] = &[MEMORY_SOURCE, MEMORY_SINK, REFUSE_EVEN];
const LIMIT: Duration = Duration::from_secs(90);

/// A controller over the services of a cluster of one worker.
struct House {
    controller: Controller,
    backend: Backend,
    _local: tempfile::TempDir,
}

impl House {
    async fn new(cluster: &str) -> Self {
        let backend = open_on_kafka(cluster).await;
        backend.control.initialise(LIMIT).await.unwrap();
        let (local, dir) = sqlite().await;
        let services: Services = backend.services(None, local.cluster);
        let registry = Arc::new(Registry::of([COMPONENTS]));
        let controller = Controller::new(services, registry, Files::open("."), Hooks::default());
        Self { controller, backend, _local: dir }
    }

    async fn until(&self, uid: &str, fits: impl Fn(&ChannelStatus) -> bool) -> ChannelStatus {
        let last = std::sync::Mutex::new(None);
        let waiting = async {
            loop {
                let status = self.controller.status(uid).await.unwrap();
                if fits(&status) {
                    return status;
                }
                *last.lock().unwrap() = Some(status);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        match tokio::time::timeout(LIMIT, waiting).await {
            Ok(status) => status,
            Err(_) => panic!("it never came; last seen: {:#?}", last.lock().unwrap()),
        }
    }
}

/// Counts, refuses even numbers on the way, drops those that end with five, and goes on to two shelves.
fn forked(cluster: &str, count: u64) -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": cluster },
        "spec": {
            "nodes": [
                { "id": "count", "component": "count_source", "config": { "count": count, "batch": 130 } },
                { "id": "odd", "component": "refuse_even", "config": {} },
                { "id": "fast", "component": "shelf_sink", "config": { "shelf": format!("{cluster}-fast") } },
                { "id": "slow", "component": "shelf_sink", "config": { "shelf": format!("{cluster}-slow") } }
            ],
            "edges": [
                { "from": "count", "to": "odd" }, { "from": "odd", "to": "fast" }, { "from": "odd.out", "to": "slow" }
            ],
            "settings": { "stream": "topic" }
        }
    })
}

/// Two targets by streams: the one that is down holds nobody up and gets everything once it is back; counts are those of the drawing;
/// another process goes on where this one stopped.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn targets_go_on_alone() {
    let (cluster, count) = ("joined-channel", 2_000);
    // Of ten, five are refused and one is dropped.
    let through = count * 2 / 5;
    let (fast, slow) = (shelf("joined-channel-fast"), shelf("joined-channel-slow"));
    slow.fail(Faults { outages: usize::MAX, ..Faults::default() });
    let house = House::new(cluster).await;
    let uid = house.controller.create(&forked(cluster, count)).await.unwrap().uid;
    house.controller.deploy(&uid).await.unwrap();
    let status = house
        .until(&uid, |status| {
            let completed = |id: &str| {
                status.tasks.iter().any(|task| task.id == id && task.state == ChannelState::Completed)
            };
            fast.numbers().len() as u64 == through
                && completed("source-count")
                && status.state == ChannelState::Degraded
        })
        .await;
    assert_eq!(slow.numbers(), [0; 0]);
    let states: Vec<_> = status.tasks.iter().map(|task| (&*task.id, task.state)).collect();
    assert_eq!(
        states,
        [
            ("source-count", ChannelState::Completed),
            ("sink-fast", ChannelState::Running),
            ("sink-slow", ChannelState::Degraded)
        ]
    );
    house.controller.shut_down().await;

    slow.fail(Faults::default());
    let house = House::new(cluster).await;
    house.controller.resume().await.unwrap();
    let status = house
        .until(&uid, |status| {
            let edge =
                |to: &str| status.edges.iter().find(|edge| edge.to == to).map_or(0, |edge| edge.records);
            slow.numbers().len() as u64 == through && edge("slow") == through
        })
        .await;
    for shelf in [&fast, &slow] {
        assert!(shelf.counted().into_iter().all(|(n, times)| n % 2 == 1 && times == 1));
    }
    // I1, by what the source brought: what is in the stream is delivered.
    let counts = &status.counts;
    assert_eq!((counts.read, counts.delivered, counts.dead_lettered), (count, through, count / 2));
    let edges: Vec<_> = status.edges.iter().map(|edge| (&*edge.from, &*edge.to, edge.records)).collect();
    assert_eq!(edges, [("count", "odd", count), ("odd", "fast", through), ("odd.out", "slow", through)]);
    assert_eq!(status.nodes.keys().collect::<Vec<_>>(), ["count", "fast", "odd", "slow"]);
    assert_eq!(house.backend.dead_letters.usage(&uid).await.unwrap().letters, count / 2);

    // Started over, it brings everything once more, and nothing of before comes a third time.
    house.controller.set_target(&uid, TargetState::Stopped).await.unwrap();
    house.controller.reset(&uid).await.unwrap();
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house
        .until(&uid, |_| [&fast, &slow].iter().all(|shelf| shelf.numbers().len() as u64 == 2 * through))
        .await;
    for shelf in [&fast, &slow] {
        assert!(shelf.counted().into_values().all(|times| times == 2));
    }

    let topic = house.backend.streams.topic(&uid, "odd");
    let there = || fairway_peers::kafka::shared().read(&topic).is_ok_and(|lying| !lying.is_empty());
    assert!(there());
    house.controller.delete(&uid).await.unwrap();
    let gone = async {
        while there() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LIMIT, gone).await.expect("its stream is gone with it");
}
