//! Which topics there are, and what each takes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::data::{RecordError, RecordRef};
use fairway_kafka::cluster::TopicSettings;
use fairway_kafka::{Access, Cluster};

use super::encode::{Encoder, Parts};

/// Longest wait for an answer of the brokers.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// What a topic takes where its settings cannot be seen: the brokers' own default, in bytes.
const USUAL_BYTES: usize = 1_048_588;
/// What a topic takes for sure, in bytes; smaller settings than this are not believed to be meant.
const LEAST_BYTES: usize = 1000;
/// What a message takes beside key, value and headers, in bytes, at most.
const FRAME: usize = 128;

/// What becomes of a topic that is missing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Missing {
    /// It is waited for.
    Wait,
    /// It is made; -1 is what brokers are set to.
    Create { partitions: i32, copies: i32 },
}

/// Topics that were seen.
pub(super) struct Topics {
    cluster: Cluster,
    missing: Missing,
    known: HashMap<Arc<str>, TopicSettings>,
}

/// What all known topics take, in bytes: the most that one takes, and the most that each does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Takes {
    pub(super) one: usize,
    pub(super) each: usize,
}

impl Topics {
    pub(super) fn new(access: &Access, missing: Missing) -> Result<Self, Error> {
        Ok(Self { cluster: Cluster::new(access, false, PATIENCE)?, missing, known: HashMap::new() })
    }

    /// The settings of a topic that is known.
    pub(super) fn get(&self, topic: &str) -> Option<TopicSettings> {
        self.known.get(topic).copied()
    }

    /// Makes sure that a topic is there, and learns what it takes.
    pub(super) async fn know(&mut self, topic: &Arc<str>) -> Result<(), Error> {
        if self.known.contains_key(topic) {
            return Ok(());
        }
        if self.cluster.topic(topic).await?.is_none() {
            let Missing::Create { partitions, copies } = self.missing else {
                return Err(Error::outage("kafka.topic_missing", format!("there is no topic `{topic}`"))
                    .help("create it, or set `create_topic`; the channel goes on by itself then"));
            };
            self.cluster.create(topic, partitions, copies).await?;
            tracing::info!(%topic, "the topic was missing and is made");
        }
        let hidden = TopicSettings { max_message_bytes: None, compacted: false };
        let settings = self.cluster.settings(topic).await?.unwrap_or(hidden);
        self.known.insert(topic.clone(), settings);
        Ok(())
    }

    /// The message that a record becomes, in `parts` and as `header`s, and its topic; refused where the topic would not take it.
    pub(super) fn encode<'r>(
        &self,
        encoder: &'r Encoder<'_>,
        record: &'r RecordRef<'r>,
        parts: &mut Parts,
        header: impl FnMut(&str, Option<&[u8]>),
    ) -> Result<&'r str, RecordError> {
        let topic = encoder.topic(record)?;
        encoder.encode(record, parts)?;
        let header_bytes = encoder.headers(record, header)?;
        let settings = self.get(topic);
        if settings.is_some_and(|settings| settings.compacted) && parts.key().is_none() {
            let message = format!("topic `{topic}` is compacted and takes no message without a key");
            return Err(RecordError::new("kafka.key_needed", message));
        }
        let bytes = parts.key().map_or(0, <[u8]>::len) + parts.value().map_or(0, <[u8]>::len) + header_bytes;
        let most = settings.and_then(|settings| settings.max_message_bytes);
        if let Some(most) = most.filter(|most| bytes + FRAME > *most) {
            let message = format!("the message has {bytes} bytes, and topic `{topic}` takes at most {most}");
            return Err(RecordError::new("kafka.too_large", message));
        }
        Ok(topic)
    }

    /// Forgets everything, to look anew.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    pub(super) fn takes(&self) -> Takes {
        let bytes =
            |settings: &TopicSettings| settings.max_message_bytes.unwrap_or(USUAL_BYTES).max(LEAST_BYTES);
        let all = || self.known.values().map(bytes);
        Takes { one: all().max().unwrap_or(USUAL_BYTES), each: all().min().unwrap_or(USUAL_BYTES) }
    }
}
