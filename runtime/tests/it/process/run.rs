//! `fairway run` and the commands that need no server.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Place, chain, code, each_once, ended, ids, rows, signal, stderr, summary, until};

#[test]
fn the_summary_has_the_fixed_fields_and_a_second_run_goes_on() {
    let place = Place::new();
    place.write("in.csv", rows(1000));
    let document = place.csv_to_jsonl("orders", "in.csv", "out/orders.jsonl");
    let output = place.output(&["run", document.to_str().unwrap(), "--output", "json"]);
    assert_eq!(code(output.status), 0, "{}", stderr(&output));
    let line = String::from_utf8(output.stdout.clone()).unwrap().lines().last().unwrap().to_owned();
    let mut fields = Vec::new();
    let mut rest = &*line;
    for field in [
        "channel",
        "outcome",
        "read",
        "delivered",
        "filtered",
        "dead_lettered",
        "retried",
        "elapsed_ms",
        "nodes",
        "error",
    ] {
        let at = rest.find(&format!("\"{field}\":")).unwrap_or_else(|| panic!("{field} in {line}"));
        rest = &rest[at..];
        fields.push(field);
    }
    let found = summary(&output);
    assert_eq!(found.as_object().unwrap().len(), fields.len());
    assert_eq!(
        (&found["channel"], &found["outcome"], &found["error"]),
        (&json!("orders"), &json!("completed"), &Value::Null)
    );
    assert_eq!(
        (&found["read"], &found["delivered"], &found["filtered"]),
        (&json!(1000), &json!(1000), &json!(0))
    );
    assert_eq!(
        found["nodes"],
        json!({
            "in": { "in": 1000, "out": 1000, "errors": 0 },
            "out": { "in": 1000, "out": 1000, "errors": 0 }
        })
    );
    assert_eq!(ids(&place.path("out/orders.jsonl")), each_once(1000));

    // More rows come; only they are read.
    place.write("in.csv", rows(1200));
    let (code, found) = place.run(&document, &[]);
    assert_eq!((code, &found["read"]), (0, &json!(200)));
    assert_eq!(ids(&place.path("out/orders.jsonl")), each_once(1200));
}

#[test]
fn fresh_starts_over() {
    let place = Place::new();
    place.write("in.csv", rows(10));
    let document = place.csv_to_jsonl("orders", "in.csv", "out.jsonl");
    assert_eq!(place.run(&document, &[]).1["read"], 10);
    assert_eq!(place.run(&document, &[]).1["read"], 0);
    fs::remove_file(place.path("out.jsonl")).unwrap();
    fs::remove_file(place.path("out.jsonl.fairway")).unwrap();
    // The target went back, and records come: that is for a person to decide.
    place.write("in.csv", rows(12));
    let (exit, found) = place.run(&document, &[]);
    assert_eq!((exit, &found["outcome"]), (1, &json!("failed")));
    assert!(!found["error"]["code"].as_str().unwrap().is_empty());
    let (exit, found) = place.run(&document, &["--fresh"]);
    assert_eq!((exit, &found["read"]), (0, &json!(12)));
    assert_eq!(ids(&place.path("out.jsonl")), each_once(12));
}

#[test]
fn killed_in_the_middle_every_record_arrives_once() {
    let place = Place::new();
    let count = 300_000;
    place.write("in.csv", rows(count));
    let document = place.csv_to_jsonl("orders", "in.csv", "out.jsonl");
    let out = place.path("out.jsonl");
    let mut kills = 0;
    // Killed again and again, each time after some progress, until it was let through.
    for _ in 0..4 {
        let before = fs::metadata(&out).map_or(0, |file| file.len());
        let mut child = place
            .fairway(&["run", document.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("progress", || {
            fs::metadata(&out).is_ok_and(|file| file.len() > before) || child_ended(&place, count)
        });
        child.kill().unwrap();
        kills += usize::from(!child.wait().unwrap().success());
    }
    assert!(kills > 0, "every run was over before it was killed");
    let output = place.output(&["run", document.to_str().unwrap()]);
    assert_eq!(code(output.status), 0, "{}", stderr(&output));
    assert_eq!(summary(&output)["outcome"], "completed");
    assert_eq!(ids(&out), each_once(count));
}

/// Whether everything has been written already.
fn child_ended(place: &Place, count: usize) -> bool {
    fs::read_to_string(place.path("out.jsonl")).is_ok_and(|text| text.lines().count() >= count)
}

#[test]
fn signals_drain_and_say_how() {
    for (name, exit) in [("INT", 130), ("TERM", 0)] {
        let place = Place::new();
        let mut document = chain("endless", json!({}), "out.jsonl");
        document["spec"]["nodes"][0] =
            json!({ "id": "in", "component": "generate_source", "config": { "rate": 500 } });
        let document = place.write("endless.json", document.to_string());
        let mut child = place
            .fairway(&["run", document.to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("records", || fs::metadata(place.path("out.jsonl")).is_ok_and(|file| file.len() > 0));
        signal(&child, name);
        let status = ended(&mut child);
        assert_eq!(code(status), exit, "{name}");
        let found = summary(&child.wait_with_output().unwrap());
        assert_eq!(found["outcome"], "stopped");
        // Clean means clean: what was read is in the file.
        let lines = fs::read_to_string(place.path("out.jsonl")).unwrap().lines().count();
        assert_eq!(
            (found["read"].as_u64(), found["delivered"].as_u64()),
            (Some(lines as u64), Some(lines as u64))
        );
    }
}

#[test]
fn dead_letters_of_a_run_can_be_seen_and_discarded() {
    let place = Place::new();
    place.write("in.csv", "id,name\n1,a\n2,b,too many\n3,c\n");
    let document = place.csv_to_jsonl("orders", "in.csv", "out.jsonl");
    let (exit, found) = place.run(&document, &[]);
    assert_eq!(exit, 0);
    assert_eq!(
        (&found["read"], &found["delivered"], &found["dead_lettered"]),
        (&json!(3), &json!(2), &json!(1))
    );
    let data = place.data();
    let data = data.to_str().unwrap();
    let list = || {
        let output = place.output(&["dead-letters", "list", "orders", "--data", data, "--output", "json"]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    assert_eq!(list()["total"], 1);
    let id = list()["dead_letters"][0]["id"].as_str().unwrap().to_owned();
    let discarded = place.output(&["dead-letters", "discard", "orders", "--id", &id, "--data", data]);
    assert!(discarded.status.success());
    assert_eq!(list()["total"], 0);
    let unknown = place.output(&["dead-letters", "list", "never-run", "--data", data]);
    assert_eq!(code(unknown.status), 4);

    place.write("more.csv", "id\n1\n2,2\n");
    let document = place.csv_to_jsonl("more", "more.csv", "more.jsonl");
    assert_eq!(place.run(&document, &["--fail-on-dead-letters"]).0, 1);
}

#[test]
fn exit_codes_are_the_fixed_ones() {
    let place = Place::new();
    place.write("in.csv", rows(1));
    let good = place.csv_to_jsonl("good", "in.csv", "out.jsonl");
    let bad = place.write("bad.json", "{\"apiVersion\": \"fairway/v1\", \"kind\": \"Channel\"");
    let mut unknown = chain("unknown", json!({ "path": "in.csv" }), "out.jsonl");
    unknown["spec"]["nodes"][0]["component"] = json!("csv_sauce");
    let unknown = place.write("unknown.json", unknown.to_string());
    let path = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    for (args, exit) in [
        (vec!["validate".to_owned(), path(&good)], 0),
        (vec!["validate".to_owned(), path(&bad)], 3),
        (vec!["validate".to_owned(), path(&unknown)], 3),
        (vec!["validate".to_owned(), "no-such-file".to_owned()], 4),
        (vec!["plan".to_owned(), path(&good)], 0),
        (vec!["plan".to_owned(), path(&unknown)], 3),
        (vec!["run".to_owned(), path(&bad)], 3),
        (vec!["run".to_owned(), path(&unknown)], 3),
        (vec!["run".to_owned(), path(&good), "--give-up".to_owned(), "soon".to_owned()], 2),
        (vec!["fly".to_owned()], 2),
        (vec!["components".to_owned(), "csv_source".to_owned()], 0),
        (vec!["components".to_owned(), "csv_sauce".to_owned()], 4),
        (vec!["status".to_owned(), "--server".to_owned(), "http://127.0.0.1:9".to_owned()], 4),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = place.output(&args);
        assert_eq!(code(output.status), exit, "{args:?}: {}", stderr(&output));
    }
    let output = place.output(&["validate", &path(&unknown), "--output", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &found["diagnostics"][0];
    assert_eq!(
        (&first["severity"], &first["place"]["pointer"]),
        (&json!("error"), &json!("/spec/nodes/0/component"))
    );
    assert_eq!(first["place"]["node"], "in");
    assert!(first["code"].is_string() && first["message"].is_string());
}

#[test]
fn connections_and_secrets_come_from_beside_the_document() {
    let place = Place::new();
    place.write("in.csv", rows(3));
    let mut document = chain("orders", json!({ "path": "${env:FAIRWAY_TEST_INPUT}" }), "${secret:out}");
    document["metadata"]["description"] = json!("values come from outside");
    let document = place.write("orders.json", document.to_string());
    let (exit, found) = place.run(&document, &[]);
    assert_eq!((exit, &found["error"]["code"]), (3, &json!("secret.unknown")));
    let data = place.data();
    let mut set = place
        .fairway(&["secrets", "set", "out", "--data", data.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut set.stdin.take().unwrap(), b"secret-place.jsonl\n").unwrap();
    assert!(ended(&mut set).success());
    let (exit, found) = place.run(&document, &[]);
    assert_eq!(
        (exit, &found["error"]["code"], &found["error"]["node"]),
        (1, &json!("env.missing"), &json!("in"))
    );
    let run = place
        .fairway(&["run", document.to_str().unwrap()])
        .env("FAIRWAY_TEST_INPUT", "in.csv")
        .output()
        .unwrap();
    assert_eq!(code(run.status), 0, "{}", stderr(&run));
    assert_eq!(ids(&place.path("secret-place.jsonl")), each_once(3));
    assert!(!stderr(&run).contains("secret-place"));
}

/// Tables have whole numbers as keys more often than not, negative ones too.
#[test]
fn a_table_with_whole_numbers_as_key_is_read_to_its_end() {
    use sqlx::Connection as _;

    let place = Place::new();
    let path = place.path("shop.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = format!("sqlite://{}?mode=rwc", path.display());
        let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
        let fill = "create table orders (id integer primary key, name text);
            insert into orders with recursive g(n) as (select -50 union all select n + 1 from g where n < 50)
            select n, 'name of ' || n from g";
        sqlx::raw_sql(fill).execute(&mut database).await.unwrap();
        database.close().await.unwrap();
    });
    for mode in ["bulk", "incrementing"] {
        let mut document = chain(mode, json!({}), &format!("{mode}.jsonl"));
        document["spec"]["nodes"][0] = json!({
            "id": "in", "component": "sqlite_table_source",
            "config": { "path": path, "tables": ["orders"], "mode": mode }
        });
        if mode == "incrementing" {
            document["spec"]["nodes"][0]["config"]["incrementing_column"] = json!("id");
        }
        let document = place.write(&format!("{mode}.json"), document.to_string());
        for _ in 0..2 {
            let (code, summary) = place.run(&document, &["--give-up", "5s"]);
            assert_eq!((code, &summary["outcome"]), (0, &json!("completed")), "{mode}: {summary}");
        }
        let text = fs::read_to_string(place.path(&format!("{mode}.jsonl"))).unwrap();
        assert_eq!(text.lines().count(), 101, "{mode}");
    }
}

/// A run says when it ends where its sources would not end by themselves.
#[test]
fn a_run_says_when_sources_that_wait_for_more_end() {
    let place = Place::new();
    place.write("in.csv", rows(3));
    let following = chain("following", json!({ "path": "in.csv", "follow": true }), "out.jsonl");
    let document = place.write("following.json", following.to_string());
    let output = place.output(&["run", document.to_str().unwrap()]);
    assert_eq!(code(output.status), 0);
    let told = stderr(&output);
    assert!(told.contains("`in` (CSV files) waits for more") && told.contains("caught up"), "{told}");
    let bounded = place.csv_to_jsonl("bounded", "in.csv", "other.jsonl");
    assert!(!stderr(&place.output(&["run", bounded.to_str().unwrap()])).contains("waits for more"));

    let mut endless = chain("endless", json!({}), "third.jsonl");
    endless["spec"]["nodes"][0] = json!({ "id": "in", "component": "generate_source", "config": {} });
    let document = place.write("endless.json", endless.to_string());
    let log = std::fs::File::create(place.path("told.txt")).unwrap();
    let mut child = place
        .fairway(&["run", document.to_str().unwrap()])
        .stdout(std::process::Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap();
    until("it is said", || {
        std::fs::read_to_string(place.path("told.txt")).unwrap().contains("does not end by itself")
    });
    signal(&child, "TERM");
    assert_eq!(code(ended(&mut child)), 0);
}
