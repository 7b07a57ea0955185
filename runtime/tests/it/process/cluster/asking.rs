//! What users ask of any worker, and what comes of it everywhere.

use serde_json::{Value, json};

use super::super::{ids, stderr, until};
use super::{Crew, Orders, load};

/// A page for senders, open on every worker; the source listens on one.
#[test]
fn any_worker_takes_requests_to_hooks() {
    let crew = Crew::of("hooks", &["a", "b"]);
    let mut document = finite("hooked", 1);
    document["spec"]["nodes"][0] = json!({ "id": "in", "component": "http_webhook_source", "config": {} });
    crew.deploy("hooked", &document);
    crew.reaches("hooked", "running");
    let uid = crew.ask(&["status", "hooked"])["uid"].as_str().unwrap().to_owned();
    for (worker, id) in [("a", 1), ("b", 2)] {
        let (head, answer) = crew.post(worker, &format!("/hooks/{uid}/in"), "-", &json!({ "id": id }));
        assert!(head.starts_with("http/1.1 2"), "{worker}: {head} {answer}");
    }
    let nowhere = crew.post("a", &format!("/hooks/{uid}/out"), "-", &json!({}));
    assert_eq!(nowhere.1["code"], "hook.not_running", "{nowhere:?}");
    assert_eq!(ids(&crew.place.data().join("files/hooked.jsonl")), [1, 2]);
}

/// What a target refuses is a dead letter that every worker shows, and that can be tried again by any.
#[test]
fn dead_letters_are_everybodys() {
    let orders = Orders::new();
    let sql = |sql: &str| orders.postgres.sql(&orders.database, sql).unwrap();
    sql("alter table orders add constraint sevens check (id % 7 <> 0)");
    let crew = Crew::of("letters", &["a", "b"]);
    let mut document = orders.channel("orders", 500);
    document["spec"]["nodes"][0]["config"]["count"] = json!(140);
    // It goes on after the last record, so that letters can be tried again.
    document["spec"]["nodes"][0]["config"]["rate"] = json!(100);
    crew.deploy("orders", &document);
    crew.reaches("orders", "completed");
    for worker in ["a", "b"] {
        let output = crew.tell(worker, &["dead-letters", "list", "orders"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(list["total"], 20, "{worker}: {list}");
    }
    assert_eq!(orders.number("count(*)"), 120);
}

/// A channel of so many records into a file.
fn finite(name: &str, count: u32) -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": name },
        "spec": {
            "nodes": [
                { "id": "in", "component": "generate_source",
                  "config": { "count": count, "fields": { "id": { "sequence": {} } } } },
                { "id": "out", "component": "jsonl_sink", "config": { "path": format!("{name}.jsonl") } }
            ],
            "edges": [{ "from": "in", "to": "out" }]
        }
    })
}

#[test]
fn any_worker_answers() {
    let crew = Crew::of("asked", &["a", "b", "c"]);
    let path = "/api/v1/channels";
    for (worker, other) in [("a", "b"), ("b", "c"), ("c", "a")] {
        let name = format!("of-{worker}");
        let document = json!({ "document": finite(&name, 1) });
        // Whoever writes by one worker sees it there at once.
        let (head, answer) = crew.post(worker, path, worker, &document);
        assert!(head.starts_with("http/1.1 201") && head.contains("fairway-offset: "), "{head} {answer}");
        let output = crew.tell(worker, &["status", &name]);
        assert!(output.status.success(), "{}", stderr(&output));
        // The same request again, by another worker, is answered and does nothing again.
        let (head, again) = crew.post(other, path, worker, &document);
        assert!(head.starts_with("http/1.1 201") && again["uid"] == answer["uid"], "{head} {again}");
        let (_, twin) = crew.post(worker, path, &format!("{worker}, again"), &document);
        assert_eq!(twin["code"], "channel.name_taken", "{twin}");
    }
    let stranger = crew.post("b", "/api/v1/cluster/workers/nobody/drain", "none", &json!({}));
    assert_eq!(stranger.1["code"], "cluster.worker_not_found");
}

#[test]
fn what_is_asked_for_happens_wherever_the_tasks_are() {
    let orders = Orders::new();
    let crew = Crew::of("wishes", &["a", "b"]);
    load(&crew, &orders, 2);
    let first = crew.runs();
    crew.ask(&["pause", "orders-0"]);
    crew.ask(&["pause", "orders-1"]);
    crew.reaches("orders-0", "paused");
    crew.reaches("orders-1", "paused");
    crew.ask(&["resume", "orders-0"]);
    crew.ask(&["resume", "orders-1"]);
    crew.reaches("orders-0", "running");
    crew.reaches("orders-1", "running");
    assert_eq!(crew.runs(), first, "a pause moves nothing");
    let stopped = crew.ask(&["stop", "orders-0"]);
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    assert_eq!(crew.runs().len(), 1);
    crew.ask(&["resume", "orders-0"]);
    until("it runs under another grant", || {
        let now = crew.runs();
        now.len() == 2 && now != first
    });
    let before = crew.runs();
    crew.ask(&["restart", "orders-1"]);
    until("it begins anew", || {
        let now = crew.runs();
        now.len() == 2 && now != before
    });
    // A drained worker has nothing, and gets its share again.
    crew.ask(&["cluster", "drain", "b"]);
    until("nothing runs on b", || {
        let now = crew.runs();
        now.len() == 2 && now.values().all(|(worker, _)| worker == "a")
    });
    crew.ask(&["cluster", "undrain", "b"]);
    until("b has a share again", || crew.runs().values().any(|(worker, _)| worker == "b"));
    let history = crew.ask(&["cluster", "status", "--history"])["moves"].clone();
    let moves = history.as_array().cloned().unwrap_or_default();
    assert!(moves.iter().any(|moved| moved["why"] == "worker_drained" && moved["to"] == "a"), "{history}");
    orders.grow(2);
    orders.assert_each_once();
}

#[test]
fn channels_that_complete_or_fail_rest() {
    let mut crew = Crew::of("rests", &["a", "b"]);
    crew.deploy("finite", &finite("finite", 500));
    crew.reaches("finite", "completed");
    let mut failing = finite("failing", 5);
    failing["spec"]["nodes"][1]["config"]["path"] = json!("${env:FAIRWAY_NO_SUCH_VARIABLE}");
    crew.deploy("failing", &failing);
    crew.reaches("failing", "failed");
    assert_eq!(crew.ask(&["status", "failing"])["cause"]["code"], "env.missing");
    until("nothing is granted any more", || crew.look()["tasks"] == json!([]));
    // Another leader starts neither.
    let leader = crew.leader();
    crew.end(&leader);
    let next = crew.leader();
    assert_ne!(next, leader);
    assert_eq!((crew.state("finite"), crew.state("failing")), ("completed".to_owned(), "failed".to_owned()));
    let file = crew.place.data().join("files/finite.jsonl");
    assert_eq!(ids(&file), (1..=500).collect::<Vec<u64>>());
    // A changed source starts over, once the positions are in line; what the target has is told from it.
    let mut changed = finite("finite", 500);
    changed["spec"]["nodes"][0]["config"]["seed"] = json!(7);
    let document = crew.place.write("changed.json", changed.to_string());
    crew.ask(&["import", "--over", document.to_str().unwrap()]);
    crew.ask(&["deploy", "finite"]);
    until("all of it came again", || ids(&file).len() == 1000);
    crew.reaches("finite", "completed");
    let status = crew.ask(&["status", "finite"]);
    assert_eq!(status["counts"]["delivered"], 1000, "{status}");
}
