//! Dead letters and refusals.

use std::sync::Arc;
use std::time::Duration;

use fairway_engine::position::StreamKey;
use fairway_engine::store::{Letter, LetterKey, Routed};
use fairway_runtime::services::{DeadLetterService, Edit, Filter, Limits, Page, Services, Tasks};
use fairway_shared::api::status::Cause;
use serde_json::json;

use super::mark;

const ALL: Page = Page { limit: 100, offset: 0 };

fn any() -> Filter {
    Filter::default()
}

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

/// The store, with a task of each channel that writes to it.
async fn open(services: &Services) -> Arc<dyn DeadLetterService> {
    for uid in ["u", "v", "w"] {
        services.positions.begin(uid, "t").await.unwrap();
    }
    services.dead_letters.clone()
}

fn letters(orders: impl IntoIterator<Item = u64>) -> Vec<Letter> {
    orders.into_iter().map(letter).collect()
}

pub(super) async fn a_replay_doubles_nothing(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters([1, 2])).await.unwrap();
    store.set_aside("u", "t", &letters([2, 3])).await.unwrap();
    let mut child = letter(3);
    child.key.child = 1;
    let mut elsewhere = letter(3);
    elsewhere.key.node = "other".into();
    store.set_aside("u", "t", &[child, elsewhere]).await.unwrap();
    store.set_aside("v", "t", &letters([1])).await.unwrap();
    assert_eq!(store.usage("u").await.unwrap().letters, 5);
    assert_eq!(store.list("u", &any(), ALL).await.unwrap().len(), 5);
    store.forget("u").await.unwrap();
    assert_eq!(store.usage("u").await.unwrap().letters, 0);
    assert_eq!(store.usage("v").await.unwrap().letters, 1);
}

pub(super) async fn pages_newest_first(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters(1..=5)).await.unwrap();
    let page = store.list("u", &any(), Page { limit: 2, offset: 1 }).await.unwrap();
    let orders: Vec<_> = page.iter().map(|letter| letter.order).collect();
    assert_eq!(orders, [4, 3]);
    let found = &page[0];
    assert_eq!((&*found.node, &*found.source, &*found.partition, found.child), ("sink", "s", "p", 0));
    assert_eq!((&found.cause, &found.record), (&letter(4).cause, &letter(4).record));
}

pub(super) async fn discarded_is_not_refused_again(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters(1..=4)).await.unwrap();
    let ids: Vec<_> =
        store.list("u", &any(), ALL).await.unwrap().into_iter().map(|letter| letter.id).collect();
    let chosen = Filter { ids: Some(vec![ids[0].clone(), "no such id".to_owned()]), ..any() };
    assert_eq!(store.discard("v", &chosen).await.unwrap(), 0);
    assert_eq!(store.discard("u", &chosen).await.unwrap(), 1);
    assert_eq!(store.usage("u").await.unwrap().letters, 3);
    // Its source has not passed it: the sink must not be offered the record again.
    assert_eq!(store.refusals("u", &[mark(None, "s", 3)]).await.unwrap().letters, [key(4)]);
    assert_eq!(store.discard("u", &any()).await.unwrap(), 3);
    assert_eq!(store.usage("u").await.unwrap().letters, 0);
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 4);
}

pub(super) async fn watermarks_settle_refusals(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters(1..=3)).await.unwrap();
    store.discard("u", &any()).await.unwrap();
    // A target's watermark is not the source's own.
    store.passed("u", "t", &[mark(Some("sink"), "s", 3)]).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 3);
    store.passed("u", "t", &[mark(None, "s", 2)]).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters, [key(3)]);
}

pub(super) async fn a_reset_lets_letters_come_again(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters([1, 2])).await.unwrap();
    store.reset("u", Some(&["another".to_owned()])).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 2);
    store.reset("u", Some(&["s".to_owned()])).await.unwrap();
    assert!(store.refusals("u", &[]).await.unwrap().letters.is_empty());
    assert_eq!(store.usage("u").await.unwrap().letters, 2);
    store.set_aside("u", "t", &letters([1])).await.unwrap();
    assert_eq!(store.usage("u").await.unwrap().letters, 2);
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters, [key(1)]);
}

pub(super) async fn limits_evict_the_oldest(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters(1..=10)).await.unwrap();
    store.set_aside("v", "t", &letters(1..=10)).await.unwrap();
    let bytes = store.usage("u").await.unwrap().bytes;
    let (all, each) = (bytes * 2, bytes / 10);
    let generous = Limits { age: Duration::from_secs(3600), bytes: all };
    assert_eq!(store.evict(generous).await.unwrap(), 0);
    assert_eq!(store.evict(Limits { bytes: all - each * 5, ..generous }).await.unwrap(), 5);
    let usage = store.usage("u").await.unwrap();
    assert_eq!((usage.letters, usage.evicted), (5, 5));
    let orders: Vec<_> =
        store.list("u", &any(), ALL).await.unwrap().iter().map(|letter| letter.order).collect();
    assert_eq!(orders, [10, 9, 8, 7, 6]);
    // An evicted letter's refusal stands, as a discarded one's does.
    assert_eq!(store.refusals("u", &[]).await.unwrap().letters.len(), 10);
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(store.evict(Limits { age: Duration::from_millis(1), ..generous }).await.unwrap(), 15);
    assert_eq!(store.usage("v").await.unwrap().evicted, 10);
}

pub(super) async fn notes_are_kept_by_number(services: Services) {
    let store = open(&services).await;
    let note = |order, number| Routed { key: key(order), target: "file".into(), number };
    store.note_routed("u", "t", &[note(1, 1), note(2, 2), note(2, 2), note(2, 3)]).await.unwrap();
    let sorted = |mut notes: Vec<Routed>| {
        notes.sort_by_key(|note| note.number);
        notes
    };
    let found = store.refusals("u", &[]).await.unwrap();
    assert!(found.letters.is_empty());
    assert_eq!(sorted(found.routed), [note(1, 1), note(2, 2), note(2, 3)]);
    store.forget_routed("u", "t", &[note(2, 2)]).await.unwrap();
    assert_eq!(sorted(store.refusals("u", &[]).await.unwrap().routed), [note(1, 1), note(2, 3)]);
    store.passed("u", "t", &[mark(None, "s", 1)]).await.unwrap();
    assert_eq!(store.refusals("u", &[]).await.unwrap().routed, [note(2, 3)]);
    store.reset("u", None).await.unwrap();
    assert!(store.refusals("u", &[]).await.unwrap().routed.is_empty());
}

pub(super) async fn finds_by_node_code_and_time(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters(1..=4)).await.unwrap();
    let mut other = letter(5);
    other.key.node = "mask".into();
    other.cause.code = "mask.wrong".into();
    store.set_aside("u", "t", &[other]).await.unwrap();
    let orders = async |filter: Filter| {
        let found = store.list("u", &filter, ALL).await.unwrap();
        assert_eq!(store.count("u", &filter).await.unwrap(), found.len() as u64);
        found.iter().map(|letter| letter.order).collect::<Vec<_>>()
    };
    assert_eq!(orders(Filter { node: Some("mask".into()), ..any() }).await, [5]);
    assert_eq!(orders(Filter { code: Some("record.refused".into()), ..any() }).await, [4, 3, 2, 1]);
    let both = Filter { code: Some("record.refused".into()), node: Some("mask".into()), ..any() };
    assert!(orders(both.clone()).await.is_empty());
    assert!(orders(Filter { until: Some(5), ..any() }).await.is_empty());
    assert_eq!(orders(Filter { since: Some(5), ..any() }).await.len(), 5);
    let groups = store.groups("u").await.unwrap();
    let seen: Vec<_> =
        groups.iter().map(|group| (&*group.node, &*group.code, group.letters, &*group.message)).collect();
    assert_eq!(seen, [("sink", "record.refused", 4, "no 4"), ("mask", "mask.wrong", 1, "no 5")]);
    assert_eq!(store.discard("u", &both).await.unwrap(), 0);
    assert_eq!(store.discard("u", &Filter { node: Some("mask".into()), ..any() }).await.unwrap(), 1);
}

fn tasks(of: &[(&str, &str)]) -> Tasks {
    of.iter().map(|(node, task)| ((*node).to_owned(), (*task).to_owned())).collect()
}

pub(super) async fn letters_are_tried_in_order_once_their_source_has_passed(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters([2, 5, 9])).await.unwrap();
    let mut elsewhere = letter(3);
    elsewhere.key.node = "gone".into();
    store.set_aside("u", "t", &[elsewhere]).await.unwrap();
    let task = tasks(&[("sink", "t")]);
    assert_eq!(store.ask_replay("u", &any(), &task).await.unwrap(), 3);
    assert_eq!(store.ask_replay("u", &any(), &task).await.unwrap(), 3, "asking twice is asking once");
    assert_eq!(store.usage("u").await.unwrap().replaying, 3);
    let next = async |after, marks: &[_]| store.replays("u", "t", after, 10, marks).await.unwrap();
    let nothing = next(0, &[]).await;
    assert!(nothing.ready.is_empty() && nothing.waiting);
    let some = next(0, &[mark(None, "s", 5)]).await;
    assert_eq!(
        some.ready.iter().map(|replay| replay.record["value"]["id"].clone()).collect::<Vec<_>>(),
        [json!(2), json!(5)]
    );
    assert!(some.waiting);
    let all = next(0, &[mark(None, "s", 9)]).await.ready;
    assert!(all.is_sorted_by_key(|replay| replay.number) && all.len() == 3);
    assert_eq!(next(all[0].number, &[mark(None, "s", 9)]).await.ready, all[1..]);
    for times in [2, 0] {
        assert_eq!(store.replayed("u", "t", all[1].number).await.unwrap(), times);
        let counts = services.positions.totals("u").await.unwrap().counts;
        assert_eq!(counts.replayed, 2, "each record is counted once");
    }
    assert_eq!(store.usage("u").await.unwrap().letters, 2);
    // A source that started over brings what it brings: its old letters can be tried at once.
    store.reset("u", None).await.unwrap();
    assert_eq!(next(0, &[]).await.ready, all[2..]);
}

pub(super) async fn refused_again_it_stays_one_letter(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters([1, 2])).await.unwrap();
    store.ask_replay("u", &any(), &tasks(&[("sink", "t")])).await.unwrap();
    let ready = store.replays("u", "t", 0, 10, &[mark(None, "s", 9)]).await.unwrap().ready;
    let again = |number: u64, node: &str| {
        let mut letter = letter(7);
        letter.key = LetterKey { node: node.into(), stream: StreamKey::replay("t"), order: number, child: 0 };
        letter
    };
    // The first at the same node, the second further on; both told twice, as after a crash.
    for _ in 0..2 {
        store
            .refused_again("u", "t", &[again(ready[0].number, "sink"), again(ready[1].number, "file")])
            .await
            .unwrap();
    }
    store.replayed("u", "t", ready[1].number).await.unwrap();
    let found = store.list("u", &any(), ALL).await.unwrap();
    let mut seen: Vec<_> =
        found.iter().map(|l| (l.order, &*l.node, l.tries, l.replaying, &*l.cause.message)).collect();
    seen.sort_unstable();
    assert_eq!(seen, [(1, "sink", 2, false, "no 7"), (2, "file", 2, false, "no 7")]);
    assert_eq!(store.usage("u").await.unwrap().letters, 2);
    assert_eq!(services.positions.totals("u").await.unwrap().counts.replayed, 0, "it is set aside as before");
}

/// A record that several nodes refused is done only when the last of its letters is.
pub(super) async fn a_record_with_several_letters_is_replayed_once(services: Services) {
    let store = open(&services).await;
    let mut mask = letter(1);
    mask.key.node = "mask".into();
    store.set_aside("u", "t", &[letter(1), mask, letter(2)]).await.unwrap();
    store.ask_replay("u", &any(), &tasks(&[("sink", "t"), ("mask", "t")])).await.unwrap();
    let ready = store.replays("u", "t", 0, 10, &[mark(None, "s", 9)]).await.unwrap().ready;
    let mut counted = Vec::new();
    for replay in ready {
        store.replayed("u", "t", replay.number).await.unwrap();
        counted.push(services.positions.totals("u").await.unwrap().counts.replayed);
    }
    assert_eq!(counted, [0, 1, 2]);
    assert_eq!(store.waiting_for_replay().await.unwrap(), Default::default());
}

pub(super) async fn channels_with_letters_to_be_tried_are_named(services: Services) {
    let store = open(&services).await;
    for uid in ["u", "v", "w"] {
        store.set_aside(uid, "t", &letters([1, 2])).await.unwrap();
    }
    for uid in ["u", "w"] {
        store.ask_replay(uid, &any(), &tasks(&[("sink", "t")])).await.unwrap();
    }
    let waiting: Vec<String> = store.waiting_for_replay().await.unwrap().into_iter().collect();
    assert_eq!(waiting, ["u", "w"]);
}

pub(super) async fn what_is_asked_for_follows_its_node(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters([1, 2, 3])).await.unwrap();
    let mut mask = letter(4);
    mask.key.node = "mask".into();
    store.set_aside("u", "t", &[mask]).await.unwrap();
    store.ask_replay("u", &any(), &tasks(&[("sink", "t"), ("mask", "t")])).await.unwrap();
    let passed = mark(None, "s", 9);
    let first = store.replays("u", "t", 0, 1, std::slice::from_ref(&passed)).await.unwrap().ready.remove(0);
    let mut own = mark(None, "s", 0);
    (own.stream, own.position.order) = (StreamKey::replay("t"), first.number);
    store.assign_replays("u", &tasks(&[("sink", "other")]), &[own]).await.unwrap();
    assert_eq!(store.usage("u").await.unwrap().letters, 3, "what was done is struck off");
    assert!(store.replays("u", "t", 0, 9, std::slice::from_ref(&passed)).await.unwrap().ready.is_empty());
    let moved = store.replays("u", "other", 0, 9, &[passed]).await.unwrap().ready;
    assert_eq!(moved.len(), 2);
    assert!(moved.iter().all(|replay| replay.number > first.number + 3));
    assert_eq!(store.usage("u").await.unwrap().replaying, 2);
}

pub(super) async fn an_edited_letter_is_tried_as_edited_and_keeps_its_own_record(services: Services) {
    let store = open(&services).await;
    store.set_aside("u", "t", &letters([1, 2])).await.unwrap();
    let before = store.usage("u").await.unwrap();
    let id = async |order: u64| {
        let all = store.list("u", &any(), ALL).await.unwrap();
        all.into_iter().find(|letter| letter.order == order).map(|letter| letter.id).unwrap_or_default()
    };
    let better = json!({ "value": { "id": 1, "name": "Zoë" } });
    let one = id(1).await;
    assert_eq!(store.edit("u", "no such id", Some(&better)).await.unwrap(), Edit::Unknown);
    assert_eq!(store.edit("v", &one, Some(&better)).await.unwrap(), Edit::Unknown);
    assert_eq!(store.edit("u", &one, Some(&better)).await.unwrap(), Edit::Done);
    assert_eq!(id(1).await, one, "its id stays");
    let found = async || {
        let all = store.list("u", &any(), ALL).await.unwrap();
        all.into_iter().find(|letter| letter.order == 1).unwrap()
    };
    let letter = found().await;
    assert_eq!((letter.record, letter.edited), (super::dead_letter::letter(1).record, Some(better.clone())));
    let usage = store.usage("u").await.unwrap();
    assert_eq!(usage.letters, before.letters);
    assert!(usage.bytes > before.bytes, "what is kept is counted");

    store.ask_replay("u", &any(), &tasks(&[("sink", "t")])).await.unwrap();
    assert_eq!(store.edit("u", &one, None).await.unwrap(), Edit::UnderWay);
    let ready = store.replays("u", "t", 0, 10, &[mark(None, "s", 9)]).await.unwrap().ready;
    assert_eq!(ready[0].record, better);
    assert_eq!(ready[1].record, super::dead_letter::letter(2).record);
    // Refused again where it was: both records are still there.
    let mut again = super::dead_letter::letter(7);
    again.key =
        LetterKey { node: "sink".into(), stream: StreamKey::replay("t"), order: ready[0].number, child: 0 };
    again.record = better.clone();
    store.refused_again("u", "t", &[again]).await.unwrap();
    store.replayed("u", "t", ready[1].number).await.unwrap();
    let letter = found().await;
    assert_eq!((letter.tries, &*letter.cause.message, letter.replaying), (2, "no 7", false));
    assert_eq!((letter.record, letter.edited), (super::dead_letter::letter(1).record, Some(better)));
    // Taken back, the first one is tried.
    assert_eq!(store.edit("u", &one, None).await.unwrap(), Edit::Done);
    assert_eq!(found().await.edited, None);
    store.ask_replay("u", &any(), &tasks(&[("sink", "t")])).await.unwrap();
    let ready = store.replays("u", "t", 0, 10, &[mark(None, "s", 9)]).await.unwrap().ready;
    assert_eq!(ready.last().unwrap().record, super::dead_letter::letter(1).record);
}
