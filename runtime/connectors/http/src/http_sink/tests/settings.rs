//! Rules of the settings, and the probe.

use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::probe::ProbeCtx;
use fairway_shared::component::Probe;

use super::*;

fn issues(settings: Value) -> Vec<String> {
    HTTP.check(&settings).unwrap().into_iter().map(|issue| issue.field).collect()
}

#[test]
fn settings_that_cannot_work_are_named() {
    let url = "http://h/";
    for (settings, fields) in [
        (json!({ "url": url }), vec![]),
        (json!({ "connection": "api" }), vec![]),
        (json!({}), vec!["url"]),
        (json!({ "url": "http://{host}/" }), vec!["url"]),
        (json!({ "url": url, "user": "u", "token": "t" }), vec!["token"]),
        (json!({ "url": url, "password": "p" }), vec!["password"]),
        (
            json!({ "url": url, "headers": { "a b": "", "Content-Length": "1" } }),
            vec!["headers.Content-Length", "headers.a b"],
        ),
        (json!({ "url": url, "idempotency_header": "" }), vec!["idempotency_header"]),
        (json!({ "url": url, "max_bytes": "1GiB", "timeout": "0s" }), vec!["max_bytes", "timeout"]),
        (json!({ "url": url, "order_by": "id" }), vec!["order_by"]),
        (json!({ "url": url, "refused": [404], "taken": [404] }), vec!["taken"]),
    ] {
        assert_eq!(issues(settings.clone()), fields, "{settings}");
    }
}

async fn probe(settings: Value) -> Result<Probe, Error> {
    let cx = ProbeCtx { files: Files::open("."), deadline: Duration::from_secs(2) };
    (HTTP.probe.unwrap())(settings, cx).await
}

#[tokio::test]
async fn a_probe_asks_and_sends_no_record() {
    let target = Target::start(|_, request| match request.line.split(' ').next() {
        Some("HEAD") => Reply::Raw(b"HTTP/1.1 200 OK\r\nserver: test/1\r\n\r\n".to_vec()),
        _ => Reply::status(405),
    })
    .await;
    let found = probe(json!({ "url": target.url("/a/{id}") })).await.unwrap();
    assert_eq!(found.found, "127.0.0.1 answers HEAD with 200 OK (test/1)");
    let lines: Vec<String> = target.got().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["OPTIONS /a/", "HEAD /a/"]);
    let strict = Target::start(|_, _| Reply::status(401)).await;
    let error = probe(json!({ "url": strict.url("/") })).await.unwrap_err();
    assert_eq!(&*error.code, "http.not_admitted");
    let gone = format!("http://{}/", crate::testing::free_address());
    assert_eq!(&*probe(json!({ "url": gone })).await.unwrap_err().code, "http.unreachable");
}

#[tokio::test]
async fn a_file_of_certificates_must_hold_some() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ca.pem");
    std::fs::write(&path, "no certificate").unwrap();
    for path in [path.as_path(), std::path::Path::new("missing.pem")] {
        let settings = json!({ "url": "https://127.0.0.1:1/", "ca_file": path });
        let error = probe(settings).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Config, "http.bad_ca_file"), "{error}");
    }
}
