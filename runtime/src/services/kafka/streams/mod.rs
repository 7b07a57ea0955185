//! Records on their way between tasks: a topic for each stream, which source tasks write and each sink task reads at its own pace.
//!
//! A stream has two ends. The one that writes is a sink to its task: records and how far they go lie in one transaction of the task's
//! producer, so a stream holds each record once. The one that reads is a source to its task, a partition of the topic a partition of
//! the source: a target keeps its own position in it, and a slow one holds up nobody else.
//!
//! Nothing is deleted by time or size; [`Streams::trim`] deletes what every task has that reads it (protocol of streams).

mod once;
mod pace;
mod sink;

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use fairway_connector_kafka::stream_source;
use fairway_engine::Error as EngineError;
use fairway_engine::joint::Joint;
use fairway_engine::sink::{Sink, SinkCtx};
use fairway_engine::source::{Source, SourceCtx};
use fairway_engine::store::StoredMark;
use fairway_kafka::cluster::Topic;
use fairway_kafka::house::{Cleanup, HouseTopic};
use fairway_kafka::{Access, Cluster};

use super::{QUESTION, position};
use crate::services::error::Result;

/// Most bytes of a record in a stream.
const LARGEST: usize = 32 << 20;

/// The streams of a cluster.
pub struct Streams {
    access: Access,
    cluster: String,
    brokers: Cluster,
    tasks: Arc<position::Shared>,
    /// Topics that nothing more is written to for now.
    full: Full,
}

/// Topics with more than may wait in them.
type Full = Arc<Mutex<HashSet<String>>>;

impl Streams {
    pub(super) fn new(access: &Access, cluster: &str, tasks: Arc<position::Shared>) -> Result<Self> {
        let brokers = Cluster::new(access, false, QUESTION)?;
        let (access, cluster) = (access.clone(), cluster.to_owned());
        Ok(Self { access, cluster, brokers, tasks, full: Full::default() })
    }

    /// The topic of a stream. Its name is that of the port that feeds it, so it stays when what reads it changes.
    pub fn topic(&self, uid: &str, stream: &str) -> String {
        format!("{}.stream.{uid}.{stream}", self.cluster)
    }

    /// Sees to it that a stream is there; answers its number of partitions, which may be more than asked for.
    ///
    /// # Errors
    /// `kafka.unfit_topic` for a topic that would lose records.
    pub async fn ensure(&self, uid: &str, stream: &str, partitions: i32) -> Result<i32, EngineError> {
        let name = self.topic(uid, stream);
        let cleanup = Cleanup::Keep;
        self.brokers
            .ensure(&HouseTopic { name, partitions, cleanup, more: true, largest: Some(LARGEST) })
            .await
    }

    /// What joins a node of a task to a stream, at whichever end the node is.
    pub fn joint(self: &Arc<Self>, task: &str, stream: &str, partitions: i32) -> Arc<dyn Joint> {
        let streams = self.clone();
        Arc::new(Joined { streams, task: task.to_owned(), stream: stream.to_owned(), partitions })
    }

    /// What joins a sink that writes into a topic of a user's to the producer of its task, so that each record is there once.
    pub fn once(self: &Arc<Self>, task: &str, config: serde_json::Value) -> Arc<dyn Joint> {
        Arc::new(once::Once { streams: self.clone(), task: task.to_owned(), config })
    }

    /// The end of a stream that a task writes. To be opened after the task has begun, for it writes by the task's producer.
    ///
    /// # Errors
    /// An outage when the brokers do not answer.
    async fn write(
        &self,
        task: &str,
        stream: &str,
        partitions: i32,
        cx: SinkCtx,
    ) -> Result<Box<dyn Sink>, EngineError> {
        let partitions = self.ensure(&cx.uid, stream, partitions).await?;
        let topic = self.topic(&cx.uid, stream);
        let full = self.full.clone();
        Ok(Box::new(sink::Into::new(self.tasks.clone(), full, task, &topic, partitions, &cx)))
    }

    /// The end of a stream that a task reads.
    ///
    /// # Errors
    /// An outage when the brokers do not answer; `Hold` when what is to be read next is not there any more.
    async fn read(
        &self,
        stream: &str,
        partitions: i32,
        cx: SourceCtx,
    ) -> Result<Box<dyn Source>, EngineError> {
        self.ensure(&cx.uid, stream, partitions).await?;
        stream_source(&self.access, &self.topic(&cx.uid, stream), cx).await
    }

    /// Deletes what lies before the lowest position of those that read a stream: the ids of their ends. Answers how many messages
    /// that were, markers of transactions included. While more than `most` wait for the slowest, nothing is written to it from this
    /// process: its source waits (protocol of streams).
    ///
    /// # Errors
    /// An outage when the brokers do not answer or refuse.
    pub async fn trim(
        &self,
        uid: &str,
        stream: &str,
        readers: &[String],
        marks: &[StoredMark],
        most: u64,
    ) -> Result<u64, EngineError> {
        let name = self.topic(uid, stream);
        let Some(topic) = self.brokers.topic(&name).await? else { return Ok(0) };
        let (mut deleted, mut waiting) = (0, 0);
        for partition in topic.partitions {
            let (first, end) = self.brokers.bounds(&name, partition).await?;
            let lowest = lowest(&format!("{name}/{partition}"), readers, marks);
            let before = lowest.unwrap_or(first).clamp(first, end);
            waiting += (end - before).unsigned_abs();
            if before > first {
                let first_now = self.brokers.delete_before(&name, partition, before).await?;
                deleted += (first_now - first).unsigned_abs();
            }
        }
        let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting > most {
            if full.insert(name) {
                tracing::warn!(
                    channel = uid,
                    stream,
                    waiting,
                    "too much waits in a stream, its source waits"
                );
            }
        } else {
            full.remove(&name);
        }
        Ok(deleted)
    }
}

impl Streams {
    /// Deletes everything that lies in the streams of a channel, which starts over. No task of it may run.
    ///
    /// # Errors
    /// An outage when the brokers do not answer or refuse.
    pub async fn clear(&self, uid: &str) -> Result<()> {
        for topic in self.of(uid).await? {
            for partition in topic.partitions {
                let (first, end) = self.brokers.bounds(&topic.name, partition).await?;
                if end > first {
                    self.brokers.delete_before(&topic.name, partition, end).await?;
                }
            }
        }
        Ok(())
    }

    /// Deletes the streams of a channel, which is no more.
    ///
    /// # Errors
    /// An outage when the brokers do not answer or refuse.
    pub async fn forget(&self, uid: &str) -> Result<()> {
        let topics = self.of(uid).await?;
        let names: Vec<&str> = topics.iter().map(|topic| &*topic.name).collect();
        Ok(self.brokers.delete(&names).await?)
    }

    async fn of(&self, uid: &str) -> Result<Vec<Topic>> {
        let prefix = self.topic(uid, "");
        let mut topics = self.brokers.overview().await?.topics;
        topics.retain(|topic| topic.name.starts_with(&prefix));
        Ok(topics)
    }
}

/// A node of a task, and the stream that it is an end of.
struct Joined {
    streams: Arc<Streams>,
    task: String,
    stream: String,
    partitions: i32,
}

impl fmt::Debug for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Joined({} of {})", self.stream, self.task)
    }
}

#[async_trait]
impl Joint for Joined {
    async fn write(&self, cx: SinkCtx) -> Result<Box<dyn Sink>, EngineError> {
        self.streams.write(&self.task, &self.stream, self.partitions, cx).await
    }

    async fn read(&self, cx: SourceCtx) -> Result<Box<dyn Source>, EngineError> {
        self.streams.read(&self.stream, self.partitions, cx).await
    }
}

/// The offset up to which every reader has all; `None` while one has said nothing yet.
fn lowest(partition: &str, readers: &[String], marks: &[StoredMark]) -> Option<i64> {
    let reached = |reader: &String| {
        let own = marks.iter().filter(|mark| mark.target.is_none() && mark.stream.via.is_empty());
        let mut own =
            own.filter(|mark| *mark.stream.source == **reader && *mark.stream.partition == *partition);
        // The order of a message is its offset and one, so that of the last is where the next lies.
        own.next().and_then(|mark| i64::try_from(mark.position.order).ok())
    };
    let reached: Option<Vec<i64>> = readers.iter().map(reached).collect();
    reached?.into_iter().min()
}

#[cfg(test)]
mod tests {
    use fairway_engine::position::{Position, StreamKey};

    use super::*;

    #[test]
    fn nothing_goes_before_every_reader_has_it() {
        let mark = |reader: &str, target: Option<&str>, order| StoredMark {
            target: target.map(str::to_owned),
            stream: StreamKey::straight(reader, "t/0"),
            position: Position { order, token: serde_json::Value::Null },
            in_target: None,
        };
        let readers = ["a".to_owned(), "b".to_owned()];
        assert_eq!(lowest("t/0", &readers, &[mark("a", None, 9)]), None, "b has said nothing");
        // What one of a task's targets has is not what the task has.
        assert_eq!(lowest("t/0", &readers, &[mark("a", None, 9), mark("b", Some("x"), 9)]), None);
        assert_eq!(lowest("t/0", &readers, &[mark("a", None, 9), mark("b", None, 4)]), Some(4));
        assert_eq!(lowest("t/1", &readers, &[mark("a", None, 9), mark("b", None, 4)]), None);
        assert_eq!(lowest("t/0", &[], &[]), None, "what nobody reads is nobody's to delete");
    }
}
