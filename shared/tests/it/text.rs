//! Documents as text: what goes in comes out, and everything that is wrong is said with its place.

use fairway_shared::channel::text::{self, Document, MAX_BYTES, Parsed};
use fairway_shared::channel::{Channel, Edge, ErrorPolicy, Node, PortRef, Spot};
use fairway_shared::diagnostic::{Severity, codes};
use serde_json::{Value, json};

fn parse(text: &str) -> Parsed {
    text::parse(text.as_bytes())
}

fn channel(parsed: Parsed) -> Channel {
    match parsed.document {
        Some(Document::Channel(channel)) => channel,
        other => panic!("no channel but {other:?}: {:#?}", parsed.diagnostics),
    }
}

fn codes_of(parsed: &Parsed) -> Vec<&str> {
    parsed.diagnostics.iter().map(|diagnostic| diagnostic.code.as_ref()).collect()
}

#[test]
fn canonical_text_has_a_fixed_order() {
    let shuffled = json!({
        "layout": {"groups": [{"b": 1, "a": 2}], "notes": ["n"], "nodes": {"b": {"y": 2, "x": 1.5}, "a": {"x": 0, "y": 0}}},
        "zeta": 1, "alpha": 2,
        "spec": {
            "settings": {"errors": {"retry": {"max_attempts": 7}, "policy": "stop"}, "delivery": "exactly_once", "stream": "auto"},
            "edges": [{"to": "b", "from": "a.rest"}],
            "nodes": [
                {"tasks": 2, "config": {"z": [], "a": {"y": 1, "x": 2}}, "title": "A", "component": "csv_source", "id": "a"},
                {"component": "json_sink", "id": "b", "config": {}}
            ]
        },
        "metadata": {"labels": {"t": "u"}, "description": "d", "title": "t", "name": "n"},
        "kind": "Channel", "apiVersion": "fairway/v1"
    });
    let (channel, _) = text::from_value(&shuffled);
    let written = text::to_text(&channel.unwrap());
    assert_eq!(
        written,
        r#"{
  "apiVersion": "fairway/v1",
  "kind": "Channel",
  "metadata": {
    "name": "n",
    "title": "t",
    "description": "d",
    "labels": {
      "t": "u"
    }
  },
  "spec": {
    "nodes": [
      {
        "id": "a",
        "component": "csv_source",
        "title": "A",
        "config": {
          "a": {
            "x": 2,
            "y": 1
          },
          "z": []
        },
        "tasks": 2
      },
      {
        "id": "b",
        "component": "json_sink"
      }
    ],
    "edges": [
      {
        "from": "a.rest",
        "to": "b"
      }
    ],
    "settings": {
      "stream": "auto",
      "delivery": "exactly_once",
      "errors": {
        "policy": "stop",
        "retry": {
          "max_attempts": 7
        }
      }
    }
  },
  "layout": {
    "nodes": {
      "a": {
        "x": 0,
        "y": 0
      },
      "b": {
        "x": 1.5,
        "y": 2
      }
    },
    "notes": [
      "n"
    ],
    "groups": [
      {
        "a": 2,
        "b": 1
      }
    ]
  },
  "alpha": 2,
  "zeta": 1
}
"#
    );
    assert_eq!(text::to_text(&channel_of(&written)), written);
}

fn channel_of(text: &str) -> Channel {
    channel(parse(text))
}

#[test]
fn an_empty_channel_shows_what_readers_expect() {
    let mut empty = Channel::default();
    empty.metadata.name = "n".into();
    let value = text::to_value(&empty);
    let expected = json!({"apiVersion": "fairway/v1", "kind": "Channel", "metadata": {"name": "n"}, "spec": {"nodes": [], "edges": []}});
    assert_eq!(value, expected);
    assert_eq!(text::from_value(&value), (Some(empty), vec![]));
}

/// G14: whatever the user had is there after a save, even where Fairway cannot make sense of it; and it is reported.
#[test]
fn nothing_is_lost_whatever_its_type() {
    let good = json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "$schema": "channel.json",
        "metadata": {"name": "n", "title": "t", "description": "d", "labels": {"a": "b"}},
        "spec": {
            "nodes": [{"id": "a", "component": "csv_source", "title": "A", "config": {"path": "x"}, "tasks": 2}],
            "edges": [{"from": "a", "to": "b"}],
            "settings": {"stream": "direct", "delivery": "idempotent", "errors": {"policy": "drop", "retry": {"max_attempts": 2}}}
        },
        "layout": {"nodes": {"a": {"x": 1, "y": 2}}, "notes": [1], "groups": [2]}
    });
    assert_eq!(text::from_value(&good).1, vec![]);
    let mut pointers = Vec::new();
    walk(&good, String::new(), &mut pointers);
    let odd: Vec<Value> = serde_json::from_str(
        r#"[5, 1.50, 1e400, -0, 4294967296, "", "odd", true, [], [{}], ["x", 5], {"$raw": 1}, {"odd": 1, "x": "left"}]"#,
    )
    .unwrap();
    for pointer in pointers.iter().filter(|pointer| !pointer.is_empty()) {
        for value in &odd {
            let mut document = good.clone();
            *document.pointer_mut(pointer).unwrap() = value.clone();
            let (channel, faults) = text::from_value(&document);
            let Some(channel) = channel else {
                assert_eq!(pointer, "/kind", "{value}");
                continue;
            };
            let written = text::to_value(&channel);
            assert!(keeps(&document, &written), "{pointer} = {value} came back as {written:#}");
            assert_eq!(
                text::faults(&channel),
                faults,
                "{pointer} = {value}: faults are found again in the document"
            );
            assert_eq!(text::from_value(&written).0.as_ref(), Some(&channel), "{pointer} = {value}");
            let through_serde: Channel =
                serde_json::from_str(&serde_json::to_string(&channel).unwrap()).unwrap();
            assert_eq!(through_serde, channel);
        }
        let mut document = good.clone();
        if let Some(Value::Object(map)) = document.pointer_mut(pointer) {
            map.insert("unheard_of".into(), json!({"of": [1]}));
            let (channel, faults) = text::from_value(&document);
            assert!(keeps(&document, &text::to_value(&channel.unwrap())), "{pointer}");
            let free = pointer.starts_with("/spec/nodes/0/config");
            let expected = format!("{pointer}/unheard_of");
            let told = faults.iter().any(|fault| fault.place.pointer == expected);
            assert!(
                told != free || pointer.ends_with("labels") || pointer.ends_with("/layout/nodes"),
                "{pointer}"
            );
        }
    }
}

pub(crate) fn walk(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| walk(value, format!("{at}/{key}"), pointers))
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| walk(value, format!("{at}/{i}"), pointers))
        }
        _ => {}
    }
    pointers.push(at);
}

/// Whether all of `before` is in `after`, digits included. Empty optional parts are left out by rule, and a spot always
/// has both coordinates.
fn keeps(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(key, value)| match after.get(key) {
                Some(kept) => keeps(value, kept),
                None => *value == json!({}) || *value == json!([]),
            })
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len()
                && before.iter().zip(after).all(|(before, after)| keeps(before, after))
        }
        // With `arbitrary_precision` numbers are equal when their digits are.
        _ => before == after,
    }
}

#[test]
fn all_faults_of_shape_at_once_with_line_and_column() {
    let text = r#"{
  "apiVersion": "fairway/v9",
  "kind": "Chanel",
  "metadata": { "name": 5, "labels": { "a": 1 }, "titel": "x" },
  "spec": {
    "nodes": [ { "id": "a", "component": "csv_source", "confg": {}, "tasks": 0 }, 7 ],
    "edges": [ { "from": true, "to": "a" } ],
    "settings": { "stream": "topick", "errors": { "policy": null } },
    "settings": { "stream": "topick", "errors": { "policy": null } }
  },
  "layout": { "nodes": { "a": { "x": "left" } } }
}"#;
    let parsed = parse(text);
    let told: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|d| {
            format!("{} {}:{} {}", d.code, d.place.line.unwrap(), d.place.column.unwrap(), d.place.pointer)
        })
        .collect();
    assert_eq!(
        told,
        [
            "document.version 2:3 /apiVersion",
            "document.kind 3:3 /kind",
            "document.wrong_type 4:17 /metadata/name",
            "document.wrong_type 4:40 /metadata/labels/a",
            "document.out_of_range 6:69 /spec/nodes/0/tasks",
            "document.unknown_field 6:56 /spec/nodes/0/confg",
            "document.wrong_type 6:83 /spec/nodes/1",
            "document.wrong_type 7:18 /spec/edges/0/from",
            "document.duplicate_key 9:5 /spec/settings",
            "document.unknown_value 9:19 /spec/settings/stream",
            "document.wrong_type 11:33 /layout/nodes/a/x",
            "document.unknown_field 4:50 /metadata/titel",
        ]
    );
    let unknown = parsed.diagnostics.iter().find(|d| d.place.pointer.ends_with("confg")).unwrap();
    assert_eq!(unknown.place.node.as_deref(), Some("a"));
    assert!(unknown.message.contains("did you mean `config`"), "{unknown}");
    assert_eq!(parsed.diagnostics.last().unwrap().severity, Severity::Warning);
    assert!(parsed.document.is_some(), "a document with faults is still a document");
}

#[test]
fn slips_of_the_text_do_not_hide_faults_of_the_shape() {
    let parsed =
        parse("{\"apiVersion\": \"fairway/v1\", \"kind\": \"Channel\",\n \"spec\": {\"nodes\": 5,}, 'x'}");
    assert_eq!(codes_of(&parsed), [codes::DOCUMENT_SYNTAX, codes::DOCUMENT_SYNTAX]);
    let parsed =
        parse("{\"apiVersion\": \"fairway/v1\", \"kind\": \"Channel\",\n \"spec\": {\"nodes\": 5,}}");
    assert_eq!(codes_of(&parsed), [codes::DOCUMENT_SYNTAX, codes::DOCUMENT_WRONG_TYPE]);
    assert_eq!(parsed.document, None, "what is not JSON is no document");
}

#[test]
fn bytes_that_are_no_text() {
    let bad = [b"{\n \"a\": \"".as_slice(), b"\xff\"}"].concat();
    for (bytes, code, line, column) in [
        (bad.as_slice(), codes::DOCUMENT_ENCODING, 2, 8),
        (b"\xff\xfe{\0}\0", codes::DOCUMENT_ENCODING, 1, 1),
        (b"", codes::DOCUMENT_SYNTAX, 1, 1),
        (b"\xef\xbb\xbf", codes::DOCUMENT_SYNTAX, 1, 1),
        (b"[]", codes::DOCUMENT_NOT_AN_OBJECT, 1, 1),
        (b"{}", codes::DOCUMENT_KIND, 1, 1),
    ] {
        let parsed = text::parse(bytes);
        let first = &parsed.diagnostics[0];
        assert_eq!(
            (first.code.as_ref(), first.place.line, first.place.column),
            (code, Some(line), Some(column))
        );
        assert_eq!(parsed.document, None);
    }
    let marked = [b"\xef\xbb\xbf".as_slice(), text::to_text(&Channel::default()).as_bytes()].concat();
    let parsed = text::parse(&marked);
    assert_eq!(codes_of(&parsed), [codes::DOCUMENT_BYTE_ORDER_MARK]);
    assert_eq!(parsed.document, Some(Document::Channel(Channel::default())));
}

#[test]
fn size_is_bounded() {
    let document = text::to_text(&Channel::default());
    let fits = format!("{document}{}", " ".repeat(MAX_BYTES - document.len()));
    assert!(parse(&fits).document.is_some());
    assert_eq!(codes_of(&parse(&format!("{fits} "))), [codes::DOCUMENT_TOO_LARGE]);
}

#[test]
fn an_older_document_is_brought_up_to_date() {
    let parsed = text::parse(include_bytes!("../fixtures/v1alpha1-orders.json"));
    insta::assert_snapshot!(
        "migrated_diagnostics",
        parsed.diagnostics.iter().map(|d| format!("{d}\n")).collect::<String>()
    );
    let migrated = channel(parsed);
    let written = text::to_text(&migrated);
    insta::assert_snapshot!("migrated_document", written);
    let again = parse(&written);
    assert!(
        again.diagnostics.iter().all(|d| d.code == codes::DOCUMENT_UNKNOWN_FIELD),
        "{:?}",
        again.diagnostics
    );
    assert_eq!(channel(again), migrated);
}

#[test]
fn connections_and_bundles() {
    let connection = json!({
        "apiVersion": "fairway/v1", "kind": "Connection", "metadata": {"name": "shop"},
        "spec": {"connector": "postgres", "config": {"password": "${secret:shop}", "port": 5432}}, "later": true
    });
    let channel = json!({"apiVersion": "fairway/v1", "kind": "Channel", "metadata": {"name": "c"}, "spec": {"nodes": [], "edges": []}});
    let bundle = json!({"apiVersion": "fairway/v1", "kind": "Bundle", "items": [7, {"kind": "Bundle", "items": []}, connection, channel]});
    let parsed = parse(&bundle.to_string());
    assert_eq!(
        parsed.diagnostics.iter().map(|d| (d.code.as_ref(), d.place.pointer.as_str())).collect::<Vec<_>>(),
        [
            (codes::DOCUMENT_NOT_AN_OBJECT, "/items/0"),
            (codes::BUNDLE_ITEM, "/items/1"),
            (codes::DOCUMENT_UNKNOWN_FIELD, "/items/2/later"),
        ]
    );
    let document = parsed.document.unwrap();
    let parts = document.parts();
    assert_eq!(
        parts.iter().map(|(at, part)| (at.as_str(), part.name())).collect::<Vec<_>>(),
        [("/items/2", Some("shop")), ("/items/3", Some("c")),]
    );
    assert_eq!(parts[0].1.to_value(), connection);
    assert_eq!(parts[1].1.to_value(), channel);
    let (none, faults) = text::from_value(&connection);
    assert_eq!(none, None);
    assert_eq!(faults[0].code, codes::DOCUMENT_KIND);
}

#[test]
fn odd_names_come_back_code_point_for_code_point() {
    for name in [
        "注文→倉庫",
        "e\u{301}",
        "../../etc/passwd",
        "  spaces  ",
        "line\nbreak",
        "a\0b",
        "quote\"and'",
        "</script>",
    ] {
        let mut document = Channel::default();
        document.metadata.name = name.into();
        document.spec.nodes.push(Node { id: name.into(), component: name.into(), ..Node::default() });
        document.spec.edges.push(Edge {
            from: PortRef::port(name, name),
            to: PortRef::node(name),
            ..Edge::default()
        });
        document.layout.nodes.insert(name.into(), Spot { x: -0.1, y: 1e300 });
        document.spec.settings.set_policy(ErrorPolicy::Drop);
        let parsed = parse(&text::to_text(&document));
        assert_eq!(parsed.diagnostics, vec![]);
        let mut back = channel(parsed);
        // A name with a dot before the port's reads as another split of the same text.
        assert_eq!(back.spec.edges[0].from.to_string(), document.spec.edges[0].from.to_string());
        back.spec.edges.clone_from(&document.spec.edges);
        assert_eq!(back, document);
    }
}
