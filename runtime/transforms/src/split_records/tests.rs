use fairway_engine::transform::Output;

use crate::testing::{batches, issues, open, run};

#[test]
fn each_item_is_a_record_with_the_fields_of_its_parent() {
    let lines = "{\"id\":1,\"lines\":[{\"sku\":\"A\",\"qty\":1.50},{\"qty\":2,\"more\":null}]}\n{\"id\":2,\"lines\":[7]}\n";
    let outcome =
        run("split_records", r#"{"field":"lines","spread":true,"prefix":"l_","number":"no"}"#, lines);
    assert_eq!(
        outcome.records,
        [
            (1, r#"{"id":1,"l_sku":"A","l_qty":1.50,"no":0}"#.to_owned()),
            (1, r#"{"id":1,"l_qty":2,"no":1,"l_more":null}"#.to_owned()),
            (2, r#"{"id":2,"lines":7,"no":0}"#.to_owned()),
        ]
    );
    let plain = run("split_records", r#"{"field":"lines","into":"line"}"#, lines);
    assert_eq!(plain.lines()[1], r#"{"id":1,"line":{"qty":2,"more":null}}"#);
    let alone = run("split_records", r#"{"field":"lines","spread":true,"keep_parent":false}"#, lines);
    assert_eq!(alone.lines(), [r#"{"sku":"A","qty":1.50}"#, r#"{"qty":2,"more":null}"#, r#"{"lines":7}"#]);
}

#[test]
fn records_without_items_are_dropped_kept_or_refused() {
    let lines = "{\"a\":1,\"l\":[]}\n{\"a\":2,\"l\":null}\n{\"a\":3}\n{\"a\":4,\"l\":[1]}\n";
    let with = |empty: &str| run("split_records", &format!(r#"{{"field":"l","empty":"{empty}"}}"#), lines);
    assert_eq!(with("drop").lines(), [r#"{"a":4,"l":1}"#]);
    assert_eq!(with("keep").lines(), [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":3}"#, r#"{"a":4,"l":1}"#]);
    assert_eq!(with("reject").refusals(), [(1, "split.empty l"), (2, "split.empty l"), (3, "split.empty l")]);
    // How many were dropped is said: it cannot be told from how many left.
    let mut transform = open("split_records", r#"{"field":"l"}"#).unwrap();
    let mut out = Output::default();
    transform.apply(batches(lines, 100).remove(0), &mut out).unwrap();
    assert_eq!(out.said_dropped(), Some(3));
}

#[test]
fn what_cannot_be_split_leaves_whole() {
    let lines = "{\"l\":5}\n{\"l\":{\"x\":1}}\n{\"l\":[1,2,3]}\n{\"l\":[{\"id\":1},{\"x\":2}],\"id\":9}\n{\"l\":[1,2]}\n";
    let outcome = run("split_records", r#"{"field":"l","spread":true,"most":2}"#, lines);
    assert_eq!(outcome.lines(), [r#"{"l":1}"#, r#"{"l":2}"#]);
    assert_eq!(
        outcome.refusals(),
        [
            (1, "split.not_a_list l"),
            (2, "split.not_a_list l"),
            (3, "split.too_many l"),
            (4, "split.collision id")
        ]
    );
}

#[test]
fn children_are_numbered_within_their_source_record_over_several_splits() {
    let line = "{\"a\":[[1,2],[3]]}\n";
    let mut out = Output::default();
    let mut split = open("split_records", r#"{"field":"a"}"#).unwrap();
    split.apply(batches(line, 1).remove(0), &mut out).unwrap();
    let (mut first, _) = out.into_parts();
    let mut out = Output::default();
    open("split_records", r#"{"field":"a"}"#).unwrap().apply(first.remove(0).1, &mut out).unwrap();
    let (second, _) = out.into_parts();
    let children: Vec<_> = second[0].1.metas().iter().map(|meta| (meta.order, meta.child)).collect();
    assert_eq!(children, [(1, 0), (1, 1), (1, 2)]);
}

#[test]
fn item_and_number_need_fields_of_their_own() {
    assert_eq!(issues("split_records", r#"{"field":"l","number":"l"}"#), ["number"]);
    assert_eq!(issues("split_records", r#"{"field":"l","into":"x","number":"l"}"#), [""; 0]);
}
