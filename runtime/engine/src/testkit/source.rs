//! A source of counted records: `n` from 1 to `count`, replayed alike however they are cut into batches.

use std::time::Duration;

use async_trait::async_trait;
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::component::{Component, Config, Meta, SourceConfig};
use crate::data::{BatchBuilder, Meta as RecordMeta};
use crate::error::Error;
use crate::position::Position;
use crate::probe::{Sample, SampleConfig, SampleCtx, sample_by_reading};
use crate::source::{Next, Polled, Source, SourceCtx};

/// Counts from 1.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountSource {
    /// The last number.
    count: u64,
    /// Records a batch.
    batch: u64,
    /// Whether it waits for more at its end instead of ending.
    #[serde(default)]
    endless: bool,
    /// Whether it fails at its end instead of ending.
    #[serde(default)]
    fails: bool,
}

impl Config for CountSource {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        bounded: true,
        ..Meta::new("count_source", "Count", "test")
    };
}

/// The source as a registry entry.
pub const MEMORY_SOURCE: Component = Component::source::<CountSource>().with_sample::<CountSource>();

#[async_trait]
impl SampleConfig for CountSource {
    async fn sample(self, cx: SampleCtx) -> Result<Sample, Error> {
        sample_by_reading(self, cx).await
    }
}

#[async_trait]
impl SourceConfig for CountSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        let next = cx.position("").map_or(0, |position| position.order);
        Ok(Box::new(Counting { config: self, at: next, acknowledged: next }))
    }
}

struct Counting {
    config: CountSource,
    at: u64,
    acknowledged: u64,
}

#[async_trait]
impl Source for Counting {
    async fn next(&mut self) -> Result<Next, Error> {
        if self.at >= self.config.count && self.config.fails {
            return Err(Error::config("test.broken", "the source broke"));
        }
        if self.at >= self.config.count {
            return Ok(if self.config.endless { Next::Idle(Duration::from_millis(5)) } else { Next::End });
        }
        let mut builder = BatchBuilder::default();
        let slot = builder.field("n");
        let end = (self.at + self.config.batch).min(self.config.count);
        for (row, order) in (self.at + 1..=end).enumerate() {
            builder.begin_row(RecordMeta { order, row: row as u32, child: 0 });
            let n = i64::try_from(order).expect("tests count less far");
            builder.push(slot, crate::data::Ref::I64(n)).expect("tests are small");
        }
        self.at = end;
        let position = Position { order: end, token: json!(end) };
        Ok(Next::Batch(Polled { partition: "".into(), position, batch: builder.finish(), rejects: None }))
    }

    async fn acknowledge(&mut self, _partition: &str, position: &Position) -> Result<(), Error> {
        assert!(position.order > self.acknowledged, "acknowledgements of a partition only grow (I3)");
        self.acknowledged = position.order;
        Ok(())
    }
}
