//! What needs nothing outside.

use async_trait::async_trait;
use fairway_engine::Component;
use fairway_engine::testkit::SourceFixture;
use serde_json::{Value, json};

pub(super) struct Generated;

#[async_trait]
impl SourceFixture for Generated {
    fn component(&self) -> Component {
        super::component("generate_source")
    }

    async fn filled(&self, count: i64, batch: usize) -> Value {
        json!({ "count": count, "batch": batch, "fields": { "n": { "sequence": { "start": 1 } } } })
    }
}
