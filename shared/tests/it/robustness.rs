//! I7 by force: ten thousand damaged documents, none of which may bring anything down, and all of which keep what they
//! had. The damage is drawn from a fixed seed, so that a failure can be seen again.

use fairway_shared::channel::text::{self, Document};
use fairway_shared::diagnostic::{Diagnostic, MOST, codes};
use fairway_shared::edit;
use fairway_shared::validate::{Facts, everything, validate_text};
use serde_json::{Value, json};

/// Xorshift: enough to damage documents.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let channel = json!({
        "apiVersion": "fairway/v1", "kind": "Channel",
        "metadata": {"name": "注文 → 倉庫", "title": "t", "labels": {"team": "sales"}},
        "spec": {
            "nodes": [
                {"id": "orders", "component": "csv_source", "title": "O", "tasks": 2, "config": {
                    "path": "in/*.csv", "delimiter": ";", "batch": 10, "columns": [{"name": "a", "type": "int64"}], "wait": "5s",
                    "action": {"replace": "x"}, "shape": {"type": "circle", "size": 3}, "password": "${secret:p}", "names": {"a": "b"}}},
                {"id": "db", "component": "sql_source", "config": {"connection": "shop", "table": "t"}},
                {"id": "big", "component": "filter", "config": {"condition": "x > 9007199254740993"}},
                {"id": "mask", "component": "mask", "config": {"fields": ["e\u{301}", "b"]}},
                {"id": "out", "component": "csv_sink", "config": {"path": "out.csv"}},
                {"id": "rest", "component": "table_sink"}
            ],
            "edges": [{"from": "orders", "to": "big"}, {"from": "db", "to": "mask"}, {"from": "big", "to": "mask"},
                {"from": "big.rejected", "to": "rest"}, {"from": "mask", "to": "out"}, {"from": "out.errors", "to": "rest"}],
            "settings": {"stream": "auto", "delivery": "at_least_once", "errors": {"policy": "stop", "retry": {"max_attempts": 3}}}
        },
        "layout": {"nodes": {"orders": {"x": 1.50, "y": -2}}, "notes": [{"text": "n"}], "groups": [{"nodes": ["big"]}]}
    });
    let connection = json!({"apiVersion": "fairway/v1", "kind": "Connection", "metadata": {"name": "shop"},
        "spec": {"connector": "postgres", "config": {"host": "h"}}});
    let bundle = json!({"apiVersion": "fairway/v1", "kind": "Bundle", "items": [channel, connection]});
    let mut seeds: Vec<_> =
        [&channel, &bundle].map(|document| fairway_shared::canonical::pretty(document).into_bytes()).into();
    seeds.push(channel.to_string().into_bytes());
    seeds.push(include_bytes!("../fixtures/v1alpha1-orders.json").to_vec());
    seeds
}

const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "0",
    "-1",
    "1e999",
    "1.0",
    "99999999999999999999",
    "\"\"",
    "\"a.b.c\"",
    "\"errors\"",
    "{}",
    "[]",
    "[[[[",
    "\\",
    "\\u",
    "\\ud800",
    "\u{0}",
    "\u{feff}",
    "\u{202e}",
    "/*",
    "//",
    "'",
    "\"id\"",
    "\"nodes\"",
    "\"$raw\"",
    "{\"$raw\":1}",
    "\"${secret:\"",
    "\"${env:X}\"",
    "\"type\"",
    "\"source\"",
    "\"fairway/v1alpha1\"",
    "NaN",
    "\n",
];

fn damage(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1).min(bytes.len());
    let span = at..(at + chance.below(40)).min(bytes.len());
    match chance.below(16) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << chance.below(8);
            }
        }
        1 => drop(bytes.splice(at..at, chance.pick(TOKENS).bytes())),
        2 => drop(bytes.splice(span, chance.pick(TOKENS).bytes())),
        3 => drop(bytes.drain(span)),
        4 => bytes.truncate(at),
        5 => {
            let piece = bytes[span].to_vec();
            let to = chance.below(bytes.len() + 1);
            drop(bytes.splice(to..to, piece));
        }
        6 => {
            let deep = chance.below(400);
            drop(bytes.splice(at..at, "[".repeat(deep).into_bytes()));
        }
        // Damage that leaves JSON: values change places or types.
        _ => {
            if let Ok(mut value) = serde_json::from_slice::<Value>(bytes) {
                let mut pointers = Vec::new();
                crate::text::walk(&value, String::new(), &mut pointers);
                let (from, to) = (chance.pick(&pointers).clone(), chance.pick(&pointers).clone());
                let odd =
                    [json!(null), json!(7), json!("x"), json!([]), json!({}), json!({"a": [1]}), json!(true)];
                let new = match chance.below(2) {
                    0 => value.pointer(&from).cloned().unwrap_or_default(),
                    _ => chance.pick(&odd).clone(),
                };
                if let Some(place) = value.pointer_mut(&to) {
                    *place = new;
                }
                *bytes = value.to_string().into_bytes();
            }
        }
    }
}

#[test]
fn ten_thousand_damaged_documents_are_answered() {
    let specs = crate::specs::all();
    let host = json!({"host": "h"}).as_object().unwrap().clone();
    let connections = [fairway_shared::connection::Connection::new("shop", "postgres", host)];
    let secrets = ["p".to_owned()];
    let facts = Facts {
        components: &specs,
        connections: Some(&connections),
        secrets: Some(&secrets),
        cluster: false,
    };
    let seeds = seeds();
    // Before the damage they are sound; the older one names components that are not among the few here.
    for seed in &seeds[..3] {
        assert_eq!(validate_text(seed, &facts).1, vec![]);
    }
    let mut chance = Chance(0x005e_ed0f_fa1e);
    let (mut documents, mut refused, mut sound) = (0, 0, 0);
    for round in 0..10_000 {
        let mut bytes = chance.pick(&seeds).clone();
        for _ in 0..=chance.below(4) {
            damage(&mut bytes, &mut chance);
        }
        let (document, found) = validate_text(&bytes, &facts);
        let shown = || String::from_utf8_lossy(&bytes).into_owned();
        let Some(document) = document else {
            assert!(
                found.iter().any(Diagnostic::is_error),
                "round {round}: no document and no error: {}",
                shown()
            );
            refused += 1;
            continue;
        };
        documents += 1;
        sound += usize::from(found.is_empty());
        // What is saved is read back the same, and says the same about itself.
        let written = document.to_text();
        let (again, told) = validate_text(written.as_bytes(), &facts);
        // An index of a bundle counts what could not be read as well; that is gone once written.
        let same = match (&again, &document) {
            (Some(Document::Bundle(a)), Document::Bundle(b)) => a.items == b.items && a.extra == b.extra,
            (again, document) => again.as_ref() == Some(document),
        };
        assert!(same, "round {round}: {}\n became\n{written}", shown());
        let kept = |found: &[Diagnostic]| -> Vec<String> {
            // Once only: what was healed by reading and writing.
            let healed =
                [codes::DOCUMENT_DUPLICATE_KEY, codes::DOCUMENT_MIGRATED, codes::DOCUMENT_BYTE_ORDER_MARK];
            let left = found.iter().filter(|fault| !healed.contains(&fault.code.as_ref()));
            left.map(|fault| format!("{} {}", fault.code, fault.place.pointer)).collect()
        };
        if let Document::Channel(channel) = &document {
            let missing = [codes::DOCUMENT_VERSION, codes::DOCUMENT_KIND];
            if !found.iter().any(|fault| missing.contains(&fault.code.as_ref())) {
                assert_eq!(kept(&told), kept(&found), "round {round}: {}", shown());
            }
            for fix in everything(channel, &facts).into_iter().filter_map(|fault| fault.fix).take(2) {
                let mut mended = channel.clone();
                if let Ok(undo) = edit::apply(&mut mended, edit::apply_fix(channel, &fix)) {
                    edit::apply(&mut mended, undo).expect("an inverse fits");
                    assert_eq!(&mended, channel, "round {round}");
                }
            }
        }
    }
    assert!(
        documents > 1_500 && refused > 1_500 && sound > 100,
        "{documents} documents, {refused} refused, {sound} sound"
    );
}

#[test]
fn any_bytes_at_all() {
    let mut chance = Chance(77);
    for _ in 0..2_000 {
        let length = chance.below(300);
        let bytes: Vec<u8> = (0..length).map(|_| chance.below(256) as u8).collect();
        let parsed = text::parse(&bytes);
        assert!(parsed.document.is_none() && !parsed.diagnostics.is_empty());
    }
}

/// Documents made to be slow or to be answered at great length: long lists of faults, equal ids, names that are all alike.
/// How long each takes is the bench's business.
#[test]
fn answers_to_hostile_documents_are_bounded() {
    let specs = crate::specs::all();
    let facts = Facts { components: &specs, connections: None, secrets: Some(&[]), cluster: false };
    let list = |item: &dyn Fn(usize) -> String, size: usize| {
        let mut text = String::new();
        for index in 0.. {
            let next = item(index);
            if text.len() + next.len() > size {
                break;
            }
            text.push_str(if index > 0 { "," } else { "" });
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
    // A fraction of what is allowed is enough here.
    let half = text::MAX_BYTES / 8 - 200;
    let documents = [
        document(list(&|i| format!(r#"{{"id":"a-{}"}}"#, i / 2), half * 2), String::new()),
        document(list(&|_| r#"{"id":"a"}"#.into(), half * 2), String::new()),
        document(
            list(&|i| format!(r#"{{"id":"{long}{i}","component":"{long}"}}"#), half),
            list(&|i| format!(r#"{{"from":"{long}x{i}","to":"{long}y{i}"}}"#), half),
        ),
        document(
            format!(
                r#"{{"id":"a","component":"csv_source","config":{{{}}}}}"#,
                list(&|i| format!(r#""pth{i}":1"#), half * 2)
            ),
            String::new(),
        ),
        document(
            format!(
                r#"{{"id":"a","component":"csv_source","config":{{"tags":[{}]}}}}"#,
                list(&|_| "\"t\"".into(), half * 2)
            ),
            String::new(),
        ),
        format!("{{{}}}", list(&|_| r#""a":1"#.into(), half * 2)),
    ];
    for (index, document) in documents.iter().enumerate() {
        let (_, found) = validate_text(document.as_bytes(), &facts);
        assert!((100..=MOST + 1).contains(&found.len()), "document {index}: {}", found.len());
    }
}

/// Eight times the document takes about eight times as long, not sixty-four times: long chains of nodes with several outputs,
/// nodes of one id, outputs of one name.
#[test]
fn time_rises_with_the_size_of_a_document() {
    let specs = crate::specs::all();
    let facts = Facts { components: &specs, connections: None, secrets: Some(&[]), cluster: false };
    let join =
        |item: &dyn Fn(usize) -> String, size: usize| (0..size).map(item).collect::<Vec<_>>().join(",");
    let document = |nodes: String, edges: String| {
        format!(
            r#"{{"apiVersion":"fairway/v1","kind":"Channel","metadata":{{"name":"n"}},"spec":{{"nodes":[{nodes}],"edges":[{edges}]}}}}"#
        )
    };
    let chain = |size: usize| {
        document(
            join(&|n| format!(r#"{{"id":"n{n}","component":"filter"}}"#), size),
            join(&|n| format!(r#"{{"from":"n{n}","to":"n{}"}}"#, n + 1), size - 1),
        )
    };
    let equal = |size: usize| {
        document(
            join(&|_| r#"{"id":"a","component":"filter"}"#.into(), size),
            join(&|_| r#"{"from":"a","to":"a"}"#.into(), size),
        )
    };
    let kinds: [(&str, &dyn Fn(usize) -> String); 2] = [("a chain", &chain), ("equal ids", &equal)];
    for (name, document) in kinds {
        let took = |size: usize| {
            let text = document(size);
            let once = || {
                let start = std::time::Instant::now();
                validate_text(text.as_bytes(), &facts);
                start.elapsed()
            };
            [once(), once(), once()].into_iter().min().unwrap()
        };
        let (small, large) = (took(500), took(4000));
        assert!(large < small * 32, "{name}: {small:?} for 500, {large:?} for 4000");
    }
}
