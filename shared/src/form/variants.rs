//! A field that takes one of several shapes: which one a value has, and how its content is written.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Field, FieldKind, FormModel};

/// One of several shapes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OneOf {
    /// How the config says which shape it is.
    pub tagging: Tagging,
    /// The shapes.
    pub variants: Vec<Variant>,
}

/// How a config says which shape a value has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tagging {
    /// `"name"`, or `{"name": content}`.
    External,
    /// `{"tag": "name", …fields of the content}`.
    Internal(String),
    /// `{"tag": "name", "content": content}`.
    Adjacent(String, String),
    /// Not at all: the type of the value says it.
    Untagged,
}

/// One shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Name as written in the config; for untagged shapes the name of the type.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// What it means, in Markdown; may be empty.
    pub help: String,
    /// What it holds; nothing for a bare name.
    pub content: Option<Box<Field>>,
}

impl OneOf {
    /// Which shape a value has.
    pub fn variant_of(&self, value: &Value) -> Option<usize> {
        let named = |name: &str| self.variants.iter().position(|variant| variant.name == name);
        match &self.tagging {
            Tagging::External => match value {
                Value::String(name) => named(name),
                Value::Object(map) if map.len() == 1 => map.keys().next().and_then(|name| named(name)),
                _ => None,
            },
            Tagging::Internal(tag) | Tagging::Adjacent(tag, _) => named(value.get(tag)?.as_str()?),
            Tagging::Untagged => self
                .variants
                .iter()
                .position(|variant| variant.content.as_ref().is_some_and(|field| field.kind.fits(value))),
        }
    }

    /// The content of a value of this shape.
    pub fn content(&self, variant: usize, value: &Value) -> Option<Value> {
        let shape = self.variants.get(variant)?;
        shape.content.as_ref()?;
        match (&self.tagging, value) {
            (Tagging::External, Value::Object(map)) => map.get(&shape.name).cloned(),
            (Tagging::Adjacent(_, content), Value::Object(map)) => map.get(content).cloned(),
            (Tagging::Internal(tag), Value::Object(map)) => Some(Value::Object(
                map.iter().filter(|(key, _)| *key != tag).map(|(k, v)| (k.clone(), v.clone())).collect(),
            )),
            (Tagging::Untagged, value) => Some(value.clone()),
            _ => None,
        }
    }

    /// A value of this shape with this content.
    pub fn value(&self, variant: usize, content: Option<Value>) -> Value {
        let Some(shape) = self.variants.get(variant) else { return Value::Null };
        let name = Value::String(shape.name.clone());
        let has_content = shape.content.is_some();
        match (&self.tagging, content.filter(|_| has_content)) {
            (Tagging::External, None) => name,
            (Tagging::External, Some(content)) => {
                Value::Object(Map::from_iter([(shape.name.clone(), content)]))
            }
            (Tagging::Internal(tag), content) => {
                let mut map = match content {
                    Some(Value::Object(map)) => map,
                    _ => Map::new(),
                };
                map.insert(tag.clone(), name);
                Value::Object(map)
            }
            (Tagging::Adjacent(tag, key), content) => {
                let content = content.map(|content| (key.clone(), content));
                Value::Object([(tag.clone(), name)].into_iter().chain(content).collect())
            }
            (Tagging::Untagged, content) => content.unwrap_or(Value::Null),
        }
    }

    /// The pointer, below that of the value, at which the content of this shape lies.
    pub fn content_pointer(&self, variant: usize) -> String {
        match (&self.tagging, self.variants.get(variant)) {
            (Tagging::External, Some(shape)) => crate::pointer::join("", &shape.name),
            (Tagging::Adjacent(_, content), _) => crate::pointer::join("", content),
            _ => String::new(),
        }
    }
}

impl FieldKind {
    /// Whether a value has the JSON type of this kind.
    pub fn fits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text(_), Value::String(_))
            | (Self::Number(_), Value::Number(_))
            | (Self::Bool, Value::Bool(_))
            | (Self::List(_), Value::Array(_))
            | (Self::Map(_), Value::Object(_))
            | (Self::Json, _) => true,
            (Self::Object(form), Value::Object(map)) => form.has_required(map),
            (Self::Choice(choices), value) => choices.iter().any(|choice| choice.value == *value),
            (Self::OneOf(one_of), value) => one_of.variant_of(value).is_some(),
            _ => false,
        }
    }
}

impl FormModel {
    fn has_required(&self, map: &Map<String, Value>) -> bool {
        self.fields.iter().all(|field| !field.required || map.contains_key(&field.name))
    }
}
