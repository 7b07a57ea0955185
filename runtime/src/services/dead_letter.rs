//! Records set aside, and which refusals must not be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::store::{Letter, LetterKey, Replays, Routed, StoredMark};
use fairway_shared::api::dead_letters::{DeadLetter, LetterGroup};
use serde_json::Value;

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

/// Which dead letters; all that are named must fit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// These ids; ids that are nobody's name nothing.
    pub ids: Option<Vec<String>>,
    /// Refused at this node.
    pub node: Option<String>,
    /// Refused with this code.
    pub code: Option<String>,
    /// Set aside at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Set aside before this time, in milliseconds since 1970.
    pub until: Option<i64>,
}

/// Which task runs a node, by node id.
pub type Tasks = BTreeMap<String, String>;

/// How much a channel has set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Dead letters waiting.
    pub letters: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Dead letters removed by the limits, ever.
    pub evicted: u64,
    /// Dead letters that wait to be tried again.
    pub replaying: u64,
}

/// Refusals that a replay must not repeat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusals {
    /// Set aside, whether or not the dead letter is still there.
    pub letters: Vec<LetterKey>,
    /// Handed on by errors ports.
    pub routed: Vec<Routed>,
}

/// What came of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// It is kept.
    Done,
    /// There is no such letter.
    Unknown,
    /// The letter waits to be tried again: which record that is must not change meanwhile.
    UnderWay,
}

/// Dead letters, by the channel's uid. What names a task is for the task alone, between its start and its end; a backend that workers
/// share answers `Fenced` when another start of it has taken over (I4).
#[async_trait]
pub trait DeadLetterService: Send + Sync {
    /// Makes dead letters durable; one whose key is there already changes nothing.
    async fn set_aside(&self, uid: &str, task: &str, letters: &[Letter]) -> Result<()>;

    /// Makes durable that a sink refused these and its errors port is about to hand them on.
    async fn note_routed(&self, uid: &str, task: &str, notes: &[Routed]) -> Result<()>;

    /// Makes durable that these notes are void.
    async fn forget_routed(&self, uid: &str, task: &str, notes: &[Routed]) -> Result<()>;

    /// Every refusal beyond the sources' own watermarks among `marks`.
    async fn refusals(&self, uid: &str, marks: &[StoredMark]) -> Result<Refusals>;

    /// Forgets refusals that need no dead letter and that the sources' own watermarks have passed.
    async fn passed(&self, uid: &str, task: &str, marks: &[StoredMark]) -> Result<()>;

    /// Dead letters that fit, newest first.
    async fn list(&self, uid: &str, filter: &Filter, page: Page) -> Result<Vec<DeadLetter>>;

    /// How many fit.
    async fn count(&self, uid: &str, filter: &Filter) -> Result<u64>;

    /// All dead letters by node and code, the largest group first.
    async fn groups(&self, uid: &str) -> Result<Vec<LetterGroup>>;

    /// Keeps another record beside a letter's own, which is tried again in its place; `None` takes it back.
    async fn edit(&self, uid: &str, id: &str, record: Option<&Value>) -> Result<Edit>;

    /// Marks those that fit and whose node a task runs as to be tried again, oldest first; answers how many are marked so.
    async fn ask_replay(&self, uid: &str, filter: &Filter, tasks: &Tasks) -> Result<u64>;

    /// Brings what is marked in line with the tasks that run the nodes now: done tries are struck off by the watermarks,
    /// the rest goes to the right task, and what no task runs is not marked any more. Nothing of the channel may run.
    async fn assign_replays(&self, uid: &str, tasks: &Tasks, marks: &[StoredMark]) -> Result<()>;

    /// What a task is to try again, with numbers beyond `after`; see `Store::replays`.
    async fn replays(
        &self,
        uid: &str,
        task: &str,
        after: u64,
        limit: usize,
        marks: &[StoredMark],
    ) -> Result<Replays>;

    /// Removes what a task was to try again under numbers up to this one, and did; answers how many there were. In the same step
    /// source records without a letter left are counted as replayed in the channel's totals.
    async fn replayed(&self, uid: &str, task: &str, up_to: u64) -> Result<u64>;

    /// Makes durable that these were refused when they were tried again; their `order` is the number of the try. Each stays, or
    /// goes on as, one letter with the identity of the one that was tried.
    async fn refused_again(&self, uid: &str, task: &str, letters: &[Letter]) -> Result<()>;

    /// Channels with dead letters that wait to be tried again.
    async fn waiting_for_replay(&self) -> Result<BTreeSet<String>>;

    /// How much is set aside.
    async fn usage(&self, uid: &str) -> Result<Usage>;

    /// The same as far as this process has read, without asking anybody: for showing.
    async fn usage_seen(&self, uid: &str) -> Result<Usage> {
        self.usage(uid).await
    }

    /// Removes dead letters that fit; answers how many there were. Reading their source again does not bring them back. One
    /// that is being tried again may be delivered all the same.
    async fn discard(&self, uid: &str, filter: &Filter) -> Result<u64>;

    /// Forgets the refusals of these source nodes, or of all when `None`, for they start over; dead letters stay to be
    /// read, and one that is set aside again takes the place of the old.
    async fn reset(&self, uid: &str, sources: Option<&[String]>) -> Result<()>;

    /// Applies the limits; answers how many were evicted. Of workers that share a backend one does it.
    async fn evict(&self, limits: Limits) -> Result<u64>;

    /// Forgets a channel.
    async fn forget(&self, uid: &str) -> Result<()>;
}
