//! Documents tried out without a server, and dead letters of `run` that are tried again.

use serde_json::{Value, json};

use super::{Place, Server, code};

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

/// A server tries documents out with its own files, connections and secrets.
#[test]
fn a_running_server_is_asked_where_it_is_named() {
    let place = Place::new();
    place.write("data/files/in.csv", "id,name\n1,on the server\n");
    let server = Server::start(&place, &[]);
    // Asked from elsewhere, where there is no such file.
    let elsewhere = Place::new();
    let document = elsewhere.write("orders.json", casting("int64").to_string());
    let document = document.to_str().unwrap();
    let ask =
        |args: &[&str]| elsewhere.output(&[args, &["--server", &server.url, "--output", "json"]].concat());
    let output = ask(&["preview", document, "--limit", "5"]);
    assert_eq!(code(output.status), 0, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        json_of(&output)["nodes"]["out"]["inputs"][0]["value"],
        json!({ "id": 1, "name": "on the server" })
    );
    assert!(!place.path("data/files/out.jsonl").exists(), "nothing is written");
    let found = ask(&["probe", document, "--node", "in"]);
    assert_eq!(code(found.status), 0, "{}", String::from_utf8_lossy(&found.stderr));
    assert!(json_of(&found)["probe"]["found"].is_string());
    assert_eq!(code(ask(&["probe", document, "--node", "cast"]).status), 4);

    // Here, without a server, the file is missing.
    assert_eq!(code(elsewhere.output(&["preview", document]).status), 1);
    let both = elsewhere.output(&["preview", document, "--server", &server.url, "--data", "d"]);
    assert_eq!(code(both.status), 2);
    let long = elsewhere.output(&["preview", document, "--deadline", "31s"]);
    assert_eq!(code(long.status), 2);
    let bare = server.url.split('?').next().unwrap();
    let denied = elsewhere.output(&["preview", document, "--server", bare]);
    assert_eq!(code(denied.status), 4, "without its token");
    assert_eq!(server.stop("TERM"), 0);
}

/// What a source refused is no record: it cannot be tried again, and that is said by a code.
#[test]
fn letters_of_a_source_cannot_be_tried_again_and_say_why() {
    let place = Place::new();
    place.write("in.csv", "id,name\n1,a\n2\n3,c,d\nx,e\n");
    let document = place.write("orders.json", casting("int64").to_string());
    assert_eq!(place.run(&document, &[]).1["dead_lettered"], 3);
    let data = place.data();
    let output = place.output(&[
        "dead-letters",
        "replay",
        "orders",
        "--all",
        "--data",
        data.to_str().unwrap(),
        "--output",
        "json",
    ]);
    let answer = json_of(&output);
    assert_eq!((&answer["affected"], &answer["skipped"]), (&json!(1), &json!(2)));
    assert_eq!(answer["reasons"][0]["code"], "dead_letter.refused_by_source");
    assert_eq!(answer["reasons"].as_array().unwrap().len(), 1);
    let text = place.output(&["dead-letters", "replay", "orders", "--all", "--data", data.to_str().unwrap()]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("[dead_letter.refused_by_source]") && text.contains("help:"), "{text}");
}
