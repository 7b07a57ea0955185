//! Casts to and from dates, times and timestamps, to the microsecond: what is finer is refused, not cut.

use fairway_shared::types::Type;

use super::super::convert::SetValue;
use super::super::number::{Number, parse_number_lenient};
use super::super::text::to_text;
use super::super::time::{self, TimeError};
use super::super::value::{NO_ZONE, Ref, Value};
use super::{Cast, CastError, Format, Unit};

const MINUTE: i64 = 60_000_000;
const DAY: i64 = 24 * 60 * MINUTE;

impl Unit {
    /// Digits behind the point of a second.
    fn digits(self) -> u32 {
        match self {
            Unit::Seconds => 0,
            Unit::Millis => 3,
            Unit::Micros => 6,
            Unit::Nanos => 9,
        }
    }
}

impl Cast {
    pub(super) fn moment<'v>(&self, value: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        match (self.to, value) {
            (Type::Date, Ref::Date(_)) | (Type::Time, Ref::Time(_)) => Ok(value.into()),
            (Type::Timestamp, Ref::Ts { us, offset }) => self.placed(value, us, offset),
            (Type::Timestamp, Ref::Date(days)) => self.placed(value, self.midnight(value, days)?, NO_ZONE),
            (Type::Date | Type::Time, Ref::Ts { us, offset }) => {
                let local =
                    if offset == NO_ZONE { us } else { us.saturating_add(i64::from(offset) * MINUTE) };
                self.part(value, local)
            }
            (_, Ref::Str(text)) => self.moment_of_text(value, text),
            (
                Type::Timestamp | Type::Date,
                Ref::I64(_) | Ref::U64(_) | Ref::Dec(_) | Ref::Big(_) | Ref::F64(_),
            ) => match &self.format {
                Format::Epoch(unit) => self.moment_of_epoch(value, &to_text(value), *unit),
                _ => Err(CastError {
                    code: "cast.unlike",
                    message: format!(
                        "{} does not say its unit; name a format: `epoch_s`, `epoch_ms`, `epoch_us` or `epoch_ns`",
                        super::shown(value)
                    ),
                }),
            },
            (_, other) => Err(self.unlike(other)),
        }
    }

    fn moment_of_text<'v>(&self, value: Ref<'v>, text: &str) -> Result<SetValue<'v>, CastError> {
        let text = text.trim_ascii();
        let fault = |error: TimeError| CastError {
            code: if error == TimeError::Precision { "cast.not_exact" } else { "cast.bad_text" },
            message: format!("{} {error} (as {})", super::shown(value), self.to),
        };
        match (self.to, &self.format) {
            (_, Format::Epoch(unit)) => self.moment_of_epoch(value, text, *unit),
            (Type::Date, Format::Time(format)) => {
                Ok(Ref::Date(format.parse_date(text).map_err(fault)?).into())
            }
            (Type::Date, _) => Ok(Ref::Date(time::parse_date(text).map_err(fault)?).into()),
            (Type::Time, Format::Time(format)) => {
                Ok(Ref::Time(format.parse_time(text).map_err(fault)?).into())
            }
            (Type::Time, _) => Ok(Ref::Time(time::parse_time(text).map_err(fault)?).into()),
            (_, Format::Time(format)) => {
                let (us, offset) = format.parse_timestamp(text).map_err(fault)?;
                self.placed(value, us, offset)
            }
            (_, _) => {
                let (us, offset) = match time::parse_timestamp(text) {
                    // A day alone is its first moment.
                    Err(TimeError::Form) => {
                        (self.midnight(value, time::parse_date(text).map_err(fault)?)?, NO_ZONE)
                    }
                    other => other.map_err(fault)?,
                };
                self.placed(value, us, offset)
            }
        }
    }

    /// The first moment of a day; days reach further than microseconds do.
    pub(super) fn midnight(&self, value: Ref<'_>, days: i32) -> Result<i64, CastError> {
        i64::from(days).checked_mul(DAY).ok_or_else(|| self.out_of_range(value))
    }

    /// A timestamp, put where the cast says if it does not say where it is.
    fn placed<'v>(&self, value: Ref<'_>, us: i64, offset: i16) -> Result<SetValue<'v>, CastError> {
        match self.zone {
            Some(zone) if offset == NO_ZONE => {
                let utc = us.checked_sub(i64::from(zone) * MINUTE).ok_or_else(|| self.out_of_range(value))?;
                Ok(Ref::Ts { us: utc, offset: zone }.into())
            }
            _ => Ok(Ref::Ts { us, offset }.into()),
        }
    }

    /// The day of a midnight: any other moment has a time of day that would be lost, and a time alone always loses
    /// its day.
    fn part<'v>(&self, value: Ref<'_>, local: i64) -> Result<SetValue<'v>, CastError> {
        if self.to != Type::Date || local.rem_euclid(DAY) != 0 {
            return Err(self.not_exact(value));
        }
        let days = i32::try_from(local.div_euclid(DAY)).map_err(|_| self.out_of_range(value))?;
        Ok(Ref::Date(days).into())
    }

    fn moment_of_epoch<'v>(&self, value: Ref<'_>, text: &str, unit: Unit) -> Result<SetValue<'v>, CastError> {
        let (mantissa, scale) = match parse_number_lenient(text) {
            Some(Number::I64(whole)) => (i128::from(whole), 0),
            Some(Number::U64(whole)) => (i128::from(whole), 0),
            Some(Number::Dec(decimal)) => (i128::from(decimal.mantissa()), u32::from(decimal.scale())),
            Some(Number::Big(_)) => return Err(self.out_of_range(value)),
            None => return Err(self.bad_text(value)),
        };
        // value × 10^-scale units of 10^-digits seconds, in units of 10^-6 seconds.
        let down = unit.digits() + scale;
        let us = if down <= 6 {
            mantissa * 10_i128.pow(6 - down)
        } else {
            let unit = 10_i128.pow(down - 6);
            if mantissa % unit != 0 {
                return Err(self.not_exact(value));
            }
            mantissa / unit
        };
        let us = i64::try_from(us).map_err(|_| self.out_of_range(value))?;
        if self.to == Type::Date { self.part(value, us) } else { Ok(Ref::Ts { us, offset: 0 }.into()) }
    }

    /// How many units since 1970 a moment is.
    pub(super) fn epoch_of<'v>(
        &self,
        value: Ref<'_>,
        us: i64,
        offset: i16,
        unit: Unit,
    ) -> Result<SetValue<'v>, CastError> {
        if offset == NO_ZONE {
            return Err(CastError {
                code: "cast.unlike",
                message: format!(
                    "{} has no offset from UTC, so it is no count since 1970",
                    super::shown(value)
                ),
            });
        }
        let digits = unit.digits();
        if digits > 6 {
            let count = i128::from(us) * 10_i128.pow(digits - 6);
            return match i64::try_from(count) {
                Ok(count) => Ok(Ref::I64(count).into()),
                Err(_) if self.to == Type::Decimal => Ok(Value::Big(count.to_string()).into()),
                Err(_) => Err(self.out_of_range(value)),
            };
        }
        let per = 10_i64.pow(6 - digits);
        if us % per == 0 {
            return Ok(Ref::I64(us / per).into());
        }
        if self.to != Type::Decimal {
            return Err(self.not_exact(value));
        }
        let scale = u8::try_from(6 - digits).unwrap_or_default();
        match super::super::number::Decimal::new(us, scale) {
            Some(decimal) => Ok(Ref::Dec(decimal).into()),
            None => Err(self.out_of_range(value)),
        }
    }
}

/// Reads `Z` or `+02:00`: minutes east of UTC.
pub(super) fn offset(text: &str) -> Option<i16> {
    if matches!(text, "Z" | "z" | "UTC") {
        return Some(0);
    }
    match time::parse_timestamp(&format!("1970-01-02T00:00:00{text}")) {
        Ok((_, offset)) if offset != NO_ZONE => Some(offset),
        _ => None,
    }
}
