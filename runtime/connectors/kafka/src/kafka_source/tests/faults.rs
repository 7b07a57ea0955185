//! Brokers and topics that go away.

use std::time::Duration;

use fairway_engine::Kind;
use fairway_engine::testkit::{Bench, shelf};
use fairway_peers::kafka::{self, Kafka};
use serde_json::json;

use crate::testing::{Beside, caught_up, each_once, numbered, to_shelf, until};

/// The broker is killed in the middle: the channel waits, says so, and goes on by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_killed_loses_nothing() {
    let mut kafka = Kafka::start().unwrap();
    let topic = kafka.topic(2, &[]).unwrap();
    kafka.send(&topic, &numbered(0, 1000, 2)).unwrap();
    let mut drawing = to_shelf(&kafka, &topic, false, json!({ "topics": [topic] }));
    drawing.0.give_up = None;
    let running = Beside::start(&Bench::default(), drawing);
    until("the first messages arrive", || shelf(&topic).numbers().len() == 1000).await;
    kafka.kill().unwrap();
    kafka.start_again().unwrap();
    kafka.send(&topic, &numbered(1000, 1000, 2)).unwrap();
    until("the rest arrives", || shelf(&topic).numbers().len() == 2000).await;
    running.stop().await.unwrap();
    each_once(&shelf(&topic), 2000);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_deleted_before_they_were_read_hold_the_channel() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &numbered(0, 100, 1)).unwrap();
    let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic] })));
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    kafka.send(&topic, &numbered(100, 100, 1)).unwrap();
    kafka.delete_before(&topic, 0, 150).unwrap();
    for _ in 0..2 {
        let error = bench.run(&drawing).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "kafka.messages_deleted"));
        assert!(error.message.contains("messages 100 to 149"), "{}", error.message);
    }
    each_once(&shelf(&topic), 100);
    // The user decides to go on with what is there.
    bench.store.reset();
    shelf(&topic).clear();
    bench.run(&drawing).await.unwrap();
    assert_eq!(shelf(&topic).numbers(), (150..200).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_made_anew_is_not_taken_for_the_old_one() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &numbered(0, 100, 1)).unwrap();
    let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic] })));
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    kafka.delete_topic(&topic).unwrap();
    let mut gone = bench.run(&drawing).await.unwrap_err();
    for _ in 0..50 {
        if gone.code == "kafka.topic_deleted" {
            break;
        }
        // The deletion takes a moment to arrive.
        tokio::time::sleep(Duration::from_millis(100)).await;
        gone = bench.run(&drawing).await.unwrap_err();
    }
    assert_eq!((gone.kind, &*gone.code), (Kind::Hold, "kafka.topic_deleted"));
    kafka.create_topic(&topic, 1, &[]).unwrap();
    kafka.send(&topic, &numbered(0, 10, 1)).unwrap();
    let anew = bench.run(&drawing).await.unwrap_err();
    assert_eq!((anew.kind, &*anew.code), (Kind::Hold, "kafka.went_back"));
    each_once(&shelf(&topic), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_deleted_under_way_holds_the_channel() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &numbered(0, 10, 1)).unwrap();
    let config = json!({ "topics": [topic], "discover_seconds": 1 });
    let running = Beside::start(&Bench::default(), to_shelf(kafka, &topic, false, config));
    until("the messages arrive", || shelf(&topic).numbers().len() == 10).await;
    kafka.delete_topic(&topic).unwrap();
    let error = running.end().await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "kafka.topic_deleted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_never_was_is_waited_for() {
    let kafka = kafka::shared();
    let topic = "comes-later";
    let running =
        Beside::start(&Bench::default(), to_shelf(kafka, topic, true, json!({ "topics": [topic] })));
    tokio::time::sleep(Duration::from_millis(500)).await;
    kafka.create_topic(topic, 1, &[]).unwrap();
    kafka.send(topic, &numbered(0, 10, 1)).unwrap();
    until("it is found", || shelf(topic).numbers().len() == 10).await;
    running.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_of_one_cluster_are_not_used_in_another() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &numbered(0, 10, 1)).unwrap();
    let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic] })));
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    let mut marks = bench.store.marks();
    for mark in &mut marks {
        mark.position.order += 1;
        mark.position.token["cluster"] = json!("another");
    }
    use fairway_engine::store::Store as _;
    let begun = bench.store.begin().await.unwrap();
    bench.store.commit(begun.generation, &marks, &Default::default()).await.unwrap();
    let error = bench.run(&drawing).await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "kafka.other_cluster"));
}
