//! Tests of the JSON reader.

use serde_json::json;

use super::*;

fn places(text: &str) -> Vec<(usize, usize)> {
    let place = |fault: &Diagnostic| (fault.place.line.unwrap(), fault.place.column.unwrap());
    read(text).faults.iter().map(place).collect()
}

#[test]
fn reads_what_serde_json_reads() {
    let text = r#" {"a": [1, -2.50, 1E+3, true, false, null, "x\n\u00e9\ud83d\udea2\/"], "b": {}, "": []} "#;
    let outcome = read(text);
    assert!(outcome.sound && outcome.faults.is_empty());
    assert_eq!(outcome.value.as_ref().map(|v| v["a"][1].to_string()), Some("-2.50".into()));
    assert_eq!(outcome.value.as_ref().map(|v| v["a"][2].to_string()), Some("1E+3".into()));
    let value = outcome.value.unwrap();
    assert_eq!(value["a"][6], json!("x\n\u{e9}\u{1F6A2}/"));
    assert_eq!(value["b"], json!({}));
}

#[test]
fn a_private_key_of_serde_json_is_a_key() {
    let value = read(r#"{"$serde_json::private::Number": "no"}"#).value.unwrap();
    assert_eq!(value["$serde_json::private::Number"], json!("no"));
}

#[test]
fn every_slip_has_its_place() {
    for (text, expected) in [
        ("", vec![(1, 1)]),
        ("  \n ", vec![(2, 2)]),
        ("{\"a\": 1,}", vec![(1, 8)]),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", vec![(3, 3)]),
        ("[1,,2]", vec![(1, 4)]),
        ("{a: True, b: .5}", vec![(1, 2), (1, 5), (1, 11), (1, 14)]),
        ("[\"x\ty\", \"\\q\", \"\\ud800\"]", vec![(1, 4), (1, 10), (1, 16)]),
        ("// hi\n{} x", vec![(1, 1), (2, 4)]),
        ("{\"a\": 1, \"a\": 2}", vec![(1, 10)]),
        ("[1", vec![(1, 3)]),
        ("[\"abc", vec![(1, 2)]),
        ("[1}", vec![(1, 3)]),
        ("'x'", vec![(1, 1)]),
    ] {
        assert_eq!(places(text), expected, "{text}");
    }
}

#[test]
fn duplicate_keys_keep_the_text_sound() {
    let outcome = read("{\"a\": {\"b/c\": 1, \"b/c\": 2}}");
    assert!(outcome.sound);
    assert_eq!(outcome.value.unwrap(), json!({"a": {"b/c": 2}}));
    assert_eq!(outcome.faults[0].place.pointer, "/a/b~1c");
}

#[test]
fn nesting_and_noise_are_bounded() {
    for open in ["[", "{\"a\":"] {
        let outcome = read(&open.repeat(100_000));
        assert_eq!(outcome.faults.len(), 1);
        assert_eq!(outcome.faults[0].code, codes::DOCUMENT_TOO_DEEP);
    }
    let deepest = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    assert!(read(&deepest).sound);
    assert_eq!(read(&",".repeat(10_000)).faults.len(), 1);
    assert_eq!(read(&format!("[{}", ",".repeat(10_000))).faults.len(), MAX_FAULTS + 1);
}

#[test]
fn places_are_found_again() {
    let text = "{\n  \"a\": [\n    {\"b\": 1}\n  ]\n}";
    let found = locate(text, ["", "/a", "/a/0", "/a/0/b", "/a/1"].into_iter());
    let expected = [("", (1, 1)), ("/a", (2, 3)), ("/a/0", (3, 5)), ("/a/0/b", (3, 6))];
    assert_eq!(found, expected.map(|(pointer, place)| (pointer.to_owned(), place)).into());
}

#[test]
fn grammar_of_numbers() {
    for good in ["0", "-0", "10", "1.0", "1e5", "1E-05", "0.0e+0"] {
        assert!(is_number(good), "{good}");
    }
    for bad in ["", "-", "01", "1.", ".1", "1e", "+1", "1_000", "0x10", "1e5.0", "--1"] {
        assert!(!is_number(bad), "{bad}");
    }
}
