use proptest::prelude::*;
use serde_json::Value as Json;

use super::super::base::Base;
use super::super::json_write;
use super::*;

/// Reads one object as a row and writes it again.
fn through_a_batch(text: &str) -> Result<String, ReadError> {
    let mut builder = BatchBuilder::default();
    builder.set_base(Base::new(text.into()).unwrap());
    JsonReader::default().read_row(&mut builder, 0, text.len(), Meta::default())?;
    let batch = builder.finish();
    let mut out = Vec::new();
    json_write::write_record(&batch.record(0), &mut out);
    Ok(String::from_utf8(out).unwrap())
}

fn reread(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

/// Equality of trees where numbers are equal if their values are.
fn same(left: &Json, right: &Json) -> bool {
    use super::super::compare_numbers;
    match (left, right) {
        (Json::Number(_), Json::Number(_)) => {
            let (left, right) = (Value::from_json(left), Value::from_json(right));
            compare_numbers(left.as_ref(), right.as_ref()) == Some(std::cmp::Ordering::Equal)
        }
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

#[test]
fn keeps_every_digit() {
    for text in [
        r#"{"a":1.50,"b":9007199254740993,"c":18446744073709551615,"d":123456789012345678901234567890.123456789}"#,
        r#"{"a":-9223372036854775808,"b":0.000000000000000001,"c":-0.10,"d":[0.0,{"e":99999999999999999999}]}"#,
    ] {
        assert_eq!(through_a_batch(text).unwrap(), text);
    }
}

#[test]
fn the_last_of_double_names_counts() {
    assert_eq!(through_a_batch(r#"{"a":1,"b":2,"a":3}"#).unwrap(), r#"{"a":3,"b":2}"#);
    assert_eq!(
        through_a_batch(r#"{"o":{"a":1,"b":2,"\u0061":3,"b":4,"c":5}}"#).unwrap(),
        r#"{"o":{"a":3,"b":4,"c":5}}"#
    );
    let many: Vec<String> = (0..40).map(|at| format!("\"k{}\":{at}", at % 20)).collect();
    let text = format!("{{\"o\":{{{}}}}}", many.join(","));
    assert_eq!(reread(&through_a_batch(&text).unwrap()), reread(&text));
}

#[test]
fn refuses_with_the_place() {
    for (text, at, reason) in [
        ("", 0, "the text ends where an object was expected"),
        ("[1]", 0, "an object was expected"),
        ("{\"a\":01}", 5, "not a number"),
        ("{\"a\":1.}", 5, "not a number"),
        ("{\"a\":1,}", 7, "a name was expected"),
        ("{\"a\":\"\u{1}\"}", 6, "a control character within a text"),
        ("{\"a\":\"\\ud800\"}", 6, "not an escape sequence"),
        ("{\"a\":nul}", 5, "a value was expected"),
        ("{} x", 3, "text behind the end of the value"),
        ("{\"a\":\"b", 7, "the text ends within quotes"),
    ] {
        assert_eq!(through_a_batch(text), Err(ReadError::Json(JsonError { at, reason })), "{text}");
    }
}

#[test]
fn depth_is_bounded_as_in_serde_json() {
    for depth in [126, 127, 128, 5000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(read_value(&text).is_ok(), serde_json::from_str::<Json>(&text).is_ok(), "{depth}");
    }
}

#[test]
fn a_refused_row_leaves_no_trace() {
    let text = r#"{"a":[1,"\n"]} {"a":["x","\t",{"b":} {"a":[2]}"#;
    let mut builder = BatchBuilder::default();
    builder.set_base(Base::new(text.into()).unwrap());
    let mut reader = JsonReader::default();
    reader.read_row(&mut builder, 0, 14, Meta::default()).unwrap();
    let bytes = builder.bytes();
    reader.read_row(&mut builder, 15, 22, Meta::default()).unwrap_err();
    assert_eq!((builder.len(), builder.bytes()), (1, bytes));
    reader.read_row(&mut builder, 37, 9, Meta::default()).unwrap();
    let batch = builder.finish();
    assert_eq!(batch.record(1).to_value(), read_value("{\"a\":[2]}").unwrap());
}

#[test]
fn documents_are_cut_where_they_end() {
    let text = br#" {"a":"]}\"","b":[1]} [2] 3"x"tru"#;
    let mut at = 0;
    let mut found = Vec::new();
    while let Scan::Value { start, end } = scan_value(text, at, false) {
        found.push(std::str::from_utf8(&text[start..end]).unwrap());
        at = end;
    }
    assert_eq!(found, [r#"{"a":"]}\"","b":[1]}"#, "[2]", "3", "\"x\""]);
    assert_eq!(scan_value(text, at, false), Scan::Incomplete { start: text.len() - 3 });
    assert_eq!(scan_value(text, at, true), Scan::Value { start: text.len() - 3, end: text.len() });
    assert_eq!(scan_value(b" , 1", 0, true), Scan::Mark { mark: b',', at: 1 });
    assert_eq!(scan_value(b"\"a\\", 0, true), Scan::Incomplete { start: 0 });
    assert_eq!(scan_value(b" \n", 0, true), Scan::End);
}

fn trees() -> impl Strategy<Value = Json> {
    let number = prop_oneof![
        any::<i64>().prop_map(|value| value.to_string()),
        any::<u64>().prop_map(|value| value.to_string()),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?",
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number.prop_map(|text| serde_json::from_str(&text).unwrap()),
        any::<String>().prop_map(Json::String),
        "[a-z\"\\\\\n\u{1}é😀]{0,20}".prop_map(Json::String),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
            proptest::collection::hash_map("[a-f\"é]{0,3}", inner, 0..20)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testkit::cases(256)))]

    #[test]
    fn reads_and_writes_like_serde_json(tree in trees(), pretty in any::<bool>()) {
        let object = Json::Object([("v".to_owned(), tree)].into_iter().collect());
        let text = if pretty { serde_json::to_string_pretty(&object).unwrap() } else { object.to_string() };
        let written = through_a_batch(&text).unwrap();
        prop_assert!(same(&reread(&written), &object), "{} became {}", text, written);
        let value = read_value(&text).unwrap();
        prop_assert!(same(&value.to_json(), &object));
        // Lists and objects that are written as they stand in the text look no different from those made of their values.
        let mut anew = Vec::new();
        json_write::write_value(value.as_ref(), &mut anew);
        prop_assert_eq!(written.as_bytes(), anew);
        prop_assert!(same(&Value::from_json(&object).to_json(), &object));
    }

    #[test]
    fn refuses_what_serde_json_refuses(text in "([{}\\[\\],:\"\\\\ \n\t]|\"a\"|\"b\":|-?[0-9.eE+]{1,4}|null|true|fals|\\\\u[0-9dD][8cC]00|\u{1}|é){0,14}") {
        let theirs = serde_json::from_str::<Json>(&text);
        prop_assert_eq!(read_value(&text).map_err(|_| ()).map(|value| same(&value.to_json(), theirs.as_ref().unwrap_or(&Json::Null))), theirs.map(|_| true).map_err(|_| ()));
    }

    #[test]
    fn damaged_documents_are_judged_like_serde_json(tree in trees(), at in any::<prop::sample::Index>(), with in prop_oneof![Just(""), Just("\""), Just("{"), Just("]"), Just(","), Just("\\"), Just("0"), Just("e"), Just("\u{1f}")]) {
        let mut text = tree.to_string();
        let mut at = at.index(text.len() + 1);
        while !text.is_char_boundary(at) { at -= 1; }
        let end = (at + text[at..].chars().next().map_or(0, char::len_utf8)).min(text.len());
        text.replace_range(at..end, with);
        // An exponent that nothing can count with is no number here, though `serde_json` would keep its text.
        prop_assume!(!text.split(['e', 'E']).skip(1).any(|rest| rest.len() > 18 && rest.as_bytes()[1..18].iter().all(|byte| byte.is_ascii_digit())));
        prop_assert_eq!(read_value(&text).is_ok(), serde_json::from_str::<Json>(&text).is_ok(), "{}", text);
    }
}
