//! `rename_fields`: fields called otherwise. Where no two fields meet under one name, no record is touched.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, Derived, RecordError, Rejects, Schema};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Renames fields, all at once, so that two fields can exchange their names.
///
/// Fields keep their places and values. A name that a record does not have is passed over. The prefix goes before the
/// names of all fields that are not renamed one by one.
///
/// If two fields of a record come to have one name, that is an error of the record, which leaves by the errors port as
/// it came in: no value ever takes the place of another. Records that have only one of the two pass, so fields that
/// sources call differently can be brought under one name.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameFields {
    /// Fields and their new names, exactly.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    fields: BTreeMap<String, String>,
    /// Text before the names of all other fields; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 100), extend("x-ui" = {"order": 2, "placeholder": "shop_"}))]
    prefix: String,
}

impl Config for RenameFields {
    const META: Meta = Meta {
        examples: &[
            ("Two names", r#"{"fields":{"cust":"customer_id","amt":"amount"}}"#),
            ("All under a prefix, but the key", r#"{"fields":{"id":"id"},"prefix":"shop_"}"#),
            (
                "One name for what two sources call differently",
                r#"{"fields":{"mail":"email","e_mail":"email"}}"#,
            ),
        ],
        several: true,
        ..Meta::new("rename_fields", "Rename fields", "fields")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.fields.is_empty() && self.prefix.is_empty() {
            issues.push(Issue::new(
                "",
                "nothing is renamed",
                "name a field or a prefix, or remove this node",
            ));
        }
        for (from, _) in self.fields.iter().filter(|(_, to)| to.is_empty()) {
            let message = format!("`{from}` has no new name");
            issues.push(Issue::new(
                format!("fields.{from}"),
                message,
                "give it one; `select_fields` drops fields",
            ));
        }
        issues
    }
}

impl TransformConfig for RenameFields {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        Ok(Box::new(Rename { config: self, plan: None, derived: Derived::default() }))
    }
}

/// Fields that meet under one name.
struct Meeting {
    name: String,
    /// Their names and slots, in the order of the schema; the first is where the value comes to lie.
    fields: Vec<(String, usize)>,
}

struct Rename {
    config: RenameFields,
    /// The meetings of the schema seen last.
    plan: Option<(Arc<Schema>, Vec<Meeting>)>,
    derived: Derived,
}

impl RenameFields {
    fn new_name(&self, name: &str) -> String {
        match self.fields.get(name) {
            Some(new) => new.clone(),
            None => format!("{}{name}", self.prefix),
        }
    }

    fn meetings(&self, schema: &Schema) -> Vec<Meeting> {
        let mut by_name: BTreeMap<String, Vec<(String, usize)>> = BTreeMap::new();
        for field in schema.fields() {
            let new = self.new_name(field.name());
            by_name.entry(new).or_default().push((field.name().to_string(), field.slot()));
        }
        let several = by_name.into_iter().filter(|(_, fields)| fields.len() > 1);
        several.map(|(name, fields)| Meeting { name, fields }).collect()
    }

    /// The schema with new names, and of fields that meet only the first.
    fn schema(&self, schema: &Schema, meetings: &[Meeting]) -> Schema {
        let mut merged = schema.clone();
        for meeting in meetings {
            let ty = |name: &str| schema.lookup(name).and_then(|at| schema.fields()[at].ty());
            let mut types = meeting.fields.iter().map(|(name, _)| ty(name));
            let first = types.next().flatten();
            let same = types.all(|other| other == first);
            merged = merged.with(&meeting.fields[0].0, first.filter(|_| same));
            let others: Vec<&str> = meeting.fields[1..].iter().map(|(name, _)| name.as_str()).collect();
            merged = merged.without_all(&others);
        }
        let names: Vec<(String, String)> = merged
            .fields()
            .iter()
            .map(|field| (field.name().to_string(), self.new_name(field.name())))
            .collect();
        merged.renamed_all(&names).expect("of fields that meet only one is left")
    }
}

/// Brings the values of fields that meet to where the first of them lies; refuses records that have two of them.
fn merge(batch: &mut Batch, meetings: &[Meeting]) -> Rejects {
    batch.for_each(|record| {
        for meeting in meetings {
            let there = |(_, slot): &&(String, usize)| !record.get_slot(*slot).is_missing();
            let mut present = meeting.fields.iter().filter(there);
            let (one, other) = (present.next(), present.next());
            if let (Some((one, _)), Some((other, _))) = (one, other) {
                let message = format!("`{one}` and `{other}` would both be called `{}`", meeting.name);
                return Err(RecordError::in_field("rename.collision", &meeting.name, message));
            }
            let first = &meeting.fields[0].0;
            if let Some((name, _)) = one.filter(|(name, _)| name != first) {
                record.copy(name, first);
            }
        }
        Ok(())
    })
}

impl Transform for Rename {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        let meetings = match &self.plan {
            Some((known, meetings)) if Arc::ptr_eq(known, batch.schema()) => meetings,
            _ => {
                let meetings = self.config.meetings(batch.schema());
                &self.plan.insert((Arc::clone(batch.schema()), meetings)).1
            }
        };
        if !meetings.is_empty() {
            out.reject(merge(&mut batch, meetings));
        }
        batch.with_schema(&mut self.derived, |schema| self.config.schema(schema, meetings));
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
