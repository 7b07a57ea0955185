use fairway_engine::component::Component;
use fairway_engine::transform::Output;

use crate::testing::{batches, issues, json, open};

/// Lines that left by each output in the order of the ports, and how many were refused.
fn routed(config: &str, lines: &str) -> (Vec<Vec<String>>, usize) {
    let outcomes = [1, 2, 100].map(|size| {
        let mut transform = open("route_records", config).unwrap();
        let ports =
            Component::transform::<super::RouteRecords>().ports(&serde_json::from_str(config).unwrap());
        let mut left = vec![Vec::new(); ports.outputs.len()];
        let mut refused = 0;
        for batch in batches(lines, size) {
            let mut out = Output::default();
            transform.apply(batch, &mut out).unwrap();
            let (emitted, rejects) = out.into_parts();
            for (port, batch) in emitted {
                left[port].extend(batch.records().map(json));
            }
            refused += rejects.iter().map(|rejects| rejects.len()).sum::<usize>();
        }
        (left, refused)
    });
    assert!(outcomes[0] == outcomes[2] && outcomes[1] == outcomes[2], "batches of another size");
    let [.., whole] = outcomes;
    whole
}

const LINES: &str = "{\"n\":1}\n{\"n\":15}\n{\"n\":150}\n{}\n{\"n\":null}\n{\"n\":\"x\"}\n";

fn config(take: &str) -> String {
    format!(
        r#"{{"take":"{take}","routes":[
            {{"name":"hundred","rules":[{{"field":"n","op":"ge","value":100}}]}},
            {{"name":"ten","rules":[{{"field":"n","op":"ge","value":10}}]}}]}}"#
    )
}

#[test]
fn a_record_goes_by_the_first_route_that_it_matches() {
    let (left, refused) = routed(&config("first"), LINES);
    assert_eq!(left[0], [r#"{"n":150}"#]);
    assert_eq!(left[1], [r#"{"n":15}"#]);
    assert_eq!(left[2], [r#"{"n":1}"#, "{}", r#"{"n":null}"#]);
    assert_eq!(refused, 1, "a text is unlike a number");
}

#[test]
fn a_record_goes_by_every_route_that_it_matches() {
    let (left, refused) = routed(&config("all"), LINES);
    assert_eq!(left[0], [r#"{"n":150}"#]);
    assert_eq!(left[1], [r#"{"n":15}"#, r#"{"n":150}"#]);
    assert_eq!((left[2].len(), refused), (3, 1));
}

#[test]
fn a_record_is_refused_only_if_its_way_depends_on_the_fault() {
    let routes = |first: &str, second: &str| {
        format!(
            r#"{{"routes":[{{"name":"a","rules":[{{"field":"{first}","op":"eq","value":1}}]}},
                {{"name":"b","rules":[{{"field":"{second}","op":"eq","value":1}}]}}]}}"#
        )
    };
    let line = "{\"n\":1,\"s\":\"x\"}\n";
    assert_eq!(routed(&routes("n", "s"), line), (vec![vec![line.trim().to_owned()], vec![], vec![]], 0));
    assert_eq!(routed(&routes("s", "n"), line), (vec![vec![], vec![], vec![]], 1));
    // By all routes it would have gone by one of them before the fault was seen; it goes by none (I1).
    let all = routes("n", "s").replace(r#"{"routes""#, r#"{"take":"all","routes""#);
    assert_eq!(routed(&all, line), (vec![vec![], vec![], vec![]], 1));
}

#[test]
fn names_that_cannot_be_outputs_do_not_open() {
    for name in ["", "a.b", "errors", "unmatched", "hundred"] {
        let config = config("first").replace("\"ten\"", &format!("{name:?}"));
        let error = open("route_records", &config).err().expect(name);
        assert_eq!(error.code, "route.bad_name", "{name}");
    }
    let bad = config("first").replace("\"value\":10}", "\"value\":true}");
    assert_eq!(issues("route_records", &bad), ["routes.1.rules.0.value"]);
    assert!(open("route_records", &bad).is_err());
}
