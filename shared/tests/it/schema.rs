//! The published schemas: current, valid as schemas, and of one mind with the reader.

use fairway_shared::channel::{schema, text};
use fairway_shared::diagnostic::Diagnostic;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::generated;

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).expect("a schema")
}

#[test]
fn schemas_are_published() {
    for (path, schema) in [
        ("assets/schema/channel.json", schema::channel()),
        ("assets/schema/connection.json", schema::connection()),
        ("assets/schema/bundle.json", schema::bundle()),
    ] {
        assert!(jsonschema::meta::is_valid(&schema), "{path}");
        generated::check(path, &fairway_shared::canonical::pretty(&schema));
    }
}

fn full() -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "$schema": "channel.json",
        "metadata": {"name": "n", "title": "t", "description": "d", "labels": {"a": "b"}},
        "spec": {
            "nodes": [{"id": "a", "component": "csv_source", "title": "A", "config": {"path": "x"}, "tasks": 2}],
            "edges": [{"from": "a", "to": "b"}],
            "settings": {"stream": "direct", "delivery": "idempotent", "errors": {"policy": "drop", "retry": {"max_attempts": 2}}}
        },
        "layout": {"nodes": {"a": {"x": 1, "y": 2}}, "notes": [1], "groups": [2]}
    })
}

/// What the schema refuses the reader calls an error, and the other way round, whatever stands wherever.
#[test]
fn schema_and_reader_agree() {
    let validator = validator(&schema::channel());
    let values = [
        json!(null),
        json!(5),
        json!(0),
        json!(-1),
        json!(4294967295u64),
        json!(4294967296u64),
        json!("x"),
        json!(""),
        json!("topic"),
        json!(true),
        json!([]),
        json!([5]),
        json!([null]),
        json!([{}]),
        json!({}),
        json!({"x": "left"}),
        json!({"unheard": 1}),
        json!("fairway/v1"),
        json!("Channel"),
    ];
    let mut pointers = Vec::new();
    crate::text::walk(&full(), String::new(), &mut pointers);
    pointers.extend(
        [
            "/unheard",
            "/metadata/unheard",
            "/spec/unheard",
            "/spec/nodes/0/unheard",
            "/spec/edges/0/unheard",
            "/layout/unheard",
            "/spec/settings/unheard",
            "/spec/settings/errors/retry/unheard",
            "/spec/nodes/0/config/unheard",
        ]
        .map(str::to_owned),
    );
    let mut counts = [0, 0];
    for pointer in pointers.iter().filter(|pointer| !pointer.is_empty()) {
        for value in values.iter().map(Some).chain([None]) {
            let mut document = full();
            let segments = fairway_shared::pointer::segments(pointer);
            if fairway_shared::pointer::put(&mut document, &segments, value.cloned()).is_err() {
                continue;
            }
            let (channel, faults) = text::from_value(&document);
            let sound = channel.is_some() && !faults.iter().any(Diagnostic::is_error);
            counts[usize::from(sound)] += 1;
            assert_eq!(validator.is_valid(&document), sound, "{pointer} = {value:?}: {faults:#?}");
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn examples_of_every_kind_pass() {
    let connection = json!({"apiVersion": "fairway/v1", "kind": "Connection", "metadata": {"name": "shop"},
        "spec": {"connector": "postgres", "config": {"host": "db"}}});
    let bundle = json!({"apiVersion": "fairway/v1", "kind": "Bundle", "items": [full(), connection]});
    assert!(validator(&schema::connection()).is_valid(&connection));
    assert!(validator(&schema::bundle()).is_valid(&bundle));
    assert!(
        !validator(&schema::bundle())
            .is_valid(&json!({"apiVersion": "fairway/v1", "kind": "Bundle", "items": [bundle]}))
    );
    assert!(!validator(&schema::connection()).is_valid(&full()));
}
