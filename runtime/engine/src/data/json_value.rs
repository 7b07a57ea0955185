//! Values to and from `serde_json` trees, every number exact (G1).
//!
//! For configuration, the API and tests. Records never pass through a tree: see [`json_read`](super::json_read)
//! and [`json_write`](super::json_write).

use serde_json::Value as Json;

use super::json_write;
use super::number::parse_number;
use super::value::Value;

impl Value {
    /// Takes over a JSON tree. A number keeps all its digits in the smallest form that holds them; a name that
    /// comes twice was already settled by the tree.
    pub fn from_json(json: &Json) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => {
                let text = number.to_string();
                match parse_number(&text) {
                    Some(number) => number.into(),
                    // An exponent that nothing here can count with: the digits are kept as they are.
                    None => Value::Str(text),
                }
            }
            Json::String(text) => Value::Str(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Value::from_json).collect()),
            Json::Object(entries) => Value::Map(
                entries.iter().map(|(name, value)| (name.clone(), Value::from_json(value))).collect(),
            ),
        }
    }

    /// The value as a JSON tree, in the forms that [`json_write`] documents. `Missing` becomes null, and is left
    /// out of maps.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Missing | Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Str(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Value::to_json).collect()),
            Value::Map(entries) => Json::Object(
                entries
                    .iter()
                    .filter(|(_, value)| !matches!(value, Value::Missing))
                    .map(|(name, value)| (name.clone(), value.to_json()))
                    .collect(),
            ),
            scalar => {
                let mut text = Vec::new();
                json_write::write_value(scalar.as_ref(), &mut text);
                serde_json::from_slice(&text).unwrap_or(Json::Null)
            }
        }
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        Value::from_json(json)
    }
}
