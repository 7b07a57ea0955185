//! What a new leader knows of its predecessor's time: requests that were carried out, and which tasks moved.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::until;
use super::{Crew, Orders, load};

impl Crew {
    /// Moves that a worker tells of: task, worker before, worker then, number of the grant.
    fn history(&self, worker: &str) -> BTreeSet<(String, String, String, u64)> {
        let told = self.tell(worker, &["cluster", "status", "--history"]);
        let told: Value = serde_json::from_slice(&told.stdout).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let moves = told["moves"].as_array().cloned().unwrap_or_default().into_iter();
        moves
            .map(|one| {
                let number = one["generation"].as_u64().unwrap_or_default();
                let name = format!("{}/{}", text(&one["channel"]), text(&one["task"]));
                (name, text(&one["from"]), text(&one["to"]), number)
            })
            .filter(|one| one.3 > 0)
            .collect()
    }
}

/// A request is carried out by one leader, which dies. Sent again to another worker it is answered as before, and nothing is done again.
/// What moved is remembered by everybody, also when all workers were started anew.
#[test]
fn a_new_leader_knows_what_was_done() {
    let orders = Orders::new();
    let mut crew = Crew::of("elections", &["a", "b", "c"]);
    load(&crew, &orders, 3);
    let leader = crew.leader();
    let asker = ["a", "b", "c"].into_iter().find(|id| *id != leader).unwrap();
    let document = json!({ "document": orders.channel("asked-for-once", 10) });
    let (head, first) = crew.post(asker, "/api/v1/channels", "once-and-no-more", &document);
    assert!(head.starts_with("http/1.1 201"), "{head}{first}");
    until("the leader has written down who runs what", || crew.history(asker).len() >= 3);
    let before = crew.history(asker);
    crew.kill(&leader);
    let (mut head, mut second) = (String::new(), Value::Null);
    until("another leads and answers", || {
        (head, second) = crew.post(asker, "/api/v1/channels", "once-and-no-more", &document);
        !head.starts_with("http/1.1 503")
    });
    assert!(head.starts_with("http/1.1 201"), "{head}{second}");
    assert_eq!(first["uid"], second["uid"]);
    let (head, other) = crew.post(asker, "/api/v1/channels", "another-id", &document);
    assert!(head.starts_with("http/1.1 409"), "the name is taken: {head}{other}");

    until("all channels run", || crew.runs().len() == 3);
    let ids: Vec<String> = crew.workers.keys().cloned().collect();
    for id in &ids {
        until("it remembers what moved before", || crew.history(id).is_superset(&before));
    }
    let known = crew.history(asker);
    for id in &ids {
        crew.end(id);
    }
    for id in &ids {
        crew.start(id);
    }
    crew.joined();
    for id in &ids {
        until("it remembers what moved before it came", || crew.history(id).is_superset(&known));
    }
    until("all channels run", || crew.runs().len() == 3);
    orders.grow(3);
    orders.assert_each_once();
}
