//! A target that goes away under load and comes back: it is said, little is held meanwhile, and each row arrives once.
//! `cargo xtask soak` leaves it away for a minute.

use std::thread;
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;
use fairway_engine::testkit::measure::resident_kib;
use fairway_peers::postgres::Postgres;
use serde_json::{Value, json};

use super::{Place, Server, chain, rows, until};

/// Most memory that a server takes while its target is away, unoptimised.
const MEMORY_KIB: u64 = 160 << 10;

#[test]
fn a_target_that_is_away_is_waited_for() {
    let postgres = Postgres::start().unwrap();
    let database = postgres.database().unwrap();
    postgres.sql(&database, "create table orders (id int, name text)").unwrap();
    let place = Place::new();
    let count = counts(400_000, 4_000_000);
    place.write("data/files/in.csv", rows(count));
    let mut document = chain("orders", json!({ "path": "in.csv" }), "");
    document["spec"]["nodes"][1] = json!({
        "id": "out", "component": "postgres_sink",
        "config": { "url": postgres.url(&database), "table": "orders" }
    });
    let document = place.write("orders.json", document.to_string());
    let server = Server::start(&place, &[]);
    server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
    server.ask(&place, &["deploy", "orders", "--output", "json"]);
    until("rows", || postgres.sql(&database, "select exists (select from orders)").unwrap() == "t");
    postgres.crash().unwrap();
    server.reaches(&place, "orders", "degraded");
    let away = Instant::now();
    while away.elapsed() < counts(Duration::from_secs(1), Duration::from_secs(60)) {
        let status = server.ask(&place, &["status", "orders", "--output", "json"]);
        assert_eq!(status["state"], "degraded");
        let cause = &status["cause"];
        assert_eq!(cause["node"], "out", "it is said whose fault it is: {cause}");
        assert!(cause["code"].as_str().is_some_and(|code| code.starts_with("postgres.")), "{cause}");
        let memory = resident_kib(server.child.id());
        assert!(memory < MEMORY_KIB, "{memory} KiB");
        thread::sleep(Duration::from_millis(200));
    }
    postgres.start_again().unwrap();
    server.reaches(&place, "orders", "completed");
    let found = postgres.sql(&database, "select count(*), count(distinct id) from orders").unwrap();
    assert_eq!(found, format!("{count}|{count}"));
    let status: Value = server.ask(&place, &["status", "orders", "--output", "json"]);
    assert_eq!(status["counts"]["delivered"], count);
    assert_eq!(server.stop("TERM"), 0);
}
