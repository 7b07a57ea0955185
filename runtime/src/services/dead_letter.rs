//! Records set aside, and which refusals must not be repeated.

use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::store::{Letter, LetterKey, Routed, StoredMark};
use fairway_shared::api::dead_letters::DeadLetter;

use super::error::Result;

/// How much is kept; the oldest goes first, and is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest time a dead letter is kept.
    pub age: Duration,
    /// Most bytes of all channels together.
    pub bytes: u64,
}

impl Default for Limits {
    /// 30 days, 1 GiB.
    fn default() -> Self {
        Self { age: Duration::from_secs(30 * 24 * 3600), bytes: 1 << 30 }
    }
}

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Most entries.
    pub limit: u32,
    /// Entries left out before.
    pub offset: u64,
}

/// How much a channel has set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Dead letters waiting.
    pub letters: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Dead letters removed by the limits, ever.
    pub evicted: u64,
}

/// Refusals that a replay must not repeat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusals {
    /// Set aside, whether or not the dead letter is still there.
    pub letters: Vec<LetterKey>,
    /// Handed on by errors ports.
    pub routed: Vec<Routed>,
}

/// Dead letters, by the channel's uid.
#[async_trait]
pub trait DeadLetterService: Send + Sync {
    /// Makes dead letters durable; one whose key is there already changes nothing.
    async fn set_aside(&self, uid: &str, letters: &[Letter]) -> Result<()>;

    /// Makes durable that a sink refused these and its errors port is about to hand them on.
    async fn note_routed(&self, uid: &str, notes: &[Routed]) -> Result<()>;

    /// Makes durable that these notes are void.
    async fn forget_routed(&self, uid: &str, notes: &[Routed]) -> Result<()>;

    /// Every refusal beyond the sources' own watermarks among `marks`.
    async fn refusals(&self, uid: &str, marks: &[StoredMark]) -> Result<Refusals>;

    /// Forgets refusals that need no dead letter and that the sources' own watermarks have passed.
    async fn passed(&self, uid: &str, marks: &[StoredMark]) -> Result<()>;

    /// Dead letters, newest first.
    async fn list(&self, uid: &str, page: Page) -> Result<Vec<DeadLetter>>;

    /// How much is set aside.
    async fn usage(&self, uid: &str) -> Result<Usage>;

    /// Removes dead letters by id, or all; answers how many there were. A replay does not bring them back.
    async fn discard(&self, uid: &str, ids: Option<&[String]>) -> Result<u64>;

    /// Forgets the refusals of these source nodes, or of all when `None`, for they start over; dead letters stay to be
    /// read, and one that is set aside again takes the place of the old.
    async fn reset(&self, uid: &str, sources: Option<&[String]>) -> Result<()>;

    /// Applies the limits; answers how many were evicted.
    async fn evict(&self, limits: Limits) -> Result<u64>;

    /// Forgets a channel.
    async fn forget(&self, uid: &str) -> Result<()>;
}
