//! Requests into PostgreSQL while the process is killed again and again: whatever was answered 2xx is there.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fairway_engine::testkit::counts;
use serde_json::json;

use super::{Place, Server, chain, code, ended, signal, until};

/// Senders at a time.
const SENDERS: usize = 4;

#[test]
fn what_was_answered_is_in_the_table_once() {
    let postgres = fairway_peers::postgres::shared();
    let database = postgres.database().unwrap();
    // A request that was not answered is sent again, so rows are told apart by their id.
    postgres.sql(&database, "create table orders (id int primary key, tries int)").unwrap();
    let port = fairway_peers::free_port().unwrap();
    let address = format!("127.0.0.1:{port}");
    let place = Place::new();
    let mut document = chain("orders", json!({}), "");
    document["spec"]["nodes"] = json!([
        { "id": "in", "component": "http_webhook_source", "config": { "listen": address } },
        { "id": "out", "component": "postgres_sink", "config": {
            "url": postgres.url(&database), "table": "orders", "mode": "upsert", "key": ["id"]
        } }
    ]);
    let document = place.write("orders.json", document.to_string());
    // How many ids were answered, and their sum.
    let (answered, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (sent_again, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let send = |sender: usize| {
            let (address, answered, sum) = (&address, &answered, &sum);
            let (sent_again, over) = (&sent_again, &over);
            scope.spawn(move || {
                for id in (sender..).step_by(SENDERS) {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    let mut tries = 0;
                    while !post(address, &json!({ "id": id, "tries": tries }).to_string()) {
                        tries += 1;
                        thread::sleep(Duration::from_millis(20));
                    }
                    sent_again.fetch_add(tries, Ordering::Relaxed);
                    sum.fetch_add(id, Ordering::Relaxed);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        let senders: Vec<_> = (0..SENDERS).map(send).collect();
        let mut child = start(&place, document.to_str().unwrap());
        for round in 0..counts(4, 50) {
            let seen = answered.load(Ordering::Relaxed);
            until("answers", || answered.load(Ordering::Relaxed) >= seen + 2 * SENDERS);
            thread::sleep(Duration::from_millis(round * 37 % 150));
            child.kill().unwrap();
            child.wait().unwrap();
            child = start(&place, document.to_str().unwrap());
        }
        over.store(true, Ordering::Relaxed);
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        signal(&child, "TERM");
        assert_eq!(code(ended(&mut child)), 0, "after a clean drain");
    });
    let query = "select count(*), count(distinct id), sum(id) from orders";
    let (answered, sum) = (answered.into_inner(), sum.into_inner());
    assert_eq!(postgres.sql(&database, query).unwrap(), format!("{answered}|{answered}|{sum}"));
    println!("{answered} requests answered, {} sent again", sent_again.into_inner());
}

fn start(place: &Place, document: &str) -> Child {
    place.fairway(&["run", document]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Whether a request was answered 2xx; whatever else happens, it is to be sent again.
fn post(address: &str, body: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let length = body.len();
        write!(
            stream,
            "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{body}"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(answer.starts_with(b"HTTP/1.1 2"))
    };
    ask().unwrap_or(false)
}

/// Requests by the server's own port, through everything that stands before a source there.
#[test]
fn hooks_on_the_servers_port_go_through_the_whole_server() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let mut document = chain("orders", json!({}), "out.jsonl");
    document["spec"]["nodes"][0] = json!({ "id": "in", "component": "http_webhook_source", "config": {} });
    let document = place.write("orders.json", document.to_string());
    let imported = server.ask(&place, &["import", document.to_str().unwrap(), "--output", "json"]);
    let uid = imported["channels"][0].as_str().unwrap().to_owned();
    server.ask(&place, &["deploy", "orders", "--output", "json"]);
    server.reaches(&place, "orders", "running");
    let address = server.url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let json = "Content-Type: application/json\r\n";
    let send = |node: &str, headers: &str, body: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(
            stream,
            "POST /hooks/{uid}/{node} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n{headers}\
             Connection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    };
    for (node, headers, body, status) in [
        ("in", json, r#"{"id":1}"#, 200),
        ("in", "", r#"{"id":2}"#, 200),
        ("in", json, "nonsense", 422),
        ("in", "Content-Type: text/plain\r\n", r#"{"id":3}"#, 415),
        ("in", "Host: 127.0.0.1\r\n", r#"{"id":4}"#, 400),
        ("in", "Origin: https://evil.example\r\n", r#"{"id":5}"#, 403),
        ("out", json, r#"{"id":6}"#, 503),
        ("nowhere", json, r#"{"id":7}"#, 404),
    ] {
        assert_eq!(send(node, headers, body), status, "{node} {headers} {body}");
    }
    // A receipt: the records are in the file by now.
    assert_eq!(super::ids(&place.path("data/files/out.jsonl")), [1, 2]);
    server.ask(&place, &["pause", "orders", "--output", "json"]);
    assert_eq!(send("in", json, r#"{"id":7}"#), 503);
    assert_eq!(server.stop("TERM"), 0);
}
