//! Records that a transform with certain settings would rather not see.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::data::{Batch, BatchBuilder, Decimal, Extra, Meta, NO_ZONE, Ref, Value};

/// A record to be.
pub(super) struct Row {
    fields: Vec<(String, Value)>,
    extra: Extra,
}

/// Most words of settings that are taken for names of fields.
const NAMES: usize = 10;
/// How deep the nested value goes; readers of JSON stop at about as much.
const DEPTH: usize = 120;
/// Bytes of the text that nobody expects.
const GIANT: usize = 10 << 20;

/// Words that settings may mean fields by, whole and by their first part where they are dotted.
fn names(config: &Json) -> Vec<String> {
    fn walk(json: &Json, out: &mut BTreeSet<String>) {
        match json {
            Json::String(text) if text.len() < 60 => {
                out.insert(text.clone());
            }
            Json::Array(items) => items.iter().for_each(|item| walk(item, out)),
            Json::Object(members) => members.iter().for_each(|(name, member)| {
                out.insert(name.clone());
                walk(member, out);
            }),
            _ => {}
        }
    }
    let mut words = BTreeSet::new();
    walk(config, &mut words);
    words.into_iter().take(NAMES * 3).collect()
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::I64(1), |inner, level| match level % 2 {
        0 => Value::List(vec![inner]),
        _ => Value::Map(vec![("a".into(), inner)]),
    })
}

/// One of each kind, and of each kind the odd ones.
fn values() -> Vec<Value> {
    let map = |entries: &[(&str, Value)]| {
        Value::Map(entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    };
    let mut values = vec![
        Value::Missing,
        Value::Null,
        Value::Bool(true),
        Value::I64(0),
        Value::I64(i64::MIN),
        Value::U64(u64::MAX),
        Value::F64(-0.5),
        Value::F64(f64::INFINITY),
        Value::Big("123456789012345678901234567890.123456789".into()),
        Value::Big("1e4000".into()),
        Value::Bytes(vec![0, 255, 128]),
        Value::Uuid(uuid::Uuid::from_u128(7)),
        Value::Date(0),
        Value::Date(i32::MAX),
        Value::Time(86_399_999_999),
        Value::Ts { us: 1, offset: 0 },
        Value::Ts { us: -1, offset: NO_ZONE },
        Value::Ts { us: i64::MAX, offset: 840 },
        Value::Ts { us: i64::MIN, offset: -840 },
        Value::List(vec![]),
        Value::List(vec![Value::I64(1), Value::Null, Value::Str("x".into()), map(&[("a", Value::I64(2))])]),
        map(&[]),
        map(&[
            ("a", Value::Null),
            ("b", map(&[("c", Value::I64(1)), ("", Value::Bool(false))])),
            ("a__b", Value::I64(3)),
        ]),
        Value::Raw("{\"a\": [1, {\"b\": 1.10}]}".into()),
        Value::Raw("[{\"a\":1},2]".into()),
        Value::Raw("null".into()),
        nested(DEPTH),
    ];
    if let Some(decimal) = Decimal::new(-1_234_567, 4) {
        values.push(Value::Dec(decimal));
    }
    for text in [
        "",
        "null",
        "0",
        "-1.50",
        "2024-02-30",
        "2024-03-31T02:30:00",
        "infinity",
        "\u{0}",
        "Ünïcode 大额 🚢",
        "[1,2",
        "a.b",
    ] {
        values.push(Value::Str(text.to_owned()));
    }
    values
}

/// Rows in which each field that the settings may mean holds each kind of value; rows in which all do; and every row
/// twice, as transforms that remember want it.
pub(super) fn hostile(config: &Json) -> Vec<Row> {
    let names = names(config);
    let values = values();
    let mut rows: Vec<Vec<(String, Value)>> = vec![vec![]];
    for name in names.iter().take(NAMES) {
        rows.extend(values.iter().map(|value| vec![(name.clone(), value.clone())]));
    }
    for value in &values {
        rows.push(names.iter().map(|name| (name.clone(), value.clone())).collect());
        // What a path names lies in objects, and in lists of them.
        for (outer, inner) in names.iter().filter_map(|name| name.split_once('.')) {
            let map = Value::Map(vec![(inner.to_owned(), value.clone()), ("other".into(), Value::I64(1))]);
            rows.push(vec![(outer.to_owned(), map.clone())]);
            rows.push(vec![(outer.to_owned(), Value::List(vec![map, Value::Null]))]);
        }
    }
    // Different fields in different orders.
    for shift in 0..names.len() {
        let value = |at: usize| values[(at * 7 + shift) % values.len()].clone();
        rows.push(
            (0..names.len()).map(|at| (names[(at + shift) % names.len()].clone(), value(at))).collect(),
        );
    }
    let twice = rows.iter().cloned();
    let rows: Vec<_> = rows.iter().cloned().chain(twice).collect();
    rows.into_iter().enumerate().map(|(at, fields)| Row { fields, extra: extra(at) }).collect()
}

/// Few rows with a text of ten megabytes.
pub(super) fn giants(config: &Json) -> Vec<Row> {
    let giant = Value::Str("x1 ".repeat(GIANT / 3));
    let names = names(config);
    let row = |name: &String| Row { fields: vec![(name.clone(), giant.clone())], extra: Extra::default() };
    names.iter().take(3).map(row).collect()
}

/// Every third record has a key, every other a header, every fifth a time.
fn extra(at: usize) -> Extra {
    let key = match (at % 3, at % 2) {
        (0, 0) => Some(Value::Null),
        (0, _) => Some(Value::I64(at as i64)),
        _ => None,
    };
    let headers = match at % 2 {
        0 => vec![("h".into(), Value::Str(at.to_string()))],
        _ => vec![],
    };
    Extra { key, headers, time: at.is_multiple_of(5).then_some(at as i64) }
}

/// The rows in batches of a size, as one source would give them; orders count from 1.
pub(super) fn batches(rows: &[Row], size: usize) -> Vec<Batch> {
    let mut builder = BatchBuilder::default();
    let mut batches = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        builder.begin_row(Meta::new(at as u64 + 1, (at % size) as u32));
        for (name, value) in row.fields.iter().filter(|(_, value)| *value != Value::Missing) {
            let slot = builder.field(name);
            builder.push(slot, Ref::from(value)).expect("a batch has room for ten megabytes");
        }
        builder.set_extra(row.extra.clone());
        if builder.len() == size {
            batches.push(builder.finish());
        }
    }
    if !builder.is_empty() {
        batches.push(builder.finish());
    }
    batches
}
