//! A webhook in a running task: what senders are told, and what becomes of their records.

mod answers;
mod kills;
mod ports;
mod senders;
mod settings;

use std::net::SocketAddr;
use std::sync::Arc;

use fairway_engine::component::Component;
use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing, MEMORY_SINK, Shelf, shelf};
use fairway_engine::{Error, Kind};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::testing::free_address;

const WEBHOOK: Component = crate::REGISTRY[0];

/// A webhook before a shelf.
struct Running {
    address: SocketAddr,
    shelf: Arc<Shelf>,
    bench: Bench,
    drawing: Drawing,
    task: JoinHandle<Result<Ended, Error>>,
}

impl Running {
    async fn start(name: &str, settings: Value) -> Self {
        Self::of(name, settings, |drawing| drawing).await
    }

    async fn of(name: &str, mut settings: Value, change: impl FnOnce(Drawing) -> Drawing) -> Self {
        let address = free_address();
        settings["listen"] = json!(address.to_string());
        let drawing = Drawing::new()
            .node("hook", WEBHOOK, settings)
            .node("shelf", MEMORY_SINK, json!({ "shelf": name }))
            .edges(&["hook>shelf"]);
        let (bench, drawing) = (Bench::default(), change(drawing));
        let task = run(&bench, &drawing);
        let running = Self { address, shelf: shelf(name), bench, drawing, task };
        running.listens().await;
        running
    }

    /// Waits until the listener is there.
    async fn listens(&self) {
        for _ in 0..2000 {
            if TcpStream::connect(self.address).await.is_ok() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        panic!("nobody listens at {}", self.address);
    }

    async fn stop(&mut self) -> Result<Ended, Error> {
        self.bench.control.stop();
        (&mut self.task).await.unwrap()
    }
}

fn run(bench: &Bench, drawing: &Drawing) -> JoinHandle<Result<Ended, Error>> {
    let (mut bench, drawing) = (bench.clone(), drawing.clone());
    tokio::spawn(async move { bench.run(&drawing).await })
}

fn kind(result: Result<Ended, Error>) -> Kind {
    result.unwrap_err().kind
}
