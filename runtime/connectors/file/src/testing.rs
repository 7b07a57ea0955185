//! Driving the components of files in tests: batches from lines of JSON, contexts, sources read to their end.

use std::path::Path;

use fairway_engine::Error;
use fairway_engine::component::{Component, Opener};
use fairway_engine::data::json_read::JsonReader;
use fairway_engine::data::json_write::write_record;
use fairway_engine::data::{Base, Batch, BatchBuilder, Meta};
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Group, Sink, SinkCtx};

use crate::REGISTRY;

fn component(name: &str) -> &'static Component {
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

#[expect(dead_code, reason = "sources come with the next commit")]
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
