//! Dead letters and refusals.

use std::time::Duration;

use fairway_engine::position::StreamKey;
use fairway_engine::store::{Letter, LetterKey, Routed};
use fairway_runtime::services::{Limits, Page, Services};
use fairway_shared::api::status::Cause;
use serde_json::json;

use super::mark;

const ALL: Page = Page { limit: 100, offset: 0 };

fn key(order: u64) -> LetterKey {
    LetterKey { node: "sink".into(), stream: StreamKey::straight("s", "p"), order, child: 0 }
}

fn letter(order: u64) -> Letter {
    Letter {
        key: key(order),
        cause: Cause {
            code: "record.refused".into(),
            message: format!("no {order}"),
            help: None,
            node: Some("sink".into()),
        },
        record: json!({ "value": { "id": order }, "key": null, "headers": {} }),
    }
}

fn letters(orders: impl IntoIterator<Item = u64>) -> Vec<Letter> {
    orders.into_iter().map(letter).collect()
}

pub(super) async fn a_replay_doubles_nothing(services: Services) {
    let store = services.dead_letters;
    store.set_aside("u", &letters([1, 2])).await.unwrap();
    store.set_aside("u", &letters([2, 3])).await.unwrap();
    let mut child = letter(3);
    child.key.child = 1;
    let mut elsewhere = letter(3);
    elsewhere.key.node = "other".into();
    store.set_aside("u", &[child, elsewhere]).await.unwrap();
    store.set_aside("v", &letters([1])).await.unwrap();
    assert_eq!(store.usage("u").await.unwrap().letters, 5);
    assert_eq!(store.list("u", ALL).await.unwrap().len(), 5);
    store.forget("u").await.unwrap();
    assert_eq!(store.usage("u").await.unwrap().letters, 0);
    assert_eq!(store.usage("v").await.unwrap().letters, 1);
}

pub(super) async fn pages_newest_first(services: Services) {
    let store = services.dead_letters;
    store.set_aside("u", &letters(1..=5)).await.unwrap();
    let page = store.list("u", Page { limit: 2, offset: 1 }).await.unwrap();
    let orders: Vec<_> = page.iter().map(|letter| letter.order).collect();
    assert_eq!(orders, [4, 3]);
    let found = &page[0];
    assert_eq!((&*found.node, &*found.source, &*found.partition, found.child), ("sink", "s", "p", 0));
    assert_eq!((&found.cause, &found.record), (&letter(4).cause, &letter(4).record));
}

pub(super) async fn discarded_is_not_refused_again(services: Services) {
    let store = services.dead_letters;
    store.set_aside("u", &letters(1..=4)).await.unwrap();
    let ids: Vec<_> = store.list("u", ALL).await.unwrap().into_iter().map(|letter| letter.id).collect();
    let chosen = [ids[0].clone(), "no such id".to_owned()];
    assert_eq!(store.discard("v", Some(&chosen)).await.unwrap(), 0);
    assert_eq!(store.discard("u", Some(&chosen)).await.unwrap(), 1);
    assert_eq!(store.usage("u").await.unwrap().letters, 3);
    // Its source has not passed it: the sink must not be offered the record again.
    assert_eq!(store.refusals("u", &[mark(None, "s", 3)]).await.unwrap().letters, [key(4)]);
    assert_eq!(store.discard("u", None).await.unwrap(), 3);
    assert_eq!(store.usage("u").await.unwrap().letters, 0);
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 4);
}

pub(super) async fn watermarks_settle_refusals(services: Services) {
    let store = services.dead_letters;
    store.set_aside("u", &letters(1..=3)).await.unwrap();
    store.discard("u", None).await.unwrap();
    // A target's watermark is not the source's own.
    store.passed("u", &[mark(Some("sink"), "s", 3)]).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 3);
    store.passed("u", &[mark(None, "s", 2)]).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters, [key(3)]);
}

pub(super) async fn a_reset_lets_letters_come_again(services: Services) {
    let store = services.dead_letters;
    store.set_aside("u", &letters([1, 2])).await.unwrap();
    store.reset("u", Some(&["another".to_owned()])).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 2);
    store.reset("u", Some(&["s".to_owned()])).await.unwrap();
    assert!(store.refusals("u", &[]).await.unwrap().letters.is_empty());
    assert_eq!(store.usage("u").await.unwrap().letters, 2);
    store.set_aside("u", &letters([1])).await.unwrap();
    assert_eq!(store.usage("u").await.unwrap().letters, 2);
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters, [key(1)]);
}

pub(super) async fn limits_evict_the_oldest(services: Services) {
    let store = services.dead_letters;
    store.set_aside("u", &letters(1..=10)).await.unwrap();
    store.set_aside("v", &letters(1..=10)).await.unwrap();
    let bytes = store.usage("u").await.unwrap().bytes;
    let (all, each) = (bytes * 2, bytes / 10);
    let generous = Limits { age: Duration::from_secs(3600), bytes: all };
    assert_eq!(store.evict(generous).await.unwrap(), 0);
    assert_eq!(store.evict(Limits { bytes: all - each * 5, ..generous }).await.unwrap(), 5);
    let usage = store.usage("u").await.unwrap();
    assert_eq!((usage.letters, usage.evicted), (5, 5));
    let orders: Vec<_> = store.list("u", ALL).await.unwrap().iter().map(|letter| letter.order).collect();
    assert_eq!(orders, [10, 9, 8, 7, 6]);
    // An evicted letter's refusal stands, as a discarded one's does.
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 10);
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(store.evict(Limits { age: Duration::from_millis(1), ..generous }).await.unwrap(), 15);
    assert_eq!(store.usage("v").await.unwrap().evicted, 10);
}

pub(super) async fn notes_are_kept_by_number(services: Services) {
    let store = services.dead_letters;
    let note = |order, number| Routed { key: key(order), target: "file".into(), number };
    store.note_routed("u", &[note(1, 1), note(2, 2), note(2, 2), note(2, 3)]).await.unwrap();
    let sorted = |mut notes: Vec<Routed>| {
        notes.sort_by_key(|note| note.number);
        notes
    };
    let found = store.refusals("u", &[]).await.unwrap();
    assert!(found.letters.is_empty());
    assert_eq!(sorted(found.routed), [note(1, 1), note(2, 2), note(2, 3)]);
    store.forget_routed("u", &[note(2, 2)]).await.unwrap();
    assert_eq!(sorted(store.refusals("u", &[]).await.unwrap().routed), [note(1, 1), note(2, 3)]);
    store.passed("u", &[mark(None, "s", 1)]).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().routed, [note(2, 3)]);
    store.reset("u", None).await.unwrap();
    assert!(store.refusals("u", &[]).await.unwrap().routed.is_empty());
}
