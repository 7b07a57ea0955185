use fairway_engine::data::Value;

use super::*;

fn shown(value: &Value, kind: &Kind) -> Result<String, &'static str> {
    let mut out = Vec::new();
    encode(value.as_ref(), kind, &mut Vec::new(), &mut out).map_err(|unfit| unfit.code)?;
    Ok(String::from_utf8(out).unwrap())
}

fn text(text: &str) -> Value {
    Value::Str(text.into())
}

fn dec(mantissa: i64, scale: u8) -> Value {
    Value::Dec(Decimal::new(mantissa, scale).unwrap())
}

fn big(digits: &str) -> Value {
    Value::Big(digits.into())
}

#[test]
fn text_is_escaped_and_null_is_not_empty() {
    for (value, line) in [
        (Value::Null, Ok("\\N")),
        (Value::Missing, Ok("\\N")),
        (text(""), Ok("")),
        (text("\\N"), Ok("\\\\N")),
        (text("a\tb\nc\rd\\e é\u{1}"), Ok("a\\tb\\nc\\rd\\\\e é\u{1}")),
        (text("a\0b"), Err("postgres.nul")),
        (Value::I64(-7), Ok("-7")),
        (Value::Bool(true), Ok("true")),
        (Value::List(vec![text("a\n"), Value::Null]), Ok(r#"["a\\n",null]"#)),
    ] {
        assert_eq!(shown(&value, &Kind::Text), line.map(str::to_owned), "{value:?}");
    }
}

#[test]
fn numbers_keep_their_digits_or_are_refused() {
    let long = "123456789012345678901234567890.123456789";
    let inexact = Err("postgres.inexact");
    let no_number = Err("postgres.not_a_number");
    for (value, kind, line) in [
        (big(long), Kind::Numeric(None), Ok(long)),
        (text(long), Kind::Numeric(None), Ok(long)),
        (big(long), Kind::Float8, inexact),
        (dec(1505, 3), Kind::Numeric(Some(2)), inexact),
        (dec(1500, 3), Kind::Numeric(Some(2)), Ok("1.500")),
        (text("1.505"), Kind::Numeric(Some(2)), inexact),
        (big("15e-1"), Kind::Numeric(Some(0)), inexact),
        (Value::I64(1200), Kind::Numeric(Some(-2)), Ok("1200")),
        (Value::I64(1250), Kind::Numeric(Some(-2)), inexact),
        (Value::I64(0), Kind::Numeric(Some(-2)), Ok("0")),
        (dec(100, 2), Kind::Int, Ok("1")),
        (dec(150, 2), Kind::Int, inexact),
        (Value::F64(3.0), Kind::Int, Ok("3")),
        (Value::F64(3.5), Kind::Int, inexact),
        (text("42"), Kind::Int, Ok("42")),
        (text("007"), Kind::Int, no_number),
        (text(" 7"), Kind::Int, no_number),
        (text("0x10"), Kind::Int, no_number),
        (text(""), Kind::Numeric(None), no_number),
        (text("NaN"), Kind::Float8, Ok("NaN")),
        (Value::F64(0.1), Kind::Float8, Ok("0.1")),
        (Value::I64(9_007_199_254_740_993), Kind::Float8, inexact),
        (Value::F64(0.1), Kind::Float4, Ok("0.1")),
        (Value::F64(0.123_456_789_012), Kind::Float4, inexact),
    ] {
        assert_eq!(shown(&value, &kind), line.map(str::to_owned), "{value:?} in {kind:?}");
    }
}

#[test]
fn bytes_json_and_arrays() {
    let ints = Kind::Array(Box::new(Kind::Int));
    let texts = Kind::Array(Box::new(Kind::Text));
    let nested = Value::List(vec![Value::List(vec![Value::I64(1), Value::Null]), Value::List(vec![])]);
    let bad = Err("postgres.bad_value");
    for (value, kind, line) in [
        (Value::Bytes(vec![0, 255]), &Kind::Bytea, Ok("\\\\x00ff")),
        (text("AP8="), &Kind::Bytea, Ok("\\\\x00ff")),
        (text("\\x00ff"), &Kind::Bytea, Ok("\\\\x00ff")),
        (text("?"), &Kind::Bytea, bad),
        (Value::Raw(r#"{"a":"\n"}"#.into()), &Kind::Json, Ok(r#"{"a":"\\n"}"#)),
        (Value::Map(vec![("a".into(), text("\0"))]), &Kind::Json, Ok(r#"{"a":"\\u0000"}"#)),
        (text("{}"), &Kind::Json, Ok("{}")),
        (nested, &ints, Ok(r#"{{"1",NULL},{}}"#)),
        (Value::List(vec![text("a\"\\,"), text(""), Value::Null]), &texts, Ok(r#"{"a\\"\\\\,","",NULL}"#)),
        (text("{1,2}"), &ints, Ok("{1,2}")),
        (Value::List(vec![text("x")]), &ints, Err("postgres.not_a_number")),
    ] {
        assert_eq!(shown(&value, kind), line.map(str::to_owned), "{value:?}");
    }
}
