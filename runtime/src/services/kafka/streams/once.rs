//! A task's own producer for sinks that write into topics of users: records, and how far they go, in one transaction.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use fairway_connector_kafka::together::{self, Together};
use fairway_engine::Error;
use fairway_engine::joint::Joint;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Sink, SinkCtx};
use fairway_engine::source::{Source, SourceCtx};
use fairway_kafka::transaction::Write;
use serde_json::Value;

use super::Streams;
use super::pace::Pace;
use crate::services::kafka::position::RunningTask;

/// Opens a sink that commits together with its task.
pub(super) struct Once {
    pub(super) streams: Arc<Streams>,
    pub(super) task: String,
    /// With secrets filled in: never shown (I6).
    pub(super) config: Value,
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Once(by {})", self.task)
    }
}

#[async_trait]
impl Joint for Once {
    async fn write(&self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        let own = Own {
            streams: self.streams.clone(),
            task: RunningTask { uid: cx.uid.clone(), task: self.task.clone(), generation: cx.generation },
            node: cx.node.clone(),
            pace: Pace::default(),
        };
        together::open(self.config.clone(), &cx, Box::new(own)).await
    }

    async fn read(&self, _: SourceCtx) -> Result<Box<dyn Source>, Error> {
        Err(Error::config("stream.unjoined", "a sink was opened as a source"))
    }
}

/// The producer of a task that runs here.
struct Own {
    streams: Arc<Streams>,
    task: RunningTask,
    node: Arc<str>,
    pace: Pace,
}

#[async_trait]
impl Together for Own {
    async fn cluster(&self) -> Result<String, Error> {
        self.streams.brokers.id().await
    }

    async fn held(&self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        Ok(self.streams.tasks.held(&self.task.uid, &self.node, stream).await?)
    }

    async fn write(&mut self, messages: Vec<Write>, marks: &[Mark]) -> Result<(), Error> {
        self.pace.keep(messages.len()).await;
        self.streams.tasks.write_records(&self.task, &self.node, messages, marks).await
    }
}
