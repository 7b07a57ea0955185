//! Reading to the end and on, and topics of the house.

use std::time::Duration;

use fairway_kafka::house::{Cleanup, HouseTopic};
use fairway_kafka::tail::{Passage, Passages, Place, Start};
use fairway_kafka::transaction::{Transacting, Write};
use fairway_kafka::{Cluster, Tail, Transactional};
use fairway_peers::kafka::{self, Message};

use crate::access;

const LIMIT: Duration = Duration::from_secs(30);

fn place(topic: &str, start: Start) -> Place {
    Place { topic: topic.into(), partition: 0, start }
}

/// A tail that is read on demand.
struct Reading {
    passages: Passages,
    next: i64,
    _tail: Tail,
}

impl Reading {
    fn of(topic: &str, start: Start) -> Self {
        let (tail, passages) = Tail::new(&access(), true, vec![place(topic, start)]).expect("a tail");
        Self { passages, next: -1, _tail: tail }
    }

    async fn passage(&mut self) -> Passage {
        let passage = tokio::time::timeout(LIMIT, self.passages.recv()).await.expect("nothing came");
        let passage = passage.expect("it goes on").expect("no fault");
        assert!(passage.next >= self.next, "it never goes back");
        self.next = passage.next;
        passage
    }

    /// Reads on until everything before an offset has been read; answers the values.
    async fn until(&mut self, end: i64) -> Vec<String> {
        let mut values = Vec::new();
        while self.next < end {
            let messages = self.passage().await.messages.into_iter();
            values.extend(
                messages.map(|one| String::from_utf8_lossy(&one.value.unwrap_or_default()).into_owned()),
            );
        }
        values
    }
}

/// Waits until a partition has grown beyond an offset; answers its end, unfinished transactions included.
async fn grown(topic: &str, beyond: i64) -> i64 {
    let whole = Cluster::new(&access(), false, LIMIT).expect("a client");
    loop {
        let (_, end) = whole.bounds(topic, 0).await.expect("an answer");
        if end > beyond {
            return end;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn write(topic: &str, value: &str) -> Write {
    Write { topic: topic.into(), key: Some(b"k".to_vec()), value: Some(value.into()), ..Write::default() }
}

/// Markers of transactions lie behind the last message; the end counts as passed all the same.
#[tokio::test(flavor = "multi_thread")]
async fn an_end_behind_markers_is_passed() {
    let topic = kafka::shared().topic(1, &[]).unwrap();
    let mut reading = Reading::of(&topic, Start::First);
    let begin = reading.passage().await;
    assert_eq!((begin.messages.len(), begin.next), (0, 0), "it says where it begins");
    let producer = Transactional::new(&access(), &Transacting::quick(&topic)).unwrap();
    producer.initialise(LIMIT).await.unwrap();
    for round in 0..3 {
        producer.write(vec![write(&topic, "a")]).await.unwrap();
        let written = producer.commit().await.unwrap()[0];
        let end = grown(&topic, written + 1).await;
        assert_eq!(reading.until(end).await, ["a"]);
        producer.write(vec![write(&topic, "never")]).await.unwrap();
        let open = grown(&topic, end).await;
        producer.abort().await.unwrap();
        let end = grown(&topic, open).await;
        assert_eq!(reading.until(end).await, [] as [&str; 0], "round {round}");
    }
}

/// An open transaction hides what lies behind it: its end is not passed before it is settled.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_transaction_is_waited_for() {
    let topic = kafka::shared().topic(1, &[]).unwrap();
    let mut reading = Reading::of(&topic, Start::First);
    let stranger = Transactional::new(&access(), &Transacting::quick(format!("{topic}-stranger"))).unwrap();
    stranger.initialise(LIMIT).await.unwrap();
    stranger.write(vec![write(&topic, "open")]).await.unwrap();
    let open = grown(&topic, 0).await;
    kafka::shared().send(&topic, &[Message::of("behind")]).unwrap();
    let end = grown(&topic, open).await;
    let hidden = tokio::time::timeout(Duration::from_secs(1), reading.until(end)).await;
    assert!(hidden.is_err(), "{hidden:?}");
    stranger.commit().await.unwrap();
    assert_eq!(reading.until(end).await, ["open", "behind"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_from_the_end_only_what_comes() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &[Message::of("old")]).unwrap();
    let mut reading = Reading::of(&topic, Start::End);
    assert_eq!(reading.passage().await.next, 1);
    kafka.send(&topic, &[Message::of("new")]).unwrap();
    assert_eq!(reading.until(2).await, ["new"]);
}

/// Nobody takes anything for a while: it is paused, and nothing is lost or doubled.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_taker_pauses_it() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    let mut reading = Reading::of(&topic, Start::First);
    let mut sent = Vec::new();
    for round in 0..40 {
        let values: Vec<String> = (0..50).map(|number| format!("{round}-{number}")).collect();
        kafka.send(&topic, &values.iter().cloned().map(Message::of).collect::<Vec<_>>()).unwrap();
        sent.extend(values);
    }
    let read = reading.until(2000).await;
    assert!(read == sent, "{} of {}", read.len(), sent.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn topics_of_the_house_are_made_and_checked() {
    let kafka = kafka::shared();
    let cluster = Cluster::new(&access(), false, LIMIT).unwrap();
    let name = kafka.topic(1, &[]).unwrap() + "-house";
    let control = HouseTopic {
        name: name.clone(),
        partitions: 1,
        cleanup: Cleanup::Compact,
        more: false,
        largest: None,
    };
    assert_eq!(cluster.ensure(&control).await.unwrap(), 1);
    // A second time it is there.
    assert_eq!(cluster.ensure(&control).await.unwrap(), 1);
    let grown = HouseTopic { partitions: 3, ..control.clone() };
    let refused = cluster.ensure(&grown).await.unwrap_err();
    assert_eq!(refused.code, "kafka.unfit_topic");
    assert!(refused.message.contains(&name) && refused.message.contains("1 partitions"), "{refused}");
    let kept = HouseTopic { cleanup: Cleanup::Keep, ..control.clone() };
    let refused = cluster.ensure(&kept).await.unwrap_err();
    assert!(refused.message.contains("`compact`"), "{refused}");
    kafka.grow_topic(&name, 2).unwrap();
    let more = HouseTopic { more: true, ..control.clone() };
    assert_eq!(cluster.ensure(&more).await.unwrap(), 2);
    assert!(cluster.ensure(&control).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_before_an_offset_is_deleted() {
    let kafka = kafka::shared();
    let topic = kafka.topic(1, &[]).unwrap();
    kafka.send(&topic, &[Message::of("a"), Message::of("b"), Message::of("c")]).unwrap();
    let cluster = Cluster::new(&access(), false, LIMIT).unwrap();
    assert_eq!(cluster.delete_before(&topic, 0, 2).await.unwrap(), 2);
    assert_eq!(cluster.bounds(&topic, 0).await.unwrap(), (2, 3));
    assert!(cluster.delete_before(&topic, 0, 9).await.is_err(), "beyond the end");
}
