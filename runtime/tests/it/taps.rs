//! Looks at records that pass an edge of a running channel.

use std::time::Duration;

use fairway_shared::api::status::{Caller, ChannelState, DeedKind};
use fairway_shared::api::taps::Tapped;
use serde_json::{Value, json};

use crate::house::House;

/// A channel that makes records without end, renames a field, and masks it.
fn masking() -> Value {
    let fields = json!({
        "id": { "sequence": {} }, "mail": { "choice": { "values": ["someone@example.org"] } }
    });
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "a" },
        "spec": {
            "nodes": [
                { "id": "make", "component": "generate_source", "config": { "rate": 500, "batch": 5, "fields": fields } },
                { "id": "name", "component": "rename_fields", "config": { "fields": { "mail": "email" } } },
                { "id": "mask", "component": "mask_fields", "config": { "fields": ["email"], "method": "redact" } },
                { "id": "drop", "component": "discard_sink", "config": {} }
            ],
            "edges": [
                { "from": "make", "to": "name" }, { "from": "name", "to": "mask" }, { "from": "mask", "to": "drop" }
            ]
        }
    })
}

/// Waits until a tap has copied so many records.
async fn sees(house: &House, uid: &str, id: &str, records: usize) -> Tapped {
    for _ in 0..1000 {
        let tapped = house.controller.read_tap(uid, id, 0).unwrap();
        if tapped.records.len() >= records {
            return tapped;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("nothing passed");
}

#[tokio::test]
async fn a_tap_shows_what_passes_and_never_what_is_masked() {
    let house = House::standard().await;
    let uid = house.create(masking()).await;
    let refused = house.controller.open_tap(&uid, "make", "name", None, Caller::Token).await.unwrap_err();
    assert_eq!(refused.problem.code, "tap.not_running");
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Running).await;
    let refused = house.controller.open_tap(&uid, "make", "mask", None, Caller::Token).await.unwrap_err();
    assert_eq!(refused.problem.code, "tap.no_such_edge");

    for (from, to, name) in [("make", "name", "mail"), ("name", "mask", "email"), ("mask", "drop", "email")] {
        let tap = house.controller.open_tap(&uid, from, to, Some(60), Caller::Session).await.unwrap();
        assert_eq!(tap.hidden, ["email", "mail"]);
        let tapped = sees(&house, &uid, &tap.id, 3).await;
        assert!(tapped.passed >= 3 && tapped.tap.seconds_left > 0);
        let first = &tapped.records[0];
        assert_eq!((first.hidden.as_slice(), first.fields.len()), ([name.to_owned()].as_slice(), 2));
        assert!(first.value["id"].is_number());
        let text = serde_json::to_string(&tapped).unwrap();
        assert!(!text.contains("example"), "{text}");
        let last = tapped.records.last().unwrap().number;
        let later = house.controller.read_tap(&uid, &tap.id, last).unwrap();
        assert!(later.records.iter().all(|record| record.number > last));
        // Of another channel it is none.
        assert_eq!(house.controller.read_tap("other", &tap.id, 0).unwrap_err().problem.code, "tap.not_found");
        house.controller.close_tap(&uid, &tap.id);
        assert_eq!(house.controller.read_tap(&uid, &tap.id, 0).unwrap_err().problem.code, "tap.not_found");
    }
    let history = house.controller.status(&uid).await.unwrap().history;
    let deeds: Vec<_> = history.into_iter().filter_map(|entry| entry.deed).collect();
    let seen: Vec<_> = deeds.iter().map(|deed| (deed.what, &*deed.subject, deed.by)).collect();
    let opened = |edge| (DeedKind::TapOpened, edge, Caller::Session);
    assert_eq!(seen, [opened("mask>drop"), opened("name>mask"), opened("make>name")]);
    house.controller.shut_down().await;
}

#[tokio::test]
async fn a_tap_ends_by_itself_and_there_are_few_at_once() {
    let house = House::standard().await;
    let uid = house.create(masking()).await;
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Running).await;
    let open =
        async |seconds| house.controller.open_tap(&uid, "make", "name", Some(seconds), Caller::Token).await;
    let short = open(1).await.unwrap();
    let mut others = Vec::new();
    let busy = loop {
        match open(300).await {
            Ok(tap) => others.push(tap),
            Err(refused) => break refused,
        }
    };
    assert_eq!(busy.problem.code, "tap.busy");
    assert!((7..=8).contains(&others.len()));
    let ended = async || house.controller.read_tap(&uid, &short.id, 0).unwrap();
    while ended().await.tap.seconds_left > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // What it has seen is still there, and no more comes.
    let (one, other) = (ended().await, ended().await);
    assert_eq!(one, other);
    house.controller.close_tap(&uid, &others[0].id);
    open(1).await.unwrap();
    house.controller.shut_down().await;
}
