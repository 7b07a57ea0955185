//! CSV → cast 3 fields → filter → JSON lines through the whole engine, beside the plainest loop of the `csv` and
//! `serde_json` crates doing the same work in the same run.
//!
//! `cargo xtask bench csv_to_jsonl [-- BYTES]` (default 1 GiB of input). Figures are records a second of processor time
//! that the whole process used, user and system, files included. Linux only: the time is read from `/proc`.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use fairway_engine::files::Files;
use fairway_engine::task::Ended;
use fairway_engine::testkit::measure::by_turns;
use fairway_engine::testkit::{Bench, Drawing};
use fairway_runtime::registry::Registry;
use fairway_shared::channel::ErrorPolicy;
use serde::Serialize;
use serde_json::json;

fn main() {
    let bytes: u64 = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(1 << 30);
    let folder = std::env::temp_dir().join(format!("fairway-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the bench");
    let input = folder.join("input.csv");
    let rows = write_input(&input, bytes);
    println!("{rows} records of 8 columns, {bytes} bytes");
    let (bare_out, our_out) = (folder.join("bare.jsonl"), folder.join("fairway.jsonl"));
    let length = Cell::new(0);
    let by_bare = || {
        bare(&input, &bare_out);
        length.set(taken(&bare_out));
    };
    let by_us = || {
        fairway(&folder);
        assert_eq!(taken(&our_out), length.get(), "outputs of one length");
        fs::remove_file(folder.join("fairway.jsonl.fairway")).expect("the side file");
    };
    by_turns(rows, by_bare, by_us);
    fs::remove_dir_all(&folder).expect("the bench's own folder");
}

/// Takes a file away and answers how long it was.
fn taken(path: &Path) -> u64 {
    let length = fs::metadata(path).expect("an output").len();
    fs::remove_file(path).expect("the bench's own file");
    length
}

fn fairway(folder: &Path) {
    let registry = Registry::standard();
    let component = |name: &str| *registry.get(name).expect("a component of the registry");
    let casts = json!({ "fields": [
        { "field": "id", "type": "int64" },
        { "field": "quantity", "type": "int64" },
        { "field": "amount", "type": "decimal" },
    ] });
    let rules = json!({ "rules": [{ "field": "amount", "op": "gt", "value": 0 }] });
    let mut drawing = Drawing::new()
        .node("read", component("csv_source"), json!({ "path": "input.csv", "columns": "text" }))
        .node("cast", component("cast_fields"), casts)
        .node("keep", component("filter_records"), rules)
        .node("write", component("jsonl_sink"), json!({ "path": "fairway.jsonl" }))
        .edges(&["read>cast", "cast>keep", "keep>write"])
        .policy(ErrorPolicy::Stop);
    drawing.0.files = Files::open(PathBuf::from(folder));
    drawing.0.until_caught_up = true;
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let mut bench = Bench::default();
    let ended = runtime.block_on(bench.run(&drawing));
    assert_eq!(ended.expect("the bench's channel runs"), Ended::Completed);
    let counts = bench.store.totals().counts;
    assert_eq!(counts.read, counts.delivered + counts.filtered);
}

#[derive(Serialize)]
struct Row<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
    city: &'a str,
    quantity: i64,
    amount: f64,
    created: &'a str,
    note: &'a str,
}

fn bare(input: &Path, output: &Path) {
    let mut reader = csv::Reader::from_path(input).expect("the bench's input");
    let mut out = BufWriter::with_capacity(1 << 16, File::create(output).expect("the bench's output"));
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).expect("sound CSV") {
        let amount: f64 = record[5].parse().expect("a number");
        if amount <= 0.0 {
            continue;
        }
        let row = Row {
            id: record[0].parse().expect("a number"),
            name: &record[1],
            email: &record[2],
            city: &record[3],
            quantity: record[4].parse().expect("a number"),
            amount,
            created: &record[6],
            note: &record[7],
        };
        serde_json::to_writer(&mut out, &row).expect("memory takes every write");
        out.write_all(b"\n").expect("room on the disk");
    }
    out.into_inner().expect("room on the disk").sync_data().expect("a disk that syncs");
}

/// Amounts never end in a zero, so that a float prints the digits that a decimal keeps.
fn write_input(path: &Path, bytes: u64) -> u64 {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).expect("the bench's input"));
    let mut write = |text: &str| out.write_all(text.as_bytes()).expect("room on the disk");
    write("id,name,email,city,quantity,amount,created,note\n");
    let (mut rows, mut written, mut state) = (0u64, 0u64, 88_172_645_463_325_252_u64);
    while written < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let sign = if state.is_multiple_of(5) { "-" } else { "" };
        let note =
            if rows.is_multiple_of(20) { "\"said \"\"yes\"\", then left\"" } else { "nothing of note" };
        let line = format!(
            "{rows},Customer {},c{}@example.org,\"Bad Homburg\",{},{sign}{}.{}{},2024-02-{:02}T10:00:00Z,{note}\n",
            state % 5000,
            state % 90_000,
            state % 40,
            state % 10_000,
            state % 10,
            state % 9 + 1,
            rows % 28 + 1,
        );
        write(&line);
        written += line.len() as u64;
        rows += 1;
    }
    out.flush().expect("room on the disk");
    rows
}
