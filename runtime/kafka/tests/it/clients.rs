//! Reading and writing by hand.

use std::time::{Duration, Instant};

use fairway_kafka::consumer::{From, Out, Reading};
use fairway_kafka::producer::{OutHeaders, Outgoing, Writing};
use fairway_kafka::{Consumer, Producer};
use fairway_peers::kafka::{self, Message};

use crate::{access, access_to};

#[tokio::test(flavor = "multi_thread")]
async fn a_partition_says_when_it_has_something() {
    let kafka = kafka::shared();
    let topic = kafka.topic(2, &[]).unwrap();
    kafka.send(&topic, &[Message::of("a")]).unwrap();
    let reading = Reading { group: "g".into(), read_committed: true, ahead_bytes: 1 << 20, partitions: 2 };
    let begun = Instant::now();
    let mut consumer = Consumer::new(&access(), &reading).unwrap();
    let topic: std::sync::Arc<str> = topic.as_str().into();
    consumer.add(&[(topic.clone(), 0, From::Offset(0)), (topic.clone(), 1, From::First)]).unwrap();
    let (mut messages, mut ends) = (0, 0);
    while messages < 1 || ends < 2 {
        consumer.wait(Duration::from_secs(5)).await;
        while let Some(index) = consumer.take_ready() {
            while let Some(out) = consumer.poll(index) {
                match out {
                    Out::Message(message) => {
                        assert_eq!((index, message.offset(), message.value()), (0, 0, Some(&b"a"[..])));
                        messages += 1;
                    }
                    Out::End => ends += 1,
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{messages} messages, {ends} ends");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offset_that_is_not_there_is_told_and_never_replaced() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &[Message::of("a"), Message::of("b")]).unwrap();
    kafka.delete_before(&topic, 0, 1).unwrap();
    for offset in [0, 5] {
        let reading =
            Reading { group: "g".into(), read_committed: true, ahead_bytes: 1 << 20, partitions: 1 };
        let mut consumer = Consumer::new(&access(), &reading).unwrap();
        consumer.add(&[(topic.as_str().into(), 0, From::Offset(offset))]).unwrap();
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < Duration::from_secs(20), "nothing was told");
            consumer.wait(Duration::from_secs(1)).await;
            let Some(index) = consumer.take_ready() else { continue };
            match consumer.poll(index) {
                Some(Out::OutOfRange) => break,
                None => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Dropping waits for threads; it must hold up nobody, not even when no broker was ever there.
#[tokio::test]
async fn clients_are_let_go_at_once() {
    let port = fairway_peers::free_port().unwrap();
    let nowhere = access_to(&format!("127.0.0.1:{port}"));
    let reading = Reading { group: "g".into(), read_committed: true, ahead_bytes: 1 << 20, partitions: 1 };
    let mut consumer = Consumer::new(&nowhere, &reading).unwrap();
    consumer.add(&[("t".into(), 0, From::First)]).unwrap();
    let writing = Writing {
        compression: "lz4",
        max_message_bytes: 1_000_000,
        batch_bytes: 1_000_000,
        queue_bytes: 1 << 20,
    };
    let producer = Producer::new(&nowhere, &writing).unwrap();
    let message = Outgoing { topic: "t", key: None, value: Some(b"v"), time: None };
    producer.send(1, message, OutHeaders::default()).unwrap();
    let begun = Instant::now();
    drop((consumer, producer));
    assert!(begun.elapsed() < Duration::from_millis(100), "{:?}", begun.elapsed());
}
