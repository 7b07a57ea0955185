//! What services on Kafka owe beyond the laws of all backends: two workers see the same, and an older owner writes nothing.

use std::time::Duration;

use fairway_engine::store::Totals;
use fairway_runtime::services::{Commit, ConfigService as _, Error, Expect, Key, Kind};

use super::{mark, open_on_kafka};

const LIMIT: Duration = Duration::from_secs(30);

/// What is committed by one is read by the other, who may not commit itself until it takes over; then the first may not.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_leader_changes_what_is_settled() {
    let (a, b) = (open_on_kafka("shared-control").await, open_on_kafka("shared-control").await);
    let key = Key::new(Kind::Draft, "u");
    let refused = b.control.commit(Commit::default().put(key.clone(), "no")).await;
    assert!(matches!(refused, Err(Error::Follower)), "{refused:?}");
    a.control.initialise(LIMIT).await.unwrap();
    let revision = a.control.commit(Commit::default().put(key.clone(), "1")).await.unwrap();
    b.control.initialise(LIMIT).await.unwrap();
    let next = Commit::default().expect(key.clone(), Expect::Revision(revision)).put(key.clone(), "2");
    b.control.commit(next).await.unwrap();
    let late = a.control.commit(Commit::default().put(key.clone(), "late")).await;
    assert!(matches!(late, Err(Error::Fenced | Error::Uncertain(_))), "{late:?}");
    assert!(matches!(a.control.commit(Commit::default()).await, Err(Error::Follower)));
    assert_eq!(b.control.get(&key).await.unwrap().unwrap().value, "2");
    // The one that lost it reads on.
    let follows = async {
        while a.control.get(&key).await.unwrap().unwrap().value != "2" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, follows).await.expect("it reads on");
}

/// A task that is started elsewhere: the older start cannot commit, its last watermark is what the new one sees, and counts go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_elsewhere_fences() {
    let (a, b) = (open_on_kafka("shared-positions").await, open_on_kafka("shared-positions").await);
    let mut read = Totals::default();
    read.counts.read = 5;
    let old = a.positions.begin("u", "t").await.unwrap();
    a.positions.commit("u", "t", old, &[mark(None, "s", 5)], &read).await.unwrap();
    let new = b.positions.begin("u", "t").await.unwrap();
    assert!(new > old);
    assert_eq!(b.positions.marks("u").await.unwrap(), [mark(None, "s", 5)]);
    let late = a.positions.commit("u", "t", old, &[mark(None, "s", 9)], &read).await;
    assert!(matches!(late, Err(Error::Fenced | Error::Uncertain(_))), "{late:?}");
    assert!(matches!(a.positions.commit("u", "t", old, &[], &read).await, Err(Error::Fenced)));
    let sum = b.positions.commit("u", "t", new, &[mark(None, "s", 6)], &read).await.unwrap();
    assert_eq!(sum.counts.read, 10);
    assert_eq!(b.positions.marks("u").await.unwrap(), [mark(None, "s", 6)]);
    assert_eq!(a.positions.totals("u").await.unwrap().counts.read, 10);
}

/// Topics that were made by hand, and wrongly, are refused with the reason.
#[tokio::test(flavor = "multi_thread")]
async fn unfit_topics_are_refused() {
    let kafka = fairway_peers::kafka::shared();
    kafka.create_topic("unfit.control", 1, &[("cleanup.policy", "delete")]).unwrap();
    kafka.create_topic("wide.control", 3, &[("cleanup.policy", "compact")]).unwrap();
    for (cluster, reason) in [("unfit", "`delete`"), ("wide", "3 partitions")] {
        let access = fairway_kafka::Access::new(
            kafka.address(),
            &fairway_kafka::Security::default(),
            &fairway_engine::files::Files::open("."),
        );
        let opened = fairway_runtime::services::kafka::Backend::open(&access.unwrap(), cluster).await;
        let error = opened.map(drop).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains(".control"), "{error}");
    }
}
