//! What users asked for, on the control topic, and the one who may write there.
//!
//! Everything is written in transactions under one transactional id, which belongs to whoever leads. Commits come one at a time: each is
//! checked against everything that was committed before, and answered once it has been read back, so that whoever wrote sees it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fairway_kafka::house::HouseTopic;
use fairway_kafka::tail::Taken;
use fairway_kafka::transaction::{Offsets, Transacting, Write};
use fairway_kafka::{Access, Transactional};
use fairway_shared::api::cluster::Move;
use tokio::sync::{Mutex, Notify};

use super::LARGEST;
use super::journal::{Answer, Journal};
use super::mirror::{Fold, IfGone, Mirror};
use crate::clock;
use crate::services::error::{Error, Result};
use crate::services::{Change, Commit, ConfigService, Entry, Expect, Key, Kind};

/// What users asked for, and its writer.
pub struct Control {
    access: Access,
    id: String,
    topic: Arc<str>,
    mirror: Mirror<Catalog>,
    journal: Arc<Journal>,
    writer: Mutex<Writer>,
    /// Rings when the leader's producer turns out to be lost.
    lost: Notify,
}

#[derive(Default)]
struct Writer {
    /// The leader's producer, while this process leads.
    producer: Option<Transactional>,
    /// Offset behind the last commit.
    needed: i64,
}

/// Header of every record of a commit but the last: what it says counts once the last has been read.
const MORE: &str = "more";

/// Latest entries; deletions are kept so that they can be told.
#[derive(Default)]
struct Catalog {
    /// Of a commit that was read in part: readers see all of it or nothing.
    open: Vec<Taken>,
    slots: HashMap<Key, Slot>,
    order: BTreeMap<u64, Key>,
}

struct Slot {
    revision: u64,
    at: i64,
    value: Option<String>,
}

impl Fold for Catalog {
    fn take(&mut self, _: usize, message: Taken) {
        // The last record of all has no header, for it is never compacted away; so nothing stays open for ever.
        let more = message.headers.iter().any(|(name, _)| name == MORE);
        self.open.push(message);
        if !more {
            std::mem::take(&mut self.open).into_iter().for_each(|message| self.apply(message));
        }
    }
}

impl Catalog {
    fn apply(&mut self, message: Taken) {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok();
        // Other keys are of the cluster itself, or of a later Fairway.
        let Some(key) = message.key.and_then(text).and_then(|key| {
            let (kind, id) = key.split_once('/')?;
            Some(Key::new(Kind::parse(kind)?, id))
        }) else {
            return;
        };
        let revision = u64::try_from(message.offset).unwrap_or_default() + 1;
        let slot = Slot { revision, at: message.time, value: message.value.and_then(text) };
        if let Some(before) = self.slots.insert(key.clone(), slot) {
            self.order.remove(&before.revision);
        }
        self.order.insert(revision, key);
    }

    fn entry(&self, key: &Key) -> Option<Entry> {
        let slot = self.slots.get(key)?;
        let value = slot.value.clone()?;
        Some(Entry { key: key.clone(), revision: slot.revision, value, at: clock::from_ms(slot.at) })
    }

    fn revision(&self, key: &Key) -> Option<u64> {
        self.slots.get(key).filter(|slot| slot.value.is_some()).map(|slot| slot.revision)
    }
}

impl Control {
    pub(super) fn open(
        access: &Access,
        cluster: &str,
        topic: HouseTopic,
        journal: Arc<Journal>,
    ) -> Result<Self> {
        Ok(Self {
            access: access.clone(),
            id: format!("{cluster}.leader"),
            topic: topic.name.as_str().into(),
            mirror: Mirror::open(access, topic, IfGone::Wait)?,
            journal,
            writer: Mutex::default(),
            lost: Notify::new(),
        })
    }

    /// Takes the leader's transactional id: whoever had it can commit no more.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not answer in time.
    pub async fn initialise(&self, limit: Duration) -> Result<()> {
        let transacting =
            Transacting { compression: "lz4", max_message_bytes: LARGEST, ..Transacting::quick(&self.id) };
        let producer = Transactional::new(&self.access, &transacting)?;
        producer.warm();
        producer.initialise(limit).await?;
        *self.writer.lock().await = Writer { producer: Some(producer), needed: 0 };
        Ok(())
    }

    /// Whether this process leads, as far as it knows.
    pub async fn leads(&self) -> bool {
        self.writer.lock().await.producer.is_some()
    }

    /// Everything that was settled before this offset has been read.
    pub fn reached(&self) -> u64 {
        u64::try_from(self.mirror.next(0)).unwrap_or_default()
    }

    /// Waits until everything that was settled before an offset has been read.
    ///
    /// # Errors
    /// `Unavailable` when that takes too long.
    pub async fn reach(&self, offset: u64) -> Result<()> {
        self.mirror.reach(0, i64::try_from(offset).unwrap_or(i64::MAX)).await
    }

    /// Waits until everything that is settled at this moment has been read.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not answer.
    pub async fn settle(&self) -> Result<()> {
        self.mirror.settle(0).await
    }

    /// Lets the leader's producer go, if there is one.
    pub async fn resign(&self) {
        self.writer.lock().await.producer = None;
    }

    /// Waits until the leader's producer is found to be lost, by whatever commit.
    pub async fn lost(&self) {
        self.lost.notified().await;
    }

    /// Writes records of the cluster itself; answers the offset behind the last.
    ///
    /// # Errors
    /// `Follower`, `Fenced` and `Uncertain` when this process does not lead any more; the producer is gone then.
    pub async fn write(&self, records: Vec<(String, Option<String>)>) -> Result<u64> {
        let mut writer = self.writer.lock().await;
        self.commit_now(&mut writer, records).await?;
        Ok(u64::try_from(writer.needed).unwrap_or_default())
    }

    /// Writes down which tasks moved, unless it is written down already.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn note_moves(&self, seen: &[Move]) -> Result<()> {
        self.note(self.journal.new_moves(seen)?).await
    }

    /// Writes down what a request was answered.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn note_answer(&self, id: &str, answer: Answer) -> Result<()> {
        self.note(vec![self.journal.answered(id, answer)?]).await
    }

    async fn note(&self, writes: Vec<Write>) -> Result<()> {
        if writes.is_empty() {
            return Ok(());
        }
        let mut writer = self.writer.lock().await;
        let offsets = self.transact(&mut writer, writes).await?;
        self.journal.reach(offsets.iter().max().map_or(0, |last| last + 1)).await
    }

    async fn transact(&self, writer: &mut Writer, writes: Vec<Write>) -> Result<Offsets> {
        let producer = writer.producer.as_ref().ok_or(Error::Follower)?;
        producer.transact(writes).await.map_err(|failure| {
            if failure.is_final() {
                writer.producer = None;
                self.lost.notify_one();
            }
            failure.into()
        })
    }

    async fn commit_now(
        &self,
        writer: &mut Writer,
        records: Vec<(String, Option<String>)>,
    ) -> Result<Offsets> {
        let write = |(key, value): (String, Option<String>)| Write {
            topic: self.topic.clone(),
            partition: Some(0),
            key: Some(key.into_bytes()),
            value: value.map(String::into_bytes),
            headers: vec![(MORE.to_owned(), None)],
            time: None,
        };
        let mut records: Vec<Write> = records.into_iter().map(write).collect();
        if let Some(last) = records.last_mut() {
            last.headers.clear();
        }
        let count = records.len();
        records.extend(self.journal.begun()?);
        let mut offsets = self.transact(writer, records).await?;
        // Those of the journal mean nothing here.
        offsets.truncate(count);
        writer.needed = offsets.iter().max().map_or(writer.needed, |last| last + 1);
        Ok(offsets)
    }
}

#[async_trait]
impl ConfigService for Control {
    async fn commit(&self, commit: Commit) -> Result<u64> {
        let mut writer = self.writer.lock().await;
        if writer.producer.is_none() {
            return Err(Error::Follower);
        }
        // Everything that was committed before, by a predecessor as well, for the first commit.
        if writer.needed == 0 {
            self.mirror.settle(0).await?;
        } else {
            self.mirror.reach(0, writer.needed).await?;
        }
        let records = self.mirror.look(|catalog| {
            for (key, expect) in commit.expect {
                let revision = catalog.revision(&key);
                let holds = match expect {
                    Expect::Absent => revision.is_none(),
                    Expect::Revision(expected) => revision == Some(expected),
                };
                if !holds {
                    return Err(Error::Conflict { key, revision });
                }
            }
            let mut writes = commit.writes;
            let mut there: HashMap<Key, bool> = HashMap::new();
            // A deletion of nothing leaves no trace.
            writes.retain(|(key, value)| {
                let known = there.insert(key.clone(), value.is_some());
                value.is_some() || known.unwrap_or_else(|| catalog.revision(key).is_some())
            });
            Ok(writes.into_iter().map(|(key, value)| (key.to_string(), value)).collect::<Vec<_>>())
        })?;
        if records.is_empty() {
            return Ok(0);
        }
        let offsets = self.commit_now(&mut writer, records).await?;
        self.mirror.reach(0, writer.needed).await?;
        Ok(offsets.last().and_then(|last| u64::try_from(*last).ok()).map_or(0, |last| last + 1))
    }

    async fn get(&self, key: &Key) -> Result<Option<Entry>> {
        self.mirror.reach(0, 0).await?;
        Ok(self.mirror.look(|catalog| catalog.entry(key)))
    }

    async fn list(&self, kind: Kind, prefix: &str) -> Result<Vec<Entry>> {
        self.mirror.reach(0, 0).await?;
        Ok(self.mirror.look(|catalog| {
            let fits = |key: &&Key| key.kind == kind && key.id.starts_with(prefix);
            let mut entries: Vec<Entry> =
                catalog.slots.keys().filter(fits).filter_map(|key| catalog.entry(key)).collect();
            entries.sort_by(|a, b| a.key.id.cmp(&b.key.id));
            entries
        }))
    }

    async fn since(&self, revision: u64) -> Result<Vec<Change>> {
        self.mirror.reach(0, 0).await?;
        Ok(self.mirror.look(|catalog| {
            let later = catalog.order.range(revision + 1..);
            let change = |(revision, key): (&u64, &Key)| Change {
                key: key.clone(),
                revision: *revision,
                value: catalog.slots.get(key).and_then(|slot| slot.value.clone()),
            };
            later.map(change).collect()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(offset: i64, key: &str, more: bool) -> Taken {
        Taken {
            offset,
            key: Some(key.as_bytes().to_vec()),
            value: Some(b"v".to_vec()),
            time: 0,
            headers: more.then(|| (MORE.to_owned(), None)).into_iter().collect(),
        }
    }

    #[test]
    fn a_commit_is_seen_whole_or_not_at_all() {
        let mut catalog = Catalog::default();
        let seen = |catalog: &Catalog| catalog.order.keys().copied().collect::<Vec<_>>();
        catalog.take(0, message(3, "draft/a", true));
        catalog.take(0, message(4, "leader", true));
        assert_eq!(seen(&catalog), [0; 0]);
        catalog.take(0, message(5, "draft/b", false));
        assert_eq!(seen(&catalog), [4, 6], "keys of others take a place and say nothing here");
        // The last record of a commit was compacted away: the next commit shows the rest.
        catalog.take(0, message(7, "draft/c", true));
        catalog.take(0, message(9, "draft/a", false));
        assert_eq!(seen(&catalog), [6, 8, 10]);
    }
}
