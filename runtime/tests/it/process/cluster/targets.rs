//! Targets that crash and that crawl.

use std::thread;
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;
use fairway_engine::testkit::measure::resident_kib;
use fairway_peers::postgres::Postgres;
use serde_json::json;

use super::{Crew, Orders, load, until};

/// Most memory that a worker takes beside a target that crawls, unoptimised.
const MEMORY_KIB: u64 = 300 << 10;

/// Records a second beside it, of 200 asked for; a busy machine that runs all tests at once gets more.
const PACE: f64 = if cfg!(debug_assertions) { 50.0 } else { 150.0 };

/// F10, F11: the database crashes under load, so that some commits have no answer, and stays away for a while. It is said whose fault
/// that is, nothing moves and nothing becomes a dead letter, and in the end each row is there once.
#[test]
fn databases_that_crash_are_waited_for() {
    // Ended with the test program.
    let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start().unwrap()));
    let orders = Orders::on(postgres);
    let crew = Crew::of("crashes", &["a", "b"]);
    load(&crew, &orders, 2);
    let before = crew.runs();
    for _ in 0..counts(2, 20) {
        postgres.crash().unwrap();
        for channel in ["orders-0", "orders-1"] {
            until("it is degraded", || {
                let status = crew.ask(&["status", channel]);
                let code = status["cause"]["code"].as_str().unwrap_or_default().to_owned();
                status["state"] == "degraded"
                    && status["cause"]["node"] == "out"
                    && code.starts_with("postgres.")
            });
        }
        thread::sleep(counts(Duration::ZERO, Duration::from_secs(15)));
        postgres.start_again().unwrap();
        until("all channels run", || crew.runs() == before);
        orders.grow(2);
    }
    for channel in ["orders-0", "orders-1"] {
        assert_eq!(crew.ask(&["status", channel])["counts"]["dead_lettered"], 0);
    }
    orders.assert_each_once();
}

/// F17: a target crawls. What waits for it is bounded, and the channel beside it in the same worker keeps its pace.
#[test]
fn a_target_that_crawls_holds_up_nobody_else() {
    let (orders, slow) = (Orders::new(), Orders::new());
    let crawl = "create function crawl() returns trigger language plpgsql as $$ begin perform pg_sleep(0.002); return new; end $$; \
                 create trigger crawls before insert on orders for each row execute function crawl()";
    slow.postgres.sql(&slow.database, crawl).unwrap();
    let crew = Crew::of("crawls", &["a"]);
    load(&crew, &orders, 1);
    let mut document = slow.channel("slow", 1);
    let source = document["spec"]["nodes"][0]["config"].as_object_mut().unwrap();
    source.remove("rate");
    source.insert(
        "fields".to_owned(),
        json!({ "id": { "sequence": {} }, "channel": { "choice": { "values": ["slow"] } } }),
    );
    crew.deploy("slow", &document);
    until("it reads", || crew.runs().len() == 2);
    let (begun, rows) = (Instant::now(), orders.number("count(*)"));
    let time = counts(Duration::from_secs(6), Duration::from_secs(60));
    while begun.elapsed() < time {
        let memory = resident_kib(crew.workers["a"].child.id());
        assert!(memory < MEMORY_KIB, "{memory} KiB");
        thread::sleep(Duration::from_millis(200));
    }
    let pace = (orders.number("count(*)") - rows) as f64 / begun.elapsed().as_secs_f64();
    println!("beside a target that crawls: {pace:.0} of 200 records a second");
    assert!(pace > PACE, "{pace}{}", crew.logs());
    let status = crew.ask(&["status", "slow"]);
    assert_eq!(status["state"], "running", "{status}");
    orders.grow(1);
    orders.assert_each_once();
}
