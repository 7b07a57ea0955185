//! What a record becomes: topic, key, value, headers and time of a message.

use std::sync::Arc;

use fairway_engine::data::json_write::{write_record, write_str, write_value};
use fairway_engine::data::text::write_text;
use fairway_engine::data::{Batch, RecordError, RecordRef, Ref, Value};

use super::{KeyFormat, Time, ValueFormat};
use crate::settings::is_topic;

/// Where records go.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// This topic.
    pub(super) fixed: Option<Arc<str>>,
    /// The one that this field names, where a record has it.
    pub(super) field: Option<String>,
}

/// How records become messages.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) target: Target,
    pub(super) key_fields: Vec<String>,
    pub(super) key: KeyFormat,
    pub(super) value: ValueFormat,
    pub(super) value_field: String,
    pub(super) deleted_field: String,
    pub(super) headers: bool,
    pub(super) time: Time,
}

/// A [`Form`] for the records of one batch: fields are looked up once.
pub(super) struct Encoder<'a> {
    form: &'a Form,
    value: Option<usize>,
    deleted: Option<usize>,
    topic: Option<usize>,
    keys: Vec<Option<usize>>,
}

/// Room for the parts of a message, used again for each.
#[derive(Debug, Default)]
pub(super) struct Parts {
    key: Vec<u8>,
    has_key: bool,
    value: Vec<u8>,
    has_value: bool,
    /// Milliseconds since 1970.
    pub(super) time: Option<i64>,
}

impl Parts {
    pub(super) fn key(&self) -> Option<&[u8]> {
        self.has_key.then_some(&self.key)
    }

    pub(super) fn value(&self) -> Option<&[u8]> {
        self.has_value.then_some(&self.value)
    }
}

impl<'a> Encoder<'a> {
    pub(super) fn new(form: &'a Form, batch: &Batch) -> Self {
        let slot = |name: &str| batch.schema().slot(name);
        Self {
            form,
            value: slot(&form.value_field),
            deleted: slot(&form.deleted_field),
            topic: form.target.field.as_deref().and_then(slot),
            keys: form.key_fields.iter().map(|name| slot(name)).collect(),
        }
    }

    /// The topic of a record.
    pub(super) fn topic<'r>(&'r self, record: &RecordRef<'r>) -> Result<&'r str, RecordError> {
        let named = self.topic.map_or(Ref::Missing, |slot| record.get_slot(slot));
        let field = self.form.target.field.as_deref().unwrap_or_default();
        match (named, &self.form.target.fixed) {
            (Ref::Str(name), _) if is_topic(name) => Ok(name),
            (Ref::Missing | Ref::Null, Some(fixed)) => Ok(fixed),
            (Ref::Missing | Ref::Null, None) => {
                Err(RecordError::in_field("kafka.bad_topic", field, "the field names no topic"))
            }
            (Ref::Str(name), _) => {
                let name: String = name.chars().take(64).collect();
                Err(RecordError::in_field(
                    "kafka.bad_topic",
                    field,
                    format!("no topic can be called {name:?}"),
                ))
            }
            (other, _) => {
                let message = format!("a topic's name must be text, not {}", other.kind());
                Err(RecordError::in_field("kafka.bad_topic", field, message))
            }
        }
    }

    /// Key, value and time of a record.
    pub(super) fn encode(&self, record: &RecordRef<'_>, parts: &mut Parts) -> Result<(), RecordError> {
        parts.key.clear();
        parts.value.clear();
        parts.has_key = self.key(record, &mut parts.key);
        parts.has_value = self.value(record, &mut parts.value)?;
        parts.time = match (self.form.time, record.time()) {
            (Time::Record, Some(us)) if us < 0 => {
                return Err(RecordError::new("kafka.bad_time", "a message cannot be from before 1970"));
            }
            (Time::Record, Some(us)) => Some(us / 1000),
            _ => None,
        };
        Ok(())
    }

    /// Whether there is a key; null is none (G3).
    fn key(&self, record: &RecordRef<'_>, out: &mut Vec<u8>) -> bool {
        let write = |value: Ref<'_>, out: &mut Vec<u8>| match (value, self.form.key) {
            (Ref::Missing | Ref::Null, _) => false,
            (Ref::Bytes(bytes), KeyFormat::Text) => {
                out.extend_from_slice(bytes);
                true
            }
            (value, KeyFormat::Text) => {
                write_text(value, out);
                true
            }
            (value, KeyFormat::Json) => {
                write_value(value, out);
                true
            }
        };
        match &self.keys[..] {
            [] => record.key().is_some_and(|key| write(Ref::from(key), out)),
            [slot] => write(slot.map_or(Ref::Missing, |slot| record.get_slot(slot)), out),
            slots => {
                out.push(b'{');
                for (name, slot) in self.form.key_fields.iter().zip(slots) {
                    if out.len() > 1 {
                        out.push(b',');
                    }
                    write_str(name, out);
                    out.push(b':');
                    write_value(slot.map_or(Ref::Missing, |slot| record.get_slot(slot)), out);
                }
                out.push(b'}');
                true
            }
        }
    }

    /// Whether there is a value; a message without one is a tombstone.
    fn value(&self, record: &RecordRef<'_>, out: &mut Vec<u8>) -> Result<bool, RecordError> {
        if self.form.value == ValueFormat::Json {
            let deleted = self.deleted.is_some_and(|slot| matches!(record.get_slot(slot), Ref::Bool(true)));
            if !deleted {
                write_record(record, out);
            }
            return Ok(!deleted);
        }
        let field = &self.form.value_field;
        match (self.value.map_or(Ref::Missing, |slot| record.get_slot(slot)), self.form.value) {
            (Ref::Missing, _) => {
                return Err(RecordError::in_field(
                    "kafka.no_value",
                    field,
                    "the record does not have this field",
                ));
            }
            (Ref::Null, _) => return Ok(false),
            (Ref::Bytes(bytes), ValueFormat::Bytes) => out.extend_from_slice(bytes),
            (Ref::Str(text), _) => out.extend_from_slice(text.as_bytes()),
            (other, ValueFormat::Bytes) => {
                let message = format!("the value must be bytes or text, not {}", other.kind());
                return Err(RecordError::in_field("kafka.no_bytes", field, message));
            }
            (other, _) => write_text(other, out),
        }
        Ok(true)
    }

    /// Hands on the headers of a record, and answers how many bytes they take.
    pub(super) fn headers(
        &self,
        record: &RecordRef<'_>,
        mut header: impl FnMut(&str, Option<&[u8]>),
    ) -> Result<usize, RecordError> {
        let mut bytes = 0;
        if !self.form.headers {
            return Ok(0);
        }
        let mut text = Vec::new();
        for (name, value) in record.headers() {
            if name.contains('\0') {
                let message = "the name of a header cannot hold U+0000";
                return Err(RecordError::new("kafka.bad_header", message));
            }
            text.clear();
            let value = match value {
                Value::Null | Value::Missing => None,
                Value::Bytes(bytes) => Some(&bytes[..]),
                other => {
                    write_text(Ref::from(other), &mut text);
                    Some(&text[..])
                }
            };
            bytes += name.len() + value.map_or(0, <[u8]>::len);
            header(name, value);
        }
        Ok(bytes)
    }
}
