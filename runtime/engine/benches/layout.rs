//! How many records a second of processor time moves through the data layer, beside the plainest loops that do the
//! same with `csv` and `serde_json`.
//!
//! `cargo bench -p fairway-engine --bench layout [-- ROWS]`. Everything is in memory; the time is what this process
//! had of its processors (`/proc/self/schedstat`), so it needs Linux. Each figure is the best of five runs.

use std::cmp::Ordering;
use std::hint::black_box;
use std::io::Write as _;

use fairway_engine::data::csv_split::{self, Dialect, FieldSpan, Found, Splitter};
use fairway_engine::data::json_read::JsonReader;
use fairway_engine::data::{
    Base, Batch, BatchBuilder, CellOut, Decimal, Meta, Number, RecordError, Ref, Rejects, Update,
    compare_numbers, json_write, parse_number_lenient, take_bytes,
};
use serde::Serialize;

const COLUMNS: [&str; 8] = ["id", "name", "email", "city", "quantity", "amount", "created", "note"];
/// Bytes of one read.
const READ: usize = 128 << 10;

fn main() {
    let rows: usize = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(500_000);
    let csv = csv_text(rows);
    println!("{rows} records of {} columns, {} bytes each", COLUMNS.len(), csv.len() / rows);
    let mut lines = Vec::new();
    let kept = run("CSV -> cast 3, filter -> JSON: csv + serde_json", rows, || bare_csv(&csv, &mut lines));
    for batch in [1, 10, 100, 1000, 5000] {
        let title = format!("CSV -> cast 3, filter -> JSON: batches of {batch}");
        assert_eq!(run(&title, rows, || csv_to_json(&csv, batch)), kept, "both ways must keep the same");
    }
    run("CSV -> batches of 1000, nothing else", rows, || csv_to_nothing(&csv));
    let tree = run("JSON -> filter -> JSON: serde_json trees", kept, || json_trees(&lines));
    for batch in [1, 1000] {
        let title = format!("JSON -> filter -> JSON: batches of {batch}");
        assert_eq!(run(&title, kept, || json_to_json(&lines, batch)), tree, "both ways must keep the same");
    }
}

/// Does the work five times and prints the best; `work` answers how many records it wrote.
fn run(title: &str, records: usize, mut work: impl FnMut() -> usize) -> usize {
    let mut best = u64::MAX;
    let mut written = 0;
    for _ in 0..5 {
        let before = cpu_nanos();
        written = black_box(work());
        best = best.min(cpu_nanos() - before);
    }
    let rate = records as f64 / best as f64 * 1e3;
    println!("{title:<52} {rate:>7.3} million records per CPU-second");
    written
}

/// Nanoseconds that the main thread, the only one, was on a processor.
fn cpu_nanos() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux with scheduler statistics");
    text.split(' ').next().and_then(|word| word.parse().ok()).expect("schedstat begins with nanoseconds")
}

fn csv_text(rows: usize) -> Vec<u8> {
    let mut text = COLUMNS.join(",").into_bytes();
    text.push(b'\n');
    let mut state = 88_172_645_463_325_252_u64;
    for row in 0..rows {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let amount = state % 1_000_000;
        let sign = if state.is_multiple_of(5) { "-" } else { "" };
        let note = if row % 20 == 0 { "\"said \"\"yes\"\", then left\"" } else { "nothing of note" };
        writeln!(
            text,
            "{row},Customer {},c{}@example.org,\"Bad Homburg\",{},{sign}{}.{:02},2024-02-{:02}T10:00:00Z,{note}",
            state % 5000,
            state % 90_000,
            state % 40,
            amount / 100,
            amount % 100,
            row % 28 + 1,
        )
        .expect("memory takes every write");
    }
    text
}

/// A CSV source at its barest: cuts reads into batches.
struct CsvReader<'c> {
    input: &'c [u8],
    base: Base,
    splitter: Splitter,
    fields: Vec<FieldSpan>,
    builder: BatchBuilder,
    rows: usize,
    order: u64,
}

impl<'c> CsvReader<'c> {
    fn new(input: &'c [u8], rows: usize) -> Self {
        let mut fields = Vec::new();
        let mut splitter = Splitter::new(Dialect::default(), 0);
        let Found::Record { end, .. } = splitter.next_record(input, true, &mut fields) else {
            unreachable!("the text has a header")
        };
        let mut builder = BatchBuilder::default();
        for name in COLUMNS {
            builder.field(name);
        }
        let base = Base::default();
        let splitter = Splitter::new(Dialect::default(), 0);
        CsvReader { input: &input[end..], base, splitter, fields, builder, rows, order: 0 }
    }

    /// The rest of the last read and the next one.
    fn read(&mut self, rest: usize) {
        let take = READ.min(self.input.len());
        let mut buffer = take_bytes(READ + 4096);
        buffer.extend_from_slice(&self.base.as_bytes()[rest..]);
        buffer.extend_from_slice(&self.input[..take]);
        self.input = &self.input[take..];
        self.base = Base::new(buffer).expect("the text is ASCII");
        self.splitter = Splitter::new(Dialect::default(), 0);
    }

    fn next_batch(&mut self) -> Option<Batch> {
        self.builder.set_base(self.base.clone());
        while self.builder.len() < self.rows {
            let eof = self.input.is_empty();
            match self.splitter.next_record(self.base.as_bytes(), eof, &mut self.fields) {
                Found::Record { .. } => self.push_row(),
                _ if !self.builder.is_empty() => break,
                Found::Incomplete { start } => {
                    self.read(start);
                    self.builder.set_base(self.base.clone());
                }
                Found::End if eof => return None,
                Found::End => {
                    self.read(self.base.len());
                    self.builder.set_base(self.base.clone());
                }
            }
        }
        Some(self.builder.finish())
    }

    fn push_row(&mut self) {
        self.builder.begin_row(Meta::new(self.order, self.builder.len() as u32));
        self.order += 1;
        for (slot, field) in self.fields.iter().enumerate() {
            let (at, len) = (field.offset as usize, field.len as usize);
            if field.needs_unescape {
                let written = &self.base.as_str()[at..at + len];
                let unescaped = self
                    .builder
                    .push_written(slot, |out| csv_split::unescape(written, &Dialect::default(), out));
                unescaped.expect("a small batch has room");
            } else {
                self.builder.push_str_base(slot, at, len);
            }
        }
    }
}

fn csv_to_json(csv: &[u8], rows: usize) -> usize {
    let mut reader = CsvReader::new(csv, rows);
    let mut out = Vec::with_capacity(1 << 20);
    let mut kept = 0;
    while let Some(mut batch) = reader.next_batch() {
        cast(&mut batch);
        keep_positive(&mut batch);
        kept += batch.len();
        write_lines(&batch, &mut out);
    }
    kept
}

fn csv_to_nothing(csv: &[u8]) -> usize {
    let mut reader = CsvReader::new(csv, 1000);
    let mut read = 0;
    while let Some(batch) = reader.next_batch() {
        read += black_box(batch).len();
    }
    read
}

fn cast(batch: &mut Batch) {
    for field in ["id", "quantity"] {
        none(batch.update_field(field, |value, out| match number(value, field)? {
            Some(Number::I64(value)) => Ok(out.i64(value)),
            _ => Ok(Update::Keep),
        }));
    }
    none(batch.update_field("amount", |value, out: &mut CellOut| match number(value, "amount")? {
        Some(number) => Ok(out.set(Ref::from(&number))),
        None => Ok(Update::Keep),
    }));
}

fn number<'a>(value: Ref<'a>, field: &str) -> Result<Option<Number<'a>>, RecordError> {
    let Ref::Str(text) = value else { return Ok(None) };
    let number = parse_number_lenient(text);
    number.map(Some).ok_or_else(|| RecordError::in_field("bench.not_a_number", field, "not a number"))
}

fn none(rejects: Rejects) {
    assert!(rejects.is_empty(), "{:?}", rejects.errors);
}

fn keep_positive(batch: &mut Batch) {
    let Some(slot) = batch.schema().slot("amount") else { return };
    let zero = Ref::from(Decimal::new(0, 2).expect("zero is a decimal"));
    batch.retain(|record| compare_numbers(record.get_slot(slot), zero).is_some_and(Ordering::is_ge));
}

/// Writes a batch as lines, and starts over when as much is written as a sink would send at once.
fn write_lines(batch: &Batch, out: &mut Vec<u8>) {
    for record in batch.records() {
        json_write::write_record(&record, out);
        out.push(b'\n');
    }
    if out.len() > 512 << 10 {
        black_box(&*out);
        out.clear();
    }
}

fn json_to_json(lines: &[u8], rows: usize) -> usize {
    let mut builder = BatchBuilder::default();
    let mut reader = JsonReader::default();
    let mut out = Vec::with_capacity(1 << 20);
    let mut kept = 0;
    let mut rest = lines;
    let mut order = 0;
    while !rest.is_empty() {
        let read = &rest[..READ.min(rest.len())];
        let whole = read.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut buffer = take_bytes(READ);
        buffer.extend_from_slice(&rest[..whole]);
        rest = &rest[whole..];
        let base = Base::new(buffer).expect("the text is ASCII");
        let mut from = 0;
        while from < base.len() {
            builder.set_base(base.clone());
            while builder.len() < rows
                && let Some(len) = memchr::memchr(b'\n', &base.as_bytes()[from..])
            {
                let meta = Meta::new(order, builder.len() as u32);
                reader.read_row(&mut builder, from, len, meta).expect("JSON");
                from += len + 1;
                order += 1;
            }
            let mut batch = builder.finish();
            keep_positive(&mut batch);
            kept += batch.len();
            write_lines(&batch, &mut out);
        }
    }
    kept
}

/// What one would write without an engine. The amount is a float here: less work than exact decimals, and wrong.
#[derive(Serialize)]
struct Order<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
    city: &'a str,
    quantity: i64,
    amount: f64,
    created: &'a str,
    note: &'a str,
}

fn bare_csv(csv: &[u8], lines: &mut Vec<u8>) -> usize {
    lines.clear();
    let mut reader = csv::Reader::from_reader(csv);
    let mut record = csv::StringRecord::new();
    let mut kept = 0;
    while reader.read_record(&mut record).expect("CSV") {
        let order = Order {
            id: record[0].parse().expect("a number"),
            name: &record[1],
            email: &record[2],
            city: &record[3],
            quantity: record[4].parse().expect("a number"),
            amount: record[5].parse().expect("a number"),
            created: &record[6],
            note: &record[7],
        };
        // Minus zero is zero to the exact way.
        if order.amount >= 0.0 {
            serde_json::to_writer(&mut *lines, &order).expect("JSON");
            lines.push(b'\n');
            kept += 1;
        }
    }
    kept
}

fn json_trees(lines: &[u8]) -> usize {
    let mut out = Vec::with_capacity(1 << 20);
    let mut kept = 0;
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let value: serde_json::Value = serde_json::from_slice(line).expect("JSON");
        if value["amount"].as_f64().is_some_and(|amount| amount >= 0.0) {
            serde_json::to_writer(&mut out, &value).expect("JSON");
            out.push(b'\n');
            kept += 1;
        }
        if out.len() > 512 << 10 {
            black_box(&out);
            out.clear();
        }
    }
    kept
}
