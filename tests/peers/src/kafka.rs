//! Apache Kafka, one broker, from the jars that `cargo xtask setup` puts below the target folder.
//!
//! Everything here speaks to the broker with a bare client: an outside witness of what Fairway reads and writes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use futures::executor::block_on;
use rdkafka::admin::{
    AdminClient, AdminOptions, AlterConfig, NewPartitions, NewTopic, ResourceSpecifier, TopicReplication,
};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Header, Headers, Message as _, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode;

use crate::tls::Identity;
use crate::{Gate, Leash, free_port};

/// User and password of a broker [with TLS](Kafka::start_with_tls).
pub const GUARDED: (&str, &str) = ("guarded", "open-sesame");

/// Folder of the jars below the target folder; `xtask` writes it.
const JARS: &str = "peers/kafka-4.3.1";
/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A running broker that creates no topics by itself.
#[derive(Debug)]
pub struct Kafka {
    address: String,
    tls: String,
    sasl: String,
    gate: Gate,
    leash: Leash,
}

/// A message as it lies in a topic.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// Partition.
    pub partition: i32,
    /// Place in its partition; of no meaning when it is sent.
    pub offset: i64,
    /// Key.
    pub key: Option<Vec<u8>>,
    /// Value; none is a tombstone.
    pub value: Option<Vec<u8>>,
    /// Headers in order.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
    /// Milliseconds since 1970; 0 lets the client say.
    pub time: i64,
}

impl Message {
    /// A value without a key, for partition 0.
    pub fn of(value: impl Into<Vec<u8>>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }
}

static SHARED: OnceLock<Result<Kafka, String>> = OnceLock::new();

/// The broker that all tests of this program share.
///
/// # Panics
/// If its jars or Java are missing, or it does not start.
#[expect(clippy::panic, reason = "a test whose peer is missing fails")]
pub fn shared() -> &'static Kafka {
    match SHARED.get_or_init(|| Kafka::start().map_err(|error| format!("{error:#}"))) {
        Ok(kafka) => kafka,
        Err(error) => panic!("{error}\nrun `cargo xtask setup`, which fetches what tests need"),
    }
}

impl Kafka {
    /// Starts a broker of its own.
    ///
    /// # Errors
    /// If its jars or Java are missing, or it does not start.
    pub fn start() -> Result<Self> {
        Self::begin(None, "")
    }

    /// Starts a broker with settings of its own, a line each.
    ///
    /// # Errors
    /// If its jars or Java are missing, or it does not start.
    pub fn start_with(settings: &str) -> Result<Self> {
        Self::begin(None, settings)
    }

    /// Starts a broker that also listens by TLS, at `localhost`: once for everybody, and once for the user [`GUARDED`]
    /// with its password by PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512.
    ///
    /// # Errors
    /// If its jars or Java are missing, or it does not start.
    pub fn start_with_tls(identity: &Identity) -> Result<Self> {
        Self::begin(Some(identity), "")
    }

    fn begin(identity: Option<&Identity>, more: &str) -> Result<Self> {
        let jars = jars()?;
        let folder = tempfile::Builder::new().prefix("fairway-kafka-").tempdir()?;
        let (port, controller) = (free_port()?, free_port()?);
        let properties = folder.path().join("server.properties");
        // Clients go to the address that a listener names, so a gate before the broker has a listener of its own.
        let (gate, behind) = (Gate::new()?, format!("127.0.0.1:{}", free_port()?));
        gate.leads_to(behind.clone());
        let mut listeners = vec![("PLAINTEXT", format!("127.0.0.1:{port}")), ("GATE", gate.address())];
        let mut text = more.to_owned();
        if let Some(identity) = identity {
            let store = folder.path().join("identity.pem");
            std::fs::write(&store, format!("{}{}", identity.key, identity.certificate))?;
            listeners.push(("SSL", format!("localhost:{}", free_port()?)));
            listeners.push(("SASL_SSL", format!("localhost:{}", free_port()?)));
            text.push_str(&guards(&store));
        }
        text.push_str(&settings(folder.path(), &listeners, &behind, controller));
        std::fs::write(&properties, text)?;
        let mut format = java(&jars);
        format.args(["kafka.tools.StorageTool", "format", "-t", "ZmFpcndheS10ZXN0LWFwcA", "-c"]);
        format.arg(&properties);
        for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"].iter().filter(|_| identity.is_some()) {
            let (user, password) = GUARDED;
            format.args(["-S", &format!("{mechanism}=[name={user},password={password}]")]);
        }
        let made = format.output().context("could not start Java (Debian package `default-jre-headless`)")?;
        ensure!(made.status.success(), "Kafka's folder failed: {}", String::from_utf8_lossy(&made.stderr));
        let leash = Leash::start(folder, java(&jars).arg("kafka.Kafka").arg(&properties))?;
        let address =
            |name: &str| listeners.iter().find(|(known, _)| *known == name).map(|(_, at)| at.clone());
        let mut kafka = Self {
            address: format!("127.0.0.1:{port}"),
            tls: address("SSL").unwrap_or_default(),
            sasl: address("SASL_SSL").unwrap_or_default(),
            gate,
            leash,
        };
        kafka.wait()?;
        Ok(kafka)
    }

    /// `host:port` for clients.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The gate at which clients may come in instead, and be cut off from the broker.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// `localhost:port` for clients that speak TLS; empty without.
    pub fn tls_address(&self) -> &str {
        &self.tls
    }

    /// `localhost:port` for clients that speak TLS and say who they are; empty without.
    pub fn sasl_address(&self) -> &str {
        &self.sasl
    }

    /// Ends the broker as a loss of power would; its folder stays.
    ///
    /// # Errors
    /// If it cannot be ended.
    pub fn kill(&mut self) -> Result<()> {
        self.leash.kill()
    }

    /// Starts the broker again with what it had.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&mut self) -> Result<()> {
        self.leash.start_again()?;
        self.wait()
    }

    fn wait(&mut self) -> Result<()> {
        let client: BaseConsumer = client(&self.address).create()?;
        let mut answers = || {
            client.fetch_metadata(None, Duration::from_secs(2)).is_ok_and(|seen| !seen.brokers().is_empty())
        };
        self.leash.ready(LIMIT, &mut answers)
    }

    /// Makes a topic with a name of its own, and answers that name.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn topic(&self, partitions: i32, settings: &[(&str, &str)]) -> Result<String> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("test-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.create_topic(&name, partitions, settings)?;
        Ok(name)
    }

    /// Makes a topic.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn create_topic(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) -> Result<()> {
        let mut topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
        for (key, value) in settings {
            topic = topic.set(key, value);
        }
        let until = Instant::now() + LIMIT;
        let mut tries = 0;
        loop {
            tries += 1;
            let made = block_on(self.admin()?.create_topics([&topic], &options()))?;
            match made.into_iter().next() {
                // An earlier try of this call, whose answer did not come in time.
                Some(Err((_, RDKafkaErrorCode::TopicAlreadyExists))) if tries > 1 => return Ok(()),
                Some(Err((_, code))) if Instant::now() > until => bail!("topic {name} was refused: {code}"),
                // A broker that has just started has nobody yet to lead a partition.
                Some(Err(_)) => std::thread::sleep(Duration::from_millis(50)),
                _ => return Ok(()),
            }
        }
    }

    /// Deletes a topic.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn delete_topic(&self, name: &str) -> Result<()> {
        let gone = block_on(self.admin()?.delete_topics(&[name], &options()))?;
        ensure!(gone.iter().all(Result::is_ok), "topic {name} was not deleted: {gone:?}");
        Ok(())
    }

    /// Sets a topic's settings; those that are not named are as the broker has them.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn set_topic(&self, name: &str, settings: &[(&str, &str)]) -> Result<()> {
        let mut set = AlterConfig::new(ResourceSpecifier::Topic(name));
        for (key, value) in settings {
            set = set.set(key, value);
        }
        let done = block_on(self.admin()?.alter_configs([&set], &options()))?;
        ensure!(done.iter().all(Result::is_ok), "topic {name} was not set: {done:?}");
        Ok(())
    }

    /// Gives a topic more partitions.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn grow_topic(&self, name: &str, partitions: usize) -> Result<()> {
        let grown =
            block_on(self.admin()?.create_partitions(&[NewPartitions::new(name, partitions)], &options()))?;
        ensure!(grown.iter().all(Result::is_ok), "topic {name} did not grow: {grown:?}");
        Ok(())
    }

    /// Deletes what lies before an offset, as retention does.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn delete_before(&self, topic: &str, partition: i32, offset: i64) -> Result<()> {
        let mut what = TopicPartitionList::new();
        what.add_partition_offset(topic, partition, Offset::Offset(offset))?;
        block_on(self.admin()?.delete_records(&what, &options()))?;
        Ok(())
    }

    /// Sends messages and waits until they are there.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn send(&self, topic: &str, messages: &[Message]) -> Result<()> {
        let producer: BaseProducer = client(&self.address).set("linger.ms", "0").create()?;
        self.send_by(&producer, topic, messages)
    }

    /// Sends messages in a transaction, which is then committed or aborted.
    ///
    /// # Errors
    /// If the broker refuses.
    pub fn send_in_transaction(&self, topic: &str, messages: &[Message], commit: bool) -> Result<()> {
        let producer: BaseProducer = client(&self.address).set("transactional.id", topic).create()?;
        producer.init_transactions(LIMIT)?;
        producer.begin_transaction()?;
        self.send_by(&producer, topic, messages)?;
        let ended =
            if commit { producer.commit_transaction(LIMIT) } else { producer.abort_transaction(LIMIT) };
        ended.context("the transaction did not end")
    }

    fn send_by(&self, producer: &BaseProducer, topic: &str, messages: &[Message]) -> Result<()> {
        for message in messages {
            let headers = message.headers.iter().fold(OwnedHeaders::new(), |headers, (key, value)| {
                headers.insert(Header { key, value: value.as_ref() })
            });
            let mut record: BaseRecord<'_, Vec<u8>, Vec<u8>> =
                BaseRecord::to(topic).partition(message.partition).headers(headers);
            record.key = message.key.as_ref();
            record.payload = message.value.as_ref();
            record.timestamp = (message.time > 0).then_some(message.time);
            while let Err((error, refused)) = producer.send(record) {
                let full = error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull);
                ensure!(full, "a message was refused: {error}");
                producer.poll(Duration::from_millis(10));
                record = refused;
            }
        }
        // Not by `flush`, which takes a tenth of a second at least.
        let until = Instant::now() + LIMIT;
        while producer.in_flight_count() > 0 {
            ensure!(Instant::now() < until, "messages were not sent");
            producer.poll(Duration::ZERO);
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Everything that lies in a topic and is committed, partition by partition.
    ///
    /// # Errors
    /// If it cannot be read to its end.
    pub fn read(&self, topic: &str) -> Result<Vec<Message>> {
        let consumer: BaseConsumer = client(&self.address)
            .set("group.id", "witness")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .create()?;
        let seen = consumer.fetch_metadata(Some(topic), LIMIT)?;
        let partitions: Vec<i32> =
            seen.topics().iter().flat_map(|topic| topic.partitions()).map(|one| one.id()).collect();
        let mut all = TopicPartitionList::new();
        for partition in &partitions {
            // By number, for the client takes half a second to find the beginning by itself.
            let (first, _) = consumer.fetch_watermarks(topic, *partition, LIMIT)?;
            all.add_partition_offset(topic, *partition, Offset::Offset(first))?;
        }
        consumer.assign(&all)?;
        let mut messages = Vec::new();
        let mut open = partitions.len();
        let until = Instant::now() + LIMIT;
        while open > 0 {
            ensure!(Instant::now() < until, "topic {topic} could not be read to its end");
            match consumer.poll(Duration::from_millis(100)) {
                Some(Ok(message)) => messages.push(Message {
                    partition: message.partition(),
                    offset: message.offset(),
                    key: message.key().map(<[u8]>::to_vec),
                    value: message.payload().map(<[u8]>::to_vec),
                    headers: message.headers().map_or_else(Vec::new, |headers| {
                        let owned =
                            |one: Header<'_, &[u8]>| (one.key.to_owned(), one.value.map(<[u8]>::to_vec));
                        headers.iter().map(owned).collect()
                    }),
                    time: message.timestamp().to_millis().unwrap_or_default(),
                }),
                Some(Err(rdkafka::error::KafkaError::PartitionEOF(_))) => open -= 1,
                _ => {}
            }
        }
        messages.sort_by_key(|message| (message.partition, message.offset));
        Ok(messages)
    }

    /// The offset that a group has committed.
    ///
    /// # Errors
    /// If the broker does not answer.
    pub fn committed(&self, group: &str, topic: &str, partition: i32) -> Result<Option<i64>> {
        let consumer: BaseConsumer = client(&self.address).set("group.id", group).create()?;
        let mut what = TopicPartitionList::new();
        what.add_partition(topic, partition);
        let found = consumer.committed_offsets(what, LIMIT)?;
        Ok(found.elements().first().and_then(|one| match one.offset() {
            Offset::Offset(offset) => Some(offset),
            _ => None,
        }))
    }

    /// The end of what the broker said.
    pub fn log(&self) -> String {
        self.leash.log()
    }

    fn admin(&self) -> Result<AdminClient<DefaultClientContext>> {
        Ok(client(&self.address).create()?)
    }
}

fn options() -> AdminOptions {
    AdminOptions::new().operation_timeout(Some(LIMIT)).request_timeout(Some(LIMIT))
}

fn client(address: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", address)
        .set("reconnect.backoff.ms", "20")
        .set("reconnect.backoff.max.ms", "200")
        .set("log_level", "0");
    config
}

fn java(jars: &Path) -> Command {
    let mut java = Command::new("java");
    java.args(["-Xmx384m", "-Xms64m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]);
    java.arg("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn").arg("-cp").arg(jars.join("*"));
    java
}

/// The jars lie below the target folder that this test program was built into.
fn jars() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let found = program.ancestors().map(|folder| folder.join(JARS)).find(|jars| jars.is_dir());
    found.context("the jars of Apache Kafka are not there: run `cargo xtask setup`")
}

/// One node that is broker and controller. Short sessions, or a start after a kill takes ten seconds; but not so short that
/// a busy machine, where a heartbeat may be late by more than a second, loses its only broker.
fn settings(folder: &Path, listeners: &[(&str, String)], behind: &str, controller: u16) -> String {
    let data = folder.join("data");
    let data = data.display();
    let advertised: Vec<String> = listeners.iter().map(|(name, at)| format!("{name}://{at}")).collect();
    let advertised = advertised.join(",");
    // `localhost` may be two addresses; servers of tests listen on one.
    let bound = listeners.iter().map(|(name, at)| {
        let at = if *name == "GATE" { behind } else { at };
        format!("{name}://{}", at.replace("localhost", "127.0.0.1"))
    });
    let bound: Vec<String> = bound.collect();
    let bound = bound.join(",");
    format!(
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:{controller}\n\
         listeners={bound},CONTROLLER://127.0.0.1:{controller}\n\
         advertised.listeners={advertised}\ncontroller.listener.names=CONTROLLER\n\
         listener.security.protocol.map=\
         PLAINTEXT:PLAINTEXT,GATE:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL\n\
         inter.broker.listener.name=PLAINTEXT\nlog.dirs={data}\nauto.create.topics.enable=false\n\
         num.partitions=1\ndefault.replication.factor=1\nmin.insync.replicas=1\n\
         offsets.topic.num.partitions=1\noffsets.topic.replication.factor=1\n\
         transaction.state.log.num.partitions=1\ntransaction.state.log.replication.factor=1\n\
         transaction.state.log.min.isr=1\nshare.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\ngroup.initial.rebalance.delay.ms=0\n\
         log.segment.delete.delay.ms=1000\nbroker.session.timeout.ms=4000\nbroker.heartbeat.interval.ms=200\n"
    )
}

/// Who the broker is, and who may come in where it asks.
fn guards(store: &Path) -> String {
    let (user, password) = GUARDED;
    let modules = "org.apache.kafka.common.security";
    let scram = format!("{modules}.scram.ScramLoginModule required;");
    let at = "listener.name.sasl_ssl";
    format!(
        "ssl.keystore.type=PEM\nssl.keystore.location={}\nssl.client.auth=none\n\
         sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n\
         {at}.plain.sasl.jaas.config={modules}.plain.PlainLoginModule required user_{user}=\"{password}\";\n\
         {at}.scram-sha-256.sasl.jaas.config={scram}\n{at}.scram-sha-512.sasl.jaas.config={scram}\n",
        store.display()
    )
}

#[cfg(test)]
mod tests {
    use super::{Message, shared};

    #[test]
    fn keeps_what_it_gets() {
        let kafka = shared();
        let topic = kafka.topic(2, &[]).expect("a topic");
        let sent = Message { partition: 1, key: Some(vec![]), time: 5, ..Message::of("v") };
        kafka.send(&topic, std::slice::from_ref(&sent)).expect("sent");
        assert_eq!(kafka.read(&topic).expect("read"), [sent]);
    }
}
