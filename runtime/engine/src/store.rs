//! What the engine needs remembered: positions with counts, and dead letters. The runtime's services implement these;
//! `testkit` has them in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;
use fairway_shared::api::status::{Cause, Counts};
use fairway_shared::plan::Share;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::position::{Position, StreamKey};

/// A watermark to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMark {
    /// Whose watermark: a target's node id, or `None` for the source's own (everything up to it is done everywhere).
    pub target: Option<String>,
    /// Of which stream.
    pub stream: StreamKey,
    /// Everything up to here is done.
    pub position: Position,
    /// For targets that hold positions themselves: the last one committed inside the target. Found lower there later, the
    /// target went back.
    pub in_target: Option<Position>,
}

/// Records counted at one node; in + made = out + filtered + errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Passed {
    /// Entered.
    pub entered: u64,
    /// Left, or were delivered.
    pub out: u64,
    /// Dropped by a rule.
    pub filtered: u64,
    /// Refused.
    pub errors: u64,
    /// Made here, beyond one for each that entered: by splitting, or by sending one record several ways.
    #[serde(default)]
    pub made: u64,
}

impl std::ops::AddAssign for Passed {
    fn add_assign(&mut self, other: Self) {
        self.entered += other.entered;
        self.out += other.out;
        self.filtered += other.filtered;
        self.errors += other.errors;
        self.made += other.made;
    }
}

/// Counts of a channel, by source record and by place. They only rise: what becomes of a record at first is counted once, and
/// `counts.replayed` says how many of the dead-lettered ones were delivered since; see [`standing`](Totals::standing).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// By source record.
    pub counts: Counts,
    /// By node id.
    pub nodes: BTreeMap<String, Passed>,
    /// By edge, as `from>to` in the document's spelling.
    pub edges: BTreeMap<String, u64>,
}

impl Totals {
    /// What has become of the records by now: read = delivered + filtered + dead-lettered, each record in one of them (I1).
    pub fn standing(&self) -> Counts {
        let Counts { delivered, dead_lettered, replayed, .. } = self.counts;
        Counts {
            delivered: delivered + replayed,
            dead_lettered: dead_lettered.saturating_sub(replayed),
            ..self.counts
        }
    }
}

impl std::ops::AddAssign<&Totals> for Totals {
    fn add_assign(&mut self, other: &Self) {
        let (mine, theirs) = (&mut self.counts, &other.counts);
        mine.read += theirs.read;
        mine.delivered += theirs.delivered;
        mine.filtered += theirs.filtered;
        mine.dead_lettered += theirs.dead_lettered;
        mine.retried += theirs.retried;
        mine.replayed += theirs.replayed;
        for (node, passed) in &other.nodes {
            *self.nodes.entry(node.clone()).or_default() += *passed;
        }
        for (edge, records) in &other.edges {
            *self.edges.entry(edge.clone()).or_default() += records;
        }
    }
}

/// Identity of a refused record: storing it again changes nothing, so a replay never doubles a dead letter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LetterKey {
    /// Node that refused it.
    pub node: String,
    /// Stream it came by.
    pub stream: StreamKey,
    /// Rank within the partition.
    pub order: u64,
    /// Index among the children of one source record.
    pub child: u32,
}

/// A dead letter on its way into the store.
#[derive(Debug, Clone, PartialEq)]
pub struct Letter {
    /// Its identity.
    pub key: LetterKey,
    /// Why it was refused.
    pub cause: Cause,
    /// The record as it entered the node: `{ "value": …, "key": …, "headers": … }`.
    pub record: Value,
}

/// A dead letter that is to be tried again.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Its place in the order in which letters were asked for: greater than of any asked for before, ever.
    pub number: u64,
    /// Node that refused it, where it enters again.
    pub node: String,
    /// Index among the children of its source record.
    pub child: u32,
    /// The record as it entered the node, as [`Letter::record`] has it.
    pub record: Value,
}

/// Dead letters that are to be tried again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Replays {
    /// Those that can be tried now, by rising number.
    pub ready: Vec<Replay>,
    /// Whether there are more for this task that cannot be tried yet, because their source has not passed them.
    pub waiting: bool,
}

/// A note that a record, refused by a sink, was about to be handed on to a target by the sink's errors port.
///
/// Numbers of one sink rise. The note alone does not say whether the record arrived; the number that the target has
/// reached at the next start does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Routed {
    /// The record, and the sink that refused it.
    pub key: LetterKey,
    /// The target behind the errors port.
    pub target: String,
    /// Under which number it was handed on.
    pub number: u64,
}

/// What is remembered of a task when it starts.
#[derive(Debug, Clone, Default)]
pub struct Remembered {
    /// Number of this start; greater than of any start before (I4). Writes of an older one are refused.
    pub generation: u64,
    /// All watermarks of the channel.
    pub marks: Vec<StoredMark>,
    /// For sources that started over, by node id, a number that differs from start-over to start-over; the empty id
    /// stands for every source. Positions that a target holds from before do not count for what comes after.
    pub epochs: BTreeMap<String, u64>,
    /// Records beyond a source's watermark that a sink refused and whose dead letter is stored.
    pub letters: Vec<LetterKey>,
    /// Records beyond a source's watermark that a sink refused and that were noted before its errors port handed them on.
    pub routed: Vec<Routed>,
}

impl Remembered {
    /// Keeps what concerns a task that has a part of the partitions.
    pub(crate) fn keep(&mut self, task: &str, share: Share) {
        let own = |stream: &StreamKey| match stream.is_replay() {
            true => *stream.partition == *task,
            false => share.holds(&stream.partition),
        };
        self.marks.retain(|mark| own(&mark.stream));
        self.letters.retain(|key| own(&key.stream));
        self.routed.retain(|note| own(&note.key.stream));
    }
}

/// Positions, counts and dead letters of one channel.
#[async_trait]
pub trait Store: Send + Sync {
    /// Begins a start: takes the next generation and answers what is remembered.
    async fn begin(&self) -> Result<Remembered, Error>;

    /// Makes watermarks and counts durable in one step; `totals` is added to what is there. Once a source's own
    /// watermark passes a routed refusal it may be forgotten. When the own watermark of a replay stream passes a number, the
    /// letter tried again under it goes, unless it was set aside again; a source record whose last letter goes so is counted
    /// as replayed, once.
    ///
    /// # Errors
    /// `Fenced` when a later start has begun (I3); `Outage` when the store is out of reach or full.
    async fn commit(&self, generation: u64, marks: &[StoredMark], totals: &Totals) -> Result<(), Error>;

    /// Makes dead letters durable, by key. One that comes by a replay stream has its number for `order`: it takes the place of
    /// the letter that was tried, and keeps that one's identity.
    async fn set_aside(&self, letters: Vec<Letter>) -> Result<(), Error>;

    /// Dead letters of this task to be tried again, with numbers beyond `after`. A letter is ready when its source's own
    /// watermark has passed it: before, its source may still bring it by itself.
    async fn replays(&self, _after: u64, _limit: usize) -> Result<Replays, Error> {
        Ok(Replays::default())
    }

    /// Makes notes durable; a record may have several, under different numbers.
    async fn note_routed(&self, notes: Vec<Routed>) -> Result<(), Error>;

    /// Makes durable that these notes are void: their records never arrived, and numbers beyond theirs are about to.
    async fn forget_routed(&self, notes: Vec<Routed>) -> Result<(), Error>;
}
