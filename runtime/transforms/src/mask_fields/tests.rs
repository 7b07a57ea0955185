use crate::testing::{issues, run};

const LINES: &str = concat!(
    "{\"a\":\"abc\",\"b\":1}\n",
    "{\"a\":null,\"b\":1}\n",
    "{\"b\":1}\n",
    "{\"a\":12.50}\n",
    "{\"a\":\"Grüße\"}\n",
    "{\"a\":\"\"}\n",
);

#[test]
fn hashes_are_sha_256_of_salt_and_text() {
    let outcome = run("mask_fields", r#"{"fields":["a","no"],"method":"hash"}"#, LINES);
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(outcome.lines()[0], format!(r#"{{"a":"{abc}","b":1}}"#));
    assert_eq!(outcome.lines()[1..3], [r#"{"a":null,"b":1}"#, r#"{"b":1}"#]);
    let salted = run("mask_fields", r#"{"fields":["a"],"salt":"ab"}"#, "{\"a\":\"c\"}\n");
    assert_eq!(salted.lines(), [format!(r#"{{"a":"{abc}"}}"#)]);
    // A number is hashed as it is written, scale and all.
    let number = run("mask_fields", r#"{"fields":["a"]}"#, "{\"a\":12.50}\n{\"a\":\"12.50\"}\n");
    assert_eq!(number.lines()[0], number.lines()[1]);
}

#[test]
fn other_methods_hide_what_they_say() {
    for (method, expected) in [
        (r#""redact""#, ["\"***\"", "null", "", "\"***\"", "\"***\"", "\"***\""]),
        (r#""null""#, ["null", "null", "", "null", "null", "null"]),
        (r#""partial""#, ["\"ab***\"", "null", "", "\"12***\"", "\"Gr***\"", "\"***\""]),
        (
            r#""partial","keep_first":1,"keep_last":2"#,
            ["\"***\"", "null", "", "\"1***50\"", "\"G***ße\"", "\"***\""],
        ),
        (
            r#""partial","keep_first":0,"keep_last":3"#,
            ["\"***\"", "null", "", "\"***.50\"", "\"***üße\"", "\"***\""],
        ),
    ] {
        let outcome = run("mask_fields", &format!(r#"{{"fields":["a"],"method":{method}}}"#), LINES);
        for (line, expected) in outcome.lines().into_iter().zip(expected) {
            let found =
                line.strip_prefix("{\"a\":").map_or("", |rest| rest.split([',', '}']).next().unwrap());
            assert_eq!(found, expected, "{method}: {line}");
        }
    }
}

#[test]
fn a_mask_that_hides_nothing_is_found_out() {
    assert_eq!(issues("mask_fields", r#"{"fields":[]}"#), ["fields"]);
    let config = r#"{"fields":["a"],"method":"partial","keep_first":0,"keep_last":0}"#;
    assert_eq!(issues("mask_fields", config), ["keep_first"]);
}
