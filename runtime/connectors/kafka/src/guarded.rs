//! Brokers that speak TLS and ask who comes, with a certificate of an authority made here.

use std::time::Duration;

use fairway_engine::Kind;
use fairway_engine::files::Files;
use fairway_engine::probe::ProbeCtx;
use fairway_engine::testkit::{Bench, Drawing};
use fairway_peers::kafka::{GUARDED, Kafka};
use fairway_peers::tls::Authority;
use serde_json::{Value, json};

use crate::testing::{caught_up, component, numbered};

/// A broker whose certificate is for `localhost`, and files with the certificate of its authority and of a stranger.
struct Guarded {
    kafka: Kafka,
    folder: tempfile::TempDir,
}

impl Guarded {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ours, strange) = (Authority::new("ours").unwrap(), Authority::new("a stranger").unwrap());
        std::fs::write(folder.path().join("ours.pem"), ours.certificate()).unwrap();
        std::fs::write(folder.path().join("strange.pem"), strange.certificate()).unwrap();
        let kafka = Kafka::start_with_tls(&ours.vouch(&["localhost"]).unwrap()).unwrap();
        Self { kafka, folder }
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    fn tls(&self) -> Value {
        json!({
            "brokers": self.kafka.tls_address(),
            "security": { "tls": true, "ca": self.file("ours.pem") },
        })
    }

    fn sasl(&self, mechanism: &str, password: &str) -> Value {
        json!({
            "brokers": self.kafka.sasl_address(),
            "security": {
                "tls": true, "ca": self.file("ours.pem"), "sasl": mechanism, "user": GUARDED.0,
                "password": password,
            },
        })
    }

    /// Reads a topic and writes what it reads to another, both by this access.
    async fn passes(&self, access: &Value, what: &str) {
        let (from, to) = (self.kafka.topic(1, &[]).unwrap(), self.kafka.topic(1, &[]).unwrap());
        self.kafka.send(&from, &numbered(0, 200, 1)).unwrap();
        let drawing = Drawing::new()
            .node("in", component("kafka_source"), with(access, json!({ "topics": [from] })))
            .node("out", component("kafka_sink"), with(access, json!({ "topic": to })))
            .edges(&["in>out"]);
        Bench::default().run(&caught_up(drawing)).await.unwrap();
        assert_eq!(self.kafka.read(&to).unwrap().len(), 200, "{what}");
    }

    /// The code of the fault that a probe tells of.
    async fn probe(&self, access: &Value) -> fairway_engine::Error {
        let cx = ProbeCtx { files: Files::open("."), deadline: Duration::from_secs(4) };
        component("kafka_source").probe.unwrap()(access.clone(), cx).await.unwrap_err()
    }

    /// The code of the fault that probe, source and sink tell of, which must never show a password.
    async fn refuses(&self, access: &Value, password: &str) -> String {
        let mut errors = vec![self.probe(access).await];
        let topic = self.kafka.topic(1, &[]).unwrap();
        let source = with(access, json!({ "topics": [topic] }));
        let mut sink = with(access, json!({ "topic": topic }));
        sink["key_fields"] = json!(["n"]);
        for drawing in [
            Drawing::new().node("in", component("kafka_source"), source).node(
                "out",
                component("kafka_sink"),
                with(&self.tls(), json!({ "topic": topic })),
            ),
            Drawing::new()
                .node("in", fairway_engine::testkit::MEMORY_SOURCE, json!({ "count": 5, "batch": 5 }))
                .node("out", component("kafka_sink"), sink),
        ] {
            let mut drawing = caught_up(drawing.edges(&["in>out"]));
            drawing.0.give_up = Some(Duration::ZERO);
            errors.push(Bench::default().run(&drawing).await.unwrap_err());
        }
        for error in &errors {
            let shown = format!("{error:?} {:?}", error.cause());
            assert!(!shown.contains(password), "secrets stay secret: {shown}");
            assert_eq!((error.kind, &error.code), (Kind::Outage, &errors[0].code), "{shown}");
            assert!(error.help.is_some(), "{shown}");
        }
        errors.remove(0).code.into_owned()
    }
}

/// Access with more settings.
fn with(access: &Value, more: Value) -> Value {
    let mut config = access.clone();
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_and_password_decide() {
    let guarded = Guarded::new();
    guarded.passes(&guarded.tls(), "TLS").await;
    for mechanism in ["plain", "scram_sha_256", "scram_sha_512"] {
        guarded.passes(&guarded.sasl(mechanism, GUARDED.1), mechanism).await;
        let wrong = guarded.probe(&guarded.sasl(mechanism, "open-barley")).await;
        assert_eq!(wrong.code, "kafka.authentication", "{mechanism}: {wrong}");
        assert!(!format!("{wrong:?}").contains("open-barley"), "{mechanism}: {wrong:?}");
    }
    let wrong = guarded.sasl("scram_sha_512", "open-barley");
    assert_eq!(guarded.refuses(&wrong, "open-barley").await, "kafka.authentication");
    let mut strange = guarded.tls();
    strange["security"]["ca"] = json!(guarded.file("strange.pem"));
    assert_eq!(guarded.refuses(&strange, "-----BEGIN").await, "kafka.tls");
    let mut other_name = guarded.tls();
    other_name["brokers"] = json!(guarded.kafka.tls_address().replace("localhost", "127.0.0.1"));
    assert_eq!(guarded.probe(&other_name).await.code, "kafka.tls");
    let mut without = guarded.tls();
    without["security"] = json!({ "tls": false });
    assert_eq!(guarded.probe(&without).await.code, "kafka.unreachable");
}
