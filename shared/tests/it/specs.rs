//! Small component descriptions, built by hand.

use fairway_shared::channel::Guarantee;
use fairway_shared::component::{ComponentSpec, Kind, Port, Ports};
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
        },
        delivery: Guarantee::AtLeastOnce,
        bounded: kind == Kind::Source,
        config_schema: json!({"type": "object", "additionalProperties": false, "properties": properties}),
        position_fields: Vec::new(),
        examples: Vec::new(),
    }
}

pub(crate) fn source(name: &str, properties: Value) -> ComponentSpec {
    spec(name, Kind::Source, &[], &["out"], properties)
}
