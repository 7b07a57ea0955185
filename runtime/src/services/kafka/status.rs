//! States and their history. Each channel has a ring of places for its history, so that compaction keeps as many as are shown.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fairway_kafka::Access;
use fairway_kafka::producer::{Answer, NotSent, OutHeaders, Outgoing, Producer, Writing};
use fairway_kafka::tail::Taken;
use fairway_shared::api::status::HistoryEntry;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::READ_BACK;
use super::mirror::{Fold, Mirror};
use crate::services::error::{Error, Result};
use crate::services::{HISTORY_KEPT, StatusRecord, StatusService};

/// Time between two looks whether brokers have answered.
const BLINK: Duration = Duration::from_millis(1);

/// States that all workers share.
pub(super) struct Shared {
    topic: String,
    mirror: Mirror<States>,
    producer: Mutex<Producer>,
}

/// An entry as it lies in the topic.
#[derive(Serialize, Deserialize)]
struct Told {
    /// Counts the entries of the channel.
    number: u64,
    entry: HistoryEntry,
}

/// Entries of each channel, by number.
#[derive(Default)]
struct States(HashMap<String, BTreeMap<u64, HistoryEntry>>);

impl Fold for States {
    fn take(&mut self, _: usize, message: Taken) {
        let Some(key) = message.key.and_then(|key| String::from_utf8(key).ok()) else { return };
        let Some((place, uid)) = key.split_once('/') else { return };
        let entries = self.0.entry(uid.to_owned()).or_default();
        match message.value.map(|value| serde_json::from_slice::<Told>(&value)) {
            Some(Ok(told)) => {
                entries.insert(told.number, told.entry);
                while entries.len() > HISTORY_KEPT {
                    entries.pop_first();
                }
            }
            // Of a later Fairway.
            Some(Err(_)) => {}
            None => entries.retain(|number, _| place_of(*number) != place),
        }
        if entries.is_empty() {
            self.0.remove(uid);
        }
    }
}

impl States {
    fn next(&self, uid: &str) -> u64 {
        self.0.get(uid).and_then(|entries| entries.last_key_value()).map_or(0, |(number, _)| number + 1)
    }
}

fn place_of(number: u64) -> String {
    (number % HISTORY_KEPT as u64).to_string()
}

impl Shared {
    pub(super) fn open(access: &Access, topic: &str) -> Result<Self> {
        let writing = Writing {
            compression: "none",
            max_message_bytes: 1_000_000,
            batch_bytes: 1_000_000,
            queue_bytes: 4 << 20,
        };
        Ok(Self {
            topic: topic.to_owned(),
            mirror: Mirror::open(access, topic, 1)?,
            producer: Mutex::new(Producer::new(access, &writing)?),
        })
    }

    /// Writes, and waits until all copies are written.
    async fn write(&self, producer: &Producer, messages: &[(String, Option<String>)]) -> Result<()> {
        let until = Instant::now() + READ_BACK;
        let late = || Error::Unavailable(format!("topic `{}` takes nothing", self.topic).into());
        let (mut sent, mut open, mut fault) = (0, messages.len(), None);
        while open > 0 && fault.is_none() {
            while let Some((key, value)) = messages.get(sent) {
                let value = value.as_ref().map(String::as_bytes);
                let message = Outgoing { topic: &self.topic, key: Some(key.as_bytes()), value, time: None };
                match producer.send(sent, message, OutHeaders::default()) {
                    Ok(()) => sent += 1,
                    Err(NotSent::Full(_)) => break,
                    Err(NotSent::Refused(refusal)) => return Err(Error::Unavailable(refusal.message.into())),
                    Err(NotSent::Fault(error)) => return Err(error.into()),
                }
            }
            producer.answers(|_, answer| match answer {
                Answer::Written => open = open.saturating_sub(1),
                Answer::Refused(refusal) => fault = Some(Error::Unavailable(refusal.message.into())),
                Answer::Fault(error) => fault = Some(error.into()),
            });
            if Instant::now() > until {
                return Err(late());
            }
            tokio::time::sleep(BLINK).await;
        }
        fault.map_or(Ok(()), Err)
    }
}

#[async_trait]
impl StatusService for Shared {
    async fn enter(&self, uid: &str, entry: &HistoryEntry) -> Result<()> {
        // One at a time, or two entries would take one number.
        let producer = self.producer.lock().await;
        self.mirror.settle(0).await?;
        let number = self.mirror.look(|states| states.next(uid));
        let told = serde_json::to_string(&Told { number, entry: entry.clone() })
            .map_err(|error| Error::Unavailable(error.into()))?;
        self.write(&producer, &[(format!("{}/{uid}", place_of(number)), Some(told))]).await
    }

    async fn status(&self, uid: &str) -> Result<Option<StatusRecord>> {
        Ok(self.history(uid, 1).await?.pop().map(|entry| StatusRecord {
            state: entry.state,
            cause: entry.cause,
            since: Some(entry.at),
            version: entry.version,
        }))
    }

    async fn history(&self, uid: &str, limit: usize) -> Result<Vec<HistoryEntry>> {
        self.mirror.settle(0).await?;
        Ok(self.mirror.look(|states| {
            let entries = states.0.get(uid).into_iter().flat_map(|entries| entries.values().rev());
            entries.take(limit).cloned().collect()
        }))
    }

    async fn forget(&self, uid: &str) -> Result<()> {
        let producer = self.producer.lock().await;
        self.mirror.settle(0).await?;
        let gone: Vec<(String, Option<String>)> = self.mirror.look(|states| {
            let numbers = states.0.get(uid).into_iter().flat_map(|entries| entries.keys());
            numbers.map(|number| (format!("{}/{uid}", place_of(*number)), None)).collect()
        });
        self.write(&producer, &gone).await
    }
}
