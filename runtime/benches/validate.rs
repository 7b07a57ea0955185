//! How long a channel of 1,000 nodes and 1,500 edges takes: to read, to check, to compile, to write; and how long documents
//! take that were made to be slow. Prints milliseconds: the quickest of many rounds, which is what the work takes where nothing
//! else runs, and the median.
//!
//! `cargo xtask bench validate`

use std::hint::black_box;
use std::time::Instant;

use fairway_runtime::compile;
use fairway_shared::channel::{Channel, Edge, Guarantee, Node, PortRef, Spot, text};
use fairway_shared::component::{ComponentSpec, Kind, Port, Ports};
use fairway_shared::edit::{Command, History};
use fairway_shared::validate::{Facts, everything, validate, validate_text};
use serde_json::{Value, json};

fn main() {
    let specs = specs();
    let facts = Facts { components: &specs, connections: Some(&[]), secrets: Some(&[]), cluster: false };
    let channel = channel();
    let document = text::to_text(&channel);
    assert_eq!(everything(&channel, &facts), vec![]);
    println!(
        "{} nodes, {} edges, {} bytes",
        channel.spec.nodes.len(),
        channel.spec.edges.len(),
        document.len()
    );
    let plan = || compile::compile(&channel, &facts).expect("sound");
    measure("parse", 201, || text::parse(document.as_bytes()));
    measure("to_text", 201, || text::to_text(&channel));
    measure("validate", 201, || validate(&channel, &facts));
    measure("everything (shape and meaning)", 201, || everything(&channel, &facts));
    measure("compile, validate within", 201, plan);
    let built = plan();
    measure("plan diff", 201, || fairway_shared::plan::diff(Some(&built), &built));
    let mut edited = channel.clone();
    let mut history = History::default();
    let mut now = 0;
    measure("edit one field", 201, || {
        now += 1_000;
        let value = Some(Value::from(now % 50 + 1));
        let command = Command::SetConfig { node: "n500".into(), field: "batch".into(), value };
        history.run(&mut edited, command, now).expect("fits");
    });
    for (name, hostile) in hostile() {
        measure(name, 5, || validate_text(hostile.as_bytes(), &facts));
    }
}

fn measure<T>(name: &str, rounds: usize, mut work: impl FnMut() -> T) {
    let mut taken: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    println!("{name:32} {:9.3} ms  (median {:.3})", taken[0], taken[rounds / 2]);
}

/// Ten sources, ten layers of transforms and sinks, each node fed by one or two of the layer before.
fn channel() -> Channel {
    const WIDE: usize = 100;
    let mut channel = Channel::default();
    channel.metadata.name = "large".into();
    for index in 0..1_000 {
        let component = match index {
            0..WIDE => "read",
            900.. => "write",
            _ => "change",
        };
        let config =
            json!({"path": format!("data/{index}.csv"), "batch": 100, "mode": "fast", "fields": ["a"]});
        channel.spec.nodes.push(Node {
            id: format!("n{index}"),
            component: component.into(),
            config: config.as_object().expect("an object").clone(),
            ..Node::default()
        });
        channel.layout.nodes.insert(
            format!("n{index}"),
            Spot { x: (index % WIDE) as f64 * 240.0, y: (index / WIDE) as f64 * 160.0 },
        );
    }
    let mut join = |from: usize, to: usize| {
        let (from, to) = (PortRef::node(format!("n{from}")), PortRef::node(format!("n{to}")));
        channel.spec.edges.push(Edge { from, to, ..Edge::default() });
    };
    for index in WIDE..1_000 {
        join(index - WIDE, index);
    }
    for index in WIDE..700 {
        let row = index / WIDE * WIDE;
        join(row - WIDE + (index + 1) % WIDE, index);
    }
    channel
}

fn specs() -> Vec<ComponentSpec> {
    let spec = |name: &str, kind: Kind, ports: Ports| ComponentSpec {
        name: name.into(),
        title: name.into(),
        kind,
        family: "bench".into(),
        summary: String::new(),
        docs: String::new(),
        ports,
        delivery: Guarantee::ExactlyOnce,
        bounded: true,
        several: false,
        varies: Vec::new(),
        config_schema: json!({"type": "object", "additionalProperties": false, "required": ["path"], "properties": {
            "path": {"type": "string", "minLength": 1},
            "batch": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
            "mode": {"oneOf": [{"const": "fast", "type": "string"}, {"const": "safe", "type": "string"}]},
            "fields": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
            "columns": {"type": "array", "items": {"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
                "name": {"type": "string"}, "type": {"enum": ["int64", "string"], "type": "string"}}}},
            "password": {"type": "string", "writeOnly": true}
        }}),
        position_fields: vec!["path".into()],
        examples: vec![],
        probe: false,
        sample: false,
    };
    let port = |name: &str| vec![Port { name: name.into(), help: String::new() }];
    vec![
        spec("read", Kind::Source, Ports { inputs: vec![], outputs: port("out"), outputs_from: None }),
        spec(
            "change",
            Kind::Transform,
            Ports { inputs: port("in"), outputs: port("out"), outputs_from: None },
        ),
        spec("write", Kind::Sink, Ports { inputs: port("in"), outputs: vec![], outputs_from: None }),
    ]
}

/// Documents of the greatest size, made to be slow.
fn hostile() -> Vec<(&'static str, String)> {
    let list = |item: &dyn Fn(usize) -> String, size: usize| {
        let mut text = item(0);
        for index in 1.. {
            let next = item(index);
            if text.len() + next.len() >= size {
                break;
            }
            text.push(',');
            text.push_str(&next);
        }
        text
    };
    let document = |nodes: String, edges: String| {
        format!(
            r#"{{"apiVersion":"fairway/v1","kind":"Channel","metadata":{{"name":"n"}},"spec":{{"nodes":[{nodes}],"edges":[{edges}]}}}}"#
        )
    };
    let long = "x".repeat(60);
    let most = text::MAX_BYTES - 400;
    vec![
        ("hostile: equal ids", document(list(&|_| r#"{"id":"a"}"#.into(), most), String::new())),
        (
            "hostile: names all alike",
            document(
                list(&|i| format!(r#"{{"id":"{long}{i}","component":"{long}"}}"#), most / 2),
                list(&|i| format!(r#"{{"from":"{long}x{i}","to":"{long}y{i}"}}"#), most / 2),
            ),
        ),
        (
            "hostile: unknown settings",
            document(
                format!(
                    r#"{{"id":"a","component":"read","config":{{{}}}}}"#,
                    list(&|i| format!(r#""pth{i}":1"#), most)
                ),
                String::new(),
            ),
        ),
        ("hostile: commas", format!("[{}]", ",".repeat(most))),
        ("hostile: brackets", "[".repeat(most)),
    ]
}
