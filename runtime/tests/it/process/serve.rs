//! `fairway serve` and the commands that talk to it.

use std::fs;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::{Place, Server, chain, code, each_once, ended, ids, rows, signal, stderr, until};

#[test]
fn starts_quickly_stops_cleanly_and_keeps_its_address_good() {
    let place = Place::new();
    let start = Instant::now();
    let server = Server::start(&place, &[]);
    let took = start.elapsed();
    assert!(took.as_millis() < 3000, "{took:?}");
    assert_eq!(server.ask(&place, &["health", "--output", "json"])["mode"], "standalone");
    let token = |server: &Server| server.url.split_once("token=").unwrap().1.to_owned();
    let first = token(&server);
    assert_eq!(first.len(), 64);
    assert_eq!(server.stop("TERM"), 0);
    let server = Server::start(&place, &[]);
    assert_eq!(token(&server), first);
    assert_eq!(server.stop("INT"), 130);
    #[cfg(unix)]
    for name in ["token", "secret.key"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(place.data().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_data_directory_has_one_owner() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    place.write("in.csv", rows(1));
    let document = place.csv_to_jsonl("a", "in.csv", "out.jsonl");
    for args in [vec!["serve", "--listen", "127.0.0.1:0"], vec!["run", document.to_str().unwrap()]] {
        let second = place.output(&args);
        assert_eq!(code(second.status), 4, "{args:?}");
        assert!(stderr(&second).contains(&format!("process {}", server.child.id())), "{}", stderr(&second));
    }
    server.kill();
    // A lock dies with its owner.
    assert_eq!(place.run(&document, &[]).0, 0);
}

#[test]
fn beyond_this_machine_a_chosen_token_is_needed() {
    let place = Place::new();
    let open = place.output(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(code(open.status), 4);
    assert!(stderr(&open).contains("FAIRWAY_TOKEN"), "{}", stderr(&open));
    let short =
        place.fairway(&["serve", "--listen", "127.0.0.1:0"]).env("FAIRWAY_TOKEN", "short").output().unwrap();
    assert_eq!(code(short.status), 4);
    let token = place.write("token.txt", "a token of one's own choice\n");
    let mut chosen: Child = place
        .fairway(&["serve", "--listen", "0.0.0.0:0", "--token-file", token.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(chosen.stdout.take().unwrap()), &mut line)
        .unwrap();
    assert!(line.starts_with("Fairway is ready: http://"), "{line:?}");
    signal(&chosen, "TERM");
    assert_eq!(code(ended(&mut chosen)), 0);
}

#[test]
fn a_channel_by_commands_and_its_journey_to_another_server() {
    let place = Place::new();
    place.write("data/files/in.csv", rows(500));
    let document = place.csv_to_jsonl("orders", "in.csv", "out.jsonl");
    let server = Server::start(&place, &[]);
    let imported = server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
    assert_eq!(imported["channels"].as_array().unwrap().len(), 1);
    let again = server.tell(&place, &["import", document.to_str().unwrap()]);
    assert_eq!(code(again.status), 4);
    assert_eq!(server.ask(&place, &["deploy", "orders", "--output", "json"])["version"], 1);
    server.reaches(&place, "orders", "completed");
    let out = place.path("data/files/out.jsonl");
    assert_eq!(ids(&out), each_once(500));

    // Imported over and deployed again: nothing twice.
    server.ask(&place, &["import", document.to_str().unwrap(), "--over", "--output", "json"]);
    server.ask(&place, &["deploy", "orders", "--output", "json"]);
    until("version 2 completes", || {
        let status = server.ask(&place, &["status", "orders", "--output", "json"]);
        status["version"] == 2 && status["state"] == "completed"
    });
    assert_eq!(ids(&out), each_once(500));
    let positions = server.ask(&place, &["positions", "orders", "--output", "json"]);
    assert!(positions["positions"].as_array().unwrap().iter().any(|position| position["target"] == "out"));

    let exported = server.tell(&place, &["export", "orders"]);
    assert!(exported.status.success());
    let text = String::from_utf8(exported.stdout).unwrap();
    // Canonical: what a person reads first comes first.
    assert!(text.starts_with("{\n  \"apiVersion\": \"fairway/v1\",\n  \"kind\": \"Channel\""), "{text}");
    let original: Value = serde_json::from_slice(&fs::read(&document).unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), original);
    assert_eq!(server.stop("TERM"), 0);

    let elsewhere = Place::new();
    elsewhere.write("data/files/in.csv", rows(20));
    let document = elsewhere.write("orders.json", &text);
    let server = Server::start(&elsewhere, &[]);
    server.ask(&elsewhere, &["import", document.to_str().unwrap(), "--output", "json"]);
    server.ask(&elsewhere, &["deploy", "orders", "--output", "json"]);
    server.reaches(&elsewhere, "orders", "completed");
    assert_eq!(ids(&elsewhere.path("data/files/out.jsonl")), each_once(20));
    let exported = server.tell(&elsewhere, &["export", "orders"]);
    assert_eq!(String::from_utf8(exported.stdout).unwrap(), text);
    assert_eq!(server.stop("TERM"), 0);
}

#[test]
fn files_outside_the_root_are_out_of_reach() {
    let place = Place::new();
    place.write("outside.csv", rows(3));
    let server = Server::start(&place, &[]);
    for (name, path) in
        [("up", "../../outside.csv"), ("absolute", place.path("outside.csv").to_str().unwrap())]
    {
        let document = place.write("it.json", chain(name, json!({ "path": path }), "out.jsonl").to_string());
        server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
        server.ask(&place, &["deploy", name, "--output", "json"]);
        server.reaches(&place, name, "failed");
        let status = server.ask(&place, &["status", name, "--output", "json"]);
        assert_eq!(status["cause"]["code"], "file.outside_root", "{status}");
    }
    assert_eq!(server.stop("TERM"), 0);
}

#[test]
fn killed_in_the_middle_a_server_goes_on_by_itself() {
    let place = Place::new();
    let count = 300_000;
    place.write("data/files/in.csv", rows(count));
    let document = place.csv_to_jsonl("orders", "in.csv", "out.jsonl");
    let out = place.path("data/files/out.jsonl");
    let server = Server::start(&place, &[]);
    server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
    server.ask(&place, &["deploy", "orders", "--output", "json"]);
    until("progress", || fs::metadata(&out).is_ok_and(|file| file.len() > 0));
    server.kill();
    let server = Server::start(&place, &[]);
    server.reaches(&place, "orders", "completed");
    assert_eq!(ids(&out), each_once(count));
    let status = server.ask(&place, &["status", "orders", "--output", "json"]);
    assert_eq!(status["counts"]["delivered"], count);
    // Paused, resumed, restarted: nothing is read that was read before.
    for (command, state) in
        [("pause", "completed"), ("resume", "completed"), ("restart", "completed"), ("stop", "stopped")]
    {
        server.ask(&place, &[command, "orders", "--output", "json"]);
        server.reaches(&place, "orders", state);
    }
    assert_eq!(ids(&out).len(), count);
    assert_eq!(server.stop("TERM"), 0);
}

#[test]
fn a_secret_is_in_no_log_no_answer_and_no_file() {
    let place = Place::new();
    let server = Server::start(&place, &["--log-format", "json"]);
    let mut set = place
        .fairway(&["secrets", "set", "where"])
        .env("FAIRWAY_SERVER", &server.url)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A component that quotes its settings when it fails, as this one quotes its path.
    std::io::Write::write_all(&mut set.stdin.take().unwrap(), b"../../CANARY \"1\" zq9").unwrap();
    assert!(ended(&mut set).success());
    let document = chain("canary", json!({ "path": "in.csv" }), "${secret:where}/out.jsonl");
    let document = place.write("canary.json", document.to_string());
    server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
    server.ask(&place, &["deploy", "canary", "--output", "json"]);
    server.reaches(&place, "canary", "failed");
    let status = server.ask(&place, &["status", "canary", "--output", "json"]);
    assert_eq!(status["cause"]["code"], "file.outside_root");
    assert!(status["cause"]["message"].as_str().unwrap().contains("***"), "{status}");
    assert!(!status.to_string().contains("zq9"));
    let exported = server.tell(&place, &["export", "canary"]);
    assert!(!String::from_utf8(exported.stdout).unwrap().contains("zq9"));
    assert_eq!(server.stop("TERM"), 0);
    let log = fs::read_to_string(place.path("log.txt")).unwrap();
    assert!(log.contains("file.outside_root") && log.contains("***") && !log.contains("zq9"), "{log}");
    for file in fs::read_dir(place.data()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            assert!(!bytes.windows(3).any(|window| window == b"zq9"), "{}", path.display());
        }
    }
}

#[test]
fn odd_names_come_back_and_get_a_file_of_their_own() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    fs::create_dir(place.path("out")).unwrap();
    let names = [
        "注文→倉庫",
        "Ünïcode ñame",
        "e\u{301} decomposed",
        "🚢 harbour",
        "../../etc/passwd",
        "..",
        "a/b\\c",
        "CON",
        "name with trailing dot.",
        "  spaces  ",
        "quote\"and'",
        "<b>markup</b> & -> more",
        "turned \u{202e}fdp.exe",
    ];
    for (index, name) in names.iter().enumerate() {
        let document =
            place.write("it.json", chain(name, json!({ "path": "in.csv" }), "out.jsonl").to_string());
        server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
        let export = server.tell(&place, &["export", name, "--out", "out"]);
        assert!(export.status.success(), "{name:?}: {}", stderr(&export));
        assert_eq!(fs::read_dir(place.path("out")).unwrap().count(), index + 1, "{name:?}");
    }
    let listed = server.tell(&place, &["status"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("turned \\u{202e}fdp.exe") && !listed.contains('\u{202e}'), "{listed}");
    let files = fs::read_dir(place.path("out")).unwrap();
    let mut found: Vec<String> = files
        .map(|file| {
            let document: Value = serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap();
            document["metadata"]["name"].as_str().unwrap().to_owned()
        })
        .collect();
    found.sort();
    let mut expected: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(server.stop("TERM"), 0);
}

/// At every node, what came in and what was made there is what left, was dropped or was refused: also where one record
/// becomes several, or goes several ways.
#[test]
fn counts_add_up_at_nodes_that_make_records() {
    let place = Place::new();
    place.write(
        "data/files/in.jsonl",
        "{\"n\":1,\"l\":[1,20,300]}\n{\"n\":2,\"l\":[]}\n{\"n\":3,\"l\":7}\n{\"n\":4,\"l\":[40]}\n",
    );
    let rule = |name: &str, least: u32| json!({ "name": name, "rules": [{ "field": "l", "op": "ge", "value": least }] });
    let document = json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "making" },
        "spec": {
            "nodes": [
                { "id": "in", "component": "jsonl_source", "config": { "path": "in.jsonl" } },
                { "id": "split", "component": "split_records", "config": { "field": "l" } },
                { "id": "route", "component": "route_records", "config": {
                    "take": "all", "routes": [rule("ten", 10), rule("hundred", 100)]
                } },
                { "id": "ten", "component": "jsonl_sink", "config": { "path": "ten.jsonl" } },
                { "id": "hundred", "component": "jsonl_sink", "config": { "path": "hundred.jsonl" } }
            ],
            "edges": [
                { "from": "in", "to": "split" }, { "from": "split", "to": "route" },
                { "from": "route.ten", "to": "ten" }, { "from": "route.hundred", "to": "hundred" }
            ]
        }
    });
    let document = place.write("making.json", document.to_string());
    let server = Server::start(&place, &[]);
    server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
    server.ask(&place, &["deploy", "making", "--output", "json"]);
    server.reaches(&place, "making", "completed");
    let status = server.ask(&place, &["status", "making", "--output", "json"]);
    let counts = |node: &str| -> Vec<u64> {
        let node = &status["nodes"][node];
        ["in", "made", "out", "filtered", "errors"].iter().map(|name| node[name].as_u64().unwrap()).collect()
    };
    assert_eq!(counts("split"), [4, 2, 4, 1, 1]);
    assert_eq!(counts("route"), [4, 1, 4, 1, 0]);
    for node in ["in", "split", "route", "ten", "hundred"] {
        let [entered, made, out, filtered, errors] = counts(node).try_into().unwrap();
        assert_eq!(entered + made, out + filtered + errors, "{node}: {status}");
    }
    let by_record = ["read", "delivered", "filtered", "dead_lettered"]
        .map(|name| status["counts"][name].as_u64().unwrap());
    assert_eq!(by_record, [4, 2, 1, 1]);
    assert_eq!(server.stop("TERM"), 0);
}
