//! How many requests a second of own processor time the webhook takes, and how long senders wait: 64 connections, one small
//! record a request, into a target in memory and into a table of PostgreSQL, beside a bare hyper handler that only reads the
//! body. Load, server and database are processes of their own; run with `cargo xtask bench webhook`.

use std::convert::Infallible;
use std::env;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use fairway_engine::component::Component;
use fairway_engine::testkit::measure::cpu_seconds_of;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SINK};
use fairway_peers::postgres::Postgres;
use fairway_runtime::registry::Registry;
use http_body_util::{BodyExt, Full};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const CONNECTIONS: usize = 64;
const WARM: Duration = Duration::from_secs(1);
const TIME: Duration = Duration::from_secs(5);

fn main() {
    let tokio =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads can be made");
    match env::var("FAIRWAY_BENCH_SERVER").as_deref() {
        Ok("bare") => tokio.block_on(bare()),
        Ok("memory") => tokio.block_on(webhook(MEMORY_SINK, json!({ "shelf": "bench" }))),
        Ok("postgres") => {
            let sink = *Registry::standard().get("postgres_sink").expect("it is there");
            let url = env::var("FAIRWAY_BENCH_DATABASE").expect("the bench names it");
            tokio.block_on(webhook(sink, json!({ "url": url, "table": "orders" })));
        }
        _ => {
            let postgres = Postgres::start().expect("a database server");
            let table =
                "create table orders (n bigint, name text, amount numeric, at timestamptz, tags jsonb)";
            postgres.sql("postgres", table).expect("a table");
            let url = postgres.url("postgres");
            for server in ["bare", "memory", "postgres"] {
                tokio.block_on(measure(server, &url));
            }
            let there = postgres.sql("postgres", "select count(*) from orders").expect("a count");
            println!("{there} rows in the table");
        }
    }
}

/// Answers as soon as the body is read.
async fn bare() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    println!("{}", listener.local_addr().expect("a bound port has an address"));
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).ok();
        tokio::spawn(http1::Builder::new().serve_connection(
            TokioIo::new(stream),
            service_fn(|request: hyper::Request<hyper::body::Incoming>| async move {
                let body = request.into_body().collect().await.map(|body| body.to_bytes().len());
                let status = if body.is_ok() { 200 } else { 400 };
                let answer = hyper::Response::builder().status(status);
                Ok::<_, Infallible>(
                    answer.body(Full::new(Bytes::from_static(b"{}"))).expect("a fixed answer"),
                )
            }),
        ));
    }
}

/// The webhook before a target, and a store in memory.
async fn webhook(sink: Component, config: Value) {
    let free =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a free port");
    println!("{free}");
    let hook = *Registry::standard().get("http_webhook_source").expect("it is there");
    let drawing = Drawing::new()
        .node("hook", hook, json!({ "listen": free.to_string() }))
        .node("out", sink, config)
        .edges(&["hook>out"]);
    Bench::default().run(&drawing).await.expect("it runs until it is ended");
}

async fn measure(server: &str, database: &str) {
    let (mut child, address) = start(server, database);
    for _ in 0..200 {
        if TcpStream::connect(address).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    load(address, WARM).await;
    let before = cpu_seconds_of(child.id());
    let begun = Instant::now();
    let mut waits = load(address, TIME).await;
    let (wall, cpu) = (begun.elapsed().as_secs_f64(), cpu_seconds_of(child.id()) - before);
    child.kill().and_then(|()| child.wait()).expect("the server can be ended");
    waits.sort_unstable();
    let requests = waits.len() as f64;
    let at = |part: f64| waits[((requests - 1.0) * part) as usize].as_secs_f64() * 1e3;
    println!(
        "{server:8} {:>8.0} requests a CPU-second, {:>8.0} a second, p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        requests / cpu,
        requests / wall,
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

fn start(server: &str, database: &str) -> (Child, SocketAddr) {
    let mut child = Command::new(env::current_exe().expect("this program has a path"))
        .env("FAIRWAY_BENCH_SERVER", server)
        .env("FAIRWAY_BENCH_DATABASE", database)
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program can be started again");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("it is piped");
    BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
    (child, line.trim().parse().expect("it is an address"))
}

/// Sends from every connection as fast as answers come; answers how long each took.
async fn load(address: SocketAddr, time: Duration) -> Vec<Duration> {
    let end = Instant::now() + time;
    let senders: Vec<_> = (0..CONNECTIONS).map(|number| tokio::spawn(send(address, number, end))).collect();
    let mut waits = Vec::new();
    for sender in senders {
        waits.extend(sender.await.expect("no sender panics"));
    }
    waits
}

async fn send(address: SocketAddr, number: usize, end: Instant) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).await.expect("the server is there");
    stream.set_nodelay(true).expect("a socket takes this");
    let mut waits = Vec::new();
    let mut answer = vec![0; 4096];
    let mut n = number;
    while Instant::now() < end {
        n += CONNECTIONS;
        let body = format!(
            r#"{{"n":{n},"name":"Ada Lovelace","amount":12.50,"at":"2026-11-30T12:00:00Z","tags":["a","b"]}}"#
        );
        let request = format!(
            "POST /orders HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let begun = Instant::now();
        stream.write_all(request.as_bytes()).await.expect("the server reads");
        let mut len = 0;
        // Answers are short and of one piece, or nearly so.
        while !ended(&answer[..len]) {
            len += stream.read(&mut answer[len..]).await.expect("the server answers");
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer[..len]));
        waits.push(begun.elapsed());
    }
    waits
}

/// Whether a whole answer is there: each of these servers ends it with a brace.
fn ended(answer: &[u8]) -> bool {
    answer.ends_with(b"}")
}
