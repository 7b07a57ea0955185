//! What says most about a node's settings in one line, and all words of them for a search.

use serde_json::{Map, Value};

/// Settings that say by themselves where a node reads or writes.
const TELLING: [&str; 8] = ["path", "table", "topic", "url", "query", "expression", "connection", "format"];

/// Most elements of a list that are told.
const MOST: usize = 4;

/// What says most: where it reads or writes, else its lists (rules, fields, routes), else its first plain value.
pub(super) fn line(config: &Map<String, Value>) -> String {
    let telling = TELLING.iter().find_map(|key| config.get(*key).and_then(plain));
    let lists = || config.iter().filter_map(|(key, value)| list(key, value)).collect::<Vec<_>>().join("; ");
    let first = || config.iter().find_map(|(key, value)| Some(format!("{key}: {}", plain(value)?)));
    telling.or_else(|| Some(lists()).filter(|text| !text.is_empty())).or_else(first).unwrap_or_default()
}

/// Every text and number of the settings, for a search.
pub(super) fn words(config: &Map<String, Value>) -> String {
    fn gather(value: &Value, words: &mut String) {
        match value {
            Value::String(text) => words.extend([" ", text]),
            Value::Number(number) => words.extend([" ", &number.to_string()]),
            Value::Array(list) => list.iter().for_each(|value| gather(value, words)),
            Value::Object(map) => map.values().for_each(|value| gather(value, words)),
            Value::Null | Value::Bool(_) => {}
        }
    }
    let mut words = String::new();
    config.values().for_each(|value| gather(value, &mut words));
    words
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A list or map of a setting; texts alone are led by the setting's name.
fn list(key: &str, value: &Value) -> Option<String> {
    let parts: Vec<String> = match value {
        Value::Array(list) => list.iter().filter_map(element).collect(),
        Value::Object(map) => {
            map.iter().filter_map(|(from, to)| Some(format!("{from} → {}", short(to)?))).collect()
        }
        _ => return None,
    };
    if parts.is_empty() {
        return None;
    }
    let told = parts.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if parts.len() > MOST { ", …" } else { "" };
    let texts = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    Some(if texts { format!("{key}: {told}{more}") } else { format!("{told}{more}") })
}

/// An element: a text, a rule, a pair, or what it is called.
fn element(value: &Value) -> Option<String> {
    let Value::Object(map) = value else { return plain(value) };
    let text = |key: &str| map.get(key).and_then(plain);
    if let (Some(field), Some(op)) = (text("field"), text("op")) {
        return Some(match map.get("value").and_then(short) {
            Some(value) => format!("{field} {} {value}", sign(&op)),
            None => format!("{field} {}", sign(&op)),
        });
    }
    let pair = [
        ("field", "type"),
        ("from", "to"),
        ("field", "to"),
        ("field", "name"),
        ("field", "value"),
        ("name", "value"),
    ];
    let paired = pair
        .iter()
        .find_map(|(from, to)| Some(format!("{} → {}", text(from)?, map.get(*to).and_then(short)?)));
    paired.or_else(|| text("name")).or_else(|| text("field")).or_else(|| map.values().find_map(plain))
}

/// A value as it stands in a line.
fn short(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => Some(list.iter().filter_map(short).collect::<Vec<_>>().join(" ")),
        Value::Object(_) => Some("…".to_owned()),
        other => Some(other.to_string()),
    }
}

/// The sign of a comparison; words of others are those of the document.
fn sign(op: &str) -> &str {
    match op {
        "eq" => "=",
        "ne" => "≠",
        "lt" => "<",
        "le" => "≤",
        "gt" => ">",
        "ge" => "≥",
        "in" => "∈",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_telling_setting_is_shown() {
        for (config, told) in [
            (json!({ "delimiter": ";", "path": "a/*.csv" }), "a/*.csv"),
            (json!({ "fields": ["email", "phone"], "method": "redact" }), "fields: email, phone"),
            (json!({ "nested": {} }), ""),
            (
                json!({ "rules": [{ "field": "delay", "op": "gt", "value": 0 }, { "field": "tail", "op": "not_null" }] }),
                "delay > 0, tail not_null",
            ),
            (
                json!({ "fields": [{ "field": "distance", "type": "decimal" }, { "field": "delay", "type": "int64", "on_null": "reject" }] }),
                "distance → decimal, delay → int64",
            ),
            (
                json!({ "routes": [{ "name": "large", "rules": [] }, { "name": "paid" }], "take": "all" }),
                "large, paid",
            ),
            (json!({ "rename": { "a": "b", "c": "d" } }), "a → b, c → d"),
            (
                json!({ "rules": [{ "field": "country", "op": "in", "value": ["DE", "AT"] }] }),
                "country ∈ DE AT",
            ),
            (json!({ "count": 5 }), "count: 5"),
            (json!({ "columns": ["a", "b", "c", "d", "e"] }), "columns: a, b, c, d, …"),
        ] {
            assert_eq!(line(config.as_object().unwrap()), told, "{config}");
        }
    }

    #[test]
    fn every_word_is_found() {
        let config = json!({ "path": "x.csv", "rules": [{ "field": "delay", "value": 15 }], "on": true });
        assert_eq!(words(config.as_object().unwrap()), " x.csv delay 15");
    }
}
