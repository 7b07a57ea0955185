//! The end of a stream that a task writes.

use std::sync::{Arc, PoisonError};

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::{RecordError, write_wire};
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Refused, Sink, SinkCtx};
use fairway_kafka::transaction::Write;
use fairway_shared::fnv1a;

use super::pace::Pace;
use super::{Full, LARGEST};
use crate::services::kafka::position::{self, RunningTask};

/// What a message takes beside its record, in bytes, at most.
const FRAME: usize = 512;
/// Writes records into a stream.
pub(super) struct Into {
    tasks: Arc<position::Shared>,
    full: Full,
    task: RunningTask,
    /// Id of this end, by which it holds positions.
    end: Arc<str>,
    topic: Arc<str>,
    partitions: u64,
    /// The stream of each batch of the next group.
    ways: Vec<StreamKey>,
    pace: Pace,
}

impl Into {
    pub(super) fn new(
        tasks: Arc<position::Shared>,
        full: Full,
        task: &str,
        topic: &str,
        partitions: i32,
        cx: &SinkCtx,
    ) -> Self {
        Self {
            tasks,
            full,
            task: RunningTask { uid: cx.uid.clone(), task: task.to_owned(), generation: cx.generation },
            end: cx.node.clone(),
            topic: topic.into(),
            partitions: u64::from(partitions.unsigned_abs().max(1)),
            ways: Vec::new(),
            pace: Pace::default(),
        }
    }

    /// Records of one key stay in order, and so do those without a key of one partition of their source.
    fn partition(&self, key: &[u8], way: Option<&StreamKey>) -> Option<i32> {
        let of_way = || way.map_or(0, |way| fnv1a(way.partition.as_bytes()));
        let hash = if key.is_empty() { of_way() } else { fnv1a(key) };
        i32::try_from(hash % self.partitions).ok()
    }
}

#[async_trait]
impl Sink for Into {
    async fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        Ok(self.tasks.held(&self.task.uid, &self.end, stream).await?)
    }

    fn streams(&mut self, streams: &[StreamKey]) {
        self.ways = streams.to_vec();
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        if self.full.lock().unwrap_or_else(PoisonError::into_inner).contains(&*self.topic) {
            let what = format!("too many records wait in topic `{}` for a target that is behind", self.topic);
            return Err(Error::outage("stream.full", what).help(
                "see to the target that is behind; the source goes on by itself when it has caught up",
            ));
        }
        let mut writes = Vec::with_capacity(group.len() + group.marks.len());
        let mut refused = Vec::new();
        let mut expected = 0;
        for (at, batch) in group.batches.iter().enumerate() {
            let way = self.ways.get(at);
            for (index, record) in batch.records().enumerate() {
                let mut wire = Vec::with_capacity(expected);
                let key = write_wire(&record, &mut wire);
                expected = wire.len();
                if wire.len() > LARGEST - FRAME {
                    let what =
                        format!("the record has {} bytes, and a stream takes at most {LARGEST}", wire.len());
                    let error = RecordError::new("stream.too_large", what);
                    refused.push(Refused { batch: at, record: index, error });
                    continue;
                }
                let partition = self.partition(&wire[key], way);
                let topic = self.topic.clone();
                writes.push(Write { topic, partition, value: Some(wire), ..Write::default() });
            }
        }
        if !refused.is_empty() {
            return Ok(Outcome::RolledBack(refused));
        }
        self.pace.keep(writes.len()).await;
        self.tasks.write_records(&self.task, &self.end, writes, group.marks).await?;
        Ok(Outcome::all())
    }
}
