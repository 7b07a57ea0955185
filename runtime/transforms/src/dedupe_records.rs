//! `dedupe_records`: repeats dropped. What is remembered, and for how long, is in `dedupe_records/seen.rs`.

mod seen;

use std::sync::Arc;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, RecordError, RecordRef, Ref, Schema, write_identity};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use fairway_engine::units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use seen::Seen;

/// Drops records that repeat one which passed before; the first one wins.
///
/// Two records are the same if all key fields are the same: numbers by value, so that `1` and `1.0` are one key;
/// timestamps by moment; objects in any order of their members. Without key fields whole records are compared.
/// Repeats count as filtered.
///
/// What has passed is remembered in memory and within bounds: the latest keys up to a number, and, if there is a window,
/// as long as the times of two records lie no further apart than that. A record outside of these passes again and is
/// remembered anew. Times are those in a field, never those of the clock, so that reading the same records again gives
/// the same result.
///
/// **A restart forgets.** When the channel starts again after a stop, a deploy or a crash, nothing is remembered, and a
/// repeat of a record from before the restart passes. Where no repeat may ever arrive, write to a target that knows keys
/// (mode `upsert`); this component then saves it work.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DedupeRecords {
    /// Fields that make the key, exactly; none means the whole record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 1, "widget": "fields"}))]
    keys: Vec<String>,
    /// What becomes of a record in which a key field is null or missing.
    #[serde(default = "default_nulls")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    nulls: Nulls,
    /// Most keys that are remembered; the oldest are forgotten first. Each takes some 80 bytes of memory.
    #[serde(default = "default_most")]
    #[schemars(range(min = 1, max = 10_000_000), extend("x-ui" = {"order": 3}))]
    most: u32,
    /// How far apart in time a repeat may be, such as `10m` or `24h`; empty for any time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 4, "placeholder": "24h"}))]
    window: Option<Span>,
    /// Field with the timestamp or date that the window is measured by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 5, "widget": "field"}))]
    time_field: Option<String>,
}

/// What becomes of records without a whole key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Nulls {
    /// It passes: nothing is equal to null.
    Pass,
    /// Null is a value like any other, and missing is another.
    Compare,
    /// It is refused.
    Reject,
}

fn default_nulls() -> Nulls {
    Nulls::Pass
}

fn default_most() -> u32 {
    100_000
}

impl DedupeRecords {
    fn time_field(&self) -> Option<&str> {
        self.time_field.as_deref().filter(|name| !name.is_empty())
    }
}

impl Config for DedupeRecords {
    const META: Meta = Meta {
        examples: &[
            ("The first of each order", r#"{"keys":["order_id"]}"#),
            (
                "One reading a sensor within ten minutes",
                r#"{"keys":["sensor","kind"],"window":"10m","time_field":"at","nulls":"reject"}"#,
            ),
            ("Whole records, the latest thousand", r#"{"most":1000}"#),
        ],
        ..Meta::new("dedupe_records", "Drop repeats", "records")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        match (&self.window, self.time_field()) {
            (Some(_), None) => issues.push(Issue::new(
                "time_field",
                "there is nothing to measure the window by",
                "name the field that holds the time, or take the window away",
            )),
            (None, Some(_)) => issues.push(Issue::new(
                "window",
                "a field with the time does nothing without a window",
                "set the window, or take the field away",
            )),
            _ => {}
        }
        issues
    }
}

impl TransformConfig for DedupeRecords {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let window = self.window.as_ref().map(Span::get);
        let seen = Seen::new(self.most as usize, window.map(|window| window.as_micros()));
        let timed = window.is_some();
        Ok(Box::new(Dedupe {
            config: self,
            timed,
            seen,
            schema: None,
            slots: Vec::new(),
            time: None,
            key: Vec::new(),
        }))
    }
}

struct Dedupe {
    config: DedupeRecords,
    timed: bool,
    seen: Seen,
    /// The schema that the slots belong to.
    schema: Option<Arc<Schema>>,
    /// Names and slots of what makes the key.
    slots: Vec<(String, Option<usize>)>,
    /// Slot of the time.
    time: Option<usize>,
    /// The key of the record at hand.
    key: Vec<u8>,
}

impl Dedupe {
    fn resolve(&mut self, schema: &Arc<Schema>) {
        if self.schema.as_ref().is_some_and(|known| Arc::ptr_eq(known, schema)) {
            return;
        }
        let mut names: Vec<String> = match self.config.keys.is_empty() {
            false => self.config.keys.clone(),
            true => schema.fields().iter().map(|field| field.name().to_string()).collect(),
        };
        if self.config.keys.is_empty() {
            // Two records with the same fields are the same in whatever order they were read.
            names.sort_unstable();
        }
        self.slots = names
            .into_iter()
            .map(|name| (schema.slot(&name), name))
            .map(|(slot, name)| (name, slot))
            .collect();
        self.time = self.config.time_field().and_then(|name| schema.slot(name));
        self.schema = Some(Arc::clone(schema));
    }

    /// Whether a record is the first of its key.
    fn is_first(&mut self, record: &RecordRef<'_>) -> Result<bool, RecordError> {
        let whole = self.config.keys.is_empty();
        self.key.clear();
        for (name, slot) in &self.slots {
            let value = slot.map_or(Ref::Missing, |slot| record.get_slot(slot));
            if whole {
                // A field that others have and this record does not is no part of it.
                if !value.is_missing() {
                    write_identity(Ref::Str(name), &mut self.key);
                    write_identity(value, &mut self.key);
                }
                continue;
            }
            match self.config.nulls {
                Nulls::Pass if value.is_none() => return Ok(true),
                Nulls::Reject if value.is_none() => {
                    let message = format!("the key is incomplete: the field is {}", value.kind());
                    return Err(RecordError::in_field("dedupe.no_key", name, message));
                }
                _ => write_identity(value, &mut self.key),
            }
        }
        let time = if self.timed { self.time(record)? } else { 0 };
        Ok(self.seen.is_first(&self.key, time))
    }

    fn time(&self, record: &RecordRef<'_>) -> Result<i64, RecordError> {
        const DAY: i64 = 86_400_000_000;
        match self.time.map_or(Ref::Missing, |slot| record.get_slot(slot)) {
            Ref::Ts { us, .. } => Ok(us),
            // Beyond the range all days are one: no window is that wide.
            Ref::Date(days) => Ok(i64::from(days).saturating_mul(DAY)),
            other => {
                let message =
                    format!("the window needs a timestamp or a date here, and this is {}", other.kind());
                Err(RecordError::in_field(
                    "dedupe.no_time",
                    self.config.time_field().unwrap_or_default(),
                    message,
                ))
            }
        }
    }
}

impl Transform for Dedupe {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        self.resolve(batch.schema());
        out.reject(batch.try_retain(|record| self.is_first(record)));
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
