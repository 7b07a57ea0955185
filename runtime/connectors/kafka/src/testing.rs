//! Driving the components in tests: drawings over a real broker, messages sent and read by an outside witness.

use std::time::Duration;

use fairway_engine::component::Component;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SINK, PLAIN_SINK, Shelf};
use fairway_peers::kafka::{Kafka, Message};
use serde_json::{Value, json};

use crate::REGISTRY;

/// Long enough for a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn component(name: &str) -> Component {
    *REGISTRY.iter().find(|component| component.meta.name == name).unwrap()
}

/// Messages `{"n":…}` in partitions by turns, numbered from `first`.
pub(crate) fn numbered(first: i64, count: i64, partitions: i64) -> Vec<Message> {
    let one = |n: i64| Message {
        partition: i32::try_from(n % partitions).unwrap(),
        key: Some(format!("k{}", n % 7).into_bytes()),
        ..Message::of(format!("{{\"n\":{n},\"text\":\"some text that fills the message\"}}"))
    };
    (first..first + count).map(one).collect()
}

/// The settings of a component with more of them.
pub(crate) fn with(kafka: &Kafka, more: Value) -> Value {
    let mut config = json!({ "brokers": kafka.address() });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

/// From topics to a shelf that holds positions, or to one that holds none.
pub(crate) fn to_shelf(kafka: &Kafka, shelf: &str, plain: bool, more: Value) -> Drawing {
    let sink = if plain { PLAIN_SINK } else { MEMORY_SINK };
    let sized = |mut more: Value| {
        more.as_object_mut().unwrap().entry("batch").or_insert(json!(100));
        more
    };
    Drawing::new()
        .node("in", component("kafka_source"), with(kafka, sized(more)))
        .node("out", sink, json!({ "shelf": shelf }))
        .edges(&["in>out"])
}

/// From a topic to a topic.
pub(crate) fn to_topic(kafka: &Kafka, source: Value, sink: Value) -> Drawing {
    Drawing::new()
        .node("in", component("kafka_source"), with(kafka, source))
        .node("out", component("kafka_sink"), with(kafka, sink))
        .edges(&["in>out"])
}

/// The drawing as `fairway run` runs it: to the end of what is there.
pub(crate) fn caught_up(mut drawing: Drawing) -> Drawing {
    drawing.0.until_caught_up = true;
    drawing
}

/// Runs a drawing beside the test, which stops it when it has seen enough.
pub(crate) struct Beside {
    pub(crate) bench: Bench,
    running: tokio::task::JoinHandle<Result<fairway_engine::task::Ended, fairway_engine::Error>>,
}

impl Beside {
    pub(crate) fn start(bench: &Bench, drawing: Drawing) -> Self {
        let mut own = bench.clone();
        own.control = fairway_engine::task::Control::default();
        let bench = own.clone();
        let running = tokio::spawn(async move { own.run(&drawing).await });
        Self { bench, running }
    }

    pub(crate) async fn stop(self) -> Result<fairway_engine::task::Ended, fairway_engine::Error> {
        self.bench.control.stop();
        self.end().await
    }

    /// How it ends by itself.
    pub(crate) async fn end(self) -> Result<fairway_engine::task::Ended, fairway_engine::Error> {
        tokio::time::timeout(LIMIT, self.running).await.expect("it ends").unwrap()
    }
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut so: impl FnMut() -> bool) {
    let limit = std::time::Instant::now() + LIMIT;
    while !so() {
        assert!(std::time::Instant::now() < limit, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Asserts that each of the numbers came once, without printing thousands.
pub(crate) fn each_once(shelf: &Shelf, count: i64) {
    let counted = shelf.counted();
    let lost: Vec<i64> = (0..count).filter(|n| !counted.contains_key(n)).collect();
    let doubled: Vec<i64> = counted.iter().filter(|(_, times)| **times > 1).map(|(n, _)| *n).collect();
    let few = |all: &[i64]| all.iter().take(5).copied().collect::<Vec<_>>();
    assert!(lost.is_empty(), "{} lost, such as {:?}", lost.len(), few(&lost));
    assert!(doubled.is_empty(), "{} doubled, such as {:?}", doubled.len(), few(&doubled));
    assert_eq!(counted.len(), usize::try_from(count).unwrap());
}
