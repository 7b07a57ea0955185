//! Writing in transactions: a client on a thread of its own, for every call of it waits.
//!
//! A transactional id belongs to whoever *initialised* it last; that ends what the predecessor had open, and fences it. The predecessor
//! learns that late: beginning and sending succeed, the commit is refused. What can go wrong with a commit has therefore three names:
//! it was taken back and the producer is good for another ([`Failure::Refused`]), somebody else has the id ([`Failure::Fenced`]), or
//! nobody can say ([`Failure::Unknown`]). After the last two the producer is of no use any more.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use fairway_engine::Error;
use rdkafka::error::{KafkaError, RDKafkaError};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::types::RDKafkaErrorCode as Code;
use tokio::sync::oneshot;

use crate::access::Access;
use crate::fault;
use crate::reports::Reports;

/// Time between two looks at a client with nothing to do.
const IDLE: Duration = Duration::from_millis(200);
/// Time between two looks at what is on its way. The client's own waiting takes a tenth of a second at least, whatever comes.
const BLINK: Duration = Duration::from_micros(300);
/// Length of a call to take a transaction back.
const SLICE: Duration = Duration::from_millis(50);

/// How a transactional producer writes.
#[derive(Debug, Clone)]
pub struct Transacting {
    /// Its transactional id.
    pub id: String,
    /// Longest time from the first message of a transaction to its end; then the brokers take it back.
    pub timeout: Duration,
    /// Longest time that a commit may take before its outcome counts as unknown.
    pub patience: Duration,
    /// How batches are compressed, as Kafka calls it.
    pub compression: &'static str,
    /// Most bytes of a message.
    pub max_message_bytes: usize,
}

impl Transacting {
    /// For small records that others wait for.
    pub fn quick(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            timeout: Duration::from_secs(10),
            patience: Duration::from_secs(4),
            compression: "none",
            max_message_bytes: 1_000_000,
        }
    }
}

/// A message to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Write {
    /// Topic.
    pub topic: Arc<str>,
    /// Partition; none lets the key say.
    pub partition: Option<i32>,
    /// Key.
    pub key: Option<Vec<u8>>,
    /// Value; none is a tombstone.
    pub value: Option<Vec<u8>>,
    /// Headers in order.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
    /// Milliseconds since 1970; none is that of writing.
    pub time: Option<i64>,
}

/// Why a transaction did not go through.
#[derive(Debug)]
pub enum Failure {
    /// It was taken back, and nothing of it is there. The producer can begin another.
    Refused(Error),
    /// The transactional id is somebody else's, or a transaction took too long; the two cannot be told apart. If it was committing,
    /// whether that went through will be seen in the topics.
    Fenced,
    /// Nobody answered in time, or something else befell the client. Whether it went through is settled by whoever initialises the id
    /// next, and will be seen then.
    Unknown(Error),
}

impl Failure {
    /// Whether the producer is of no use any more.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) | Failure::Unknown(error) => error,
            Failure::Fenced => Self::new(
                fairway_engine::Kind::Fenced,
                "kafka.fenced",
                "another producer has taken over this transactional id",
            ),
        }
    }
}

/// Offsets of what was written, in the order in which it was handed over.
pub type Offsets = Vec<i64>;

type Reply<T> = oneshot::Sender<Result<T, Failure>>;

enum Command {
    Warm,
    Initialise(Duration, Reply<()>),
    Write(Vec<Write>, Reply<()>),
    Commit(Reply<Offsets>),
    Transact(Vec<Write>, Reply<Offsets>),
    Abort(Reply<()>),
}

/// Writes in transactions, one at a time.
#[derive(Debug)]
pub struct Transactional {
    commands: Sender<Command>,
}

impl Transactional {
    /// A producer. Nothing is sent yet.
    ///
    /// # Errors
    /// `kafka.bad_config` for settings that librdkafka refuses.
    pub fn new(access: &Access, transacting: &Transacting) -> Result<Self, Error> {
        let mut config = access.config();
        let timeout = transacting.timeout.as_millis().to_string();
        config
            .set("transactional.id", &transacting.id)
            .set("transaction.timeout.ms", &timeout)
            .set("enable.idempotence", "true")
            .set("acks", "all")
            // Never longer than the transaction.
            .set("message.timeout.ms", &timeout)
            .set("linger.ms", "0")
            .set("compression.type", transacting.compression)
            .set("message.max.bytes", transacting.max_message_bytes.to_string())
            .set("topic.metadata.propagation.max.ms", "5000")
            .set("partitioner", "murmur2_random");
        let reports = Reports::default();
        let client: BaseProducer<Reports> = config
            .create_with_context(reports.clone())
            .map_err(|error| fault::of("make a Kafka client", &error, None))?;
        let (commands, inbox) = mpsc::channel();
        let actor = Actor {
            client,
            reports,
            patience: transacting.patience,
            open: false,
            sent: 0,
            before: 0,
            lost: None,
        };
        std::thread::Builder::new()
            .name("kafka-transactions".to_owned())
            .spawn(move || actor.run(&inbox))
            .map_err(|error| {
                Error::failed("kafka.no_thread", "no thread for a Kafka client").source(error)
            })?;
        Ok(Self { commands })
    }

    /// Has the client find its brokers, so that initialising takes milliseconds and not half a second.
    pub fn warm(&self) {
        self.commands.send(Command::Warm).ok();
    }

    /// Takes the transactional id: ends what the predecessor had open, and fences it.
    ///
    /// # Errors
    /// `Unknown` when the brokers did not answer within the limit, `Fenced` when somebody else took it meanwhile.
    pub async fn initialise(&self, limit: Duration) -> Result<(), Failure> {
        self.ask(|reply| Command::Initialise(limit, reply)).await
    }

    /// Adds messages to the transaction, and begins one if none is open. Waits while too much is under way.
    ///
    /// # Errors
    /// `Refused` for a message that cannot be written: the transaction is taken back.
    pub async fn write(&self, messages: Vec<Write>) -> Result<(), Failure> {
        self.ask(|reply| Command::Write(messages, reply)).await
    }

    /// Commits what was added; answers where it lies.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn commit(&self) -> Result<Offsets, Failure> {
        self.ask(Command::Commit).await
    }

    /// Writes messages in a transaction of their own and commits it; answers where they lie. Whoever stops waiting for it leaves
    /// nothing half done: it goes through or is taken back all the same.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn transact(&self, messages: Vec<Write>) -> Result<Offsets, Failure> {
        self.ask(|reply| Command::Transact(messages, reply)).await
    }

    /// Takes back what was added.
    ///
    /// # Errors
    /// `Fenced` when somebody else has the id.
    pub async fn abort(&self) -> Result<(), Failure> {
        self.ask(Command::Abort).await
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, Failure> {
        let (reply, answer) = oneshot::channel();
        let gone = || Failure::Unknown(Error::failed("kafka.interrupted", "a Kafka client has ended"));
        self.commands.send(command(reply)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

struct Actor {
    client: BaseProducer<Reports>,
    reports: Reports,
    patience: Duration,
    /// Whether a transaction is open.
    open: bool,
    /// Messages of all transactions so far.
    sent: usize,
    /// Messages of the transactions before the open one: answers for them come too late to mean anything.
    before: usize,
    /// Why this producer is of no use any more.
    lost: Option<Lost>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lost {
    Fenced,
    Unknown,
}

impl Actor {
    /// Serves commands until nobody can give any; then the client is dropped here, where that holds nobody up.
    fn run(mut self, inbox: &Receiver<Command>) {
        loop {
            // Whoever asked may have gone.
            match inbox.recv_timeout(IDLE) {
                Ok(Command::Warm) => {
                    let seen = self.client.client().fetch_metadata(Some("__consumer_offsets"), IDLE * 5);
                    drop(seen);
                }
                Ok(Command::Initialise(limit, reply)) => drop(reply.send(self.initialise(limit))),
                Ok(Command::Write(messages, reply)) => drop(reply.send(self.write(&messages))),
                Ok(Command::Commit(reply)) => drop(reply.send(self.commit())),
                Ok(Command::Transact(messages, reply)) => {
                    let done = self.write(&messages).and_then(|()| self.commit());
                    drop(reply.send(done));
                }
                Ok(Command::Abort(reply)) => drop(reply.send(self.abort())),
                Err(RecvTimeoutError::Timeout) => self.client.poll(Duration::ZERO),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn usable(&self) -> Result<(), Failure> {
        match self.lost {
            None => Ok(()),
            Some(Lost::Fenced) => Err(Failure::Fenced),
            Some(Lost::Unknown) => Err(Failure::Unknown(self.outage("use a producer that is lost"))),
        }
    }

    fn outage(&self, doing: &str) -> Error {
        self.reports.watch.outage(doing)
    }

    fn fenced(&mut self) -> Failure {
        self.lost = Some(Lost::Fenced);
        Failure::Fenced
    }

    fn unknown(&mut self, doing: &str) -> Failure {
        self.lost = Some(Lost::Unknown);
        Failure::Unknown(self.outage(doing))
    }

    fn initialise(&mut self, limit: Duration) -> Result<(), Failure> {
        self.usable()?;
        let doing = "take a transactional id";
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.client.init_transactions(left) {
                Ok(()) => return Ok(()),
                Err(KafkaError::Transaction(error)) if is_fenced(&error) => return Err(self.fenced()),
                // The client goes on in the background; it must be called again.
                Err(KafkaError::Transaction(error)) if error.is_retriable() && Instant::now() < until => {}
                Err(KafkaError::Transaction(error)) if !error.is_retriable() => {
                    self.lost = Some(Lost::Unknown);
                    return Err(Failure::Unknown(fault::of_code(doing, error.code(), Some(error.string()))));
                }
                Err(_) => return Err(self.unknown(doing)),
            }
        }
    }

    fn write(&mut self, messages: &[Write]) -> Result<(), Failure> {
        self.usable()?;
        if !self.open {
            self.before = self.sent;
            match self.client.begin_transaction() {
                Ok(()) => self.open = true,
                Err(KafkaError::Transaction(error)) if is_fenced(&error) => return Err(self.fenced()),
                Err(_) => return Err(self.unknown("begin a transaction")),
            }
        }
        let until = Instant::now() + self.patience;
        for message in messages {
            if let Err(error) = self.send(message, until) {
                return Err(self.take_back(error));
            }
        }
        self.client.poll(Duration::ZERO);
        Ok(())
    }

    fn send(&mut self, message: &Write, until: Instant) -> Result<(), Error> {
        let mut record: BaseRecord<'_, Vec<u8>, Vec<u8>, usize> =
            BaseRecord::with_opaque_to(&message.topic, self.sent);
        record.partition = message.partition;
        record.key = message.key.as_ref();
        record.payload = message.value.as_ref();
        record.timestamp = message.time;
        if !message.headers.is_empty() {
            let headers = message.headers.iter().fold(OwnedHeaders::new(), |headers, (key, value)| {
                headers.insert(Header { key, value: value.as_ref() })
            });
            record.headers = Some(headers);
        }
        while let Err((error, refused)) = self.client.send(record) {
            let full = error.rdkafka_error_code() == Some(Code::QueueFull);
            if !full || Instant::now() > until {
                return Err(self.reports.watch.fault(&format!("write to topic `{}`", message.topic), &error));
            }
            self.client.poll(Duration::ZERO);
            std::thread::sleep(BLINK);
            record = refused;
        }
        self.sent += 1;
        Ok(())
    }

    fn commit(&mut self) -> Result<Offsets, Failure> {
        self.usable()?;
        if !self.open {
            return Ok(Vec::new());
        }
        let until = Instant::now() + self.patience;
        while self.client.in_flight_count() > 0 {
            if self.is_fatal() {
                return Err(self.fenced());
            }
            if Instant::now() > until {
                return Err(self.unknown("write to Kafka"));
            }
            self.client.poll(Duration::ZERO);
            std::thread::sleep(BLINK);
        }
        self.client.poll(Duration::ZERO);
        let mut offsets = vec![0; self.sent - self.before];
        for (number, answer) in self.reports.take() {
            let Some(number) = number.checked_sub(self.before) else { continue };
            match answer {
                Ok(offset) => offsets[number] = offset,
                Err(code) => {
                    let error =
                        self.reports.watch.fault("write to Kafka", &KafkaError::MessageProduction(code));
                    return Err(self.take_back(error));
                }
            }
        }
        self.end(until)?;
        self.open = false;
        self.reports.watch.is_up();
        Ok(offsets)
    }

    /// Asks to commit until there is an answer. A call that timed out is made again, for the client goes on with the first.
    fn end(&mut self, until: Instant) -> Result<(), Failure> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let error = match self.client.commit_transaction(left.max(BLINK)) {
                Ok(()) => return Ok(()),
                Err(KafkaError::Transaction(error)) => error,
                Err(_) => return Err(self.unknown("commit a transaction")),
            };
            if is_fenced(&error) {
                return Err(self.fenced());
            }
            if error.txn_requires_abort() {
                // Fenced while it was committing looks like this too; the abort tells the truth.
                let error = fault::of_code("commit a transaction", error.code(), Some(error.string()));
                return Err(self.take_back(error));
            }
            if !error.is_retriable() || Instant::now() > until {
                return Err(self.unknown("commit a transaction"));
            }
        }
    }

    fn abort(&mut self) -> Result<(), Failure> {
        self.usable()?;
        if !self.open {
            return Ok(());
        }
        match self.take_back(Error::failed("kafka.taken_back", "the transaction was taken back")) {
            Failure::Refused(_) => Ok(()),
            failure => Err(failure),
        }
    }

    /// Takes the transaction back because of a fault; if even that fails, the producer is lost.
    fn take_back(&mut self, because: Error) -> Failure {
        if self.is_fatal() {
            return self.fenced();
        }
        let until = Instant::now() + self.patience;
        loop {
            // It takes back what waits by itself, and then wants the answers for that to be served: in short calls, each of which
            // goes on with the one before.
            self.client.poll(Duration::ZERO);
            match self.client.abort_transaction(SLICE) {
                Ok(()) => {
                    self.open = false;
                    return Failure::Refused(because);
                }
                Err(KafkaError::Transaction(error)) if is_fenced(&error) => return self.fenced(),
                Err(KafkaError::Transaction(error)) if error.is_retriable() && Instant::now() < until => {}
                Err(_) => return self.unknown("take back a transaction"),
            }
        }
    }

    fn is_fatal(&self) -> bool {
        self.client.client().fatal_error().is_some()
    }
}

fn is_fenced(error: &RDKafkaError) -> bool {
    error.is_fatal()
        || matches!(error.code(), Code::Fenced | Code::ProducerFenced | Code::InvalidProducerEpoch)
}
