//! How far each source and target has come, and which start of a task may say so.

use std::collections::BTreeMap;

use async_trait::async_trait;
use fairway_engine::store::{StoredMark, Totals};
use serde::{Deserialize, Serialize};

use super::error::Result;

/// What a changed channel means for its watermarks, by node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Adjustment {
    /// Sources that start over, or are gone.
    pub restarted: Vec<String>,
    /// Targets that are gone.
    pub dropped: Vec<String>,
    /// Targets with other settings: the position they kept inside may lie elsewhere now, so it is no longer expected.
    pub replaced: Vec<String>,
    /// Nodes whose partitions are shared out among another number of tasks. Their positions stay; but no task of the new set begins
    /// before all of the old one are over, or a partition would have two readers (I4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_out: Vec<String>,
}

impl Adjustment {
    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Watermarks, counts and generations, by the channel's uid.
///
/// * A generation is taken by [`begin`](PositionService::begin) and is greater than any taken before, of any task.
/// * Only the latest generation of a task may commit; after [`retire`](PositionService::retire),
///   [`reset`](PositionService::reset) or [`forget`](PositionService::forget) none may, until it begins again (I3, I4).
/// * Within one generation the rank of a watermark never falls.
#[async_trait]
pub trait PositionService: Send + Sync {
    /// Takes the next generation for a task.
    async fn begin(&self, uid: &str, task: &str) -> Result<u64>;

    /// Makes watermarks and counts durable in one step; `totals` is added to what is there, and the sum is answered.
    ///
    /// # Errors
    /// `Fenced`, `WentBack`; nothing is written then.
    async fn commit(
        &self,
        uid: &str,
        task: &str,
        generation: u64,
        marks: &[StoredMark],
        totals: &Totals,
    ) -> Result<Totals>;

    /// All watermarks of a channel, by source, partition, target.
    async fn marks(&self, uid: &str) -> Result<Vec<StoredMark>>;

    /// When sources started over, by node; the empty name stands for all. Each number differs from any before.
    async fn epochs(&self, uid: &str) -> Result<BTreeMap<String, u64>>;

    /// Counts since the channel's uid was made.
    async fn totals(&self, uid: &str) -> Result<Totals>;

    /// The same as far as this process has read, without asking anybody: for showing.
    async fn totals_seen(&self, uid: &str) -> Result<Totals> {
        self.totals(uid).await
    }

    /// Fences every task of the channel but these.
    async fn retire(&self, uid: &str, keep: &[String]) -> Result<()>;

    /// Brings the watermarks in line with a changed channel, in one step; doing it again changes nothing.
    async fn adjust(&self, uid: &str, adjustment: &Adjustment) -> Result<()>;

    /// Forgets all watermarks and fences every task: the channel starts over. Counts stay.
    async fn reset(&self, uid: &str) -> Result<()>;

    /// Forgets watermarks, counts and generations of a channel.
    async fn forget(&self, uid: &str) -> Result<()>;
}
