//! Where reading begins, goes on and ends.

use std::time::Duration;

use fairway_engine::testkit::{Bench, shelf};
use fairway_peers::kafka::{self, Message};
use fairway_shared::plan::Share;
use serde_json::json;

use crate::testing::{Beside, caught_up, each_once, numbered, to_shelf, until};

#[tokio::test(flavor = "multi_thread")]
async fn reads_all_partitions_and_goes_on_where_it_was() {
    let kafka = kafka::shared();
    let topic = kafka.topic(3, &[]).unwrap();
    let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic], "group": topic })));
    let mut bench = Bench::default();
    for (first, count) in [(0, 1000), (1000, 500), (1500, 0)] {
        kafka.send(&topic, &numbered(first, count, 3)).unwrap();
        bench.run(&drawing).await.unwrap();
        each_once(&shelf(&topic), first + count);
    }
    // Messages of a partition came in their order.
    let numbers = shelf(&topic).numbers();
    for partition in 0..3 {
        assert!(numbers.iter().filter(|n| *n % 3 == partition).is_sorted());
    }
    assert_eq!(kafka.committed(&topic, &topic, 0).unwrap(), Some(500));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_is_where_topics_ended_at_the_start() {
    let kafka = kafka::shared();
    let topic = kafka.topic(2, &[]).unwrap();
    let sent = |first| numbered(first, 100, 1);
    kafka.send(&topic, &sent(0)).unwrap();
    kafka.send_in_transaction(&topic, &sent(1000), false).unwrap();
    kafka.send_in_transaction(&topic, &sent(100), true).unwrap();
    let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic] })));
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    each_once(&shelf(&topic), 200);
    // The position is behind the mark that ends the transaction: retention may delete it.
    let orders: Vec<u64> = bench.store.marks().iter().map(|mark| mark.position.order).collect();
    assert!(orders.contains(&302), "{orders:?}");
    kafka.delete_before(&topic, 0, 302).unwrap();
    bench.run(&drawing).await.unwrap();
    each_once(&shelf(&topic), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn latest_counts_once_and_new_partitions_are_read_whole() {
    let kafka = kafka::shared();
    let topic = kafka.topic(2, &[]).unwrap();
    // Partition 0 has an old message, partition 1 is empty.
    kafka.send(&topic, &[Message::of("{\"n\":1000}")]).unwrap();
    let config = json!({ "topics": [topic], "start": "latest", "discover_seconds": 1 });
    let drawing = to_shelf(kafka, &topic, false, config);
    let bench = Bench::default();
    let running = Beside::start(&bench, drawing.clone());
    until("the beginning is remembered", || bench.store.marks().len() >= 2).await;
    running.stop().await.unwrap();
    // What came while it was away is not new to it, but it was not read either.
    kafka.send(&topic, &numbered(0, 10, 2)).unwrap();
    let running = Beside::start(&bench, drawing);
    until("both partitions go on", || shelf(&topic).numbers().len() == 10).await;
    kafka.grow_topic(&topic, 3).unwrap();
    let late: Vec<Message> =
        numbered(10, 10, 1).into_iter().map(|message| Message { partition: 2, ..message }).collect();
    kafka.send(&topic, &late).unwrap();
    until("the new partition is found", || shelf(&topic).numbers().len() == 20).await;
    running.stop().await.unwrap();
    each_once(&shelf(&topic), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn latest_in_an_empty_topic_loses_nothing_that_comes_while_it_is_away() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    let drawing = caught_up(to_shelf(kafka, &topic, false, json!({ "topics": [topic], "start": "latest" })));
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    kafka.send(&topic, &numbered(0, 5, 1)).unwrap();
    bench.run(&drawing).await.unwrap();
    each_once(&shelf(&topic), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn begins_at_a_moment() {
    let kafka = kafka::shared();
    let topic = kafka.topic(2, &[]).unwrap();
    let at = |second: i64, n: i64| Message {
        time: (1_700_000_000 + second) * 1000,
        ..Message::of(format!("{{\"n\":{n}}}"))
    };
    kafka.send(&topic, &[at(0, 100), at(10, 0), at(20, 1)]).unwrap();
    // Nothing in the other partition is young enough.
    kafka.send(&topic, &[Message { partition: 1, ..at(0, 101) }]).unwrap();
    let config = json!({ "topics": [topic], "start": "time", "start_time": "2023-11-14T22:13:25Z" });
    Bench::default().run(&caught_up(to_shelf(kafka, &topic, false, config))).await.unwrap();
    each_once(&shelf(&topic), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_finds_topics_that_are_made_later() {
    let kafka = kafka::shared();
    let config = json!({ "topic_pattern": "pattern\\.\\w+", "discover_seconds": 1 });
    for name in ["pattern.a", "not.pattern.a", "pattern"] {
        kafka.create_topic(name, 1, &[]).unwrap();
        let first = if name == "pattern.a" { 0 } else { 1000 };
        kafka.send(name, &numbered(first, 5, 1)).unwrap();
    }
    let running = Beside::start(&Bench::default(), to_shelf(kafka, "pattern", false, config));
    until("the first topic is read", || shelf("pattern").numbers().len() == 5).await;
    kafka.create_topic("pattern.b", 1, &[]).unwrap();
    kafka.send("pattern.b", &numbered(5, 5, 1)).unwrap();
    until("the later topic is found", || shelf("pattern").numbers().len() == 10).await;
    running.stop().await.unwrap();
    each_once(&shelf("pattern"), 10);
}

/// Killed at random over and over: every message arrives once.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_doubled_by_kills() {
    const MESSAGES: i64 = 30_000;
    let kills = fairway_engine::testkit::counts(32, 300);
    let kafka = kafka::shared();
    let topic = kafka.topic(3, &[]).unwrap();
    kafka.send(&topic, &numbered(0, MESSAGES, 3)).unwrap();
    let drawing = to_shelf(kafka, &topic, false, json!({ "topics": [topic], "batch": 37 })).groups_of(111);
    let mut bench = Bench::default();
    let mut random = 12345u64;
    for _ in 0..kills {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bench.crash_after(&drawing, Duration::from_millis(20 + (random >> 33) % 120)).await;
        bench.control = fairway_engine::task::Control::default();
    }
    let before = shelf(&topic).numbers().len();
    assert!(before > 0, "no kill came after a delivery");
    bench.run(&caught_up(drawing)).await.unwrap();
    each_once(&shelf(&topic), MESSAGES);
}

/// Tasks that share a topic: where the first start of each begins is its own; with another number of them nothing is read again and
/// nothing left out, of partitions that nobody had read yet as well.
#[tokio::test(flavor = "multi_thread")]
async fn shares_begin_by_themselves_and_can_be_dealt_anew() {
    let kafka = kafka::shared();
    let topic = kafka.topic(6, &[]).unwrap();
    kafka.send(&topic, &numbered(1000, 60, 6)).unwrap();
    let mut bench = Bench::default();
    let share = |index: u32, of: u32| {
        let config = json!({ "topics": [topic], "start": "latest" });
        let mut drawing = caught_up(to_shelf(kafka, &topic, false, config));
        drawing.0.id = format!("direct-in.{index}");
        drawing.0.share = Some(Share { index, of });
        drawing
    };
    // Both begin behind what is old, although the first has left its mark when the second comes.
    bench.run(&share(0, 2)).await.unwrap();
    bench.run(&share(1, 2)).await.unwrap();
    assert_eq!(shelf(&topic).numbers(), [0; 0]);
    kafka.send(&topic, &numbered(0, 60, 6)).unwrap();
    bench.run(&share(0, 2)).await.unwrap();
    assert_eq!(shelf(&topic).numbers().len(), 30, "half of the partitions");
    for index in 0..3 {
        bench.run(&share(index, 3)).await.unwrap();
    }
    each_once(&shelf(&topic), 60);
    kafka.send(&topic, &numbered(60, 60, 6)).unwrap();
    let mut whole = share(0, 1);
    whole.0.share = None;
    bench.run(&whole).await.unwrap();
    each_once(&shelf(&topic), 120);
}
