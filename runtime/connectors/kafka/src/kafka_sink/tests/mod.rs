//! `kafka_sink` over a real broker: what lies in the topic afterwards, as a bare client sees it.

use std::time::Duration;

use fairway_engine::testkit::Bench;
use fairway_peers::kafka::{self, Kafka, Message};
use serde_json::{Value, json};

use crate::testing::{Beside, caught_up, component, numbered, to_topic, until};

/// Sends messages through source and sink, and answers what comes out and which codes were refused.
async fn through(
    kafka: &Kafka,
    messages: &[Message],
    source: Value,
    sink: Value,
) -> (Vec<Message>, Vec<String>) {
    let from = kafka.topic(1, &[]).unwrap();
    kafka.send(&from, messages).unwrap();
    let mut named = json!({ "topics": [from] });
    named.as_object_mut().unwrap().extend(source.as_object().unwrap().clone());
    let mut bench = Bench::default();
    bench.run(&caught_up(to_topic(kafka, named, sink.clone()))).await.unwrap();
    let codes = bench.store.letters().into_iter().map(|letter| letter.cause.code).collect();
    (sink["topic"].as_str().map_or_else(Vec::new, |topic| kafka.read(topic).unwrap()), codes)
}

fn texts(messages: &[Message]) -> Vec<(Option<&str>, Option<&str>)> {
    fn text(bytes: &Option<Vec<u8>>) -> Option<&str> {
        bytes.as_deref().map(|bytes| std::str::from_utf8(bytes).unwrap())
    }
    messages.iter().map(|message| (text(&message.key), text(&message.value))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_come_from_fields_and_tombstones_stay() {
    let kafka = kafka::shared();
    let sent = [
        Message { key: Some(b"old".to_vec()), ..Message::of(r#"{"id":12345678901234567890,"s":"x"}"#) },
        Message { key: Some(b"gone".to_vec()), ..Message::default() },
        Message::of(r#"{"s":1.50}"#),
    ];
    let to = kafka.topic(1, &[]).unwrap();
    let (got, _) = through(kafka, &sent, json!({}), json!({ "topic": to, "key_fields": ["id"] })).await;
    let expected = [
        (Some("12345678901234567890"), Some(r#"{"id":12345678901234567890,"s":"x"}"#)),
        (None, None),
        (None, Some(r#"{"s":1.50}"#)),
    ];
    assert_eq!(texts(&got), expected);

    let to = kafka.topic(1, &[]).unwrap();
    let sink = json!({ "topic": to, "key_fields": ["id", "s"] });
    let (got, _) = through(kafka, &sent[..1], json!({}), sink).await;
    assert_eq!(texts(&got)[0].0, Some(r#"{"id":12345678901234567890,"s":"x"}"#));

    // Without key fields the key stays, and so does the time.
    let to = kafka.topic(1, &[("cleanup.policy", "compact")]).unwrap();
    let timed: Vec<Message> =
        sent[..2].iter().map(|one| Message { time: 1_600_000_000_000, ..one.clone() }).collect();
    let (got, _) = through(kafka, &timed, json!({}), json!({ "topic": to })).await;
    assert_eq!(texts(&got), [(Some("old"), expected[0].1), (Some("gone"), None)]);
    assert!(got.iter().all(|message| message.time == 1_600_000_000_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_topic_does_not_take_is_refused_and_its_neighbours_go_on() {
    let kafka = kafka::shared();
    let small = kafka.topic(1, &[("max.message.bytes", "2000"), ("cleanup.policy", "compact")]).unwrap();
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(3000));
    let mut sent: Vec<Message> = numbered(0, 300, 1);
    sent[100].value = Some(long.into_bytes());
    sent[200].key = None;
    let (got, mut codes) = through(kafka, &sent, json!({}), json!({ "topic": small })).await;
    codes.sort();
    assert_eq!(codes, ["kafka.key_needed", "kafka.too_large"]);
    let values: Vec<&Option<Vec<u8>>> = got.iter().map(|message| &message.value).collect();
    let expected: Vec<&Option<Vec<u8>>> = sent
        .iter()
        .enumerate()
        .filter(|(n, _)| ![100, 200].contains(n))
        .map(|(_, message)| &message.value)
        .collect();
    assert!(values == expected, "{} messages", values.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_names_the_topic_and_what_is_missing_is_made() {
    let kafka = kafka::shared();
    let value = |to: &str| Message::of(format!("{{\"to\":\"{to}\"}}"));
    let sent =
        [value("made-a"), value("made-b"), value("no topic"), value("made-a"), Message::of("{\"to\":5}")];
    let sink = json!({ "topic_field": "to", "create_topic": true, "partitions": 2 });
    let (_, codes) = through(kafka, &sent, json!({}), sink).await;
    assert_eq!(codes, ["kafka.bad_topic", "kafka.bad_topic"]);
    assert_eq!(kafka.read("made-a").unwrap().len(), 2);
    assert_eq!(kafka.read("made-b").unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn formats_and_compressions_all_arrive() {
    let kafka = kafka::shared();
    let sent = [Message::of("some text"), Message::of("")];
    for compression in ["none", "gzip", "snappy", "lz4", "zstd"] {
        let to = kafka.topic(1, &[]).unwrap();
        let sink =
            json!({ "topic": to, "value_format": "string", "compression": compression, "time": "now" });
        let (got, _) = through(kafka, &sent, json!({ "value_format": "string" }), sink).await;
        assert_eq!(texts(&got), [(None, Some("some text")), (None, Some(""))], "{compression}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_topic_is_waited_for() {
    let kafka = kafka::shared();
    let from = kafka.topic(1, &[]).unwrap();
    kafka.send(&from, &numbered(0, 10, 1)).unwrap();
    let drawing = to_topic(kafka, json!({ "topics": [from] }), json!({ "topic": "sink-comes-later" }));
    let running = Beside::start(&Bench::default(), drawing);
    tokio::time::sleep(Duration::from_millis(300)).await;
    kafka.create_topic("sink-comes-later", 1, &[]).unwrap();
    let bench = running.bench.clone();
    until("all is delivered", || bench.store.marks().iter().any(|mark| mark.position.order == 10)).await;
    running.stop().await.unwrap();
    assert_eq!(kafka.read("sink-comes-later").unwrap().len(), 10);
}

/// The broker is killed while it is written to: nothing is lost, and since the process lives on, nothing is doubled and
/// the order of a partition is kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_gets_everything_once_and_in_order() {
    let (messages, kills) = fairway_engine::testkit::counts((20_000i64, 1), (500_000, 10));
    let mut kafka = Kafka::start().unwrap();
    let (from, to) = (kafka.topic(1, &[]).unwrap(), kafka.topic(1, &[]).unwrap());
    kafka.send(&from, &numbered(0, messages, 1)).unwrap();
    let mut drawing = to_topic(&kafka, json!({ "topics": [from] }), json!({ "topic": to })).groups_of(500);
    drawing.0.give_up = None;
    let running = Beside::start(&Bench::default(), drawing);
    let bench = running.bench.clone();
    let reached = |order: u64| bench.store.marks().iter().any(|mark| mark.position.order >= order);
    for kill in 1..=kills {
        let order = u64::try_from(messages / (kills + 1) * kill / 2).unwrap();
        until("some of it is delivered", || reached(order)).await;
        kafka.kill().unwrap();
        kafka.start_again().unwrap();
    }
    until("all is delivered", || reached(messages as u64)).await;
    running.stop().await.unwrap();
    let got = kafka.read(&to).unwrap();
    let expected = numbered(0, messages, 1);
    assert_eq!(got.len(), expected.len());
    assert!(got.iter().zip(&expected).all(|(got, sent)| got.value == sent.value && got.key == sent.key));
}

#[test]
fn says_what_does_not_fit_together() {
    let sink = component("kafka_sink");
    let check =
        |config| sink.check(&config).unwrap().into_iter().map(|issue| issue.field).collect::<Vec<_>>();
    assert_eq!(check(json!({})), ["brokers", "topic"]);
    assert_eq!(check(json!({ "brokers": "h:1", "topic": ".." })), ["topic"]);
    assert!(check(json!({ "connection": "bus", "topic_field": "to" })).is_empty());
}
