//! CSV → cast 3 fields → filter → JSON lines through the whole engine, beside the plainest loop of the `csv` and
//! `serde_json` crates doing the same work in the same run.
//!
//! `cargo xtask bench csv_to_jsonl [-- BYTES]` (default 1 GiB of input). Figures are records a second of processor time
//! that the whole process used, user and system, files included. Linux only: the time is read from `/proc`.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use fairway_engine::Component;
use fairway_engine::files::Files;
use fairway_engine::task::{Control, Ended, Limits, NodeSpec, Progress, TaskSpec, run};
use fairway_engine::testkit::MemoryStore;
use fairway_runtime::registry::Registry;
use fairway_shared::channel::{ErrorPolicy, PortRef};
use serde::Serialize;
use serde_json::{Value, json};

/// How often each is measured.
const ROUNDS: usize = 3;

fn main() {
    let bytes: u64 = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(1 << 30);
    let folder = std::env::temp_dir().join(format!("fairway-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the bench");
    let input = folder.join("input.csv");
    let rows = write_input(&input, bytes);
    println!("{rows} records of 8 columns, {bytes} bytes");
    // By turns, and each output goes before the next is written: whoever writes to pages that the system has not used yet
    // pays for them, which has nothing to do with the work.
    let (bare_out, our_out) = (folder.join("bare.jsonl"), folder.join("fairway.jsonl"));
    let (mut by_bare, mut by_us) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        by_bare.push(measured("bare csv + serde_json", rows, || bare(&input, &bare_out)));
        let length = fs::metadata(&bare_out).expect("the bare loop's output").len();
        fs::remove_file(&bare_out).expect("the bench's own file");
        by_us.push(measured("fairway", rows, || fairway(&folder)));
        assert_eq!(fs::metadata(&our_out).expect("our output").len(), length, "outputs of one length");
        fs::remove_file(&our_out).expect("the bench's own file");
        fs::remove_file(folder.join("fairway.jsonl.fairway")).expect("the side file");
    }
    let (bare, ours) = (median(by_bare), median(by_us));
    println!("medians: bare {:.3}, fairway {:.3} million records per CPU-second", bare / 1e6, ours / 1e6);
    println!("fairway does {:.0} % of the bare loop", ours / bare * 100.0);
    println!("peak memory of the process {} MB", peak_memory() / 1024);
    fs::remove_dir_all(&folder).expect("the bench's own folder");
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

fn measured(name: &str, rows: u64, work: impl FnOnce()) -> f64 {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    work();
    let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
    let rate = rows as f64 / cpu;
    println!(
        "{name:<24} {:>6.3} million records per CPU-second ({cpu:.2} s of CPU, {wall:.2} s of wall)",
        rate / 1e6
    );
    rate
}

fn fairway(folder: &Path) {
    let registry = Registry::standard();
    let node = |id: &str, component: &str, config: Value| NodeSpec {
        id: id.into(),
        component: *registry.get(component).expect("a component of the registry") as Component,
        config,
    };
    let spec = TaskSpec {
        uid: "bench".into(),
        id: "direct".into(),
        nodes: vec![
            node("read", "csv_source", json!({ "path": "input.csv", "columns": "text" })),
            node(
                "cast",
                "cast_fields",
                json!({ "fields": [
                    { "field": "id", "type": "int64" },
                    { "field": "quantity", "type": "int64" },
                    { "field": "amount", "type": "decimal" },
                ] }),
            ),
            node(
                "keep",
                "filter_records",
                json!({ "rules": [{ "field": "amount", "op": "gt", "value": 0 }] }),
            ),
            node("write", "jsonl_sink", json!({ "path": "fairway.jsonl" })),
        ],
        edges: [("read", "cast"), ("cast", "keep"), ("keep", "write")]
            .map(|(from, to)| (PortRef::node(from), PortRef::node(to)))
            .into(),
        policy: ErrorPolicy::Stop,
        files: Files::open(PathBuf::from(folder)),
        hooks: fairway_engine::hooks::Hooks::default(),
        until_caught_up: true,
        give_up: None,
        limits: Limits::default(),
    };
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let store = Arc::new(MemoryStore::default());
    let ended = runtime.block_on(run(spec, store.clone(), Arc::new(Progress::default()), Control::default()));
    assert_eq!(ended.expect("the bench's channel runs"), Ended::Completed);
    let counts = store.totals().counts;
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

/// User and system time of this process, in seconds.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks: u64 = after.split(' ').skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
    // USER_HZ is 100 on every Linux that this runs on.
    ticks as f64 / 100.0
}

/// Most memory this process ever held, in KiB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|text| text.trim().trim_end_matches(" kB").trim().parse().ok()).unwrap_or_default()
}
