use super::super::number::Decimal;
use super::super::value::NO_ZONE;
use super::*;

fn cast(cast: &Cast, value: Ref<'_>) -> Result<Value, &'static str> {
    cast.cast(value).map(|set| set.as_ref().to_value()).map_err(|error| error.code)
}

fn dec(mantissa: i64, scale: u8) -> Value {
    Value::Dec(Decimal::new(mantissa, scale).unwrap())
}

fn with(to: Type, format: &str) -> Cast {
    Cast::with_format(to, format).unwrap()
}

#[test]
fn numbers_keep_every_digit_or_are_refused() {
    let big = "123456789012345678901234567890";
    for (to, text, expected) in [
        (Type::Int64, "007", Ok(Value::I64(7))),
        (Type::Int64, " +5 ", Ok(Value::I64(5))),
        (Type::Int64, "1.00", Ok(Value::I64(1))),
        (Type::Int64, "1e3", Ok(Value::I64(1000))),
        (Type::Int64, "1.5", Err("cast.not_exact")),
        (Type::Int64, "9223372036854775807", Ok(Value::I64(i64::MAX))),
        (Type::Int64, "9223372036854775808", Err("cast.out_of_range")),
        (Type::Int64, "12A", Err("cast.bad_text")),
        (Type::Int64, "", Err("cast.bad_text")),
        (Type::Int64, big, Err("cast.out_of_range")),
        (Type::Int64, "1.00000000000000000000", Ok(Value::I64(1))),
        (Type::Int64, "1e-400", Err("cast.not_exact")),
        (Type::Uint64, "18446744073709551615", Ok(Value::U64(u64::MAX))),
        (Type::Uint64, "-1", Err("cast.out_of_range")),
        (Type::Decimal, "1.50", Ok(dec(150, 2))),
        (Type::Decimal, "0.10", Ok(dec(10, 2))),
        (Type::Decimal, "12", Ok(dec(12, 0))),
        (Type::Decimal, big, Ok(Value::Big(big.into()))),
        (Type::Decimal, "x", Err("cast.bad_text")),
        (Type::Float64, "0.1", Ok(Value::F64(0.1))),
        (Type::Float64, "0.10000000000000001", Ok(Value::F64(0.1))),
        (Type::Float64, "3.141592653589793", Ok(Value::F64(std::f64::consts::PI))),
        (Type::Float64, "3.14159265358979323846", Err("cast.not_exact")),
        (Type::Float64, "9007199254740993", Err("cast.not_exact")),
        (Type::Float64, "9007199254740992", Ok(Value::F64(9_007_199_254_740_992.0))),
        (Type::Float64, "1e400", Err("cast.not_exact")),
        (Type::Float64, "1e-400", Err("cast.not_exact")),
        (Type::Float64, "1e22", Ok(Value::F64(1e22))),
        (Type::Float64, "-0.0", Ok(Value::F64(0.0))),
        (Type::Float64, "-Infinity", Ok(Value::F64(f64::NEG_INFINITY))),
    ] {
        assert_eq!(cast(&Cast::to(to), Ref::Str(text)), expected, "{text} as {to}");
    }
    for (to, value, expected) in [
        (Type::Int64, Ref::F64(3.0), Ok(Value::I64(3))),
        (Type::Int64, Ref::F64(3.5), Err("cast.not_exact")),
        (Type::Int64, Ref::F64(1e18), Err("cast.out_of_range")),
        (Type::Int64, Ref::U64(u64::MAX), Err("cast.out_of_range")),
        (Type::Int64, Ref::Bool(true), Ok(Value::I64(1))),
        (Type::Int64, Ref::Date(0), Err("cast.unlike")),
        (Type::Decimal, Ref::F64(0.1), Ok(dec(1, 1))),
        (Type::Decimal, Ref::F64(5.0), Ok(dec(50, 1))),
        (Type::Decimal, Ref::F64(f64::NAN), Err("cast.unlike")),
        (Type::Decimal, Ref::I64(i64::MIN), Ok(Value::Big(i64::MIN.to_string()))),
        (Type::Float64, Ref::U64(u64::MAX), Err("cast.not_exact")),
        (Type::Int64, Ref::Null, Ok(Value::Null)),
        (Type::Int64, Ref::Missing, Ok(Value::Missing)),
    ] {
        assert_eq!(cast(&Cast::to(to), value), expected, "{value:?} as {to}");
    }
}

#[test]
fn moments_are_exact_to_the_microsecond() {
    let ts = |us, offset| Ok(Value::Ts { us, offset });
    for (cast_to, value, expected) in [
        (Cast::to(Type::Date), Ref::Str("2024-02-29"), Ok(Value::Date(19_782))),
        (Cast::to(Type::Date), Ref::Str("2024-02-30"), Err("cast.bad_text")),
        (with(Type::Date, "%d.%m.%Y"), Ref::Str("01.01.1970"), Ok(Value::Date(0))),
        (Cast::to(Type::Date), Ref::Ts { us: DAY, offset: 0 }, Ok(Value::Date(1))),
        (Cast::to(Type::Date), Ref::Ts { us: DAY + 1, offset: 0 }, Err("cast.not_exact")),
        (Cast::to(Type::Date), Ref::I64(5), Err("cast.unlike")),
        (Cast::to(Type::Time), Ref::Str("00:00:01.5"), Ok(Value::Time(1_500_000))),
        (Cast::to(Type::Timestamp), Ref::Str("1970-01-01T00:00:00.000001Z"), ts(1, 0)),
        (Cast::to(Type::Timestamp), Ref::Str("1970-01-01 01:00:00+01:00"), ts(0, 60)),
        (Cast::to(Type::Timestamp), Ref::Str("1970-01-01T00:00:00.0000001Z"), Err("cast.not_exact")),
        (Cast::to(Type::Timestamp), Ref::Str("1970-01-02"), ts(DAY, NO_ZONE)),
        (Cast::to(Type::Timestamp).with_zone("+01:00").unwrap(), Ref::Str("1970-01-01T01:00"), ts(0, 60)),
        (Cast::to(Type::Timestamp).with_zone("Z").unwrap(), Ref::Date(1), ts(DAY, 0)),
        (with(Type::Timestamp, "epoch_us"), Ref::I64(-1), ts(-1, 0)),
        (
            with(Type::Timestamp, "epoch_us"),
            Ref::I64(253_402_300_799_999_999),
            ts(253_402_300_799_999_999, 0),
        ),
        (with(Type::Timestamp, "epoch_ms"), Ref::Str("1.5"), ts(1500, 0)),
        (with(Type::Timestamp, "epoch_s"), Ref::I64(i64::MAX), Err("cast.out_of_range")),
        (with(Type::Timestamp, "epoch_ns"), Ref::I64(1_000), ts(1, 0)),
        (with(Type::Timestamp, "epoch_ns"), Ref::I64(1_001), Err("cast.not_exact")),
        (with(Type::Int64, "epoch_ms"), Ref::Ts { us: -1000, offset: 0 }, Ok(Value::I64(-1))),
        (with(Type::Int64, "epoch_ms"), Ref::Ts { us: -1, offset: 0 }, Err("cast.not_exact")),
        (with(Type::Int64, "epoch_ms"), Ref::Ts { us: 0, offset: NO_ZONE }, Err("cast.unlike")),
        (with(Type::Decimal, "epoch_s"), Ref::Ts { us: 1_000_001, offset: 0 }, Ok(dec(1_000_001, 6))),
        (with(Type::String, "%Y"), Ref::Date(0), Ok(Value::Str("1970".into()))),
    ] {
        assert_eq!(cast(&cast_to, value), expected, "{value:?} by {cast_to:?}");
    }
}

const DAY: i64 = 86_400_000_000;

#[test]
fn the_rest_is_read_as_it_is_written() {
    let id = Uuid::from_u128(0x0000_0001_0002_0003_0004_0000_0000_0005);
    let list = Value::List(vec![Value::I64(1)]);
    for (cast_to, value, expected) in [
        (Cast::to(Type::Bool), Ref::Str("TRUE"), Ok(Value::Bool(true))),
        (Cast::to(Type::Bool), Ref::I64(0), Ok(Value::Bool(false))),
        (Cast::to(Type::Bool), Ref::Str("maybe"), Err("cast.bad_text")),
        (Cast::to(Type::String), Ref::I64(12), Ok(Value::Str("12".into()))),
        (Cast::to(Type::String), list.as_ref(), Ok(Value::Str("[1]".into()))),
        (Cast::to(Type::String), Ref::Bytes(b"\xff"), Err("cast.bad_text")),
        (with(Type::String, "hex"), Ref::Bytes(b"\xff\x01"), Ok(Value::Str("ff01".into()))),
        (with(Type::Bytes, "hex"), Ref::Str("fF01"), Ok(Value::Bytes(vec![255, 1]))),
        (with(Type::Bytes, "hex"), Ref::Str("fF0"), Err("cast.bad_text")),
        (with(Type::Bytes, "base64"), Ref::Str("YWI="), Ok(Value::Bytes(b"ab".to_vec()))),
        (Cast::to(Type::Bytes), Ref::Str("é"), Ok(Value::Bytes("é".into()))),
        (Cast::to(Type::Uuid), Ref::Str("00000001-0002-0003-0004-000000000005"), Ok(Value::Uuid(id))),
        (Cast::to(Type::Json), Ref::Str("{\"a\": 1.50}"), Ok(Value::Raw("{\"a\": 1.50}".into()))),
        (Cast::to(Type::Json), Ref::Str("plain"), Err("cast.bad_text")),
        (Cast::to(Type::List), Ref::Raw("[1]"), Ok(list.clone())),
        (Cast::to(Type::Map), Ref::Raw("[1]"), Err("cast.bad_text")),
        (Cast::to(Type::List), Ref::I64(1), Err("cast.unlike")),
    ] {
        assert_eq!(cast(&cast_to, value), expected, "{value:?} by {cast_to:?}");
    }
}

#[test]
fn a_float_keeps_the_sign_of_zero() {
    let Ok(Value::F64(zero)) = cast(&Cast::to(Type::Float64), Ref::Str("-0.0")) else { panic!("a float") };
    assert!(zero.is_sign_negative());
}

#[test]
fn formats_must_go_with_the_type() {
    assert!(Cast::with_format(Type::Bool, "%Y").is_err());
    assert!(Cast::with_format(Type::Date, "%Q").is_err());
    assert!(Cast::with_format(Type::Float64, "epoch_s").is_err());
    assert!(Cast::to(Type::Date).with_zone("Z").is_err());
    assert!(Cast::to(Type::Timestamp).with_zone("here").is_err());
}

#[test]
fn messages_name_value_and_type_and_are_short() {
    let error = Cast::to(Type::Int64).cast(Ref::Str("12A")).unwrap_err();
    assert_eq!(error.message, "`12A` is not of type int64");
    let long = "x".repeat(10_000);
    assert!(Cast::to(Type::Int64).cast(Ref::Str(&long)).unwrap_err().message.len() < 200);
}

/// Days reach further than timestamps do: the product of a day and its microseconds must not wrap round.
#[test]
fn days_beyond_the_range_of_timestamps_are_refused() {
    for days in [i32::MAX, i32::MIN, 106_751_992] {
        let error = Cast::to(Type::Timestamp).cast(Ref::Date(days)).unwrap_err();
        assert_eq!(error.code, "cast.out_of_range", "{days}");
        let count = Cast::with_format(Type::Int64, "epoch_us").unwrap();
        assert_eq!(count.cast(Ref::Date(days)).unwrap_err().code, "cast.out_of_range", "{days}");
    }
    assert!(Cast::to(Type::Timestamp).cast(Ref::Date(106_751_991)).is_ok());
    assert_eq!(
        Cast::to(Type::Timestamp).cast(Ref::Str("+999999-01-01")).unwrap_err().code,
        "cast.out_of_range"
    );
}
