//! What is wrong is said at its place, with what to do; and what is offered as a fix mends it.

use fairway_shared::channel::text::{self, to_value};
use fairway_shared::channel::{Channel, Edge, Node, PortRef};
use fairway_shared::connection::Connection;
use fairway_shared::diagnostic::{Diagnostic, Severity};
use fairway_shared::edit;
use fairway_shared::pointer;
use fairway_shared::validate::{Facts, everything, validate, validate_connection, validate_text};
use serde_json::{Value, json};

fn good() -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": {"name": "n"},
        "spec": {
            "nodes": [
                {"id": "orders", "component": "csv_source", "config": {"path": "in.csv"}},
                {"id": "big", "component": "filter", "config": {"condition": "x > 1"}},
                {"id": "out", "component": "csv_sink", "config": {"path": "out.csv"}},
                {"id": "rest", "component": "csv_sink", "config": {"path": "rest.csv"}}
            ],
            "edges": [
                {"from": "orders", "to": "big"}, {"from": "big", "to": "out"}, {"from": "big.rejected", "to": "rest"},
                {"from": "out.errors", "to": "rest"}
            ]
        }
    })
}

fn channel(value: &Value) -> Channel {
    text::from_value(value).0.expect("a channel")
}

struct World {
    specs: Vec<fairway_shared::component::ComponentSpec>,
    connections: Vec<Connection>,
    secrets: Vec<String>,
}

impl World {
    fn new() -> Self {
        let config = json!({"host": "db", "port": 5432}).as_object().unwrap().clone();
        let odd = json!({"host": 5, "colour": "red"}).as_object().unwrap().clone();
        Self {
            specs: crate::specs::all(),
            connections: vec![
                Connection::new("shop", "postgres", config),
                Connection::new("odd", "postgres", odd),
            ],
            secrets: vec!["shop_password".into()],
        }
    }

    fn facts(&self) -> Facts<'_> {
        Facts {
            components: &self.specs,
            connections: Some(&self.connections),
            secrets: Some(&self.secrets),
            cluster: false,
        }
    }
}

/// The good document with some values put in place, or taken away.
fn changed(changes: &[(&str, Option<Value>)]) -> Channel {
    let mut document = good();
    for (at, value) in changes {
        pointer::put(&mut document, &pointer::segments(at), value.clone()).unwrap();
    }
    channel(&document)
}

fn line(diagnostic: &Diagnostic) -> String {
    let severity = if diagnostic.severity == Severity::Error { "" } else { "warning " };
    let fix = diagnostic.fix.as_ref().map(|fix| format!(" [{}]", fix.title)).unwrap_or_default();
    let place = &diagnostic.place;
    let node = place.node.as_ref().map(|node| format!(" @{node}")).unwrap_or_default();
    format!("{severity}{} {}{node}: {}{fix}", diagnostic.code, place.pointer, diagnostic.message)
}

#[test]
fn the_good_document_is_good() {
    assert_eq!(everything(&channel(&good()), &World::new().facts()), vec![]);
}

/// One fault each: exactly one finding, and its fix (if it has one) leaves none.
#[test]
fn each_fault_is_found_once_and_mended_by_its_fix() {
    let some = |value: Value| Some(value);
    let config = "/spec/nodes/0/config";
    let set = |field: &str, value: Value| vec![(format!("{config}/{field}"), Some(value))];
    let one = |at: &str, value: Option<Value>| vec![(at.to_owned(), value)];
    type Changes = Vec<(String, Option<Value>)>;
    let cases: Vec<(Changes, &str)> = vec![
        // names
        (one("/metadata/name", None), "name.missing /metadata/name: the document has no name"),
        (
            one("/metadata/name", some(json!("a\nb"))),
            "name.control_character /metadata/name: the name holds a control character (U+000A) [Put spaces in their place]",
        ),
        (
            one("/metadata/name", some(json!("é".repeat(201)))),
            "name.too_long /metadata/name: the name has 201 characters; the most are 200",
        ),
        // nodes
        (one("/spec/nodes/3/id", some(json!("or ders"))), "node.bad_id"),
        (
            one("/spec/nodes/1/component", some(json!("filtr"))),
            "node.unknown_component /spec/nodes/1/component @big: there is no component `filtr` (did you mean `filter`?) [Change to `filter`]",
        ),
        (
            one("/spec/nodes/1/component", None),
            "node.no_component /spec/nodes/1 @big: the node does not say which component it is",
        ),
        // edges
        (
            one("/spec/edges/1/to", some(json!("outt"))),
            "edge.unknown_node /spec/edges/1/to: there is no node `outt` (did you mean `out`?) [Change to `out`]",
        ),
        (
            one("/spec/edges/2/from", some(json!("big.rejectd"))),
            "edge.unknown_port /spec/edges/2/from @big: `big` has no output `rejectd` (did you mean `rejected`?) [Change to `big.rejected`]",
        ),
        (
            one("/spec/edges/0/to", some(json!("big.side"))),
            "edge.unknown_port /spec/edges/0/to @big: `big` has no input `side` [Change to `big`]",
        ),
        (
            one("/spec/edges/-", some(json!({"from": "out", "to": "rest"}))),
            "edge.from_sink /spec/edges/4/from @out: `out` is a target: nothing leads on from it [Change to `out.errors`]",
        ),
        (
            one("/spec/edges/-", some(json!({"from": "big", "to": "orders"}))),
            "edge.into_source /spec/edges/4/to @orders: `orders` is a source: nothing leads into it",
        ),
        (
            one("/spec/edges/-", some(json!({"from": "orders.out", "to": "big.in"}))),
            "edge.duplicate /spec/edges/4: `orders.out` to `big.in` joins what edge 1 joins already [Remove this edge]",
        ),
        (
            one("/spec/edges/-", some(json!({"to": "big"}))),
            "edge.no_end /spec/edges/4: the edge has no `from` [Remove this edge]",
        ),
        // topology
        (
            one("/spec/edges/-", some(json!({"from": "rest.errors", "to": "big"}))),
            "graph.cycle /spec/edges/4 @big: nodes lead by an errors port back to themselves: big → out → rest → big [Remove the edge to `big`]",
        ),
        (
            one("/spec/nodes/-", some(json!({"id": "x", "component": "table_sink"}))),
            "graph.no_input /spec/nodes/4 @x: nothing leads to the target `x`",
        ),
        (
            one("/spec/nodes/-", some(json!({"id": "x", "component": "web_source"}))),
            "graph.no_output /spec/nodes/4 @x: nothing leads on from the source `x`; its records would vanish",
        ),
        // settings of nodes
        (
            one("/spec/nodes/0/config/path", None),
            "config.missing /spec/nodes/0/config @orders: `path` is missing",
        ),
        (set("path", json!("")), "config.length /spec/nodes/0/config/path @orders: `path` is empty"),
        (
            set("path", json!(5)),
            "config.wrong_type /spec/nodes/0/config/path @orders: `path` must be text, but is a number [Change to `\"5\"`]",
        ),
        (
            set("delimiter", json!(";;")),
            "config.length /spec/nodes/0/config/delimiter @orders: `delimiter` has 2 characters; the most are 1",
        ),
        (
            set("encoding", json!("utf-8")),
            "config.unknown_value /spec/nodes/0/config/encoding @orders: `encoding` cannot be `utf-8` (did you mean `utf8`?) [Change to `utf8`]",
        ),
        (
            set("batch", json!(0)),
            "config.out_of_range /spec/nodes/0/config/batch @orders: `batch` must be 1 to 1000, but is 0 [Change to 1]",
        ),
        (
            set("batch", serde_json::from_str("99999999999999999999999999999999999999999999").unwrap()),
            "config.out_of_range /spec/nodes/0/config/batch @orders: `batch` must be 1 to 1000, but is 99999999999999999999999999999999999999999999 [Change to 1000]",
        ),
        (
            set("batch", serde_json::from_str("1.0").unwrap()),
            "config.wrong_type /spec/nodes/0/config/batch @orders: `batch` must be a whole number, but is 1.0",
        ),
        (
            set("batch", json!("50")),
            "config.wrong_type /spec/nodes/0/config/batch @orders: `batch` must be a whole number, but is text [Change to `50`]",
        ),
        (
            set("ratio", json!(1.5)),
            "config.out_of_range /spec/nodes/0/config/ratio @orders: `ratio` must be 0 to 1, but is 1.5 [Change to 1]",
        ),
        (
            set("header", json!("True")),
            "config.wrong_type /spec/nodes/0/config/header @orders: `header` must be true or false, but is text [Change to `true`]",
        ),
        (
            set("columns", json!([])),
            "config.length /spec/nodes/0/config/columns @orders: `columns` has 0 elements; the least are 1",
        ),
        (
            set("columns", json!([{"type": "int64"}])),
            "config.missing /spec/nodes/0/config/columns/0 @orders: `columns.0.name` is missing",
        ),
        (
            set("columns", json!([{"name": "a", "tpye": "int64"}])),
            "config.unknown_field /spec/nodes/0/config/columns/0/tpye @orders: there is no setting `tpye` (did you mean `type`?) [Rename to `type`]",
        ),
        (
            set("columns", json!({"name": "a"})),
            "config.wrong_type /spec/nodes/0/config/columns @orders: `columns` must be a list (of an object), but is an object [Change to `[{\"name\":\"a\"}]`]",
        ),
        (
            set("wait", json!("soon")),
            "config.format /spec/nodes/0/config/wait @orders: `wait` must be a duration such as `500ms`, `30s`, `5m` or `1h30m`, but is `soon`",
        ),
        (
            set("tags", json!(["a", "b", "a"])),
            "config.duplicate_item /spec/nodes/0/config/tags/2 @orders: `\"a\"` is there already [Remove it]",
        ),
        (
            set("names", json!({"a/b": 1})),
            "config.wrong_type /spec/nodes/0/config/names/a~1b @orders: `names.a/b` must be text, but is a number [Change to `\"1\"`]",
        ),
        (
            set("pth", json!("x")),
            "config.unknown_field /spec/nodes/0/config/pth @orders: there is no setting `pth` [Remove `pth`]",
        ),
        (
            set("action", json!("skipp")),
            "config.unknown_value /spec/nodes/0/config/action @orders: `action` cannot be `skipp` (did you mean `skip`?) [Change to `skip`]",
        ),
        (
            set("action", json!({"replce": "x"})),
            "config.unknown_value /spec/nodes/0/config/action @orders: `action` cannot be `replce` (did you mean `replace`?) [Change to `replace`]",
        ),
        (
            set("action", json!({"replace": 1})),
            "config.wrong_type /spec/nodes/0/config/action/replace @orders: `action.replace` must be text, but is a number [Change to `\"1\"`]",
        ),
        (
            set("action", json!("replace")),
            "config.missing /spec/nodes/0/config/action @orders: `replace` needs settings of its own",
        ),
        (
            set("action", json!({"skip": 1})),
            "config.wrong_type /spec/nodes/0/config/action @orders: `skip` has no settings of its own [Leave them out]",
        ),
        (
            set("action", json!(7)),
            "config.wrong_type /spec/nodes/0/config/action @orders: `action` must be one of `skip` and `replace`, but is a number [Remove it]",
        ),
        (
            set("shape", json!({"type": "circel"})),
            "config.unknown_value /spec/nodes/0/config/shape @orders: `shape` cannot be `circel` (did you mean `circle`?)",
        ),
        (
            set("shape", json!({"type": "circle", "size": "x"})),
            "config.wrong_type /spec/nodes/0/config/shape/size @orders: `shape.size` must be a whole number, but is text",
        ),
        (set("shape", json!({})), "config.missing /spec/nodes/0/config/shape @orders: `type` is missing"),
        // secrets
        (
            set("password", json!("hunter2")),
            "secret.plain /spec/nodes/0/config/password @orders: `password` holds a secret, written out",
        ),
        (
            set("password", json!("${secret:shop_pasword}")),
            "secret.unknown /spec/nodes/0/config/password @orders: there is no secret `shop_pasword` (did you mean `shop_password`?) [Change to `shop_password`]",
        ),
        (
            set("path", json!("${secret:}")),
            "secret.broken /spec/nodes/0/config/path @orders: `${secret:}` is not a reference: its name must be letters, digits, `_`, `-`, `.` and `/`, and not empty",
        ),
        (
            set("path", json!("http://u:p@host/x")),
            "warning secret.suspected /spec/nodes/0/config/path @orders: a password seems to be written into `path`",
        ),
        (
            set("path", json!("http://host/x?api_key=abc")),
            "warning secret.suspected /spec/nodes/0/config/path @orders: a key seems to be written into `path`",
        ),
        (
            set("names", json!({"Authorization": "Bearer abc"})),
            "warning secret.suspected /spec/nodes/0/config/names/Authorization @orders: an access token seems to be written into `names.Authorization`",
        ),
        // settings of the channel
        (
            one("/spec/settings", some(json!({"stream": "topic"}))),
            "plan.topic_without_cluster /spec/settings/stream: streams by topic need a cluster with a broker, and there is none [Change to `auto`]",
        ),
    ];
    let world = World::new();
    for (changes, expected) in cases {
        let changes: Vec<_> = changes.iter().map(|(at, value)| (at.as_str(), value.clone())).collect();
        let document = changed(&changes);
        let found = validate(&document, &world.facts());
        let lines: Vec<_> = found.iter().map(line).collect();
        // A node that is not known leaves nothing to say about its neighbours' loose ends.
        let Some(fault) = found.iter().find(|fault| line(fault).starts_with(expected)) else {
            panic!("{changes:?}\n expected {expected}\n found {lines:#?}");
        };
        let alone = ["node.bad_id", "edge.into_source", "graph.cycle", "edge.unknown_node"]
            .iter()
            .any(|code| expected.starts_with(code));
        assert!(lines.len() == 1 || alone, "{changes:?}: {lines:#?}");
        if let Some(fix) = &fault.fix {
            let mut mended = document.clone();
            let undo = edit::apply(&mut mended, edit::apply_fix(&document, fix)).unwrap();
            let left: Vec<_> = everything(&mended, &world.facts()).iter().map(line).collect();
            assert!(
                !left.iter().any(|line| line.starts_with(expected)),
                "{expected}: the fix leaves {left:#?}"
            );
            edit::apply(&mut mended, undo).unwrap();
            assert_eq!(mended, document);
        }
    }
}

#[test]
fn connections_lend_their_settings() {
    let world = World::new();
    let with = |config: Value| {
        let changes =
            [("/spec/nodes/0/component", Some(json!("sql_source"))), ("/spec/nodes/0/config", Some(config))];
        changed(&changes)
    };
    let found = |config: Value, facts: &Facts<'_>| -> Vec<String> {
        validate(&with(config), facts).iter().map(line).collect()
    };
    let nothing: Vec<String> = Vec::new();
    assert_eq!(found(json!({"connection": "shop", "table": "t"}), &world.facts()), nothing);
    assert_eq!(found(json!({"table": "t", "host": "h"}), &world.facts()), nothing);
    assert_eq!(
        found(json!({"table": "t"}), &world.facts()),
        ["config.missing /spec/nodes/0/config @orders: `host` is missing"]
    );
    assert_eq!(
        found(json!({"connection": "shpo", "table": "t"}), &world.facts()),
        [
            "connection.unknown /spec/nodes/0/config/connection @orders: there is no connection `shpo` (did you mean `shop`?) [Change to `shop`]"
        ]
    );
    assert_eq!(
        found(json!({"connection": "odd", "table": "t"}), &world.facts()),
        [
            "config.wrong_type /spec/nodes/0/config/connection @orders: connection `odd`: `host` must be text, but is a number",
            "config.unknown_field /spec/nodes/0/config/connection @orders: connection `odd`: there is no setting `colour`",
        ]
    );
    // Where connections are not known, nothing is said about them.
    let unknown = Facts { connections: None, secrets: None, ..world.facts() };
    assert_eq!(
        found(json!({"connection": "anything", "table": "t", "key": "${secret:anything}"}), &unknown),
        nothing
    );
}

#[test]
fn secrets_in_connections_are_told_by_their_names() {
    let config = json!({"user": "u", "password": "hunter2", "url": "pg://u:p@h", "token_file": "x", "auth": {"api_key": "${env:KEY}"}});
    let mut connection = Connection::new("", "", config.as_object().unwrap().clone());
    let found: Vec<_> = validate_connection(&connection, &Facts::default()).iter().map(line).collect();
    assert_eq!(
        found,
        [
            "name.missing /metadata/name: the document has no name",
            "connection.no_connector /spec: the connection does not say what it connects to",
            "secret.plain /spec/config/password: `password` holds a secret, written out",
            "warning secret.suspected /spec/config/url: a password seems to be written into `url`",
        ]
    );
    connection.metadata.name = "n".into();
    connection.spec.connector = "postgres".into();
    let found = validate_connection(&connection, &Facts::default());
    assert!(found.iter().all(|fault| !fault.message.contains("hunter2")), "a message never repeats a secret");
}

/// I7: ten different faults are ten findings, in one go.
#[test]
fn ten_faults_are_ten_findings() {
    let text = r#"{
  "apiVersion": "fairway/v2",
  "kind": "Channel",
  "metadata": { "name": "", "colour": "red" },
  "spec": {
    "nodes": [
      { "id": "a", "component": "csv_source", "config": { "path": 5, "batch": 0 } },
      { "id": "a", "component": "mask" },
      { "id": "b", "component": "csv_snk", "tasks": "many" },
      { "id": "c", "component": "csv_sink", "config": { "path": "x", "pth": "y" } }
    ],
    "edges": [ { "from": "a", "to": "b" }, { "from": "a.side", "to": "c" }, { "from": "a", "to": "d" } ],
    "settings": { "stream": "topic", "delivery": "twice" }
  }
}"#;
    let world = World::new();
    let (document, found) = validate_text(text.as_bytes(), &world.facts());
    assert!(document.is_some());
    let lines: Vec<_> = found
        .iter()
        .map(|d| format!("{}:{} {}", d.place.line.unwrap(), d.place.column.unwrap(), d.code))
        .collect();
    assert_eq!(
        lines,
        [
            "2:3 document.version",
            "4:17 name.missing",
            "7:70 config.out_of_range",
            "7:59 config.wrong_type",
            "8:9 node.duplicate_id",
            "9:20 node.unknown_component",
            "9:44 document.wrong_type",
            "10:70 config.unknown_field",
            "12:46 edge.unknown_port",
            "12:92 edge.unknown_node",
            "13:19 plan.topic_without_cluster",
            "13:38 document.unknown_value",
            "4:29 document.unknown_field",
        ]
    );
}

#[test]
fn bundles_are_checked_as_a_whole() {
    let world = World::new();
    let mut channel = good();
    channel["spec"]["nodes"][0] =
        json!({"id": "orders", "component": "sql_source", "config": {"connection": "beside", "table": 1}});
    let connection = json!({"apiVersion": "fairway/v1", "kind": "Connection", "metadata": {"name": "beside"}, "spec": {"connector": "postgres", "config": {"host": "h"}}});
    let bundle = json!({"apiVersion": "fairway/v1", "kind": "Bundle", "items": [channel, connection]});
    let (_, found) = validate_text(bundle.to_string().as_bytes(), &world.facts());
    let lines: Vec<_> = found.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "config.wrong_type /items/0/spec/nodes/0/config/table @orders: `table` must be text, but is a number [Change to `\"1\"`]"
        ]
    );
    assert_eq!(found[0].fix.as_ref().unwrap().pointer, "/items/0/spec/nodes/0/config/table");
}

#[test]
fn long_circles_and_deep_graphs_are_no_trouble() {
    let mut long = Channel::default();
    long.metadata.name = "n".into();
    for index in 0..20_000 {
        let node = Node { id: format!("n{index}"), component: "mask".into(), ..Node::default() };
        long.spec.nodes.push(node);
        let (from, to) =
            (PortRef::node(format!("n{index}")), PortRef::node(format!("n{}", (index + 1) % 20_000)));
        long.spec.edges.push(Edge { from, to, ..Edge::default() });
    }
    let found = validate(&long, &World::new().facts());
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("… 19988 more …"), "{}", found[0].message);
}

/// Layers of two nodes, each joined to both of the next layer, between `orders` and `out`.
fn layered(layers: usize) -> Value {
    let mut document = good();
    let mut nodes = vec![good()["spec"]["nodes"][0].clone(), good()["spec"]["nodes"][2].clone()];
    let mut edges = Vec::new();
    for layer in 0..layers {
        for side in ["l", "r"] {
            let id = format!("{side}{layer}");
            let before = match layer.checked_sub(1) {
                None => vec!["orders".to_owned()],
                Some(before) => vec![format!("l{before}"), format!("r{before}")],
            };
            edges.extend(before.iter().map(|from| json!({"from": from, "to": id})));
            if layer + 1 == layers {
                edges.push(json!({"from": id, "to": "out"}));
            }
            nodes.push(json!({"id": id, "component": "filter", "config": {"condition": "x > 1"}}));
        }
    }
    document["spec"]["nodes"] = nodes.into();
    document["spec"]["edges"] = edges.into();
    document
}

#[test]
fn ways_that_multiply_records_beyond_measure_are_refused() {
    let world = World::new();
    let found = |document: &Value| -> Vec<String> {
        let found = validate(&channel(document), &world.facts());
        let errors = found.iter().filter(|fault| fault.severity == Severity::Error);
        errors.map(|fault| format!("{} {}", fault.code, fault.place.pointer)).collect()
    };
    assert_eq!(found(&layered(13)), Vec::<String>::new(), "8,192 copies");
    for layers in [14, 25, 200] {
        assert_eq!(found(&layered(layers)), ["graph.too_many_copies /spec/nodes/0"], "{layers} layers");
    }
    // Whatever goes one way or the other and meets again is still one record.
    let mut document = good();
    let mut nodes = vec![good()["spec"]["nodes"][0].clone(), good()["spec"]["nodes"][2].clone()];
    let mut edges = vec![json!({"from": "orders", "to": "n0"})];
    for step in 0..40 {
        nodes
            .push(json!({"id": format!("n{step}"), "component": "filter", "config": {"condition": "x > 1"}}));
        let next = if step == 39 { "out".to_owned() } else { format!("n{}", step + 1) };
        edges.push(json!({"from": format!("n{step}"), "to": next}));
        edges.push(json!({"from": format!("n{step}.rejected"), "to": next}));
        edges.push(json!({"from": format!("n{step}.errors"), "to": next}));
    }
    document["spec"]["nodes"] = nodes.into();
    document["spec"]["edges"] = edges.into();
    assert_eq!(found(&document), Vec::<String>::new());
}

#[test]
fn validate_answers_nothing_that_was_told_when_reading() {
    let world = World::new();
    for (at, value) in [
        ("/metadata/name", json!(5)),
        ("/spec/nodes/0/config", json!([])),
        ("/spec/nodes/3", json!(7)),
        ("/spec/edges/3", json!("x")),
        ("/spec/edges/3/from", json!(1)),
        ("/spec/settings", json!("x")),
    ] {
        let document = changed(&[(at, Some(value.clone()))]);
        let shape = text::faults(&document);
        assert_eq!(shape.len(), 1, "{at}: {shape:?}");
        let meaning: Vec<_> = validate(&document, &world.facts()).iter().map(line).collect();
        // What hangs on the lost part is another matter.
        let follows = |line: &&String| line.starts_with("edge.unknown_node") || line.starts_with("graph.");
        assert_eq!(meaning.iter().filter(|line| !follows(line)).count(), 0, "{at}: {meaning:#?}");
        assert_eq!(to_value(&document).pointer(at), Some(&value));
    }
}

/// A channel whose `big` is a route with these settings, and with these edges leaving it.
fn routed(config: Value, edges: &[&str]) -> Value {
    let mut document = good();
    document["spec"]["nodes"][1] = json!({"id": "big", "component": "route", "config": config});
    let mut all =
        vec![json!({"from": "orders", "to": "big"}), json!({"from": "big.unmatched", "to": "rest"})];
    all.extend(edges.iter().map(|from| json!({"from": from, "to": "out"})));
    document["spec"]["edges"] = json!(all);
    document
}

#[test]
fn settings_may_name_outputs() {
    let world = World::new();
    let found = |config: Value, edges: &[&str]| {
        let channel = channel(&routed(config, edges));
        let found = validate(&channel, &world.facts());
        found.into_iter().map(|found| (found.code.to_string(), found)).collect::<Vec<_>>()
    };
    let codes = |config: Value, edges: &[&str]| -> Vec<String> {
        found(config, edges).into_iter().map(|(code, _)| code).collect()
    };
    let two = json!({"routes": [{"name": "eu"}, {"name": "us"}]});
    assert_eq!(codes(two.clone(), &["big.eu", "big.us"]), [""; 0]);
    assert_eq!(codes(two.clone(), &["big.eu"]), ["graph.loose_output"]);
    // Without a name the edge would change its meaning with the order of the routes.
    assert_eq!(codes(two.clone(), &["big", "big.eu", "big.us"]), ["edge.no_port"]);
    let (code, fault) = found(two, &["big.eu", "big.uss"]).remove(0);
    assert_eq!(code, "edge.unknown_port");
    assert!(fault.message.contains("did you mean `us`"), "{}", fault.message);
    assert_eq!(fault.fix.unwrap().value, Some(json!("big.us")));
}

#[test]
fn names_of_outputs_are_letters_and_come_once_and_fixes_mend_them() {
    let world = World::new();
    for (name, code) in [
        ("a.b", "port.bad_name"),
        ("a>b", "port.bad_name"),
        ("eu", "port.duplicate_name"),
        ("errors", "port.duplicate_name"),
        ("unmatched", "port.duplicate_name"),
    ] {
        let config = json!({"routes": [{"name": "eu"}, {"name": name}]});
        let mut channel = channel(&routed(config, &["big.eu"]));
        let found = validate(&channel, &world.facts());
        assert_eq!(found[0].code, code, "{name}");
        assert_eq!(found[0].place.field.as_deref(), Some("routes.1.name"));
        assert_eq!(found[0].place.pointer, "/spec/nodes/1/config/routes/1/name");
        let command = edit::apply_fix(&channel, found[0].fix.as_ref().unwrap());
        edit::History::default().run(&mut channel, command, 0).unwrap();
        let left: Vec<_> = validate(&channel, &world.facts()).into_iter().map(|found| found.code).collect();
        assert_eq!(left, ["graph.loose_output"], "{name}");
    }
}
