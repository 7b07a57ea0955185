//! The end of a stream that a task writes.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::{RecordError, write_wire};
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Refused, Sink, SinkCtx};
use fairway_kafka::transaction::Write;

use super::{Full, LARGEST};
use crate::services::kafka::position::{self, RunningTask};

/// What a message takes beside its record, in bytes, at most.
const FRAME: usize = 512;
/// Shortest time between two transactions with few records: each costs the brokers the same, whatever it holds.
const PACE: Duration = Duration::from_millis(40);
/// So many records are worth a transaction of their own.
const MANY: usize = 5000;

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
    /// When the last transaction began, if it was a small one.
    last: Option<Instant>,
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
            last: None,
        }
    }

    /// Records of one key stay in order, and so do those without a key of one partition of their source.
    fn partition(&self, key: &[u8], way: Option<&StreamKey>) -> Option<i32> {
        let of_way = || way.map_or(0, |way| hash(way.partition.as_bytes()));
        let hash = if key.is_empty() { of_way() } else { hash(key) };
        i32::try_from(hash % self.partitions).ok()
    }
}

/// FNV-1a: the same on every machine and in every version, or records of one key would overtake one another after an upgrade.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
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
                writes.push(Write { topic, partition, key: None, value: Some(wire), headers: Vec::new() });
            }
        }
        if !refused.is_empty() {
            return Ok(Outcome::RolledBack(refused));
        }
        if let Some(last) = self.last.take() {
            // What comes meanwhile goes along with the next one.
            tokio::time::sleep(PACE.saturating_sub(last.elapsed())).await;
        }
        self.last = (writes.len() < MANY).then(Instant::now);
        self.tasks.write_stream(&self.task, &self.end, writes, group.marks).await?;
        Ok(Outcome::all())
    }
}
