//! Reading a few partitions to their ends, and on and on: control, beats, positions. One client on one thread of its own for all of
//! them.
//!
//! Each batch says how far its partition has been read, markers of transactions included: only so can one know that an end has been
//! passed. While nobody takes what was read, the partitions are paused and the client is served all the same, so that nothing piles up
//! (I5) and nothing is thought dead.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fairway_engine::Error;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Header, Headers as _, Message as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode as Code;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::access::Access;
use crate::fault;
use crate::watch::Watch;

/// Longest wait for the first message of a batch.
const WAIT: Duration = Duration::from_millis(100);
/// Most messages of a batch.
const BATCH: usize = 2000;
/// Most bytes of a batch, but for its last message (I5).
const BATCH_BYTES: usize = 1 << 20;
/// Batches that wait to be taken.
const AHEAD: usize = 16;
/// Limit of a question to the brokers, and time after which it is asked again.
const QUESTION: Duration = Duration::from_secs(2);

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At the first message there is.
    First,
    /// Behind the last message there is now.
    End,
}

/// A partition to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Topic.
    pub topic: Arc<str>,
    /// Number.
    pub partition: i32,
    /// Where to begin.
    pub start: Start,
}

/// A message that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Place in its partition.
    pub offset: i64,
    /// Key.
    pub key: Option<Vec<u8>>,
    /// Value; none is a tombstone.
    pub value: Option<Vec<u8>>,
    /// Milliseconds since 1970.
    pub time: i64,
    /// Headers in order.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

/// What was read of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Number of the place, in the order in which they were named.
    pub place: usize,
    /// Messages in order; none if only markers were passed.
    pub messages: Vec<Taken>,
    /// Everything before this offset has been read.
    pub next: i64,
}

/// Reads until it is dropped.
#[derive(Debug)]
pub struct Tail {
    stop: Arc<AtomicBool>,
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// What comes out of a tail; a fault is the last.
pub type Passages = mpsc::Receiver<Result<Passage, Error>>;

impl Tail {
    /// Reads places from their starts on. While no broker answers it waits for one.
    ///
    /// # Errors
    /// `kafka.bad_config` for settings that librdkafka refuses.
    pub fn new(access: &Access, read_committed: bool, places: Vec<Place>) -> Result<(Self, Passages), Error> {
        let isolation = if read_committed { "read_committed" } else { "read_uncommitted" };
        let mut config = access.config();
        config
            .set("group.id", "fairway")
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "error")
            .set("enable.partition.eof", "true")
            .set("allow.auto.create.topics", "false")
            .set("isolation.level", isolation)
            .set("queued.max.messages.kbytes", "8192")
            .set("fetch.queue.backoff.ms", "5")
            .set("fetch.error.backoff.ms", "100");
        let watch = Watch::default();
        let client: BaseConsumer<Watch> = config
            .create_with_context(watch)
            .map_err(|error| fault::of("make a Kafka client", &error, None))?;
        let (out, passages) = mpsc::channel(AHEAD);
        let stop = Arc::new(AtomicBool::new(false));
        let reader = Reader { client, places, nexts: Vec::new(), out, stop: stop.clone() };
        std::thread::Builder::new().name("kafka-tail".to_owned()).spawn(move || reader.run()).map_err(
            |error| Error::failed("kafka.no_thread", "no thread for a Kafka client").source(error),
        )?;
        Ok((Self { stop }, passages))
    }
}

struct Reader {
    client: BaseConsumer<Watch>,
    places: Vec<Place>,
    /// How far each place has been told to be read.
    nexts: Vec<i64>,
    out: mpsc::Sender<Result<Passage, Error>>,
    stop: Arc<AtomicBool>,
}

impl Reader {
    fn run(mut self) {
        let fault = match self.begin() {
            Ok(()) => self.read(),
            Err(error) => Err(error),
        };
        if let Err(error) = fault
            && !self.stops()
        {
            self.out.blocking_send(Err(error)).ok();
        }
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.out.is_closed()
    }

    /// Finds where to begin. By number, for the client takes half a second to find it by itself.
    fn begin(&mut self) -> Result<(), Error> {
        let mut assigned = TopicPartitionList::new();
        for place in &self.places {
            let offset = loop {
                if self.stops() {
                    return Ok(());
                }
                match self.client.fetch_watermarks(&place.topic, place.partition, QUESTION) {
                    Ok((first, _)) if place.start == Start::First => break first,
                    Ok((_, end)) => break end,
                    Err(error) if is_gone(&error) => return Err(gone(place)),
                    Err(_) => drop(self.client.poll(WAIT)),
                }
            };
            let added = assigned.add_partition_offset(&place.topic, place.partition, Offset::Offset(offset));
            added.map_err(|error| fault::of("read a partition", &error, None))?;
            self.nexts.push(offset);
        }
        for place in 0..self.places.len() {
            let passage = Passage { place, messages: Vec::new(), next: self.nexts[place] };
            self.out.blocking_send(Ok(passage)).ok();
        }
        self.client.assign(&assigned).map_err(|error| fault::of("read partitions", &error, None))
    }

    fn read(&mut self) -> Result<(), Error> {
        let numbers: HashMap<(Arc<str>, i32), usize> = self
            .places
            .iter()
            .enumerate()
            .map(|(number, place)| ((place.topic.clone(), place.partition), number))
            .collect();
        let number_of = |topic: &str, partition| {
            let place = numbers.iter().find(|((name, number), _)| **name == *topic && *number == partition);
            place.map(|(_, number)| *number)
        };
        while !self.stops() {
            let mut batches: Vec<Vec<Taken>> = self.places.iter().map(|_| Vec::new()).collect();
            let (mut wait, mut bytes) = (WAIT, 0);
            for _ in 0..BATCH {
                match self.client.poll(wait) {
                    Some(Ok(message)) => {
                        let Some(place) = number_of(message.topic(), message.partition()) else { continue };
                        batches[place].push(taken(&message));
                        bytes += message.payload_len() + message.key_len();
                        if bytes > BATCH_BYTES {
                            break;
                        }
                    }
                    Some(Err(KafkaError::PartitionEOF(_))) => {}
                    Some(Err(error)) => self.judge(&error)?,
                    None => break,
                }
                wait = Duration::ZERO;
            }
            self.tell(batches);
        }
        Ok(())
    }

    /// Hands on what was read, and how far.
    fn tell(&mut self, batches: Vec<Vec<Taken>>) {
        let Ok(positions) = self.client.position() else { return };
        for (place, messages) in batches.into_iter().enumerate() {
            let Place { topic, partition, .. } = &self.places[place];
            let read = match positions.find_partition(topic, *partition).map(|one| one.offset()) {
                Some(Offset::Offset(next)) => next,
                _ => self.nexts[place],
            };
            // The last message counts in any case.
            let next = messages.last().map_or(read, |last| read.max(last.offset + 1)).max(self.nexts[place]);
            if next > self.nexts[place] {
                self.nexts[place] = next;
                self.send(Passage { place, messages, next });
            }
        }
    }

    /// Waits for room with all partitions paused, and serves the client meanwhile.
    fn send(&self, passage: Passage) {
        let mut waiting = match self.out.try_send(Ok(passage)) {
            Err(TrySendError::Full(passage)) => passage,
            _ => return,
        };
        let Ok(assigned) = self.client.assignment() else { return };
        self.client.pause(&assigned).unwrap_or_else(|error| tracing::debug!(%error, "not paused"));
        while !self.stops() {
            match self.out.try_send(waiting) {
                Err(TrySendError::Full(passage)) => waiting = passage,
                _ => break,
            }
            // Nothing can come but errors and answers.
            if let Some(Ok(message)) = self.client.poll(Duration::from_millis(5)) {
                let (topic, offset) = (message.topic().to_owned(), message.offset());
                tracing::debug!(topic, offset, "a message came through a pause, it is read again");
                self.client.seek(&topic, message.partition(), Offset::Offset(offset), QUESTION).ok();
            }
        }
        self.client.resume(&assigned).unwrap_or_else(|error| tracing::debug!(%error, "not resumed"));
    }

    fn judge(&self, error: &KafkaError) -> Result<(), Error> {
        match error.rdkafka_error_code() {
            Some(Code::AutoOffsetReset | Code::OffsetOutOfRange) => Err(Error::new(
                fairway_engine::Kind::Hold,
                "kafka.out_of_range",
                format!("what was to be read next is not there any more: {error}"),
            )),
            _ if is_gone(error) => Err(fault::of("read a partition", error, None)),
            _ => {
                // Brokers come back; the client sees to it.
                tracing::debug!(%error, "reading is interrupted");
                Ok(())
            }
        }
    }
}

/// A message as it is handed on.
pub(crate) fn taken(message: &BorrowedMessage<'_>) -> Taken {
    let owned = |one: Header<'_, &[u8]>| (one.key.to_owned(), one.value.map(<[u8]>::to_vec));
    Taken {
        offset: message.offset(),
        key: message.key().map(<[u8]>::to_vec),
        value: message.payload().map(<[u8]>::to_vec),
        time: message.timestamp().to_millis().unwrap_or_default(),
        headers: message.headers().map_or_else(Vec::new, |headers| headers.iter().map(owned).collect()),
    }
}

pub(crate) fn is_gone(error: &KafkaError) -> bool {
    let gone = [Code::UnknownPartition, Code::UnknownTopic, Code::UnknownTopicOrPartition];
    error.rdkafka_error_code().is_some_and(|code| gone.contains(&code))
}

fn gone(place: &Place) -> Error {
    Error::outage(
        "kafka.topic_missing",
        format!("there is no partition {} of topic `{}`", place.partition, place.topic),
    )
    .help("create the topic, or correct its name")
}
