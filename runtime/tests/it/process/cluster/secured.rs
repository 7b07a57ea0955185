//! Workers whose Kafka lets in only who has a certificate or a password.

use std::fs;

use fairway_peers::kafka::{GUARDED, Kafka};
use fairway_peers::tls::Authority;
use serde_json::json;

use super::super::{code, ended, until};
use super::{Crew, Worker};

/// The variable that holds the password.
const PASSWORD: &str = "FAIRWAY_KAFKA_PASSWORD";

impl Crew {
    /// Writes a connection by which workers are let in, beside the certificate that it names.
    fn connection(&self, name: &str, brokers: &str, sasl: Option<&str>) -> String {
        let mut security = json!({ "tls": true, "ca": "kafka-ca.pem" });
        if let Some(mechanism) = sasl {
            security["sasl"] = json!(mechanism);
            security["user"] = json!(GUARDED.0);
            security["password"] = json!(format!("${{env:{PASSWORD}}}"));
        }
        let document = json!({
            "apiVersion": "fairway/v1", "kind": "Connection", "metadata": { "name": name },
            "spec": { "connector": "kafka", "config": { "brokers": brokers, "security": security } }
        });
        self.place.write(&format!("{name}.json"), document.to_string()).to_string_lossy().into_owned()
    }

    fn begin_by(&self, id: &str, connection: &str, password: &str) -> Worker {
        let mut command = self.command(id, &["--kafka-connection", connection]);
        command.env(PASSWORD, password);
        self.watched(id, command)
    }
}

/// By TLS, and by TLS with a password of each kind; a wrong one, and brokers that nobody vouches for, are refused with what is wrong
/// and what to do, and the password is shown nowhere.
#[test]
fn workers_are_let_in_by_certificate_and_password() {
    let authority = Authority::new("ours").unwrap();
    let kafka = Kafka::start_with_tls(&authority.vouch(&["localhost"]).unwrap()).unwrap();
    let mut crew = Crew::new("secured");
    fs::write(crew.place.path("kafka-ca.pem"), authority.certificate()).unwrap();
    let tls = crew.connection("tls", kafka.tls_address(), None);
    let plain = crew.connection("plain", kafka.sasl_address(), Some("plain"));
    let scram = crew.connection("scram", kafka.sasl_address(), Some("scram_sha_512"));
    for (id, connection) in [("a", &tls), ("b", &plain), ("c", &scram)] {
        let worker = crew.begin_by(id, connection, GUARDED.1);
        crew.workers.insert(id.to_owned(), worker);
    }
    crew.joined();
    // What they run writes positions, and so in transactions, by the same way.
    let channel = json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "counting" },
        "spec": {
            "nodes": [
                { "id": "in", "component": "generate_source",
                  "config": { "fields": { "id": { "sequence": {} } }, "count": 50 } },
                { "id": "out", "component": "discard_sink" }
            ],
            "edges": [{ "from": "in", "to": "out" }]
        }
    });
    crew.deploy("counting", &channel);
    until("it has counted", || crew.ask(&["status", "counting"])["counts"]["delivered"] == 50);

    let mut wrong = crew.begin_by("d", &scram, "open-barley");
    assert_eq!(code(ended(&mut wrong.child)), 4);
    let said = fs::read_to_string(crew.place.path("d.log")).unwrap();
    assert!(said.contains("error: ") && said.contains("help: "), "{said}");
    assert!(said.contains("user or password") || said.contains("authentic"), "{said}");
    let stranger = Authority::new("a stranger").unwrap();
    fs::write(crew.place.path("kafka-ca.pem"), stranger.certificate()).unwrap();
    let mut strange = crew.begin_by("e", &tls, GUARDED.1);
    assert_eq!(code(ended(&mut strange.child)), 4);
    let logs = crew.logs();
    assert!(!logs.contains(GUARDED.1) && !logs.contains("open-barley"), "I6: {logs}");

    let unnamed = crew.place.fairway(&["worker", "--listen", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(unnamed.status.code(), Some(4));
    let said = String::from_utf8_lossy(&unnamed.stderr).into_owned();
    assert!(said.contains("--kafka-connection"), "{said}");
}
