//! Reading partitions that are named one by one: each has a queue of its own, and one that has something says so.
//!
//! There is no group that could take partitions away, so a reader that stalls for long keeps them. What is fetched ahead
//! is bounded in bytes (I5); beyond it, librdkafka stops fetching. A group's name serves only to show others how far
//! this reader is.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fairway_engine::Error;
use rdkafka::consumer::base_consumer::PartitionQueue;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode as Code;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::access::Access;
use crate::fault;
use crate::release::release;
use crate::watch::Watch;

/// Least and most bytes that one request brings for a partition.
const FETCH: (usize, usize) = (64 << 10, 1 << 20);

/// Topic, partition and the offset of the next message.
pub type Shown = (Arc<str>, i32, i64);

/// How a consumer reads.
#[derive(Debug, Clone)]
pub struct Reading {
    /// Group that shows how far it is.
    pub group: String,
    /// Whether messages of aborted and unfinished transactions are left out.
    pub read_committed: bool,
    /// Bytes fetched ahead, all partitions together.
    pub ahead_bytes: usize,
    /// How many partitions share them.
    pub partitions: usize,
}

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// At the first message there is.
    First,
    /// At this offset; if it is not there, that is a fault and never a reason to begin elsewhere.
    Offset(i64),
}

/// What came out of a partition.
#[derive(Debug)]
pub enum Out<'a> {
    /// A message.
    Message(Message<'a>),
    /// Its end, as it was when the client came to it.
    End,
    /// The offset that was asked for is not there any more, or not yet.
    OutOfRange,
    /// There is no such partition any more.
    Gone,
    /// Another fault.
    Fault(Error),
}

/// A message where librdkafka holds it.
#[derive(Debug)]
pub struct Message<'a>(BorrowedMessage<'a>);

/// Something that came with a message.
pub type Header<'a> = (&'a str, Option<&'a [u8]>);

impl Message<'_> {
    /// Place in its partition.
    pub fn offset(&self) -> i64 {
        self.0.offset()
    }

    /// Key.
    pub fn key(&self) -> Option<&[u8]> {
        self.0.key()
    }

    /// Value; none is a tombstone.
    pub fn value(&self) -> Option<&[u8]> {
        self.0.payload()
    }

    /// Milliseconds since 1970.
    pub fn time(&self) -> Option<i64> {
        self.0.timestamp().to_millis()
    }

    /// Headers in order; a name may come more than once.
    pub fn headers(&self) -> impl Iterator<Item = Header<'_>> {
        self.0.headers().into_iter().flat_map(|headers| headers.iter().map(|one| (one.key, one.value)))
    }
}

struct Partition {
    topic: Arc<str>,
    number: i32,
    queue: PartitionQueue<Watch>,
}

/// Which partitions have something, in the order in which they said so.
#[derive(Default)]
struct Ready {
    waiting: Mutex<VecDeque<usize>>,
    flags: Mutex<Vec<Arc<AtomicBool>>>,
    bell: Notify,
}

impl Ready {
    fn push(&self, index: usize, flag: &AtomicBool) {
        if !flag.swap(true, Ordering::AcqRel) {
            lock(&self.waiting).push_back(index);
            self.bell.notify_one();
        }
    }

    fn flag(&self, index: usize) -> Option<Arc<AtomicBool>> {
        lock(&self.flags).get(index).cloned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads partitions.
pub struct Consumer {
    client: Option<Arc<BaseConsumer<Watch>>>,
    watch: Watch,
    partitions: Vec<Partition>,
    ready: Arc<Ready>,
    keeper: JoinHandle<()>,
}

impl Consumer {
    /// A consumer of no partitions yet. To be called inside the async runtime.
    ///
    /// # Errors
    /// `kafka.bad_config` for settings that librdkafka refuses.
    pub fn new(access: &Access, reading: &Reading) -> Result<Self, Error> {
        // Queues of their own count apart, so each gets its share.
        let share = (reading.ahead_bytes / reading.partitions.max(1)).max(FETCH.0);
        let isolation = if reading.read_committed { "read_committed" } else { "read_uncommitted" };
        let mut config = access.config();
        config
            .set("group.id", &reading.group)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "error")
            .set("enable.partition.eof", "true")
            .set("allow.auto.create.topics", "false")
            .set("isolation.level", isolation)
            .set("queued.max.messages.kbytes", (share >> 10).to_string())
            .set("fetch.message.max.bytes", share.clamp(FETCH.0, FETCH.1).to_string())
            // A full queue is looked at again after this time; the default of a second is most of the throughput.
            .set("fetch.queue.backoff.ms", "5")
            .set("fetch.error.backoff.ms", "100")
            .set("statistics.interval.ms", "5000");
        let watch = Watch::default();
        let mut client: BaseConsumer<Watch> = config
            .create_with_context(watch.clone())
            .map_err(|error| fault::of("make a Kafka client", &error, None))?;
        let bell = Arc::new(Notify::new());
        let ring = bell.clone();
        client.set_nonempty_callback(move || ring.notify_one());
        let client = Arc::new(client);
        let ready = Arc::new(Ready::default());
        let keeper = tokio::spawn(keep(client.clone(), bell, ready.clone()));
        Ok(Self { client: Some(client), watch, partitions: Vec::new(), ready, keeper })
    }

    fn client(&self) -> &Arc<BaseConsumer<Watch>> {
        self.client.as_ref().expect("the client is taken by `drop` alone")
    }

    /// Begins to read partitions too. They are known by the order in which they were added, from 0.
    ///
    /// # Errors
    /// If librdkafka refuses.
    pub fn add(&mut self, partitions: &[(Arc<str>, i32, From)]) -> Result<(), Error> {
        let client = self.client().clone();
        let mut assigned = TopicPartitionList::new();
        for (topic, number, from) in partitions {
            let missing =
                || Error::config("kafka.bad_config", format!("there can be no partition {topic}/{number}"));
            // Before it is assigned, or its first messages would come by the queue of all.
            let mut queue = client.split_partition_queue(topic, *number).ok_or_else(missing)?;
            let index = self.partitions.len();
            let flag = Arc::new(AtomicBool::new(false));
            lock(&self.ready.flags).push(flag.clone());
            let ready = self.ready.clone();
            queue.set_nonempty_callback(move || ready.push(index, &flag));
            self.partitions.push(Partition { topic: topic.clone(), number: *number, queue });
            let offset = match from {
                From::First => Offset::Beginning,
                From::Offset(offset) => Offset::Offset(*offset),
            };
            let added = assigned.add_partition_offset(topic, *number, offset);
            added.map_err(|error| fault::of("read a partition", &error, None))?;
        }
        client.incremental_assign(&assigned).map_err(|error| fault::of("read partitions", &error, None))
    }

    /// Stops reading a partition; its number stays taken.
    pub fn remove(&self, index: usize) {
        let Some(partition) = self.partitions.get(index) else { return };
        let mut gone = TopicPartitionList::new();
        gone.add_partition(&partition.topic, partition.number);
        if let Err(error) = self.client().incremental_unassign(&gone) {
            tracing::debug!(%error, "a partition could not be let go");
        }
    }

    /// The next partition that has something. Take from it until it has nothing more, or [put it
    /// back](Consumer::put_back).
    pub fn take_ready(&self) -> Option<usize> {
        let index = lock(&self.ready.waiting).pop_front()?;
        if let Some(flag) = self.ready.flag(index) {
            flag.store(false, Ordering::Release);
        }
        Some(index)
    }

    /// Says that a partition has more.
    pub fn put_back(&self, index: usize) {
        if let Some(flag) = self.ready.flag(index) {
            self.ready.push(index, &flag);
        }
    }

    /// Looks at every partition again, whether it said something or not.
    pub fn look_everywhere(&self) {
        (0..self.partitions.len()).for_each(|index| self.put_back(index));
    }

    /// What comes next out of a partition; `None` when there is nothing now.
    pub fn poll(&self, index: usize) -> Option<Out<'_>> {
        let partition = self.partitions.get(index)?;
        let error = match partition.queue.poll(Duration::ZERO)? {
            Ok(message) => return Some(Out::Message(Message(message))),
            Err(KafkaError::PartitionEOF(_)) => return Some(Out::End),
            Err(error) => error,
        };
        Some(match error.rdkafka_error_code() {
            Some(Code::AutoOffsetReset | Code::OffsetOutOfRange) => Out::OutOfRange,
            Some(Code::UnknownPartition | Code::UnknownTopic | Code::UnknownTopicOrPartition) => Out::Gone,
            _ => {
                let doing = format!("read `{}`, partition {}", partition.topic, partition.number);
                Out::Fault(self.watch.fault(&doing, &error))
            }
        })
    }

    /// Where a partition's end was when it was last come to: everything before it has gone into the queue.
    pub fn end(&self, index: usize) -> Option<i64> {
        let partition = self.partitions.get(index)?;
        self.watch.end(&partition.topic, partition.number)
    }

    /// Waits until a partition has something, at most so long.
    pub async fn wait(&self, limit: Duration) {
        if !lock(&self.ready.waiting).is_empty() {
            return;
        }
        // Too long is fine: the caller looks again.
        tokio::time::timeout(limit, self.ready.bell.notified()).await.ok();
    }

    /// The outage, while no broker can be reached.
    pub fn outage(&self) -> Option<Error> {
        self.watch.is_down().then(|| self.watch.outage("read from Kafka"))
    }

    /// A broker has answered.
    pub fn is_up(&self) {
        self.watch.is_up();
    }

    /// Shows in the group how far partitions are: topic, partition, offset of the next message. Does not wait and may come
    /// to nothing.
    pub fn show(&self, offsets: &[Shown]) {
        if let Err(error) = commit(self.client(), offsets, CommitMode::Async) {
            tracing::debug!(%error, "the group did not take the offsets");
        }
    }

    /// As [`Self::show`], and waits until the group has them, but not longer than `patience`: a client that is let go
    /// forgets what it was about to commit.
    pub async fn show_last(&self, offsets: Vec<Shown>, patience: Duration) {
        let client = self.client().clone();
        let shown = tokio::task::spawn_blocking(move || commit(&client, &offsets, CommitMode::Sync));
        match tokio::time::timeout(patience, shown).await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::debug!(%error, "the group did not take the last offsets"),
            Ok(Err(_)) | Err(_) => tracing::debug!("the group did not take the last offsets in time"),
        }
    }
}

fn commit(client: &BaseConsumer<Watch>, offsets: &[Shown], mode: CommitMode) -> Result<(), KafkaError> {
    if offsets.is_empty() {
        return Ok(());
    }
    let mut list = TopicPartitionList::new();
    for (topic, partition, offset) in offsets {
        list.add_partition_offset(topic, *partition, Offset::Offset(*offset))?;
    }
    client.commit(&list, mode)
}

/// Serves what concerns no partition: errors, statistics, answers to commits.
async fn keep(client: Arc<BaseConsumer<Watch>>, bell: Arc<Notify>, ready: Arc<Ready>) {
    loop {
        // The bell rings when the queue was empty; some events are consumed without an answer, hence the time-out.
        tokio::time::timeout(Duration::from_secs(1), bell.notified()).await.ok();
        for _ in 0..64 {
            match client.poll(Duration::ZERO) {
                Some(Ok(message)) => {
                    // Partitions have queues of their own from before they are assigned.
                    tracing::error!(topic = message.topic(), "a message came by the wrong queue");
                }
                Some(Err(_)) => ready.bell.notify_one(),
                None => break,
            }
        }
    }
}

impl Drop for Consumer {
    fn drop(&mut self) {
        let client = self.client.take();
        let partitions = std::mem::take(&mut self.partitions);
        // Queues first: they hold on to the client.
        release((partitions, client), &self.keeper);
    }
}

impl std::fmt::Debug for Consumer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Consumer({} partitions)", self.partitions.len())
    }
}
