//! `mask_fields`: values that must not be seen further on.

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::text::write_text;
use fairway_engine::data::{Batch, Derived, Ref, Schema, StrOut, Update};
use fairway_engine::error::Error;
use fairway_engine::secret::Secret;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use fairway_shared::types::Type;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Hides the values of fields: by a hash, by stars, all but some characters, or altogether.
///
/// `hash` writes the SHA-256 of the salt followed by the value's text, in hexadecimal: equal values stay equal, so joins
/// still work. Without a secret salt, short values such as telephone numbers can be found by trying them all. `partial`
/// keeps the first and last characters and puts `***` between; a value too short to hide anything becomes `***` whole.
/// `redact` writes `***`. `null` writes null.
///
/// Numbers, dates and nested values are masked by their text. Null stays null, and a field that a record does not have
/// stays missing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaskFields {
    /// Names of the fields, exactly.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "widget": "fields"}))]
    fields: Vec<String>,
    /// How values are hidden.
    #[serde(default = "default_method")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    method: Method,
    /// Secret text put before each value that is hashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 3, "secret": true, "show_if": {"method": "hash"}}))]
    salt: Option<Secret>,
    /// How many characters stay at the front.
    #[serde(default = "default_keep_first")]
    #[schemars(range(max = 1000), extend("x-ui" = {"order": 4, "show_if": {"method": "partial"}}))]
    keep_first: u32,
    /// How many characters stay at the end.
    #[serde(default = "default_keep_last")]
    #[schemars(range(max = 1000), extend("x-ui" = {"order": 5, "show_if": {"method": "partial"}}))]
    keep_last: u32,
}

/// How values are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Method {
    /// SHA-256 in hexadecimal.
    Hash,
    /// Three stars.
    Redact,
    /// Some characters at both ends, and stars between.
    Partial,
    /// Null.
    Null,
}

fn default_method() -> Method {
    Method::Hash
}

fn default_keep_first() -> u32 {
    2
}

fn default_keep_last() -> u32 {
    0
}

const STARS: &str = "***";

impl Config for MaskFields {
    const META: Meta = Meta {
        examples: &[
            ("Hash an address", r#"{"fields":["email"],"method":"hash","salt":"${secret:mask_salt}"}"#),
            (
                "Last digits of a card",
                r#"{"fields":["card"],"method":"partial","keep_first":0,"keep_last":4}"#,
            ),
        ],
        several: true,
        ..Meta::new("mask_fields", "Mask fields", "fields")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.fields.is_empty() {
            issues.push(Issue::new("fields", "there is no field to mask", "name one, or remove this node"));
        }
        if self.method == Method::Partial && self.keep_first == 0 && self.keep_last == 0 {
            issues.push(Issue::new("keep_first", "nothing is kept", "use the method `redact`"));
        }
        issues
    }
}

impl TransformConfig for MaskFields {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let salted = Sha256::new_with_prefix(self.salt.as_ref().map_or("", Secret::reveal));
        Ok(Box::new(Mask { config: self, salted, text: Vec::new(), derived: Derived::default() }))
    }
}

struct Mask {
    config: MaskFields,
    /// The hash with the salt already in it.
    salted: Sha256,
    /// The text of the value at hand.
    text: Vec<u8>,
    derived: Derived,
}

impl Mask {
    fn write(&self, text: &str, out: &mut StrOut<'_>) {
        match self.config.method {
            Method::Hash => {
                let hash = self.salted.clone().chain_update(text).finalize();
                for byte in hash {
                    out.push(hex_digit(byte >> 4));
                    out.push(hex_digit(byte & 15));
                }
            }
            Method::Partial => self.write_partial(text, out),
            Method::Redact | Method::Null => out.push_str(STARS),
        }
    }

    fn write_partial(&self, text: &str, out: &mut StrOut<'_>) {
        let (first, last) = (self.config.keep_first as usize, self.config.keep_last as usize);
        let front = text.char_indices().nth(first).map(|(at, _)| at);
        let back = match last {
            0 => Some(text.len()),
            _ => text.char_indices().nth_back(last - 1).map(|(at, _)| at),
        };
        match (front, back) {
            // Only what leaves something hidden between both ends may show them.
            (Some(front), Some(back)) if front < back => {
                out.push_str(&text[..front]);
                out.push_str(STARS);
                out.push_str(&text[back..]);
            }
            _ => out.push_str(STARS),
        }
    }

    fn mask(&mut self, batch: &mut Batch, field: &str) -> fairway_engine::data::Rejects {
        let mut buffer = std::mem::take(&mut self.text);
        let rejects = batch.update_field(field, |value, out| {
            if value.is_none() {
                return Ok(Update::Keep);
            }
            if self.config.method == Method::Null {
                return Ok(out.null());
            }
            Ok(match value {
                Ref::Str(text) => out.write_str(|out| self.write(text, out)),
                other => {
                    buffer.clear();
                    write_text(other, &mut buffer);
                    let text = String::from_utf8_lossy(&buffer);
                    out.write_str(|out| self.write(&text, out))
                }
            })
        });
        self.text = buffer;
        rejects
    }
}

fn hex_digit(value: u8) -> char {
    char::from(b"0123456789abcdef"[usize::from(value & 15)])
}

/// The schema with masked fields declared as text, whatever they were before.
fn masked(schema: &Schema, config: &MaskFields) -> Schema {
    let known = config.fields.iter().filter(|name| schema.lookup(name).is_some());
    known.fold(schema.clone(), |schema, name| match config.method {
        Method::Null => schema,
        _ => schema.with(name, Some(Type::String)),
    })
}

impl Transform for Mask {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        let fields = std::mem::take(&mut self.config.fields);
        for field in &fields {
            if batch.schema().lookup(field).is_some() {
                out.reject(self.mask(&mut batch, field));
            }
        }
        self.config.fields = fields;
        batch.with_schema(&mut self.derived, |schema| masked(schema, &self.config));
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
