//! Topics that several tasks share: who reads which partition stays clear while workers are killed, the number of tasks changes and
//! topics grow; and what is written into another topic in transactions is there once. The counter is a consumer outside of Fairway.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;
use fairway_peers::kafka::{Kafka, Message};
use serde_json::{Value, json};

use super::super::{signal, until};
use super::{AGAIN, Crew};

/// Sends numbers into the partitions of a topic in turn, until it is told to end.
struct Feed {
    over: Arc<AtomicBool>,
    sent: Arc<AtomicI64>,
    feeding: Option<JoinHandle<()>>,
}

impl Feed {
    fn start(kafka: &'static Kafka, topic: &str, partitions: &Arc<AtomicI64>) -> Self {
        let (over, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI64::new(0)));
        let (topic, partitions) = (topic.to_owned(), partitions.clone());
        let (until, counter) = (over.clone(), sent.clone());
        let feeding = thread::spawn(move || {
            while !until.load(Ordering::Relaxed) {
                let (first, parts) = (counter.load(Ordering::Relaxed), partitions.load(Ordering::Relaxed));
                let one = |n: i64| Message {
                    partition: i32::try_from(n % parts).unwrap(),
                    ..Message::of(format!("{{\"n\":{n}}}"))
                };
                let many: Vec<Message> = (first..first + 40).map(one).collect();
                kafka.send(&topic, &many).unwrap();
                counter.store(first + 40, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(100));
            }
        });
        Self { over, sent, feeding: Some(feeding) }
    }

    fn sent(&self) -> i64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Ends it; answers how many numbers were sent.
    fn end(mut self) -> i64 {
        self.over.store(true, Ordering::Relaxed);
        self.feeding.take().unwrap().join().unwrap();
        self.sent()
    }
}

fn copying(kafka: &Kafka, pattern: &str, to: &str, tasks: u32) -> Value {
    let from = json!({ "brokers": kafka.address(), "topic_pattern": pattern, "discover_seconds": 1 });
    let to = json!({ "brokers": kafka.address(), "topic": to, "exactly_once": true });
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "copying" },
        "spec": {
            "nodes": [
                { "id": "in", "component": "kafka_source", "config": from, "tasks": tasks },
                { "id": "out", "component": "kafka_sink", "config": to }
            ],
            "edges": [{ "from": "in", "to": "out" }],
            "settings": { "delivery": "exactly_once" }
        }
    })
}

/// How often each number came, by what is committed.
fn counted(kafka: &Kafka, topic: &str) -> BTreeMap<i64, usize> {
    let mut counted = BTreeMap::new();
    for message in kafka.read(topic).unwrap() {
        let value: Value = serde_json::from_slice(&message.value.unwrap()).unwrap();
        *counted.entry(value["n"].as_i64().unwrap()).or_default() += 1;
    }
    counted
}

/// Three tasks share a topic, and copy it into another, each number once: while workers are killed and frozen, when there are
/// fewer tasks and more, and when partitions and topics are added.
#[test]
fn partitions_are_shared_and_each_record_is_written_once() {
    let kafka = fairway_peers::kafka::shared();
    kafka.create_topic("shared-orders-1", 6, &[]).unwrap();
    kafka.create_topic("shared-copy", 3, &[]).unwrap();
    let partitions = Arc::new(AtomicI64::new(6));
    let feed = Feed::start(kafka, "shared-orders-1", &partitions);
    let mut crew = Crew::of("shared", &["a", "b", "c"]);
    let deploy = |crew: &Crew, tasks: u32| {
        let channel = copying(kafka, "shared-orders-.*", "shared-copy", tasks);
        let file = crew.place.write("copying.json", channel.to_string());
        crew.ask(&["import", "--over", file.to_str().unwrap()]);
        crew.ask(&["deploy", "copying"]);
        until("all tasks run", || crew.runs().len() == tasks as usize);
    };
    let grows = |feed: &Feed, what: &str| {
        let sent = feed.sent();
        until(what, || counted(kafka, "shared-copy").range(sent..).count() > 80);
    };
    deploy(&crew, 3);
    let spread: std::collections::BTreeSet<String> =
        crew.runs().into_values().map(|(worker, _)| worker).collect();
    assert_eq!(spread.len(), 3, "each worker has one: {:?}", crew.runs());
    grows(&feed, "it copies");
    // One task begins anew; the others are not touched.
    let before = crew.runs();
    crew.ask(&["restart", "copying", "--task", "direct-in.2"]);
    until("it runs anew", || {
        let now = crew.runs();
        let touched = |task: &&String| now.get(*task) != before.get(*task);
        now.len() == 3
            && before.keys().filter(touched).all(|task| task.ends_with("direct-in.2"))
            && now != before
    });
    let unknown = crew.tell("a", &["restart", "copying", "--task", "direct-in.9"]);
    assert!(super::super::stderr(&unknown).contains("channel.task_not_found"), "{unknown:?}");
    for round in 0..counts(2, 12) {
        let victim =
            crew.runs().into_values().map(|(worker, _)| worker).find(|worker| worker != "a").unwrap();
        let begun = Instant::now();
        if round % 2 == 0 {
            crew.kill(&victim);
        } else {
            signal(&crew.workers[&victim].child, "STOP");
        }
        until("all tasks run elsewhere", || {
            let now = crew.runs();
            now.len() == 3 && now.values().all(|(worker, _)| *worker != victim)
        });
        let took = begun.elapsed();
        println!("lost {victim}: all partitions were read again after {} ms", took.as_millis());
        assert!(took < AGAIN, "{took:?}{}", crew.logs());
        grows(&feed, "it goes on");
        if round % 2 == 0 {
            crew.start(&victim);
        } else {
            signal(&crew.workers[&victim].child, "CONT");
        }
        crew.joined();
    }
    deploy(&crew, 2);
    grows(&feed, "two tasks copy");
    kafka.grow_topic("shared-orders-1", 9).unwrap();
    partitions.store(9, Ordering::Relaxed);
    grows(&feed, "new partitions are found");
    deploy(&crew, 5);
    grows(&feed, "five tasks copy");
    let total = feed.end();
    // A topic that comes later, in the names that are read.
    kafka.create_topic("shared-orders-2", 4, &[]).unwrap();
    let late = |n: i64| Message {
        partition: i32::try_from(n % 4).unwrap(),
        ..Message::of(format!("{{\"n\":{n}}}"))
    };
    kafka.send("shared-orders-2", &(total..total + 100).map(late).collect::<Vec<_>>()).unwrap();
    let total = total + 100;
    until("everything is there", || counted(kafka, "shared-copy").len() as i64 == total);
    // What comes twice comes late.
    crew.ask(&["stop", "copying"]);
    let counted = counted(kafka, "shared-copy");
    let doubled: Vec<_> = counted.iter().filter(|(_, times)| **times > 1).take(9).collect();
    let lost: Vec<_> = (0..total).filter(|n| !counted.contains_key(n)).take(9).collect();
    println!("{total} records, {} doubled, {} lost", doubled.len(), lost.len());
    assert!(doubled.is_empty() && lost.is_empty(), "doubled {doubled:?}, lost {lost:?}{}", crew.logs());
}
