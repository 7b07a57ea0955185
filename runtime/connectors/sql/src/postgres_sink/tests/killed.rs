//! Whole tasks that are killed, whose sessions are ended from outside, and whose server goes down: `psql` counts.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fairway_engine::task::{Ended, TaskState};
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SOURCE};
use fairway_peers::postgres::Postgres;
use serde_json::{Value, json};

use super::Harbour;
use crate::testing::component;

/// Multiples of this are refused by the table.
const REFUSED: i64 = 1999;

/// Numbers without an end (xorshift); the seed is in every message.
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Self(now.as_nanos() as u64 | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

fn table() -> String {
    format!("create table t(n bigint check (n % {REFUSED} <> 0))")
}

fn drawing(config: Value, count: i64) -> Drawing {
    Drawing::new()
        .node("in", MEMORY_SOURCE, json!({"count": count, "batch": 50}))
        .node("out", *component("postgres_sink"), config)
        .edges(&["in>out"])
        .groups_of(500)
}

/// Every number is in the table once, or a dead letter once.
fn counted(answer: &str, bench: &Bench, count: i64, seed: u64) {
    let refused = count / REFUSED;
    let rows = count - refused;
    assert_eq!(answer, format!("{rows}|{rows}|0"), "seed {seed}");
    let mut letters: Vec<u64> = bench.store.letters().iter().map(|letter| letter.key.order).collect();
    letters.dedup();
    assert_eq!(letters.len() as i64, refused, "seed {seed}");
    assert!(letters.iter().all(|order| *order as i64 % REFUSED == 0), "seed {seed}");
}

fn question(count: i64) -> String {
    format!("select count(*), count(distinct n), count(*) filter (where n not between 1 and {count}) from t")
}

/// Dropped at any point, without a word to anybody, and its sessions ended by the server meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_killed_again_and_again_delivers_each_record_once() {
    let harbour = Harbour::with(&table());
    let count = 30_000;
    let drawing = drawing(harbour.config(r#""table":"t""#), count);
    let mut bench = Bench::default();
    let mut chance = Chance::new();
    let seed = chance.0;
    let mut completed = 0;
    for round in 0..60 {
        let (mut killed, drawing) = (bench.clone(), drawing.clone());
        killed.control = fairway_engine::task::Control::default();
        let running = tokio::spawn(async move { killed.run(&drawing).await });
        tokio::time::sleep(Duration::from_micros(chance.below(30_000))).await;
        if round % 3 == 0 {
            harbour.sql(
                "select pg_terminate_backend(pid) from pg_stat_activity
                where datname = current_database() and application_name like 'fairway/%'",
            );
            tokio::time::sleep(Duration::from_micros(chance.below(20_000))).await;
        }
        running.abort();
        if let Ok(Ok(Ended::Completed)) = running.await {
            completed += 1;
        }
    }
    assert!(completed < 55, "most were killed in the middle: {completed}");
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed, "seed {seed}");
    counted(&harbour.sql(&question(count)), &bench, count, seed);
}

/// The server crashes and comes back while a task runs: it is DEGRADED meanwhile, and nothing is lost or doubled.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_down_and_comes_back_loses_nothing() {
    let postgres = Postgres::start().unwrap();
    postgres.sql("postgres", &table()).unwrap();
    let count = 20_000;
    let config = json!({"url": postgres.url("postgres"), "table": "t"});
    let drawing = drawing(config, count);
    let bench = Bench::default();
    let progress = bench.progress.clone();
    let (store, control) = (bench.store.clone(), bench.control.clone());
    let (spec, watched) = (drawing.0.clone(), progress.clone());
    let running = tokio::spawn(async move { fairway_engine::task::run(spec, store, watched, control).await });
    let reach = async |wanted: fn(&fairway_engine::task::Snapshot) -> bool| {
        let until = Instant::now() + Duration::from_secs(15);
        while !wanted(&progress.snapshot()) {
            assert!(Instant::now() < until, "{:?}", progress.snapshot());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    for _ in 0..2 {
        let before = progress.snapshot().totals.counts.read;
        let until = Instant::now() + Duration::from_secs(15);
        while progress.snapshot().totals.counts.read < before + 3000 {
            assert!(Instant::now() < until, "{:?}", progress.snapshot());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        postgres.crash().unwrap();
        reach(
            |seen| matches!(&seen.state, TaskState::Degraded(cause) if cause.code.starts_with("postgres.")),
        )
        .await;
        postgres.start_again().unwrap();
        reach(|seen| seen.state == TaskState::Running).await;
    }
    assert_eq!(running.await.unwrap().unwrap(), Ended::Completed);
    counted(&postgres.sql("postgres", &question(count)).unwrap(), &bench, count, 0);
    bench.control.abort();
}
