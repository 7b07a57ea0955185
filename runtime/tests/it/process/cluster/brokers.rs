//! Brokers that go away, and a worker that is cut off from them while its targets stay in reach.

use std::thread;
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;
use fairway_engine::testkit::measure::resident_kib;
use fairway_peers::kafka::Kafka;

use super::{Crew, Orders, Value, load, until};

/// From the return of the brokers to running again: the bar is 10 s, and what is measured is printed.
const RESUMES: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 10 });
/// Most memory that a worker takes while it waits, unoptimised.
const MEMORY_KIB: u64 = 200 << 10;

/// State and code of the cause of a channel, as one worker sees it.
fn seen(crew: &Crew, worker: &str, channel: &str) -> (String, String) {
    let output = crew.tell(worker, &["status", channel]);
    let status: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&status["state"]), text(&status["cause"]["code"]))
}

/// F7: the broker is away. Every worker says so, holds little, and fails nothing; when the broker is back the same grants go on, and no
/// task was started twice.
#[test]
fn brokers_that_are_away_are_waited_for() {
    let mut kafka = Kafka::start().unwrap();
    let orders = Orders::new();
    let mut crew = Crew::on(kafka.address(), "away");
    ["a", "b"].iter().for_each(|id| crew.start(id));
    crew.joined();
    load(&crew, &orders, 4);
    let before = crew.runs();
    kafka.kill().unwrap();
    let away = Instant::now();
    let degraded = ("degraded".to_owned(), "cluster.out_of_touch".to_owned());
    for worker in ["a", "b"] {
        for channel in 0..4 {
            let name = format!("orders-{channel}");
            until("every worker says so", || seen(&crew, worker, &name) == degraded);
        }
    }
    println!("brokers away: said by all after {} ms", away.elapsed().as_millis());
    while away.elapsed() < counts(Duration::from_secs(8), Duration::from_secs(30)) {
        for (id, worker) in &crew.workers {
            assert_eq!(seen(&crew, id, "orders-0"), degraded, "{}", crew.logs());
            let memory = resident_kib(worker.child.id());
            assert!(memory < MEMORY_KIB, "{id}: {memory} KiB");
        }
        thread::sleep(Duration::from_millis(200));
    }
    kafka.start_again().unwrap();
    let back = Instant::now();
    until("all channels run", || crew.runs().len() == before.len());
    orders.grow(4);
    println!("brokers back: all ran again after {} ms", back.elapsed().as_millis());
    assert!(back.elapsed() < RESUMES, "{}", crew.logs());
    // A worker that gets so little time that it is not heard for 4.5 s after the others is rightly taken for dead; `seats` tries the same
    // without load.
    if !cfg!(debug_assertions) {
        assert_eq!(crew.runs(), before, "the same grants go on");
    }
    for channel in 0..4 {
        let status = crew.ask(&["status", &format!("orders-{channel}")]);
        let tasks = status["tasks"].as_array().unwrap();
        assert!(tasks.iter().all(|task| task["restarts"] == 0), "{tasks:?}");
        let told = |entry: &Value| entry["cause"]["code"] == "cluster.out_of_touch";
        until("the outage is in the history", || {
            let history = crew.ask(&["status", &format!("orders-{channel}")])["history"].clone();
            history.as_array().is_some_and(|history| history.iter().any(told))
        });
    }
    orders.assert_each_once();
}

/// F5: a worker is cut off from the brokers, not from the database that it writes to. It stops writing by itself before others may
/// begin, and says why; nobody else's tasks are touched. When the cut is mended it has its share again.
#[test]
fn a_worker_that_is_cut_off_stops_before_others_begin() {
    let kafka = Kafka::start().unwrap();
    let orders = Orders::new();
    let mut crew = Crew::on(kafka.address(), "cuts");
    ["a", "b"].iter().for_each(|id| crew.start(id));
    let behind = crew.begin_as("c", &kafka.gate().address(), &[]);
    crew.workers.insert("c".to_owned(), behind);
    crew.joined();
    load(&crew, &orders, 6);
    until("spread", || of(&crew, "c").len() == 2);
    for round in 0..counts(1, 10) {
        let (before, cut_off) = (crew.runs(), of(&crew, "c"));
        orders.forget();
        orders.grow(6);
        let now = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";
        let sql = |sql: &str| orders.postgres.sql(&orders.database, sql).unwrap().trim().to_owned();
        kafka.gate().shut(true);
        let cut: u64 = sql(now).parse().unwrap();
        until("all channels run elsewhere", || {
            let now = crew.runs();
            now.len() == 6 && now.values().all(|(worker, _)| worker != "c")
        });
        orders.grow(6);
        let said = seen(&crew, "c", "orders-0");
        assert_eq!(said, ("degraded".to_owned(), "cluster.out_of_touch".to_owned()), "{}", crew.logs());
        let moved = before.iter().filter(|(task, _)| !cut_off.contains(*task));
        let now = crew.runs();
        moved.for_each(|(task, place)| assert_eq!(now[task], *place, "{task} was touched"));
        // Each connection of a target has a number in its rows: those of the old owner end before those of the new one begin.
        let spans = "select writer, min(extract(epoch from at) * 1000)::bigint as first, \
                     max(extract(epoch from at) * 1000)::bigint as last from orders where at > 'epoch' and channel = ";
        let names = crew.ask(&["cluster", "status"])["cluster"]["tasks"].clone();
        for task in &cut_off {
            let uid = task.split('/').next().unwrap();
            let entry = names.as_array().unwrap().iter().find(|entry| entry["channel"] == uid).unwrap();
            let name = entry["channel_name"].as_str().unwrap();
            let spans = sql(&format!("{spans} '{name}' group by writer order by first"));
            let spans: Vec<Vec<u64>> = spans
                .lines()
                .map(|line| line.split('|').map(|cell| cell.parse().unwrap()).collect())
                .collect();
            assert!(spans.len() > 1, "{name}: {spans:?}");
            let apart = spans.windows(2).all(|two| two[0][2] < two[1][1]);
            assert!(apart, "{name} was written by two at a time: {spans:?}");
            let old = spans[spans.len() - 2][2].saturating_sub(cut);
            println!("round {round}: {name}: the last row of the old owner came {old} ms after the cut");
            // 4 s by its own beats; the last of them may have been sent a moment after the cut.
            assert!(old < 4500, "{name}: {old} ms");
        }
        kafka.gate().shut(false);
        until("it has its share again", || crew.runs().len() == 6 && of(&crew, "c").len() == 2);
        orders.grow(6);
    }
    orders.assert_each_once();
}

/// Tasks that run on a worker.
fn of(crew: &Crew, worker: &str) -> Vec<String> {
    crew.runs().into_iter().filter(|(_, (on, _))| on == worker).map(|(task, _)| task).collect()
}
