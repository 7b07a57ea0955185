//! `filter_records`: which records go on. What rules can ask is in `rules`.

use std::sync::Arc;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, Schema};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{self, Group, Match, Rule, default_match};

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
        several: true,
        ..Meta::new("filter_records", "Filter records", "records")
    };

    fn check(&self) -> Vec<Issue> {
        rules::check(&self.rules, "rules")
    }
}

impl TransformConfig for FilterRecords {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        Ok(Box::new(Filter { group: Group::open(self.matching, self.rules)?, schema: None }))
    }
}

struct Filter {
    group: Group,
    /// The schema that the group was resolved for.
    schema: Option<Arc<Schema>>,
}

impl Transform for Filter {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        if !self.schema.as_ref().is_some_and(|known| Arc::ptr_eq(known, batch.schema())) {
            self.group.resolve(batch.schema());
            self.schema = Some(Arc::clone(batch.schema()));
        }
        let rejects = batch.try_retain(|record| self.group.holds(record));
        out.reject(rejects);
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
