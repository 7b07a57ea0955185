//! Topics of a real broker.

use async_trait::async_trait;
use fairway_engine::Component;
use fairway_engine::testkit::{SinkFixture, SourceFixture};
use fairway_peers::kafka::{self, Message};
use serde_json::{Value, json};

/// A topic for each call.
pub(super) struct Topic;

#[async_trait]
impl SinkFixture for Topic {
    fn component(&self) -> Component {
        super::component("kafka_sink")
    }

    async fn fresh(&self) -> Value {
        let broker = kafka::shared();
        json!({ "brokers": broker.address(), "topic": broker.topic(1, &[]).unwrap() })
    }

    async fn numbers(&self, config: &Value) -> Vec<i64> {
        let messages = kafka::shared().read(config["topic"].as_str().unwrap()).unwrap();
        let number = |message: Message| {
            serde_json::from_slice::<Value>(&message.value.unwrap()).unwrap()["n"].as_i64().unwrap()
        };
        messages.into_iter().map(number).collect()
    }
}

/// A topic of two partitions with messages in it.
pub(super) struct Messages;

#[async_trait]
impl SourceFixture for Messages {
    fn component(&self) -> Component {
        super::component("kafka_source")
    }

    async fn filled(&self, count: i64, batch: usize) -> Value {
        let broker = kafka::shared();
        let topic = broker.topic(2, &[]).unwrap();
        let message =
            |n: i64| Message { partition: (n % 2) as i32, ..Message::of(json!({ "n": n }).to_string()) };
        broker.send(&topic, &(1..=count).map(message).collect::<Vec<_>>()).unwrap();
        json!({ "brokers": broker.address(), "topics": [topic], "batch": batch })
    }
}
