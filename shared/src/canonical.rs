//! The canonical text form of JSON: known keys in a fixed order, all others sorted by code point, numbers digit for
//! digit (G1). Documents are written with it so that a diff in git shows what changed, and plans are hashed over it so
//! that the same document gives the same plan on any machine.
//!
//! Keys are sorted here and not by serde_json, whose map keeps another order when some crate turns on `preserve_order`.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A JSON value whose objects keep the order they were made in.
#[derive(Debug, Clone)]
pub(crate) enum Item<'a> {
    /// A value as it came; its keys are sorted.
    Value(&'a Value),
    /// A value made for writing; its keys are sorted.
    Owned(Value),
    /// A text.
    Text(&'a str),
    /// Members in this order.
    Object(Vec<(&'a str, Item<'a>)>),
    /// Elements.
    List(Vec<Item<'a>>),
}

impl Item<'_> {
    /// The same as a plain value.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Value(value) => (*value).clone(),
            Self::Owned(value) => value.clone(),
            Self::Text(text) => Value::String((*text).to_owned()),
            Self::Object(members) => Value::Object(
                members.iter().map(|(key, item)| ((*key).to_owned(), item.to_value())).collect(),
            ),
            Self::List(items) => Value::Array(items.iter().map(Item::to_value).collect()),
        }
    }

    /// Two-space indented text, with a newline at the end.
    pub(crate) fn pretty(&self) -> String {
        let mut writer = Writer { out: String::new(), indent: Some(0) };
        writer.item(self);
        writer.out.push('\n');
        writer.out
    }

    /// Text on one line without spaces.
    pub(crate) fn compact(&self) -> String {
        let mut writer = Writer { out: String::new(), indent: None };
        writer.item(self);
        writer.out
    }
}

/// Canonical text of a value on one line.
pub fn compact(value: &Value) -> String {
    Item::Value(value).compact()
}

/// Canonical text of a value, indented, with a newline at the end.
pub fn pretty(value: &Value) -> String {
    Item::Value(value).pretty()
}

/// Hash of a text: the first 128 bits of its SHA-256, in hexadecimal.
pub fn hash(text: &str) -> String {
    use std::fmt::Write;
    let digest = Sha256::digest(text.as_bytes());
    digest[..16].iter().fold(String::with_capacity(32), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a String cannot fail");
        hex
    })
}

/// Reads an optional value that is there: null is a value, and only absence is none.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Members of an object by code point of their keys.
pub(crate) fn sorted(map: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    members
}

struct Writer {
    out: String,
    /// Depth of indentation; nothing means all on one line.
    indent: Option<usize>,
}

impl Writer {
    fn item(&mut self, item: &Item<'_>) {
        match item {
            Item::Value(value) => self.value(value),
            Item::Owned(value) => self.value(value),
            Item::Text(text) => self.text(text),
            Item::Object(members) => self.many('{', '}', members, |writer, (key, item)| {
                writer.key(key);
                writer.item(item);
            }),
            Item::List(items) => self.many('[', ']', items, |writer, item| writer.item(item)),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            // With `arbitrary_precision` a number is the text it was read from (G1).
            Value::Number(number) => self.out.push_str(&number.to_string()),
            Value::String(text) => self.text(text),
            Value::Array(items) => self.many('[', ']', items, |writer, item| writer.value(item)),
            Value::Object(map) => self.many('{', '}', &sorted(map), |writer, (key, value)| {
                writer.key(key);
                writer.value(value);
            }),
        }
    }

    fn many<T>(&mut self, open: char, close: char, parts: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.out.push(open);
        if !parts.is_empty() {
            self.indent = self.indent.map(|depth| depth + 1);
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    self.out.push(',');
                }
                self.line();
                write(self, part);
            }
            self.indent = self.indent.map(|depth| depth - 1);
            self.line();
        }
        self.out.push(close);
    }

    fn line(&mut self) {
        if let Some(depth) = self.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", depth));
        }
    }

    fn key(&mut self, key: &str) {
        self.text(key);
        self.out.push_str(if self.indent.is_some() { ": " } else { ":" });
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        while let Some(at) = rest.find(|letter: char| letter == '"' || letter == '\\' || letter < ' ') {
            self.out.push_str(&rest[..at]);
            let byte = rest.as_bytes()[at];
            match byte {
                b'"' => self.out.push_str("\\\""),
                b'\\' => self.out.push_str("\\\\"),
                b'\n' => self.out.push_str("\\n"),
                b'\r' => self.out.push_str("\\r"),
                b'\t' => self.out.push_str("\\t"),
                0x08 => self.out.push_str("\\b"),
                0x0c => self.out.push_str("\\f"),
                other => self.out.push_str(&format!("\\u{other:04x}")),
            }
            rest = &rest[at + 1..];
        }
        self.out.push_str(rest);
        self.out.push('"');
    }
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => serialize_sorted(value, serializer),
            Self::Owned(value) => serialize_sorted(value, serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, item) in members {
                    map.serialize_entry(key, item)?;
                }
                map.end()
            }
            Self::List(items) => serializer.collect_seq(items),
        }
    }
}

fn serialize_sorted<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Value::Object(object) => {
            let mut map = serializer.serialize_map(Some(object.len()))?;
            for (key, value) in sorted(object) {
                map.serialize_entry(key, &Item::Value(value))?;
            }
            map.end()
        }
        Value::Array(items) => {
            let mut list = serializer.serialize_seq(Some(items.len()))?;
            for item in items {
                list.serialize_element(&Item::Value(item))?;
            }
            list.end()
        }
        plain => plain.serialize(serializer),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_is_readable_by_serde_json_and_sorted() {
        let value = json!({"b": [1, {"z": null, "a": true}], "a": "q\"\\\n\r\t\u{8}\u{c}\u{1}é\u{1F6A2}", "e": [], "o": {}});
        for text in [compact(&value), pretty(&value)] {
            assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }
        assert!(compact(&value).starts_with("{\"a\":"));
        assert_eq!(
            pretty(&json!({"e": [], "o": {}, "l": [1]})),
            "{\n  \"e\": [],\n  \"l\": [\n    1\n  ],\n  \"o\": {}\n}\n"
        );
    }

    #[test]
    fn numbers_keep_their_digits() {
        for digits in
            ["9007199254740993", "0.10000000000000000000001", "1.50", "-0.0", "12345678901234567890123"]
        {
            let value: Value = serde_json::from_str(digits).unwrap();
            assert_eq!(compact(&value), digits);
        }
    }

    #[test]
    fn hashes_are_stable() {
        assert_eq!(hash(""), "e3b0c44298fc1c149afbf4c8996fb924");
    }
}
