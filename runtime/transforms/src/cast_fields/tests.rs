use crate::testing::{issues, open, run};

/// Case 011: microseconds survive, null stays null, a day that does not exist is refused.
#[test]
fn times_keep_microseconds_and_null_stays_null() {
    let lines = include_str!("../../../../tests/cases/011-epoch-microseconds-and-null-times/input.jsonl");
    let expected =
        include_str!("../../../../tests/cases/011-epoch-microseconds-and-null-times/expected.jsonl");
    let config = r#"{"fields":[
        {"field":"us","type":"timestamp","format":"epoch_us"},
        {"field":"s","type":"timestamp","format":"%d-%m-%Y %H:%M:%S%.f","zone":"Z"}]}"#;
    let outcome = run("cast_fields", config, lines);
    let json = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let records: Vec<_> = outcome.lines().into_iter().map(json).collect();
    assert_eq!(records, expected.lines().map(json).collect::<Vec<_>>());
    assert_eq!(outcome.refusals(), [(5, "cast.bad_text s")]);
}

#[test]
fn lossy_casts_refuse_their_record_alone_and_whole() {
    let lines = concat!(
        "{\"a\":\"007\",\"b\":\"1.50\"}\n",
        "{\"a\":\"1.5\",\"b\":\"2\"}\n",
        "{\"a\":\"8\",\"b\":\"x\"}\n",
        "{\"a\":null}\n",
        "{\"b\":null,\"a\":\"9223372036854775807\"}\n",
    );
    let config = r#"{"fields":[{"field":"a","type":"int64"},{"field":"b","type":"decimal"},{"field":"c","type":"bool"}]}"#;
    let outcome = run("cast_fields", config, lines);
    assert_eq!(
        outcome.lines(),
        [r#"{"a":7,"b":1.50}"#, r#"{"a":null}"#, r#"{"a":9223372036854775807,"b":null}"#]
    );
    assert_eq!(outcome.refusals(), [(2, "cast.not_exact a"), (3, "cast.bad_text b")]);
}

#[test]
fn null_can_be_refused() {
    let config = r#"{"fields":[{"field":"a","type":"int64","on_null":"reject"}]}"#;
    let outcome = run("cast_fields", config, "{\"a\":null}\n{}\n{\"a\":1}\n");
    assert_eq!(outcome.lines(), ["{}", r#"{"a":1}"#]);
    assert_eq!(outcome.refusals(), [(1, "cast.null a")]);
}

#[test]
fn nested_values_and_text_pass_through_casts() {
    let config = r#"{"fields":[{"field":"a","type":"string"},{"field":"b","type":"list"}]}"#;
    let outcome =
        run("cast_fields", config, "{\"a\":[1,{\"x\":2.50}],\"b\":\"[1,2]\"}\n{\"a\":\"t\",\"b\":[]}\n");
    assert_eq!(outcome.lines(), [r#"{"a":"[1,{\"x\":2.50}]","b":[1,2]}"#, r#"{"a":"t","b":[]}"#]);
}

#[test]
fn the_schema_says_the_new_types() {
    use fairway_engine::transform::Output;
    use fairway_shared::types::Type;
    let mut transform = open("cast_fields", r#"{"fields":[{"field":"a","type":"int64"}]}"#).unwrap();
    let mut out = Output::default();
    let batch = crate::testing::batches("{\"a\":\"1\",\"b\":2}\n", 1).remove(0);
    transform.apply(batch, &mut out).unwrap();
    let (emitted, _) = out.into_parts();
    let types: Vec<_> = emitted[0].1.schema().fields().iter().map(|field| field.ty()).collect();
    assert_eq!(types, [Some(Type::Int64), None]);
}

#[test]
fn faults_of_formats_are_found_before_anything_runs() {
    let config =
        r#"{"fields":[{"field":"a","type":"date","format":"%Q"},{"field":"a","type":"int64","zone":"Z"}]}"#;
    assert_eq!(issues("cast_fields", config), ["fields.0.format", "fields.1.zone", "fields.1.field"]);
    assert!(open("cast_fields", config).is_err());
}
