//! Numbers: parsing keeps every digit, comparing is exact, both against a plain model of long decimals.

use std::cmp::Ordering;

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

/// A number as sign, digits without zeros at either end, and the power of ten of the last digit.
fn model(text: &str) -> (i32, String, i64) {
    let text = text.to_ascii_lowercase();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or((1, mantissa), |rest| (-1, rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut power = exponent.parse::<i64>().unwrap() - fraction.len() as i64;
    let digits = format!("{whole}{fraction}");
    let kept = digits.trim_end_matches('0');
    power += (digits.len() - kept.len()) as i64;
    let kept = kept.trim_start_matches('0');
    if kept.is_empty() { (0, String::new(), 0) } else { (sign, kept.to_owned(), power) }
}

fn model_order(left: &str, right: &str) -> Ordering {
    let ((s, a, x), (t, b, y)) = (model(left), model(right));
    let low = x.min(y);
    let wide = |digits: &str, power: i64| format!("{digits}{}", "0".repeat((power - low) as usize));
    let (a, b) = (wide(&a, x), wide(&b, y));
    let width = a.len().max(b.len());
    let magnitude = format!("{a:0>width$}").cmp(&format!("{b:0>width$}"));
    s.cmp(&t).then(if s < 0 { magnitude.reverse() } else { magnitude })
}

fn number_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?",
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,4})?[eE][+-]?[0-9]{1,2}",
        "-?[01](\\.[01]{1,2})?(e-?[0-2])?",
        any::<i64>().prop_map(|value| value.to_string()),
        any::<u64>().prop_map(|value| value.to_string()),
    ]
}

fn identity(value: Ref<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    write_identity(value, &mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testkit::cases(1000)))]

    #[test]
    fn text_is_kept_digit_for_digit(text in number_text()) {
        let value = Value::from(parse_number(&text).unwrap());
        let written = text::to_text(value.as_ref());
        prop_assert_eq!(model(&written), model(&text));
        // Without an exponent, the scale is kept too; only the sign of zero is not.
        if !text.contains(['e', 'E']) && model(&text).0 != 0 {
            prop_assert_eq!(&written, &text);
        }
        prop_assert_eq!(Value::from(parse_number(&written).unwrap()), value.clone(), "the form is the smallest one");
        prop_assert_eq!(Value::from_json(&value.to_json()), value.clone());
        prop_assert_eq!(Value::from(parse_number_lenient(&text).unwrap()), value);
    }

    #[test]
    fn comparing_is_exact(left in number_text(), right in number_text()) {
        let (a, b) = (Value::from(parse_number(&left).unwrap()), Value::from(parse_number(&right).unwrap()));
        let expected = model_order(&left, &right);
        prop_assert_eq!(compare_numbers(a.as_ref(), b.as_ref()), Some(expected));
        prop_assert_eq!(compare_numbers(b.as_ref(), a.as_ref()), Some(expected.reverse()));
        prop_assert_eq!(identity(a.as_ref()) == identity(b.as_ref()), expected == Ordering::Equal);
    }

    #[test]
    fn floats_compare_as_they_are_written(float in prop_oneof![any::<f64>(), (-1000_i32..1000).prop_map(|value| f64::from(value) / 8.0), any::<i64>().prop_map(|value| value as f64)], text in number_text()) {
        prop_assume!(float.is_finite());
        let written = text::to_text(Ref::F64(float));
        prop_assert_eq!(written.parse::<f64>().unwrap().to_bits(), float.to_bits());
        for text in [text, written.clone()] {
            let exact = Value::from(parse_number(&text).unwrap());
            let expected = model_order(&written, &text);
            prop_assert_eq!(compare_numbers(Ref::F64(float), exact.as_ref()), Some(expected));
            prop_assert_eq!(compare_numbers(exact.as_ref(), Ref::F64(float)), Some(expected.reverse()));
            prop_assert_eq!(identity(Ref::F64(float)) == identity(exact.as_ref()), expected == Ordering::Equal);
        }
    }

    #[test]
    fn floats_are_ordered_as_ever(left in any::<f64>(), right in any::<f64>()) {
        prop_assert_eq!(compare_numbers(Ref::F64(left), Ref::F64(right)), left.partial_cmp(&right));
    }
}

#[test]
fn what_is_no_number_does_not_compare() {
    let one = Ref::I64(1);
    for other in [Ref::Null, Ref::Missing, Ref::Str("1"), Ref::Bool(true), Ref::F64(f64::NAN)] {
        assert_eq!(compare_numbers(one, other), None);
        assert_eq!(compare_numbers(other, one), None);
    }
    assert_eq!(compare_numbers(Ref::F64(f64::INFINITY), Ref::Big("1e999999999")), Some(Ordering::Greater));
    assert_eq!(compare_numbers(Ref::U64(u64::MAX), Ref::F64(f64::NEG_INFINITY)), Some(Ordering::Greater));
}

#[test]
fn identities_tell_kinds_apart() {
    let map = |entries: &[(&str, i64)]| {
        Value::Map(entries.iter().map(|(name, value)| ((*name).to_owned(), Value::I64(*value))).collect())
    };
    let values = [
        Value::Missing,
        Value::Null,
        Value::Bool(false),
        Value::I64(0),
        Value::Str(String::new()),
        Value::Str("null".into()),
        Value::Str("0".into()),
        Value::Bytes(Vec::new()),
        Value::Date(0),
        Value::Time(0),
        Value::Ts { us: 0, offset: 0 },
        Value::Ts { us: 0, offset: NO_ZONE },
        Value::List(Vec::new()),
        Value::List(vec![Value::List(Vec::new())]),
        Value::Map(Vec::new()),
        map(&[("a", 1), ("b", 2)]),
        map(&[("a", 2), ("b", 1)]),
    ];
    for (x, left) in values.iter().enumerate() {
        for (y, right) in values.iter().enumerate() {
            assert_eq!(identity(left.as_ref()) == identity(right.as_ref()), x == y, "{left:?} and {right:?}");
        }
    }
    assert_eq!(identity(map(&[("a", 1), ("b", 2)]).as_ref()), identity(map(&[("b", 2), ("a", 1)]).as_ref()));
    assert_eq!(identity(Ref::Ts { us: 5, offset: 0 }), identity(Ref::Ts { us: 5, offset: 120 }));
    assert_eq!(identity(Ref::Raw("{\"b\":2,\"a\":1.0}")), identity(map(&[("a", 1), ("b", 2)]).as_ref()));
}
