//! What services on Kafka owe beyond the laws of all backends: two workers see the same, and an older owner writes nothing.

use std::time::Duration;

use fairway_engine::position::StreamKey;
use fairway_engine::store::{Letter, LetterKey, Totals};
use fairway_runtime::services::kafka::Backend;
use fairway_runtime::services::{
    Commit, ConfigService as _, Error, Expect, Filter, Key, Kind, Limits, SealingKey,
};
use fairway_shared::api::status::Cause;
use serde_json::json;

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

fn letter(order: u64) -> Letter {
    Letter {
        key: LetterKey { node: "sink".into(), stream: StreamKey::straight("s", "p"), order, child: 0 },
        cause: Cause { code: "record.refused".into(), message: "no".into(), help: None, node: None },
        record: json!({ "value": { "id": order } }),
    }
}

/// A task that is killed after it has set a record aside and before its position stands sets it aside again where it is started next:
/// the letter lies in the topic once, for whoever reads it, and what the older start still wants to write is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_letter_lies_there_once() {
    let (a, b) = (open_on_kafka("shared-letters").await, open_on_kafka("shared-letters").await);
    a.positions.begin("u", "t").await.unwrap();
    a.dead_letters.set_aside("u", "t", &[letter(1), letter(2)]).await.unwrap();
    b.positions.begin("u", "t").await.unwrap();
    let known = b.dead_letters.refusals("u", &[]).await.unwrap().letters;
    assert_eq!(known, [letter(1).key, letter(2).key]);
    b.dead_letters.set_aside("u", "t", &[letter(2), letter(3)]).await.unwrap();
    let late = a.dead_letters.set_aside("u", "t", &[letter(4)]).await;
    assert!(matches!(late, Err(Error::Fenced | Error::Uncertain(_))), "{late:?}");
    let lying = fairway_peers::kafka::shared().read("shared-letters.dead-letters").unwrap();
    let lying: Vec<String> = lying.into_iter().map(|one| header(&one, "fairway.source.order")).collect();
    assert_eq!(lying, ["1", "2", "3"]);
    let usage = a.dead_letters.usage("u").await.unwrap();
    assert_eq!(usage.letters, 3, "the one that lost the task reads on");
}

/// Tools that know Kafka Connect's dead letters find their headers.
#[tokio::test(flavor = "multi_thread")]
async fn letters_carry_the_headers_of_connect() {
    let backend = open_on_kafka("connect-headers").await;
    backend.positions.begin("u", "t").await.unwrap();
    backend.dead_letters.set_aside("u", "t", &[letter(1)]).await.unwrap();
    let lying = fairway_peers::kafka::shared().read("connect-headers.dead-letters").unwrap().remove(0);
    for (name, value) in [
        ("connector.name", "u"),
        ("task.id", "t"),
        ("stage", "sink"),
        ("exception.class.name", "record.refused"),
        ("exception.message", "no"),
    ] {
        assert_eq!(header(&lying, &format!("__connect.errors.{name}")), value);
    }
}

fn header(message: &fairway_peers::kafka::Message, name: &str) -> String {
    let found = message.headers.iter().find(|(header, _)| header == name);
    let value = found.unwrap_or_else(|| panic!("no header {name}")).1.clone().unwrap_or_default();
    String::from_utf8(value).unwrap()
}

/// Two workers that change one channel's letters at one time come one after the other, and nothing is lost.
#[tokio::test(flavor = "multi_thread")]
async fn letters_are_changed_by_any_worker() {
    let (a, b) = (open_on_kafka("shared-changes").await, open_on_kafka("shared-changes").await);
    a.positions.begin("u", "t").await.unwrap();
    a.dead_letters.set_aside("u", "t", &[letter(1), letter(2), letter(3)]).await.unwrap();
    let tasks = [("sink".to_owned(), "t".to_owned())].into();
    assert_eq!(b.dead_letters.ask_replay("u", &Filter::default(), &tasks).await.unwrap(), 3);
    let ready = a.dead_letters.replays("u", "t", 0, 9, &[mark(None, "s", 9)]).await.unwrap().ready;
    assert_eq!(ready.iter().map(|replay| replay.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(a.dead_letters.replayed("u", "t", 2).await.unwrap(), 2);
    assert_eq!(b.dead_letters.discard("u", &Filter::default()).await.unwrap(), 1);
    assert_eq!(a.dead_letters.usage("u").await.unwrap().letters, 0);
    assert_eq!(b.positions.totals("u").await.unwrap().counts.replayed, 2);
    // Only whoever leads removes what is too old.
    assert_eq!(a.dead_letters.evict(Limits { age: Duration::ZERO, bytes: 0 }).await.unwrap(), 0);
}

/// What one worker seals another opens, if it was given the key; in the topic nobody reads it.
#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_shared_sealed() {
    let (a, b) = (open_on_kafka("shared-secrets").await, open_on_kafka("shared-secrets").await);
    let (local, _dir) = super::sqlite().await;
    let with = |backend: &Backend, key| backend.services(key, local.cluster.clone()).secrets;
    a.control.initialise(LIMIT).await.unwrap();
    with(&a, Some(super::key())).set("pw", &"hunter2".to_owned().into()).await.unwrap();
    assert_eq!(with(&b, Some(super::key())).get("pw").await.unwrap().unwrap().reveal(), "hunter2");
    let other = with(&b, Some(SealingKey::from_text("another key")));
    assert!(matches!(other.get("pw").await, Err(Error::Sealed(name)) if name == "pw"));
    assert_eq!(with(&b, None).names().await.unwrap(), ["pw"]);
    assert!(matches!(with(&b, None).get("pw").await, Err(Error::NoKey)));
    assert!(matches!(other.set("pw", &"x".to_owned().into()).await, Err(Error::Follower)));
    let lying = fairway_peers::kafka::shared().read("shared-secrets.control").unwrap();
    let clear = |message: &fairway_peers::kafka::Message| {
        message.value.as_ref().is_some_and(|value| value.windows(7).any(|part| part == b"hunter2"))
    };
    assert!(!lying.is_empty() && !lying.iter().any(clear));
}
