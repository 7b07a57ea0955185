use proptest::prelude::*;

use super::*;

#[test]
fn parses_to_the_smallest_exact_form() {
    let dec = |mantissa, scale| Number::Dec(Decimal::new(mantissa, scale).unwrap());
    for (text, expected) in [
        ("0", Number::I64(0)),
        ("-0", Number::I64(0)),
        ("1.50", dec(150, 2)),
        ("-0.00", dec(0, 2)),
        ("1e2", Number::I64(100)),
        ("1.5e-3", dec(15, 4)),
        ("1.5e1", Number::I64(15)),
        ("1.50e1", dec(150, 1)),
        ("9223372036854775808", Number::U64(9_223_372_036_854_775_808)),
        ("-9223372036854775808", Number::I64(i64::MIN)),
        ("-9223372036854775809", Number::Big("-9223372036854775809".into())),
        ("18446744073709551616", Number::Big("18446744073709551616".into())),
        ("0.0000000000000000001", Number::Big("0.0000000000000000001".into())),
        ("123456789012345678.9", Number::Big("123456789012345678.9".into())),
        ("1e30", Number::Big("1000000000000000000000000000000".into())),
        ("-12.5e-30", Number::Big("-0.0000000000000000000000000000125".into())),
        ("1.50e400", Number::Big("150e398".into())),
        ("1e-400", Number::Big("1e-400".into())),
        ("0e999999999", Number::I64(0)),
    ] {
        assert_eq!(parse_number(text), Some(expected), "{text}");
    }
    for text in [
        "",
        "-",
        "+1",
        "01",
        "1.",
        ".5",
        "1e",
        "1e+",
        " 1",
        "1 ",
        "1_0",
        "0x1",
        "NaN",
        "1,5",
        "1e9999999999999999999",
    ] {
        assert_eq!(parse_number(text), None, "{text}");
    }
    assert_eq!(parse_number_lenient("+007.50"), Some(dec(750, 2)));
    assert_eq!(parse_number_lenient(".5"), Some(dec(5, 1)));
    assert_eq!(parse_number_lenient("5."), Some(Number::I64(5)));
    assert_eq!(
        parse_number_lenient("+0099999999999999999999"),
        Some(Number::Big("99999999999999999999".into()))
    );
    assert_eq!(parse_number_lenient("."), None);
}
