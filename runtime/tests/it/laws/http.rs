//! A small server that keeps what it is sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post;
use fairway_engine::Component;
use fairway_engine::testkit::SinkFixture;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Bodies by path, in order of arrival.
type Kept = Arc<Mutex<BTreeMap<String, Vec<Value>>>>;

/// Each call for a path of its own.
#[derive(Default)]
pub(super) struct HttpTarget {
    kept: Kept,
    places: Mutex<usize>,
}

async fn keep(State(kept): State<Kept>, Path(place): Path<String>, body: String) {
    let records: Vec<Value> = serde_json::from_str(&body).unwrap();
    kept.lock().unwrap().entry(place).or_default().extend(records);
}

#[async_trait]
impl SinkFixture for HttpTarget {
    fn component(&self) -> Component {
        super::component("http_sink")
    }

    async fn fresh(&self) -> Value {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/{place}", post(keep)).with_state(self.kept.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let mut places = self.places.lock().unwrap();
        *places += 1;
        json!({ "url": format!("http://{address}/{places}"), "body": "list", "max_records": 4 })
    }

    async fn numbers(&self, config: &Value) -> Vec<i64> {
        let place = config["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let kept = self.kept.lock().unwrap();
        kept.get(&place).into_iter().flatten().map(|record| record["n"].as_i64().unwrap()).collect()
    }
}
