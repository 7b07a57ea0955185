//! Transactions and fencing, on a real broker: stand-ins get them wrong.

use std::time::{Duration, Instant};

use fairway_kafka::Transactional;
use fairway_kafka::transaction::{Failure, Transacting, Write};
use fairway_peers::kafka;

use crate::access;

const LIMIT: Duration = Duration::from_secs(30);

fn write(topic: &str, value: &str) -> Write {
    Write {
        topic: topic.into(),
        partition: Some(0),
        key: Some(b"k".to_vec()),
        value: Some(value.as_bytes().to_vec()),
        headers: vec![("h".to_owned(), Some(b"1".to_vec()))],
        time: None,
    }
}

fn values(topic: &str) -> Vec<String> {
    let messages = kafka::shared().read(topic).expect("it can be read").into_iter();
    messages.map(|one| String::from_utf8_lossy(&one.value.unwrap_or_default()).into_owned()).collect()
}

async fn producer(id: &str) -> Transactional {
    let producer = Transactional::new(&access(), &Transacting::quick(id)).expect("a client");
    producer.initialise(LIMIT).await.expect("the id is taken");
    producer
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_committed_is_there_and_says_where() {
    let topic = kafka::shared().topic(1, &[]).unwrap();
    let producer = producer(&topic).await;
    assert_eq!(producer.commit().await.unwrap(), [] as [i64; 0], "nothing was begun");
    producer.write(vec![write(&topic, "a"), write(&topic, "b")]).await.unwrap();
    producer.write(vec![write(&topic, "c")]).await.unwrap();
    let offsets = producer.commit().await.unwrap();
    assert_eq!(offsets, [0, 1, 2]);
    producer.write(vec![write(&topic, "lost")]).await.unwrap();
    producer.abort().await.unwrap();
    producer.write(vec![write(&topic, "d")]).await.unwrap();
    let later = producer.commit().await.unwrap();
    // Markers and what was taken back have offsets too.
    assert!(later[0] > 3, "{later:?}");
    assert_eq!(values(&topic), ["a", "b", "c", "d"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_takes_milliseconds() {
    let topic = kafka::shared().topic(1, &[]).unwrap();
    let producer = producer(&topic).await;
    let mut times = Vec::new();
    for _ in 0..20 {
        let begun = Instant::now();
        producer.write(vec![write(&topic, "a")]).await.unwrap();
        producer.commit().await.unwrap();
        times.push(begun.elapsed());
    }
    times.sort();
    // The client's own waiting takes 100 ms each; the median, for the machine may be busy.
    assert!(times[10] < Duration::from_millis(90), "{times:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_initialises_fences_the_one_before() {
    let topic = kafka::shared().topic(1, &[]).unwrap();
    let old = producer(&topic).await;
    old.write(vec![write(&topic, "a")]).await.unwrap();
    old.commit().await.unwrap();
    old.write(vec![write(&topic, "never")]).await.unwrap();
    let new = producer(&topic).await;
    // It learns only now.
    let late = match old.write(vec![write(&topic, "never")]).await {
        Ok(()) => old.commit().await.map(drop),
        Err(failure) => Err(failure),
    };
    assert!(matches!(late, Err(Failure::Fenced)), "{late:?}");
    // And does not come back.
    assert!(matches!(old.commit().await, Err(Failure::Fenced)));
    assert!(matches!(old.initialise(LIMIT).await, Err(Failure::Fenced)));
    new.write(vec![write(&topic, "b")]).await.unwrap();
    new.commit().await.unwrap();
    assert_eq!(values(&topic), ["a", "b"]);
}

/// One that was idle all the time learns it as well, and late.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_producer_is_fenced_too() {
    let topic = kafka::shared().topic(1, &[]).unwrap();
    let old = producer(&topic).await;
    let _new = producer(&topic).await;
    let late = match old.write(vec![write(&topic, "never")]).await {
        Ok(()) => old.commit().await.map(drop),
        Err(failure) => Err(failure),
    };
    assert!(matches!(late, Err(Failure::Fenced)), "{late:?}");
    assert!(values(&topic).is_empty());
}

/// Two thousand commits, and a take-over in the middle of full speed: what was said to be committed is there, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn commits_tell_the_truth_under_take_over() {
    let topic = kafka::shared().topic(1, &[]).unwrap();
    let rounds = fairway_engine::testkit::counts(3, 30);
    let mut said = Vec::new();
    for round in 0..rounds {
        let old = producer(&topic).await;
        let name = topic.clone();
        let running = tokio::spawn(async move {
            let (mut sure, mut open) = (Vec::new(), None);
            for number in 0.. {
                let value = format!("{round}-{number}");
                if old.write(vec![write(&name, &value)]).await.is_err() {
                    break;
                }
                match old.commit().await {
                    Ok(_) => sure.push(value),
                    Err(_) => {
                        open = Some(value);
                        break;
                    }
                }
            }
            (sure, open)
        });
        tokio::time::sleep(Duration::from_millis(300)).await;
        let _new = producer(&topic).await;
        let before = values(&topic);
        let (sure, open) = tokio::time::timeout(LIMIT, running).await.unwrap().unwrap();
        assert!(!sure.is_empty(), "nothing was committed before the take-over");
        // Nothing of the predecessor comes after its successor has read.
        assert_eq!(before.len(), values(&topic).len(), "a fenced producer wrote");
        said.extend(sure);
        let there = values(&topic);
        said.extend(open.filter(|value| there.contains(value)));
        assert!(there == said, "{} are there and {} were said to be", there.len(), said.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_there_is_said_in_time() {
    let port = fairway_peers::free_port().unwrap();
    let nowhere = crate::access_to(&format!("127.0.0.1:{port}"));
    let producer = Transactional::new(&nowhere, &Transacting::quick("t")).unwrap();
    let begun = Instant::now();
    let failure = producer.initialise(Duration::from_millis(700)).await.unwrap_err();
    assert!(matches!(failure, Failure::Unknown(_)), "{failure:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}
