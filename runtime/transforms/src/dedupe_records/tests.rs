use crate::testing::{issues, open, run};

fn orders(config: &str, lines: &str) -> Vec<u64> {
    run("dedupe_records", config, lines).records.iter().map(|(order, _)| *order).collect()
}

#[test]
fn the_first_wins_and_keys_are_compared_by_value() {
    let lines = "{\"k\":1,\"v\":1}\n{\"k\":1.0,\"v\":2}\n{\"k\":\"1\"}\n{\"k\":null}\n{\"k\":null}\n{}\n{\"k\":1e0}\n";
    assert_eq!(orders(r#"{"keys":["k"]}"#, lines), [1, 3, 4, 5, 6]);
    assert_eq!(orders(r#"{"keys":["k"],"nulls":"compare"}"#, lines), [1, 3, 4, 6]);
    let refused = run("dedupe_records", r#"{"keys":["k"],"nulls":"reject"}"#, lines);
    assert_eq!(refused.refusals(), [(4, "dedupe.no_key k"), (5, "dedupe.no_key k"), (6, "dedupe.no_key k")]);
}

#[test]
fn several_fields_do_not_run_into_each_other() {
    let lines = "{\"a\":\"x\",\"b\":\"yz\"}\n{\"a\":\"xy\",\"b\":\"z\"}\n{\"b\":\"yz\",\"a\":\"x\"}\n";
    assert_eq!(orders(r#"{"keys":["a","b"]}"#, lines), [1, 2]);
}

#[test]
fn whole_records_are_the_same_in_any_order_of_fields() {
    let lines = "{\"a\":1,\"b\":{\"x\":1,\"y\":2}}\n{\"b\":{\"y\":2,\"x\":1},\"a\":1}\n{\"a\":1}\n{\"a\":1,\"b\":null}\n{\"a\":1}\n";
    assert_eq!(orders("{}", lines), [1, 3, 4]);
}

#[test]
fn what_is_remembered_is_bounded_and_forgotten_at_a_start() {
    let lines = "{\"k\":1}\n{\"k\":2}\n{\"k\":3}\n{\"k\":1}\n{\"k\":3}\n";
    assert_eq!(orders(r#"{"keys":["k"],"most":2}"#, lines), [1, 2, 3, 4]);
    // Each run above opened anew and began with nothing.
    assert_eq!(orders(r#"{"keys":["k"]}"#, lines), [1, 2, 3]);
}

#[test]
fn the_window_needs_a_time_and_reads_no_clock() {
    assert_eq!(issues("dedupe_records", r#"{"window":"10m"}"#), ["time_field"]);
    assert_eq!(issues("dedupe_records", r#"{"time_field":"at"}"#), ["window"]);
    assert!(open("dedupe_records", r#"{"window":"soon"}"#).is_err());
    let outcome =
        run("dedupe_records", r#"{"keys":["k"],"window":"10m","time_field":"at"}"#, "{\"k\":1,\"at\":5}\n");
    assert_eq!(outcome.refusals(), [(1, "dedupe.no_time at")]);
}
