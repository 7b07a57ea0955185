//! What lies in the positions topic: keys, values, and what they come to.
//!
//! Everything of a channel that tasks write lies in one partition, so that it is known to the end by asking for one end. Starts and
//! epochs of all channels lie in partition 0: their numbers are the offsets there, and so rise over the whole cluster.

use std::collections::{BTreeMap, HashMap};

use fairway_engine::position::{Position, StreamKey};
use fairway_engine::store::{StoredMark, Totals};
use fairway_kafka::tail::Taken;
use fairway_shared::fnv1a;
use serde::{Deserialize, Serialize};

use super::mirror::Fold;
use crate::services::{Key, Kind};

/// Partitions of the topic: one for starts, the rest for channels. Never another number, or channels would be looked for where they
/// are not.
pub(super) const PARTITIONS: i32 = 25;

/// Partition of starts and epochs.
pub(super) const STARTS: usize = 0;

/// Partition of what the tasks of a channel write.
pub(super) fn partition_of(uid: &str) -> usize {
    spread(uid, PARTITIONS - 1) + 1
}

/// The one of so many partitions that a channel's records lie in.
pub(super) fn spread(uid: &str, partitions: i32) -> usize {
    let hash = fnv1a(uid.as_bytes());
    usize::try_from(hash % u64::from(partitions.unsigned_abs().max(1))).unwrap_or_default()
}

/// What a watermark is found by, in the order in which watermarks are listed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct MarkKey {
    pub(super) source: String,
    pub(super) partition: String,
    pub(super) via: String,
    /// Empty for the source's own.
    pub(super) target: String,
}

impl MarkKey {
    pub(super) fn of(mark: &StoredMark) -> Self {
        Self::new(&mark.stream, mark.target.as_deref())
    }

    pub(super) fn new(stream: &StreamKey, target: Option<&str>) -> Self {
        let StreamKey { source, partition, via } = stream;
        Self {
            source: source.to_string(),
            partition: partition.to_string(),
            via: via.to_string(),
            target: target.unwrap_or_default().to_owned(),
        }
    }
}

/// A watermark as it lies in the topic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MarkValue {
    pub(super) generation: u64,
    pub(super) position: Position,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) in_target: Option<Position>,
}

/// Keys of the topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LedgerKey {
    /// A watermark of a channel.
    Mark(String, MarkKey),
    /// How far a stream's own end has come, of the records that go into it; the target is the stream's end.
    Held(String, MarkKey),
    /// What a task of a channel has counted.
    Totals(String, String),
    /// The last start of a task.
    Start(String, String),
    /// That a source started over.
    Epoch(String, String),
    /// Which topic it is, in each partition.
    Stamp(usize),
}

/// Which positions topic it is. It is settled on control as well, and so a topic that was lost and made anew is told from an empty one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    id: String,
    /// How many were lost before it: numbers of starts rise beyond those of every topic before.
    epoch: u64,
}

impl Stamp {
    /// Where it is settled.
    pub fn key() -> Key {
        Key::new(Kind::Ledger, "positions")
    }

    /// The topic after one that was lost; without one, the first.
    pub fn after(lost: Option<&Self>) -> Self {
        Self { id: uuid::Uuid::new_v4().to_string(), epoch: lost.map_or(0, |lost| lost.epoch + 1) }
    }
}

impl LedgerKey {
    /// As it lies in the topic: a list of texts, for ids may hold any character.
    pub(super) fn encode(&self) -> Vec<u8> {
        let number;
        let parts = match self {
            Self::Mark(uid, key) => vec!["mark", uid, &key.source, &key.partition, &key.via, &key.target],
            Self::Held(uid, key) => vec!["held", uid, &key.source, &key.partition, &key.via, &key.target],
            Self::Totals(uid, task) => vec!["totals", uid, task],
            Self::Start(uid, task) => vec!["start", uid, task],
            Self::Epoch(uid, source) => vec!["epoch", uid, source],
            Self::Stamp(partition) => {
                number = partition.to_string();
                vec!["stamp", &number, ""]
            }
        };
        serde_json::to_vec(&parts).expect("a list of texts can be written")
    }

    fn decode(key: &[u8]) -> Option<Self> {
        let parts: Vec<String> = serde_json::from_slice(key).ok()?;
        let mut parts = parts.into_iter();
        let (kind, uid, first) = (parts.next()?, parts.next()?, parts.next()?);
        let mut mark = |source| {
            let (partition, via, target) = (parts.next()?, parts.next()?, parts.next()?);
            Some(MarkKey { source, partition, via, target })
        };
        Some(match kind.as_str() {
            "mark" => Self::Mark(uid, mark(first)?),
            "held" => Self::Held(uid, mark(first)?),
            "totals" => Self::Totals(uid, first),
            "start" => Self::Start(uid, first),
            "epoch" => Self::Epoch(uid, first),
            "stamp" => Self::Stamp(uid.parse().ok()?),
            _ => return None,
        })
    }

    /// The partition where it lies.
    pub(super) fn partition(&self) -> usize {
        match self {
            Self::Mark(uid, _) | Self::Held(uid, _) | Self::Totals(uid, _) => partition_of(uid),
            Self::Start(..) | Self::Epoch(..) => STARTS,
            Self::Stamp(partition) => *partition,
        }
    }
}

/// What a start or an epoch says beside its place.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Begun {
    /// Epoch of the topic that it lies in.
    #[serde(default)]
    pub(super) epoch: u64,
}

/// Places of a topic; more messages than any will hold.
const PLACES: u32 = 40;

impl Begun {
    /// The number that a place in the partition of starts stands for: greater than any before, also of topics that were lost.
    pub(super) fn number_at(self, offset: i64) -> u64 {
        (self.epoch << PLACES) + u64::try_from(offset).unwrap_or_default() + 1
    }
}

/// What is known of a channel.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    pub(super) marks: BTreeMap<MarkKey, MarkValue>,
    /// What went into streams.
    pub(super) held: BTreeMap<MarkKey, Position>,
    pub(super) totals: BTreeMap<String, Totals>,
    /// Generation of the last start of each task.
    pub(super) starts: BTreeMap<String, u64>,
    pub(super) epochs: BTreeMap<String, u64>,
}

impl Page {
    pub(super) fn sum(&self) -> Totals {
        let mut sum = Totals::default();
        self.totals.values().for_each(|totals| sum += totals);
        sum
    }

    pub(super) fn stored_marks(&self) -> Vec<StoredMark> {
        let mark = |(key, value): (&MarkKey, &MarkValue)| StoredMark {
            target: (!key.target.is_empty()).then(|| key.target.clone()),
            stream: StreamKey {
                source: key.source.as_str().into(),
                partition: key.partition.as_str().into(),
                via: key.via.as_str().into(),
            },
            position: value.position.clone(),
            in_target: value.in_target.clone(),
        };
        self.marks.iter().map(mark).collect()
    }
}

/// Everything that was read.
#[derive(Default)]
pub(super) struct Ledger {
    pages: HashMap<String, Page>,
    /// By partition.
    stamps: HashMap<usize, Stamp>,
}

impl Ledger {
    pub(super) fn page(&self, uid: &str) -> Page {
        self.pages.get(uid).cloned().unwrap_or_default()
    }

    pub(super) fn sum(&self, uid: &str) -> Totals {
        self.pages.get(uid).map(Page::sum).unwrap_or_default()
    }

    /// Which topic a partition is of; none where nobody has said.
    pub(super) fn stamp(&self, partition: usize) -> Option<&Stamp> {
        self.stamps.get(&partition)
    }

    /// Which topic it is, where all partitions say the same.
    pub(super) fn whole(&self) -> Option<&Stamp> {
        let partitions = usize::try_from(PARTITIONS).unwrap_or_default();
        let first = self.stamp(STARTS)?;
        (0..partitions).all(|partition| self.stamp(partition) == Some(first)).then_some(first)
    }

    /// What a start or an epoch is to say.
    pub(super) fn begun(&self) -> Begun {
        Begun { epoch: self.stamp(STARTS).map_or(0, |stamp| stamp.epoch) }
    }
}

impl Fold for Ledger {
    fn take(&mut self, _: usize, message: Taken) {
        let Some(key) = message.key.as_deref().and_then(LedgerKey::decode) else { return };
        let value = message.value.as_deref();
        if let LedgerKey::Stamp(partition) = key {
            self.stamps.extend(value.and_then(parse).map(|stamp| (partition, stamp)));
            return;
        }
        let number = |value| parse::<Begun>(value).unwrap_or_default().number_at(message.offset);
        let (LedgerKey::Mark(uid, _)
        | LedgerKey::Held(uid, _)
        | LedgerKey::Totals(uid, _)
        | LedgerKey::Start(uid, _)
        | LedgerKey::Epoch(uid, _)) = &key
        else {
            return;
        };
        let page = self.pages.entry(uid.clone()).or_default();
        match key {
            LedgerKey::Mark(_, key) => set(&mut page.marks, key, value.map(parse)),
            LedgerKey::Held(_, key) => set(&mut page.held, key, value.map(parse)),
            LedgerKey::Totals(_, task) => set(&mut page.totals, task, value.map(parse)),
            LedgerKey::Start(_, task) => set(&mut page.starts, task, value.map(|value| Some(number(value)))),
            LedgerKey::Epoch(_, source) => {
                set(&mut page.epochs, source, value.map(|value| Some(number(value))));
            }
            LedgerKey::Stamp(_) => {}
        }
    }
}

/// A value; `None` for one of a later Fairway.
fn parse<T: serde::de::DeserializeOwned>(value: &[u8]) -> Option<T> {
    serde_json::from_slice(value).ok()
}

fn set<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<Option<V>>) {
    match value {
        Some(Some(value)) => drop(map.insert(key, value)),
        Some(None) => {}
        None => drop(map.remove(&key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_and_partitions_never_change() {
        let mark =
            MarkKey { source: "s".into(), partition: "a/\"b".into(), via: String::new(), target: "t".into() };
        for key in [
            LedgerKey::Mark("u".into(), mark.clone()),
            LedgerKey::Held("u".into(), mark),
            LedgerKey::Totals("u".into(), "t".into()),
            LedgerKey::Start("u".into(), "t".into()),
            LedgerKey::Epoch("u".into(), String::new()),
            LedgerKey::Stamp(24),
        ] {
            assert_eq!(LedgerKey::decode(&key.encode()), Some(key));
        }
        // Written down: other numbers would lose the positions of every cluster there is.
        let partitions = ["", "a", "0192f0c4-6b1e-7a55-8f0e-3b9a1c2d4e5f"].map(partition_of);
        assert!(partitions.iter().all(|partition| (1..25).contains(partition)), "{partitions:?}");
        assert_eq!((partition_of("a"), spread("a", 12)), (5, 4));
    }

    #[test]
    fn numbers_rise_beyond_those_of_a_topic_that_was_lost() {
        let taken = |offset, key: &LedgerKey, value: String| Taken {
            offset,
            key: Some(key.encode()),
            value: Some(value.into_bytes()),
            time: 0,
            headers: Vec::new(),
        };
        let start = LedgerKey::Start("u".into(), "t".into());
        let mut old = Ledger::default();
        old.take(STARTS, taken(1 << 30, &start, "{}".into()));
        let mut new = Ledger::default();
        let stamp = Stamp::after(Some(&Stamp::after(None)));
        new.take(STARTS, taken(0, &LedgerKey::Stamp(STARTS), serde_json::to_string(&stamp).expect("JSON")));
        assert_eq!((new.stamp(STARTS), new.whole()), (Some(&stamp), None), "other partitions say nothing");
        let begun = serde_json::to_string(&new.begun()).expect("JSON");
        new.take(STARTS, taken(1, &start, begun));
        assert!(new.page("u").starts["t"] > old.page("u").starts["t"]);
    }
}
