//! How fast `postgres_sink` writes, beside bare clients with the same durability, of COPY for inserts and of UNNEST for upserts:
//! the same rows, as many in each transaction, every commit on the disk before it answers. All write into a server that the
//! bench starts for itself.
//!
//! `cargo bench -p fairway-connector-sql --bench postgres`, optionally followed by `-- ROWS`. Wall time is what a user waits
//! for; CPU time is that of this process only, without the server. Linux only: it is read from `/proc`.

use std::time::Instant;

use fairway_connector_sql::REGISTRY;
use fairway_engine::component::Opener;
use fairway_engine::data::json_read::JsonReader;
use fairway_engine::data::{Base, Batch, BatchBuilder, Meta};
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, SinkCtx};
use fairway_engine::testkit::measure::cpu_seconds;
use fairway_peers::postgres::Postgres;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection};

/// Records a batch, as a source would read them.
const BATCH: u64 = 1000;
/// Records a transaction.
const GROUP: u64 = 50_000;

const TABLE: &str = "(id bigint, name text, price numeric, quantity bigint, active boolean, at timestamptz, city text, note text)";

fn main() {
    let rows = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(2_000_000_u64);
    let postgres = Postgres::start().expect("a server");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let url = postgres.url("postgres");
    let fresh = |key: &str| {
        let sql =
            format!("drop table if exists t, fairway_positions; create table t {TABLE}{key}; checkpoint");
        postgres.sql("postgres", &sql).expect("a table");
    };
    let keyed = "; alter table t add primary key (id)";
    println!("{rows} rows of 8 columns, {GROUP} a commit; best of 3");
    let written = |what: &str| {
        let there = postgres.sql("postgres", "select count(*), count(distinct id) from t").expect("a count");
        assert_eq!(there, format!("{rows}|{rows}"), "{what}");
    };
    let copied = best(|| {
        fresh("");
        runtime.block_on(copy(&url, rows))
    });
    report("bare COPY", rows, copied, copied);
    let inserted = best(|| {
        fresh("");
        runtime.block_on(sink(&url, rows, r#""mode":"insert""#))
    });
    written("insert");
    report("postgres_sink, insert", rows, inserted, copied);
    // The rows are new at first, and there already then.
    for what in ["new rows", "rows that are there"] {
        let again = what != "new rows";
        let upsert = r#""mode":"upsert","key":["id"]"#;
        let begin = || {
            fresh(keyed);
            if again {
                runtime.block_on(unnest(&url, rows));
            }
        };
        let bare = best(|| {
            begin();
            runtime.block_on(unnest(&url, rows))
        });
        report(&format!("bare UNNEST, upsert of {what}"), rows, bare, bare);
        let took = best(|| {
            begin();
            runtime.block_on(sink(&url, rows, upsert))
        });
        written(what);
        report(&format!("postgres_sink, upsert of {what}"), rows, took, bare);
    }
}

/// Wall time and CPU time of this process, in seconds.
#[derive(Debug, Clone, Copy)]
struct Took {
    wall: f64,
    cpu: f64,
}

fn report(what: &str, rows: u64, took: Took, bare: Took) {
    println!(
        "{what:<42} {:>5.2} s wall ({:>7.0} rows/s, {:>3.0} % of bare), {:>5.2} s CPU ({:>8.0} rows per CPU-second)",
        took.wall,
        rows as f64 / took.wall,
        bare.wall / took.wall * 100.0,
        took.cpu,
        rows as f64 / took.cpu,
    );
}

/// The best of three, as others may use the machine.
fn best(mut run: impl FnMut() -> Took) -> Took {
    let runs = [run(), run(), run()];
    let least = |of: fn(&Took) -> f64| runs.iter().map(of).fold(f64::INFINITY, f64::min);
    Took { wall: least(|took| took.wall), cpu: least(|took| took.cpu) }
}

fn city(n: u64) -> &'static str {
    ["Rotterdam", "Antwerpen", "Hamburg", "Le Havre"][(n % 4) as usize]
}

/// The rows as a bare client has them ready.
fn copy_text(first: u64, until: u64) -> Vec<u8> {
    let line = |n: u64| {
        format!(
            "{n}\tcustomer {n}\t{}.50\t{}\t{}\t2026-01-01T00:00:{:02}Z\t{}\t\\N\n",
            n % 1000,
            n % 50,
            n.is_multiple_of(2),
            n % 60,
            city(n)
        )
    };
    (first..until).map(line).collect::<String>().into_bytes()
}

fn batches(rows: u64) -> Vec<Batch> {
    let mut builder = BatchBuilder::default();
    let mut reader = JsonReader::default();
    let line = |n: u64| {
        format!(
            r#"{{"id":{n},"name":"customer {n}","price":{}.50,"quantity":{},"active":{},"at":"2026-01-01T00:00:{:02}Z","city":"{}","note":null}}"#,
            n % 1000,
            n % 50,
            n.is_multiple_of(2),
            n % 60,
            city(n)
        )
    };
    let batch = |first: u64| {
        let lines: Vec<String> = (first..rows.min(first + BATCH)).map(line).collect();
        builder.set_base(Base::new(lines.concat().into_bytes()).expect("short text"));
        let mut offset = 0;
        for (row, line) in lines.iter().enumerate() {
            let meta = Meta::new(first + row as u64 + 1, row as u32);
            reader.read_row(&mut builder, offset, line.len(), meta).expect("sound JSON");
            offset += line.len();
        }
        builder.finish()
    };
    (0..rows).step_by(BATCH as usize).map(batch).collect()
}

async fn sink(url: &str, rows: u64, config: &str) -> Took {
    let batches = batches(rows);
    let component =
        REGISTRY.iter().find(|component| component.meta.name == "postgres_sink").expect("it is there");
    let Opener::Sink(open) = component.opener else { unreachable!("it is a sink") };
    let cx =
        SinkCtx { uid: "u".into(), node: "n".into(), share: None, generation: 1, files: Files::open(".") };
    let config = format!("{{\"url\":\"{url}\",\"table\":\"t\",{config}}}");
    let mut sink = open(serde_json::from_str(&config).expect("JSON"), cx).await.expect("a sink");
    let stream = StreamKey::straight("in", "");
    sink.adopt(&stream).await.expect("a stream");
    let (begin, cpu) = (Instant::now(), cpu_seconds());
    let mut order = 0;
    for batches in batches.chunks((GROUP / BATCH) as usize) {
        order += batches.iter().map(|batch| batch.len() as u64).sum::<u64>();
        let position = Position { order, token: serde_json::Value::Null };
        let marks = [Mark { stream: stream.clone(), position }];
        let outcome = sink.deliver(Group { batches, marks: &marks }).await.expect("a delivery");
        assert!(matches!(outcome, Outcome::Delivered(_)));
    }
    let took = Took { wall: begin.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu };
    sink.close().await.expect("closed");
    took
}

async fn copy(url: &str, rows: u64) -> Took {
    let chunks: Vec<Vec<u8>> =
        (0..rows).step_by(GROUP as usize).map(|first| copy_text(first, rows.min(first + GROUP))).collect();
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    let (begin, cpu) = (Instant::now(), cpu_seconds());
    for chunk in &chunks {
        sqlx::raw_sql(AssertSqlSafe("BEGIN")).execute(&mut connection).await.expect("a transaction");
        let mut copy = connection.copy_in_raw("COPY t FROM STDIN").await.expect("a COPY");
        for part in chunk.chunks(256 << 10) {
            copy.send(part).await.expect("sent");
        }
        copy.finish().await.expect("rows");
        sqlx::raw_sql(AssertSqlSafe("COMMIT")).execute(&mut connection).await.expect("a commit");
    }
    let took = Took { wall: begin.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu };
    connection.close().await.expect("closed");
    took
}

/// Rows of one statement, column by column.
#[derive(Default)]
struct Columns {
    ids: Vec<i64>,
    names: Vec<String>,
    prices: Vec<String>,
    quantities: Vec<i64>,
    actives: Vec<bool>,
    times: Vec<String>,
    cities: Vec<&'static str>,
    notes: Vec<Option<String>>,
}

impl Columns {
    fn of(rows: std::ops::Range<u64>) -> Self {
        let mut columns = Self::default();
        for n in rows {
            columns.ids.push(n as i64);
            columns.names.push(format!("customer {n}"));
            columns.prices.push(format!("{}.50", n % 1000));
            columns.quantities.push((n % 50) as i64);
            columns.actives.push(n.is_multiple_of(2));
            columns.times.push(format!("2026-01-01T00:00:{:02}Z", n % 60));
            columns.cities.push(city(n));
            columns.notes.push(None);
        }
        columns
    }
}

/// Upserts as a careful hand would write them: arrays that are ready, ten thousand rows a statement.
async fn unnest(url: &str, rows: u64) -> Took {
    const STATEMENT: u64 = 10_000;
    const UPSERT: &str = "INSERT INTO t SELECT * FROM UNNEST($1::bigint[], $2::text[], $3::text[]::numeric[], $4::bigint[], \
        $5::boolean[], $6::text[]::timestamptz[], $7::text[], $8::text[]) ON CONFLICT (id) DO UPDATE SET \
        name = excluded.name, price = excluded.price, quantity = excluded.quantity, active = excluded.active, \
        at = excluded.at, city = excluded.city, note = excluded.note";
    let groups: Vec<Vec<Columns>> = (0..rows)
        .step_by(GROUP as usize)
        .map(|first| {
            let until = rows.min(first + GROUP);
            let statements = (first..until).step_by(STATEMENT as usize);
            statements.map(|first| Columns::of(first..until.min(first + STATEMENT))).collect()
        })
        .collect();
    let mut connection = PgConnection::connect(url).await.expect("a connection");
    let (begin, cpu) = (Instant::now(), cpu_seconds());
    for group in &groups {
        let mut transaction = connection.begin().await.expect("a transaction");
        for columns in group {
            let upsert = sqlx::query(UPSERT)
                .bind(&columns.ids)
                .bind(&columns.names)
                .bind(&columns.prices)
                .bind(&columns.quantities)
                .bind(&columns.actives)
                .bind(&columns.times)
                .bind(&columns.cities)
                .bind(&columns.notes);
            upsert.execute(&mut *transaction).await.expect("rows");
        }
        transaction.commit().await.expect("a commit");
    }
    let took = Took { wall: begin.elapsed().as_secs_f64(), cpu: cpu_seconds() - cpu };
    connection.close().await.expect("closed");
    took
}
