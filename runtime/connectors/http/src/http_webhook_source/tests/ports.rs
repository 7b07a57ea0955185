//! Requests by the runtime's port, and what records take along.

use std::any::Any;
use std::sync::Mutex;

use bytes::Bytes;
use fairway_engine::component::Opener;
use fairway_engine::data::json_write::write_record;
use fairway_engine::files::Files;
use fairway_engine::hooks::{Answer, Hook, Hooks, Port, Request};
use fairway_engine::source::{Next, Source, SourceCtx};
use serde_json::json;

use super::*;

#[derive(Default)]
struct OnePort(Arc<Mutex<Option<Arc<dyn Hook>>>>);

struct Closes(Arc<Mutex<Option<Arc<dyn Hook>>>>);

impl Drop for Closes {
    fn drop(&mut self) {
        self.0.lock().unwrap().take();
    }
}

impl std::fmt::Debug for OnePort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnePort")
    }
}

impl Port for OnePort {
    fn open(&self, uid: &str, node: &str, hook: Arc<dyn Hook>) -> Box<dyn Any + Send + Sync> {
        assert_eq!((uid, node), ("uid", "in"));
        *self.0.lock().unwrap() = Some(hook);
        Box::new(Closes(self.0.clone()))
    }
}

async fn open(settings: Value, hooks: Hooks) -> Result<Box<dyn Source>, Error> {
    let Opener::Source(open) = WEBHOOK.opener else { panic!("it is a source") };
    let cx = SourceCtx {
        uid: "uid".into(),
        node: "in".into(),
        share: None,
        generation: 3,
        files: Files::open("."),
        hooks,
        resume: Vec::new(),
        until_caught_up: false,
    };
    open(settings, cx).await
}

/// Sends a request in two pieces and takes one batch.
async fn through(settings: Value, query: &str, headers: &[(&str, &str)], body: &str) -> (Answer, String) {
    let port = OnePort::default();
    let kept = port.0.clone();
    let mut source = open(settings, Hooks::on(Arc::new(port))).await.unwrap();
    let (one, two) = body.split_at(body.len() / 2);
    let pieces = [one, two].map(|piece| Ok(Bytes::from(piece.to_owned())));
    let request = Request {
        method: "POST".into(),
        query: query.into(),
        headers: headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        body: Box::pin(futures::stream::iter(pieces)),
    };
    let hook = kept.lock().unwrap().clone().unwrap();
    let calling = tokio::spawn(async move { hook.call(request).await });
    let Next::Batch(polled) = source.next().await.unwrap() else { panic!("a batch was expected") };
    assert_eq!(polled.position.order, (3 << 40) + polled.batch.len() as u64);
    let mut text = Vec::new();
    for record in polled.batch.records() {
        write_record(&record, &mut text);
        for (name, value) in record.headers() {
            text.extend(format!(" {name}={value:?}").into_bytes());
        }
    }
    source.acknowledge("", &polled.position).await.unwrap();
    source.close().await;
    drop(source);
    assert!(kept.lock().unwrap().is_none(), "the port is given back");
    (calling.await.unwrap(), String::from_utf8(text).unwrap())
}

#[tokio::test]
async fn the_port_of_the_runtime_brings_requests() {
    let settings = json!({ "headers": ["X-Kind"], "parameters": ["from"], "status": 202 });
    let headers = [("x-kind", "new"), ("x-other", "1")];
    let (answer, text) = through(settings, "from=a%20b&x=y", &headers, r#"{"n":1.50}"#).await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.body, Bytes::from_static(br#"{"accepted":1}"#));
    assert_eq!(answer.headers, [("content-type", "application/json".to_owned())]);
    assert_eq!(text, r#"{"n":1.50} x-kind=Str("new") from=Str("a b")"#);
}

#[tokio::test]
async fn texts_and_bytes_are_one_record() {
    let (answer, text) = through(json!({ "format": "text", "status": 204 }), "", &[], "a\n\"b\"").await;
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    assert_eq!(text, r#"{"body":"a\n\"b\""}"#);
    let (_, text) = through(json!({ "format": "bytes", "field": "raw" }), "", &[], "abc").await;
    assert_eq!(text, r#"{"raw":"YWJj"}"#);
}

#[tokio::test]
async fn without_a_port_there_must_be_an_address() {
    let error = open(json!({}), Hooks::default()).await.err().unwrap();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "webhook.no_port"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let error = open(json!({ "listen": listen }), Hooks::default()).await.err().unwrap();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "webhook.port_taken"));
    let error = open(json!({ "listen": "203.0.113.1:1" }), Hooks::default()).await.err().unwrap();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "webhook.cannot_listen"));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_signed_requests_are_taken() {
    use hmac::Mac;
    let settings = json!({ "signature": { "header": "x-sign", "secret": "s3cret", "prefix": "v1=" } });
    let running = Running::start("hook-signed", settings).await;
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(b"s3cret").unwrap();
    mac.update(b"{\"n\":1}");
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let header = format!("x-sign: v1={hex}\r\n");
    let send = |header: String, body: &'static str| async move {
        crate::testing::send(running.address, "POST", &header, body.as_bytes()).await
    };
    assert_eq!(send(header.clone(), "{\"n\":1}").await.status, 200);
    let got = send(header, "{\"n\":2}").await;
    assert_eq!(got.status, 401);
    assert!(!got.body.contains(&hex) && !got.body.contains("s3cret"), "{got:?}");
    assert_eq!(send(String::new(), "{\"n\":3}").await.status, 401);
    assert_eq!(shelf("hook-signed").numbers(), [1]);
}
