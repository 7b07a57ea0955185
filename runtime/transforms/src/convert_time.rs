//! `convert_time`: moments, days and counts since 1970 written otherwise. How a value is read as a moment is in
//! `convert_time/reading.rs`, zones are in `convert_time/zone.rs`, how a moment is written in `convert_time/writing.rs`.

mod reading;
mod writing;
mod zone;

use std::sync::Arc;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, Derived, Record, RecordError, Ref, Schema};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use reading::Reading;
use writing::Writing;
use zone::Zone;

/// Converts dates and times between counts since 1970, texts, timestamps and time zones, to the microsecond.
///
/// A value is read as a moment, put into a zone, and written. What cannot be read, a time that its zone skips or has
/// twice, and what would lose a digit are errors of the record, which leaves by the errors port as it came in; whoever
/// wants finer digits cut says so. Null stays null, and a field that a record does not have stays missing.
///
/// Zones are names such as `Europe/Berlin`, with the rules that hold at the time in question, offsets such as `+02:00`,
/// or `Z`. A time that does not say its zone is taken to be in `zone`; where that is empty it stays without one, and can
/// then be written as text, date or time, but not as a count or in another zone.
///
/// Words that databases use for no date at all, such as `infinity`, are not dates and are refused.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConvertTime {
    /// The fields and what becomes of them.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1}))]
    fields: Vec<Conversion>,
}

/// One field's conversion.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Conversion {
    /// Name of the field, exactly.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "widget": "field"}))]
    field: String,
    /// Field that gets the result; empty for the same one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-ui" = {"order": 2, "advanced": true}))]
    into: String,
    /// How the value is written now.
    #[serde(default = "default_from")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    from: From,
    /// The form of the text, in strftime words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-ui" = {"order": 4, "placeholder": "%d.%m.%Y %H:%M:%S", "show_if": {"from": "format"}}))]
    from_format: String,
    /// Zone of values that do not say theirs: a name, an offset or `Z`; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-ui" = {"order": 5, "placeholder": "Europe/Berlin"}))]
    zone: String,
    /// What it is to become.
    #[serde(default = "default_to")]
    #[schemars(extend("x-ui" = {"order": 6}))]
    to: To,
    /// The form of the text, in strftime words; empty for RFC 3339.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-ui" = {"order": 7, "placeholder": "%Y-%m-%d %H:%M:%S", "show_if": {"to": "text"}}))]
    to_format: String,
    /// Zone in which it is written: a name, an offset or `Z`; empty for the one it is in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("x-ui" = {"order": 8, "placeholder": "Z"}))]
    to_zone: String,
    /// What becomes of digits finer than the result can hold: of a microsecond, or of the unit of a count.
    #[serde(default = "default_finer")]
    #[schemars(extend("x-ui" = {"order": 9, "advanced": true}))]
    finer: Finer,
    /// What a time means that its zone has twice, when clocks are put back.
    #[serde(default = "default_twice")]
    #[schemars(extend("x-ui" = {"order": 10, "advanced": true}))]
    twice: Twice,
}

/// How a value is written now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum From {
    /// A date or timestamp, or text in RFC 3339.
    Usual,
    /// Text in a form of its own.
    Format,
    /// Seconds since 1970.
    EpochS,
    /// Milliseconds since 1970.
    EpochMs,
    /// Microseconds since 1970.
    EpochUs,
    /// Nanoseconds since 1970.
    EpochNs,
}

/// What a value becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum To {
    /// A timestamp.
    Timestamp,
    /// The day alone.
    Date,
    /// The time of day alone.
    Time,
    /// Text.
    Text,
    /// Seconds since 1970.
    EpochS,
    /// Milliseconds since 1970.
    EpochMs,
    /// Microseconds since 1970.
    EpochUs,
    /// Nanoseconds since 1970.
    EpochNs,
}

/// What becomes of digits that do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Finer {
    /// The record is refused.
    Reject,
    /// They are cut, towards the past.
    Cut,
}

/// Which of two equal local times is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Twice {
    /// The record is refused.
    Reject,
    /// The first of the two.
    Earlier,
    /// The second of the two.
    Later,
}

fn default_from() -> From {
    From::Usual
}

fn default_to() -> To {
    To::Timestamp
}

fn default_finer() -> Finer {
    Finer::Reject
}

fn default_twice() -> Twice {
    Twice::Reject
}

/// A setting at fault and what is wrong with it.
type Fault = (&'static str, String);

impl Conversion {
    fn open(&self) -> Result<OpenConversion, Fault> {
        let zone = |field, text: &str| match text {
            "" => Ok(None),
            text => Zone::new(text).map(Some).map_err(|message| (field, message)),
        };
        Ok(OpenConversion {
            name: self.field.clone(),
            into: if self.into.is_empty() { self.field.clone() } else { self.into.clone() },
            reading: Reading::new(self.from, &self.from_format, self.finer == Finer::Cut)?,
            zone: zone("zone", &self.zone)?,
            twice: self.twice,
            to_zone: zone("to_zone", &self.to_zone)?,
            writing: Writing::new(self.to, &self.to_format, self.finer == Finer::Cut)?,
        })
    }

    fn into(&self) -> &str {
        if self.into.is_empty() { &self.field } else { &self.into }
    }
}

impl Config for ConvertTime {
    const META: Meta = Meta {
        examples: &[
            (
                "Microseconds since 1970 to text in UTC",
                r#"{"fields":[{"field":"created","from":"epoch_us","to":"text"}]}"#,
            ),
            (
                "Local times of a form to timestamps in UTC",
                r#"{"fields":[{"field":"at","from":"format","from_format":"%d.%m.%Y %H:%M:%S","zone":"Europe/Berlin","to_zone":"Z"}]}"#,
            ),
            (
                "The day in Shanghai, beside the timestamp",
                r#"{"fields":[{"field":"at","into":"day","to":"date","to_zone":"Asia/Shanghai"}]}"#,
            ),
            (
                "Milliseconds for another system, finer digits cut",
                r#"{"fields":[{"field":"at","zone":"Z","to":"epoch_ms","finer":"cut"}]}"#,
            ),
        ],
        several: true,
        ..Meta::new("convert_time", "Convert times", "fields")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        for (index, field) in self.fields.iter().enumerate() {
            if let Err((part, message)) = field.open() {
                issues.push(Issue::new(
                    format!("fields.{index}.{part}"),
                    message,
                    "see the page of this component",
                ));
            }
            if self.fields[..index].iter().any(|earlier| earlier.into() == field.into()) {
                let message = format!("`{}` gets two results", field.into());
                issues.push(Issue::new(format!("fields.{index}.into"), message, "name another field"));
            }
        }
        issues
    }
}

impl TransformConfig for ConvertTime {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let open = |field: &Conversion| {
            field.open().map_err(|(part, message)| {
                Error::config("time.bad_setting", format!("`{part}` of `{}`: {message}", field.field))
            })
        };
        let conversions = self.fields.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Box::new(Convert {
            conversions,
            slots: Vec::new(),
            schema: None,
            widened: Derived::default(),
            typed: Derived::default(),
        }))
    }
}

struct OpenConversion {
    name: String,
    into: String,
    reading: Reading,
    zone: Option<Zone>,
    twice: Twice,
    to_zone: Option<Zone>,
    writing: Writing,
}

impl OpenConversion {
    fn apply(&self, record: &mut Record<'_>, (from, into): (usize, usize)) -> Result<(), RecordError> {
        let value = record.get_slot(from);
        if let Ref::Missing | Ref::Null = value {
            if from != into {
                let nothing = if value.is_missing() { Ref::Missing } else { Ref::Null };
                record.set_slot(into, nothing);
            }
            return Ok(());
        }
        let converted = self.reading.read(value).and_then(|(us, offset)| {
            let (us, offset) = zone::place(us, offset, self.zone.as_ref(), self.twice)?;
            let offset = zone::turn(us, offset, self.to_zone.as_ref())?;
            self.writing.write(us, offset)
        });
        match converted {
            Ok(converted) => {
                record.set_slot(into, converted);
                Ok(())
            }
            Err((code, what)) => {
                let message = format!("{} {what}", reading::shown(value));
                Err(RecordError::in_field(code, &self.name, message))
            }
        }
    }
}

/// Code of a record's error and what is wrong, to be said of the value.
type Wrong = (&'static str, String);

struct Convert {
    conversions: Vec<OpenConversion>,
    /// For each conversion that the schema has a field for: its index, and slots from and to.
    slots: Vec<(usize, (usize, usize))>,
    /// The schema that the slots belong to.
    schema: Option<Arc<Schema>>,
    widened: Derived,
    typed: Derived,
}

impl Transform for Convert {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        let known = |schema: &Schema, conversion: &OpenConversion| schema.lookup(&conversion.name).is_some();
        let conversions = &self.conversions;
        batch.with_schema(&mut self.widened, |schema| {
            let wanted = conversions.iter().filter(|conversion| known(schema, conversion));
            wanted.fold(schema.clone(), |wider, conversion| match wider.lookup(&conversion.into) {
                Some(_) => wider,
                None => wider.with(&conversion.into, None),
            })
        });
        if !self.schema.as_ref().is_some_and(|known| Arc::ptr_eq(known, batch.schema())) {
            let schema = batch.schema();
            let slots = |(index, conversion): (usize, &OpenConversion)| {
                Some((index, (schema.slot(&conversion.name)?, schema.slot(&conversion.into)?)))
            };
            self.slots = conversions.iter().enumerate().filter_map(slots).collect();
            self.schema = Some(Arc::clone(schema));
        }
        out.reject(batch.for_each(|record| {
            self.slots.iter().try_for_each(|(index, slots)| conversions[*index].apply(record, *slots))
        }));
        batch.with_schema(&mut self.typed, |schema| {
            let typed = |schema: Schema, conversion: &OpenConversion| {
                schema.with(&conversion.into, Some(conversion.writing.ty()))
            };
            self.slots.iter().map(|(index, _)| &conversions[*index]).fold(schema.clone(), typed)
        });
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
