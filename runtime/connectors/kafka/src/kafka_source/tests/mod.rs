//! `kafka_source` over a real broker.

mod damage;
mod faults;
mod places;

use std::time::Duration;

use fairway_engine::component::Opener;
use fairway_engine::files::Files;
use fairway_engine::probe::{ProbeCtx, SampleCtx};
use fairway_engine::source::{Next, Polled, Source, SourceCtx};
use fairway_peers::kafka::{self, Kafka};
use serde_json::{Value, json};

use crate::testing::{component, numbered, with};

/// The source by itself, to look at what it hands on.
async fn open(kafka: &Kafka, more: Value, until_caught_up: bool) -> Box<dyn Source> {
    let Opener::Source(open) = component("kafka_source").opener else { panic!("a source") };
    let cx = SourceCtx {
        uid: "u1".into(),
        node: "in".into(),
        share: None,
        generation: 1,
        files: Files::open("."),
        hooks: fairway_engine::hooks::Hooks::default(),
        resume: Vec::new(),
        until_caught_up,
    };
    open(with(kafka, more), cx).await.unwrap()
}

/// Everything up to its end.
async fn read(kafka: &Kafka, more: Value) -> Vec<Polled> {
    let mut source = open(kafka, more, true).await;
    let mut all = Vec::new();
    while let Next::Batch(polled) = source.next().await.unwrap() {
        all.push(polled);
    }
    source.close().await;
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_names_topics_and_says_what_is_wrong() {
    let kafka = kafka::shared();
    let topic = kafka.topic(3, &[]).unwrap();
    let probe = component("kafka_source").probe.unwrap();
    let cx = |seconds| ProbeCtx { files: Files::open("."), deadline: Duration::from_secs(seconds) };
    let found = probe(with(kafka, json!({})), cx(10)).await.unwrap();
    assert!(found.found.starts_with("Apache Kafka, brokers: 1"), "{}", found.found);
    let choice = found.choices["topics"].iter().find(|choice| choice.value == topic).unwrap();
    assert_eq!(choice.note, "3 partitions");

    let port = fairway_peers::free_port().unwrap();
    let wrong = probe(json!({ "brokers": format!("127.0.0.1:{port}") }), cx(2)).await.unwrap_err();
    assert_eq!(wrong.code, "kafka.unreachable");
    assert!(wrong.message.contains(&format!("127.0.0.1:{port}")), "{}", wrong.message);
    assert!(wrong.message.contains("refused"), "{}", wrong.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_is_taken_without_a_trace() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &numbered(0, 50, 1)).unwrap();
    let sample = component("kafka_source").sample.unwrap();
    let cx = SampleCtx {
        uid: "u1".into(),
        node: "in".into(),
        files: Files::open("."),
        wanted: 7,
        deadline: Duration::from_secs(20),
    };
    let config = with(kafka, json!({ "topics": [topic], "start": "latest", "group": "sampled" }));
    let sample = sample(config, cx).await.unwrap();
    assert_eq!(sample.len(), 7);
    assert_eq!(kafka.committed("sampled", &topic, 0).unwrap(), None);
}
