//! Topics of the cluster's own that are lost, cut and compacted.

use std::time::Instant;

use serde_json::json;

use super::{Crew, Orders, Value, load, until};

fn held(crew: &Crew, channel: &str) -> bool {
    let status = crew.ask(&["status", channel]);
    status["state"] == "hold" && status["cause"]["code"] == "cluster.positions_lost"
}

/// F26: the positions topic is lost, once while nobody runs and once under load. Channels hold instead of reading everything again, until
/// their users say so; channels that come later run.
#[test]
fn lost_positions_hold_their_channels() {
    let kafka = fairway_peers::kafka::shared();
    let orders = Orders::new();
    let mut crew = Crew::of("lost-positions", &["a", "b"]);
    load(&crew, &orders, 2);
    ["a", "b"].iter().for_each(|id| crew.end(id));
    kafka.delete_topic("lost-positions.positions").unwrap();
    let before = orders.number("count(*)");
    ["a", "b"].iter().for_each(|id| crew.start(id));
    crew.joined();
    for channel in ["orders-0", "orders-1"] {
        until("it holds", || held(&crew, channel));
    }
    // To ask for it again is no answer.
    crew.ask(&["resume", "orders-0"]);
    crew.ask(&["restart", "orders-1"]);
    until("they hold again", || held(&crew, "orders-0") && held(&crew, "orders-1"));
    assert_eq!(orders.number("count(*)"), before, "nothing was read again");
    crew.deploy("later", &orders.channel("later", 200));
    until("a new channel runs", || crew.runs().len() == 1);
    orders.grow(1);
    // Its numbers begin anew.
    orders.postgres.sql(&orders.database, "delete from orders where channel = 'orders-0'").unwrap();
    // It takes a moment until its last start is known to be over, wherever that was.
    until("it may be reset", || crew.tell("a", &["positions", "orders-0", "--reset"]).status.success());
    crew.ask(&["resume", "orders-0"]);
    until("it runs again", || crew.runs().len() == 2);
    orders.grow(2);
    kafka.delete_topic("lost-positions.positions").unwrap();
    for channel in ["orders-0", "later"] {
        until("it holds", || held(&crew, channel));
    }
    assert!(held(&crew, "orders-1"), "{}", crew.logs());
    orders.assert_each_once();
}

/// F26: the topic of states is lost under load. It is made again and told again, and no task notices.
#[test]
fn lost_states_are_told_again() {
    let kafka = fairway_peers::kafka::shared();
    let orders = Orders::new();
    let crew = Crew::of("lost-states", &["a", "b"]);
    load(&crew, &orders, 2);
    let before = crew.runs();
    kafka.delete_topic("lost-states.status").unwrap();
    let begun = Instant::now();
    until("it is there again", || {
        let read = kafka.read("lost-states.status").unwrap_or_default();
        let told = read.iter().filter(|one| one.key.as_deref().is_some_and(|key| key.starts_with(b"task/")));
        told.count() >= 2
    });
    println!("states were told again after {} ms", begun.elapsed().as_millis());
    until("all channels run", || crew.runs() == before);
    crew.ask(&["pause", "orders-0"]);
    crew.reaches("orders-0", "paused");
    crew.ask(&["resume", "orders-0"]);
    orders.grow(2);
    orders.assert_each_once();
}

/// What users see of all channels, and who is to run what.
fn settled(crew: &Crew) -> Value {
    let channels = crew.ask(&["status"]);
    let names = |value: &Value| {
        let of =
            |one: &Value| json!([one["uid"], one["name"], one["status"]["target"], one["status"]["version"]]);
        value["channels"].as_array().map(|all| all.iter().map(of).collect::<Vec<_>>())
    };
    json!([names(&channels), crew.look()["tasks"]])
}

/// F25: control is compacted, holds what a later Fairway wrote, and is cut. Workers that read it anew know the same; what is of later
/// ones lies there still; a topic without its beginning is refused.
#[test]
fn control_is_rebuilt_or_refused() {
    let settings = "log.cleaner.backoff.ms=200\nlog.cleaner.min.cleanable.ratio=0.01\n";
    let kafka = fairway_peers::kafka::Kafka::start_with(settings).unwrap();
    let orders = Orders::new();
    let mut crew = Crew::on(kafka.address(), "compacted");
    ["a", "b"].iter().for_each(|id| crew.start(id));
    crew.joined();
    load(&crew, &orders, 2);
    let topic = "compacted.control";
    let message = |key: &str, value: &str| fairway_peers::kafka::Message {
        key: Some(key.as_bytes().to_vec()),
        ..fairway_peers::kafka::Message::of(value)
    };
    let newer = [
        message("later/1", r#"{ "of": "a later Fairway" }"#),
        message("deployment/nobody", r#"{ "plan": "of a later Fairway" }"#),
        message("no kind at all", "and no JSON"),
    ];
    kafka.send(topic, &newer).unwrap();
    // Each round is a new version of what is wanted; compaction leaves the last.
    let compact = [("cleanup.policy", "compact"), ("segment.ms", "100"), ("max.compaction.lag.ms", "100")];
    kafka.set_topic(topic, &compact).unwrap();
    let targets = || kafka.read(topic).unwrap().iter().filter(|one| is_target(one)).count();
    let mut written = 0;
    until("it is compacted", || {
        crew.ask(&["pause", "orders-0"]);
        crew.ask(&["resume", "orders-0"]);
        written += 2;
        written > 6 && targets() < written / 2
    });
    crew.reaches("orders-0", "running");
    let before = settled(&crew);
    crew.start("c");
    let fresh = crew.tell("c", &["status"]);
    assert!(fresh.status.success());
    ["a", "b"].iter().for_each(|id| crew.end(id));
    crew.joined();
    until("all channels run", || crew.runs().len() == 2);
    assert_eq!(settled(&crew)[0], before[0], "the same is settled");
    let left = kafka.read(topic).unwrap();
    for kept in &newer {
        assert!(left.iter().any(|one| (&one.key, &one.value) == (&kept.key, &kept.value)), "{kept:?}");
    }
    orders.grow(2);
    crew.end("c");
    orders.assert_each_once();
    // Its beginning is deleted, as by retention.
    kafka.set_topic(topic, &[("cleanup.policy", "compact,delete")]).unwrap();
    let cut = left[left.len() / 2].offset;
    kafka.delete_before(topic, 0, cut).unwrap();
    let refused = |reason: &str| {
        let mut worker = crew.begin("d");
        assert_eq!(super::code(super::ended(&mut worker.child)), 4, "{}", crew.logs());
        let logs = crew.logs();
        assert!(logs.contains(reason), "{logs}");
    };
    refused("`compact,delete`");
    kafka.set_topic(topic, &[("cleanup.policy", "compact")]).unwrap();
    refused(&format!("what lay before offset {cut} of topic `{topic}` was deleted"));
}

fn is_target(message: &fairway_peers::kafka::Message) -> bool {
    message.key.as_deref().is_some_and(|key| key.starts_with(b"target/"))
}
