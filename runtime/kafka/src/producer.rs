//! Writing, with an answer for each message.
//!
//! Always idempotent and with all copies asked: within the life of one producer no message is written twice and none
//! overtakes another, however often brokers are lost and found again. It never gives a message up by itself.

use std::sync::Arc;
use std::time::Duration;

use fairway_engine::Error;
use rdkafka::error::KafkaError;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::types::RDKafkaErrorCode as Code;
use tokio::task::JoinHandle;

use crate::access::Access;
use crate::fault;
use crate::release::release;
use crate::reports::Reports;

/// How a producer writes.
#[derive(Debug, Clone)]
pub struct Writing {
    /// How batches are compressed, as Kafka calls it.
    pub compression: &'static str,
    /// Most bytes of a message.
    pub max_message_bytes: usize,
    /// Most bytes of a batch of several messages.
    pub batch_bytes: usize,
    /// Bytes that wait to be sent.
    pub queue_bytes: usize,
}

/// A message to be written.
#[derive(Debug, Clone, Copy)]
pub struct Outgoing<'a> {
    /// Topic.
    pub topic: &'a str,
    /// Key.
    pub key: Option<&'a [u8]>,
    /// Value; none is a tombstone.
    pub value: Option<&'a [u8]>,
    /// Milliseconds since 1970; none is now.
    pub time: Option<i64>,
}

/// Headers of a message, in order.
#[derive(Debug, Default)]
pub struct OutHeaders(Option<OwnedHeaders>);

impl OutHeaders {
    /// Adds one.
    pub fn push(&mut self, name: &str, value: Option<&[u8]>) {
        let headers = self.0.take().unwrap_or_default();
        self.0 = Some(headers.insert(Header { key: name, value }));
    }
}

/// Why a message was not taken.
#[derive(Debug)]
pub enum NotSent {
    /// Too many wait already: poll, and send it again with the same headers.
    Full(OutHeaders),
    /// The message itself cannot be written.
    Refused(Refusal),
    /// Another fault.
    Fault(Error),
}

/// Why a message cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Permanent dotted code.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
}

/// What became of a message.
#[derive(Debug)]
pub enum Answer {
    /// All copies that must have it have it.
    Written,
    /// Its batch was refused because of this message or a neighbour; it was not written.
    Refused(Refusal),
    /// It is not known to be written.
    Fault(Error),
}

/// Writes messages.
pub struct Producer {
    client: Option<Arc<BaseProducer<Reports>>>,
    reports: Reports,
    keeper: JoinHandle<()>,
}

impl Producer {
    /// A producer. To be called inside the async runtime.
    ///
    /// # Errors
    /// `kafka.bad_config` for settings that librdkafka refuses.
    pub fn new(access: &Access, writing: &Writing) -> Result<Self, Error> {
        let mut config = access.config();
        config
            .set("enable.idempotence", "true")
            .set("acks", "all")
            // Never given up: an outage is told of, and the message waits; so it is never sent a second time.
            .set("message.timeout.ms", "0")
            .set("linger.ms", "2")
            .set("batch.size", writing.batch_bytes.clamp(1, 1_000_000).to_string())
            .set("compression.type", writing.compression)
            .set("message.max.bytes", writing.max_message_bytes.to_string())
            .set("queue.buffering.max.kbytes", (writing.queue_bytes >> 10).max(1024).to_string())
            .set("queue.buffering.max.messages", "200000")
            // A topic that is gone is said to be within this time, not half a minute.
            .set("topic.metadata.propagation.max.ms", "5000")
            // Where other clients put a key, ours goes too.
            .set("partitioner", "murmur2_random");
        let reports = Reports::default();
        let client: BaseProducer<Reports> = config
            .create_with_context(reports.clone())
            .map_err(|error| fault::of("make a Kafka client", &error, None))?;
        let client = Arc::new(client);
        let keeper = tokio::spawn(keep(client.clone()));
        Ok(Self { client: Some(client), reports, keeper })
    }

    fn client(&self) -> &Arc<BaseProducer<Reports>> {
        self.client.as_ref().expect("the client is taken by `drop` alone")
    }

    /// Queues a message; its answer will carry `number`. Does not wait.
    ///
    /// # Errors
    /// [`NotSent`].
    pub fn send(&self, number: usize, message: Outgoing<'_>, headers: OutHeaders) -> Result<(), NotSent> {
        let mut record: BaseRecord<'_, [u8], [u8], usize> = BaseRecord::with_opaque_to(message.topic, number);
        record.key = message.key;
        record.payload = message.value;
        record.timestamp = message.time;
        record.headers = headers.0;
        let Err((error, record)) = self.client().send(record) else { return Ok(()) };
        let code = error.rdkafka_error_code();
        match code.and_then(refusal) {
            Some(refusal) => Err(NotSent::Refused(refusal)),
            None if code == Some(Code::QueueFull) => Err(NotSent::Full(OutHeaders(record.headers))),
            None => {
                let doing = format!("write to topic `{}`", message.topic);
                Err(NotSent::Fault(self.fault(&doing, code.unwrap_or(Code::Fail))))
            }
        }
    }

    /// Hands on what became of messages since the last call: their numbers, and their answers. Says whether there was any.
    pub fn answers(&self, mut each: impl FnMut(usize, Answer)) -> bool {
        self.client().poll(Duration::ZERO);
        let reports = self.reports.take();
        if reports.iter().any(|(_, report)| report.is_ok()) {
            self.reports.watch.is_up();
        }
        for (number, report) in &reports {
            each(
                *number,
                match report.err().map(|code| (code, refusal(code))) {
                    None => Answer::Written,
                    Some((_, Some(refusal))) => Answer::Refused(refusal),
                    Some((code, None)) => Answer::Fault(self.fault("write to Kafka", code)),
                },
            );
        }
        !reports.is_empty()
    }

    fn fault(&self, doing: &str, code: Code) -> Error {
        match self.client().client().fatal_error() {
            // The client is of no use any more, the brokers may be: a new one tries again.
            Some((code, reason)) => {
                Error::outage("kafka.producer_lost", format!("cannot {doing}: {code}, {reason}"))
                    .help("nothing to do: Fairway goes on with a new producer")
            }
            None => self.reports.watch.fault(doing, &KafkaError::MessageProduction(code)),
        }
    }

    /// Whether this producer can write no more, and a new one is needed.
    pub fn is_lost(&self) -> bool {
        self.client().client().fatal_error().is_some()
    }

    /// The outage, while no broker can be reached.
    pub fn outage(&self) -> Option<Error> {
        self.reports.watch.is_down().then(|| self.reports.watch.outage("write to Kafka"))
    }
}

/// What is the message's own fault.
fn refusal(code: Code) -> Option<Refusal> {
    let (code, message) = match code {
        Code::MessageSizeTooLarge | Code::InvalidMessageSize => {
            ("kafka.too_large", "the message is larger than the topic takes (`max.message.bytes`)")
        }
        Code::InvalidRecord => {
            ("kafka.refused", "the broker refuses the message: a compacted topic needs a key")
        }
        Code::InvalidTimestamp => ("kafka.bad_time", "the topic does not take messages of that time"),
        Code::InvalidTopic => ("kafka.bad_topic", "no topic can have this name"),
        _ => return None,
    };
    Some(Refusal { code, message: message.to_owned() })
}

/// Serves errors while nothing is written, or they would pile up.
async fn keep(client: Arc<BaseProducer<Reports>>) {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    loop {
        tick.tick().await;
        client.poll(Duration::ZERO);
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        // What still waits is given up: whoever cared has its answers.
        release(self.client.take(), &self.keeper);
    }
}

impl std::fmt::Debug for Producer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Producer")
    }
}
