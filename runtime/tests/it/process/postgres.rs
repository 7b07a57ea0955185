//! `fairway run` from CSV into PostgreSQL: what arrives is counted by `psql`.

use std::process::Stdio;

use serde_json::json;

use super::{Place, chain, code, rows, stderr, summary, until};

#[test]
fn killed_in_the_middle_every_row_is_there_once() {
    let postgres = fairway_peers::postgres::shared();
    let database = postgres.database().unwrap();
    postgres.sql(&database, "create table orders (id int check (id % 10007 <> 0), name text)").unwrap();
    let place = Place::new();
    let count = 200_000;
    place.write("in.csv", rows(count));
    let mut document = chain("orders", json!({ "path": "in.csv" }), "");
    document["spec"]["nodes"][1] = json!({
        "id": "out", "component": "postgres_sink",
        "config": { "url": postgres.url(&database), "table": "orders" }
    });
    let document = place.write("orders.json", document.to_string());
    let there =
        || -> usize { postgres.sql(&database, "select count(*) from orders").unwrap().parse().unwrap() };
    let dead = count / 10_007;
    let mut kills = 0;
    for _ in 0..5 {
        let before = there();
        let mut child = place
            .fairway(&["run", document.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("progress", || {
            let now = there();
            now > before || now + dead >= count
        });
        child.kill().unwrap();
        kills += usize::from(!child.wait().unwrap().success());
    }
    assert!(kills > 0, "every run was over before it was killed");
    let output = place.output(&["run", document.to_str().unwrap()]);
    assert_eq!(code(output.status), 0, "{}", stderr(&output));
    assert_eq!(summary(&output)["outcome"], "completed");
    let found =
        postgres.sql(&database, "select count(*), count(distinct id), min(id), max(id) from orders").unwrap();
    assert_eq!(found, format!("{0}|{0}|1|{count}", count - dead));
    let letters = place.output(&["dead-letters", "list", "orders", "--data", "data", "--output", "json"]);
    assert_eq!(code(letters.status), 0, "{}", stderr(&letters));
    let letters: serde_json::Value = serde_json::from_slice(&letters.stdout).unwrap();
    assert_eq!(letters["total"], dead);
}
