//! What a Fairway costs that has nothing to do: time to its first answer, memory when idle, memory with a hundred
//! running channels that wait for their next record.
//!
//! `cargo xtask bench standing`. Memory is the resident set of the server's own process. Linux only.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fairway_engine::testkit::measure::{cpu_seconds_of, resident_kib};
use serde_json::{Value, json};

const CHANNELS: usize = 100;

fn main() {
    let folder = std::env::temp_dir().join(format!("fairway-standing-{}", std::process::id()));
    fs::create_dir_all(folder.join("files")).expect("a folder for the bench");
    // The second start is what a user sees every day; the first also lays the database out.
    for title in ["first start", "second start"] {
        let begun = Instant::now();
        let mut server = Server::start(&folder);
        println!("{title}: ready after {} ms", begun.elapsed().as_millis());
        server.stop();
    }
    let mut server = Server::start(&folder);
    server.settle();
    println!("idle: {:.1} MB", server.megabytes());
    for number in 0..CHANNELS {
        fs::write(folder.join(format!("files/{number}.csv")), "id,name\n1,one\n2,two\n")
            .expect("a small file");
        let made = server.call("POST", "/api/v1/channels", &json!({ "document": channel(number) }));
        let uid = made["uid"].as_str().unwrap_or_else(|| panic!("no channel was made: {made}")).to_owned();
        let deployed = server.call("POST", &format!("/api/v1/channels/{uid}/deploy"), &json!({}));
        assert!(deployed["version"].is_number(), "not deployed: {deployed}");
    }
    server.settle();
    let list = server.call("GET", "/api/v1/channels", &Value::Null);
    let running = list["channels"].as_array().map_or(0, |channels| {
        channels.iter().filter(|channel| channel["status"]["state"] == "running").count()
    });
    println!("{running} idle channels: {:.1} MB", server.megabytes());
    let before = server.cpu_seconds();
    std::thread::sleep(Duration::from_secs(10));
    println!(
        "{running} idle channels: {:.1} % of one processor",
        (server.cpu_seconds() - before) / 10.0 * 100.0
    );
    server.stop();
    fs::remove_dir_all(&folder).expect("the bench's own folder");
}

fn channel(number: usize) -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": format!("idle {number}") },
        "spec": {
            "nodes": [
                { "id": "read", "component": "csv_source", "config": { "path": format!("{number}.csv"), "follow": true } },
                { "id": "write", "component": "jsonl_sink", "config": { "path": format!("{number}.jsonl") } },
            ],
            "edges": [{ "from": "read", "to": "write" }],
        },
    })
}

struct Server {
    process: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(data: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_fairway"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("fairway starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut line).expect("fairway says its address");
        let (_, place) = line.split_once("http://").expect("an address");
        let (address, token) = place.trim().split_once("/?token=").expect("a token");
        Self { process, address: address.to_owned(), token: token.to_owned() }
    }

    /// Lets start-up and deployments come to rest.
    fn settle(&self) {
        std::thread::sleep(Duration::from_secs(3));
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(&self.address).expect("fairway listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            self.token,
            body.len(),
        )
        .expect("fairway reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("fairway answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a whole answer");
        let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body.split("\r\n").skip(1).step_by(2).collect()
        } else {
            body.to_owned()
        };
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{method} {path}: {error}: {answer}"))
    }

    fn megabytes(&self) -> f64 {
        resident_kib(self.process.id()) as f64 / 1024.0
    }

    fn cpu_seconds(&self) -> f64 {
        cpu_seconds_of(self.process.id())
    }

    fn stop(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }
}
