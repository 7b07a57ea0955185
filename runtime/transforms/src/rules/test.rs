//! What one rule asks of one value.

use std::cmp::Ordering;

use fairway_engine::data::cast::Cast;
use fairway_engine::data::{NO_ZONE, Ref, Value, compare_numbers, json_read};
use fairway_shared::types::Type;
use regex::Regex;
use serde_json::Value as Json;

use super::Op;

/// A rule's part at fault, what is wrong, and what to do.
type Fault = (&'static str, String, String);

/// What is asked of a value, ready to be asked often.
pub(super) enum Test {
    Compare(Op, Literal),
    In(Vec<Literal>),
    Contains(Literal),
    StartsWith(String),
    EndsWith(String),
    Matches(Regex),
    Exists,
    Missing,
    IsNull,
    NotNull,
}

/// A value from the settings, and what its text says as a day or a moment.
pub(super) struct Literal {
    value: Value,
    date: Option<i32>,
    time: Option<i64>,
    moment: Option<(i64, i16)>,
    uuid: Option<Value>,
}

impl Literal {
    fn new(json: &Json) -> Literal {
        let value = Value::from_json(json);
        let read = |to| match value.as_ref() {
            text @ Ref::Str(_) => Cast::to(to).cast(text).ok().map(|set| set.as_ref().to_value()),
            _ => None,
        };
        let date =
            read(Type::Date).and_then(|value| if let Value::Date(days) = value { Some(days) } else { None });
        let time =
            read(Type::Time).and_then(|value| if let Value::Time(us) = value { Some(us) } else { None });
        let moment = read(Type::Timestamp)
            .and_then(|value| if let Value::Ts { us, offset } = value { Some((us, offset)) } else { None });
        let uuid = read(Type::Uuid);
        Literal { value, date, time, moment, uuid }
    }
}

impl Test {
    pub(super) fn new(op: Op, value: Option<&Json>) -> Result<Test, Fault> {
        let given = value.filter(|value| !value.is_null());
        let needed = || {
            let help = "give one, or ask `is_null`, `not_null`, `exists` or `missing`";
            given.ok_or_else(|| ("value", "there is nothing to compare with".to_owned(), help.to_owned()))
        };
        let text = || match needed()? {
            Json::String(text) => Ok(text.clone()),
            _ => Err(("value", "the value is no text".to_owned(), "put it in quotes".to_owned())),
        };
        Ok(match op {
            Op::Eq | Op::Ne => Test::Compare(op, Literal::new(needed()?)),
            Op::Lt | Op::Le | Op::Gt | Op::Ge => match needed()? {
                value @ (Json::Number(_) | Json::String(_)) => Test::Compare(op, Literal::new(value)),
                _ => {
                    let help = "compare with a number or a text, or use `eq`, `ne` or `in`";
                    return Err(("value", "only numbers and texts have an order".into(), help.into()));
                }
            },
            Op::In => match needed()? {
                Json::Array(items) if items.iter().all(|item| !item.is_null()) => {
                    Test::In(items.iter().map(Literal::new).collect())
                }
                Json::Array(_) => {
                    return Err(("value", "null is never equal to anything".into(), "use `is_null`".into()));
                }
                _ => return Err(("value", "the value is no list".into(), "write it as `[1, 2, 3]`".into())),
            },
            Op::Contains => Test::Contains(Literal::new(needed()?)),
            Op::StartsWith => Test::StartsWith(text()?),
            Op::EndsWith => Test::EndsWith(text()?),
            Op::Matches => Test::Matches(Regex::new(&text()?).map_err(|error| {
                let help = "see the syntax of Rust's regex crate: no look-around, no back-references";
                ("value", format!("the expression is not sound: {error}"), help.to_owned())
            })?),
            Op::Exists => Test::Exists,
            Op::Missing => Test::Missing,
            Op::IsNull => Test::IsNull,
            Op::NotNull => Test::NotNull,
        })
    }

    /// Whether the value is as asked.
    ///
    /// # Errors
    /// A sentence when it is of a kind that cannot be compared so.
    pub(super) fn holds(&self, value: Ref<'_>) -> Result<bool, String> {
        match self {
            Test::Exists => return Ok(!value.is_missing()),
            Test::Missing => return Ok(value.is_missing()),
            Test::IsNull => return Ok(matches!(value, Ref::Null)),
            Test::NotNull => return Ok(!value.is_none()),
            // Whatever is compared with nothing is false.
            _ if value.is_none() => return Ok(false),
            _ => {}
        }
        match self {
            Test::Compare(op @ (Op::Eq | Op::Ne), literal) => Ok(equal(value, literal)? == (*op == Op::Eq)),
            Test::Compare(op, literal) => {
                let order = order(value, literal)?;
                Ok(match op {
                    Op::Lt => order.is_some_and(Ordering::is_lt),
                    Op::Le => order.is_some_and(Ordering::is_le),
                    Op::Gt => order.is_some_and(Ordering::is_gt),
                    _ => order.is_some_and(Ordering::is_ge),
                })
            }
            Test::In(literals) => {
                let mut fault = None;
                let mut compared = literals.is_empty();
                for literal in literals {
                    match equal(value, literal) {
                        Ok(true) => return Ok(true),
                        Ok(false) => compared = true,
                        Err(message) => fault = Some(message),
                    }
                }
                // A list may mix types; only a value that is like none of them cannot be compared.
                fault.filter(|_| !compared).map_or(Ok(false), Err)
            }
            Test::Contains(literal) => match (value, literal.value.as_ref()) {
                (Ref::Str(text), Ref::Str(part)) => Ok(text.contains(part)),
                (Ref::List(list), _) => Ok(list.iter().any(|item| equal(item, literal) == Ok(true))),
                _ => Err(unlike(value, literal)),
            },
            Test::StartsWith(part) => text(value).map(|text| text.starts_with(part.as_str())),
            Test::EndsWith(part) => text(value).map(|text| text.ends_with(part.as_str())),
            Test::Matches(regex) => text(value).map(|text| regex.is_match(text)),
            Test::Exists | Test::Missing | Test::IsNull | Test::NotNull => Ok(false),
        }
    }
}

fn text(value: Ref<'_>) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("a {} is no text", value.kind()))
}

fn unlike(value: Ref<'_>, literal: &Literal) -> String {
    let other = literal.value.as_ref().kind();
    format!("a {} cannot be compared with a {other}; cast the field first", value.kind())
}

fn equal(value: Ref<'_>, literal: &Literal) -> Result<bool, String> {
    match (value, literal.value.as_ref()) {
        (Ref::Bool(a), Ref::Bool(b)) => Ok(a == b),
        (Ref::List(_) | Ref::Map(_) | Ref::Raw(_), Ref::List(_) | Ref::Map(_)) => {
            Ok(same(value, literal.value.as_ref()))
        }
        (Ref::Uuid(id), Ref::Str(_)) => match &literal.uuid {
            Some(Value::Uuid(other)) => Ok(id == *other),
            _ => Err(unlike(value, literal)),
        },
        _ => order(value, literal).map(|order| order == Some(Ordering::Equal)),
    }
}

/// The order of a value and a literal; `None` beside NaN.
fn order(value: Ref<'_>, literal: &Literal) -> Result<Option<Ordering>, String> {
    let other = literal.value.as_ref();
    let moments = match (value, other) {
        (Ref::Str(text), Ref::Str(other)) => return Ok(Some(text.cmp(other))),
        (Ref::I64(a), Ref::I64(b)) => return Ok(Some(a.cmp(&b))),
        (Ref::Date(days), _) => literal.date.map(|other| days.cmp(&other)),
        (Ref::Time(us), _) => literal.time.map(|other| us.cmp(&other)),
        (Ref::Ts { us, offset }, _) => literal.moment.and_then(|(other, zone)| match (offset, zone) {
            (NO_ZONE, NO_ZONE) => Some(us.cmp(&other)),
            (NO_ZONE, _) => None,
            // A literal without a zone is meant in UTC.
            _ => Some(us.cmp(&other)),
        }),
        _ if is_number(value) && is_number(other) => return Ok(compare_numbers(value, other)),
        _ => None,
    };
    moments.map(Some).ok_or_else(|| unlike(value, literal))
}

fn is_number(value: Ref<'_>) -> bool {
    matches!(value, Ref::I64(_) | Ref::U64(_) | Ref::F64(_) | Ref::Dec(_) | Ref::Big(_))
}

/// Whether two values say the same: numbers by value, maps in any order.
fn same(left: Ref<'_>, right: Ref<'_>) -> bool {
    match (left, right) {
        (Ref::Raw(json), other) => json_read::read_value(json).is_ok_and(|value| same(value.as_ref(), other)),
        (Ref::Null, Ref::Null) => true,
        (Ref::Bool(a), Ref::Bool(b)) => a == b,
        (Ref::Str(a), Ref::Str(b)) => a == b,
        (Ref::List(a), Ref::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b)),
        (Ref::Map(a), Ref::Map(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| same(value, b.get(name)))
        }
        (a, b) => compare_numbers(a, b) == Some(Ordering::Equal),
    }
}
