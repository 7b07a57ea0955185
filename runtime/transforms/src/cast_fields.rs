//! `cast_fields`: fields read as other types. How each type is read is in `fairway_engine::data::cast`.

use std::sync::Arc;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::cast::Cast;
use fairway_engine::data::{Batch, Derived, Record, RecordError, Ref, Schema, SetValue};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use fairway_shared::types::Type;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reads fields as other types, exactly or not at all.
///
/// A value that the type cannot hold without losing something (`1.5` as `int64`, a day that does not exist, a fraction of
/// a second finer than a microsecond) is an error of that record, which then leaves by the errors port as it came in. A
/// text such as `007` may be cast to a number: whoever draws the cast says that it is one. Null stays null unless told
/// otherwise, and a field that a record does not have stays missing.
///
/// Formats: dates and times take strftime words such as `%d.%m.%Y %H:%M:%S%.f`; numbers that count from 1970-01-01 UTC
/// take `epoch_s`, `epoch_ms`, `epoch_us` or `epoch_ns`, in both directions; bytes take `base64` or `hex`. A float
/// takes a number if it gives back all its digits.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CastFields {
    /// The fields and what they are to be.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1}))]
    fields: Vec<FieldCast>,
}

/// One field's cast.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FieldCast {
    /// Name of the field, exactly.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "widget": "field"}))]
    field: String,
    /// The type it is to have.
    #[serde(rename = "type")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    to: Type,
    /// How dates, times or bytes are written; empty for the usual forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 3, "placeholder": "%d.%m.%Y"}))]
    format: Option<String>,
    /// Offset from UTC of timestamps that do not say theirs, such as `Z` or `+02:00`; empty leaves them without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 4, "placeholder": "Z", "show_if": {"type": "timestamp"}}))]
    zone: Option<String>,
    /// What becomes of null.
    #[serde(default = "default_on_null")]
    #[schemars(extend("x-ui" = {"order": 5, "advanced": true}))]
    on_null: OnNull,
}

/// What becomes of null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnNull {
    /// It stays null.
    Keep,
    /// The record is refused.
    Reject,
}

fn default_on_null() -> OnNull {
    OnNull::Keep
}

impl FieldCast {
    fn cast(&self) -> Result<Cast, (&'static str, String)> {
        let cast = match &self.format {
            Some(format) if !format.is_empty() => {
                Cast::with_format(self.to, format).map_err(|message| ("format", message))?
            }
            _ => Cast::to(self.to),
        };
        match &self.zone {
            Some(zone) if !zone.is_empty() => cast.with_zone(zone).map_err(|message| ("zone", message)),
            _ => Ok(cast),
        }
    }
}

impl Config for CastFields {
    const META: Meta = Meta {
        examples: &[
            (
                "Numbers and a date",
                r#"{"fields":[{"field":"id","type":"int64"},{"field":"price","type":"decimal"},{"field":"day","type":"date","format":"%d.%m.%Y"}]}"#,
            ),
            (
                "Microseconds since 1970",
                r#"{"fields":[{"field":"at","type":"timestamp","format":"epoch_us"}]}"#,
            ),
        ],
        several: true,
        ..Meta::new("cast_fields", "Cast fields", "fields")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        for (index, field) in self.fields.iter().enumerate() {
            if let Err((part, message)) = field.cast() {
                issues.push(Issue::new(
                    format!("fields.{index}.{part}"),
                    message,
                    "see the formats of this component",
                ));
            }
            if self.fields[..index].iter().any(|earlier| earlier.field == field.field) {
                let message = format!("`{}` is cast twice", field.field);
                issues.push(Issue::new(format!("fields.{index}.field"), message, "keep one of the casts"));
            }
        }
        issues
    }
}

impl TransformConfig for CastFields {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let open = |field: FieldCast| match field.cast() {
            Ok(cast) => Ok(OpenCast { on_null: field.on_null, name: field.field, cast }),
            Err((_, message)) => {
                Err(Error::config("cast.bad_format", format!("the cast of `{}`: {message}", field.field)))
            }
        };
        let casts = self.fields.into_iter().map(open).collect::<Result<_, _>>()?;
        Ok(Box::new(Casts { casts, slots: Vec::new(), schema: None, derived: Derived::default() }))
    }
}

struct OpenCast {
    name: String,
    cast: Cast,
    on_null: OnNull,
}

impl OpenCast {
    fn apply(&self, record: &mut Record<'_>, slot: usize) -> Result<(), RecordError> {
        record.change_slot(slot, |value| match (value, self.on_null) {
            (Ref::Missing, _) | (Ref::Null, OnNull::Keep) => Ok(None),
            (Ref::Null, OnNull::Reject) => {
                Err(RecordError::in_field("cast.null", &self.name, "the field is null"))
            }
            _ => match self.cast.cast(value).map_err(|error| error.in_field(&self.name))? {
                // Text that stays as it is need not be copied.
                SetValue::Ref(Ref::Str(_)) if matches!(value, Ref::Str(_)) => Ok(None),
                read => Ok(Some(read)),
            },
        })
    }
}

struct Casts {
    casts: Vec<OpenCast>,
    /// For each cast that the schema has a field for: its index and the field's slot.
    slots: Vec<(usize, usize)>,
    /// The schema that the slots belong to.
    schema: Option<Arc<Schema>>,
    derived: Derived,
}

impl Casts {
    fn resolve(&mut self, schema: &Arc<Schema>) {
        if !self.schema.as_ref().is_some_and(|known| Arc::ptr_eq(known, schema)) {
            let slot = |(index, cast): (usize, &OpenCast)| Some((index, schema.slot(&cast.name)?));
            self.slots = self.casts.iter().enumerate().filter_map(slot).collect();
            self.schema = Some(Arc::clone(schema));
        }
    }
}

impl Transform for Casts {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        self.resolve(batch.schema());
        let rejects = batch.for_each(|record| {
            self.slots.iter().try_for_each(|(index, slot)| self.casts[*index].apply(record, *slot))
        });
        out.reject(rejects);
        batch.with_schema(&mut self.derived, |schema| {
            self.slots.iter().fold(schema.clone(), |schema, (index, _)| {
                let cast = &self.casts[*index];
                schema.with(&cast.name, Some(cast.cast.ty()))
            })
        });
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
