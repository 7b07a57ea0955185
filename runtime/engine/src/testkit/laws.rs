//! The laws, held against the components in memory: a suite that its own parts break proves nothing about others.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{MEMORY_SINK, MEMORY_SOURCE, PLAIN_SINK, SinkFixture, SourceFixture, shelf};
use super::{sink_conforms, source_conforms};
use crate::component::Component;

struct Shelves(Component);

#[async_trait]
impl SinkFixture for Shelves {
    fn component(&self) -> Component {
        self.0
    }

    async fn fresh(&self) -> Value {
        json!({ "shelf": uuid::Uuid::new_v4().to_string() })
    }

    async fn numbers(&self, config: &Value) -> Vec<i64> {
        shelf(config["shelf"].as_str().unwrap()).numbers()
    }
}

struct Counting;

#[async_trait]
impl SourceFixture for Counting {
    fn component(&self) -> Component {
        MEMORY_SOURCE
    }

    async fn filled(&self, count: i64, batch: usize) -> Value {
        json!({ "count": count, "batch": batch })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shelves_keep_the_laws() {
    sink_conforms(&Shelves(MEMORY_SINK)).await;
    sink_conforms(&Shelves(PLAIN_SINK)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counting_keeps_the_laws() {
    source_conforms(&Counting).await;
}

/// A target that forgets its positions doubles after a kill: the suite must say so.
#[tokio::test(flavor = "multi_thread")]
#[should_panic(expected = "doubled")]
async fn a_target_that_lies_about_positions_is_found_out() {
    let mut liar = PLAIN_SINK;
    liar.meta.delivery = fairway_shared::channel::Guarantee::Idempotent;
    sink_conforms(&Shelves(liar)).await;
}
