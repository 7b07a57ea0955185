//! Two users at once, by two workers: one name, one draft, and one channel after the other under the same name.

use std::collections::BTreeMap;
use std::thread;

use fairway_engine::testkit::counts;
use serde_json::{Value, json};

use super::{Crew, Orders, until};

/// F24: of two who create a channel of one name, or save over the same draft, one is told so; nothing is overwritten in silence.
#[test]
fn of_two_users_at_once_one_is_told() {
    let crew = Crew::of("users", &["a", "b"]);
    let document = |name: &str, note: &str| {
        json!({
            "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": name, "description": note },
            "spec": {
                "nodes": [
                    { "id": "in", "component": "generate_source",
                      "config": { "count": 1, "fields": { "id": { "sequence": {} } } } },
                    { "id": "out", "component": "jsonl_sink", "config": { "path": "out.jsonl" } }
                ],
                "edges": [{ "from": "in", "to": "out" }]
            }
        })
    };
    let by_both = |request: &(dyn Fn(&str) -> (String, Value) + Sync)| {
        thread::scope(|scope| {
            let both = ["a", "b"].map(|worker| scope.spawn(move || request(worker)));
            both.map(|one| one.join().unwrap())
        })
    };
    for round in 0..counts(3, 50) {
        let name = format!("twin-{round}");
        let answers = by_both(&|worker| {
            let body = json!({ "document": document(&name, worker) });
            crew.post(worker, "/api/v1/channels", &format!("{name}-{worker}"), &body)
        });
        let made: Vec<_> = answers.iter().filter(|(head, _)| head.starts_with("http/1.1 201")).collect();
        assert_eq!(made.len(), 1, "{answers:?}");
        let refused = answers.iter().find(|(head, _)| !head.starts_with("http/1.1 201")).unwrap();
        assert_eq!(refused.1["code"], "channel.name_taken", "{answers:?}");
        let (uid, etag) = (made[0].1["uid"].as_str().unwrap(), made[0].1["etag"].as_str().unwrap());
        let path = format!("/api/v1/channels/{uid}");
        let answers = by_both(&|worker| {
            let head = format!("PUT {path}/draft");
            let tag = format!("if-match: {etag}\r\nfairway-request-id: {name}-{worker}-put\r\n");
            crew.send(worker, &head, &tag, &document(&name, &format!("saved by {worker}")))
        });
        let saved: Vec<usize> =
            (0..2).filter(|number| answers[*number].0.starts_with("http/1.1 2")).collect();
        assert_eq!(saved.len(), 1, "{answers:?}");
        let (head, problem) = &answers[1 - saved[0]];
        assert!(head.starts_with("http/1.1 412") && problem["code"] == "draft.stale", "{answers:?}");
        let (_, now) = crew.send("b", &format!("GET {path}"), "", &Value::Null);
        let winner = ["a", "b"][saved[0]];
        assert_eq!(now["document"]["metadata"]["description"], format!("saved by {winner}"));
    }
}

/// F24, and a name that is used again: a channel is deleted and made anew under load, again and again. Each is another channel: no task and
/// no position of one before goes on.
#[test]
fn channels_made_anew_inherit_nothing() {
    let kafka = fairway_peers::kafka::shared();
    let orders = Orders::new();
    let crew = Crew::of("anew", &["a", "b"]);
    let mut uids: Vec<String> = Vec::new();
    for _ in 0..counts(3, 20) {
        crew.deploy("orders", &orders.channel("orders", 200));
        let uid = crew.ask(&["status", "orders"])["uid"].as_str().unwrap().to_owned();
        until("it runs", || crew.runs().len() == 1);
        orders.grow(1);
        let runs = crew.runs();
        assert!(runs.keys().all(|task| task.starts_with(&uid)), "a ghost runs: {runs:?}");
        let ghosts = uids.iter().filter(|old| **old == uid).count();
        assert_eq!(ghosts, 0, "a uid came again");
        let (head, _) = crew.send("b", &format!("DELETE /api/v1/channels/{uid}"), "", &Value::Null);
        assert!(head.starts_with("http/1.1 2"), "{head}");
        assert_eq!(crew.look()["tasks"], json!([]), "it is let go once that is answered");
        // Each began with its own first number.
        let spans = "select count(*), count(distinct id), min(id), max(id) from orders";
        let row = orders.postgres.sql(&orders.database, spans).unwrap();
        let cells: Vec<u64> = row.trim().split('|').map(|cell| cell.parse().unwrap()).collect();
        assert!(cells[0] == cells[1] && cells[2] <= 1 && cells[3] - cells[2] + 1 == cells[0], "{row}");
        orders.postgres.sql(&orders.database, "truncate orders").unwrap();
        uids.push(uid);
    }
    let mut last: BTreeMap<Vec<u8>, bool> = BTreeMap::new();
    for message in kafka.read("anew.positions").unwrap() {
        last.insert(message.key.unwrap_or_default(), message.value.is_some());
    }
    let kept = last.iter().filter(|(_, there)| **there).map(|(key, _)| String::from_utf8_lossy(key));
    let kept: Vec<_> = kept.filter(|key| uids.iter().any(|uid| key.contains(uid.as_str()))).collect();
    assert!(kept.is_empty(), "what is left of deleted channels: {kept:?}");
}
