//! Reading single messages whose places are known, wherever they lie in a partition.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fairway_engine::Error;
use rdkafka::TopicPartitionList;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::message::Message as _;
use rdkafka::topic_partition_list::Offset;

use crate::access::Access;
use crate::fault;
use crate::release::Releasing;
use crate::tail::{Taken, is_gone, taken};
use crate::watch::Watch;

/// Messages up to this far ahead are read through; what lies further is asked for by its place.
const NEAR: i64 = 200;
/// Longest wait for one answer.
const WAIT: Duration = Duration::from_millis(100);
/// Longest time without any message that was asked for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Reads messages by their places. The client is made when the first is asked for; one question is asked at a time.
#[derive(Clone)]
pub struct Picker {
    access: Access,
    client: Arc<Mutex<Option<Releasing<BaseConsumer<Watch>>>>>,
}

impl Picker {
    /// A picker without a client yet.
    pub fn new(access: &Access) -> Self {
        Self { access: access.clone(), client: Arc::default() }
    }

    /// Committed messages of a partition at these offsets, in this order; `None` where there is none any more.
    ///
    /// # Errors
    /// An outage when the brokers do not answer.
    pub async fn pick(
        &self,
        topic: &str,
        partition: i32,
        offsets: &[i64],
    ) -> Result<Vec<Option<Taken>>, Error> {
        if offsets.is_empty() {
            return Ok(Vec::new());
        }
        let (picker, topic, wanted) = (self.clone(), topic.to_owned(), offsets.to_vec());
        let picking = move || {
            let mut client = picker.client.lock().unwrap_or_else(PoisonError::into_inner);
            if client.is_none() {
                *client = Some(Releasing::new(picker.connect()?));
            }
            let Some(client) = client.as_ref().map(Releasing::get) else { return Ok(Vec::new()) };
            let mut sorted = wanted.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let found = read(client, &topic, partition, &sorted);
            client.unassign().unwrap_or_else(|error| tracing::debug!(%error, "a partition was not let go"));
            let mut found = found?;
            Ok(wanted.iter().map(|offset| found.remove(offset)).collect())
        };
        tokio::task::spawn_blocking(picking).await.map_err(fault::interrupted)?
    }

    fn connect(&self) -> Result<BaseConsumer<Watch>, Error> {
        let mut config = self.access.config();
        config
            .set("group.id", "fairway")
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "earliest")
            .set("enable.partition.eof", "true")
            .set("allow.auto.create.topics", "false")
            .set("isolation.level", "read_committed")
            .set("queued.max.messages.kbytes", "4096")
            .set("fetch.queue.backoff.ms", "5");
        config
            .create_with_context(Watch::default())
            .map_err(|error| fault::of("make a Kafka client", &error, None))
    }
}

/// Reads the messages at rising offsets, as many as are still there.
fn read(
    client: &BaseConsumer<Watch>,
    topic: &str,
    partition: i32,
    wanted: &[i64],
) -> Result<HashMap<i64, Taken>, Error> {
    let doing = format!("read single messages of topic `{topic}`");
    let mut found = HashMap::new();
    let mut left = wanted.iter().copied().peekable();
    let mut next = None;
    let mut until = Instant::now() + PATIENCE;
    while let Some(&first) = left.peek() {
        if next.is_none_or(|next| first > next + NEAR || first < next) {
            let mut place = TopicPartitionList::new();
            place
                .add_partition_offset(topic, partition, Offset::Offset(first))
                .and_then(|()| client.assign(&place))
                .map_err(|error| fault::of(&doing, &error, None))?;
            next = Some(first);
        }
        match client.poll(WAIT) {
            Some(Ok(message)) => {
                let offset = message.offset();
                next = Some(offset + 1);
                // What lies before has been compacted away.
                while left.next_if(|wanted| *wanted < offset).is_some() {}
                if left.next_if_eq(&offset).is_some() {
                    found.insert(offset, taken(&message));
                }
                until = Instant::now() + PATIENCE;
            }
            // Nothing that is asked for lies beyond the end.
            Some(Err(KafkaError::PartitionEOF(_))) => break,
            Some(Err(error)) if is_gone(&error) => return Err(fault::of(&doing, &error, None)),
            Some(Err(_)) | None if Instant::now() < until => {}
            Some(Err(_)) | None => return Err(client.context().outage(&doing)),
        }
    }
    Ok(found)
}
