//! Casts to numbers. A number keeps its value or is refused: nothing is rounded, cut or wrapped (G1).

use super::super::convert::SetValue;
use super::super::number::{Decimal, Number, parse_number_lenient};
use super::super::text::to_text;
use super::super::value::{Ref, Value};
use super::{Cast, CastError, Format};
use fairway_shared::types::Type;

/// Significant digits that a float always gives back.
const FLOAT_DIGITS: usize = 15;
/// Whole numbers up to here are floats without loss.
const FLOAT_WHOLE: u64 = 1 << 53;

impl Cast {
    pub(super) fn number<'v>(&self, value: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        match value {
            Ref::Str(text) => match parse_number_lenient(text.trim_ascii()) {
                // A number has no sign of zero, a float has.
                Some(Number::I64(0) | Number::Dec(_))
                    if self.to == Type::Float64 && is_negative_zero(text) =>
                {
                    Ok(Ref::F64(-0.0).into())
                }
                // By far the most: a number that is of the type as it was read.
                Some(Number::I64(whole)) if self.to == Type::Int64 => Ok(Ref::I64(whole).into()),
                Some(Number::Dec(exact)) if self.to == Type::Decimal => Ok(Ref::Dec(exact).into()),
                Some(number) => self.convert((&number).into(), value),
                None if self.to == Type::Float64 => match special(text.trim_ascii()) {
                    Some(float) => Ok(Ref::F64(float).into()),
                    None => Err(self.bad_text(value)),
                },
                None => Err(self.bad_text(value)),
            },
            Ref::I64(_) | Ref::U64(_) | Ref::F64(_) | Ref::Dec(_) | Ref::Big(_) => self.convert(value, value),
            Ref::Bool(truth) if matches!(self.to, Type::Int64 | Type::Uint64) => {
                Ok(number_set(self.to, truth.into()))
            }
            Ref::Ts { us, offset } => match &self.format {
                Format::Epoch(unit) => self.epoch_of(value, us, offset, *unit),
                _ => Err(self.unlike(value)),
            },
            Ref::Date(days) => match &self.format {
                Format::Epoch(unit) => self.epoch_of(value, self.midnight(value, days)?, 0, *unit),
                _ => Err(self.unlike(value)),
            },
            other => Err(self.unlike(other)),
        }
    }

    /// A number as a number of the type; `given` is what messages show.
    fn convert<'v>(&self, number: Ref<'_>, given: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        match self.to {
            Type::Int64 | Type::Uint64 => {
                let whole = match whole(number) {
                    Whole::Is(whole) => whole,
                    Whole::Beyond => return Err(self.out_of_range(given)),
                    Whole::Not => return Err(self.not_exact(given)),
                };
                let fits = match self.to {
                    Type::Int64 => i64::try_from(whole).is_ok(),
                    _ => u64::try_from(whole).is_ok(),
                };
                if fits { Ok(number_set(self.to, whole)) } else { Err(self.out_of_range(given)) }
            }
            Type::Float64 => {
                float(number).map(|float| Ref::F64(float).into()).ok_or_else(|| self.not_exact(given))
            }
            _ => decimal(number).map(SetValue::from).ok_or_else(|| self.unlike(given)),
        }
    }
}

/// A whole number that fits the type, in the form that readers make.
fn number_set<'v>(to: Type, whole: i128) -> SetValue<'v> {
    match i64::try_from(whole) {
        Ok(small) => Ref::I64(small).into(),
        // Only an uint64 is called with more, and it fits.
        Err(_) if to == Type::Uint64 => Ref::U64(u64::try_from(whole).unwrap_or(u64::MAX)).into(),
        Err(_) => Value::Big(whole.to_string()).into(),
    }
}

/// What a number is as a whole number.
enum Whole {
    Is(i128),
    /// Whole, but of more than 38 digits.
    Beyond,
    /// Has a fraction, or is none at all.
    Not,
}

fn whole(number: Ref<'_>) -> Whole {
    match number {
        Ref::I64(value) => Whole::Is(value.into()),
        Ref::U64(value) => Whole::Is(value.into()),
        Ref::Dec(value) => {
            let unit = 10_i64.pow(value.scale().into());
            if value.mantissa() % unit == 0 {
                Whole::Is((value.mantissa() / unit).into())
            } else {
                Whole::Not
            }
        }
        Ref::F64(value) if value.fract() != 0.0 || !value.is_finite() => Whole::Not,
        // Above 2^53 a float is written with digits that it does not have.
        Ref::F64(value) if value.abs() <= FLOAT_WHOLE as f64 => Whole::Is(value as i128),
        Ref::F64(_) => Whole::Beyond,
        Ref::Big(digits) => {
            let (digits, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
            let (digits, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            if exponent.starts_with('-') || fraction.bytes().any(|digit| digit != b'0') {
                return Whole::Not;
            }
            if exponent != "0" {
                return Whole::Beyond;
            }
            digits.parse().map_or(Whole::Beyond, Whole::Is)
        }
        _ => Whole::Not,
    }
}

/// A number as a float, if the float written with as many digits is the same number: 0.1 is, and so is what a
/// program wrote with 17 digits, but 9007199254740993 is not.
fn float(number: Ref<'_>) -> Option<f64> {
    match number {
        Ref::F64(value) => return Some(value),
        Ref::I64(value) if value.unsigned_abs() <= FLOAT_WHOLE => return Some(value as f64),
        // Both are floats without loss and a division rounds rightly, so this is the nearest float.
        Ref::Dec(value) if value.mantissa().unsigned_abs() < 10_u64.pow(FLOAT_DIGITS as u32) => {
            return Some(value.mantissa() as f64 / 10_f64.powi(value.scale().into()));
        }
        _ => {}
    }
    let text = to_text(number);
    let float: f64 = text.parse().ok()?;
    let digits = significant(&text);
    if !float.is_finite() || float == 0.0 && !digits.is_empty() {
        return None;
    }
    if digits.len() <= FLOAT_DIGITS {
        return Some(float);
    }
    (significant(&format!("{:.*e}", digits.len() - 1, float)) == digits).then_some(float)
}

/// The digits of a number from the first to the last that is not zero.
fn significant(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// A number as a decimal with all its digits.
fn decimal(number: Ref<'_>) -> Option<Value> {
    Some(match number {
        Ref::Dec(value) => Value::Dec(value),
        Ref::Big(digits) => Value::Big(digits.to_owned()),
        Ref::I64(value) => match Decimal::new(value, 0) {
            Some(value) => Value::Dec(value),
            None => Value::Big(value.to_string()),
        },
        Ref::U64(value) => Value::Big(value.to_string()),
        Ref::F64(value) if value.is_finite() => match parse_number_lenient(&to_text(number))? {
            // `5.0` is how a float is written: as a decimal it keeps that one digit.
            Number::I64(value) => return decimal(Ref::I64(value)),
            number => number.into(),
        },
        _ => return None,
    })
}

/// What writers write for floats that are no numbers.
fn special(text: &str) -> Option<f64> {
    Some(match text {
        "NaN" => f64::NAN,
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ => return None,
    })
}

fn is_negative_zero(text: &str) -> bool {
    let text = text.trim_ascii();
    text.starts_with('-') && text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'))
}
