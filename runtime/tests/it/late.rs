//! Transactions that nobody ends.

use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::store::{StoredMark, Totals};
use fairway_kafka::transaction::{Failure, Transacting, Write};
use fairway_kafka::{Access, Security, Transactional};
use fairway_runtime::services::kafka::Backend;
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(30);

/// F30: a task stalls within a transaction for longer than the brokers bear. They take it back, so whoever reads positions goes on; the
/// stalled one finds its producer lost, and a new start has a new number and finds what was committed before.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_takes_too_long_blocks_nobody() {
    let settings = "transaction.abort.timed.out.transaction.cleanup.interval.ms=500\n";
    let kafka = fairway_peers::kafka::Kafka::start_with(settings).unwrap();
    let access = Access::new(kafka.address(), &Security::default(), &Files::open(".")).unwrap();
    let backend = Backend::open(&access, "late").await.unwrap();
    let old = backend.positions.begin("u", "t").await.unwrap();
    let mark = StoredMark {
        target: None,
        stream: StreamKey::straight("s", "p"),
        position: Position { order: 5, token: json!({}) },
        in_target: None,
    };
    let totals = Totals::default();
    backend.positions.commit("u", "t", old, std::slice::from_ref(&mark), &totals).await.unwrap();
    // The same task in another process, which stalls.
    let stalled = Transactional::new(&access, &Transacting::quick("late.u.t")).unwrap();
    stalled.initialise(LIMIT).await.unwrap();
    let stray = |partition| Write {
        topic: "late.positions".into(),
        partition: Some(partition),
        key: Some(b"stray".to_vec()),
        value: Some(b"{}".to_vec()),
        headers: Vec::new(),
    };
    stalled.write((1..25).map(stray).collect()).await.unwrap();
    let begun = std::time::Instant::now();
    let marks = tokio::time::timeout(LIMIT, backend.positions.marks("u")).await.expect("it is not blocked");
    assert_eq!(marks.unwrap(), std::slice::from_ref(&mark));
    println!("an open transaction held up readers for {} ms", begun.elapsed().as_millis());
    let late = stalled.commit().await.unwrap_err();
    assert!(matches!(late, Failure::Fenced | Failure::Unknown(_)), "{late:?}");
    assert!(kafka.read("late.positions").unwrap().iter().all(|one| one.key.as_deref() != Some(b"stray")));
    let new = backend.positions.begin("u", "t").await.unwrap();
    assert!(new > old, "{new} {old}");
    assert_eq!(backend.positions.marks("u").await.unwrap(), [mark]);
}
