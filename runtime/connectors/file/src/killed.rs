//! Channels of files killed at any moment, by a real signal, and counted from outside (I1, G8).
//!
//! A child runs a drawing of the whole engine; the parent kills it again and again, until one comes to its end.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fairway_engine::files::Files;
use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing, counts};
use serde_json::json;

use crate::testing::{component, put};

const ROWS: usize = 6000;
const FILES: usize = 3;
/// Records that a file of each series takes.
const FULL: usize = 250;
/// Where the child finds its folder and its drawing.
const PLACE: &str = "FAIRWAY_KILLED_PLACE";

/// A text with everything that makes rows hard to tell apart.
fn text(n: usize) -> String {
    format!("é{n}, \"{}\"\r\n{}", n % 7, "x".repeat(n % 50))
}

fn drawing(root: &Path, packed: bool) -> Drawing {
    let (source, ending) = if packed { ("jsonl_source", "jsonl.gz") } else { ("csv_source", "csv") };
    let [csv, jsonl] = if packed { ["zstd", "gzip"] } else { ["none", "none"] };
    let mut drawing = Drawing::new()
        .node("in", *component(source), json!({ "path": format!("in/*.{ending}"), "batch": 64 }))
        .node(
            "csv",
            *component("csv_sink"),
            json!({ "path": "csv/a-{n}.csv", "compression": csv, "roll_records": FULL }),
        )
        .node(
            "jsonl",
            *component("jsonl_sink"),
            json!({ "path": "jsonl/a-{time}-{n}.jsonl", "compression": jsonl, "roll_records": FULL }),
        )
        .edges(&["in>csv", "in>jsonl"])
        .groups_of(90);
    drawing.0.files = Files::open(root);
    drawing
}

/// Not a test of its own: what is killed.
#[test]
#[ignore = "started by the test that kills it"]
fn child() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let (packed, root) = place.split_once(' ').unwrap();
    let drawing = drawing(Path::new(root), packed == "packed");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let ended = runtime.block_on(Bench::default().run(&drawing)).unwrap();
    assert_eq!(ended, Ended::Completed);
}

fn start(root: &Path, kind: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["killed::child", "--exact", "--ignored", "--nocapture"])
        .env(PLACE, format!("{kind} {}", root.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn inputs(root: &Path, packed: bool) {
    for file in 0..FILES {
        let rows = (0..ROWS).filter(|n| n % FILES == file);
        if packed {
            let lines: String = rows.map(|n| json!({ "n": n, "t": text(n) }).to_string() + "\n").collect();
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut encoder, lines.as_bytes()).unwrap();
            put(root, &format!("in/{file}.jsonl.gz"), &encoder.finish().unwrap());
        } else {
            let rows = rows.map(|n| format!("{n},\"{}\"\n", text(n).replace('"', "\"\"")));
            put(root, &format!("in/{file}.csv"), format!("n,t\n{}", rows.collect::<String>()).as_bytes());
        }
    }
}

/// The files of a series in order, decompressed by other means than ours.
fn series(folder: PathBuf) -> Vec<Vec<u8>> {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|name| name.extension().is_some_and(|ending| ending == "csv" || ending == "jsonl"));
    names.sort_by_key(|name| name.to_string_lossy().rsplit_once('-').map(|(_, number)| number.to_owned()));
    let unpacked = |name: PathBuf| {
        let bytes = std::fs::read(name).unwrap();
        let mut text = Vec::new();
        match bytes.as_slice() {
            [0x1f, 0x8b, ..] => {
                flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut text).map(drop).unwrap()
            }
            [0x28, 0xb5, ..] => {
                zstd::Decoder::new(&*bytes).unwrap().read_to_end(&mut text).map(drop).unwrap()
            }
            _ => text = bytes,
        }
        text
    };
    names.into_iter().map(unpacked).collect()
}

/// Bytes in a folder.
fn written(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries.map(|entry| entry.unwrap().metadata().map_or(0, |meta| meta.len())).sum()
}

/// Each record once, its text unchanged, and files that are full but for the last.
fn count(target: &str, files: Vec<Vec<(usize, String)>>) {
    let lengths: Vec<usize> = files.iter().map(Vec::len).collect();
    assert!(lengths[..lengths.len() - 1].iter().all(|length| *length == FULL), "{target}: {lengths:?}");
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for (n, found) in files.into_iter().flatten() {
        assert!(found == text(n), "{target}: {n} became {found:?}");
        *seen.entry(n).or_default() += 1;
    }
    let twice = seen.values().filter(|times| **times > 1).count();
    assert_eq!((seen.len(), twice), (ROWS, 0), "{target}: different records, and those that are there twice");
}

fn killed_and_counted(kind: &str) {
    let dir = tempfile::tempdir().unwrap();
    let packed = kind == "packed";
    let most = counts(21, 200);
    inputs(dir.path(), packed);
    // Another moment each time, over the whole of a run; a run that ends early is no kill.
    let mut seed = 0x9e37_79b9_u64;
    let (mut kills, mut longest) = (0, 60);
    // Kills that cut off a run which had come on a little further.
    let (mut midway, mut before) = (0, 0);
    let deadline = Instant::now() + Duration::from_secs(600);
    while kills < most {
        assert!(Instant::now() < deadline, "{kills} kills");
        let mut child = start(dir.path(), kind);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(15 + (seed >> 33) % longest));
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        match ended {
            None => {
                kills += 1;
                let now = written(&dir.path().join("csv"));
                midway += usize::from(now > before);
                longest += if now > before { 0 } else { 20 };
                before = now;
            }
            Some(status) => {
                assert!(status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                // Everything is delivered: begun anew, with less time.
                longest = (longest / 2).max(4);
                before = 0;
                ["csv", "jsonl"]
                    .iter()
                    .for_each(|name| std::fs::remove_dir_all(dir.path().join(name)).unwrap());
            }
        }
    }
    assert!(midway > 0, "only {midway} of {kills} kills fell into the writing");
    let output = start(dir.path(), kind).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = |text: Vec<u8>| -> Vec<(usize, String)> {
        csv::Reader::from_reader(&*text).deserialize().map(Result::unwrap).collect()
    };
    count("csv", series(dir.path().join("csv")).into_iter().map(rows).collect());
    let line = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        (record["n"].as_u64().unwrap() as usize, record["t"].as_str().unwrap().to_owned())
    };
    let lines = |text: Vec<u8>| std::str::from_utf8(&text).unwrap().lines().map(line).collect();
    count("jsonl", series(dir.path().join("jsonl")).into_iter().map(lines).collect());
}

#[test]
fn csv_into_series_killed_at_random() {
    killed_and_counted("plain");
}

#[test]
fn compressed_lines_into_series_killed_at_random() {
    killed_and_counted("packed");
}
