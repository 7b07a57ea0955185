//! `kafka_source`: records from topics. What a message becomes is in `decode`, which partitions there are and where
//! they begin in `partitions`, the source itself in `reading`.

mod decode;
mod partitions;
mod reading;
mod rejects;

use async_trait::async_trait;
use chrono::DateTime;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SourceConfig};
use fairway_engine::probe::{ProbeConfig, ProbeCtx, Sample, SampleConfig, SampleCtx, sample_by_reading};
use fairway_engine::source::{Source, SourceCtx};
use fairway_kafka::{Access, Security};
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::probing;
use crate::settings::{
    access, bad_config, check_brokers, check_topic, default_deleted_field, default_value_field, is_default,
};
use decode::Shape;
use partitions::Choosing;
use reading::Reading;

/// Reads the messages of Kafka topics, each once and in the order of its partition, and goes on where it was after a stop
/// or a crash.
///
/// **Positions.** Fairway keeps the offset of every partition itself, together with what its targets have. No consumer group
/// is joined, so nothing can take a partition away while a target is slow. If `group` is set, the offsets are also shown
/// there, for tools that watch the lag; they are never read back.
///
/// **Where it begins.** `start` counts at the very first start only. Partitions that are found later are read from their
/// first message on. If messages that were not read yet are gone (retention, a topic deleted or made anew), or the brokers
/// are those of another cluster, the channel holds and says so: it never goes on elsewhere by itself.
///
/// **Values.** `json` wants an object, whose names become fields, with numbers kept digit for digit. `string` and `bytes` put
/// the whole value into the field `value_field`. What cannot be read is refused with topic, partition and offset, and leaves
/// by the errors port as `{ raw, topic, partition, offset, key, time }`; the messages behind it go on.
///
/// **Keys, headers, times** travel with the record, and `kafka_sink` writes them again as they were: a null key is not an empty
/// one, and a header may come twice. As `text`, bytes that are no UTF-8 stay bytes. `key_field` and `place_field` make
/// them fields too.
///
/// **Tombstones.** A message without a value becomes a record with the field `deleted_field`, which is true, and no other
/// (but the key, if `key_field` is set). As `string` or `bytes`, its value is null.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KafkaSource {
    /// A connection that names the brokers; what is set here counts more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    connection: Option<String>,
    /// Brokers to begin with, as `host:port` with commas between; the others are found by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 2, "access": true, "placeholder": "broker-1:9092,broker-2:9092"}))]
    brokers: Option<String>,
    /// Names of the topics, exactly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 3, "placeholder": "orders"}))]
    topics: Vec<String>,
    /// A regular expression that the whole name of a topic must match, instead of names: `orders\..*`. Topics made later
    /// are found too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 4, "placeholder": "orders\\..*"}))]
    topic_pattern: Option<String>,
    /// Where reading begins at the very first start.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 5}))]
    start: Start,
    /// The moment of the first message, such as `2026-01-31T00:00:00Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 6, "show_if": {"start": ["time"]}, "placeholder": "2026-01-31T00:00:00Z"}))]
    start_time: Option<String>,
    /// What values hold.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 7, "group": "format"}))]
    value_format: ValueFormat,
    /// The field that the whole value is put into.
    #[serde(default = "default_value_field")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 8, "group": "format", "show_if": {"value_format": ["string", "bytes"]}}))]
    value_field: String,
    /// The field that is true in the record of a tombstone.
    #[serde(default = "default_deleted_field")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 9, "group": "format", "show_if": {"value_format": ["json"]}}))]
    deleted_field: String,
    /// What keys hold.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 10, "group": "format"}))]
    key_format: KeyFormat,
    /// A field that gets the key too; empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 11, "group": "format", "placeholder": "key"}))]
    key_field: Option<String>,
    /// A field that gets where the message lay, as `{ topic, partition, offset, time }`; empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 12, "group": "format", "placeholder": "place"}))]
    place_field: Option<String>,
    /// How to get in where brokers do not let everybody in.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(extend("x-ui" = {"order": 13, "access": true}))]
    security: Security,
    /// A consumer group that shows how far the channel is; empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 14, "advanced": true}))]
    group: Option<String>,
    /// Whether messages of transactions that were aborted or are not yet ended are left out.
    #[serde(default = "default_read_committed")]
    #[schemars(extend("x-ui" = {"order": 15, "advanced": true}))]
    read_committed: bool,
    /// How often to look for new topics and partitions, in seconds.
    #[serde(default = "default_discover_seconds")]
    #[schemars(range(min = 1, max = 3600), extend("x-ui" = {"order": 16, "advanced": true}))]
    discover_seconds: u32,
    /// Most records handed on at once.
    #[serde(default = "default_batch")]
    #[schemars(range(min = 1, max = 100_000), extend("x-ui" = {"order": 17, "advanced": true}))]
    batch: u32,
    /// How much is fetched ahead, in mebibytes, all partitions together; at least 64 KiB each.
    #[serde(default = "default_ahead_mib")]
    #[schemars(range(min = 1, max = 1024), extend("x-ui" = {"order": 18, "advanced": true}))]
    ahead_mib: u32,
}

/// Where reading begins at the very first start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Start {
    /// At the first message there is.
    #[default]
    Earliest,
    /// With the first message that comes after the start.
    Latest,
    /// With the first message that is not older than a moment.
    Time,
}

/// What values hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueFormat {
    /// A JSON object.
    #[default]
    Json,
    /// Text in UTF-8.
    String,
    /// Anything.
    Bytes,
    /// Records between tasks. No document can choose it.
    #[serde(skip)]
    #[schemars(skip)]
    Wire,
}

/// What keys hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KeyFormat {
    /// Text where it is UTF-8, else bytes.
    #[default]
    Text,
    /// Anything.
    Bytes,
    /// JSON.
    Json,
}

/// Most records of a batch that is read from a stream.
const STREAM_BATCH: usize = 2000;

fn default_read_committed() -> bool {
    true
}

fn default_discover_seconds() -> u32 {
    30
}

fn default_batch() -> u32 {
    1000
}

fn default_ahead_mib() -> u32 {
    16
}

impl KafkaSource {
    fn choosing(&self) -> Result<Choosing, Issue> {
        match (&self.topics[..], self.topic_pattern.as_deref()) {
            ([], None | Some("")) => {
                Err(Issue::new("topics", "no topic is named", "name one, or give a pattern of names"))
            }
            ([], Some(pattern)) => match Regex::new(&format!("^(?:{pattern})$")) {
                Ok(pattern) => Ok(Choosing::Pattern(pattern)),
                Err(error) => {
                    let message = format!("this is no regular expression: {error}");
                    Err(Issue::new(
                        "topic_pattern",
                        message,
                        "`orders\\..*` means all that begins with `orders.`",
                    ))
                }
            },
            (names, None | Some("")) => {
                Ok(Choosing::Names(names.iter().map(|name| name.as_str().into()).collect()))
            }
            _ => {
                Err(Issue::new("topic_pattern", "there are names as well", "give either names or a pattern"))
            }
        }
    }

    /// The moment to begin at, in milliseconds since 1970.
    fn moment(&self) -> Result<i64, Issue> {
        let text = self.start_time.as_deref().unwrap_or_default();
        DateTime::parse_from_rfc3339(text).map(|moment| moment.timestamp_millis()).map_err(|error| {
            let message = format!("{text:?} is no moment: {error}");
            Issue::new("start_time", message, "write it like `2026-01-31T00:00:00Z`")
        })
    }
}

impl Config for KafkaSource {
    const META: Meta = Meta {
        catches_up: true,
        delivery: Guarantee::ExactlyOnce,
        examples: &[
            ("JSON from a topic", r#"{"brokers":"localhost:9092","topics":["orders"]}"#),
            (
                "New messages of all topics of a shop, with their keys, watched by a group",
                r#"{"connection":"bus","topic_pattern":"shop\\..*","start":"latest","key_field":"id","group":"fairway-shop"}"#,
            ),
            (
                "Messages as they are, from a secured cluster",
                r#"{"brokers":"broker-1:9093","topics":["events"],"value_format":"bytes","security":{"tls":true,"ca":"kafka-ca.pem","sasl":"scram_sha_512","user":"fairway","password":"${secret:kafka}"}}"#,
            ),
        ],
        several: true,
        ..Meta::new("kafka_source", "Kafka topics", "kafka")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        issues.extend(check_brokers(self.brokers.as_deref(), self.connection.as_deref()));
        issues.extend(self.choosing().err());
        let topics = self.topics.iter().enumerate();
        issues.extend(topics.filter_map(|(index, name)| check_topic(format!("topics.{index}"), name)));
        if self.start == Start::Time {
            issues.extend(self.moment().err());
        }
        issues.extend(self.security.check("security"));
        issues
    }
}

#[async_trait]
impl SourceConfig for KafkaSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        let choosing = self.choosing().map_err(bad_config)?;
        let begin = match self.start {
            Start::Earliest => partitions::Begin::First,
            Start::Latest => partitions::Begin::End,
            Start::Time => partitions::Begin::Since(self.moment().map_err(bad_config)?),
        };
        let access = access(self.brokers.as_deref(), &self.security, &cx.files)?;
        let shape = Shape {
            value: self.value_format,
            key: self.key_format,
            value_field: self.value_field.into(),
            deleted_field: self.deleted_field.into(),
            key_field: self.key_field.map(Into::into),
            place_field: self.place_field.map(Into::into),
            batch: self.batch.max(1) as usize,
        };
        let settings = reading::Settings {
            choosing,
            begin,
            shape,
            group: self.group,
            read_committed: self.read_committed,
            discover: std::time::Duration::from_secs(u64::from(self.discover_seconds.max(1))),
            ahead_bytes: (self.ahead_mib.max(1) as usize) << 20,
        };
        Ok(Box::new(Reading::open(&access, settings, cx).await?))
    }
}

/// Opens a source of records that another task wrote into a stream, from the first that is there on.
///
/// # Errors
/// An outage when the brokers do not answer; `Hold` when what is to be read next is not there any more.
pub async fn stream_source(access: &Access, topic: &str, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
    let shape = Shape {
        value: ValueFormat::Wire,
        key: KeyFormat::Bytes,
        value_field: "value".into(),
        deleted_field: "deleted".into(),
        key_field: None,
        place_field: None,
        batch: STREAM_BATCH,
    };
    let settings = reading::Settings {
        choosing: Choosing::Names(vec![topic.into()]),
        begin: partitions::Begin::First,
        shape,
        group: None,
        read_committed: true,
        discover: std::time::Duration::from_secs(u64::from(default_discover_seconds())),
        ahead_bytes: (default_ahead_mib() as usize) << 20,
    };
    Ok(Box::new(Reading::open(access, settings, cx).await?))
}

#[async_trait]
impl ProbeConfig for KafkaSource {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let access = access(self.brokers.as_deref(), &self.security, &cx.files)?;
        probing::probe(&access, &cx, "topics").await
    }
}

#[async_trait]
impl SampleConfig for KafkaSource {
    /// From the first message on, wherever the channel itself would begin: a sample is to show something. Opening reads only,
    /// and without acknowledgement nothing is shown in a group.
    async fn sample(mut self, cx: SampleCtx) -> Result<Sample, Error> {
        self.start = Start::Earliest;
        self.batch = u32::try_from(cx.wanted).unwrap_or(u32::MAX).clamp(1, self.batch.max(1));
        sample_by_reading(self, cx).await
    }
}

#[cfg(test)]
mod tests;
