//! Rules about fields, as settings write them, and groups of them that a record is asked: what `filter_records` and
//! `route_records` share. What one rule asks of one value is in `test`.

mod test;

use fairway_engine::component::Issue;
use fairway_engine::data::{RecordError, RecordRef, Ref, Schema};
use fairway_engine::error::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use test::Test;

/// How rules combine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Match {
    /// Every rule must hold.
    All,
    /// One rule must hold.
    Any,
}

/// How rules combine where nothing is said.
pub(crate) fn default_match() -> Match {
    Match::All
}

/// One rule about one field.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Name of the field, exactly.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "widget": "field"}))]
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

/// What is wrong with the rules of a group that lies at `place` in the settings.
pub(crate) fn check(rules: &[Rule], place: &str) -> Vec<Issue> {
    let mut issues = Vec::new();
    if rules.is_empty() {
        issues.push(Issue::new(place, "there is no rule", "add a rule, or take away what needs one"));
    }
    for (index, rule) in rules.iter().enumerate() {
        if let Err((part, message, help)) = Test::new(rule.op, rule.value.as_ref()) {
            issues.push(Issue::new(format!("{place}.{index}.{part}"), message, help));
        }
    }
    issues
}

/// A group of rules, ready to be asked of records.
pub(crate) struct Group {
    all: bool,
    rules: Vec<OpenRule>,
}

struct OpenRule {
    field: String,
    slot: Option<usize>,
    test: Test,
}

impl Group {
    /// Makes the rules ready.
    ///
    /// # Errors
    /// `filter.bad_rule` for what [`check`] tells in full.
    pub(crate) fn open(matching: Match, rules: Vec<Rule>) -> Result<Self, Error> {
        let open = |rule: Rule| match Test::new(rule.op, rule.value.as_ref()) {
            Ok(test) => Ok(OpenRule { field: rule.field, slot: None, test }),
            Err((_, message, help)) => {
                Err(Error::config("filter.bad_rule", format!("the rule about `{}`: {message}", rule.field))
                    .help(help))
            }
        };
        let rules = rules.into_iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { all: matching == Match::All, rules })
    }

    /// Looks the fields up in the schema of the records that come next.
    pub(crate) fn resolve(&mut self, schema: &Schema) {
        for rule in &mut self.rules {
            rule.slot = schema.slot(&rule.field);
        }
    }

    /// Whether a record matches. The answer does not depend on the order of the rules: an error counts only where no
    /// other rule decides.
    ///
    /// # Errors
    /// `filter.unlike` when a value cannot be compared with what its rule names.
    pub(crate) fn holds(&self, record: &RecordRef<'_>) -> Result<bool, RecordError> {
        let mut fault = None;
        for rule in &self.rules {
            let value = rule.slot.map_or(Ref::Missing, |slot| record.get_slot(slot));
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
