//! Positions on Kafka. Each task has a transactional id of its own, which its next start takes over: whatever an older owner still
//! has on the way is refused by the brokers, wherever it runs (I3, I4).
//!
//! A start leaves a mark whose offset is the generation: one number that rises over all tasks of the cluster, in the order in which
//! they fenced one another, and another one for each start under the same grant.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::error::{Error as EngineError, Kind};
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::store::{StoredMark, Totals};
use fairway_kafka::house::HouseTopic;
use fairway_kafka::transaction::{Failure, Offsets, Transacting, Write};
use fairway_kafka::{Access, Transactional};
use futures::TryStreamExt as _;
use tokio::sync::{Mutex, MutexGuard};

use super::control::Control;
use super::ledger::{Ledger, LedgerKey, MarkKey, MarkValue, PARTITIONS, Page, STARTS, Stamp, partition_of};
use super::mirror::{IfGone, Mirror};
use super::{json, letters};
use crate::services::error::{Error, Result};
use crate::services::{self, Adjustment, ConfigService as _, Key, PositionService};

/// Longest time that taking over a transactional id may take: a predecessor's last commit may be under way.
const TAKE_OVER: Duration = Duration::from_secs(20);

/// Tasks that are fenced at once: each takes a client, and so a thread.
pub(super) const AT_ONCE: usize = 128;

/// What stands for a task where something is counted beside all tasks.
const BESIDE: &str = "";

/// Positions that all workers share.
pub(super) struct Shared {
    access: Access,
    cluster: String,
    topic: Arc<str>,
    mirror: Mirror<Ledger>,
    /// Says which topic it must be.
    control: Arc<Control>,
    /// Tasks that were started here.
    running: std::sync::Mutex<Started>,
    /// Who is about to take which transactional id.
    turns: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

/// By the channel's uid and the task's id.
type Started = HashMap<(String, String), Arc<Mutex<Running>>>;

/// One start of a task.
#[derive(Debug, Clone)]
pub(super) struct RunningTask {
    pub(super) uid: Arc<str>,
    pub(super) task: String,
    pub(super) generation: u64,
}

/// A task that was started here.
struct Running {
    generation: u64,
    producer: Transactional,
    /// Watermarks committed by this start.
    marks: HashMap<MarkKey, MarkValue>,
    /// What the task has counted, by all its starts.
    totals: Totals,
}

impl Shared {
    pub(super) fn open(
        access: &Access,
        cluster: &str,
        topic: HouseTopic,
        control: Arc<Control>,
    ) -> Result<Self> {
        Ok(Self {
            access: access.clone(),
            cluster: cluster.to_owned(),
            topic: topic.name.as_str().into(),
            mirror: Mirror::open(access, topic, IfGone::MakeAgain)?,
            control,
            running: std::sync::Mutex::default(),
            turns: std::sync::Mutex::default(),
        })
    }

    /// A producer with the transactional id of a task, or of the channel itself; whoever had it is fenced.
    pub(super) async fn take(&self, uid: &str, task: Option<&str>) -> Result<Transactional> {
        let id = match task {
            Some(task) => format!("{}.{uid}.{task}", self.cluster),
            None => format!("{}.{uid}", self.cluster),
        };
        self.taken(&id).await
    }

    async fn taken(&self, id: &str) -> Result<Transactional> {
        let transacting =
            Transacting { max_message_bytes: letters::LARGEST, compression: "lz4", ..Transacting::quick(id) };
        let producer = Transactional::new(&self.access, &transacting)?;
        producer.warm();
        let turn = self.turn(id);
        // Goes on if whoever asked is gone, and the next one waits for it: the brokers cannot be told to stop, and an older start that
        // took the id after a newer one would fence that.
        let taking = tokio::spawn(async move {
            let _turn = turn.lock().await;
            producer.initialise(TAKE_OVER).await.map(|()| producer)
        });
        Ok(taking.await.map_err(|error| Error::Unavailable(error.into()))??)
    }

    /// What those who take an id in this process wait for, one after the other.
    fn turn(&self, id: &str) -> Arc<Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        turns.entry(id.to_owned()).or_default().clone()
    }

    fn message(&self, key: &LedgerKey, value: Option<String>) -> Write {
        Write {
            topic: self.topic.clone(),
            partition: i32::try_from(key.partition()).ok(),
            key: Some(key.encode()),
            value: value.map(String::into_bytes),
            ..Write::default()
        }
    }

    fn forget_running(&self, uid: &str, task: &str) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.remove(&(uid.to_owned(), task.to_owned()));
    }

    fn running(&self, uid: &str, task: &str) -> Option<Arc<Mutex<Running>>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.get(&(uid.to_owned(), task.to_owned())).cloned()
    }

    /// Writes to another topic as a task that runs here, and counts source records as replayed in the same step.
    ///
    /// # Errors
    /// `Fenced` when it does not run here, or runs elsewhere by now (I4).
    pub(super) async fn write_as(
        &self,
        uid: &str,
        task: &str,
        mut writes: Vec<Write>,
        replayed: u64,
    ) -> Result<()> {
        let running = self.running(uid, task).ok_or(Error::Fenced)?;
        let mut running = running.lock().await;
        let mut totals = running.totals.clone();
        if replayed > 0 {
            totals.counts.replayed += replayed;
            let key = LedgerKey::Totals(uid.to_owned(), task.to_owned());
            writes.push(self.message(&key, Some(json(&totals)?)));
        }
        if let Err(error) = commit(&running.producer, writes).await {
            self.part_with(uid, task, running, &error);
            return Err(error);
        }
        running.totals = totals;
        Ok(())
    }

    /// The same beside the tasks, as the holder of a transactional id of the channel's.
    pub(super) async fn write_beside(
        &self,
        uid: &str,
        producer: &Transactional,
        mut writes: Vec<Write>,
        replayed: u64,
    ) -> Result<()> {
        if replayed > 0 {
            let mut totals = self.page(uid).await?.totals.remove(BESIDE).unwrap_or_default();
            totals.counts.replayed += replayed;
            let key = LedgerKey::Totals(uid.to_owned(), BESIDE.to_owned());
            writes.push(self.message(&key, Some(json(&totals)?)));
        }
        commit(producer, writes).await.map(drop)
    }

    /// Writes records into a topic, and how far they go in it, in one transaction of the task's producer: both are there or neither (G8).
    /// `end` is the node that writes them.
    ///
    /// # Errors
    /// `Fenced` when another start of the task has taken over (I3, I4); what the brokers say when they refused it all.
    pub(super) async fn write_records(
        &self,
        task: &RunningTask,
        end: &str,
        mut writes: Vec<Write>,
        marks: &[Mark],
    ) -> Result<(), EngineError> {
        let RunningTask { uid, task, generation } = task;
        let running = self.running(uid, task).ok_or(Error::Fenced)?;
        let running = running.lock().await;
        if running.generation != *generation {
            return Err(Error::Fenced.into());
        }
        for mark in marks {
            let key = LedgerKey::Held(uid.to_string(), MarkKey::new(&mark.stream, Some(end)));
            writes.push(self.message(&key, Some(json(&mark.position)?)));
        }
        match running.producer.transact(writes).await {
            Ok(_) => Ok(()),
            // Nothing of it is there, and what is wrong is said by the brokers: with a topic of a user's it is mostly that topic.
            Err(Failure::Refused(error)) => match error.kind {
                Kind::Data => Err(EngineError { kind: Kind::Outage, ..error }),
                _ => Err(error),
            },
            Err(failure) => {
                let error = Error::from(failure);
                self.part_with(uid, task, running, &error);
                Err(error.into())
            }
        }
    }

    /// How far a stream's end has come with what goes into it.
    pub(super) async fn held(&self, uid: &str, end: &str, stream: &StreamKey) -> Result<Option<Position>> {
        let key = MarkKey::new(stream, Some(end));
        Ok(self.page(uid).await?.held.remove(&key))
    }

    /// A producer that is lost is let go, and with it the right to write as its task.
    fn part_with(&self, uid: &str, task: &str, running: MutexGuard<'_, Running>, error: &Error) {
        drop(running);
        if matches!(error, Error::Fenced | Error::Uncertain(_)) {
            self.forget_running(uid, task);
        }
    }

    /// Everything that is known of a channel now.
    async fn page(&self, uid: &str) -> Result<Page> {
        self.mirror.settle(partition_of(uid)).await?;
        Ok(self.mirror.look(|ledger| ledger.page(uid)))
    }

    /// The same, starts and epochs included.
    async fn whole_page(&self, uid: &str) -> Result<Page> {
        self.mirror.settle(STARTS).await?;
        self.page(uid).await
    }

    /// Fences tasks, all at once, and strikes off their starts.
    pub(super) async fn fence(&self, uid: &str, tasks: impl IntoIterator<Item = String>) -> Result<()> {
        let fence = |task: String| async move {
            let producer = self.take(uid, Some(&task)).await?;
            self.forget_running(uid, &task);
            let start = LedgerKey::Start(uid.to_owned(), task);
            commit(&producer, vec![self.message(&start, None)]).await.map(drop)
        };
        futures::stream::iter(tasks.into_iter().map(Ok)).try_for_each_concurrent(AT_ONCE, fence).await
    }

    /// Writes what only the controller changes, in one step, and waits until it can be read.
    async fn change(&self, uid: &str, writes: Vec<Write>) -> Result<()> {
        if writes.is_empty() {
            return Ok(());
        }
        let producer = self.take(uid, None).await?;
        commit(&producer, writes).await?;
        self.whole_page(uid).await.map(drop)
    }

    fn epoch(&self, uid: &str, source: &str) -> Result<Write> {
        let begun = json(&self.mirror.look(Ledger::begun))?;
        Ok(self.message(&LedgerKey::Epoch(uid.to_owned(), source.to_owned()), Some(begun)))
    }

    /// Answers that the positions of a channel are those that the cluster knows.
    ///
    /// # Errors
    /// `PositionsLost` when they are gone; `Unavailable` while nobody can say yet.
    async fn vouch(&self, uid: &str) -> Result<()> {
        if self.control.get(&Key::new(services::Kind::Lost, uid)).await?.is_some() {
            return Err(Error::PositionsLost);
        }
        // The leader of a new cluster has not come to it yet: nothing can be lost.
        let Some(known) = self.control.get(&Stamp::key()).await? else { return Ok(()) };
        let known: Stamp =
            serde_json::from_str(&known.value).map_err(|error| Error::Unavailable(error.into()))?;
        let places = [STARTS, partition_of(uid)];
        let stamped = |ledger: &Ledger| places.iter().all(|place| ledger.stamp(*place) == Some(&known));
        if self.mirror.look(stamped) {
            return Ok(());
        }
        for place in places {
            self.mirror.settle(place).await?;
        }
        if self.mirror.look(stamped) {
            return Ok(());
        }
        let message =
            format!("topic `{}` is not the one that held the positions, or not all of it", self.topic);
        Err(Error::Unavailable(message.into()))
    }

    /// Which topic it is, as far as was read; none where not all of it says the same.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.mirror.look(|ledger| ledger.whole().cloned())
    }

    /// Waits until all of the topic has been read.
    pub(super) async fn settle(&self) -> Result<()> {
        let partitions = 0..usize::try_from(PARTITIONS).unwrap_or_default();
        let settling = partitions.map(|partition| self.mirror.settle(partition));
        futures::future::try_join_all(settling).await.map(drop)
    }

    /// Says in all partitions which topic it is.
    pub(super) async fn put_stamp(&self, stamp: &Stamp) -> Result<()> {
        let value = json(stamp)?;
        let partitions = 0..usize::try_from(PARTITIONS).unwrap_or_default();
        let write = |partition| self.message(&LedgerKey::Stamp(partition), Some(value.clone()));
        let producer = self.taken(&format!("{}.ledger", self.cluster)).await?;
        commit(&producer, partitions.map(write).collect()).await?;
        self.settle().await
    }

    fn nothing_held(&self, uid: &str, key: &MarkKey) -> Write {
        self.message(&LedgerKey::Held(uid.to_owned(), key.clone()), None)
    }

    fn no_mark(&self, uid: &str, key: &MarkKey) -> Write {
        self.message(&LedgerKey::Mark(uid.to_owned(), key.clone()), None)
    }
}

async fn commit(producer: &Transactional, writes: Vec<Write>) -> Result<Offsets> {
    Ok(producer.transact(writes).await?)
}

#[async_trait]
impl PositionService for Shared {
    async fn begin(&self, uid: &str, task: &str) -> Result<u64> {
        self.vouch(uid).await?;
        // Nothing depends on a start that came to nothing: it is made again, by another producer.
        let again = |error| match error {
            Error::Uncertain(error) => Error::Unavailable(error),
            error => error,
        };
        let producer = self.take(uid, Some(task)).await.map_err(again)?;
        let start = LedgerKey::Start(uid.to_owned(), task.to_owned());
        let begun = self.mirror.look(Ledger::begun);
        let offsets = commit(&producer, vec![self.message(&start, Some(json(&begun)?))]).await;
        let offsets = offsets.map_err(again)?;
        let generation = offsets.first().copied().map_or(0, |offset| begun.number_at(offset));
        // Whoever had the task is fenced by now: nothing of it comes after this.
        let totals = self.page(uid).await?.totals.remove(task).unwrap_or_default();
        let running = Running { generation, producer, marks: HashMap::new(), totals };
        let mut tasks = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.insert((uid.to_owned(), task.to_owned()), Arc::new(Mutex::new(running)));
        Ok(generation)
    }

    async fn commit(
        &self,
        uid: &str,
        task: &str,
        generation: u64,
        marks: &[StoredMark],
        totals: &Totals,
    ) -> Result<Totals> {
        let running = self.running(uid, task).ok_or(Error::Fenced)?;
        let mut running = running.lock().await;
        // I3: a stale generation cannot write.
        if running.generation != generation {
            return Err(Error::Fenced);
        }
        let mut page = self.mirror.look(|ledger| ledger.page(uid));
        let mut changed: HashMap<MarkKey, MarkValue> = HashMap::new();
        for mark in marks {
            let key = MarkKey::of(mark);
            let mine = changed.get(&key).or_else(|| running.marks.get(&key));
            // I3: within one generation a position only grows.
            if let Some(before) = mine.filter(|before| mark.position.order < before.position.order) {
                let from = before.position.order;
                return Err(Error::WentBack {
                    stream: mark.stream.to_string(),
                    from,
                    to: mark.position.order,
                });
            }
            let known = mine.or_else(|| page.marks.get(&key)).and_then(|before| before.in_target.clone());
            let in_target = mark.in_target.clone().or(known);
            changed.insert(key, MarkValue { generation, position: mark.position.clone(), in_target });
        }
        let mut sum = running.totals.clone();
        sum += totals;
        let mut writes = Vec::with_capacity(changed.len() + 1);
        for (key, value) in &changed {
            writes.push(self.message(&LedgerKey::Mark(uid.to_owned(), key.clone()), Some(json(value)?)));
        }
        if *totals != Totals::default() {
            writes.push(self.message(&LedgerKey::Totals(uid.to_owned(), task.to_owned()), Some(json(&sum)?)));
        }
        if !writes.is_empty()
            && let Err(error) = commit(&running.producer, writes).await
        {
            self.part_with(uid, task, running, &error);
            return Err(error);
        }
        running.marks.extend(changed);
        running.totals = sum.clone();
        // Others may be a moment ahead of what was read of them.
        page.totals.insert(task.to_owned(), sum);
        Ok(page.sum())
    }

    async fn marks(&self, uid: &str) -> Result<Vec<StoredMark>> {
        Ok(self.page(uid).await?.stored_marks())
    }

    async fn epochs(&self, uid: &str) -> Result<BTreeMap<String, u64>> {
        Ok(self.whole_page(uid).await?.epochs)
    }

    async fn totals(&self, uid: &str) -> Result<Totals> {
        Ok(self.page(uid).await?.sum())
    }

    async fn totals_seen(&self, uid: &str) -> Result<Totals> {
        Ok(self.mirror.look(|ledger| ledger.sum(uid)))
    }

    async fn retire(&self, uid: &str, keep: &[String]) -> Result<()> {
        let starts = self.whole_page(uid).await?.starts;
        self.fence(uid, starts.into_keys().filter(|task| !keep.contains(task))).await
    }

    async fn adjust(&self, uid: &str, adjustment: &Adjustment) -> Result<()> {
        let Adjustment { restarted, dropped, replaced, shared_out: _ } = adjustment;
        let page = self.whole_page(uid).await?;
        let mut writes =
            restarted.iter().map(|source| self.epoch(uid, source)).collect::<Result<Vec<_>>>()?;
        let mut touched = Vec::new();
        for (key, value) in page.marks {
            // A sink that is gone hands nothing on either.
            let gone = dropped.contains(&key.target) || dropped.contains(&key.via);
            if gone || restarted.contains(&key.source) {
                writes.push(self.no_mark(uid, &key));
            } else if replaced.contains(&key.target) && value.in_target.is_some() {
                let value = json(&MarkValue { in_target: None, ..value })?;
                writes.push(self.message(&LedgerKey::Mark(uid.to_owned(), key.clone()), Some(value)));
            } else {
                continue;
            }
            touched.push(key);
        }
        let gone = page.held.keys().filter(|key| dropped.contains(&key.target));
        writes.extend(gone.map(|key| self.nothing_held(uid, key)));
        self.change(uid, writes).await?;
        let tasks: Vec<Arc<Mutex<Running>>> = {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.iter().filter(|((of, _), _)| of == uid).map(|(_, task)| task.clone()).collect()
        };
        for task in tasks {
            let mut task = task.lock().await;
            touched.iter().for_each(|key| drop(task.marks.remove(key)));
        }
        Ok(())
    }

    async fn reset(&self, uid: &str) -> Result<()> {
        let starts = self.whole_page(uid).await?.starts;
        self.fence(uid, starts.into_keys()).await?;
        let page = self.whole_page(uid).await?;
        let mut writes: Vec<Write> = page.marks.keys().map(|key| self.no_mark(uid, key)).collect();
        writes.extend(page.held.keys().map(|key| self.nothing_held(uid, key)));
        writes.push(self.epoch(uid, "")?);
        self.change(uid, writes).await
    }

    async fn forget(&self, uid: &str) -> Result<()> {
        let starts = self.whole_page(uid).await?.starts;
        self.fence(uid, starts.into_keys()).await?;
        let page = self.whole_page(uid).await?;
        let mut writes: Vec<Write> = page.marks.keys().map(|key| self.no_mark(uid, key)).collect();
        writes.extend(page.held.keys().map(|key| self.nothing_held(uid, key)));
        let totals = page.totals.into_keys().map(|task| LedgerKey::Totals(uid.to_owned(), task));
        let epochs = page.epochs.into_keys().map(|source| LedgerKey::Epoch(uid.to_owned(), source));
        writes.extend(totals.chain(epochs).map(|key| self.message(&key, None)));
        self.change(uid, writes).await
    }
}
