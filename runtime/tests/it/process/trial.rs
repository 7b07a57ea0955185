//! Documents tried out without a server, and dead letters of `run` that are tried again.

use serde_json::{Value, json};

use super::{Place, code};

/// From a CSV file by way of a cast of `id` to `to`.
fn casting(to: &str) -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "orders" },
        "spec": {
            "nodes": [
                { "id": "in", "component": "csv_source", "config": { "path": "in.csv", "columns": "text" } },
                { "id": "cast", "component": "cast_fields", "config": { "fields": [{ "field": "id", "type": to }] } },
                { "id": "out", "component": "jsonl_sink", "config": { "path": "out.jsonl" } }
            ],
            "edges": [{ "from": "in", "to": "cast" }, { "from": "cast", "to": "out" }]
        }
    })
}

fn json_of(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_preview_shows_every_step_and_writes_nothing() {
    let place = Place::new();
    place.write("in.csv", "id,name\n1,a\nx,\u{1b}[31mred\n");
    let document = place.write("orders.json", casting("int64").to_string());
    let document = document.to_str().unwrap();
    let output = place.output(&["preview", document, "--output", "json"]);
    assert_eq!(code(output.status), 0);
    let shown = json_of(&output);
    assert_eq!(shown["nodes"]["out"]["inputs"][0]["value"], json!({ "id": 1, "name": "a" }));
    assert_eq!(
        shown["nodes"]["cast"]["rejects"][0]["record"]["id"],
        shown["nodes"]["cast"]["inputs"][1]["id"]
    );
    assert!(!place.path("out.jsonl").exists() && !place.data().exists(), "it leaves no trace");

    // As text, what a record holds cannot colour the terminal.
    let text = String::from_utf8(place.output(&["preview", document]).stdout).unwrap();
    assert!(text.contains("refused") && !text.contains('\u{1b}'), "{text}");

    place.write("some.jsonl", "{\"id\": \"7\"}\n{\"id\": \"8\"}\n");
    let output =
        place.output(&["preview", document, "--node", "cast", "--records", "some.jsonl", "--output", "json"]);
    let shown = json_of(&output);
    assert_eq!(shown["nodes"]["cast"]["outputs"][0]["records"][1]["value"], json!({ "id": 8 }));
    assert!(shown["nodes"].get("out").is_none());
    assert_eq!(code(place.output(&["preview", document, "--node", "nowhere"]).status), 4);
    let gone = place.write("gone.json", casting("int64").to_string().replace("in.csv", "gone.csv"));
    assert_eq!(code(place.output(&["preview", gone.to_str().unwrap()]).status), 1);
}

#[test]
fn a_connection_is_tested_by_node() {
    let place = Place::new();
    place.write("in.csv", "id\n1\n");
    let document = place.write("orders.json", casting("int64").to_string());
    let probe =
        |node: &str| place.output(&["probe", document.to_str().unwrap(), "--node", node, "--output", "json"]);
    let found = probe("in");
    assert_eq!(code(found.status), 0, "{}", String::from_utf8_lossy(&found.stdout));
    assert!(json_of(&found)["probe"]["found"].is_string());
    let without = probe("cast");
    assert_eq!(
        (code(without.status), &json_of(&without)["cause"]["code"]),
        (4, &json!("probe.not_available"))
    );
    assert_eq!(code(probe("nowhere").status), 3);
}

#[test]
fn dead_letters_of_a_run_are_tried_by_the_next_run() {
    let place = Place::new();
    place.write("in.csv", "id\n1\nx\n3\ny\n");
    let document = place.write("orders.json", casting("int64").to_string());
    assert_eq!(place.run(&document, &[]).1["dead_lettered"], 2);
    let data = place.data();
    let letters = |args: &[&str]| {
        let (command, rest) = args.split_first().unwrap();
        let all = [
            &["dead-letters", command, "orders"],
            rest,
            &["--data", data.to_str().unwrap(), "--output", "json"],
        ]
        .concat();
        json_of(&place.output(&all))
    };
    assert_eq!(letters(&["groups"])["groups"][0]["letters"], 2);
    assert_eq!(letters(&["list", "--node", "cast", "--limit", "1"])["matching"], 2);
    let id = letters(&["list"])["dead_letters"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(letters(&["show", &id])["record"]["value"], json!({ "id": "y" }));
    assert_eq!(letters(&["replay", "--all"]), json!({ "affected": 2, "skipped": 0, "start": "next_run" }));

    // Still refused: it stays, once.
    assert_eq!(place.run(&document, &[]).1["read"], 0);
    assert_eq!(letters(&["list"])["dead_letters"][0]["tries"], 2);
    assert_eq!(letters(&["list"])["total"], 2);
    let mended = place.write("orders.json", casting("string").to_string());
    letters(&["replay", "--id", &id]);
    let (exit, summary) = place.run(&mended, &[]);
    assert_eq!((exit, &summary["nodes"]["out"]["out"]), (0, &json!(1)));
    assert_eq!(letters(&["list"])["total"], 1);
    assert_eq!(
        letters(&[
            "discard",
            "--code",
            letters(&["list"])["dead_letters"][0]["cause"]["code"].as_str().unwrap()
        ])["affected"],
        1
    );
    let text = std::fs::read_to_string(place.path("out.jsonl")).unwrap();
    assert!(text.contains("\"y\"") && !text.contains("\"x\""), "{text}");
}
