//! A channel whose tasks are joined by streams, over workers that are killed.

use std::time::Instant;

use fairway_engine::testkit::counts;
use serde_json::{Value, json};

use super::super::stderr;
use super::{AGAIN, Crew, Orders, until};

impl Orders {
    /// A channel that writes numbers to two targets, each by a task of its own.
    fn forked(&self, name: &str, pace: u32) -> Value {
        let source = json!({ "fields": { "id": { "sequence": {} } }, "rate": pace });
        let branch = |side: &str| {
            let config = json!({ "fields": { "channel": side } });
            let target = json!({ "url": self.postgres.url(&self.database), "table": "orders" });
            [
                json!({ "id": format!("mark-{side}"), "component": "set_fields", "config": config }),
                json!({ "id": side, "component": "postgres_sink", "config": target }),
            ]
        };
        let mut nodes = vec![json!({ "id": "in", "component": "generate_source", "config": source })];
        nodes.extend(branch("left"));
        nodes.extend(branch("right"));
        json!({
            "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": name },
            "spec": {
                "nodes": nodes,
                "edges": [
                    { "from": "in", "to": "mark-left" }, { "from": "mark-left", "to": "left" },
                    { "from": "in", "to": "mark-right" }, { "from": "mark-right", "to": "right" }
                ],
                "settings": { "stream": "topic", "delivery": "exactly_once" }
            }
        })
    }
}

/// The three tasks of a channel run on three workers. Whichever worker is killed, the one that reads the source or one that writes a
/// target, the others' tasks are not touched, and in the end each target has each number once.
#[test]
fn tasks_joined_by_streams_outlive_their_workers() {
    let orders = Orders::new();
    let mut crew = Crew::of("joined", &["a", "b", "c"]);
    crew.deploy("forked", &orders.forked("forked", 400));
    let spread = |crew: &Crew| {
        let runs = crew.runs();
        let mut workers: Vec<&String> = runs.values().map(|(worker, _)| worker).collect();
        workers.sort();
        workers.dedup();
        runs.len() == 3 && workers.len() == 3
    };
    until("each worker runs one task", || spread(&crew));
    orders.grow(2);
    // Whichever worker is asked, the one past which the records go answers.
    for worker in ["a", "b", "c"] {
        let output = crew.tell(worker, &["tap", "forked", "in", "mark-left", "--seconds", "1"]);
        let lines = String::from_utf8_lossy(&output.stdout);
        let seen = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let seen: Vec<Value> = seen.collect();
        assert!(output.status.success() && !seen.is_empty(), "{worker}: {}", stderr(&output));
        assert!(seen.iter().all(|record| record["value"]["id"].is_number()), "{worker}: {lines}");
    }
    for _ in 0..counts(1, 5) {
        for task in ["source-in", "sink-left", "sink-right"] {
            let before = crew.runs();
            let (_, (victim, _)) = before.iter().find(|(name, _)| name.ends_with(task)).expect("it runs");
            let (victim, begun) = (victim.clone(), Instant::now());
            crew.kill(&victim);
            until("the task runs elsewhere", || {
                let now = crew.runs();
                now.len() == 3 && now.values().all(|(worker, _)| *worker != victim)
            });
            println!("killed the worker of {task}: it ran again after {} ms", begun.elapsed().as_millis());
            assert!(begun.elapsed() < AGAIN, "{}", crew.logs());
            let now = crew.runs();
            for (other, place) in before.iter().filter(|(name, _)| !name.ends_with(task)) {
                assert_eq!(now[other], *place, "{other} was touched");
            }
            orders.grow(2);
            crew.start(&victim);
            crew.joined();
            until("spread again", || spread(&crew));
        }
    }
    orders.assert_each_once();
}
