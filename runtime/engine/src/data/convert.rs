//! What counts as a value: conversions from plain Rust types, so that fields can be set to them as they are.

use uuid::Uuid;

use super::number::{Decimal, Number};
use super::value::{Ref, Value};

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
