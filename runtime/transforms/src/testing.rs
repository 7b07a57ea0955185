//! Driving one transform in a test: lines of JSON in, lines of JSON out, at several batch sizes at once (G9).

use fairway_engine::component::{Component, Opener};
use fairway_engine::data::json_read::JsonReader;
use fairway_engine::data::json_write::write_record;
use fairway_engine::data::{Base, Batch, BatchBuilder, Meta, RecordRef};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};

use crate::REGISTRY;

/// Batches of at most `size` records from lines of JSON; the n-th line has order n, from 1.
pub(crate) fn batches(lines: &str, size: usize) -> Vec<Batch> {
    let mut builder = BatchBuilder::default();
    let mut reader = JsonReader::default();
    let mut batches = Vec::new();
    let base = Base::new(lines.as_bytes().to_vec()).unwrap();
    let mut offset = 0;
    for (index, line) in lines.split_inclusive('\n').enumerate() {
        if builder.is_empty() {
            builder.set_base(base.clone());
        }
        let meta = Meta::new(index as u64 + 1, (index % size) as u32);
        reader.read_row(&mut builder, offset, line.trim_end().len(), meta).unwrap();
        offset += line.len();
        if builder.len() == size {
            batches.push(builder.finish());
        }
    }
    if !builder.is_empty() {
        batches.push(builder.finish());
    }
    batches
}

pub(crate) fn json(record: RecordRef<'_>) -> String {
    let mut out = Vec::new();
    write_record(&record, &mut out);
    String::from_utf8(out).unwrap()
}

fn component(name: &str) -> &'static Component {
    REGISTRY.iter().find(|component| component.meta.name == name).unwrap()
}

pub(crate) fn open(name: &str, config: &str) -> Result<Box<dyn Transform>, Error> {
    let Opener::Transform(open) = component(name).opener else { panic!("{name} is a transform") };
    open(serde_json::from_str(config).unwrap(), TransformCtx { uid: "uid".into(), node: "node".into() })
}

/// The fields that `check` finds fault with.
pub(crate) fn issues(name: &str, config: &str) -> Vec<String> {
    let issues = component(name).check(&serde_json::from_str(config).unwrap()).unwrap();
    issues.into_iter().map(|issue| issue.field).collect()
}

/// What came out: records by order, and refused ones by order with code and field.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) records: Vec<(u64, String)>,
    pub(crate) refused: Vec<(u64, String, String)>,
}

impl Outcome {
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.records.iter().map(|(_, line)| line.as_str()).collect()
    }

    /// Orders, codes and fields of what was refused.
    pub(crate) fn refusals(&self) -> Vec<(u64, &str)> {
        self.refused.iter().map(|(order, why, _)| (*order, why.as_str())).collect()
    }
}

/// Runs lines through a transform at batch sizes 1, 2 and 100, which must give one outcome, and checks that refused
/// records leave as they came in.
pub(crate) fn run(name: &str, config: &str, lines: &str) -> Outcome {
    let mut outcomes = [1, 2, 100].map(|size| {
        let mut transform = open(name, config).unwrap();
        let mut outcome = Outcome { records: Vec::new(), refused: Vec::new() };
        for batch in batches(lines, size) {
            let sibling = batch.clone();
            let before: Vec<String> = sibling.records().map(json).collect();
            let mut output = Output::default();
            transform.apply(batch, &mut output).unwrap();
            assert_eq!(sibling.records().map(json).collect::<Vec<_>>(), before, "a clone saw the change");
            let (emitted, rejects) = output.into_parts();
            for (_, batch) in emitted {
                outcome.records.extend(batch.records().map(|record| (record.meta().order, json(record))));
            }
            for rejects in rejects {
                for (record, error) in rejects.batch.records().zip(&rejects.errors) {
                    let why = format!("{} {}", error.code, error.field.as_deref().unwrap_or_default());
                    outcome.refused.push((record.meta().order, why, json(record)));
                }
            }
        }
        for (order, _, line) in &outcome.refused {
            let given = lines.lines().nth(*order as usize - 1).unwrap();
            assert_eq!(line, given, "a refused record leaves as it came in");
        }
        outcome.refused.sort();
        outcome
    });
    assert_eq!(outcomes[0], outcomes[2]);
    assert_eq!(outcomes[1], outcomes[2]);
    std::mem::replace(&mut outcomes[2], Outcome { records: Vec::new(), refused: Vec::new() })
}
