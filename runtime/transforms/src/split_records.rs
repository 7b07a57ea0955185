//! `split_records`: a record for each item of a list. Their numbering is the engine's (`Batch::split`): a commit never
//! falls between the children of one record.

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{
    Batch, Derived, ListRef, RecordError, RecordRef, Ref, Splitter, Value, json_read,
};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::found_fields::FoundFields;

/// Makes a record of each item of a list, such as one for each line of an order.
///
/// Each new record has the other fields of the one it came of, with its key, headers and time, and the item in a field.
/// Items that are objects can be spread into fields instead; if one of those has the name of another field, that is an
/// error of the record. A value of type `json`, as databases bring it, is split if it holds a list; text that looks like a list is
/// text, and `cast_fields` makes `json` of it. A field that holds anything but a list is an error of the record, which then
/// leaves by the errors port whole.
///
/// The records of one are delivered together: after a crash either none of them counts as delivered or all do. A record
/// counts as delivered if any that came of it was, and as dead-lettered if any of them was refused.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SplitRecords {
    /// The field that holds the list, exactly.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "widget": "field"}))]
    field: String,
    /// Field that gets the item; empty for the one that held the list.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    into: String,
    /// Whether items that are objects are spread: their members become fields of the record.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 3}))]
    spread: bool,
    /// Text before the names of fields that come of spread items.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 100), extend("x-ui" = {"order": 4, "placeholder": "line_", "show_if": {"spread": true}}))]
    prefix: String,
    /// Whether the other fields of the record are kept.
    #[serde(default = "default_keep_parent")]
    #[schemars(extend("x-ui" = {"order": 5}))]
    keep_parent: bool,
    /// Field that gets the number of the item, from 0; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-ui" = {"order": 6, "placeholder": "line_no"}))]
    number: String,
    /// What becomes of a record whose list is empty, null or missing.
    #[serde(default = "default_empty")]
    #[schemars(extend("x-ui" = {"order": 7}))]
    empty: Empty,
    /// Most items of one record; more are an error of the record. All of them are in memory at once.
    #[serde(default = "default_most")]
    #[schemars(range(min = 1, max = 1_000_000), extend("x-ui" = {"order": 8, "advanced": true}))]
    most: u32,
}

/// What becomes of a record without items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Empty {
    /// It is dropped, and counts as filtered.
    Drop,
    /// It goes on, once, without an item.
    Keep,
    /// It is refused.
    Reject,
}

fn default_keep_parent() -> bool {
    true
}

fn default_empty() -> Empty {
    Empty::Drop
}

fn default_most() -> u32 {
    10_000
}

impl SplitRecords {
    fn into(&self) -> &str {
        if self.into.is_empty() { &self.field } else { &self.into }
    }
}

impl Config for SplitRecords {
    const META: Meta = Meta {
        examples: &[
            (
                "One record a line of an order",
                r#"{"field":"lines","spread":true,"prefix":"line_","number":"line_no"}"#,
            ),
            ("Tags, also of records that have none", r#"{"field":"tags","into":"tag","empty":"keep"}"#),
            (
                "Only what lies in the list",
                r#"{"field":"events","spread":true,"keep_parent":false,"empty":"reject"}"#,
            ),
        ],
        several: true,
        ..Meta::new("split_records", "Split records", "records")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if !self.number.is_empty() && self.number == self.into() {
            let message = format!("`{}` cannot hold both the item and its number", self.number);
            issues.push(Issue::new("number", message, "name another field"));
        }
        issues
    }
}

impl TransformConfig for SplitRecords {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        Ok(Box::new(Split {
            found: FoundFields::default(),
            name: String::new(),
            only: Derived::default(),
            found_before: 0,
            config: self,
        }))
    }
}

struct Split {
    config: SplitRecords,
    /// Fields that came of items.
    found: FoundFields,
    /// The name under way.
    name: String,
    /// The schema without the parent's fields, and how many fields were found when it was made.
    only: Derived,
    found_before: usize,
}

impl Split {
    /// Makes the children of a record; `false` if it is dropped.
    fn split(&mut self, record: &RecordRef<'_>, splitter: &mut Splitter<'_>) -> Result<bool, RecordError> {
        let field = &self.config.field;
        let parsed;
        let value = match record.get(field) {
            Ref::Raw(json) => {
                parsed = json_read::read_value(json).unwrap_or(Value::Null);
                parsed.as_ref()
            }
            other => other,
        };
        let list = match value {
            Ref::List(list) => Some(list).filter(|list| !list.is_empty()),
            Ref::Missing | Ref::Null => None,
            other => {
                let mut message = format!("the field is no list but of type {}", other.kind());
                if matches!(other, Ref::Str(text) if text.trim_start().starts_with('[')) {
                    message.push_str("; cast it to `json` in a step before to have it split");
                }
                return Err(RecordError::in_field("split.not_a_list", field, message));
            }
        };
        match (list, self.config.empty) {
            (Some(list), _) => {
                let before = self.found.len();
                let split = self.children(record, list, splitter);
                if split.is_err() {
                    // A refused record leaves no names behind.
                    self.found.forget_beyond(before);
                }
                split.map(|()| true)
            }
            (None, Empty::Drop) => Ok(false),
            (None, Empty::Keep) => {
                let mut child = splitter.child();
                child.remove(field);
                Ok(true)
            }
            (None, Empty::Reject) => {
                Err(RecordError::in_field("split.empty", field, "the field holds no items to split"))
            }
        }
    }

    fn children(
        &mut self,
        record: &RecordRef<'_>,
        list: ListRef<'_>,
        splitter: &mut Splitter<'_>,
    ) -> Result<(), RecordError> {
        let config = &self.config;
        let (field, into) = (config.field.as_str(), config.into());
        if list.len() > config.most as usize {
            let message = format!("the list has {} items, more than the {} allowed", list.len(), config.most);
            return Err(RecordError::in_field("split.too_many", field, message));
        }
        // A field of the parent that stays must not be written over.
        let taken = |name: &str| config.keep_parent && name != field && !record.get(name).is_missing();
        let collision = |name: &str| {
            let message = format!("the record has a field `{name}` besides the one that comes of its items");
            RecordError::in_field("split.collision", name, message)
        };
        let number = Some(config.number.as_str()).filter(|name| !name.is_empty());
        if let Some(name) = number.filter(|name| taken(name)) {
            return Err(collision(name));
        }
        for (at, item) in list.iter().enumerate() {
            let mut child = splitter.child();
            match item {
                Ref::Map(map) if config.spread => {
                    child.remove(field);
                    for (name, value) in map.iter() {
                        self.name.clear();
                        self.name.push_str(&config.prefix);
                        self.name.push_str(name);
                        if taken(&self.name) || number == Some(&self.name) {
                            return Err(collision(&self.name));
                        }
                        self.found.admit(&self.name)?;
                        child.set(&self.name, value);
                    }
                }
                _ => {
                    if taken(into) {
                        return Err(collision(into));
                    }
                    self.found.admit(into)?;
                    if into != field {
                        child.remove(field);
                    }
                    child.set_item(into, list, at);
                }
            }
            if let Some(number) = number {
                self.found.admit(number)?;
                child.set(number, at as u64);
            }
        }
        Ok(())
    }
}

impl Transform for Split {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        self.found.widen(&mut batch);
        let mut dropped = 0;
        let rejects = batch.split(|record, splitter| {
            let split = self.split(record, splitter)?;
            dropped += usize::from(!split);
            Ok(())
        });
        out.reject(rejects);
        out.dropped(dropped);
        // Items are of any type, whatever the list was declared as.
        if self.found_before != self.found.len() {
            self.found_before = self.found.len();
            self.only = Derived::default();
        }
        batch.with_schema(&mut self.only, |schema| {
            let names = self.found.names();
            let whole = if self.config.keep_parent { schema.clone() } else { schema.only(names) };
            names.iter().fold(whole, |schema, name| match schema.lookup(name) {
                Some(_) => schema.with(name, None),
                None => schema,
            })
        });
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
