//! `flatten_fields`: nested objects as fields side by side. How a value is taken apart is in `flatten_fields/leaves.rs`.

mod leaves;

use std::collections::HashMap;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, Derived, Record, RecordError, Ref, Schema, Value};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::found_fields::FoundFields;
use leaves::Leaves;

/// Takes nested objects apart: what lies under `city` in `address` becomes the field `address__city`.
///
/// The new fields stand where the object stood. Lists become JSON text, digit for digit, or a field for each item
/// (`tags__0`, `tags__1`). An object deeper than the depth, an empty object and an empty list become JSON text as well,
/// so that nothing is lost. Null stays null, and a field that holds no object stays as it is.
///
/// If a new field has the name of another that the record has, that is an error of the record, which leaves by the errors
/// port as it came in. So is a record that would bring the fields found since the start to more than 2,000: objects keyed
/// by an id are better kept as they are, or split into records.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlattenFields {
    /// The fields to take apart, exactly; none means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 1, "widget": "fields"}))]
    fields: Vec<String>,
    /// Text between the parts of a new name.
    #[serde(default = "default_separator")]
    #[schemars(length(min = 1, max = 8), extend("x-ui" = {"order": 2}))]
    separator: String,
    /// How many levels are taken apart; what lies deeper becomes JSON text.
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 100), extend("x-ui" = {"order": 3}))]
    depth: u32,
    /// What becomes of lists.
    #[serde(default = "default_lists")]
    #[schemars(extend("x-ui" = {"order": 4}))]
    lists: Lists,
}

/// What becomes of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Lists {
    /// JSON text.
    Json,
    /// A field for each item, by its index from 0.
    Index,
}

fn default_separator() -> String {
    "__".to_owned()
}

fn default_depth() -> u32 {
    10
}

fn default_lists() -> Lists {
    Lists::Json
}

impl Config for FlattenFields {
    const META: Meta = Meta {
        examples: &[
            ("All objects", "{}"),
            ("One object, with dots, two levels", r#"{"fields":["address"],"separator":".","depth":2}"#),
            ("Lists by index", r#"{"fields":["tags","lines"],"lists":"index"}"#),
        ],
        several: true,
        ..Meta::new("flatten_fields", "Flatten fields", "fields")
    };

    fn check(&self) -> Vec<Issue> {
        let twice = self.fields.iter().enumerate().filter(|(at, name)| self.fields[..*at].contains(name));
        let issue = |(at, name): (usize, &String)| {
            Issue::new(format!("fields.{at}"), format!("`{name}` is named twice"), "name it once")
        };
        twice.map(issue).collect()
    }
}

impl TransformConfig for FlattenFields {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let leaves = Leaves::new(self.separator, self.depth as usize, self.lists == Lists::Index);
        Ok(Box::new(Flatten {
            fields: self.fields,
            leaves,
            found: FoundFields::default(),
            children: HashMap::new(),
            gone: Vec::new(),
            ordered: Derived::default(),
        }))
    }
}

struct Flatten {
    fields: Vec<String>,
    leaves: Leaves,
    found: FoundFields,
    /// For each field that was taken apart, what came of it, in order.
    children: HashMap<String, Vec<String>>,
    /// Fields of which the last batch had no value left.
    gone: Vec<String>,
    ordered: Derived,
}

impl Flatten {
    /// Names and slots of the fields that may be taken apart.
    fn targets(&self, schema: &Schema) -> Vec<(String, usize)> {
        let wanted = |name: &str| self.fields.is_empty() || self.fields.iter().any(|field| field == name);
        let fields = schema.fields().iter().filter(|field| wanted(field.name()));
        fields.map(|field| (field.name().to_string(), field.slot())).collect()
    }

    fn take_apart(
        &mut self,
        record: &mut Record<'_>,
        targets: &[(String, usize)],
    ) -> Result<(), RecordError> {
        self.leaves.clear();
        for (at, (name, slot)) in targets.iter().enumerate() {
            if self.leaves.take(at, name, record.get_slot(*slot)) {
                // Other values of this field do not come of it in this record, so it is free to be one of them.
                record.set_slot(*slot, Ref::Missing);
            }
        }
        let leaves = std::mem::take(&mut self.leaves);
        let before = self.found.len();
        let mut outcome = Ok(());
        for (target, name, value) in leaves.iter() {
            outcome = self.put(record, name, value, &targets[target].0);
            if outcome.is_err() {
                break;
            }
        }
        self.leaves = leaves;
        if outcome.is_err() {
            self.forget_beyond(before);
        }
        outcome
    }

    /// A refused record leaves no names behind: one of thousands of names must not use up the room of all others.
    fn forget_beyond(&mut self, before: usize) {
        let names = &self.found.names()[before..];
        self.children.values_mut().for_each(|children| children.retain(|child| !names.contains(child)));
        self.children.retain(|_, children| !children.is_empty());
        self.found.forget_beyond(before);
    }

    fn put(
        &mut self,
        record: &mut Record<'_>,
        name: &str,
        value: &Value,
        parent: &str,
    ) -> Result<(), RecordError> {
        if name == parent {
            record.set(name, value);
            return Ok(());
        }
        if !record.get(name).is_missing() {
            let message = format!("the record has a field `{name}` besides the one that comes of `{parent}`");
            return Err(RecordError::in_field("flatten.collision", name, message));
        }
        if self.found.admit(name)? {
            self.children.entry(parent.to_owned()).or_default().push(name.to_owned());
        }
        record.set(name, value);
        Ok(())
    }

    /// The fields in order: what came of a field stands where it stood.
    fn ordered(&self, schema: &Schema) -> Schema {
        let mut order: Vec<&str> = Vec::with_capacity(schema.len());
        for field in schema.fields() {
            let name = &**field.name();
            if !self.gone.iter().any(|gone| gone == name) {
                order.push(name);
            }
            order.extend(self.children.get(name).into_iter().flatten().map(String::as_str));
        }
        // A found field may also be one of the source's; it stands where it comes first.
        schema.only(&order)
    }
}

impl Transform for Flatten {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        let targets = self.targets(batch.schema());
        let before = self.found.len();
        self.found.widen(&mut batch);
        out.reject(batch.for_each(|record| self.take_apart(record, &targets)));
        let empty = |slot: usize| batch.records().all(|record| record.get_slot(slot).is_missing());
        let gone = targets.iter().filter(|(name, slot)| self.children.contains_key(name) && empty(*slot));
        let gone: Vec<String> = gone.map(|(name, _)| name.clone()).collect();
        if gone != self.gone || before != self.found.len() {
            self.gone = gone;
            self.ordered = Derived::default();
        }
        let mut ordered = std::mem::take(&mut self.ordered);
        batch.with_schema(&mut ordered, |schema| self.ordered(schema));
        self.ordered = ordered;
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
