//! Nested JSON lines → cast, filter, mask, set → JSON lines through the whole engine, beside a plain loop of `serde_json`
//! that does the same to the same lines.
//!
//! `cargo xtask bench jsonl_to_jsonl [-- RECORDS]` (default 2 million).

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use fairway_engine::files::Files;
use fairway_engine::task::Ended;
use fairway_engine::testkit::measure::by_turns;
use fairway_engine::testkit::{Bench, Drawing};
use fairway_runtime::registry::Registry;
use serde_json::{Map, Value, json};

fn main() {
    let records: u64 = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(2_000_000);
    let folder = std::env::temp_dir().join(format!("fairway-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the bench");
    let input = folder.join("input.jsonl");
    write_input(&input, records);
    println!("{records} records, {} bytes", fs::metadata(&input).expect("the input").len());
    let by_bare = || {
        bare(&input, &folder.join("bare.jsonl"));
        fs::remove_file(folder.join("bare.jsonl")).expect("the bench's own file");
    };
    by_turns(records, by_bare, || fairway(&folder, records));
    fs::remove_dir_all(&folder).expect("the bench's own folder");
}

fn fairway(folder: &Path, records: u64) {
    let registry = Registry::standard();
    let component = |name: &str| *registry.get(name).expect("a component of the registry");
    let mut drawing = Drawing::new()
        .node("read", component("jsonl_source"), json!({ "path": "input.jsonl" }))
        .node(
            "cast",
            component("cast_fields"),
            json!({ "fields": [
                { "field": "total", "type": "decimal" },
                { "field": "created", "type": "timestamp" },
            ] }),
        )
        .node(
            "keep",
            component("filter_records"),
            json!({ "rules": [{ "field": "total", "op": "gt", "value": 0 }] }),
        )
        .node("mask", component("mask_fields"), json!({ "fields": ["email"], "method": "redact" }))
        .node("set", component("set_fields"), json!({ "fields": { "channel": "web" } }))
        .node("write", component("jsonl_sink"), json!({ "path": "out.jsonl" }))
        .edges(&["read>cast", "cast>keep", "keep>mask", "mask>set", "set>write"]);
    drawing.0.files = Files::open(folder);
    drawing.0.until_caught_up = true;
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let mut bench = Bench::default();
    let ended = runtime.block_on(bench.run(&drawing));
    assert!(matches!(ended, Ok(Ended::Completed)), "{ended:?}");
    let counts = bench.store.totals().counts;
    assert_eq!((counts.read, counts.dead_lettered), (records, 0));
    for name in ["out.jsonl", "out.jsonl.fairway"] {
        fs::remove_file(folder.join(name)).expect("the bench's own file");
    }
}

fn bare(input: &Path, output: &Path) {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(input).expect("the bench's input"));
    let mut out = BufWriter::with_capacity(1 << 16, File::create(output).expect("the bench's output"));
    let mut line = String::new();
    while reader.read_line(&mut line).expect("a file that can be read") > 0 {
        let mut record: Map<String, Value> = serde_json::from_str(&line).expect("sound JSON");
        line.clear();
        if record["total"]
            .as_str()
            .and_then(|total| total.parse::<f64>().ok())
            .is_none_or(|total| total <= 0.0)
        {
            continue;
        }
        record.insert("email".into(), "***".into());
        record.insert("channel".into(), "web".into());
        serde_json::to_writer(&mut out, &record).expect("memory takes every write");
        out.write_all(b"\n").expect("room on the disk");
    }
    out.into_inner().expect("room on the disk").sync_data().expect("a disk that syncs");
}

fn write_input(path: &Path, records: u64) {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).expect("the bench's input"));
    for n in 0..records {
        let sign = if n.is_multiple_of(5) { "-" } else { "" };
        let line = format!(
            r#"{{"id":{n},"email":"c{}@example.org","created":"2024-02-{:02}T10:00:00Z","total":"{sign}{}.{:02}","address":{{"city":"Bad Homburg","geo":{{"lat":50.{},"lon":8.{}}}}},"items":[{{"sku":"A-{}","quantity":{}}},{{"sku":"B","quantity":1}}]}}"#,
            n % 90_000,
            n % 28 + 1,
            n % 10_000 + 1,
            n % 100,
            n % 10_000,
            n % 9_999,
            n % 500,
            n % 7 + 1,
        );
        writeln!(out, "{line}").expect("room on the disk");
    }
    out.flush().expect("room on the disk");
}
