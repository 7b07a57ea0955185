//! `filter_records`: which records go on. The tests that a rule can make are in `filter_records/test.rs`.

mod test;

use std::sync::Arc;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, RecordError, RecordRef, Schema};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use test::Test;

/// Lets records through that match rules and drops the others.
///
/// A comparison with null, or with a field that the record does not have, is false; use the operators `is_null` and
/// `missing` to ask for those. Numbers are compared exactly, whatever their types: `1.50` equals `1.5`, and integers
/// beyond 2^53 keep their last digit. Comparing values of unlike types, such as a text with a number, is an error of
/// that record, which then leaves by the errors port; cast the field first.
///
/// Dropped records count as filtered.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FilterRecords {
    /// Whether a record must match all rules or any one of them.
    #[serde(default = "default_match", rename = "match")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    matching: Match,
    /// The rules.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 2, "widget": "rules"}))]
    rules: Vec<Rule>,
}

/// How rules combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Match {
    /// Every rule must hold.
    All,
    /// One rule must hold.
    Any,
}

fn default_match() -> Match {
    Match::All
}

/// One rule about one field.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Name of the field, exactly.
    #[schemars(extend("x-ui" = {"order": 1, "widget": "field"}))]
    field: String,
    /// What is asked of it.
    #[schemars(extend("x-ui" = {"order": 2}))]
    op: Op,
    /// What it is compared with: a number, text, true or false; a list for `in`; nothing for `exists`, `missing`,
    /// `is_null` and `not_null`. Dates and times are written as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    value: Option<Value>,
}

/// What can be asked of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Op {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Ge,
    /// The text contains a text, or the list an item.
    Contains,
    /// The text starts with a text.
    StartsWith,
    /// The text ends with a text.
    EndsWith,
    /// Equal to one of a list.
    In,
    /// The record has the field, be it null.
    Exists,
    /// The record does not have the field.
    Missing,
    /// The field is there and null.
    IsNull,
    /// The field is there and not null.
    NotNull,
    /// The text matches a regular expression, anywhere unless anchored.
    Matches,
}

impl Config for FilterRecords {
    const META: Meta = Meta {
        examples: &[
            (
                "Paid orders above 100",
                r#"{"rules":[{"field":"status","op":"eq","value":"paid"},{"field":"amount","op":"gt","value":100}]}"#,
            ),
            (
                "Any of two countries, or none given",
                r#"{"match":"any","rules":[{"field":"country","op":"in","value":["DE","FR"]},{"field":"country","op":"is_null"}]}"#,
            ),
        ],
        ..Meta::new("filter_records", "Filter records", "records")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.rules.is_empty() {
            issues.push(Issue::new("rules", "there is no rule", "add a rule, or remove this node"));
        }
        for (index, rule) in self.rules.iter().enumerate() {
            if let Err((part, message, help)) = Test::new(rule.op, rule.value.as_ref()) {
                issues.push(Issue::new(format!("rules.{index}.{part}"), message, help));
            }
        }
        issues
    }
}

impl TransformConfig for FilterRecords {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let mut rules = Vec::with_capacity(self.rules.len());
        for rule in self.rules {
            let test = Test::new(rule.op, rule.value.as_ref()).map_err(|(_, message, help)| {
                Error::config("filter.bad_rule", format!("the rule about `{}`: {message}", rule.field))
                    .help(help)
            })?;
            rules.push(OpenRule { field: rule.field, slot: None, test });
        }
        Ok(Box::new(Filter { all: self.matching == Match::All, rules, schema: None }))
    }
}

struct OpenRule {
    field: String,
    slot: Option<usize>,
    test: Test,
}

struct Filter {
    all: bool,
    rules: Vec<OpenRule>,
    /// The schema that the slots belong to.
    schema: Option<Arc<Schema>>,
}

impl Filter {
    fn resolve(&mut self, schema: &Arc<Schema>) {
        if !self.schema.as_ref().is_some_and(|known| Arc::ptr_eq(known, schema)) {
            for rule in &mut self.rules {
                rule.slot = schema.slot(&rule.field);
            }
            self.schema = Some(Arc::clone(schema));
        }
    }

    /// Whether a record goes on. The answer does not depend on the order of the rules: an error counts only where no
    /// other rule decides.
    fn keeps(&self, record: &RecordRef<'_>) -> Result<bool, RecordError> {
        let mut fault = None;
        for rule in &self.rules {
            let value = rule.slot.map_or(fairway_engine::data::Ref::Missing, |slot| record.get_slot(slot));
            match rule.test.holds(value) {
                Ok(holds) if holds != self.all => return Ok(holds),
                Ok(_) => {}
                Err(message) => {
                    fault.get_or_insert((rule, message));
                }
            }
        }
        match fault {
            Some((rule, message)) => Err(RecordError::in_field("filter.unlike", &rule.field, message)),
            None => Ok(self.all),
        }
    }
}

impl Transform for Filter {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        self.resolve(batch.schema());
        let rejects = batch.try_retain(|record| self.keeps(record));
        out.reject(rejects);
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
