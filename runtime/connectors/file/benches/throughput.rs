//! How many records a second of processor time `csv_source` reads and `jsonl_sink` writes, each alone and both together.
//!
//! `cargo bench -p fairway-connector-file --bench throughput [-- ROWS] [TITLE]`, for all or only those whose title contains
//! a text. Files lie in the temporary folder; the time is
//! what all threads of this process had of their processors (`/proc/self/task/*/schedstat`), so it needs Linux. Each figure is
//! the best of five runs.

use std::io::Write as _;
use std::path::Path;

use fairway_connector_file::REGISTRY;
use fairway_engine::component::Opener;
use fairway_engine::data::Batch;
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, StreamKey};
use fairway_engine::sink::{Group, Sink, SinkCtx};
use fairway_engine::source::{Next, Source, SourceCtx};

/// Records that a sink gets at once.
const GROUP: usize = 50_000;

fn main() {
    let rows: usize = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(1_000_000);
    let dir = tempfile::tempdir().expect("a temporary folder");
    let root = dir.path();
    let bytes = csv_file(&root.join("in.csv"), rows);
    println!("{rows} records of 8 columns, {} bytes each", bytes / rows);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let text = r#"{"path":"in.csv","columns":"text""#;
        let inferred = r#"{"path":"in.csv""#;
        for (title, config) in [("text", text), ("inferred", inferred)] {
            for batch in [1, 100, 1000, 5000] {
                let config = format!("{config},\"batch\":{batch}}}");
                run(&format!("csv_source, {title}, batches of {batch}"), rows, async || {
                    let mut source = source(root, &config).await;
                    let mut read = 0;
                    while let Some((batch, _)) = next(&mut *source).await {
                        read += batch.len();
                    }
                    read
                })
                .await;
            }
        }
        let mut source = source(root, r#"{"path":"in.csv"}"#).await;
        let mut batches = Vec::new();
        while let Some(read) = next(&mut *source).await {
            batches.push(read);
        }
        for (title, compression) in [("jsonl_sink", "none"), ("jsonl_sink, gzip", "gzip")] {
            run(title, rows, async || {
                let mut sink = sink(root, compression).await;
                for group in batches.chunks(GROUP / 1000) {
                    deliver(&mut *sink, group).await;
                }
                rows
            })
            .await;
        }
        drop(batches);
        run("csv_source, inferred -> jsonl_sink", rows, async || {
            let (mut source, mut sink) =
                (self::source(root, r#"{"path":"in.csv"}"#).await, sink(root, "none").await);
            let mut group = Vec::new();
            let mut read = 0;
            loop {
                let polled = next(&mut *source).await;
                let ended = polled.is_none();
                group.extend(polled);
                if group.len() == GROUP / 1000 || ended {
                    read += group.iter().map(|(batch, _)| batch.len()).sum::<usize>();
                    deliver(&mut *sink, &group).await;
                    group.clear();
                }
                if ended {
                    return read;
                }
            }
        })
        .await;
    });
}

async fn run(title: &str, rows: usize, work: impl AsyncFn() -> usize) {
    let wanted = |word: &String| word.parse::<usize>().is_err() && !word.starts_with("--");
    if std::env::args().skip(1).filter(wanted).any(|word| !title.contains(&word)) {
        return;
    }
    let mut best = u64::MAX;
    let mut wall = f64::MAX;
    for _ in 0..5 {
        let (before, start) = (cpu_nanos(), std::time::Instant::now());
        assert_eq!(work().await, rows, "{title}");
        best = best.min(cpu_nanos() - before);
        wall = wall.min(start.elapsed().as_secs_f64());
    }
    let rate = |seconds: f64| rows as f64 / seconds / 1e6;
    println!(
        "{title:<44} {:>7.3} M records per CPU-second, {:>7.3} M/s",
        rate(best as f64 / 1e9),
        rate(wall)
    );
}

/// Nanoseconds that the threads of this process were on a processor; blocking threads outlive a run.
fn cpu_nanos() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux");
    let nanos = |task: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    tasks.filter_map(nanos).sum()
}

fn csv_file(path: &Path, rows: usize) -> usize {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    writeln!(file, "id,name,email,city,quantity,amount,created,note").expect("room");
    for n in 0..rows {
        writeln!(
            file,
            "{},Customer {n},customer{n}@example.org,City {},{},{}.{:02},2024-{:02}-{:02}T10:00:00Z,note number {n}",
            1_000_000 + n,
            n % 500,
            n % 90,
            n % 10_000,
            n % 100,
            n % 12 + 1,
            n % 28 + 1,
        )
        .expect("room");
    }
    file.flush().expect("room");
    std::fs::metadata(path).expect("a file").len() as usize
}

async fn source(root: &Path, config: &str) -> Box<dyn Source> {
    let cx = SourceCtx {
        uid: "bench".into(),
        node: "in".into(),
        share: None,
        generation: 1,
        files: Files::open(root),
        hooks: fairway_engine::hooks::Hooks::default(),
        resume: Vec::new(),
        until_caught_up: true,
    };
    let component =
        REGISTRY.iter().find(|component| component.meta.name == "csv_source").expect("registered");
    let Opener::Source(open) = component.opener else { panic!("a source") };
    open(serde_json::from_str(config).expect("JSON"), cx).await.expect("opens")
}

async fn sink(root: &Path, compression: &str) -> Box<dyn Sink> {
    static RUN: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let run = RUN.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let config =
        format!(r#"{{"path":"out-{compression}.jsonl","mode":"overwrite","compression":"{compression}"}}"#);
    let cx = SinkCtx {
        uid: run.to_string().into(),
        node: "out".into(),
        share: None,
        generation: 1,
        files: Files::open(root),
    };
    let component =
        REGISTRY.iter().find(|component| component.meta.name == "jsonl_sink").expect("registered");
    let Opener::Sink(open) = component.opener else { panic!("a sink") };
    let mut sink = open(serde_json::from_str(&config).expect("JSON"), cx).await.expect("opens");
    sink.adopt(&StreamKey::straight("in", "in.csv")).await.expect("adopts");
    sink
}

async fn next(source: &mut dyn Source) -> Option<(Batch, Mark)> {
    match source.next().await.expect("reads") {
        Next::Batch(polled) => {
            let mark =
                Mark { stream: StreamKey::straight("in", &polled.partition), position: polled.position };
            Some((polled.batch, mark))
        }
        Next::Idle(_) | Next::End => None,
    }
}

async fn deliver(sink: &mut dyn Sink, group: &[(Batch, Mark)]) {
    let Some((_, mark)) = group.last() else { return };
    let batches: Vec<Batch> = group.iter().map(|(batch, _)| batch.clone()).collect();
    sink.deliver(Group { batches: &batches, marks: std::slice::from_ref(mark) }).await.expect("delivers");
}
