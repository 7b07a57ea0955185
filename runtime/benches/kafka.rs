//! Kafka → cast, filter, mask, set → Kafka through the whole engine, beside a bare loop of the same client that only hands
//! each message on. A broker of its own on the same machine; its processor time is not counted.
//!
//! Then the same with positions on Kafka, as on a cluster: at least once, and exactly once, which is to cost at most an eighth more
//! processor time.
//!
//! `cargo xtask bench kafka [-- RECORDS]` (default 1 million).

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::error::Error;
use fairway_engine::files::Files;
use fairway_engine::store::{Letter, Remembered, Routed, Store, StoredMark, Totals};
use fairway_engine::task::{Control, Ended, run};
use fairway_engine::testkit::measure::by_turns;
use fairway_engine::testkit::{Bench, Drawing};
use fairway_kafka::{Access, Security};
use fairway_peers::kafka::{Kafka, Message as Sent};
use fairway_runtime::registry::Registry;
use fairway_runtime::services::kafka::Backend;
use fairway_shared::channel::Guarantee;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message as _;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use serde_json::json;

/// Uid of the channel whose positions are kept on Kafka.
const UID: &str = "bench";

fn main() {
    let records: u64 = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(1_000_000);
    let kafka = Kafka::start().expect("a broker: run `cargo xtask setup`");
    let input = kafka.topic(1, &[]).expect("a topic");
    fill(&kafka, &input, records);
    by_turns(records, || bare(&kafka, &input, records), || fairway(&kafka, &input, records));
    println!(
        "\non a cluster: at least once (\"bare\"), and each record and its position in one transaction (\"fairway\")"
    );
    by_turns(
        records,
        || on_cluster(&kafka, &input, records, "plain", false),
        || on_cluster(&kafka, &input, records, "once", true),
    );
}

fn fill(kafka: &Kafka, topic: &str, records: u64) {
    let message = |n: u64| Sent {
        key: Some((n % 90_000).to_string().into_bytes()),
        ..Sent::of(format!(
            r#"{{"id":{n},"email":"c{}@example.org","created":"2024-02-{:02}T10:00:00Z","total":"{}.{:02}","city":"Bad Homburg","note":"{}"}}"#,
            n % 90_000,
            n % 28 + 1,
            n % 10_000 + 1,
            n % 100,
            "some words that make the message about two hundred bytes long",
        ))
    };
    for first in (0..records).step_by(50_000) {
        let part: Vec<Sent> = (first..(first + 50_000).min(records)).map(message).collect();
        kafka.send(topic, &part).expect("messages are sent");
    }
}

fn drawing(kafka: &Kafka, input: &str, output: &str) -> Drawing {
    let registry = Registry::standard();
    let component = |name: &str| *registry.get(name).expect("a component of the registry");
    let mut drawing = Drawing::new()
        .node("read", component("kafka_source"), json!({ "brokers": kafka.address(), "topics": [input] }))
        .node(
            "cast",
            component("cast_fields"),
            json!({ "fields": [
                { "field": "total", "type": "decimal" },
                { "field": "created", "type": "timestamp" },
            ] }),
        )
        .node(
            "keep",
            component("filter_records"),
            json!({ "rules": [{ "field": "total", "op": "gt", "value": 0 }] }),
        )
        .node("mask", component("mask_fields"), json!({ "fields": ["email"], "method": "redact" }))
        .node("set", component("set_fields"), json!({ "fields": { "channel": "web" } }))
        .node("write", component("kafka_sink"), json!({ "brokers": kafka.address(), "topic": output }))
        .edges(&["read>cast", "cast>keep", "keep>mask", "mask>set", "set>write"]);
    drawing.0.until_caught_up = true;
    drawing
}

fn fairway(kafka: &Kafka, input: &str, records: u64) {
    let output = kafka.topic(1, &[]).expect("a topic");
    let drawing = drawing(kafka, input, &output);
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let mut bench = Bench::default();
    let ended = runtime.block_on(bench.run(&drawing));
    assert!(matches!(ended, Ok(Ended::Completed)), "{ended:?}");
    let counts = bench.store.totals().counts;
    assert_eq!((counts.read, counts.dead_lettered), (records, 0));
    kafka.delete_topic(&output).expect("the bench's own topic");
}

/// Positions of a task, as a worker of a cluster keeps them.
struct OnKafka {
    backend: Backend,
    task: String,
}

#[async_trait]
impl Store for OnKafka {
    async fn begin(&self) -> Result<Remembered, Error> {
        let generation = self.backend.positions.begin(UID, &self.task).await?;
        Ok(Remembered { generation, ..Remembered::default() })
    }

    async fn commit(&self, generation: u64, marks: &[StoredMark], totals: &Totals) -> Result<(), Error> {
        Ok(self.backend.positions.commit(UID, &self.task, generation, marks, totals).await.map(drop)?)
    }

    async fn set_aside(&self, letters: Vec<Letter>) -> Result<(), Error> {
        panic!("no record of the bench is refused, and {} were", letters.len())
    }

    async fn note_routed(&self, _: Vec<Routed>) -> Result<(), Error> {
        Ok(())
    }

    async fn forget_routed(&self, _: Vec<Routed>) -> Result<(), Error> {
        Ok(())
    }
}

fn on_cluster(kafka: &Kafka, input: &str, records: u64, task: &str, once: bool) {
    let output = kafka.topic(1, &[]).expect("a topic");
    let mut drawing = drawing(kafka, input, &output);
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let access = Access::new(kafka.address(), &Security::default(), &Files::open(".")).expect("settings");
        let backend = Backend::open(&access, "bench").await.expect("a cluster");
        (drawing.0.uid, drawing.0.id) = (UID.into(), task.to_owned());
        if once {
            let sink = drawing.0.nodes.last_mut().expect("it ends with a sink");
            sink.config["exactly_once"] = json!(true);
            sink.component.meta.delivery = Guarantee::ExactlyOnce;
            sink.joint = Some(backend.streams.once(task, sink.config.clone()));
        }
        let store = Arc::new(OnKafka { backend, task: task.to_owned() });
        let ended = run(drawing.0, store.clone(), Arc::default(), Control::default()).await;
        assert!(matches!(ended, Ok(Ended::Completed)), "{ended:?}");
        let counts = store.backend.positions.totals(UID).await.expect("they are known").counts;
        assert_eq!((counts.read, counts.dead_lettered), (records, 0));
        store.backend.positions.forget(UID).await.expect("nothing is left behind");
    });
    kafka.delete_topic(&output).expect("the bench's own topic");
}

/// The same client settings, each message handed on as it is, all confirmed at the end.
fn bare(kafka: &Kafka, input: &str, records: u64) {
    let output = kafka.topic(1, &[]).expect("a topic");
    let mut client = ClientConfig::new();
    client.set("bootstrap.servers", kafka.address());
    let consumer: BaseConsumer = client
        .clone()
        .set("group.id", "bare")
        .set("enable.auto.commit", "false")
        .set("queued.max.messages.kbytes", "16384")
        .set("fetch.queue.backoff.ms", "5")
        .create()
        .expect("a consumer");
    let producer: BaseProducer = client
        .set("enable.idempotence", "true")
        .set("compression.type", "lz4")
        .set("linger.ms", "2")
        .set("queue.buffering.max.messages", "200000")
        .create()
        .expect("a producer");
    let mut all = TopicPartitionList::new();
    all.add_partition_offset(input, 0, Offset::Offset(0)).expect("an offset");
    consumer.assign(&all).expect("a partition");
    let mut read = 0;
    while read < records {
        let Some(Ok(message)) = consumer.poll(Duration::from_millis(100)) else { continue };
        let mut record: BaseRecord<'_, [u8], [u8]> = BaseRecord::to(&output);
        record.key = message.key();
        record.payload = message.payload();
        while let Err((_, back)) = producer.send(record) {
            record = back;
            producer.poll(Duration::ZERO);
            std::thread::sleep(Duration::from_millis(1));
        }
        read += 1;
        if read.is_multiple_of(1000) {
            producer.poll(Duration::ZERO);
        }
    }
    while producer.in_flight_count() > 0 {
        producer.poll(Duration::ZERO);
        std::thread::sleep(Duration::from_millis(1));
    }
    kafka.delete_topic(&output).expect("the bench's own topic");
}
