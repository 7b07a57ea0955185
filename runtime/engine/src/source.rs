//! The contract of a source.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fairway_shared::plan::Share;

use crate::data::{Batch, Rejects};
use crate::error::Error;
use crate::files::Files;
use crate::hooks::Hooks;
use crate::position::{Mark, Position};

/// What the engine hands to a source that opens.
#[derive(Debug, Clone)]
pub struct SourceCtx {
    /// Uid of the channel.
    pub uid: Arc<str>,
    /// Id of the node.
    pub node: Arc<str>,
    /// Number of this run of the task; greater than that of any run before (I3).
    pub generation: u64,
    /// Where files may be.
    pub files: Files,
    /// The runtime's port, for sources that others call.
    pub hooks: Hooks,
    /// Its part of the partitions, where several tasks read this source; the others are not to be touched.
    pub share: Option<Share>,
    /// Where each partition known so far goes on, those of others included; partitions not listed begin at their beginning.
    pub resume: Vec<Mark>,
    /// Whether the source should end when it has caught up instead of waiting for more (`fairway run`).
    pub until_caught_up: bool,
}

impl SourceCtx {
    /// Whether a partition is this task's to read.
    pub fn reads(&self, partition: &str) -> bool {
        self.share.is_none_or(|share| share.holds(partition))
    }

    /// Where a partition goes on, if it is known.
    pub fn position(&self, partition: &str) -> Option<&Position> {
        self.resume.iter().find(|mark| &*mark.stream.partition == partition).map(|mark| &mark.position)
    }
}

/// Records read together from one partition.
#[derive(Debug)]
pub struct Polled {
    /// The partition; empty where the source has just one.
    pub partition: Arc<str>,
    /// Covers every record of this batch, of `rejects`, and all before.
    pub position: Position,
    /// The records, by rising `Meta::order`. `Meta::row` counts from 0 over `batch` and `rejects` together.
    pub batch: Batch,
    /// Input that is no sound record (a ragged row, a wrong type), each in the form `{ raw, … }` with what place it was at.
    pub rejects: Option<Rejects>,
}

impl Polled {
    /// Records and rejects together.
    pub fn rows(&self) -> usize {
        self.batch.len() + self.rejects.as_ref().map_or(0, |rejects| rejects.batch.len())
    }
}

/// What a source answers when asked for more.
#[derive(Debug)]
pub enum Next {
    /// Records. An empty batch is fine: it moves the position only.
    Batch(Polled),
    /// Nothing now; ask again after this time at the latest.
    Idle(Duration),
    /// Nothing more, ever.
    End,
}

/// Brings records in.
///
/// * One task owns it; calls never overlap. Opened by `SourceConfig::open`, which may fail with an outage and is then
///   tried again.
/// * [`next`](Source::next) is called until it answers [`Next::End`]. The engine may drop the future while it
///   waits: what was not returned counts as not read, so state may change only where no wait follows. It must not block
///   its thread for longer than some 10 ms.
/// * An [`Error`] of kind `Outage` from `next` is retried on the same object; after any other the source is closed, once
///   what it brought before is delivered.
/// * [`acknowledge`](Source::acknowledge) comes when everything up to a position is durable in every target and the
///   position itself is stored (I2); positions of one partition only grow (I3). Sources that read from something which
///   forgets (a queue, a request waiting for its receipt) act on it; others ignore it. It may still come after `next`
///   has failed or ended.
/// * [`close`](Source::close) is called once, also after errors, but not after a panic.
#[async_trait]
pub trait Source: Send {
    /// The next records.
    async fn next(&mut self) -> Result<Next, Error>;

    /// Everything up to this position is safe.
    async fn acknowledge(&mut self, _partition: &str, _position: &Position) -> Result<(), Error> {
        Ok(())
    }

    /// Nothing is asked for meanwhile (paused, or stopping for good), or again. A source that others call upon sends them
    /// away instead of letting them wait; what was returned before is still acknowledged.
    fn pause(&mut self, _paused: bool) {}

    /// Lets go of everything held.
    async fn close(&mut self) {}
}
