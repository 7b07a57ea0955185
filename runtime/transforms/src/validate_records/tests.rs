use fairway_engine::transform::Output;

use crate::testing::{batches, issues, open, run};

fn refusals(schema: &str, lines: &str) -> Vec<(u64, String)> {
    let outcome = run("validate_records", &format!(r#"{{"schema":{schema}}}"#), lines);
    outcome.refused.iter().map(|(order, why, _)| (*order, why.clone())).collect()
}

fn message(schema: &str, line: &str) -> String {
    let mut transform = open("validate_records", &format!(r#"{{"schema":{schema}}}"#)).unwrap();
    let mut out = Output::default();
    transform.apply(batches(line, 1).remove(0), &mut out).unwrap();
    out.into_parts().1.remove(0).errors.remove(0).message
}

#[test]
fn an_error_names_the_field_and_the_rule() {
    let schema = r#"{"required":["id"],"properties":{"id":{"type":"integer"},
        "lines":{"type":"array","items":{"properties":{"qty":{"minimum":1}},"required":["sku"]}}}}"#;
    let lines = "{\"id\":1}\n{}\n{\"id\":\"1\"}\n{\"id\":1,\"lines\":[{\"sku\":\"a\"},{\"sku\":\"b\",\"qty\":0}]}\n{\"id\":2,\"lines\":[{}]}\n";
    let expected = [(2, "id"), (3, "id"), (4, "lines.1.qty"), (5, "lines.0.sku")];
    let expected: Vec<_> =
        expected.iter().map(|(at, field)| (*at, format!("validate.invalid {field}"))).collect();
    assert_eq!(refusals(schema, lines), expected);
    let told = message(schema, "{\"id\":1.5}\n");
    assert!(told.contains("`id` breaks `type`") && told.contains("`1.5`"), "{told}");
}

/// G1: rules about numbers hold digit for digit.
#[test]
fn numbers_are_judged_exactly() {
    let lines = concat!(
        "{\"n\":123456789012345678901234567890123456789}\n",
        "{\"n\":123456789012345678901234567890123456788}\n",
        "{\"n\":9007199254740993}\n",
    );
    let most = r#"{"properties":{"n":{"type":"integer","maximum":123456789012345678901234567890123456788}}}"#;
    assert_eq!(refusals(most, lines), [(1, "validate.invalid n".to_owned())]);
    let one = r#"{"properties":{"n":{"const":9007199254740992}}}"#;
    assert_eq!(refusals(one, lines).len(), 3);
    let cents = r#"{"properties":{"n":{"multipleOf":0.01}}}"#;
    assert_eq!(
        refusals(cents, "{\"n\":0.30}\n{\"n\":4.35}\n{\"n\":0.001}\n"),
        [(3, "validate.invalid n".to_owned())]
    );
}

#[test]
fn null_is_not_missing() {
    let schema = r#"{"required":["a"],"properties":{"a":{"type":["string","null"]}}}"#;
    assert_eq!(refusals(schema, "{\"a\":null}\n{\"b\":1}\n"), [(2, "validate.invalid a".to_owned())]);
}

#[test]
fn formats_are_rules_only_where_wanted() {
    let lines = "{\"d\":\"2024-02-30\"}\n";
    let schema = r#"{"properties":{"d":{"format":"date"}}}"#;
    assert_eq!(refusals(schema, lines).len(), 1);
    let lax = run("validate_records", &format!(r#"{{"schema":{schema},"formats":false}}"#), lines);
    assert_eq!(lax.records.len(), 1);
}

#[test]
fn long_values_and_many_faults_make_short_messages() {
    let long = "x".repeat(100_000);
    let told = message(
        r#"{"additionalProperties":{"maxLength":3}}"#,
        &format!("{{\"{long}\":\"{long}\",\"b\":\"{long}\",\"c\":\"{long}\",\"d\":\"{long}\"}}\n"),
    );
    assert!(told.len() < 2_000 && told.ends_with("and 1 more"), "{} characters", told.len());
}

#[test]
fn what_is_no_schema_or_leads_outside_is_told_before_anything_runs() {
    for schema in [
        "5",
        r#"{"type":"nothing"}"#,
        r#"{"$ref":"https://example.com/schema.json"}"#,
        r#"{"$ref":"file:///etc/passwd"}"#,
        r#"{"pattern":"(?=a)"}"#,
    ] {
        let config = format!(r#"{{"schema":{schema}}}"#);
        assert_eq!(issues("validate_records", &config), ["schema"], "{schema}");
        assert_eq!(
            open("validate_records", &config).err().map(|error| error.code),
            Some("validate.bad_schema".into())
        );
    }
}
