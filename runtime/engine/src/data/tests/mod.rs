//! Laws of the data layer as a whole. Tests of one file alone are in that file.

mod batches;
mod building;
mod numbers;

use super::*;

/// A batch of these rows, with orders from 1 on.
fn batch_of(rows: &[Value]) -> Batch {
    let mut builder = BatchBuilder::default();
    for (row, value) in rows.iter().enumerate() {
        let Ref::Map(fields) = value.as_ref() else { panic!("a row is a map") };
        builder.push_row(Meta::new(row as u64 + 1, row as u32), fields.iter()).unwrap();
    }
    builder.finish()
}

/// A batch of a JSON object on each line, texts in the base.
fn batch_of_json(lines: &str) -> Batch {
    let mut builder = BatchBuilder::default();
    builder.set_base(Base::new(lines.into()).unwrap());
    let mut reader = json_read::JsonReader::default();
    let mut at = 0;
    for (row, line) in lines.lines().enumerate() {
        reader.read_row(&mut builder, at, line.len(), Meta::new(row as u64 + 1, row as u32)).unwrap();
        at += line.len() + 1;
    }
    builder.finish()
}

fn value(json: &str) -> Value {
    json_read::read_value(json).unwrap()
}

fn rows(batch: &Batch) -> Vec<Value> {
    batch.records().map(|record| record.to_value()).collect()
}

/// The records as lines of JSON.
fn lines(batch: &Batch) -> String {
    let mut out = Vec::new();
    for record in batch.records() {
        json_write::write_record(&record, &mut out);
        out.push(b'\n');
    }
    String::from_utf8(out).unwrap()
}

fn orders(batch: &Batch) -> Vec<u64> {
    batch.metas().iter().map(|meta| meta.order).collect()
}

fn refused() -> RecordError {
    RecordError::new("test.refused", "refused")
}
