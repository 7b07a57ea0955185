//! Writing a moment as a timestamp, a day, a time of day, a text or a count since 1970.

use fairway_engine::data::time::{TimeFormat, write_timestamp};
use fairway_engine::data::{NO_ZONE, Value};
use fairway_shared::types::Type;

use super::reading::DAY;
use super::{Fault, To, Wrong};

const MINUTE: i64 = 60_000_000;

/// How moments are written.
pub(super) struct Writing {
    to: To,
    format: Option<TimeFormat>,
    /// Whether digits finer than the unit of a count are cut.
    cut: bool,
}

impl Writing {
    pub(super) fn new(to: To, format: &str, cut: bool) -> Result<Self, Fault> {
        let format = match (to, format) {
            (To::Text, format) if !format.is_empty() => {
                Some(TimeFormat::new(format).map_err(|message| ("to_format", message))?)
            }
            _ => None,
        };
        Ok(Self { to, format, cut })
    }

    /// The type of what is written.
    pub(super) fn ty(&self) -> Type {
        match self.to {
            To::Timestamp => Type::Timestamp,
            To::Date => Type::Date,
            To::Time => Type::Time,
            To::Text => Type::String,
            To::EpochS | To::EpochMs | To::EpochUs | To::EpochNs => Type::Int64,
        }
    }

    pub(super) fn write(&self, us: i64, offset: i16) -> Result<Value, Wrong> {
        let shift = if offset == NO_ZONE { 0 } else { i64::from(offset) * MINUTE };
        let local = || us.checked_add(shift).ok_or_else(out_of_range);
        match self.to {
            To::Timestamp => Ok(Value::Ts { us, offset }),
            To::Date => {
                let days = local()?.div_euclid(DAY);
                i32::try_from(days).map(Value::Date).map_err(|_| out_of_range())
            }
            To::Time => Ok(Value::Time(local()?.rem_euclid(DAY))),
            To::Text => self.text(us, offset).map(Value::Str),
            To::EpochS => self.count(us, offset, 1_000_000),
            To::EpochMs => self.count(us, offset, 1_000),
            To::EpochUs => self.count(us, offset, 1),
            To::EpochNs => {
                let us = self.count(us, offset, 1)?;
                match us {
                    Value::I64(us) => us.checked_mul(1000).map(Value::I64).ok_or_else(out_of_range),
                    other => Ok(other),
                }
            }
        }
    }

    fn text(&self, us: i64, offset: i16) -> Result<String, Wrong> {
        match &self.format {
            Some(format) => format.format_timestamp(us, offset).ok_or_else(|| {
                (
                    "time.out_of_range",
                    "cannot be written in this form (does the form ask for an offset?)".to_owned(),
                )
            }),
            None => {
                let mut text = Vec::with_capacity(32);
                write_timestamp(us, offset, &mut text);
                String::from_utf8(text).map_err(|_| out_of_range())
            }
        }
    }

    fn count(&self, us: i64, offset: i16, per: i64) -> Result<Value, Wrong> {
        if offset == NO_ZONE {
            let what = "does not say its zone, so it is no count since 1970; set `zone`";
            return Err(("time.no_zone", what.to_owned()));
        }
        if us % per != 0 && !self.cut {
            return Err((
                "time.not_exact",
                "is finer than the unit of the count; set `finer` to cut it".to_owned(),
            ));
        }
        Ok(Value::I64(us.div_euclid(per)))
    }
}

fn out_of_range() -> Wrong {
    ("time.out_of_range", "is beyond the range of the result".to_owned())
}
