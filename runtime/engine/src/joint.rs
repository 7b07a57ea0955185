//! What joins tasks: the ends of a stream, as components that no document names.
//!
//! The engine knows no broker. A node whose component is one of these carries a [`Joint`], which the runtime makes, and which opens it
//! when the task starts. Everything else about it is as with any source and any sink.

use std::fmt::Debug;

use async_trait::async_trait;
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, Config, Meta, SinkConfig, SourceConfig};
use crate::error::Error;
use crate::sink::{Sink, SinkCtx};
use crate::source::{Source, SourceCtx};

/// Opens an end of a stream.
#[async_trait]
pub trait Joint: Debug + Send + Sync {
    /// The end that the task writes. It holds positions, as sinks of the best guarantee do.
    ///
    /// # Errors
    /// As a sink's `open`.
    async fn write(&self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error>;

    /// The end that the task reads. It replays alike.
    ///
    /// # Errors
    /// As a source's `open`.
    async fn read(&self, cx: SourceCtx) -> Result<Box<dyn Source>, Error>;
}

/// The end of a stream that a task writes.
pub const STREAM_SINK: Component = Component::sink::<StreamSink>();

/// The end of a stream that a task reads.
pub const STREAM_SOURCE: Component = Component::source::<StreamSource>();

/// Hands records on to other tasks.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct StreamSink {}

impl Config for StreamSink {
    const META: Meta =
        Meta { delivery: Guarantee::ExactlyOnce, ..Meta::new("stream_sink", "To other tasks", "stream") };
}

#[async_trait]
impl SinkConfig for StreamSink {
    async fn open(self, _: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        Err(unjoined())
    }
}

/// Takes records from another task.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct StreamSource {}

impl Config for StreamSource {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        catches_up: true,
        ..Meta::new("stream_source", "From another task", "stream")
    };
}

#[async_trait]
impl SourceConfig for StreamSource {
    async fn open(self, _: SourceCtx) -> Result<Box<dyn Source>, Error> {
        Err(unjoined())
    }
}

fn unjoined() -> Error {
    Error::config("stream.unjoined", "an end of a stream was opened by itself, without what it joins")
        .help("only a cluster joins tasks by streams")
}
