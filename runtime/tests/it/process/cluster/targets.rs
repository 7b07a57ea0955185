//! Targets that crash, that refuse, that crawl; and dead letters that have nowhere to go.

use std::thread;
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;
use fairway_engine::testkit::measure::resident_kib;
use fairway_peers::postgres::Postgres;
use serde_json::json;

use super::{Crew, Orders, Value, load, until};

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

/// F14, F15: the brokers do not take dead letters. The first refused record stops its task before anything beyond it is told to be done,
/// for as long as that lasts, and it is said; then it goes on and every refused record is a letter.
#[test]
fn letters_that_have_nowhere_to_go_stop_their_task() {
    let kafka = fairway_peers::kafka::shared();
    let orders = Orders::new();
    let sql = "alter table orders add constraint sevens check (id % 7 <> 0)";
    orders.postgres.sql(&orders.database, sql).unwrap();
    let crew = Crew::of("nowhere", &["a", "b"]);
    // No letter is as small as that.
    let topic = |largest| {
        let settings = [
            ("cleanup.policy", "compact"),
            ("message.timestamp.type", "LogAppendTime"),
            ("max.message.bytes", largest),
        ];
        kafka.set_topic("nowhere.dead-letters", &settings).unwrap();
    };
    topic("60");
    let mut document = orders.channel("orders", 500);
    document["spec"]["nodes"][0]["config"]["count"] = json!(140);
    document["spec"]["nodes"][0]["config"]["rate"] = json!(100);
    crew.deploy("orders", &document);
    let waits = |status: &Value| {
        let state = status["state"].as_str().unwrap_or_default();
        matches!(state, "degraded" | "restarting") && status["cause"]["code"].is_string()
    };
    until("it is said", || waits(&crew.ask(&["status", "orders"])));
    let begun = Instant::now();
    while begun.elapsed() < counts(Duration::from_secs(6), Duration::from_secs(180)) {
        let status = crew.ask(&["status", "orders"]);
        let state = status["state"].as_str().unwrap_or_default();
        assert!(["degraded", "restarting", "starting", "running"].contains(&state), "{status}");
        let positions = crew.ask(&["positions", "orders"]);
        let orders = positions["positions"].as_array().cloned().unwrap_or_default();
        let beyond = orders.iter().filter(|one| one["target"].is_null() && one["order"].as_u64() >= Some(7));
        assert_eq!(beyond.count(), 0, "{positions}");
        thread::sleep(Duration::from_millis(300));
    }
    topic("20000000");
    crew.reaches("orders", "completed");
    let status = crew.ask(&["status", "orders"]);
    let found = (status["counts"]["delivered"].as_u64(), status["counts"]["dead_lettered"].as_u64());
    assert_eq!(found, (Some(120), Some(20)), "{status}{}", crew.logs());
    assert_eq!((orders.number("count(*)"), orders.number("count(distinct id)")), (120, 120));
    let list = crew.ask(&["dead-letters", "list", "orders"]);
    assert_eq!(list["total"], 20, "{list}");
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
