//! Driving the components of files in tests: batches from lines of JSON, contexts, sources read to their end.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::component::{Component, Opener};
use fairway_engine::data::json_read::JsonReader;
use fairway_engine::data::json_write::write_record;
use fairway_engine::data::{Base, Batch, BatchBuilder, Meta};
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::probe::{ProbeCtx, Sample, SampleCtx};
use fairway_engine::sink::{Group, Sink, SinkCtx};
use fairway_engine::source::{Next, Source, SourceCtx};

use fairway_shared::component::Probe;

use crate::REGISTRY;

pub(crate) fn component(name: &str) -> &'static Component {
    REGISTRY.iter().find(|component| component.meta.name == name).unwrap()
}

/// A batch from lines of JSON whose orders begin behind `order`.
pub(crate) fn batch(lines: &[String], order: u64) -> Batch {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut builder = BatchBuilder::default();
    builder.set_base(Base::new(text.into_bytes()).unwrap());
    let mut reader = JsonReader::default();
    let mut offset = 0;
    for (row, line) in lines.iter().enumerate() {
        let meta = Meta::new(order + row as u64 + 1, row as u32);
        reader.read_row(&mut builder, offset, line.len(), meta).unwrap();
        offset += line.len() + 1;
    }
    builder.finish()
}

pub(crate) fn json(batch: &Batch) -> Vec<String> {
    let line = |record| {
        let mut out = Vec::new();
        write_record(&record, &mut out);
        String::from_utf8(out).unwrap()
    };
    batch.records().map(line).collect()
}

pub(crate) fn mark(partition: &str, order: u64) -> Mark {
    let position = Position { order, token: serde_json::json!({ "offset": order }) };
    Mark { stream: StreamKey::straight("in", partition), position }
}

pub(crate) struct Opening<'a> {
    pub(crate) root: &'a Path,
    pub(crate) uid: &'a str,
    pub(crate) generation: u64,
}

impl Opening<'_> {
    pub(crate) async fn sink(&self, name: &str, config: &str) -> Result<Box<dyn Sink>, Error> {
        let Opener::Sink(open) = component(name).opener else { panic!("{name} is a sink") };
        let cx = SinkCtx {
            uid: self.uid.into(),
            node: "out".into(),
            share: None,
            generation: self.generation,
            files: Files::open(self.root),
        };
        open(serde_json::from_str(config).unwrap(), cx).await
    }
}

/// Delivers what of `lines` lies behind the adopted position, in batches of `size`, up to `until` lines; each batch is a
/// group of its own. Answers the position that was adopted.
pub(crate) async fn deliver(
    sink: &mut dyn Sink,
    lines: &[String],
    size: usize,
    until: usize,
) -> Option<Position> {
    let adopted = sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    let mut done = adopted.as_ref().map_or(0, |position| position.order as usize);
    while done < until {
        let end = (done + size).min(until);
        let batches = [batch(&lines[done..end], done as u64)];
        let marks = [mark("", end as u64)];
        sink.deliver(Group { batches: &batches, marks: &marks }).await.unwrap();
        done = end;
    }
    adopted
}

pub(crate) fn lines(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{{\"n\":{n},\"t\":\"é{}\"}}", "x".repeat(n % 7))).collect()
}

pub(crate) fn text_of(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Opens a source over `root` where the marks say.
pub(crate) async fn source(
    root: &Path,
    name: &str,
    config: &str,
    resume: &[Mark],
) -> Result<Box<dyn Source>, Error> {
    let Opener::Source(open) = component(name).opener else { panic!("{name} is a source") };
    let cx = SourceCtx {
        uid: "u1".into(),
        node: "in".into(),
        share: None,
        generation: 1,
        files: Files::open(root),
        hooks: fairway_engine::hooks::Hooks::default(),
        resume: resume.to_vec(),
        until_caught_up: false,
    };
    open(serde_json::from_str(config).unwrap(), cx).await
}

/// One thing that a source read: a record, or a refused one with its code.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) partition: String,
    pub(crate) order: u64,
    pub(crate) line: String,
    /// Code and message, for what was refused.
    pub(crate) fault: Option<(String, String)>,
}

/// What a source read.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) rows: Vec<Row>,
    /// The position after each batch, with how many rows were read up to it.
    pub(crate) marks: Vec<(Mark, usize)>,
    pub(crate) fault: Option<Error>,
}

impl Run {
    /// Records that were not refused.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.rows.iter().filter(|row| row.fault.is_none()).map(|row| row.line.as_str()).collect()
    }

    /// Codes and messages of what was refused.
    pub(crate) fn faults(&self) -> Vec<(&str, &str)> {
        self.rows
            .iter()
            .filter_map(|row| row.fault.as_ref())
            .map(|(code, message)| (&**code, &**message))
            .collect()
    }

    /// The last position of each partition.
    pub(crate) fn last_marks(&self) -> Vec<Mark> {
        let mut last: Vec<Mark> = Vec::new();
        for (mark, _) in &self.marks {
            last.retain(|known| known.stream != mark.stream);
            last.push(mark.clone());
        }
        last
    }

    /// Adds what one poll gave, and checks what the contract demands of it.
    pub(crate) fn add(&mut self, polled: fairway_engine::source::Polled) {
        let mut rows: Vec<(u32, Row)> = Vec::new();
        let partition = polled.partition.to_string();
        let mut add = |batch: &Batch, errors: Option<&[fairway_engine::data::RecordError]>| {
            for (index, (meta, line)) in batch.metas().iter().zip(json(batch)).enumerate() {
                let fault =
                    errors.map(|errors| (errors[index].code.to_owned(), errors[index].message.clone()));
                rows.push((meta.row, Row { partition: partition.clone(), order: meta.order, line, fault }));
            }
        };
        add(&polled.batch, None);
        if let Some(rejects) = &polled.rejects {
            add(&rejects.batch, Some(&rejects.errors));
        }
        rows.sort();
        let before = self.rows.iter().rev().find(|row| row.partition == partition).map_or(0, |row| row.order);
        let orders: Vec<u64> = std::iter::once(before).chain(rows.iter().map(|(_, row)| row.order)).collect();
        assert!(orders.is_sorted_by(|a, b| a < b), "orders rise strictly: {orders:?}");
        assert_eq!(
            rows.iter().map(|(row, _)| *row as usize).collect::<Vec<_>>(),
            (0..rows.len()).collect::<Vec<_>>()
        );
        assert_eq!(polled.position.order, orders[orders.len() - 1]);
        self.rows.extend(rows.into_iter().map(|(_, row)| row));
        let stream = StreamKey::straight("in", &partition);
        self.marks.push((Mark { stream, position: polled.position }, self.rows.len()));
    }
}

/// Reads until the source ends, waits for more, or fails.
pub(crate) async fn read_on(source: &mut dyn Source) -> Run {
    let mut run = Run::default();
    loop {
        match source.next().await {
            Ok(Next::Batch(polled)) => {
                let (partition, position) = (polled.partition.clone(), polled.position.clone());
                run.add(polled);
                source.acknowledge(&partition, &position).await.unwrap();
            }
            Ok(Next::Idle(_) | Next::End) => return run,
            Err(error) => {
                run.fault = Some(error);
                return run;
            }
        }
    }
}

/// Reads a source to its end.
pub(crate) async fn read(root: &Path, name: &str, config: &str, resume: &[Mark]) -> Run {
    let mut source = source(root, name, config, resume).await.unwrap();
    let run = read_on(&mut *source).await;
    source.close().await;
    run
}

/// Reads at batch sizes 1, 2 and 100, which must give the same rows, and again from the position after every batch, which
/// must give the rest. `config` lacks its last brace.
pub(crate) async fn read_in_every_way(root: &Path, name: &str, config: &str) -> Run {
    let sized = |size: usize| format!("{config},\"batch\":{size}}}");
    let whole = read(root, name, &sized(100), &[]).await;
    for size in [1, 2] {
        let run = read(root, name, &sized(size), &[]).await;
        assert_eq!(run.rows, whole.rows, "batches of {size}");
        assert_eq!(run.fault.map(|fault| fault.code), whole.fault.as_ref().map(|fault| fault.code.clone()));
        let step = (run.marks.len() / 20).max(1);
        let mut resume: Vec<Mark> = Vec::new();
        for (index, (mark, rows)) in run.marks.iter().enumerate() {
            resume.retain(|known| known.stream != mark.stream);
            resume.push(mark.clone());
            if index % step == 0 || index + 3 > run.marks.len() {
                let rest = read(root, name, &sized(3), &resume).await;
                let same = rest.rows == whole.rows[*rows..];
                assert!(same, "from {mark:?}: {:?} {:?}", rest.rows.first(), rest.fault);
            }
        }
    }
    whole
}

/// A folder with files.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        put(dir.path(), name, bytes);
    }
    dir
}

pub(crate) fn put(root: &Path, name: &str, bytes: &[u8]) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

pub(crate) fn append(root: &Path, name: &str, bytes: &[u8]) {
    std::fs::OpenOptions::new().append(true).open(root.join(name)).unwrap().write_all(bytes).unwrap();
}

pub(crate) async fn probe(root: &Path, name: &str, config: &str) -> Result<Probe, Error> {
    let probe = component(name).probe.unwrap();
    let cx = ProbeCtx { files: Files::open(root), deadline: Duration::from_secs(20) };
    probe(serde_json::from_str(config).unwrap(), cx).await
}

pub(crate) async fn sample(root: &Path, name: &str, config: &str, wanted: usize) -> Result<Sample, Error> {
    let cx = SampleCtx {
        uid: "u1".into(),
        node: "in".into(),
        files: Files::open(root),
        wanted,
        deadline: Duration::from_secs(20),
    };
    (component(name).sample.unwrap())(serde_json::from_str(config).unwrap(), cx).await
}

/// A source that follows, and what it has read.
pub(crate) struct Follower {
    source: Box<dyn Source>,
    lines: Vec<String>,
}

impl Follower {
    pub(crate) async fn open(root: &Path, name: &str, config: &str) -> Self {
        Self { source: source(root, name, config, &[]).await.unwrap(), lines: Vec::new() }
    }

    /// All lines once there are so many: waits on what is read, never on time alone.
    pub(crate) async fn until(&mut self, count: usize) -> Vec<String> {
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while self.lines.len() < count {
            assert!(std::time::Instant::now() < deadline, "only {} lines", self.lines.len());
            let run = read_on(&mut *self.source).await;
            assert!(run.fault.is_none() && run.faults().is_empty(), "{:?} {:?}", run.fault, run.faults());
            self.lines.extend(run.lines().into_iter().map(str::to_owned));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.lines.clone()
    }

    /// Reads on until the source fails.
    pub(crate) async fn until_fault(&mut self) -> Error {
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        loop {
            assert!(std::time::Instant::now() < deadline, "no fault, {} lines", self.lines.len());
            let run = read_on(&mut *self.source).await;
            self.lines.extend(run.lines().into_iter().map(str::to_owned));
            if let Some(fault) = run.fault {
                return fault;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn close(mut self) {
        self.source.close().await;
    }
}
