//! How a field is made: as the user writes it ([`Generator`]), and checked and ready ([`Recipe`]).

use fairway_engine::data::time::parse_timestamp;
use fairway_engine::data::{BatchBuilder, Decimal, Full, Ref, Value};
use fairway_shared::types::Type;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::random::Random;

/// Words that texts are made of.
const WORDS: &[&str] = &[
    "anchor",
    "beacon",
    "berth",
    "bow",
    "buoy",
    "cable",
    "cargo",
    "channel",
    "chart",
    "compass",
    "crew",
    "deck",
    "dock",
    "drift",
    "ebb",
    "fairway",
    "ferry",
    "fleet",
    "fog",
    "gale",
    "harbour",
    "helm",
    "hull",
    "island",
    "jetty",
    "keel",
    "lantern",
    "lighthouse",
    "mast",
    "mooring",
    "ocean",
    "pilot",
    "port",
    "quay",
    "reef",
    "rudder",
    "sail",
    "shoal",
    "signal",
    "sounding",
    "stern",
    "strait",
    "tide",
    "tug",
    "vessel",
    "wake",
    "watch",
    "wharf",
];

/// How a field is made.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Generator {
    /// Whole numbers that go up or down by equal steps.
    Sequence {
        /// Value of the first record.
        #[serde(default = "one")]
        #[schemars(extend("x-ui" = {"order": 1}))]
        start: i64,
        /// From each record to the next.
        #[serde(default = "one")]
        #[schemars(extend("x-ui" = {"order": 2}))]
        step: i64,
    },
    /// Random whole numbers.
    Integer {
        /// The least.
        #[serde(default)]
        #[schemars(extend("x-ui" = {"order": 1}))]
        min: i64,
        /// The greatest.
        #[serde(default = "default_max")]
        #[schemars(extend("x-ui" = {"order": 2}))]
        max: i64,
    },
    /// Random decimal numbers.
    Decimal {
        /// The least.
        #[serde(default)]
        #[schemars(range(min = -999_999_999, max = 999_999_999), extend("x-ui" = {"order": 1}))]
        min: i64,
        /// The greatest.
        #[serde(default = "default_decimal_max")]
        #[schemars(range(min = -999_999_999, max = 999_999_999), extend("x-ui" = {"order": 2}))]
        max: i64,
        /// Digits behind the point.
        #[serde(default = "default_scale")]
        #[schemars(range(min = 1, max = 9), extend("x-ui" = {"order": 3}))]
        scale: u8,
    },
    /// One of some values.
    Choice {
        /// The values: any JSON. One that stands there twice comes twice as often.
        #[schemars(length(min = 1), extend("x-ui" = {"order": 1}))]
        values: Vec<Json>,
    },
    /// Words of the sea.
    Text {
        /// How many words.
        #[serde(default = "default_words")]
        #[schemars(range(min = 1, max = 1000), extend("x-ui" = {"order": 1}))]
        words: u32,
    },
    /// True or false.
    Boolean,
    /// Moments at equal distances.
    Timestamp {
        /// Moment of the first record.
        #[serde(default = "default_start")]
        #[schemars(extend("x-ui" = {"order": 1}))]
        start: String,
        /// Milliseconds from each record to the next.
        #[serde(default = "default_step_ms")]
        #[schemars(range(min = 0), extend("x-ui" = {"order": 2}))]
        step_ms: u64,
    },
    /// Random UUIDs, version 4.
    Uuid,
}

fn one() -> i64 {
    1
}

fn default_max() -> i64 {
    1_000_000
}

fn default_decimal_max() -> i64 {
    1000
}

fn default_scale() -> u8 {
    2
}

fn default_words() -> u32 {
    3
}

pub(super) fn default_start() -> String {
    "2026-01-01T00:00:00Z".to_owned()
}

pub(super) fn default_step_ms() -> u64 {
    1000
}

/// What is wrong with how a field is made.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) generator: &'static str,
    pub(super) parameter: &'static str,
    pub(super) message: String,
    pub(super) help: &'static str,
}

impl Generator {
    /// The same, checked and ready.
    pub(super) fn recipe(&self) -> Result<Recipe, Fault> {
        let fault =
            |generator, parameter, message: String, help| Err(Fault { generator, parameter, message, help });
        let empty = |min: &i64, max: &i64| format!("there is no number from {min} to {max}");
        Ok(match self {
            Self::Sequence { start, step } => Recipe::Sequence { start: *start, step: *step },
            Self::Integer { min, max } if min > max => {
                return fault("integer", "min", empty(min, max), "exchange `min` and `max`");
            }
            Self::Integer { min, max } => Recipe::Integer { min: *min, max: *max },
            Self::Decimal { min, max, .. } if min > max => {
                return fault("decimal", "min", empty(min, max), "exchange `min` and `max`");
            }
            Self::Decimal { min, max, scale } => {
                let unit = 10_i64.pow(u32::from(*scale).min(18));
                let bound = |value: &i64| value.checked_mul(unit).and_then(|all| Decimal::new(all, *scale));
                let (Some(min), Some(max)) = (bound(min), bound(max)) else {
                    let message = "more than 18 digits".to_owned();
                    return fault("decimal", "scale", message, "use smaller bounds or fewer digits");
                };
                Recipe::Decimal { min: min.mantissa(), max: max.mantissa(), scale: *scale }
            }
            Self::Choice { values } if values.is_empty() => {
                return fault("choice", "values", "there is nothing to choose from".into(), "name a value");
            }
            Self::Choice { values } => Recipe::Choice(values.iter().map(Value::from_json).collect()),
            Self::Text { words } => Recipe::Text { words: *words },
            Self::Boolean => Recipe::Boolean,
            Self::Timestamp { start, step_ms } => match parse_timestamp(start) {
                Ok((us, offset)) => Recipe::Timestamp { us, offset, step_ms: *step_ms },
                Err(error) => {
                    let message = format!("`{start}` {error}");
                    return fault("timestamp", "start", message, "write it as 2026-01-01T00:00:00Z");
                }
            },
            Self::Uuid => Recipe::Uuid,
        })
    }
}

/// How a field is made, checked and ready.
#[derive(Debug)]
pub(super) enum Recipe {
    Sequence { start: i64, step: i64 },
    Integer { min: i64, max: i64 },
    Decimal { min: i64, max: i64, scale: u8 },
    Choice(Vec<Value>),
    Text { words: u32 },
    Boolean,
    Timestamp { us: i64, offset: i16, step_ms: u64 },
    Uuid,
}

impl Recipe {
    /// The type that all values have, if they have one.
    pub(super) fn ty(&self) -> Option<Type> {
        match self {
            Self::Sequence { .. } | Self::Integer { .. } => Some(Type::Int64),
            Self::Decimal { .. } => Some(Type::Decimal),
            Self::Choice(values) => {
                let mut types = values.iter().filter(|value| **value != Value::Null).map(|value| {
                    // Null is no type, and all other kinds have the name of one.
                    value.as_ref().kind().parse().ok()
                });
                let first = types.next()?;
                types.all(|ty: Option<Type>| ty == first).then_some(first).flatten()
            }
            Self::Text { .. } => Some(Type::String),
            Self::Boolean => Some(Type::Bool),
            Self::Timestamp { .. } => Some(Type::Timestamp),
            Self::Uuid => Some(Type::Uuid),
        }
    }

    /// Adds the value for the record of this order to the row being built.
    pub(super) fn push(
        &self,
        order: u64,
        chance: &mut Random,
        slot: usize,
        builder: &mut BatchBuilder,
    ) -> Result<(), Full> {
        let steps = order.saturating_sub(1);
        match self {
            Self::Sequence { start, step } => {
                let value = i128::from(*start) + i128::from(*step) * i128::from(steps);
                match i64::try_from(value) {
                    Ok(value) => builder.push(slot, value),
                    Err(_) => builder.push(slot, Ref::Big(&value.to_string())),
                }
            }
            Self::Integer { min, max } => builder.push(slot, chance.within(*min, *max)),
            Self::Decimal { min, max, scale } => {
                let value = Decimal::new(chance.within(*min, *max), *scale);
                builder.push(slot, value.expect("a number between two of 18 digits has no more"))
            }
            Self::Choice(values) => builder.push(slot, &values[chance.below(values.len())]),
            Self::Text { words } => builder.push_written(slot, |out| {
                for index in 0..*words {
                    if index > 0 {
                        out.push(' ');
                    }
                    out.push_str(WORDS[chance.below(WORDS.len())]);
                }
            }),
            Self::Boolean => builder.push(slot, chance.bits() >> 63 == 1),
            Self::Timestamp { us, offset, step_ms } => {
                let passed = i64::try_from(steps.saturating_mul(step_ms.saturating_mul(1000)));
                let us = us.saturating_add(passed.unwrap_or(i64::MAX));
                builder.push(slot, Ref::Ts { us, offset: *offset })
            }
            Self::Uuid => {
                let bits = (u128::from(chance.bits()) << 64) | u128::from(chance.bits());
                builder.push(slot, uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid())
            }
        }
    }
}
