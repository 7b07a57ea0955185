//! `kafka_sink`: records as messages. What a record becomes is in `encode`, which topics there are in `topics`, how
//! messages are sent and their answers awaited in `writing`.

mod encode;
pub mod together;
mod topics;
mod writing;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SinkConfig, Varies};
use fairway_engine::probe::{ProbeConfig, ProbeCtx};
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_kafka::{Access, Security};
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::probing;
use crate::settings::{
    access, bad_config, check_brokers, check_topic, default_deleted_field, default_value_field, is_default,
};
use encode::{Form, Target};
use topics::{Missing, Topics};
use writing::Writer;

/// Writes each record as a message to a Kafka topic, at least once, or once.
///
/// **Guarantee.** Every message is confirmed by all copies that must have it (`acks=all`) before the source goes on, and the
/// producer is idempotent: while the channel runs, nothing is lost, doubled or reordered, however often brokers are lost
/// and found again. If Fairway itself is killed, what was sent but not yet noted is sent again after the start: at most
/// what was under way.
///
/// **Exactly once.** With `exactly_once` a group of records and how far they go are one transaction: readers who take only what
/// is committed (`isolation.level=read_committed`) see each record once, whatever is killed when. It needs a cluster whose own Kafka is
/// written to, for there is no transaction over two; messages are sent by the worker's access and compressed with lz4. What a worker left
/// unfinished is taken back by the one that goes on, at once, or by the brokers after ten seconds.
///
/// **Values.** `json` writes all fields as one object, numbers digit for digit. `string` and `bytes` write the one field
/// `value_field`; null there writes a tombstone, a message without a value. With `json`, a record whose `deleted_field` is true becomes
/// a tombstone.
///
/// **Keys.** Without `key_fields` a record keeps the key that it came with; if it came without one, the message has none. One
/// field is written as it is, several as a JSON object. Messages with the same key go to the same partition, chosen as other
/// clients choose it (murmur2). Headers and times that a record came with are kept.
///
/// **Refused** are messages larger than the topic takes, messages without a key for a compacted topic, and names that no
/// topic can have; they leave by the errors port. A topic that is missing is made if `create_topic` says so, else
/// the channel waits for it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KafkaSink {
    /// A connection that names the brokers; what is set here counts more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    connection: Option<String>,
    /// Brokers to begin with, as `host:port` with commas between; the others are found by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 2, "access": true, "placeholder": "broker-1:9092,broker-2:9092"}))]
    brokers: Option<String>,
    /// Name of the topic, exactly; where `topic_field` is set, the one for records that do not have that field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 249), extend("x-ui" = {"order": 3, "placeholder": "orders"}))]
    topic: Option<String>,
    /// The field that names the topic of each record; empty for one topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 4, "widget": "field", "advanced": true}))]
    topic_field: Option<String>,
    /// Fields that make the key; empty for the key that a record came with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 5, "widget": "fields"}))]
    key_fields: Vec<String>,
    /// How keys are written.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 6, "group": "format"}))]
    key_format: KeyFormat,
    /// How values are written.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 7, "group": "format"}))]
    value_format: ValueFormat,
    /// The field that is written as the whole value.
    #[serde(default = "default_value_field")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 8, "group": "format", "show_if": {"value_format": ["string", "bytes"]}}))]
    value_field: String,
    /// The field that, if it is true, makes the record a tombstone.
    #[serde(default = "default_deleted_field")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 9, "group": "format", "show_if": {"value_format": ["json"]}}))]
    deleted_field: String,
    /// Whether headers that a record came with are written.
    #[serde(default = "default_headers")]
    #[schemars(extend("x-ui" = {"order": 10, "group": "format"}))]
    headers: bool,
    /// Which time messages get.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 11, "group": "format"}))]
    time: Time,
    /// How batches are compressed.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 12}))]
    compression: Compression,
    /// Whether a topic that is missing is made.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 13}))]
    create_topic: bool,
    /// Number of partitions of topics made here; empty for what brokers are set to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000), extend("x-ui" = {"order": 14, "show_if": {"create_topic": [true]}}))]
    partitions: Option<u32>,
    /// Number of copies of topics made here; empty for what brokers are set to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100), extend("x-ui" = {"order": 15, "show_if": {"create_topic": [true]}}))]
    copies: Option<u32>,
    /// Whether each record is written once, whatever crashes: in transactions that hold the positions too. On a cluster only, into the
    /// Kafka that the cluster uses itself.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 16}))]
    exactly_once: bool,
    /// How to get in where brokers do not let everybody in.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("x-ui" = {"order": 17, "access": true}))]
    security: Security,
}

/// How keys are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyFormat {
    /// As text without quotes; bytes as they are.
    #[default]
    Text,
    /// As JSON.
    Json,
}

/// How values are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueFormat {
    /// All fields, as a JSON object.
    #[default]
    Json,
    /// One field, as text.
    String,
    /// One field, which holds bytes or text, as it is.
    Bytes,
}

/// Which time messages get.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Time {
    /// That of the record, or that of writing where it has none.
    #[default]
    Record,
    /// That of writing.
    Now,
}

/// How batches are compressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compression {
    /// Not at all.
    None,
    /// Well, and slow.
    Gzip,
    /// Fast.
    Snappy,
    /// Fast.
    #[default]
    Lz4,
    /// Well.
    Zstd,
}

impl Compression {
    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

fn default_headers() -> bool {
    true
}

impl Config for KafkaSink {
    const META: Meta = Meta {
        delivery: Guarantee::AtLeastOnce,
        varies: &[Varies {
            when: &[("exactly_once", &["true"])],
            delivery: Some(Guarantee::ExactlyOnce),
            bounded: None,
            cluster: true,
        }],
        examples: &[
            ("JSON to a topic", r#"{"brokers":"localhost:9092","topic":"orders","key_fields":["id"]}"#),
            (
                "The latest state of each customer, in a topic made for it",
                r#"{"connection":"bus","topic":"customers","key_fields":["id"],"create_topic":true,"partitions":6,"copies":3}"#,
            ),
            (
                "Each record once, on a cluster whose Kafka it writes into",
                r#"{"connection":"bus","topic":"orders","key_fields":["id"],"exactly_once":true}"#,
            ),
            (
                "Messages as they came, to the topic that a field names",
                r#"{"connection":"bus","topic_field":"topic","value_format":"bytes","compression":"zstd"}"#,
            ),
        ],
        several: true,
        ..Meta::new("kafka_sink", "Kafka topic", "kafka")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        issues.extend(check_brokers(self.brokers.as_deref(), self.connection.as_deref()));
        match &self.topic {
            None if self.topic_field.is_none() => {
                let help = "name one, or the field that names it";
                issues.push(Issue::new("topic", "no topic is named", help));
            }
            Some(topic) => issues.extend(check_topic("topic", topic)),
            None => {}
        }
        if self.exactly_once && self.compression != Compression::Lz4 {
            let message = "a transaction is written by the task's own producer, which compresses by `lz4`";
            issues.push(Issue::new("compression", message, "choose `lz4`, or switch `exactly_once` off"));
        }
        issues.extend(self.security.check("security"));
        issues
    }
}

#[async_trait]
impl SinkConfig for KafkaSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        // I8: never less than what is drawn.
        if self.exactly_once {
            let what = "`exactly_once` needs a cluster of workers, whose Kafka holds the positions as well";
            return Err(Error::config("kafka.exactly_once_alone", what)
                .help("run the channel on a cluster, or switch `exactly_once` off"));
        }
        let compression = self.compression.name();
        let (access, form, topics) = self.prepare(&cx).await?;
        Ok(Box::new(Messages { writer: Writer::new(access, compression, form, topics) }))
    }
}

impl KafkaSink {
    /// What it writes by: access, form of messages, topics.
    async fn prepare(self, cx: &SinkCtx) -> Result<(Access, Form, Topics), Error> {
        if let Some(issue) = self.check().into_iter().find(|issue| issue.field.starts_with("topic")) {
            return Err(bad_config(issue));
        }
        let access = access(self.brokers.as_deref(), &self.security, &cx.files)?;
        let number = |wish: Option<u32>| wish.and_then(|wish| i32::try_from(wish).ok()).unwrap_or(-1);
        let missing = if self.create_topic {
            Missing::Create { partitions: number(self.partitions), copies: number(self.copies) }
        } else {
            Missing::Wait
        };
        let mut topics = Topics::new(&access, missing)?;
        let fixed = self.topic.map(std::sync::Arc::<str>::from);
        if let Some(fixed) = &fixed {
            topics.know(fixed).await?;
        }
        let form = Form {
            target: Target { fixed, field: self.topic_field },
            key_fields: self.key_fields,
            key: self.key_format,
            value: self.value_format,
            value_field: self.value_field,
            deleted_field: self.deleted_field,
            headers: self.headers,
            time: self.time,
        };
        Ok((access, form, topics))
    }
}

#[async_trait]
impl ProbeConfig for KafkaSink {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let access = access(self.brokers.as_deref(), &self.security, &cx.files)?;
        probing::probe(&access, &cx, "topic").await
    }
}

struct Messages {
    writer: Writer,
}

#[async_trait]
impl Sink for Messages {
    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        self.writer.write(group.batches).await.map(Outcome::Delivered)
    }
}

#[cfg(test)]
mod tests;
