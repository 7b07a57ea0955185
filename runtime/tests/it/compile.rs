//! Laws and examples of plans.

use std::collections::{BTreeMap, BTreeSet};

use fairway_runtime::compile::compile;
use fairway_runtime::registry::Registry;
use fairway_shared::channel::{Channel, Guarantee, text};
use fairway_shared::component::{ComponentSpec, Kind, Port, Ports, Variation};
use fairway_shared::diagnostic::{Diagnostic, codes};
use fairway_shared::edit;
use fairway_shared::plan::{Plan, PositionFate, StreamKind, TaskKind, diff};
use fairway_shared::validate::Facts;
use proptest::prelude::*;
use serde_json::{Value, json};

mod streams;

use self::streams::cut;

fn spec(name: &str, kind: Kind, delivery: Guarantee) -> ComponentSpec {
    let ports = |names: &[&str]| {
        names.iter().map(|name| Port { name: (*name).into(), help: String::new() }).collect()
    };
    let (inputs, outputs): (&[&str], &[&str]) = match kind {
        Kind::Source => (&[], &["out"]),
        Kind::Transform => (&["in"], &["out", "rest"]),
        Kind::Sink => (&["in"], &[]),
    };
    ComponentSpec {
        name: name.into(),
        title: name.to_uppercase(),
        kind,
        family: "test".into(),
        summary: String::new(),
        docs: String::new(),
        ports: Ports { inputs: ports(inputs), outputs: ports(outputs), outputs_from: None },
        delivery,
        bounded: true,
        several: false,
        varies: vec![Variation {
            when: BTreeMap::from([("follow".to_owned(), vec!["true".to_owned()])]),
            bounded: Some(false),
            ..Variation::default()
        }],
        config_schema: json!({"type": "object", "additionalProperties": false, "properties": {
            "path": {"type": "string", "default": "in.csv"}, "batch": {"type": "integer"}, "follow": {"type": "boolean"}
        }}),
        position_fields: if kind == Kind::Source { vec!["path".into()] } else { vec![] },
        examples: vec![],
        probe: false,
        sample: false,
    }
}

fn specs() -> Vec<ComponentSpec> {
    use Guarantee::{AtLeastOnce, ExactlyOnce, Idempotent};
    vec![
        spec("read", Kind::Source, ExactlyOnce),
        spec("listen", Kind::Source, AtLeastOnce),
        spec("mask", Kind::Transform, ExactlyOnce),
        spec("table", Kind::Sink, ExactlyOnce),
        spec("topic", Kind::Sink, Idempotent),
        spec("file", Kind::Sink, AtLeastOnce),
    ]
}

fn channel(nodes: &[(&str, &str)], edges: &[&str]) -> Value {
    let nodes: Vec<_> =
        nodes.iter().map(|(id, component)| json!({"id": id, "component": component})).collect();
    let edges: Vec<_> = edges
        .iter()
        .map(|edge| edge.split_once('>').expect("from>to"))
        .map(|(from, to)| json!({"from": from, "to": to}))
        .collect();
    json!({"apiVersion": "fairway/v1", "kind": "Channel", "metadata": {"name": "n"}, "spec": {"nodes": nodes, "edges": edges}})
}

fn read(document: &Value) -> Channel {
    text::from_value(document).0.expect("a channel")
}

fn plan(document: &Value) -> Plan {
    compile(&read(document), &Facts { components: &specs(), ..Facts::default() }).expect("a sound channel")
}

fn refused(document: &Value) -> Vec<Diagnostic> {
    compile(&read(document), &Facts { components: &specs(), ..Facts::default() })
        .expect_err("an unsound channel")
}

fn orders() -> Value {
    channel(
        &[
            ("out", "table"),
            ("orders", "read"),
            ("mask", "mask"),
            ("bad", "file"),
            ("other", "listen"),
            ("log", "topic"),
        ],
        &["orders>mask", "mask>out", "mask.errors>bad", "other>log"],
    )
}

#[test]
fn each_connected_part_is_a_direct_task() {
    let plan = plan(&orders());
    let tasks: Vec<_> = plan.tasks.iter().map(|task| (task.id.as_str(), task.nodes.join(" "))).collect();
    assert_eq!(
        tasks,
        [("direct-orders", "orders mask out bad".to_owned()), ("direct-other", "other log".to_owned())]
    );
    assert_eq!(plan.streams.len(), 4);
    assert!(plan.bounded);
    let orders = plan.connectors.iter().find(|connector| connector.node == "orders").expect("planned");
    assert_eq!(orders.position_fields.keys().collect::<Vec<_>>(), ["path"]);
}

#[test]
fn looks_titles_and_spelling_are_not_meaning() {
    let before = plan(&orders());
    let mut document = orders();
    document["layout"] = json!({"nodes": {"orders": {"x": 5, "y": 6}}, "notes": ["n"]});
    document["metadata"] = json!({"name": "another", "title": "T", "labels": {"a": "b"}});
    document["spec"]["nodes"][1]["title"] = json!("Orders");
    document["spec"]["edges"][0] = json!({"from": "orders.out", "to": "mask.in"});
    let after = plan(&document);
    assert_eq!(
        (&before.hash, &before.tasks, &before.connectors),
        (&after.hash, &after.tasks, &after.connectors)
    );
    let keeps = diff(Some(&before), &after).keeps;
    assert_eq!(keeps, ["direct-orders", "direct-other"]);
}

#[test]
fn a_change_of_meaning_changes_what_it_concerns() {
    let before = plan(&orders());
    for (at, value) in [
        ("/spec/nodes/0/component", json!("topic")),
        ("/spec/nodes/1/config", json!({"batch": 5})),
        ("/spec/nodes/2/tasks", json!(1)),
        ("/spec/edges/1/from", json!("mask.rest")),
    ] {
        let mut document = orders();
        let segments = fairway_shared::pointer::segments(at);
        fairway_shared::pointer::put(&mut document, &segments, Some(value)).expect("a place of the document");
        let change = diff(Some(&before), &plan(&document));
        assert_eq!(change.keeps, ["direct-other"], "{at}");
        assert_eq!(change.restarts.len(), 1, "{at}");
        assert!(!change.restarts[0].because.is_empty(), "{at}");
        assert!(change.positions.iter().all(|position| position.fate == PositionFate::Kept), "{at}");
    }
    let mut document = orders();
    document["spec"]["settings"] = json!({"errors": {"policy": "stop"}});
    assert_eq!(diff(Some(&before), &plan(&document)).restarts.len(), 2);
}

#[test]
fn a_position_depends_on_its_fields_alone() {
    let before = plan(&orders());
    let fate = |config: Value, component: &str| {
        let mut document = orders();
        document["spec"]["nodes"][1]["config"] = config;
        document["spec"]["nodes"][1]["component"] = json!(component);
        let positions = diff(Some(&before), &plan(&document)).positions;
        positions
            .into_iter()
            .find(|position| position.node == "orders")
            .map(|position| (position.fate, position.because))
    };
    assert_eq!(fate(json!({"batch": 9}), "read"), Some((PositionFate::Kept, vec![])));
    assert_eq!(
        fate(json!({"path": "in.csv"}), "read"),
        Some((PositionFate::Kept, vec![])),
        "the default, written out"
    );
    assert_eq!(fate(json!({"path": "other.csv"}), "read"), Some((PositionFate::New, vec!["path".into()])));
    assert_eq!(fate(json!({}), "listen"), Some((PositionFate::New, vec!["component".into()])));
}

#[test]
fn a_target_promises_the_least_of_its_way() {
    let of = |document: &Value| -> BTreeMap<String, (Guarantee, Option<String>)> {
        plan(document)
            .targets
            .into_iter()
            .map(|target| (target.node, (target.delivery, target.because)))
            .collect()
    };
    let targets = of(&orders());
    assert_eq!(targets["out"], (Guarantee::ExactlyOnce, None));
    assert_eq!(targets["bad"].0, Guarantee::AtLeastOnce);
    assert_eq!(targets["bad"].1.as_deref(), Some("`bad` (FILE) may write a record again after a crash"));
    assert_eq!(targets["log"].0, Guarantee::AtLeastOnce, "by the source");
    assert!(
        targets["log"].1.as_deref().is_some_and(|reason| reason.contains("`other` (LISTEN)")),
        "{targets:?}"
    );
    // The errors port of a target leads on: what comes there is as sure as what came to the target.
    let chained = channel(
        &[("s", "listen"), ("t", "read"), ("a", "table"), ("b", "table")],
        &["s>a", "a.errors>b", "t>b"],
    );
    assert_eq!(of(&chained)["b"].0, Guarantee::AtLeastOnce);
}

#[test]
fn too_little_is_an_error_with_a_way_out() {
    let mut document = orders();
    document["spec"]["settings"] = json!({"delivery": "exactly_once"});
    let found = refused(&document);
    let errors = found.iter().filter(|fault| fault.is_error());
    let at: Vec<_> = errors.map(|fault| (fault.code.as_ref(), fault.place.node.as_deref())).collect();
    assert_eq!(
        at,
        [(codes::PLAN_DELIVERY_TOO_LOW, Some("bad")), (codes::PLAN_DELIVERY_TOO_LOW, Some("log"))]
    );
    let mut mended = read(&document);
    let fix = found[0].fix.clone().expect("a fix");
    let command = edit::apply_fix(&mended, &fix);
    edit::apply(&mut mended, command).expect("it fits");
    assert!(compile(&mended, &Facts { components: &specs(), ..Facts::default() }).is_ok());
}

#[test]
fn a_channel_that_would_feed_itself_is_refused() {
    let specs = fairway_runtime::registry::Registry::standard().specs().to_vec();
    let compiled = |source: &str, sink: &str| {
        let mut document = channel(&[("in", "csv_source"), ("out", "csv_sink")], &["in>out"]);
        document["spec"]["nodes"][0]["config"] = json!({ "path": source });
        document["spec"]["nodes"][1]["config"] = json!({ "path": sink });
        compile(&read(&document), &Facts { components: &specs, ..Facts::default() })
    };
    assert!(compiled("in/*.csv", "out/a.csv").is_ok());
    for (source, sink) in
        [("a.csv", "./a.csv"), ("data/*.csv", "data/out.csv"), ("data/**/*", "data/a-{n}.csv")]
    {
        let found = compiled(source, sink).expect_err("it reads what it writes");
        let at: Vec<_> =
            found.iter().map(|fault| (fault.code.as_ref(), fault.place.node.as_deref())).collect();
        assert_eq!(at, [(codes::PLAN_READS_WHAT_IT_WRITES, Some("out"))], "{source} {sink}");
    }
}

#[test]
fn an_unsound_channel_has_no_plan_but_all_its_faults() {
    let broken = channel(&[("a", "read"), ("b", "nothing"), ("c", "mask")], &["a>b", "c>c"]);
    let found = refused(&broken);
    let codes: BTreeSet<_> = found.iter().map(|fault| fault.code.to_string()).collect();
    assert!(
        codes.len() >= 2
            && codes.contains(codes::NODE_UNKNOWN_COMPONENT)
            && codes.contains(codes::GRAPH_CYCLE)
    );
}

#[test]
fn a_source_that_follows_does_not_end() {
    let mut document = orders();
    document["spec"]["nodes"][1]["config"] = json!({"follow": true});
    assert!(!plan(&document).bounded);
}

/// Sound channels: layers of sources, transforms and sinks; each node fed by and leading to some other.
fn sound() -> impl Strategy<Value = Value> {
    (1..5usize, 0..6usize, 1..5usize, prop::collection::vec(any::<prop::sample::Index>(), 64)).prop_map(
        |(sources, transforms, sinks, picks)| {
            let mut picks = picks.into_iter().cycle();
            let mut pick = |among: usize| picks.next().map_or(0, |index| index.index(among));
            let mut nodes = Vec::new();
            let mut edges = BTreeSet::new();
            for index in 0..sources {
                nodes.push((format!("s{index}"), if pick(2) == 0 { "read" } else { "listen" }));
            }
            for index in 0..transforms {
                let from = pick(nodes.len());
                edges.insert(format!("{}>t{index}", nodes[from].0));
                nodes.push((format!("t{index}"), "mask"));
            }
            let inner = nodes.len();
            for index in 0..sinks {
                let from = pick(inner);
                edges.insert(format!("{}>k{index}", nodes[from].0));
                if pick(3) == 0 {
                    edges.insert(format!("{}.errors>k{index}", nodes[pick(inner)].0));
                }
                nodes.push((format!("k{index}"), ["table", "topic", "file"][pick(3)]));
            }
            for (id, _) in &nodes[..inner] {
                if !edges.iter().any(|edge| edge.starts_with(&format!("{id}>"))) {
                    edges.insert(format!("{id}>k{}", pick(sinks)));
                }
            }
            let nodes: Vec<_> = nodes.iter().map(|(id, component)| (id.as_str(), *component)).collect();
            let edges: Vec<_> = edges.iter().map(String::as_str).collect();
            channel(&nodes, &edges)
        },
    )
}

fn shuffle(list: &mut Value, seed: &[prop::sample::Index]) {
    if let Value::Array(list) = list {
        for at in (1..list.len()).rev() {
            list.swap(at, seed[at % seed.len()].index(at + 1));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_are_whole_ordered_and_independent_of_order(
        document in sound(),
        seed in prop::collection::vec(any::<prop::sample::Index>(), 16),
    ) {
        let first = plan(&document);
        prop_assert_eq!(&first, &plan(&document), "the same document gives the same plan");

        // I8: every node is in exactly one task, after all that lead to it; no edge leaves a task.
        let mut place = BTreeMap::new();
        for (task, nodes) in first.tasks.iter().map(|task| (&task.id, &task.nodes)) {
            for (at, node) in nodes.iter().enumerate() {
                prop_assert_eq!(place.insert(node.clone(), (task.clone(), at)), None);
            }
        }
        prop_assert_eq!(place.len(), document["spec"]["nodes"].as_array().map_or(0, Vec::len));
        for stream in &first.streams {
            let (from, to) = (&place[&stream.from.node], &place[&stream.to.node]);
            prop_assert_eq!(&from.0, &to.0);
            prop_assert!(from.1 < to.1, "{} before {}", stream.from, stream.to);
        }

        // Cut, it is whole as well: edges between tasks are streams, from source tasks to sink tasks, and no others are. What cannot be
        // cut is refused for errors that would cross a stream, and for nothing else.
        match cut(&document) {
            Ok(cut) => {
                let task_of = |node: &String| cut.tasks.iter().filter(|task| task.nodes.contains(node)).collect::<Vec<_>>();
                for node in &cut.connectors {
                    let tasks = task_of(&node.node);
                    prop_assert_eq!(tasks.len(), 1, "{} is in one task", node.node);
                    let wrong = match node.kind {
                        Kind::Source => TaskKind::Sink,
                        Kind::Transform | Kind::Sink => continue,
                    };
                    prop_assert!(tasks[0].kind != wrong);
                }
                for stream in &cut.streams {
                    let (from, to) = (task_of(&stream.from.node)[0], task_of(&stream.to.node)[0]);
                    let kind = if from.id == to.id { StreamKind::Direct } else { StreamKind::Topic };
                    prop_assert_eq!(stream.kind, kind);
                    if kind == StreamKind::Topic {
                        prop_assert_eq!((from.kind, to.kind), (TaskKind::Source, TaskKind::Sink));
                    }
                }
                prop_assert_eq!(&cut.targets, &first.targets);
            }
            Err(found) => {
                let crossing = |fault: &Diagnostic| fault.code == codes::PLAN_ERRORS_ACROSS_STREAM;
                prop_assert!(found.iter().filter(|fault| fault.is_error()).all(crossing), "{found:?}");
            }
        }

        let mut shuffled = document.clone();
        shuffle(&mut shuffled["spec"]["nodes"], &seed);
        shuffle(&mut shuffled["spec"]["edges"], &seed);
        let second = plan(&shuffled);
        let hashes = |plan: &Plan| -> BTreeMap<String, String> {
            plan.connectors.iter().map(|connector| (connector.node.clone(), connector.hash.clone())).collect()
        };
        prop_assert_eq!(hashes(&first), hashes(&second));
        let tasks = |plan: &Plan| -> BTreeSet<String> { plan.tasks.iter().map(|task| task.hash.clone()).collect() };
        prop_assert_eq!(tasks(&first), tasks(&second));
        let promises = |plan: &Plan| -> BTreeMap<String, Guarantee> {
            plan.targets.iter().map(|target| (target.node.clone(), target.delivery)).collect()
        };
        prop_assert_eq!(promises(&first), promises(&second));
    }
}

/// What settings change of a promise, over the real components: rows that nothing tells apart are read again from the first.
#[test]
fn settings_decide_what_is_promised_and_what_ends() {
    let registry = Registry::standard();
    let spec = |name: &str| registry.specs().iter().find(|spec| spec.name == name).unwrap();
    let query = json!({ "mode": "query", "query": "select 1 as a" });
    let with = |more: Value| {
        let mut config = query.clone();
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        config
    };
    for name in ["postgres_table_source", "sqlite_table_source"] {
        for (config, delivery, bounded) in [
            (json!({ "tables": ["t"] }), Guarantee::ExactlyOnce, true),
            (json!({ "tables": ["t"], "without_key": "read_again" }), Guarantee::AtLeastOnce, true),
            (json!({ "tables": ["t"], "mode": "incrementing" }), Guarantee::ExactlyOnce, false),
            (query.clone(), Guarantee::AtLeastOnce, true),
            (with(json!({ "key": [] })), Guarantee::AtLeastOnce, true),
            (with(json!({ "key": ["a"] })), Guarantee::ExactlyOnce, true),
            (with(json!({ "incrementing_column": "a" })), Guarantee::ExactlyOnce, false),
        ] {
            let config = config.as_object().unwrap();
            let found = (spec(name).delivery_of(config), spec(name).is_bounded(config));
            assert_eq!(found, (delivery, bounded), "{name} {config:?}");
        }
    }
    for (name, config, bounded) in [
        ("csv_source", json!({ "path": "a" }), true),
        ("csv_source", json!({ "path": "a", "follow": true }), false),
        ("generate_source", json!({ "count": 3 }), true),
        ("generate_source", json!({}), false),
        ("kafka_source", json!({ "topics": ["t"] }), false),
        ("http_webhook_source", json!({}), false),
    ] {
        assert_eq!(spec(name).is_bounded(config.as_object().unwrap()), bounded, "{name} {config}");
    }
    let document = json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "a" },
        "spec": {
            "nodes": [
                { "id": "in", "component": "sqlite_table_source", "config": with(json!({ "path": "a.db" })) },
                { "id": "out", "component": "jsonl_sink", "config": { "path": "out.jsonl" } }
            ],
            "edges": [{ "from": "in", "to": "out" }],
            "settings": { "delivery": "exactly_once" }
        }
    });
    let compiled = |document: &Value| {
        let channel = text::from_value(document).0.unwrap();
        compile(&channel, &Facts { components: registry.specs(), ..Facts::default() })
    };
    let refused = compiled(&document).unwrap_err();
    assert_eq!(refused[0].code, codes::PLAN_DELIVERY_TOO_LOW);
    assert!(
        refused[0].message.contains("`in` (SQLite tables) may bring a record in again"),
        "{}",
        refused[0].message
    );
    let mut keyed = document.clone();
    keyed["spec"]["nodes"][0]["config"]["key"] = json!(["a"]);
    assert_eq!(compiled(&keyed).unwrap().targets[0].delivery, Guarantee::ExactlyOnce);
}
