use fairway_engine::data::Ref;
use fairway_engine::transform::Output;

use crate::testing::{batches, open, run};

fn one(config: &str, line: &str) -> String {
    let mut outcome = run("flatten_fields", config, &format!("{line}\n"));
    assert_eq!(outcome.refused, []);
    outcome.records.remove(0).1
}

#[test]
fn objects_become_fields_where_they_stood() {
    assert_eq!(
        one(
            "{}",
            r#"{"id":1,"a":{"x":1.50,"y":{"z":null,"big":123456789012345678901234567890123456789}},"last":"l"}"#
        ),
        r#"{"id":1,"a__x":1.50,"a__y__z":null,"a__y__big":123456789012345678901234567890123456789,"last":"l"}"#
    );
    assert_eq!(
        one(r#"{"fields":["a"],"separator":".","depth":1}"#, r#"{"a":{"b":{"c":[1.0]}},"d":{"e":1}}"#),
        r#"{"a.b":{"c":[1.0]},"d":{"e":1}}"#
    );
}

#[test]
fn lists_become_json_text_or_fields_by_index() {
    let line = r#"{"t":["a",{"b":1.10}],"o":{"l":[],"e":{}}}"#;
    assert_eq!(one("{}", line), r#"{"t":["a",{"b":1.10}],"o__l":[],"o__e":{}}"#);
    assert_eq!(one(r#"{"lists":"index"}"#, line), r#"{"t__0":"a","t__1__b":1.10,"o__l":[],"o__e":{}}"#);
}

#[test]
fn json_text_is_of_type_json() {
    let mut transform = open("flatten_fields", "{}").unwrap();
    let mut out = Output::default();
    transform.apply(batches("{\"l\":[1, 2]}\n", 1).remove(0), &mut out).unwrap();
    let (emitted, _) = out.into_parts();
    assert!(matches!(emitted[0].1.record(0).get("l"), Ref::Raw("[1,2]")));
}

/// G12: names that meet are refused, never merged; and whether they do is a matter of one record.
#[test]
fn a_name_that_is_taken_refuses_the_record() {
    let lines = concat!(
        "{\"a\":{\"b\":1},\"a__b\":2}\n",
        "{\"a\":{\"b\":1}}\n",
        "{\"a\":{\"b__c\":1,\"b\":{\"c\":2}}}\n",
        "{\"a\":5,\"a__b\":{\"c\":3}}\n",
        "{\"a\":null}\n",
    );
    let outcome = run("flatten_fields", "{}", lines);
    assert_eq!(outcome.lines(), [r#"{"a__b":1}"#, r#"{"a":5,"a__b__c":3}"#, r#"{"a":null}"#]);
    assert_eq!(outcome.refusals(), [(1, "flatten.collision a__b"), (3, "flatten.collision a__b__c")]);
}

#[test]
fn the_order_of_fields_is_that_in_which_they_came() {
    let lines = "{\"a\":{\"x\":1}}\n{\"a\":{\"y\":2}}\n{\"a\":{\"y\":4,\"x\":3},\"z\":0}\n{\"a\":1}\n";
    let outcome = run("flatten_fields", "{}", lines);
    assert_eq!(
        outcome.lines(),
        [r#"{"a__x":1}"#, r#"{"a__y":2}"#, r#"{"a__x":3,"a__y":4,"z":0}"#, r#"{"a":1}"#]
    );
}

#[test]
fn ever_new_names_are_refused_at_some_point() {
    let lines: String = (0..2_100).map(|at| format!("{{\"a\":{{\"k{at}\":1}}}}\n")).collect();
    let mut transform = open("flatten_fields", "{}").unwrap();
    let (mut left, mut refused) = (0, Vec::new());
    for batch in batches(&lines, 300) {
        let mut out = Output::default();
        transform.apply(batch, &mut out).unwrap();
        let (emitted, rejects) = out.into_parts();
        left += emitted.iter().map(|(_, batch)| batch.len()).sum::<usize>();
        refused.extend(rejects.into_iter().flat_map(|rejects| rejects.errors));
    }
    assert_eq!((left, refused.len()), (2_000, 100));
    assert!(refused.iter().all(|error| error.code == "fields.too_many"));
}

#[test]
fn a_refused_record_leaves_no_names_behind() {
    let many: Vec<String> = (0..3_000).map(|at| format!("\"k{at}\":1")).collect();
    let lines = format!("{{\"a\":{{{}}}}}\n{{\"a\":{{\"b\":1}}}}\n{{\"z\":{{\"c\":1}}}}\n", many.join(","));
    let outcome = run("flatten_fields", "{}", &lines);
    assert_eq!(outcome.refusals().len(), 1);
    assert_eq!(outcome.lines(), [r#"{"a__b":1}"#, r#"{"z__c":1}"#]);
}
