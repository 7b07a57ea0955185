//! States and their history, and what each worker says of the tasks that it runs. Each channel has a ring of places for its history, so
//! that compaction keeps as many as are shown, and one beside it for what was done by hand, which pushes no state out.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fairway_cluster::TaskName;
use fairway_kafka::Access;
use fairway_kafka::house::HouseTopic;
use fairway_kafka::producer::{Answer, NotSent, OutHeaders, Outgoing, Producer, Writing};
use fairway_kafka::tail::Taken;
use fairway_shared::api::status::{HistoryEntry, TaskStatus};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, MutexGuard};

use super::READ_BACK;
use super::mirror::{Fold, IfGone, Mirror};
use crate::services::error::{Error, Result};
use crate::services::{HISTORY_KEPT, StatusRecord, StatusService};

/// Time between two looks whether brokers have answered.
const BLINK: Duration = Duration::from_millis(1);

/// States that all workers share.
pub(super) struct Shared {
    access: Access,
    topic: String,
    mirror: Mirror<States>,
    producer: Mutex<Producer>,
}

fn producer(access: &Access) -> Result<Producer> {
    let writing = Writing {
        compression: "none",
        max_message_bytes: 1_000_000,
        batch_bytes: 1_000_000,
        queue_bytes: 4 << 20,
    };
    Ok(Producer::new(access, &writing)?)
}

/// An entry as it lies in the topic.
#[derive(Serialize, Deserialize)]
struct Told {
    /// Counts the entries of the channel.
    number: u64,
    entry: HistoryEntry,
}

/// What a worker says of a task that it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Number of the grant that it runs under.
    pub generation: u64,
    /// Version of the channel.
    pub version: u32,
    /// What is observed.
    pub status: TaskStatus,
    /// Fill of the queue behind each edge that ends at a target, 0 to 1.
    pub fills: BTreeMap<String, f64>,
}

/// Entries of each channel by number; reports by channel and task.
#[derive(Default)]
struct States {
    entries: HashMap<String, BTreeMap<u64, HistoryEntry>>,
    deeds: HashMap<String, BTreeMap<u64, HistoryEntry>>,
    reports: HashMap<String, BTreeMap<String, Report>>,
}

/// Takes the place of a number in the keys of reports.
const TASK: &str = "task";
/// Stands before the numbers of deeds in their keys.
const DEED: &str = "deed-";
/// Deeds kept for each channel.
const DEEDS_KEPT: usize = 100;

impl Fold for States {
    fn take(&mut self, _: usize, message: Taken) {
        let Some(key) = message.key.and_then(|key| String::from_utf8(key).ok()) else { return };
        let Some((place, uid)) = key.split_once('/') else { return };
        if place == TASK {
            let report = message.value.map(|value| serde_json::from_slice(&value));
            return self.report(uid, report);
        }
        let (rings, kept, place) = match place.strip_prefix(DEED) {
            Some(place) => (&mut self.deeds, DEEDS_KEPT, place),
            None => (&mut self.entries, HISTORY_KEPT, place),
        };
        let entries = rings.entry(uid.to_owned()).or_default();
        match message.value.map(|value| serde_json::from_slice::<Told>(&value)) {
            Some(Ok(told)) => {
                entries.insert(told.number, told.entry);
                while entries.len() > kept {
                    entries.pop_first();
                }
            }
            // Of a later Fairway.
            Some(Err(_)) => {}
            None => entries.retain(|number, _| place_of(*number, kept) != place),
        }
        if entries.is_empty() {
            rings.remove(uid);
        }
    }
}

impl States {
    fn report(&mut self, name: &str, report: Option<serde_json::Result<Report>>) {
        let Some((uid, task)) = name.split_once('/') else { return };
        match report {
            Some(Ok(report)) => {
                self.reports.entry(uid.to_owned()).or_default().insert(task.to_owned(), report);
            }
            // Of a later Fairway.
            Some(Err(_)) => {}
            None => {
                if let Some(reports) = self.reports.get_mut(uid) {
                    reports.remove(task);
                    if reports.is_empty() {
                        self.reports.remove(uid);
                    }
                }
            }
        }
    }
}

fn next_of(entries: Option<&BTreeMap<u64, HistoryEntry>>) -> u64 {
    entries.and_then(|entries| entries.last_key_value()).map_or(0, |(number, _)| number + 1)
}

fn place_of(number: u64, kept: usize) -> String {
    (number % kept as u64).to_string()
}

impl Shared {
    pub(super) fn open(access: &Access, topic: HouseTopic) -> Result<Self> {
        Ok(Self {
            access: access.clone(),
            topic: topic.name.clone(),
            mirror: Mirror::open(access, topic, IfGone::MakeAgain)?,
            producer: Mutex::new(producer(access)?),
        })
    }

    /// Adds an entry to a ring of a channel's.
    async fn add(&self, uid: &str, entry: &HistoryEntry) -> Result<()> {
        // One at a time, or two entries would take one number.
        let producer = self.turn().await?;
        self.mirror.settle(0).await?;
        let is_deed = entry.deed.is_some();
        let number = self
            .mirror
            .look(|states| next_of(if is_deed { &states.deeds } else { &states.entries }.get(uid)));
        let told = serde_json::to_string(&Told { number, entry: entry.clone() })
            .map_err(|error| Error::Unavailable(error.into()))?;
        let key = match is_deed {
            true => format!("{DEED}{}/{uid}", place_of(number, DEEDS_KEPT)),
            false => format!("{}/{uid}", place_of(number, HISTORY_KEPT)),
        };
        self.write(&producer, &[(key, Some(told))]).await
    }

    /// Waits for one's turn to write. A producer that is of no use any more is made anew.
    async fn turn(&self) -> Result<MutexGuard<'_, Producer>> {
        let mut turn = self.producer.lock().await;
        if turn.is_lost() {
            *turn = producer(&self.access)?;
        }
        Ok(turn)
    }

    /// Waits until what was told up to now has been read.
    pub(super) async fn settle(&self) -> Result<()> {
        self.mirror.settle(0).await
    }

    /// What workers say of a channel's tasks, as far as was read.
    pub(super) fn reports(&self, uid: &str) -> BTreeMap<String, Report> {
        self.mirror.look(|states| states.reports.get(uid).cloned().unwrap_or_default())
    }

    /// Says what is observed of tasks; nothing strikes a task off.
    pub(super) async fn tell(&self, reports: &[(TaskName, Option<Report>)]) -> Result<()> {
        let mut messages = Vec::with_capacity(reports.len());
        for (name, report) in reports {
            let value = report.as_ref().map(serde_json::to_string).transpose();
            let value = value.map_err(|error| Error::Unavailable(error.into()))?;
            messages.push((format!("{TASK}/{}/{}", name.channel, name.task), value));
        }
        self.write(&*self.turn().await?, &messages).await
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
        self.add(uid, entry).await
    }

    async fn note(&self, uid: &str, deed: &HistoryEntry) -> Result<()> {
        self.add(uid, deed).await
    }

    async fn status(&self, uid: &str) -> Result<Option<StatusRecord>> {
        self.mirror.settle(0).await?;
        Ok(self.last_seen(uid).await?.map(StatusRecord::from))
    }

    async fn history(&self, uid: &str, limit: usize) -> Result<Vec<HistoryEntry>> {
        self.mirror.settle(0).await?;
        self.history_seen(uid, limit).await
    }

    async fn history_seen(&self, uid: &str, limit: usize) -> Result<Vec<HistoryEntry>> {
        Ok(self.mirror.look(|states| {
            let of = |ring: &HashMap<String, BTreeMap<u64, HistoryEntry>>| {
                let entries = ring.get(uid).into_iter().flat_map(|entries| entries.values().rev());
                entries.take(limit).cloned().collect::<Vec<_>>()
            };
            let (mut all, deeds) = (of(&states.entries), of(&states.deeds));
            if !deeds.is_empty() {
                all.extend(deeds);
                // Times of one form, so their texts have their order.
                all.sort_by(|one, other| other.at.cmp(&one.at));
                all.truncate(limit);
            }
            all
        }))
    }

    async fn last_seen(&self, uid: &str) -> Result<Option<HistoryEntry>> {
        Ok(self
            .mirror
            .look(|states| states.entries.get(uid)?.last_key_value().map(|(_, entry)| entry.clone())))
    }

    async fn forget(&self, uid: &str) -> Result<()> {
        let producer = self.turn().await?;
        self.mirror.settle(0).await?;
        let gone: Vec<(String, Option<String>)> = self.mirror.look(|states| {
            let numbers = states.entries.get(uid).into_iter().flat_map(|entries| entries.keys());
            let deeds = states.deeds.get(uid).into_iter().flat_map(|deeds| deeds.keys());
            let tasks = states.reports.get(uid).into_iter().flat_map(|reports| reports.keys());
            let entries = numbers.map(|number| format!("{}/{uid}", place_of(*number, HISTORY_KEPT)));
            let deeds = deeds.map(|number| format!("{DEED}{}/{uid}", place_of(*number, DEEDS_KEPT)));
            let reports = tasks.map(|task| format!("{TASK}/{uid}/{task}"));
            entries.chain(deeds).chain(reports).map(|key| (key, None)).collect()
        });
        self.write(&producer, &gone).await
    }
}
