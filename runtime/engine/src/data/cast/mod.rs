//! Reading a value as another type, exactly or not at all (G1, G2): for casts that a user draws, declared columns
//! of text formats, and sources whose system has types of its own.
//!
//! Numbers are in `numbers`, dates and moments in `moments`; this file holds the rest and says which goes where. What
//! becomes of null and missing is the caller's decision: neither is ever cast.

mod moments;
mod numbers;

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fairway_shared::types::Type;
use uuid::Uuid;

use super::convert::SetValue;
use super::error::RecordError;
use super::json_read;
use super::json_write;
use super::text::to_text;
use super::time::TimeFormat;
use super::value::{Ref, Value};

/// Why a value cannot be read as a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastError {
    /// Permanent code: `cast.bad_text`, `cast.out_of_range`, `cast.not_exact` or `cast.unlike`.
    pub code: &'static str,
    /// What is wrong, with the value.
    pub message: String,
}

impl CastError {
    /// The error of a record's field.
    pub fn in_field(self, field: &str) -> RecordError {
        RecordError::in_field(self.code, field, self.message)
    }
}

impl fmt::Display for CastError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CastError {}

/// Unit of numbers that count from 1970-01-01 00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

/// How the value of the one side of a cast is written.
#[derive(Clone, Debug)]
enum Format {
    /// As JSON writers write it.
    Usual,
    /// A user's own time format.
    Time(TimeFormat),
    /// A count since 1970.
    Epoch(Unit),
    /// Bytes in base64.
    Base64,
    /// Bytes in pairs of hexadecimal digits.
    Hex,
}

/// A cast to one type, checked once and then used for every value.
#[derive(Clone, Debug)]
pub struct Cast {
    to: Type,
    format: Format,
    /// Minutes east of UTC of moments that do not say where they are.
    zone: Option<i16>,
}

impl Cast {
    /// A cast to a type by its usual forms.
    pub fn to(to: Type) -> Cast {
        Cast { to, format: Format::Usual, zone: None }
    }

    /// A cast by a format: strftime words, `epoch_s`, `epoch_ms`, `epoch_us`, `epoch_ns`, `base64` or `hex`.
    ///
    /// # Errors
    /// A sentence for the user when the format is none, or does not go with the type.
    pub fn with_format(to: Type, format: &str) -> Result<Cast, String> {
        let (fits, format) = match format {
            "epoch_s" => (numeric_or_moment(to), Format::Epoch(Unit::Seconds)),
            "epoch_ms" => (numeric_or_moment(to), Format::Epoch(Unit::Millis)),
            "epoch_us" => (numeric_or_moment(to), Format::Epoch(Unit::Micros)),
            "epoch_ns" => (numeric_or_moment(to), Format::Epoch(Unit::Nanos)),
            "base64" => (matches!(to, Type::Bytes | Type::String), Format::Base64),
            "hex" => (matches!(to, Type::Bytes | Type::String), Format::Hex),
            words => {
                let fits = matches!(to, Type::Date | Type::Time | Type::Timestamp | Type::String);
                (fits, Format::Time(TimeFormat::new(words)?))
            }
        };
        if fits { Ok(Cast { to, format, zone: None }) } else { Err(format!("a {to} takes no such format")) }
    }

    /// Puts moments that do not say where they are at an offset: `Z` or `+02:00`.
    ///
    /// # Errors
    /// A sentence for the user when it is no offset, or the type is not `timestamp`.
    pub fn with_zone(self, zone: &str) -> Result<Cast, String> {
        if self.to != Type::Timestamp {
            return Err("only a timestamp takes a zone".into());
        }
        let zone = moments::offset(zone)
            .ok_or_else(|| format!("`{zone}` is not an offset such as `Z` or `+02:00`"))?;
        Ok(Cast { zone: Some(zone), ..self })
    }

    /// The type.
    pub fn ty(&self) -> Type {
        self.to
    }

    /// Reads a value as the type. Null and missing stay what they are.
    ///
    /// # Errors
    /// [`CastError`] when the value cannot be read so, or not without losing something.
    pub fn cast<'v>(&self, value: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        if let Ref::Missing | Ref::Null = value {
            return Ok(value.into());
        }
        match self.to {
            Type::Bool => self.bool(value).map(SetValue::from),
            Type::Int64 | Type::Uint64 | Type::Float64 | Type::Decimal => self.number(value),
            Type::String => self.string(value),
            Type::Bytes => self.bytes(value),
            Type::Date | Type::Time | Type::Timestamp => self.moment(value),
            Type::Uuid => self.uuid(value).map(SetValue::from),
            Type::Json => self.json(value),
            Type::List | Type::Map => self.nested(value),
        }
    }

    fn bool(&self, value: Ref<'_>) -> Result<bool, CastError> {
        match value {
            Ref::Bool(value) => Ok(value),
            Ref::I64(0) => Ok(false),
            Ref::I64(1) => Ok(true),
            Ref::Str(text) => {
                let is =
                    |words: &[&str]| words.iter().any(|word| text.trim_ascii().eq_ignore_ascii_case(word));
                if is(&["true", "t", "yes", "y", "1"]) {
                    Ok(true)
                } else if is(&["false", "f", "no", "n", "0"]) {
                    Ok(false)
                } else {
                    Err(self.bad_text(value))
                }
            }
            other => Err(self.unlike(other)),
        }
    }

    fn string<'v>(&self, value: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        match (value, &self.format) {
            (Ref::Str(_), _) => Ok(value.into()),
            (Ref::Bytes(bytes), Format::Base64) => Ok(STANDARD.encode(bytes).into()),
            (Ref::Bytes(bytes), Format::Hex) => {
                Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into())
            }
            (Ref::Bytes(bytes), _) => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Ref::Str(text).into()),
                Err(_) => Err(CastError {
                    code: "cast.bad_text",
                    message: "the bytes are not text in UTF-8; name a format, `base64` or `hex`".into(),
                }),
            },
            (Ref::Date(_) | Ref::Time(_) | Ref::Ts { .. }, Format::Time(format)) => {
                let text = match value {
                    Ref::Date(days) => format.format_date(days),
                    Ref::Time(us) => format.format_time(us),
                    Ref::Ts { us, offset } => format.format_timestamp(us, offset),
                    _ => None,
                };
                text.map(SetValue::from).ok_or_else(|| CastError {
                    code: "cast.out_of_range",
                    message: format!("{} cannot be written in this format", shown(value)),
                })
            }
            _ => Ok(to_text(value).into()),
        }
    }

    fn bytes<'v>(&self, value: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        match (value, &self.format) {
            (Ref::Bytes(_), _) => Ok(value.into()),
            (Ref::Uuid(id), _) => Ok(Value::Bytes(id.as_bytes().to_vec()).into()),
            (Ref::Str(text), Format::Base64) => STANDARD
                .decode(text)
                .map(|bytes| Value::Bytes(bytes).into())
                .map_err(|_| self.bad_text(value)),
            (Ref::Str(text), Format::Hex) => {
                hex(text).map(|bytes| Value::Bytes(bytes).into()).ok_or_else(|| self.bad_text(value))
            }
            (Ref::Str(text), _) => Ok(Ref::Bytes(text.as_bytes()).into()),
            (other, _) => Err(self.unlike(other)),
        }
    }

    fn uuid(&self, value: Ref<'_>) -> Result<Uuid, CastError> {
        match value {
            Ref::Uuid(id) => Ok(id),
            Ref::Str(text) => Uuid::from_str(text.trim_ascii()).map_err(|_| self.bad_text(value)),
            Ref::Bytes(bytes) => Uuid::from_slice(bytes).map_err(|_| self.unlike(value)),
            other => Err(self.unlike(other)),
        }
    }

    /// Text must be JSON already: text that is to become a JSON string is a text, not a `json`.
    fn json<'v>(&self, value: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        match value {
            Ref::Raw(_) => Ok(value.into()),
            Ref::Str(text) => match json_read::read_value(text) {
                Ok(_) => Ok(Ref::Raw(text).into()),
                Err(_) => Err(self.bad_text(value)),
            },
            other => {
                let mut text = Vec::new();
                json_write::write_value(other, &mut text);
                // The writer writes UTF-8.
                Ok(Value::Raw(String::from_utf8(text).unwrap_or_default()).into())
            }
        }
    }

    fn nested<'v>(&self, value: Ref<'v>) -> Result<SetValue<'v>, CastError> {
        let (Ref::Str(text) | Ref::Raw(text)) = value else {
            return if value.kind() == self.to.as_str() { Ok(value.into()) } else { Err(self.unlike(value)) };
        };
        match (json_read::read_value(text), self.to) {
            (Ok(list @ Value::List(_)), Type::List) => Ok(list.into()),
            (Ok(map @ Value::Map(_)), Type::Map) => Ok(map.into()),
            _ => Err(self.bad_text(value)),
        }
    }

    /// The text does not have the form of the type.
    fn bad_text(&self, value: Ref<'_>) -> CastError {
        CastError { code: "cast.bad_text", message: format!("{} is not of type {}", shown(value), self.to) }
    }

    /// The type cannot hold the value.
    fn out_of_range(&self, value: Ref<'_>) -> CastError {
        CastError {
            code: "cast.out_of_range",
            message: format!("{} is beyond the range of {}", shown(value), self.to),
        }
    }

    /// The type could hold the value only by changing it.
    fn not_exact(&self, value: Ref<'_>) -> CastError {
        CastError {
            code: "cast.not_exact",
            message: format!("{} would lose something as {}", shown(value), self.to),
        }
    }

    /// Values of this kind are never read as this type.
    fn unlike(&self, value: Ref<'_>) -> CastError {
        CastError {
            code: "cast.unlike",
            message: format!("{} of type {} cannot be read as {}", shown(value), value.kind(), self.to),
        }
    }
}

fn numeric_or_moment(to: Type) -> bool {
    matches!(to, Type::Timestamp | Type::Date | Type::Int64 | Type::Decimal)
}

/// The value for a message: whole if short, else its beginning.
fn shown(value: Ref<'_>) -> String {
    const SHOWN: usize = 60;
    let text = to_text(value);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[cfg(test)]
mod tests;
