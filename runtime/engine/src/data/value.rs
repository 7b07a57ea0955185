//! Values as transforms, sources and sinks see them: borrowed from a batch, or owned.
//!
//! [`Ref`] reads a value where it lies, in a batch or in a [`Value`]; a [`Value`] owns it and may outlive every
//! batch. To and from `serde_json` is in `json_value`, to JSON text in [`json_write`](super::json_write).

use std::fmt;

use uuid::Uuid;

use super::cell::{Cell, Pools};
use super::number::{Decimal, Number};

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
            Value::List(items) => Ref::List(ListRef(Items::Values(items))),
            Value::Map(entries) => Ref::Map(MapRef(Entries::Values(entries))),
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

/// A list, borrowed from a batch or from a [`Value`].
#[derive(Clone, Copy)]
pub struct ListRef<'a>(Items<'a>);

#[derive(Clone, Copy)]
enum Items<'a> {
    Cells(&'a Pools, &'a [Cell]),
    Values(&'a [Value]),
}

impl<'a> ListRef<'a> {
    pub(super) fn of_cells(pools: &'a Pools, cells: &'a [Cell]) -> Self {
        ListRef(Items::Cells(pools, cells))
    }

    /// The item's cell, if the list lies in these very pools.
    pub(super) fn cell_in(self, pools: &Pools, index: usize) -> Option<Cell> {
        match self.0 {
            Items::Cells(own, cells) if std::ptr::eq(own, pools) => cells.get(index).copied(),
            _ => None,
        }
    }

    /// Number of items.
    pub fn len(self) -> usize {
        match self.0 {
            Items::Cells(_, cells) => cells.len(),
            Items::Values(values) => values.len(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The item at an index from 0.
    pub fn get(self, index: usize) -> Option<Ref<'a>> {
        match self.0 {
            Items::Cells(pools, cells) => cells.get(index).map(|cell| pools.view(*cell)),
            Items::Values(values) => values.get(index).map(Value::as_ref),
        }
    }

    /// The items in order.
    pub fn iter(self) -> impl Iterator<Item = Ref<'a>> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

impl fmt::Debug for ListRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Values by name, borrowed from a batch or from a [`Value`].
#[derive(Clone, Copy)]
pub struct MapRef<'a>(Entries<'a>);

#[derive(Clone, Copy)]
enum Entries<'a> {
    Cells(&'a Pools, &'a [Cell]),
    Values(&'a [(String, Value)]),
}

impl<'a> MapRef<'a> {
    pub(super) fn of_cells(pools: &'a Pools, cells: &'a [Cell]) -> Self {
        MapRef(Entries::Cells(pools, cells))
    }

    /// Number of entries.
    pub fn len(self) -> usize {
        match self.0 {
            Entries::Cells(_, cells) => cells.len() / 2,
            Entries::Values(entries) => entries.len(),
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The entry at an index from 0.
    pub fn entry(self, index: usize) -> Option<(&'a str, Ref<'a>)> {
        match self.0 {
            Entries::Cells(pools, cells) => {
                let name = pools.view(*cells.get(index * 2)?).as_str()?;
                Some((name, pools.view(*cells.get(index * 2 + 1)?)))
            }
            Entries::Values(entries) => {
                entries.get(index).map(|(name, value)| (name.as_str(), value.as_ref()))
            }
        }
    }

    /// The value under a name; `Missing` if there is none.
    pub fn get(self, name: &str) -> Ref<'a> {
        self.iter().find(|(known, _)| *known == name).map_or(Ref::Missing, |(_, value)| value)
    }

    /// The entries in order.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, Ref<'a>)> {
        (0..self.len()).filter_map(move |index| self.entry(index))
    }
}

impl fmt::Debug for MapRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// What a field can be set to: anything that is or holds a value.
#[derive(Clone, Debug)]
pub enum SetValue<'a> {
    /// Borrowed.
    Ref(Ref<'a>),
    /// Owned.
    Owned(Value),
}

impl SetValue<'_> {
    /// Reads the value where it lies.
    pub fn as_ref(&self) -> Ref<'_> {
        match self {
            SetValue::Ref(value) => *value,
            SetValue::Owned(value) => value.as_ref(),
        }
    }
}

impl<'a> From<&'a Value> for Ref<'a> {
    fn from(value: &'a Value) -> Self {
        value.as_ref()
    }
}

impl<'a> From<&'a Number<'a>> for Ref<'a> {
    fn from(value: &'a Number<'a>) -> Self {
        match value {
            Number::I64(value) => Ref::I64(*value),
            Number::U64(value) => Ref::U64(*value),
            Number::Dec(value) => Ref::Dec(*value),
            Number::Big(digits) => Ref::Big(digits),
        }
    }
}

impl From<Number<'_>> for Value {
    fn from(value: Number<'_>) -> Self {
        match value {
            Number::I64(value) => Value::I64(value),
            Number::U64(value) => Value::U64(value),
            Number::Dec(value) => Value::Dec(value),
            Number::Big(digits) => Value::Big(digits.into_owned()),
        }
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Str(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Str(text.to_owned())
    }
}

impl<'a> From<&'a String> for Ref<'a> {
    fn from(text: &'a String) -> Self {
        Ref::Str(text)
    }
}

impl From<Value> for SetValue<'_> {
    fn from(value: Value) -> Self {
        SetValue::Owned(value)
    }
}

impl From<String> for SetValue<'_> {
    fn from(text: String) -> Self {
        SetValue::Owned(Value::Str(text))
    }
}

impl<'a> From<Ref<'a>> for SetValue<'a> {
    fn from(value: Ref<'a>) -> Self {
        SetValue::Ref(value)
    }
}

impl<'a> From<&'a Value> for SetValue<'a> {
    fn from(value: &'a Value) -> Self {
        SetValue::Ref(value.as_ref())
    }
}

impl<'a> From<&'a String> for SetValue<'a> {
    fn from(text: &'a String) -> Self {
        SetValue::Ref(Ref::Str(text))
    }
}

macro_rules! simple {
    ($($from:ty => $case:ident),* $(,)?) => {$(
        impl<'a> From<$from> for Ref<'a> {
            fn from(value: $from) -> Self {
                Ref::$case(value.into())
            }
        }

        impl<'a> From<$from> for SetValue<'a> {
            fn from(value: $from) -> Self {
                SetValue::Ref(Ref::$case(value.into()))
            }
        }
    )*};
}

simple!(bool => Bool, i64 => I64, i32 => I64, u32 => I64, u64 => U64, f64 => F64, Decimal => Dec, &'a str => Str,
    &'a [u8] => Bytes, Uuid => Uuid);

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::I64(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::U64(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::F64(value)
    }
}
