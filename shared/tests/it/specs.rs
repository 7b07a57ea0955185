//! Small component descriptions, built by hand.

use fairway_shared::channel::Guarantee;
use fairway_shared::component::{ComponentSpec, Kind, OutputsFrom, Port, Ports};
use serde_json::{Value, json};

fn port(name: &str) -> Port {
    Port { name: name.into(), help: String::new() }
}

fn spec(name: &str, kind: Kind, inputs: &[&str], outputs: &[&str], properties: Value) -> ComponentSpec {
    ComponentSpec {
        name: name.into(),
        title: name.into(),
        kind,
        family: "test".into(),
        summary: String::new(),
        docs: String::new(),
        ports: Ports {
            inputs: inputs.iter().map(|name| port(name)).collect(),
            outputs: outputs.iter().map(|name| port(name)).collect(),
            outputs_from: None,
        },
        delivery: Guarantee::AtLeastOnce,
        bounded: kind == Kind::Source,
        several: false,
        varies: Vec::new(),
        config_schema: json!({"type": "object", "additionalProperties": false, "properties": properties}),
        position_fields: Vec::new(),
        examples: Vec::new(),
        probe: false,
        sample: false,
    }
}

pub(crate) fn source(name: &str, properties: Value) -> ComponentSpec {
    spec(name, Kind::Source, &[], &["out"], properties)
}

/// A few components of each kind, with settings of every kind.
pub(crate) fn all() -> Vec<ComponentSpec> {
    let require = |mut spec: ComponentSpec, fields: &[&str]| {
        spec.config_schema["required"] = json!(fields);
        spec
    };
    let column = json!({"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 1}, "type": {"enum": ["int64", "string"], "type": "string"}}});
    let csv = json!({
        "path": {"type": "string", "minLength": 1, "description": "Where to read.\n\nA glob."},
        "delimiter": {"type": "string", "minLength": 1, "maxLength": 1, "default": ","},
        "encoding": {"oneOf": [{"const": "utf8", "type": "string"}, {"const": "latin1", "type": "string"}], "default": "utf8"},
        "batch": {"type": "integer", "format": "uint64", "minimum": 1, "maximum": 1000, "default": 100},
        "ratio": {"type": "number", "minimum": 0, "maximum": 1},
        "header": {"type": "boolean", "default": true},
        "columns": {"type": "array", "items": column, "minItems": 1, "maxItems": 3},
        "wait": {"type": ["string", "null"], "format": "duration"},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        "names": {"type": "object", "additionalProperties": {"type": "string"}},
        "extra": true,
        "action": {"oneOf": [
            {"const": "skip", "type": "string"},
            {"type": "object", "additionalProperties": false, "required": ["replace"], "properties": {"replace": {"type": "string"}}}]},
        "shape": {"oneOf": [
            {"type": "object", "required": ["type"], "properties": {"type": {"const": "point", "type": "string"}}},
            {"type": "object", "required": ["type", "size"], "additionalProperties": false,
             "properties": {"type": {"const": "circle", "type": "string"}, "size": {"type": "integer"}}}]},
        "password": {"type": "string", "writeOnly": true}
    });
    let sql = json!({
        "connection": {"type": "string"}, "host": {"type": "string"}, "port": {"type": "integer"}, "table": {"type": "string"},
        "key": {"type": "string"}
    });
    let path = json!({"path": {"type": "string"}});
    let mut sql_source = require(source("sql_source", sql), &["host", "table"]);
    sql_source.position_fields = vec!["table".into(), "key".into()];
    sql_source.delivery = Guarantee::ExactlyOnce;
    sql_source.bounded = false;
    let mut csv_source = require(source("csv_source", csv), &["path"]);
    csv_source.position_fields = vec!["path".into()];
    csv_source.delivery = Guarantee::ExactlyOnce;
    let mut table_sink = spec("table_sink", Kind::Sink, &["in"], &[], json!({}));
    table_sink.delivery = Guarantee::ExactlyOnce;
    let mut topic_sink = spec("topic_sink", Kind::Sink, &["in"], &[], json!({}));
    topic_sink.delivery = Guarantee::Idempotent;
    let mut web_source = source("web_source", json!({}));
    web_source.delivery = Guarantee::AtLeastOnce;
    web_source.bounded = false;
    let mut filter = spec(
        "filter",
        Kind::Transform,
        &["in"],
        &["out", "rejected"],
        json!({"condition": {"type": "string"}}),
    );
    filter.delivery = Guarantee::ExactlyOnce;
    let mut mask = spec(
        "mask",
        Kind::Transform,
        &["in"],
        &["out"],
        json!({"fields": {"type": "array", "items": {"type": "string"}}}),
    );
    mask.delivery = Guarantee::ExactlyOnce;
    let route = json!({"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 1}}});
    let mut route = spec(
        "route",
        Kind::Transform,
        &["in"],
        &["unmatched"],
        json!({"routes": {"type": "array", "items": route}}),
    );
    route.ports.outputs_from =
        Some(OutputsFrom { list: "routes".into(), name: "name".into(), help: "A route.".into() });
    vec![
        csv_source,
        sql_source,
        web_source,
        filter,
        mask,
        route,
        require(spec("csv_sink", Kind::Sink, &["in"], &[], path), &["path"]),
        table_sink,
        topic_sink,
    ]
}
