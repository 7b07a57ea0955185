//! What is no record, and what is null: cases 042 and 043.

use fairway_engine::component::Component;
use fairway_engine::data::json_write::write_record;
use fairway_engine::data::{Batch, Value as Cell};
use fairway_engine::testkit::{Bench, shelf};
use fairway_peers::kafka::{self, Kafka, Message};
use fairway_shared::channel::ErrorPolicy;
use serde_json::json;

use super::read;
use crate::testing::{caught_up, to_shelf, to_topic};

fn lines(batch: &Batch) -> Vec<String> {
    let line = |record| {
        let mut out = Vec::new();
        write_record(&record, &mut out);
        String::from_utf8(out).unwrap()
    };
    batch.records().map(line).collect()
}

/// The eight messages of case 042.
fn case_042() -> Vec<Message> {
    let bytes = |bytes: &[u8]| Some(bytes.to_vec());
    let header = |name: &str, value: Option<&[u8]>| (name.to_owned(), value.map(<[u8]>::to_vec));
    let message = |key: Option<Vec<u8>>, value: Option<Vec<u8>>, headers| Message {
        key,
        value,
        headers,
        time: 1_700_000_000_123,
        ..Message::default()
    };
    let several = vec![
        header("h", Some(b"a")),
        header("h", Some(b"b")),
        header("empty", Some(b"")),
        header("nil", None),
    ];
    vec![
        message(None, bytes(b"{\"v\":1}"), vec![]),
        message(bytes(b""), bytes(b"{\"v\":2}"), vec![]),
        message(bytes(b"1"), bytes(b"{\"id\":1,\"v\":3}"), several),
        message(bytes(b"2"), bytes(b"{\"id\":2,\"v\":4}"), vec![]),
        message(bytes(b"1"), None, vec![header("why", Some(b"del"))]),
        message(bytes(b"3"), bytes(b""), vec![]),
        message(bytes(b"\x00\xff"), bytes(b"\xff\xfe"), vec![header("\u{fc}n\u{ef}", Some(b"\x00\xff"))]),
        message(None, None, vec![]),
    ]
}

/// Case 042, part A: what comes out is byte for byte what went in.
#[tokio::test(flavor = "multi_thread")]
async fn nulls_empties_and_headers_pass_unchanged() {
    let kafka = kafka::shared();
    let (from, to) = (kafka.topic(1, &[]).unwrap(), kafka.topic(1, &[]).unwrap());
    kafka.send(&from, &case_042()).unwrap();
    for (format, field) in [("bytes", "value"), ("bytes", "other")] {
        let source = json!({ "topics": [from], "value_format": format, "value_field": field });
        let drawing =
            to_topic(kafka, source, json!({ "topic": to, "value_format": format, "value_field": field }));
        Bench::default().run(&caught_up(drawing)).await.unwrap();
    }
    let (sent, got) = (kafka.read(&from).unwrap(), kafka.read(&to).unwrap());
    assert_eq!(sent[..], got[..8]);
    let again: Vec<Message> =
        got[8..].iter().map(|message| Message { offset: message.offset - 8, ..message.clone() }).collect();
    assert_eq!(sent, again);
}

/// Case 042, part B, as far as the source goes: tombstones are records that say so, what is no JSON is refused.
#[tokio::test(flavor = "multi_thread")]
async fn tombstones_say_so_and_an_empty_value_is_no_json() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    let messages = case_042();
    let chosen: Vec<Message> = [3, 4, 5, 6, 8].iter().map(|number| messages[number - 1].clone()).collect();
    kafka.send(&topic, &chosen).unwrap();
    let polled = read(kafka, json!({ "topics": [topic], "key_field": "key" })).await;
    let [polled] = &polled[..] else { panic!("{} batches", polled.len()) };
    let expected = [
        r#"{"id":1,"v":3,"key":"1"}"#,
        r#"{"id":2,"v":4,"key":"2"}"#,
        r#"{"key":"1","__deleted":true}"#,
        r#"{"key":null,"__deleted":true}"#,
    ];
    assert_eq!(lines(&polled.batch), expected);
    let record = polled.batch.record(0);
    assert_eq!(record.time(), Some(1_700_000_000_123_000));
    let headers: Vec<(&str, &Cell)> = record.headers().iter().map(|(name, value)| (&**name, value)).collect();
    let text = |text: &str| Cell::Str(text.into());
    assert_eq!(headers, [("h", &text("a")), ("h", &text("b")), ("empty", &text("")), ("nil", &Cell::Null)]);
    assert_eq!(
        (polled.batch.record(0).key(), polled.batch.record(3).key()),
        (Some(&text("1")), Some(&Cell::Null))
    );
    let rejects = polled.rejects.as_ref().unwrap();
    assert_eq!(rejects.errors[0].code, "kafka.bad_json");
    assert_eq!((rejects.batch.metas()[0].row, rejects.batch.metas()[0].order), (3, 4));
    assert_eq!(polled.position.order, 5);
}

const VALUES: [&str; 6] = [r#"{"n":1}"#, r#"{"n":2}"#, "not json", r#"{"n":4}"#, r#"{"n":5}"#, r#"{"n":6,"#];

fn poisoned(kafka: &Kafka, count: usize) -> String {
    let topic = kafka.topic(1, &[]).unwrap();
    let message = |value: &&str| Message { key: Some(b"k".to_vec()), ..Message::of(*value) };
    kafka.send(&topic, &VALUES[..count].iter().map(message).collect::<Vec<_>>()).unwrap();
    topic
}

/// Case 043, parts A and B: the position passes what is set aside, at the end of the topic too.
#[tokio::test(flavor = "multi_thread")]
async fn a_poison_message_is_set_aside_once() {
    let kafka = kafka::shared();
    for (count, numbers, position) in [(6, vec![1, 2, 4, 5], 6), (3, vec![1, 2], 3)] {
        let topic = poisoned(kafka, count);
        let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic] })));
        let mut bench = Bench::default();
        for _ in 0..2 {
            bench.run(&drawing).await.unwrap();
            assert_eq!(shelf(&topic).numbers(), numbers);
            let letters = bench.store.letters();
            assert_eq!(letters.len(), count - numbers.len());
            let letter = letters.iter().find(|letter| letter.key.order == 3).unwrap();
            assert_eq!(letter.cause.code, "kafka.bad_json");
            assert!(letter.cause.message.contains(&format!("topic `{topic}`, partition 0, offset 2")));
            let value = serde_json::to_value(&letter.record).unwrap();
            let shown = value.to_string();
            assert!(shown.contains("not json") && shown.contains("\"k\""), "{shown}");
            let marks = bench.store.marks();
            assert!(marks.iter().any(|mark| mark.position.order == position), "{marks:?}");
        }
    }
}

/// Case 043, part C: with dead letters off the channel stops, and says where.
#[tokio::test(flavor = "multi_thread")]
async fn a_poison_message_stops_a_channel_without_dead_letters() {
    let kafka = kafka::shared();
    let topic = poisoned(kafka, 6);
    let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic], "batch": 2 })));
    let mut bench = Bench::default();
    let error = bench.run(&drawing.policy(ErrorPolicy::Stop)).await.unwrap_err();
    assert_eq!(error.kind, fairway_engine::Kind::Refused);
    let told = error.cause().message;
    assert!(told.contains(&format!("topic `{topic}`, partition 0, offset 2")), "{told}");
    assert_eq!(shelf(&topic).numbers(), [1, 2]);
    assert!(bench.store.marks().iter().all(|mark| mark.position.order <= 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn text_that_is_none_is_refused_alone() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    // The end of the second and the beginning of the third would make a character.
    let values: [&[u8]; 4] = [b"a", b"b\xc3", b"\xa9c", "d\u{e9}".as_bytes()];
    kafka.send(&topic, &values.map(Message::of)).unwrap();
    let polled =
        read(kafka, json!({ "topics": [topic], "value_format": "string", "place_field": "at" })).await;
    let all = lines(&polled[0].batch);
    assert_eq!(all.len(), 2);
    assert!(
        all[0].starts_with(&format!(r#"{{"value":"a","at":{{"topic":"{topic}","partition":0,"offset":0"#))
    );
    assert!(all[1].starts_with("{\"value\":\"d\u{e9}\""));
    let rejects = polled[0].rejects.as_ref().unwrap();
    assert_eq!(rejects.errors.iter().map(|error| error.code).collect::<Vec<_>>(), ["kafka.not_utf8"; 2]);
    let raw: Vec<Cell> = rejects.batch.records().map(|record| record.get("raw").to_value()).collect();
    assert_eq!(raw, [Cell::Bytes(b"b\xc3".to_vec()), Cell::Bytes(b"\xa9c".to_vec())]);
}

#[test]
fn components_say_what_does_not_fit_together() {
    let source: Component = crate::testing::component("kafka_source");
    let check =
        |config| source.check(&config).unwrap().into_iter().map(|issue| issue.field).collect::<Vec<_>>();
    assert_eq!(check(json!({})), ["brokers", "topics"]);
    assert_eq!(check(json!({ "brokers": "h:1", "topics": ["a b"] })), ["topics.0"]);
    assert_eq!(check(json!({ "brokers": "h:1", "topic_pattern": "(" })), ["topic_pattern"]);
    assert_eq!(check(json!({ "brokers": "h:1", "topics": ["a"], "topic_pattern": "b" })), ["topic_pattern"]);
    let time = json!({ "brokers": "h:1", "topics": ["a"], "start": "time", "start_time": "yesterday" });
    assert_eq!(check(time), ["start_time"]);
    let tls = json!({ "brokers": "h:1", "topics": ["a"], "security": { "sasl": "plain", "user": "u" } });
    assert_eq!(check(tls), ["security.password"]);
}
