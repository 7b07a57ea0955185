use crate::testing::{issues, run};

#[test]
fn constants_keep_every_digit() {
    let config = r#"{"fields":{"n":123456789012345678901234567890,"d":1.50,"o":{"x":[1,null]},"t":"é"}}"#;
    let outcome = run("set_fields", config, "{\"a\":1,\"n\":2}\n{}\n");
    let rest = r#""o":{"x":[1,null]},"t":"é"}"#;
    assert_eq!(
        outcome.lines(),
        [
            format!(r#"{{"a":1,"n":123456789012345678901234567890,"d":1.50,{rest}"#),
            format!(r#"{{"n":123456789012345678901234567890,"d":1.50,{rest}"#)
        ]
    );
}

#[test]
fn copies_read_the_record_as_it_came_in() {
    let outcome =
        run("set_fields", r#"{"copy":{"a":"b","b":"a"}}"#, "{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n{}\n");
    assert_eq!(outcome.lines(), [r#"{"a":"x","b":1}"#, r#"{"a":2,"b":2}"#, "{}"]);
}

#[test]
fn a_copy_and_a_removal_rename() {
    let outcome = run(
        "set_fields",
        r#"{"copy":{"new":"old"},"remove":["old"]}"#,
        "{\"old\":[1],\"z\":null}\n{\"z\":1}\n",
    );
    assert_eq!(outcome.lines(), [r#"{"z":null,"new":[1]}"#, r#"{"z":1}"#]);
}

#[test]
fn without_overwriting_only_missing_fields_are_filled() {
    let config = r#"{"fields":{"a":0},"copy":{"b":"c"},"overwrite":false}"#;
    let outcome = run("set_fields", config, "{\"a\":null,\"b\":1,\"c\":2}\n{\"c\":3}\n");
    assert_eq!(outcome.lines(), [r#"{"a":null,"b":1,"c":2}"#, r#"{"a":0,"b":3,"c":3}"#]);
}

#[test]
fn settings_that_undo_each_other_are_found() {
    assert_eq!(issues("set_fields", "{}"), [""]);
    let config = r#"{"fields":{"a":1},"copy":{"a":"b"},"remove":["a"]}"#;
    assert_eq!(issues("set_fields", config), ["copy.a", "remove"]);
}
