//! `set_fields`: fields copied, set to constants, and removed.

use std::collections::BTreeMap;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, Derived, Ref, Rejects, Update, Value};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Copies fields, sets fields to constants, and removes fields, in this order.
///
/// Copies read the record as it came in, so two fields can be exchanged; copying a field that the record does not have
/// does nothing. To rename a field, copy it and remove the old one.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetFields {
    /// Fields and the constants they get: any JSON, every digit kept.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    fields: BTreeMap<String, Json>,
    /// Fields to fill and the fields whose values they get.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    copy: BTreeMap<String, String>,
    /// Fields to remove at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 3, "widget": "fields"}))]
    remove: Vec<String>,
    /// Whether fields that a record already has, be they null, get the new value too.
    #[serde(default = "default_overwrite")]
    #[schemars(extend("x-ui" = {"order": 4, "advanced": true}))]
    overwrite: bool,
}

fn default_overwrite() -> bool {
    true
}

impl Config for SetFields {
    const META: Meta = Meta {
        examples: &[
            ("Say where records come from", r#"{"fields":{"source":"shop","priority":1}}"#),
            ("Rename a field", r#"{"copy":{"customer_id":"cust"},"remove":["cust"]}"#),
            ("A default", r#"{"fields":{"country":"DE"},"overwrite":false}"#),
        ],
        several: true,
        ..Meta::new("set_fields", "Set fields", "fields")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.fields.is_empty() && self.copy.is_empty() && self.remove.is_empty() {
            issues.push(Issue::new("", "nothing is set", "set, copy or remove a field, or remove this node"));
        }
        for name in self.fields.keys().filter(|name| self.copy.contains_key(*name)) {
            let message = format!("`{name}` is both copied to and set to a constant");
            issues.push(Issue::new(format!("copy.{name}"), message, "keep one of the two"));
        }
        for name in
            self.remove.iter().filter(|name| self.fields.contains_key(*name) || self.copy.contains_key(*name))
        {
            let message = format!("`{name}` is given a value and then removed");
            issues.push(Issue::new("remove", message, "keep one of the two"));
        }
        issues
    }
}

impl TransformConfig for SetFields {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let constants =
            self.fields.iter().map(|(name, json)| (name.clone(), Value::from_json(json))).collect();
        let copies: Vec<(String, String)> = self.copy.into_iter().collect();
        Ok(Box::new(Set {
            constants,
            copies,
            remove: self.remove,
            overwrite: self.overwrite,
            copied: Derived::default(),
            filled: Derived::default(),
            removed: Derived::default(),
        }))
    }
}

struct Set {
    constants: Vec<(String, Value)>,
    /// To and from.
    copies: Vec<(String, String)>,
    remove: Vec<String>,
    overwrite: bool,
    copied: Derived,
    filled: Derived,
    removed: Derived,
}

impl Set {
    fn copy(&mut self, batch: &mut Batch) -> Rejects {
        let wanted: Vec<(&str, &str)> = self
            .copies
            .iter()
            .filter(|(_, from)| batch.schema().lookup(from).is_some())
            .map(|(to, from)| (to.as_str(), from.as_str()))
            .collect();
        if wanted.is_empty() {
            return Rejects::default();
        }
        // New fields are declared as what they are copies of, once for all batches that look alike.
        batch.with_schema(&mut self.copied, |schema| {
            let declared = |name: &str| schema.lookup(name).and_then(|at| schema.fields()[at].ty());
            wanted.iter().fold(schema.clone(), |new, (to, from)| match schema.lookup(to) {
                Some(at) if schema.fields()[at].ty() == declared(from) => new,
                Some(_) if !self.overwrite => new.with(to, None),
                _ => new.with(to, declared(from)),
            })
        });
        let overwrite = self.overwrite;
        let exchanged = wanted.iter().any(|(to, _)| wanted.iter().any(|(_, from)| from == to));
        batch.for_each(|record| {
            let former: Vec<Value> = if exchanged {
                wanted.iter().map(|(_, from)| record.get(from).to_value()).collect()
            } else {
                Vec::new()
            };
            for (index, (to, from)) in wanted.iter().enumerate() {
                let fits = overwrite || record.get(to).is_missing();
                let there = former.get(index).map_or_else(|| record.get(from), Value::as_ref);
                if !fits || there.is_missing() {
                    continue;
                }
                match former.get(index) {
                    Some(value) => record.set(to, value),
                    None => record.copy(from, to),
                }
            }
            Ok(())
        })
    }
}

impl Transform for Set {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        out.reject(self.copy(&mut batch));
        // New fields are added once for all batches that look alike; what is declared of others holds no more.
        batch.with_schema(&mut self.filled, |schema| {
            self.constants.iter().fold(schema.clone(), |schema, (name, _)| schema.with(name, None))
        });
        for (name, value) in &self.constants {
            let overwrite = self.overwrite;
            let rejects = batch.update_field(name, |old: Ref<'_>, cell| {
                Ok(if overwrite || old.is_missing() { cell.set(value) } else { Update::Keep })
            });
            out.reject(rejects);
        }
        if !self.remove.is_empty() {
            batch.with_schema(&mut self.removed, |schema| schema.without_all(&self.remove));
        }
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
