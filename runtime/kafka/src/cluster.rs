//! What topics there are, where their partitions begin and end; making topics.

use std::sync::Arc;
use std::time::Duration;

use fairway_engine::Error;
use rdkafka::TopicPartitionList;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, ResourceSpecifier, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::metadata::Metadata;
use rdkafka::topic_partition_list::Offset;
use rdkafka::types::RDKafkaErrorCode as Code;

use crate::access::Access;
use crate::fault;
use crate::release::Releasing;
use crate::watch::Watch;

/// Asks brokers about topics. Reads and writes no message and joins no group.
#[derive(Clone)]
pub struct Cluster {
    access: Access,
    client: Arc<Releasing<BaseConsumer<Watch>>>,
    limit: Duration,
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: Arc<str>,
    /// Its partitions, by number.
    pub partitions: Vec<i32>,
}

/// What brokers answered about themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overview {
    /// Number of brokers.
    pub brokers: usize,
    /// All topics that the user may see, by name; those of Kafka itself are left out.
    pub topics: Vec<Topic>,
}

/// What of a topic's settings a writer must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicSettings {
    /// Most bytes of a batch, and so of a message.
    pub max_message_bytes: Option<usize>,
    /// Whether only the last message of each key is kept, so that every message needs one.
    pub compacted: bool,
}

impl Cluster {
    /// A client for questions, each of which may take `limit`. Nothing is sent yet.
    ///
    /// # Errors
    /// `kafka.bad_config` for settings that librdkafka refuses.
    pub fn new(access: &Access, read_committed: bool, limit: Duration) -> Result<Self, Error> {
        let mut config = access.config();
        let isolation = if read_committed { "read_committed" } else { "read_uncommitted" };
        config.set("isolation.level", isolation).set("allow.auto.create.topics", "false");
        let client = config
            .create_with_context(Watch::default())
            .map_err(|error| fault::of("make a Kafka client", &error, None))?;
        Ok(Self { access: access.clone(), client: Arc::new(Releasing::new(client)), limit })
    }

    async fn ask<T: Send + 'static>(
        &self,
        doing: &'static str,
        question: impl FnOnce(&BaseConsumer<Watch>, Duration) -> Result<T, rdkafka::error::KafkaError>
        + Send
        + 'static,
    ) -> Result<T, Error> {
        let (client, limit) = (self.client.clone(), self.limit);
        let asking = move || {
            let client = client.get();
            // Callbacks of this client are served here, for it has no keeper.
            drop(client.poll(Duration::ZERO));
            let answer = question(client, limit);
            if answer.is_err() {
                (0..64).for_each(|_| drop(client.poll(Duration::ZERO)));
            }
            let watch = &**client.context();
            answer.map_err(|error| watch.fault(doing, &error)).inspect(|_| watch.is_up())
        };
        let answer = tokio::task::spawn_blocking(asking).await.map_err(fault::interrupted)?;
        answer.map_err(|mut error| {
            error.message = format!("{} (brokers: {})", error.message, self.access.brokers());
            error
        })
    }

    /// What the cluster calls itself: offsets of one mean nothing in another.
    ///
    /// # Errors
    /// An outage when no broker answers.
    pub async fn id(&self) -> Result<String, Error> {
        self.ask("ask the brokers who they are", |client, limit| {
            let id = client.client().fetch_cluster_id(limit);
            id.ok_or(rdkafka::error::KafkaError::MetadataFetch(Code::OperationTimedOut))
        })
        .await
    }

    /// All brokers and topics.
    ///
    /// # Errors
    /// An outage when no broker answers.
    pub async fn overview(&self) -> Result<Overview, Error> {
        self.ask("ask the brokers what topics there are", |client, limit| {
            client.fetch_metadata(None, limit).map(|seen| {
                let mut topics = topics(&seen);
                topics.retain(|topic| !topic.name.starts_with("__"));
                Overview { brokers: seen.brokers().len(), topics }
            })
        })
        .await
    }

    /// One topic; `None` if there is none of that name.
    ///
    /// # Errors
    /// An outage when no broker answers, or the user may not see it.
    pub async fn topic(&self, name: &str) -> Result<Option<Topic>, Error> {
        let name = name.to_owned();
        let seen = self
            .ask("ask the brokers about a topic", move |client, limit| {
                let seen = client.fetch_metadata(Some(&name), limit)?;
                let refused = seen.topics().iter().find_map(|topic| topic.error()).map(Code::from);
                Ok((topics(&seen).pop(), refused, name))
            })
            .await?;
        match seen {
            (Some(topic), _, _) => Ok(Some(topic)),
            (None, Some(code), name) if !is_missing(code) => {
                Err(fault::of_code(&format!("use topic `{name}`"), code, None))
            }
            _ => Ok(None),
        }
    }

    /// First offset of a partition, and the one behind its last message (that is committed, where only those are read).
    ///
    /// # Errors
    /// An outage when its broker does not answer.
    pub async fn bounds(&self, topic: &str, partition: i32) -> Result<(i64, i64), Error> {
        let topic = topic.to_owned();
        self.ask("ask where a partition begins and ends", move |client, limit| {
            client.fetch_watermarks(&topic, partition, limit)
        })
        .await
    }

    /// The first offset of each partition whose message is not older than a moment, in milliseconds since 1970; `None`
    /// where all are older.
    ///
    /// # Errors
    /// An outage when a broker does not answer.
    pub async fn since(&self, partitions: &[(Arc<str>, i32)], time: i64) -> Result<Vec<Option<i64>>, Error> {
        let partitions = partitions.to_vec();
        self.ask("ask for the messages since a moment", move |client, limit| {
            let mut wanted = TopicPartitionList::new();
            for (topic, partition) in &partitions {
                wanted.add_partition_offset(topic, *partition, Offset::Offset(time))?;
            }
            let found = client.offsets_for_times(wanted, limit)?;
            let offset = |(topic, partition): &(Arc<str>, i32)| match found
                .find_partition(topic, *partition)
                .map(|one| one.offset())
            {
                Some(Offset::Offset(offset)) => Some(offset),
                _ => None,
            };
            Ok(partitions.iter().map(offset).collect())
        })
        .await
    }

    /// Creates a topic; one that is there already is left as it is.
    ///
    /// # Errors
    /// An outage when the brokers do not answer or refuse.
    pub async fn create(&self, name: &str, partitions: i32, replication: i32) -> Result<(), Error> {
        self.create_with(name, partitions, replication, &[]).await
    }

    /// The same, with settings of the topic; -1 copies are as many as the brokers give by themselves.
    ///
    /// # Errors
    /// An outage when the brokers do not answer or refuse.
    pub async fn create_with(
        &self,
        name: &str,
        partitions: i32,
        replication: i32,
        settings: &[(&str, &str)],
    ) -> Result<(), Error> {
        let doing = format!("create topic `{name}`");
        let topic = NewTopic::new(name, partitions, TopicReplication::Fixed(replication));
        let topic = settings.iter().fold(topic, |topic, (key, value)| topic.set(key, value));
        let admin = self.admin()?;
        let made = admin.create_topics([&topic], &self.options()).await;
        release_admin(admin);
        let made = made.map_err(|error| fault::of(&doing, &error, None))?;
        match made.into_iter().next() {
            Some(Err((_, code))) if code != Code::TopicAlreadyExists => {
                Err(match fault::of_code(&doing, code, None) {
                    error if error.code == "kafka.bad_config" => error,
                    error => Error::outage("kafka.create_topic", error.message)
                        .help("create it by hand, or correct the number of partitions and copies"),
                })
            }
            _ => Ok(()),
        }
    }

    /// Deletes topics; one that is not there is as good as deleted.
    ///
    /// # Errors
    /// An outage when the brokers do not answer or refuse.
    pub async fn delete(&self, names: &[&str]) -> Result<(), Error> {
        if names.is_empty() {
            return Ok(());
        }
        let admin = self.admin()?;
        let deleted = admin.delete_topics(names, &self.options()).await;
        release_admin(admin);
        let deleted = deleted.map_err(|error| fault::of("delete topics", &error, None))?;
        match deleted.into_iter().find_map(Result::err).filter(|(_, code)| !is_missing(*code)) {
            Some((name, code)) => Err(fault::of_code(&format!("delete topic `{name}`"), code, None)),
            None => Ok(()),
        }
    }

    /// Deletes what lies before an offset of a partition; answers where it begins now.
    ///
    /// # Errors
    /// An outage when the brokers do not answer or refuse.
    pub async fn delete_before(&self, topic: &str, partition: i32, offset: i64) -> Result<i64, Error> {
        let doing = format!("delete messages of topic `{topic}`");
        let fault = |error| fault::of(&doing, &error, None);
        let mut what = TopicPartitionList::new();
        what.add_partition_offset(topic, partition, Offset::Offset(offset)).map_err(fault)?;
        let admin = self.admin()?;
        let deleted = admin.delete_records(&what, &self.options()).await;
        release_admin(admin);
        let deleted = deleted.map_err(fault)?;
        let found = deleted.find_partition(topic, partition);
        match found.as_ref().map(|one| (one.error(), one.offset())) {
            Some((Ok(()), Offset::Offset(first))) => Ok(first),
            Some((Err(error), _)) => Err(fault(error)),
            _ => Err(Error::outage("kafka.error", format!("cannot {doing}: the brokers did not say"))),
        }
    }

    /// A topic's settings; `None` where the user may not see them.
    ///
    /// # Errors
    /// An outage when the brokers do not answer.
    pub async fn settings(&self, name: &str) -> Result<Option<TopicSettings>, Error> {
        let found = self.look_up(name, ["max.message.bytes", "cleanup.policy"]).await?;
        Ok(found.map(|[bytes, policy]| TopicSettings {
            max_message_bytes: bytes.and_then(|bytes| bytes.parse().ok()),
            compacted: policy.is_some_and(|policy| policy.contains("compact")),
        }))
    }

    /// Some settings of a topic as Kafka gives them; `None` where the user may not see them.
    pub(crate) async fn look_up<const N: usize>(
        &self,
        name: &str,
        keys: [&str; N],
    ) -> Result<Option<[Option<String>; N]>, Error> {
        let admin = self.admin()?;
        let answer = admin.describe_configs([&ResourceSpecifier::Topic(name)], &self.options()).await;
        release_admin(admin);
        let answer = answer.map_err(|error| fault::of("ask for a topic's settings", &error, None))?;
        let Some(Ok(found)) = answer.into_iter().next() else { return Ok(None) };
        Ok(Some(keys.map(|key| found.get(key).and_then(|entry| entry.value.clone()))))
    }

    fn admin(&self) -> Result<AdminClient<DefaultClientContext>, Error> {
        self.access.config().create().map_err(|error| fault::of("make a Kafka client", &error, None))
    }

    fn options(&self) -> AdminOptions {
        AdminOptions::new().operation_timeout(Some(self.limit)).request_timeout(Some(self.limit))
    }
}

fn release_admin(admin: AdminClient<DefaultClientContext>) {
    drop(tokio::task::spawn_blocking(move || drop(admin)));
}

fn is_missing(code: Code) -> bool {
    matches!(code, Code::UnknownTopic | Code::UnknownTopicOrPartition)
}

fn topics(seen: &Metadata) -> Vec<Topic> {
    let sound =
        seen.topics().iter().filter(|topic| topic.error().is_none() && !topic.partitions().is_empty());
    let mut topics: Vec<Topic> = sound
        .map(|topic| {
            let mut partitions: Vec<i32> = topic.partitions().iter().map(|one| one.id()).collect();
            partitions.sort_unstable();
            Topic { name: topic.name().into(), partitions }
        })
        .collect();
    topics.sort_by(|a, b| a.name.cmp(&b.name));
    topics
}
