//! `discard_sink`: records taken and let go.

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Meta, SinkConfig};
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Takes every record and keeps none: for measuring what comes before it, and for ways that are to end.
///
/// Records that end here count as delivered. To leave records out by a rule use `filter_records`, which counts them as
/// filtered.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiscardSink {}

impl Config for DiscardSink {
    const META: Meta = Meta {
        // Keeping nothing twice is keeping nothing once.
        delivery: Guarantee::Idempotent,
        examples: &[("There is nothing to set", "{}")],
        several: true,
        ..Meta::new("discard_sink", "Discard", "builtin")
    };
}

#[async_trait]
impl SinkConfig for DiscardSink {
    async fn open(self, _: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        Ok(Box::new(self))
    }
}

#[async_trait]
impl Sink for DiscardSink {
    async fn deliver(&mut self, _: Group<'_>) -> Result<Outcome, Error> {
        Ok(Outcome::all())
    }
}
