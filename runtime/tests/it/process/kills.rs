//! `kill -9` again and again over the whole of a run, and what an outside witness then counts in the target: each row
//! once, each refused record one dead letter. `cargo xtask soak` kills fifty times and more.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, SystemTime};

use fairway_engine::testkit::counts;
use fairway_peers::kafka::Message;
use fairway_peers::postgres::Postgres;
use serde_json::{Value, json};
use sqlx::Connection as _;

use super::{Place, chain, code, ids, rows, stderr, summary, until};

/// Rows whose number is a multiple of this are refused by targets that can refuse.
const REFUSED: usize = 10_007;

/// What a witness asks a database.
const COUNTS: &str =
    "select count(*), count(distinct id), coalesce(min(id), 0), coalesce(max(id), 0) from orders";

/// What a witness finds: rows, different ids, the least and the greatest id.
type Found = (usize, usize, u64, u64);

/// A table of orders that refuses some, in a database of its own.
struct Orders {
    postgres: &'static Postgres,
    database: String,
}

impl Orders {
    fn new() -> Self {
        let postgres = fairway_peers::postgres::shared();
        let database = postgres.database().unwrap();
        let table = format!("create table orders (id int check (id % {REFUSED} <> 0), name text)");
        postgres.sql(&database, &table).unwrap();
        Self { postgres, database }
    }

    fn target(&self) -> Value {
        json!({
            "id": "out", "component": "postgres_sink",
            "config": { "url": self.postgres.url(&self.database), "table": "orders" }
        })
    }

    /// Had much sooner than all that a witness asks, so that the next kill comes while the run still has far to go.
    fn rows(&self) -> u64 {
        let rows = self.postgres.sql(&self.database, "select count(*) from orders").unwrap();
        rows.trim().parse().unwrap()
    }

    fn found(&self) -> Found {
        let row = self.postgres.sql(&self.database, COUNTS).unwrap();
        let number = |at: usize| row.split('|').nth(at).unwrap().parse::<u64>().unwrap();
        (number(0) as usize, number(1) as usize, number(2), number(3))
    }
}

#[test]
fn csv_to_postgres() {
    let orders = Orders::new();
    let place = Place::new();
    let from = csv(&place);
    torment(&place, &from, &orders.target(), true, || orders.rows(), || orders.found());
}

#[test]
fn kafka_to_postgres() {
    let orders = Orders::new();
    let broker = fairway_peers::kafka::shared();
    let topic = broker.topic(3, &[]).unwrap();
    let message = |id: usize| Message {
        partition: (id % 3) as i32,
        ..Message::of(json!({ "id": id, "name": format!("name of {id}") }).to_string())
    };
    broker.send(&topic, &(1..=count()).map(message).collect::<Vec<_>>()).unwrap();
    let from = json!({
        "id": "in", "component": "kafka_source",
        "config": { "brokers": broker.address(), "topics": [topic] }
    });
    torment(&Place::new(), &from, &orders.target(), true, || orders.rows(), || orders.found());
}

#[test]
fn csv_to_sqlite() {
    let place = Place::new();
    let path = place.path("orders.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let url = format!("sqlite://{}?mode=rwc", path.display());
    runtime.block_on(async {
        let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
        let table = format!("create table orders (id integer check (id % {REFUSED} <> 0), name text)");
        sqlx::query(sqlx::AssertSqlSafe(table)).execute(&mut database).await.unwrap();
        database.close().await.unwrap();
    });
    let target = json!({
        "id": "out", "component": "sqlite_sink", "config": { "path": path, "table": "orders" }
    });
    let last = || {
        runtime.block_on(async {
            let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
            let last = "select coalesce(max(rowid), 0) from orders";
            sqlx::query_scalar::<_, i64>(last).fetch_one(&mut database).await.unwrap() as u64
        })
    };
    torment(&place, &csv(&place), &target, true, last, || {
        runtime.block_on(async {
            let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
            let found: (i64, i64, i64, i64) = sqlx::query_as(COUNTS).fetch_one(&mut database).await.unwrap();
            (found.0 as usize, found.1 as usize, found.2 as u64, found.3 as u64)
        })
    });
}

#[test]
fn csv_to_json_lines() {
    let place = Place::new();
    let path = place.path("out.jsonl");
    let target = json!({ "id": "out", "component": "jsonl_sink", "config": { "path": path } });
    let length = || std::fs::metadata(&path).map_or(0, |meta| meta.len());
    torment(&place, &csv(&place), &target, false, length, || {
        let ids = ids(&path);
        let mut different = ids.clone();
        different.dedup();
        let ends = (ids.first().copied().unwrap_or_default(), ids.last().copied().unwrap_or_default());
        (ids.len(), different.len(), ends.0, ends.1)
    });
}

/// How many records a line moves.
fn count() -> usize {
    counts(100_000, 8_000_000)
}

/// A source of so many rows in a file.
fn csv(place: &Place) -> Value {
    place.write("in.csv", rows(count()));
    json!({ "id": "in", "component": "csv_source", "config": { "path": "in.csv" } })
}

/// Runs a channel into a target, kills it over and over, lets it come to its end, and counts.
/// `progress` grows with what is in the target.
fn torment(
    place: &Place,
    source: &Value,
    target: &Value,
    refuses: bool,
    progress: impl Fn() -> u64,
    witness: impl Fn() -> Found,
) {
    let count = count();
    let mut document = chain("orders", Value::Null, "");
    document["spec"]["nodes"] = json!([source, target]);
    let document = place.write("orders.json", document.to_string());
    let document = document.to_str().unwrap();
    let dead = if refuses { count / REFUSED } else { 0 };
    let (mut kills, mut chance) = (0, Chance::new());
    for round in 0..counts(4, 60) {
        let before = progress();
        let mut child =
            place.fairway(&["run", document]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if round % 4 > 0 {
            until("progress", || progress() > before || child.try_wait().unwrap().is_some());
        }
        thread::sleep(chance.up_to(Duration::from_millis(counts(200, 50))));
        child.kill().unwrap();
        kills += usize::from(!child.wait().unwrap().success());
    }
    assert!(kills >= counts(1, 50), "{kills} kills: the runs were over before they were killed");
    let output = place.output(&["run", document]);
    assert_eq!(code(output.status), 0, "{}", stderr(&output));
    assert_eq!(summary(&output)["outcome"], "completed");
    let (found, expected) = (witness(), count - dead);
    assert_eq!(found, (expected, expected, 1, count as u64), "after {kills} kills");
    let letters = place.output(&["dead-letters", "list", "orders", "--data", "data", "--output", "json"]);
    assert_eq!(code(letters.status), 0, "{}", stderr(&letters));
    let letters: Value = serde_json::from_slice(&letters.stdout).unwrap();
    assert_eq!(letters["total"], dead);
    println!("{kills} kills: {expected} rows once each, {dead} dead letters");
}

/// Moments without a pattern.
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        Self(now.as_nanos() as u64 | 1)
    }

    fn up_to(&mut self, most: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        most.mul_f64((self.0 % 1000) as f64 / 1000.0)
    }
}
