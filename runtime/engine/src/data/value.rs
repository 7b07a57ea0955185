//! Values as transforms, sources and sinks see them: borrowed from a batch, or owned.
//!
//! [`Ref`] reads a value where it lies, in a batch or in a [`Value`]; a [`Value`] owns it and may outlive every
//! batch. Lists and maps are in `nested`, conversions from plain Rust types in `convert`, to and from `serde_json` in
//! `json_value`.

use uuid::Uuid;

use super::nested::{ListRef, MapRef};
use super::number::Decimal;

/// The offset of a timestamp that was given without a zone.
pub const NO_ZONE: i16 = i16::MIN;

/// A value, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum Ref<'a> {
    /// The record has no such field.
    Missing,
    /// The field is there and holds nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    I64(i64),
    /// A whole number; readers make it only where `I64` is too small.
    U64(u64),
    /// A binary floating point number.
    F64(f64),
    /// A decimal number of at most 18 digits.
    Dec(Decimal),
    /// Any other number, as the text of a JSON number: `-?digits(.digits)?(e-?digits)?`.
    Big(&'a str),
    /// Text.
    Str(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A UUID.
    Uuid(Uuid),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// A moment.
    Ts {
        /// Microseconds since 1970-01-01 00:00 UTC; without a zone, of the local time as given.
        us: i64,
        /// Minutes east of UTC, as given; [`NO_ZONE`] for none.
        offset: i16,
    },
    /// A list.
    List(ListRef<'a>),
    /// Values by name.
    Map(MapRef<'a>),
    /// JSON text, checked but not taken apart.
    Raw(&'a str),
}

/// A value, owned: for configuration, state, keys and everything else that outlives a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// The record has no such field. Setting a field to this removes it.
    Missing,
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    I64(i64),
    /// A whole number; readers make it only where `I64` is too small.
    U64(u64),
    /// A binary floating point number.
    F64(f64),
    /// A decimal number of at most 18 digits.
    Dec(Decimal),
    /// Any other number, as the text of a JSON number.
    Big(String),
    /// Text.
    Str(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A UUID.
    Uuid(Uuid),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// A moment.
    Ts {
        /// Microseconds since 1970-01-01 00:00 UTC; without a zone, of the local time as given.
        us: i64,
        /// Minutes east of UTC, as given; [`NO_ZONE`] for none.
        offset: i16,
    },
    /// A list.
    List(Vec<Value>),
    /// Values by name, in order; names come once.
    Map(Vec<(String, Value)>),
    /// JSON text, checked but not taken apart.
    Raw(String),
}

impl<'a> Ref<'a> {
    /// Copies the value out of its batch.
    pub fn to_value(self) -> Value {
        match self {
            Ref::Missing => Value::Missing,
            Ref::Null => Value::Null,
            Ref::Bool(value) => Value::Bool(value),
            Ref::I64(value) => Value::I64(value),
            Ref::U64(value) => Value::U64(value),
            Ref::F64(value) => Value::F64(value),
            Ref::Dec(value) => Value::Dec(value),
            Ref::Big(digits) => Value::Big(digits.to_owned()),
            Ref::Str(text) => Value::Str(text.to_owned()),
            Ref::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Ref::Uuid(id) => Value::Uuid(id),
            Ref::Date(days) => Value::Date(days),
            Ref::Time(us) => Value::Time(us),
            Ref::Ts { us, offset } => Value::Ts { us, offset },
            Ref::List(list) => Value::List(list.iter().map(Ref::to_value).collect()),
            Ref::Map(map) => {
                Value::Map(map.iter().map(|(name, value)| (name.to_owned(), value.to_value())).collect())
            }
            Ref::Raw(json) => Value::Raw(json.to_owned()),
        }
    }

    /// Whether the record has no such field.
    pub fn is_missing(self) -> bool {
        matches!(self, Ref::Missing)
    }

    /// Whether there is no value: the field is missing or null.
    pub fn is_none(self) -> bool {
        matches!(self, Ref::Missing | Ref::Null)
    }

    /// The text, if this is text.
    pub fn as_str(self) -> Option<&'a str> {
        if let Ref::Str(text) = self { Some(text) } else { None }
    }

    /// What kind of value this is, in the words of documents (`missing` and `null` beside the types).
    pub fn kind(self) -> &'static str {
        match self {
            Ref::Missing => "missing",
            Ref::Null => "null",
            Ref::Bool(_) => "bool",
            Ref::I64(_) => "int64",
            Ref::U64(_) => "uint64",
            Ref::F64(_) => "float64",
            Ref::Dec(_) | Ref::Big(_) => "decimal",
            Ref::Str(_) => "string",
            Ref::Bytes(_) => "bytes",
            Ref::Uuid(_) => "uuid",
            Ref::Date(_) => "date",
            Ref::Time(_) => "time",
            Ref::Ts { .. } => "timestamp",
            Ref::List(_) => "list",
            Ref::Map(_) => "map",
            Ref::Raw(_) => "json",
        }
    }
}

impl Value {
    /// Reads the value where it lies.
    pub fn as_ref(&self) -> Ref<'_> {
        match self {
            Value::Missing => Ref::Missing,
            Value::Null => Ref::Null,
            Value::Bool(value) => Ref::Bool(*value),
            Value::I64(value) => Ref::I64(*value),
            Value::U64(value) => Ref::U64(*value),
            Value::F64(value) => Ref::F64(*value),
            Value::Dec(value) => Ref::Dec(*value),
            Value::Big(digits) => Ref::Big(digits),
            Value::Str(text) => Ref::Str(text),
            Value::Bytes(bytes) => Ref::Bytes(bytes),
            Value::Uuid(id) => Ref::Uuid(*id),
            Value::Date(days) => Ref::Date(*days),
            Value::Time(us) => Ref::Time(*us),
            Value::Ts { us, offset } => Ref::Ts { us: *us, offset: *offset },
            Value::List(items) => Ref::List(ListRef::of_values(items)),
            Value::Map(entries) => Ref::Map(MapRef::of_values(entries)),
            Value::Raw(json) => Ref::Raw(json),
        }
    }

    /// About how many bytes of memory this takes.
    pub fn bytes(&self) -> usize {
        let inner = match self {
            Value::Big(text) | Value::Str(text) | Value::Raw(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::List(items) => items.iter().map(Value::bytes).sum(),
            Value::Map(entries) => entries.iter().map(|(name, value)| name.len() + 24 + value.bytes()).sum(),
            _ => 0,
        };
        size_of::<Value>() + inner
    }
}
