//! Records to preview with in the place of a source's own: written out as JSON lines to be edited, and read from what people
//! paste: JSON lines, a JSON list, one object, or CSV with a header. Pure.

use std::fmt;

use fairway_shared::api::preview::PreviewRecord;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Number, Value, json};

/// Most records that a sample has.
pub(super) const MOST: usize = 1000;

/// What cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    /// Line of the text, from 1.
    pub(super) line: usize,
    /// Why.
    pub(super) why: String,
}

/// Records as JSON lines.
pub(super) fn written(records: &[PreviewRecord]) -> String {
    let line = |record: &PreviewRecord| {
        let ordered: Vec<String> = record
            .fields
            .iter()
            .filter_map(|name| {
                let value = record.value.get(name)?;
                Some(format!("{}: {value}", Value::String(name.clone())))
            })
            .collect();
        format!("{{ {} }}\n", ordered.join(", "))
    };
    records.iter().map(line).collect()
}

/// The records of a text, as the preview takes whole ones. What JSON cannot say, such as that a text is a moment, is taken over
/// from `known` for fields that were not changed.
pub(super) fn read(text: &str, known: &[PreviewRecord]) -> Result<Vec<Value>, Unreadable> {
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    let values = match trimmed.chars().next() {
        None => Vec::new(),
        Some('[') => list(trimmed)?,
        Some('{') => lines(text)?,
        Some(_) => table(text.trim_start_matches('\u{feff}').trim_matches(['\r', '\n']))?,
    };
    let whole = |(at, Members(members)): (usize, Members)| {
        let fields: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
        whole(members.into_iter().collect(), &fields, known.get(at))
    };
    Ok(values.into_iter().take(MOST).enumerate().map(whole).collect())
}

/// A record of the preview as one that it takes.
pub(super) fn again(record: &PreviewRecord) -> Value {
    let mut whole = whole(record.value.clone(), &record.fields, Some(record));
    if let (Value::Object(whole), Some(key)) = (&mut whole, &record.key) {
        whole.insert("key".into(), key.clone());
    }
    whole["headers"] = json!(record.headers);
    whole
}

fn whole(value: Map<String, Value>, fields: &[String], known: Option<&PreviewRecord>) -> Value {
    let mut types = Map::new();
    for (name, kind) in known.into_iter().flat_map(|known| &known.types) {
        if known.is_some_and(|known| known.value.get(name) == value.get(name)) && value.contains_key(name) {
            types.insert(fairway_shared::pointer::join("/value", name), Value::String(kind.clone()));
        }
    }
    json!({ "value": value, "types": types, "fields": fields })
}

/// The members of an object in the order of the text, in which people look for them again.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members: Vec<(String, Value)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    // Of a name that comes twice the last one counts, as everywhere.
                    members.retain(|(known, _)| *known != name);
                    members.push((name, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

fn list(text: &str) -> Result<Vec<Members>, Unreadable> {
    serde_json::from_str(text).map_err(|error| Unreadable { line: error.line(), why: error.to_string() })
}

/// Objects one behind the other: each on a line of its own, or over several lines.
fn lines(text: &str) -> Result<Vec<Members>, Unreadable> {
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Members>();
    stream
        .map(|read| read.map_err(|error| Unreadable { line: error.line(), why: error.to_string() }))
        .collect()
}

/// CSV with a header; tabs or semicolons where the header has more of them than commas.
fn table(text: &str) -> Result<Vec<Members>, Unreadable> {
    let header = text.lines().next().unwrap_or_default();
    let count = |letter: char| header.matches(letter).count();
    let delimiter =
        [',', '\t', ';'].into_iter().max_by_key(|letter| (count(*letter), *letter == ',')).unwrap_or(',');
    let mut rows = rows_of(text, delimiter);
    let Some(names) = rows.first().cloned() else { return Ok(Vec::new()) };
    rows.remove(0);
    rows.into_iter()
        .enumerate()
        .map(|(at, row)| {
            if row.len() != names.len() {
                let why = format!("{} ≠ {}", row.len(), names.len());
                return Err(Unreadable { line: at + 2, why });
            }
            Ok(Members(names.iter().cloned().zip(row.into_iter().map(|cell| guessed(&cell))).collect()))
        })
        .collect()
}

/// The cells of every row that holds something.
fn rows_of(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            _ if quoted => cell.push(letter),
            '\r' => {}
            '\n' => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            letter if letter == delimiter => row.push(std::mem::take(&mut cell)),
            letter => cell.push(letter),
        }
    }
    row.push(cell);
    rows.push(row);
    rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
    rows
}

/// A cell as what it most likely means: nothing is null, a number that is written back the same is a number.
fn guessed(cell: &str) -> Value {
    match cell {
        "" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        text => match serde_json::from_str::<Number>(text) {
            Ok(number) if number.to_string() == text => Value::Number(number),
            _ => Value::String(text.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Vec<Value> {
        read(text, &[]).unwrap().into_iter().map(|record| record["value"].clone()).collect()
    }

    #[test]
    fn people_paste_what_they_have() {
        let expected = [json!({"id": 1, "name": "a"}), json!({"id": 2, "name": null})];
        assert_eq!(values("{\"id\":1,\"name\":\"a\"}\n{\"id\":2,\"name\":null}\n"), expected);
        assert_eq!(values("[{\"id\":1,\"name\":\"a\"},\n{\"id\":2,\"name\":null}]"), expected);
        assert_eq!(values("id,name\n1,a\n2,\n"), expected);
        assert_eq!(values("id\tname\r\n1\ta\r\n2\t\r\n"), expected);
        assert_eq!(values("a;b\n007;\"x;y\"\n"), [json!({"a": "007", "b": "x;y"})]);
        assert_eq!(values("  \n"), Vec::<Value>::new());
    }

    #[test]
    fn what_cannot_be_read_says_its_line() {
        assert_eq!(read("{\"a\": 1}\n{\"a\": }\n", &[]).unwrap_err().line, 2);
        assert_eq!(read("a,b\n1,2\n3\n", &[]).unwrap_err().line, 3);
    }

    #[test]
    fn types_stay_with_what_was_not_changed() {
        let record = PreviewRecord {
            value: Map::from_iter([
                ("at".to_owned(), json!("2026-01-01T00:00:00Z")),
                ("id".to_owned(), json!("1")),
            ]),
            fields: vec!["id".into(), "at".into()],
            types: [("at", "timestamp"), ("id", "uuid")]
                .map(|(name, kind)| (name.into(), kind.into()))
                .into(),
            ..PreviewRecord::default()
        };
        let text = written(std::slice::from_ref(&record)).replace("\"1\"", "\"2\"");
        let read = read(&text, &[record]).unwrap();
        assert_eq!(read[0]["types"], json!({"/value/at": "timestamp"}));
        assert_eq!(read[0]["fields"], json!(["id", "at"]));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            drop(read(&text, &[]));
        }

        #[test]
        fn what_is_written_is_read_back(name in "[a-z\"\\\\\u{202e}]{1,6}", text in ".{0,20}", number in any::<i64>()) {
            let value = Map::from_iter([(name.clone(), json!(text)), (format!("{name}n"), json!(number))]);
            let record = PreviewRecord { fields: value.keys().cloned().collect(), value: value.clone(), ..PreviewRecord::default() };
            let read = read(&written(&[record]), &[]).unwrap();
            prop_assert_eq!(&read[0]["value"], &Value::Object(value));
        }
    }
}
