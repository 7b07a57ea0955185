//! The types a document may name for a column or a field.
//!
//! Only their names and their order in lists are here. How a value of each type lies in memory, is read from
//! text and written again is `fairway-engine`'s `data` module.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A type of values, as written in documents (`"type": "int64"`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// True or false.
    Bool,
    /// Whole numbers from -2^63 to 2^63 - 1.
    Int64,
    /// Whole numbers from 0 to 2^64 - 1.
    Uint64,
    /// IEEE 754 binary floating point, 64 bits.
    Float64,
    /// Decimal numbers of any length, kept digit for digit with their scale.
    Decimal,
    /// Unicode text.
    String,
    /// Raw bytes.
    Bytes,
    /// A calendar day without a time of day.
    Date,
    /// A time of day without a date, to the microsecond.
    Time,
    /// A moment, to the microsecond, with or without an offset from UTC.
    Timestamp,
    /// A 128-bit universally unique identifier.
    Uuid,
    /// Any JSON value.
    Json,
    /// An ordered list of values.
    List,
    /// Values by name, in order.
    Map,
}

impl Type {
    /// Every type, in the order in which lists show them.
    pub const ALL: [Type; 14] = [
        Type::Bool,
        Type::Int64,
        Type::Uint64,
        Type::Float64,
        Type::Decimal,
        Type::String,
        Type::Bytes,
        Type::Date,
        Type::Time,
        Type::Timestamp,
        Type::Uuid,
        Type::Json,
        Type::List,
        Type::Map,
    ];

    /// The name that documents use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Int64 => "int64",
            Type::Uint64 => "uint64",
            Type::Float64 => "float64",
            Type::Decimal => "decimal",
            Type::String => "string",
            Type::Bytes => "bytes",
            Type::Date => "date",
            Type::Time => "time",
            Type::Timestamp => "timestamp",
            Type::Uuid => "uuid",
            Type::Json => "json",
            Type::List => "list",
            Type::Map => "map",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no type; holds the word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a type; one of bool, int64, uint64, float64, decimal, string, bytes, date, time, timestamp, uuid, json, list, map is expected"
)]
pub struct UnknownType(pub String);

impl FromStr for Type {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, UnknownType> {
        Type::ALL.into_iter().find(|known| known.as_str() == text).ok_or_else(|| UnknownType(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_in_text_and_json() {
        for known in Type::ALL {
            assert_eq!(known.as_str().parse::<Type>(), Ok(known));
            let json = serde_json::to_value(known).unwrap();
            assert_eq!(json, serde_json::Value::String(known.to_string()));
            assert_eq!(serde_json::from_value::<Type>(json).unwrap(), known);
        }
        let message = "int".parse::<Type>().unwrap_err().to_string();
        for known in Type::ALL {
            assert!(message.contains(known.as_str()), "{known} is missing from: {message}");
        }
    }
}
