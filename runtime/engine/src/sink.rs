//! The contract of a sink.

use std::sync::Arc;

use async_trait::async_trait;
use fairway_shared::plan::Share;

use crate::data::{Batch, RecordError};
use crate::error::Error;
use crate::files::Files;
use crate::position::{Mark, Position, StreamKey};

/// What the engine hands to a sink that opens.
#[derive(Debug, Clone)]
pub struct SinkCtx {
    /// Uid of the channel: what is stored in a target belongs to it, not to the channel's name.
    pub uid: Arc<str>,
    /// Id of the node.
    pub node: Arc<str>,
    /// Fencing number of this run of the task; a greater one in the target means that another owner has taken over.
    pub generation: u64,
    /// Part of the records that this task has, where several tasks run this sink at once.
    pub share: Option<Share>,
    /// Where files may be.
    pub files: Files,
}

/// Records to be made durable together, and how far each stream is done once they are.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// The records, in the order in which they must be applied.
    pub batches: &'a [Batch],
    /// One entry a stream that moves; each was adopted before.
    pub marks: &'a [Mark],
}

impl Group<'_> {
    /// Number of records.
    pub fn len(&self) -> usize {
        self.batches.iter().map(Batch::len).sum()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.batches.iter().all(Batch::is_empty)
    }
}

/// A record that the target will never accept.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Index into `Group::batches`.
    pub batch: usize,
    /// Index of the record in that batch.
    pub record: usize,
    /// Why.
    pub error: RecordError,
}

/// What became of a group.
#[derive(Debug)]
pub enum Outcome {
    /// Every record but the refused ones is durable. Only a sink that holds no positions may refuse in this way.
    Delivered(Vec<Refused>),
    /// Nothing of the group is durable and no position moved: these records stand in the way. The engine makes their
    /// dead letters durable and calls again without them (never inside the sink's own transaction).
    RolledBack(Vec<Refused>),
}

impl Outcome {
    /// Everything is durable.
    pub fn all() -> Self {
        Self::Delivered(Vec::new())
    }
}

/// Delivers records.
///
/// * One task owns it; calls never overlap. Opened by `SinkConfig::open`, which may fail with an outage and is then
///   tried again with a fresh object.
/// * [`adopt`](Sink::adopt) comes once for each stream before its first group. A sink that stores positions inside its target
///   (guarantee `exactly_once`) takes the stream over with `SinkCtx::generation`, creates what is missing and answers
///   the position found; others answer `None`.
/// * [`deliver`](Sink::deliver) returns when the group is durable (I2), together with its marks where the sink holds positions: both or
///   neither (G8). The result must be the same however records are cut into groups (G9).
/// * After an `Outage` the engine calls `deliver` again with the same group, after back-off. If the outcome of the
///   first try is unknown, a sink that holds positions must find out (read them back) before it writes again.
///   `Error` of kind `Data` means that some record is refused and the sink cannot say which; the engine halves.
/// * A position found in the target beyond what this task committed, with another generation, is `Fenced`.
/// * [`close`](Sink::close) is called once, also after errors, but not after a panic; everything delivered before is already durable.
#[async_trait]
pub trait Sink: Send {
    /// Takes a stream over and answers the position that the target holds for it.
    async fn adopt(&mut self, _stream: &StreamKey) -> Result<Option<Position>, Error> {
        Ok(None)
    }

    /// Which stream each batch of the next group is of, for sinks that name every record in its target (idempotency keys). Comes
    /// just before each [`deliver`](Sink::deliver). The name is that by which the stream was adopted.
    fn streams(&mut self, _streams: &[StreamKey]) {}

    /// Most records that it likes to get at once, where a delivery of many takes so long that a stop or a crash should not
    /// have to wait for it, or to repeat it. A batch is never cut for it.
    fn most_records(&self) -> usize {
        usize::MAX
    }

    /// Makes a group durable.
    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error>;

    /// Lets go of everything held.
    async fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
