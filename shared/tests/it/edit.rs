//! Laws of editing: whatever is done to whatever document, undo gives back the exact document, and redo what was made.

use fairway_shared::channel::text::{self, Document};
use fairway_shared::channel::{Channel, Edge, Node, PortRef, Settings, Spot, StreamChoice};
use fairway_shared::component::{OutputsFrom, Port, Ports};
use fairway_shared::diagnostic::{Diagnostic, Fix, Place};
use fairway_shared::edit::{self, Command, EditError, History, OutputNames, Placed, apply};
use proptest::prelude::*;
use serde_json::{Value, json};

fn channel(value: &Value) -> Channel {
    text::from_value(value).0.expect("a channel")
}

fn base() -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": {"name": "n", "labels": {"a": "b"}},
        "spec": {
            "nodes": [
                {"id": "a", "component": "csv_source", "config": {"path": "x", "columns": [{"name": "c"}]}},
                {"id": "b", "component": "filter", "title": "B"},
                {"id": "c", "component": "mask", "config": {}},
                {"id": "d", "component": "json_sink"}
            ],
            "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}, {"from": "c", "to": "d"}, {"from": "b.errors", "to": "d"}],
            "settings": {"stream": "auto"}
        },
        "layout": {"nodes": {"a": {"x": 0, "y": 0}, "b": {"x": 10.50, "y": 1}, "c": {"x": 1, "y": 1, "color": "red"}}, "notes": ["n"]}
    })
}

/// Documents with all kinds of oddities in all places.
fn documents() -> impl Strategy<Value = Channel> {
    let pointers = [
        "/metadata/name",
        "/metadata/labels/a",
        "/spec/nodes/0/id",
        "/spec/nodes/1/id",
        "/spec/nodes/2/config",
        "/spec/nodes/3",
        "/spec/nodes/0/tasks",
        "/spec/edges/1",
        "/spec/edges/0/from",
        "/spec/settings",
        "/spec/settings/stream",
        "/layout/nodes/a",
        "/layout/nodes/b/x",
        "/layout/nodes",
        "/layout",
        "/spec/edges",
        "/extra",
        "/spec/nodes/1/unknown",
        "/layout/groups",
    ];
    let values = [
        json!(5),
        json!("a"),
        json!("b"),
        json!(""),
        json!(null),
        json!([]),
        json!({}),
        json!([1, {"x": 2}]),
        json!({"x": "left"}),
        json!({"$raw": 1}),
        json!(1.50),
        json!(true),
    ];
    let change = (prop::sample::select(pointers.to_vec()), prop::sample::select(values.to_vec()));
    prop::collection::vec(change, 0..4).prop_map(|changes| {
        let mut document = base();
        for (pointer, value) in changes {
            let segments = fairway_shared::pointer::segments(pointer);
            // A change that an earlier one made impossible is left out.
            if fairway_shared::pointer::put(&mut document, &segments, Some(value)).is_err() {}
        }
        channel(&document)
    })
}

fn id() -> impl Strategy<Value = String> + Clone {
    prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "", "no id", "zz"]).prop_map(str::to_owned)
}

fn port() -> impl Strategy<Value = PortRef> + Clone {
    (id(), prop::sample::select(vec![None, Some("errors"), Some("out")]))
        .prop_map(|(node, port)| PortRef { node, port: port.map(str::to_owned) })
}

fn value() -> impl Strategy<Value = Value> + Clone {
    prop::sample::select(vec![
        json!(null),
        json!("v"),
        json!(1.50),
        json!([1, 2]),
        json!({"k": {"l": 1}}),
        json!({}),
    ])
}

fn spot() -> impl Strategy<Value = Spot> {
    (-2..3i8, -2..3i8).prop_map(|(x, y)| Spot { x: f64::from(x) / 2.0, y: f64::from(y) })
}

fn command() -> impl Strategy<Value = Command> {
    let node = (id(), value()).prop_map(|(id, value)| Node {
        id,
        component: "x_source".into(),
        config: value.as_object().cloned().unwrap_or_default(),
        ..Node::default()
    });
    let edge = (port(), port()).prop_map(|(from, to)| Edge { from, to, ..Edge::default() });
    let field = prop::sample::select(vec![
        "path",
        "/path",
        "/columns/0/name",
        "/columns/-",
        "/columns/7",
        "/path/x",
        "",
        "/new/deep",
    ]);
    let pointer = prop::sample::select(vec![
        "/metadata/title",
        "/spec/nodes/1",
        "/spec/nodes/-",
        "/spec",
        "/kind",
        "/layout",
        "/q/r",
        "",
    ]);
    let leaf = prop_oneof![
        (node.clone(), prop::option::of(spot())).prop_map(|(node, spot)| Command::AddNode { node, spot }),
        prop::collection::vec(id(), 0..3).prop_map(|ids| Command::RemoveNodes { ids }),
        prop::collection::vec(id(), 0..3).prop_map(|ids| Command::HealNodes { ids }),
        prop::collection::btree_map(id(), spot(), 0..3).prop_map(|spots| Command::MoveNodes { spots }),
        (id(), field, prop::option::of(value())).prop_map(|(node, field, value)| Command::SetConfig {
            node,
            field: field.into(),
            value
        }),
        (id(), value()).prop_map(|(node, value)| Command::ReplaceConfig {
            node,
            config: value.as_object().cloned().unwrap_or_default()
        }),
        (id(), id()).prop_map(|(node, component)| Command::SetComponent { node, component }),
        (id(), prop::option::of(id())).prop_map(|(node, title)| Command::SetTitle { node, title }),
        (id(), prop::option::of(1..3u32)).prop_map(|(node, tasks)| Command::SetTasks { node, tasks }),
        (id(), id()).prop_map(|(from, to)| Command::RenameNode { from, to }),
        edge.clone().prop_map(|edge| Command::AddEdge { edge }),
        (port(), port()).prop_map(|(from, to)| Command::RemoveEdge { from, to }),
        (port(), port(), edge.clone()).prop_map(|(from, to, edge)| Command::ReplaceEdge { from, to, edge }),
        (port(), port(), id()).prop_map(|(from, to, node)| Command::Splice {
            from,
            to,
            node,
            input: None,
            output: None
        }),
        (prop::collection::vec((node, prop::option::of(spot())), 0..3), prop::collection::vec(edge, 0..2))
            .prop_map(|(nodes, edges)| Command::Paste {
                nodes: nodes.into_iter().map(|(node, spot)| Placed { node, spot }).collect(),
                edges
            }),
        prop::sample::select(StreamChoice::ALL.to_vec()).prop_map(|(_, stream)| {
            let mut settings = Settings::default();
            settings.set_stream(stream);
            Command::SetSettings { settings }
        }),
        value().prop_map(|value| Command::SetNotes { notes: vec![value] }),
        value().prop_map(|value| Command::SetGroups { groups: vec![value] }),
        (pointer, prop::option::of(value()))
            .prop_map(|(pointer, value)| Command::SetRaw { pointer: pointer.into(), value }),
        documents().prop_map(|channel| Command::ReplaceDocument { channel: Box::new(channel) }),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Command::Batch))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Undo restores the exact document, order and layout included; redo makes the very same again; both also after the
    /// history was stored and read back.
    #[test]
    fn undo_and_redo_are_exact(start in documents(), commands in prop::collection::vec((command(), 0..400u64), 1..12)) {
        let mut document = start.clone();
        let mut history = History::default();
        let mut now = 0;
        for (command, pause) in commands {
            now += pause;
            let before = document.clone();
            if history.run(&mut document, command, now).is_err() {
                prop_assert_eq!(&document, &before, "a refused command changes nothing");
            }
        }
        let end = document.clone();
        let stored = history.to_text(&document);
        let mut history = History::from_text(&stored, &document).expect("it belongs to this document");
        let mut states = vec![document.clone()];
        while history.undo(&mut document).unwrap() {
            states.push(document.clone());
        }
        prop_assert_eq!(&document, &start);
        prop_assert_eq!(text::to_text(&document), text::to_text(&start));
        states.pop();
        while history.redo(&mut document).unwrap() {
            prop_assert_eq!(&document, &states.pop().unwrap());
        }
        prop_assert_eq!(&document, &end);
    }

    /// Routes that are typed over, added, taken away and moved about: every edge stays, undo is exact, and where each item has
    /// a usable name again no edge is left at a name that is gone.
    #[test]
    fn renamed_outputs_take_their_edges_along(
        edits in prop::collection::vec((0..4usize, "[ab]{0,2}", 0..400u64), 1..20),
    ) {
        let start = routes(&["a", "b"]);
        let (mut document, mut history, mut names) = (start.clone(), History::default(), OutputNames::default());
        let mut list = vec!["a".to_owned(), "b".to_owned()];
        let mut now = 0;
        for (which, text, pause) in edits {
            now += pause;
            match which {
                0 | 1 => list[which] = text,
                _ => list.swap(0, 1),
            }
            let value = json!(list.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>());
            let command = names.set_config(&document, Some(&ports()), "route", "routes", Some(value));
            history.run(&mut document, command, now).unwrap();
            prop_assert_eq!(document.spec.edges.len(), 3);
        }
        let mut usable = list.clone();
        usable.sort();
        usable.dedup();
        if usable.len() == 2 && usable.iter().all(|name| !name.is_empty()) {
            let mut left: Vec<_> = document.spec.edges.iter().filter_map(|edge| edge.from.port.clone()).collect();
            left.retain(|port| port != "rest");
            left.sort();
            prop_assert_eq!(left, usable);
        }
        let end = document.clone();
        while history.undo(&mut document).unwrap() {}
        prop_assert_eq!(&document, &start);
        while history.redo(&mut document).unwrap() {}
        prop_assert_eq!(&document, &end);
    }

    #[test]
    fn every_inverse_is_exact(start in documents(), command in command()) {
        let mut document = start.clone();
        if let Ok(inverse) = apply(&mut document, command) {
            let made = document.clone();
            let again = apply(&mut document, inverse).unwrap();
            prop_assert_eq!(&document, &start);
            apply(&mut document, again).unwrap();
            prop_assert_eq!(&document, &made);
        }
    }
}

#[test]
fn a_batch_is_made_whole_or_not_at_all() {
    let mut document = channel(&base());
    let before = document.clone();
    let good = Command::SetTitle { node: "a".into(), title: Some("A".into()) };
    let bad = Command::SetTitle { node: "nobody".into(), title: None };
    let outcome = apply(&mut document, Command::Batch(vec![good, bad]));
    assert_eq!(outcome, Err(EditError::NoSuchNode("nobody".into())));
    assert_eq!(document, before);
}

#[test]
fn removing_takes_edges_and_healing_joins() {
    let ids = || vec!["b".to_owned(), "c".to_owned()];
    let edges = |document: &Channel| -> Vec<String> {
        document.spec.edges.iter().map(|edge| format!("{}>{}", edge.from, edge.to)).collect()
    };
    let mut document = channel(&base());
    apply(&mut document, Command::RemoveNodes { ids: ids() }).unwrap();
    assert_eq!(edges(&document), Vec::<String>::new());
    assert_eq!(document.layout.nodes.keys().collect::<Vec<_>>(), ["a"]);
    let mut document = channel(&base());
    apply(&mut document, Command::HealNodes { ids: ids() }).unwrap();
    assert_eq!(edges(&document), ["a>d"]);
}

#[test]
fn splicing_keeps_the_order_of_edges() {
    let mut document = channel(&base());
    let node = Node { id: "x".into(), component: "filter".into(), ..Node::default() };
    let (from, to) = (PortRef::node("b"), PortRef::node("c"));
    let splice = Command::Splice { from, to, node: "x".into(), input: None, output: Some("rest".into()) };
    apply(&mut document, Command::Batch(vec![Command::AddNode { node, spot: None }, splice])).unwrap();
    let edges: Vec<_> = document.spec.edges.iter().map(|edge| format!("{}>{}", edge.from, edge.to)).collect();
    assert_eq!(edges, ["a>b", "b>x", "x.rest>c", "c>d", "b.errors>d"]);
}

#[test]
fn renaming_takes_edges_and_layout_along() {
    let mut document = channel(&base());
    apply(&mut document, Command::RenameNode { from: "c".into(), to: "masked".into() }).unwrap();
    let written = text::to_value(&document);
    assert_eq!(written.pointer("/spec/edges/1/to"), Some(&json!("masked")));
    assert_eq!(written.pointer("/layout/nodes/masked/color"), Some(&json!("red")));
    assert_eq!(written.pointer("/layout/nodes/c"), None);
}

#[test]
fn letters_of_one_word_are_one_entry() {
    let mut document = channel(&base());
    let start = document.clone();
    let mut history = History::default();
    let typed =
        |text: &str| Command::SetConfig { node: "a".into(), field: "path".into(), value: Some(text.into()) };
    for (text, now) in [("p", 1000), ("pa", 1400), ("pat", 1900), ("pa", 3000)] {
        history.run(&mut document, typed(text), now).unwrap();
    }
    let other = Command::SetConfig { node: "a".into(), field: "encoding".into(), value: Some("x".into()) };
    history.run(&mut document, other, 3001).unwrap();
    assert_eq!(history.undo.len(), 3);
    for _ in 0..3 {
        assert!(history.undo(&mut document).unwrap());
    }
    assert_eq!(document, start);
    assert!(!history.undo(&mut document).unwrap());
    assert!(history.redo(&mut document).unwrap());
    assert_eq!(document.node("a").unwrap().config["path"], json!("pat"));
    history.run(&mut document, typed("patx"), 1901).unwrap();
    assert_eq!((history.undo.len(), history.redo.len()), (2, 0), "after an undo a new thought begins");
    history.run(&mut document, typed("patx"), 9000).unwrap();
    assert_eq!(history.undo.len(), 2, "what changes nothing is not remembered");
}

#[test]
fn a_history_of_another_document_is_refused() {
    let mut document = channel(&base());
    let mut history = History::default();
    history.run(&mut document, Command::RemoveNodes { ids: vec!["a".into()] }, 0).unwrap();
    let stored = history.to_text(&document);
    assert_eq!(History::from_text(&stored, &document), Some(history));
    document.metadata.name = "other".into();
    assert_eq!(History::from_text(&stored, &document), None);
    assert_eq!(History::from_text("{", &document), None);
}

#[test]
fn copies_get_fresh_ids_and_carry_no_secrets() {
    let mut source = base();
    source["spec"]["nodes"][0]["config"]["password"] = json!("hunter2");
    let mut document = channel(&source);
    let spec = crate::specs::source("csv_source", json!({"password": {"type": "string", "writeOnly": true}}));
    let clip = edit::copy(&document, &["a".into(), "b".into(), "c".into()], &[spec]);
    let text = text::to_text(&clip);
    assert!(!text.contains("hunter2"));
    let Some(Document::Channel(clip)) = text::parse(text.as_bytes()).document else {
        panic!("a copy is a document")
    };
    let paste = edit::paste(&document, &clip, Spot { x: 100.0, y: 50.0 });
    let undo = apply(&mut document, paste).unwrap();
    let ids: Vec<_> = document.spec.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "a-2", "b-2", "c-2"]);
    let edges: Vec<_> = document.spec.edges.iter().map(|edge| format!("{}>{}", edge.from, edge.to)).collect();
    assert_eq!(edges[4..], ["a-2>b-2", "b-2>c-2"]);
    assert_eq!(document.layout.nodes["a-2"], Spot { x: 100.0, y: 50.0 });
    assert_eq!(document.layout.nodes["b-2"], Spot { x: 110.5, y: 51.0 });
    assert_eq!(edit::fresh_id(&document, "a-2"), "a-3");
    assert_eq!(edit::fresh_id(&document, "csv_source"), "csv");
    apply(&mut document, undo).unwrap();
    assert_eq!(document, channel(&source));
}

#[test]
fn fixes_become_commands() {
    let document = channel(&base());
    let fix = |pointer: &str, value: Option<Value>| {
        let diagnostic = Diagnostic::error("x", Place::default(), "m").fix("t", pointer, value);
        edit::apply_fix(&document, &diagnostic.fix.unwrap())
    };
    let set =
        Command::SetConfig { node: "a".into(), field: "/columns/0/name".into(), value: Some(json!("d")) };
    assert_eq!(fix("/spec/nodes/0/config/columns/0/name", Some(json!("d"))), set);
    let mut changed = document.clone();
    apply(&mut changed, fix("/spec/edges/1", None)).unwrap();
    assert_eq!(changed.spec.edges.len(), 3);
    apply(&mut changed, fix("/metadata/labels/a", None)).unwrap();
    assert!(changed.metadata.labels.is_empty());
    let _typed: Fix = Fix { title: String::new(), pointer: String::new(), value: None };
}

/// A node whose routes have these names, with an edge from each and one from the fixed output.
fn routes(names: &[&str]) -> Channel {
    let list: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    let edge = |name: &&str| json!({ "from": format!("route.{name}"), "to": "x" });
    let edges: Vec<Value> = names.iter().chain(&["rest"]).map(edge).collect();
    channel(&json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "routes" },
        "spec": {
            "nodes": [{ "id": "route", "component": "route_records", "config": { "routes": list } }, { "id": "x", "component": "log_sink" }],
            "edges": edges,
        },
    }))
}

fn ports() -> Ports {
    let port = |name: &str| Port { name: name.into(), help: String::new() };
    let from = OutputsFrom { list: "routes".into(), name: "name".into(), help: String::new() };
    Ports { inputs: vec![port("in")], outputs: vec![port("rest")], outputs_from: Some(from) }
}
