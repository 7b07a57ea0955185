use fairway_engine::data::{Decimal, NO_ZONE, Value};

use super::*;

const ALL: [Affinity; 4] = [Affinity::Text, Affinity::Numeric, Affinity::Real, Affinity::None];

fn bound(value: &Value, affinity: Affinity) -> Result<Bound, Unfit> {
    bind(value.as_ref(), affinity, &mut Vec::new())
}

fn text(text: &str) -> Bound {
    Bound::Text(text.into())
}

#[test]
fn what_needs_no_number_is_the_same_everywhere() {
    let list = Value::List(vec![Value::I64(1), Value::Null]);
    for (value, expected) in [
        (Value::Missing, Bound::Null),
        (Value::Null, Bound::Null),
        (Value::Str(String::new()), text("")),
        (Value::Str("null".into()), text("null")),
        (Value::Str("a\0b".into()), text("a\0b")),
        (Value::Str("2024-02-29".into()), text("2024-02-29")),
        (Value::Str("0x10".into()), text("0x10")),
        (Value::Str("12 pounds".into()), text("12 pounds")),
        (Value::Bytes(b"12".to_vec()), Bound::Blob(b"12".to_vec())),
        (Value::Bytes(Vec::new()), Bound::Blob(Vec::new())),
        (Value::Date(0), text("1970-01-01")),
        (Value::Date(-735_000), text("-0043-08-22")),
        (Value::Time(1), text("00:00:00.000001")),
        (Value::Ts { us: 0, offset: NO_ZONE }, text("1970-01-01T00:00:00")),
        (Value::Ts { us: 0, offset: 60 }, text("1970-01-01T01:00:00+01:00")),
        (list, text("[1,null]")),
        (Value::Raw(r#"{"a":1.50}"#.into()), text(r#"{"a":1.50}"#)),
    ] {
        for affinity in ALL {
            assert_eq!(
                bound(&value, affinity),
                Ok(match (&value, &expected) {
                    (_, Bound::Text(text)) => Bound::Text(Arc::clone(text)),
                    (_, Bound::Blob(bytes)) => Bound::Blob(bytes.clone()),
                    _ => Bound::Null,
                }),
                "{value:?} in {affinity:?}"
            );
        }
    }
}

#[test]
fn numbers_keep_every_digit_or_are_refused() {
    let refused = || Err(());
    let (big, small) = ("123456789012345678901234567890", "0.1");
    for (value, in_text, in_numeric, in_real, in_none) in [
        (Value::I64(7), text("7"), Ok(Bound::Int(7)), Ok(Bound::Float(7.0)), Bound::Int(7)),
        (Value::Bool(true), text("true"), Ok(Bound::Int(1)), Ok(Bound::Int(1)), Bound::Int(1)),
        (
            Value::I64(9_007_199_254_740_993),
            text("9007199254740993"),
            Ok(Bound::Int(9_007_199_254_740_993)),
            refused(),
            Bound::Int(9_007_199_254_740_993),
        ),
        (
            Value::I64(i64::MIN),
            text("-9223372036854775808"),
            Ok(Bound::Int(i64::MIN)),
            refused(),
            Bound::Int(i64::MIN),
        ),
        (
            Value::U64(u64::MAX),
            text("18446744073709551615"),
            refused(),
            refused(),
            text("18446744073709551615"),
        ),
        (Value::U64(5), text("5"), Ok(Bound::Int(5)), Ok(Bound::Float(5.0)), text("5")),
        (Value::Big(big.into()), text(big), refused(), refused(), text(big)),
        (
            Value::Big("1e300".into()),
            text("1e300"),
            Ok(Bound::Float(1e300)),
            Ok(Bound::Float(1e300)),
            text("1e300"),
        ),
        (Value::Big("1e400".into()), text("1e400"), refused(), refused(), text("1e400")),
        (
            Value::Dec(Decimal::new(150, 2).unwrap()),
            text("1.50"),
            Ok(Bound::Float(1.5)),
            Ok(Bound::Float(1.5)),
            text("1.50"),
        ),
        (Value::Big(small.into()), text(small), Ok(Bound::Float(0.1)), Ok(Bound::Float(0.1)), text(small)),
        (
            Value::Big("9007199254740993.5".into()),
            text("9007199254740993.5"),
            refused(),
            refused(),
            text("9007199254740993.5"),
        ),
        (
            Value::F64(0.1 + 0.2),
            text("0.30000000000000004"),
            Ok(Bound::Float(0.1 + 0.2)),
            Ok(Bound::Float(0.1 + 0.2)),
            Bound::Float(0.1 + 0.2),
        ),
        (
            Value::F64(f64::INFINITY),
            text("Infinity"),
            Ok(Bound::Float(f64::INFINITY)),
            Ok(Bound::Float(f64::INFINITY)),
            Bound::Float(f64::INFINITY),
        ),
    ] {
        let found = |affinity| bound(&value, affinity).map_err(|_| ());
        assert_eq!(found(Affinity::Text), Ok(in_text), "{value:?}");
        assert_eq!(found(Affinity::Numeric), in_numeric, "{value:?}");
        assert_eq!(found(Affinity::Real), in_real, "{value:?}");
        assert_eq!(found(Affinity::None), Ok(in_none), "{value:?}");
    }
    assert_eq!(bound(&Value::F64(f64::NAN), Affinity::Text), Ok(text("NaN")));
    for affinity in [Affinity::Numeric, Affinity::Real, Affinity::None] {
        assert!(bound(&Value::F64(f64::NAN), affinity).is_err());
    }
}

#[test]
fn text_becomes_a_number_only_where_it_plainly_is_one() {
    for (given, expected) in [
        ("12", Ok(Bound::Int(12))),
        ("-3", Ok(Bound::Int(-3))),
        ("12.50", Ok(Bound::Float(12.5))),
        ("007", Err(())),
        ("+5", Err(())),
        (" 5", Err(())),
        ("5\n", Err(())),
        (".5", Err(())),
        ("5.", Err(())),
        ("9007199254740993.5", Err(())),
        ("-", Ok(text("-"))),
        ("5 5", Ok(text("5 5"))),
        ("Infinity", Ok(text("Infinity"))),
    ] {
        let value = Value::Str(given.into());
        assert_eq!(bound(&value, Affinity::Numeric).map_err(|_| ()), expected, "{given:?}");
        for affinity in [Affinity::Text, Affinity::None] {
            assert_eq!(bound(&value, affinity), Ok(text(given)), "{given:?}");
        }
    }
}
