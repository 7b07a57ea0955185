use crate::testing::{issues, open, run};

fn orders(config: &str, lines: &str) -> (Vec<u64>, Vec<u64>) {
    let outcome = run("filter_records", config, lines);
    let refused = outcome.refused.iter().map(|(order, ..)| *order).collect();
    (outcome.records.iter().map(|(order, _)| *order).collect(), refused)
}

fn one(field: &str, op: &str, value: &str) -> String {
    format!(r#"{{"rules":[{{"field":"{field}","op":"{op}","value":{value}}}]}}"#)
}

/// Case 008, part B: no digit is lost on the way to a comparison (G1).
#[test]
fn integers_beyond_2_53_are_compared_exactly() {
    let lines = include_str!("../../../../tests/cases/008-json-integers-beyond-2-53/input.jsonl");
    let expected =
        include_str!("../../../../tests/cases/008-json-integers-beyond-2-53/expected-filter.jsonl");
    let outcome = run("filter_records", &one("id", "gt", "3458764513820540930"), lines);
    let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string();
    let ids: Vec<String> = outcome.lines().into_iter().map(id).collect();
    assert_eq!(ids, expected.lines().map(id).collect::<Vec<_>>());
    assert_eq!(outcome.refused, []);
}

#[test]
fn operators_say_what_they_mean() {
    let lines = concat!(
        "{\"n\":1,\"s\":\"apple\",\"l\":[1,\"x\"]}\n",
        "{\"n\":1.50,\"s\":\"banana\",\"l\":[]}\n",
        "{\"n\":123456789012345678901234567890,\"s\":\"Äpfel\",\"l\":[2.0]}\n",
        "{\"n\":null,\"s\":null,\"l\":null}\n",
        "{}\n",
    );
    for (field, op, value, kept) in [
        ("n", "eq", "1.0", vec![1]),
        ("n", "eq", "1.5", vec![2]),
        ("n", "ne", "1", vec![2, 3]),
        ("n", "lt", "1.5", vec![1]),
        ("n", "le", "1.500", vec![1, 2]),
        ("n", "gt", "123456789012345678901234567889", vec![3]),
        ("n", "ge", "123456789012345678901234567890", vec![3]),
        ("n", "in", "[1, \"banana\", 1.5]", vec![1, 2]),
        ("n", "in", "[]", vec![]),
        ("s", "contains", "\"an\"", vec![2]),
        ("s", "starts_with", "\"Ä\"", vec![3]),
        ("s", "ends_with", "\"e\"", vec![1]),
        ("s", "matches", "\"^[ab]\"", vec![1, 2]),
        ("s", "lt", "\"b\"", vec![1]),
        ("l", "contains", "1", vec![1]),
        ("l", "contains", "2", vec![3]),
        ("l", "eq", "[1.0,\"x\"]", vec![1]),
        ("l", "ne", "[]", vec![1, 3]),
        ("n", "exists", "null", vec![1, 2, 3, 4]),
        ("n", "missing", "null", vec![5]),
        ("n", "is_null", "null", vec![4]),
        ("n", "not_null", "null", vec![1, 2, 3]),
    ] {
        assert_eq!(orders(&one(field, op, value), lines), (kept, vec![]), "{field} {op} {value}");
    }
}

#[test]
fn unlike_types_are_errors_of_their_record_alone() {
    let lines = "{\"n\":1}\n{\"n\":\"1\"}\n{\"n\":true}\n{\"n\":2}\n{\"n\":[1]}\n";
    assert_eq!(orders(&one("n", "eq", "1"), lines), (vec![1], vec![2, 3, 5]));
    assert_eq!(orders(&one("n", "in", "[1,true]"), lines), (vec![1, 3], vec![2, 5]));
    let outcome = run("filter_records", &one("n", "starts_with", "\"1\""), lines);
    assert_eq!(outcome.refusals()[0], (1, "filter.unlike n"));
}

#[test]
fn rules_combine_in_any_order() {
    let lines = "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"x\"}\n{\"a\":1,\"b\":3}\n{\"a\":2,\"b\":3}\n";
    let a = r#"{"field":"a","op":"eq","value":1}"#;
    let b = r#"{"field":"b","op":"eq","value":"x"}"#;
    for (matching, kept, refused) in [("all", vec![1], vec![3]), ("any", vec![1, 2, 3], vec![4])] {
        for (first, second) in [(a, b), (b, a)] {
            let config = format!(r#"{{"match":"{matching}","rules":[{first},{second}]}}"#);
            assert_eq!(orders(&config, lines), (kept.clone(), refused.clone()), "{config}");
        }
    }
}

#[test]
fn days_and_moments_are_compared_with_their_text() {
    use fairway_engine::data::{BatchBuilder, Meta, NO_ZONE, Ref};
    use fairway_engine::transform::Output;
    let mut builder = BatchBuilder::default();
    for (order, us, offset) in [(1, 0, 0), (2, 3_600_000_000, 60), (3, 86_400_000_000, NO_ZONE)] {
        let fields = [("d", Ref::Date(order as i32)), ("t", Ref::Ts { us, offset })];
        builder.push_row(Meta::new(order, order as u32 - 1), fields).unwrap();
    }
    let batch = builder.finish();
    for (field, op, value, kept, refused) in [
        ("d", "gt", "\"1970-01-02\"", vec![2, 3], 0),
        ("d", "eq", "\"yesterday\"", vec![], 3),
        ("t", "eq", "\"1970-01-01T02:00:00+01:00\"", vec![2], 1),
        ("t", "ge", "\"1970-01-01\"", vec![1, 2, 3], 0),
    ] {
        let mut transform = open("filter_records", &one(field, op, value)).unwrap();
        let mut out = Output::default();
        transform.apply(batch.clone(), &mut out).unwrap();
        let (emitted, rejects) = out.into_parts();
        let orders: Vec<u64> =
            emitted.iter().flat_map(|(_, batch)| batch.metas()).map(|meta| meta.order).collect();
        assert_eq!(
            (orders, rejects.iter().map(|rejects| rejects.len()).sum()),
            (kept, refused),
            "{field} {op} {value}"
        );
    }
}

#[test]
fn faults_of_the_rules_are_found_before_anything_runs() {
    for (rule, part) in [
        (r#"{"field":"a","op":"eq"}"#, "rules.0.value"),
        (r#"{"field":"a","op":"eq","value":null}"#, "rules.0.value"),
        (r#"{"field":"a","op":"lt","value":true}"#, "rules.0.value"),
        (r#"{"field":"a","op":"in","value":1}"#, "rules.0.value"),
        (r#"{"field":"a","op":"in","value":[null]}"#, "rules.0.value"),
        (r#"{"field":"a","op":"matches","value":"("}"#, "rules.0.value"),
        (r#"{"field":"a","op":"contains"}"#, "rules.0.value"),
    ] {
        let config = format!(r#"{{"rules":[{rule}]}}"#);
        assert_eq!(issues("filter_records", &config), [part], "{rule}");
        assert_eq!(
            open("filter_records", &config).err().map(|error| error.code),
            Some("filter.bad_rule".into())
        );
    }
    assert_eq!(issues("filter_records", r#"{"rules":[]}"#), ["rules"]);
}
