//! A whole record as one JSON object, and back: for what is stored or shown and may come in again.
//!
//! `{ "value": …, "key": …, "headers": [[name, value], …], "fields": [name, …], "types": { pointer: type } }`. JSON alone would bring
//! a timestamp back as text and a float as a decimal: `types` names, by JSON pointer into the object, each value that reads
//! otherwise than it was. `fields` is the order of the fields, where it is not that of the alphabet.

use serde_json::{Map, Value as Json, json};

use fairway_shared::types::Type;

use super::builder::BatchBuilder;
use super::cast::Cast;
use super::cell::Full;
use super::meta::{Extra, Meta};
use super::record::RecordRef;
use super::value::Value;

/// The record as an object; parts that it does not have are left out.
pub fn to_envelope(record: &RecordRef<'_>) -> Json {
    let mut out = Map::new();
    let mut types = Map::new();
    let mut put = |name: String, value: &Value| {
        note_types(value, &format!("/{name}"), &mut types);
        value.to_json()
    };
    out.insert("value".into(), put("value".into(), &record.to_value()));
    if let Some(key) = record.key() {
        out.insert("key".into(), put("key".into(), key));
    }
    if !record.headers().is_empty() {
        let headers = record.headers().iter().enumerate();
        let headers =
            headers.map(|(at, (name, value))| json!([&**name, put(format!("headers/{at}/1"), value)]));
        out.insert("headers".into(), headers.collect());
    }
    if let Some(us) = record.time() {
        out.insert("time".into(), us.into());
    }
    let names: Vec<&str> = record.fields().map(|(name, _)| name).collect();
    if !names.is_sorted() {
        out.insert("fields".into(), names.into());
    }
    if !types.is_empty() {
        out.insert("types".into(), types.into());
    }
    Json::Object(out)
}

/// Adds the record of an object as a row. A value that is no object becomes the field `value`.
///
/// # Errors
/// [`Full`] when the batch has no room for it; the row is then not added.
pub fn push_envelope(builder: &mut BatchBuilder, meta: Meta, envelope: &Json) -> Result<(), Full> {
    let types = envelope.get("types").and_then(Json::as_object);
    let read = |json: &Json, at: &str| typed(json, at, types);
    let mut fields = match envelope.get("value") {
        Some(value @ Json::Object(_)) => match read(value, "/value") {
            Value::Map(fields) => fields,
            other => vec![("value".to_owned(), other)],
        },
        Some(other) => vec![("value".to_owned(), read(other, "/value"))],
        None => Vec::new(),
    };
    if let Some(order) = envelope.get("fields").and_then(Json::as_array) {
        let rank = |name: &str| order.iter().position(|listed| listed.as_str() == Some(name));
        fields.sort_by_cached_key(|(name, _)| rank(name).unwrap_or(usize::MAX));
    }
    builder.push_row(meta, fields.iter().map(|(name, value)| (name.as_str(), value.as_ref())))?;
    let headers = envelope.get("headers").and_then(Json::as_array).into_iter().flatten().enumerate();
    builder.set_extra(Extra {
        key: envelope.get("key").map(|key| read(key, "/key")),
        headers: headers
            .filter_map(|(at, pair)| {
                let name = pair.get(0)?.as_str()?;
                Some((name.into(), read(pair.get(1)?, &format!("/headers/{at}/1"))))
            })
            .collect(),
        time: envelope.get("time").and_then(Json::as_i64),
    });
    Ok(())
}

/// What the values of a record are, by pointer, where JSON does not say it by itself.
pub fn types_of(value: &Value) -> Map<String, Json> {
    let mut types = Map::new();
    note_types(value, "", &mut types);
    types
}

fn note_types(value: &Value, at: &str, types: &mut Map<String, Json>) {
    match value {
        Value::Missing | Value::Null | Value::Bool(_) | Value::Str(_) | Value::I64(_) => {}
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                note_types(item, &format!("{at}/{index}"), types);
            }
        }
        Value::Map(entries) => {
            for (name, value) in entries {
                note_types(value, &fairway_shared::pointer::join(at, name), types);
            }
        }
        Value::U64(_) | Value::Dec(_) | Value::Big(_) if Value::from_json(&value.to_json()) == *value => {}
        other => {
            types.insert(at.to_owned(), other.as_ref().kind().into());
        }
    }
}

fn typed(json: &Json, at: &str, types: Option<&Map<String, Json>>) -> Value {
    let ty =
        types.and_then(|types| types.get(at)).and_then(Json::as_str).and_then(|ty| ty.parse::<Type>().ok());
    if let Some(ty) = ty {
        return retyped(json, ty);
    }
    match json {
        Json::Array(items) => Value::List(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| typed(item, &format!("{at}/{index}"), types))
                .collect(),
        ),
        Json::Object(entries) => {
            let entry = |(name, value): (&String, &Json)| {
                (name.clone(), typed(value, &fairway_shared::pointer::join(at, name), types))
            };
            Value::Map(entries.iter().map(entry).collect())
        }
        plain => Value::from_json(plain),
    }
}

/// A value by its type; one that somebody changed so that it does not fit any more is taken as it stands.
fn retyped(json: &Json, ty: Type) -> Value {
    let plain = Value::from_json(json);
    let cast = match ty {
        Type::Json => return Value::Raw(json.to_string()),
        Type::Bytes => Cast::with_format(ty, "base64").unwrap_or_else(|_| Cast::to(ty)),
        ty => Cast::to(ty),
    };
    match cast.cast(plain.as_ref()).map(|value| value.as_ref().to_value()) {
        Ok(value) => value,
        Err(_) => plain,
    }
}

/// Whether JSON holds the value as it is.
#[cfg(test)]
fn comes_back(value: Value) -> (Value, Value) {
    let mut builder = BatchBuilder::default();
    builder.push_row(Meta::new(7, 0), [("v", value.as_ref())]).expect("it is small");
    builder.set_extra(Extra { key: Some(value.clone()), headers: vec![("h".into(), value)], time: Some(5) });
    let batch = builder.finish();
    let envelope = to_envelope(&batch.record(0));
    // As a store does: by text.
    let stored: Json = serde_json::from_str(&envelope.to_string()).expect("it is JSON");
    let mut builder = BatchBuilder::default();
    push_envelope(&mut builder, Meta::new(7, 0), &stored).expect("it is small");
    let again = builder.finish();
    let (one, other) = (batch.record(0), again.record(0));
    assert_eq!(one.extra(), other.extra());
    (one.get("v").to_value(), other.get("v").to_value())
}

#[cfg(test)]
mod tests {
    use super::super::number::parse_number;
    use super::super::value::Ref;
    use super::*;

    #[test]
    fn every_kind_of_value_comes_back_as_it_was() {
        let number = |text: &str| Value::from(parse_number(text).unwrap());
        let zoned = Value::Ts { us: 1_700_000_000_123_456, offset: 120 };
        for value in [
            Value::Null,
            Value::Bool(true),
            Value::I64(-5),
            Value::U64(u64::MAX),
            Value::F64(1.0),
            Value::F64(f64::INFINITY),
            number("12.500"),
            number("123456789012345678901234567890.10"),
            Value::Str("0012".into()),
            Value::Bytes(vec![0, 255, 10]),
            Value::Uuid(uuid::Uuid::from_u128(7)),
            Value::Date(19_000),
            Value::Time(3_600_000_001),
            zoned.clone(),
            Value::Ts { us: 5, offset: super::super::NO_ZONE },
            Value::List(vec![zoned.clone(), Value::Null, Value::Str("x".into())]),
            Value::Map(vec![("a/b~c".into(), zoned), ("n".into(), Value::F64(2.0))]),
            Value::Raw("{\"a\":1}".into()),
        ] {
            let (before, after) = comes_back(value);
            assert_eq!(before, after);
        }
    }

    #[test]
    fn fields_keep_their_order() {
        let mut builder = BatchBuilder::default();
        builder.push_row(Meta::default(), [("b", Ref::I64(1)), ("a", Ref::Null), ("c", Ref::Null)]).unwrap();
        let envelope = to_envelope(&builder.finish().record(0));
        let mut builder = BatchBuilder::default();
        push_envelope(&mut builder, Meta::default(), &envelope).unwrap();
        let batch = builder.finish();
        assert_eq!(batch.record(0).fields().map(|(name, _)| name).collect::<Vec<_>>(), ["b", "a", "c"]);
    }

    #[test]
    fn what_was_changed_by_hand_is_taken_as_it_stands() {
        let envelope = json!({ "value": { "at": "not a day" }, "types": { "/value/at": "date" } });
        let mut builder = BatchBuilder::default();
        push_envelope(&mut builder, Meta::default(), &envelope).unwrap();
        push_envelope(&mut builder, Meta::default(), &json!({ "value": 5 })).unwrap();
        let batch = builder.finish();
        assert!(matches!(batch.record(0).get("at"), Ref::Str("not a day")));
        assert!(matches!(batch.record(1).get("value"), Ref::I64(5)));
    }
}
