//! Writes each record once, whatever crashes: messages, and how far they go, are committed together. The task's transactional id, which
//! its next start takes over, keeps an older owner out (I3, I4); what it had begun is taken back.

use std::sync::Arc;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::{Batch, RecordError, RecordRef};
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Refused, Sink, SinkCtx};
use fairway_kafka::Cluster;
use fairway_kafka::transaction::Write;
use serde_json::Value;

use super::KafkaSink;
use super::encode::{Encoder, Form, Parts};
use super::topics::{PATIENCE, Topics};

/// Commits messages and positions together, for one task.
#[async_trait]
pub trait Together: Send + Sync {
    /// What the Kafka calls itself that holds the positions: there is no transaction over two.
    ///
    /// # Errors
    /// An outage when its brokers do not answer.
    async fn cluster(&self) -> Result<String, Error>;

    /// How far a stream has come, by what was committed.
    ///
    /// # Errors
    /// An outage when it cannot be read.
    async fn held(&self, stream: &StreamKey) -> Result<Option<Position>, Error>;

    /// Commits messages, and how far they go.
    ///
    /// # Errors
    /// `Fenced` when another start of the task has taken over; an outage when nothing of it was written.
    async fn write(&mut self, messages: Vec<Write>, marks: &[Mark]) -> Result<(), Error>;
}

/// Whether a node with this config is to be opened by [`open`].
pub fn wants(component: &str, config: &Value) -> bool {
    component == <KafkaSink as fairway_engine::component::Config>::META.name && config["exactly_once"] == true
}

/// Opens a sink that commits by `together`.
///
/// # Errors
/// As the sink itself; `kafka.other_kafka` when its brokers are not those that hold the positions.
pub async fn open(config: Value, cx: &SinkCtx, together: Box<dyn Together>) -> Result<Box<dyn Sink>, Error> {
    let config: KafkaSink = serde_json::from_value(config)
        .map_err(|error| Error::config("component.bad_config", error.to_string()))?;
    let (access, form, topics) = config.prepare(cx).await?;
    let (own, ours) = (Cluster::new(&access, false, PATIENCE)?.id().await?, together.cluster().await?);
    if own != ours {
        let what = format!("`brokers` are Kafka {own}, and the positions lie in Kafka {ours}");
        return Err(Error::config("kafka.other_kafka", what)
            .help("write into the Kafka that the workers use, or switch `exactly_once` off"));
    }
    Ok(Box::new(Once { form: Arc::new(form), topics, together, parts: Parts::default() }))
}

struct Once {
    form: Arc<Form>,
    topics: Topics,
    together: Box<dyn Together>,
    parts: Parts,
}

impl Once {
    async fn know_topics(&mut self, batches: &[Batch]) -> Result<(), Error> {
        if let (Some(fixed), None) = (&self.form.target.fixed, &self.form.target.field) {
            return self.topics.know(&fixed.clone()).await;
        }
        let mut new: Vec<Arc<str>> = Vec::new();
        for batch in batches {
            let encoder = Encoder::new(&self.form, batch);
            for record in batch.records() {
                // Records that name none are refused later.
                let Ok(topic) = encoder.topic(&record) else { continue };
                if self.topics.get(topic).is_none() && !new.iter().any(|known| &**known == topic) {
                    new.push(topic.into());
                }
            }
        }
        for topic in new {
            self.topics.know(&topic).await?;
        }
        Ok(())
    }

    fn message(&mut self, encoder: &Encoder<'_>, record: &RecordRef<'_>) -> Result<Write, RecordError> {
        let mut headers = Vec::new();
        let header =
            |name: &str, value: Option<&[u8]>| headers.push((name.to_owned(), value.map(<[u8]>::to_vec)));
        let topic = self.topics.encode(encoder, record, &mut self.parts, header)?;
        let topic = match &self.form.target.fixed {
            Some(fixed) if **fixed == *topic => fixed.clone(),
            _ => topic.into(),
        };
        let own = |bytes: &[u8]| bytes.to_vec();
        Ok(Write {
            topic,
            partition: None,
            key: self.parts.key().map(own),
            value: self.parts.value().map(own),
            headers,
            time: self.parts.time,
        })
    }
}

#[async_trait]
impl Sink for Once {
    async fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        self.together.held(stream).await
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        self.know_topics(group.batches).await?;
        let form = self.form.clone();
        let (mut writes, mut refused) = (Vec::with_capacity(group.len()), Vec::new());
        for (at, batch) in group.batches.iter().enumerate() {
            let encoder = Encoder::new(&form, batch);
            for (index, record) in batch.records().enumerate() {
                match self.message(&encoder, &record) {
                    Ok(message) => writes.push(message),
                    Err(error) => refused.push(Refused { batch: at, record: index, error }),
                }
            }
        }
        if !refused.is_empty() {
            return Ok(Outcome::RolledBack(refused));
        }
        match self.together.write(writes, group.marks).await {
            Ok(()) => Ok(Outcome::all()),
            Err(error) => {
                self.topics.forget();
                Err(error)
            }
        }
    }
}
