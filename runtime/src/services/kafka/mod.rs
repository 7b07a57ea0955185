//! Services on Kafka, for workers that share a cluster. They keep nothing of their own: whoever reads the topics knows it all.
//!
//! | Topic | Clean-up | Written by | Holds |
//! |---|---|---|---|
//! | `<cluster>.control` | compact, 1 partition | the leader, in transactions | what users asked for, secrets sealed; who leads; who runs what |
//! | `<cluster>.positions` | compact, 25 partitions | each task, in transactions that its next start fences | watermarks, counts, starts |
//! | `<cluster>.status` | compact, 1 partition | any worker | states, with history |
//! | `<cluster>.dead-letters` | compact, 12 partitions | tasks and controller, in transactions | dead letters, refusals |
//! | `<cluster>.beats` | delete after minutes, 1 partition | any worker | signs of life |
//! | `<cluster>.journal` | delete after a week, 1 partition | the leader, in transactions | which tasks moved, which requests were carried out |
//! | `<cluster>.stream.<uid>.<name>` | none | source tasks, in transactions | records between tasks; see `streams` |
//!
//! Each worker reads all of them into memory (`mirror`), so that reading asks nobody; what must be known to the very end asks where the
//! topic ends first.

mod control;
mod journal;
mod ledger;
mod letters;
mod mirror;
mod position;
mod secret;
mod status;
mod streams;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fairway_cluster::TaskName;
use fairway_kafka::house::{Cleanup, HouseTopic};
use fairway_kafka::transaction::Failure;
use fairway_kafka::{Access, Cluster};
use futures::TryStreamExt as _;

pub use self::control::Control;
pub use self::journal::{Answer, Journal, Known, same_move};
pub use self::ledger::Stamp;
pub use self::status::Report;
pub use self::streams::Streams;
use super::error::{Error, Result};
use super::{
    ClusterService, ConfigService, DeadLetterService, PositionService, SealingKey, Services, StatusService,
};

/// Limit of a question to the brokers.
const QUESTION: Duration = Duration::from_secs(5);
/// Longest wait until something that was written can be read.
const READ_BACK: Duration = Duration::from_secs(15);
/// Beats older than this mean nothing to anybody.
const BEATS_KEPT: Duration = Duration::from_secs(600);
/// What happened longer ago is not asked for.
const JOURNAL_KEPT: Duration = Duration::from_secs(7 * 86_400);

/// Most bytes of a message that says who runs what, with what is around it.
pub(crate) const LARGEST: usize = fairway_cluster::LARGEST + 1_000_000;

/// Names of a cluster's topics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics {
    /// What is settled.
    pub control: String,
    /// Watermarks, counts, starts.
    pub positions: String,
    /// States.
    pub status: String,
    /// Dead letters.
    pub dead_letters: String,
    /// Signs of life.
    pub beats: String,
    /// What happened.
    pub journal: String,
}

impl Topics {
    /// The topics of a cluster.
    pub fn of(cluster: &str) -> Self {
        let named = |what| format!("{cluster}.{what}");
        Self {
            control: named("control"),
            positions: named("positions"),
            status: named("status"),
            dead_letters: named("dead-letters"),
            beats: named("beats"),
            journal: named("journal"),
        }
    }

    /// Makes those that are missing, and refuses those that are not as they must be.
    ///
    /// # Errors
    /// `Unavailable`, with the reason.
    pub async fn ensure(&self, access: &Access) -> Result<()> {
        let brokers = Cluster::new(access, false, QUESTION)?;
        let kept = [self.control(), self.positions(), self.status(), self.dead_letters(), self.journal()];
        for topic in kept.iter().chain([&self.beats()]) {
            brokers.ensure(topic).await?;
        }
        unharmed(&brokers, &self.control).await
    }

    fn control(&self) -> HouseTopic {
        HouseTopic { largest: Some(LARGEST), ..topic(&self.control, 1, Cleanup::Compact) }
    }

    fn journal(&self) -> HouseTopic {
        topic(&self.journal, 1, Cleanup::Delete(JOURNAL_KEPT))
    }

    fn positions(&self) -> HouseTopic {
        topic(&self.positions, ledger::PARTITIONS, Cleanup::Compact)
    }

    fn status(&self) -> HouseTopic {
        topic(&self.status, 1, Cleanup::Compact)
    }

    fn dead_letters(&self) -> HouseTopic {
        let largest = Some(letters::LARGEST);
        HouseTopic { largest, ..topic(&self.dead_letters, letters::PARTITIONS, Cleanup::Compact) }
    }

    pub(crate) fn beats(&self) -> HouseTopic {
        HouseTopic { largest: Some(LARGEST), ..topic(&self.beats, 1, Cleanup::Delete(BEATS_KEPT)) }
    }
}

fn topic(name: &str, partitions: i32, cleanup: Cleanup) -> HouseTopic {
    HouseTopic { name: name.to_owned(), partitions, cleanup, more: false, largest: None }
}

/// Refuses a control topic whose beginning was deleted: compaction never does that, so what users asked for is gone in part, and the
/// rest would mean something else.
async fn unharmed(brokers: &Cluster, topic: &str) -> Result<()> {
    let (first, _) = brokers.bounds(topic, 0).await?;
    if first == 0 {
        return Ok(());
    }
    let message = format!(
        "what lay before offset {first} of topic `{topic}` was deleted, and with it what users asked for"
    );
    let help = "restore the topic, or give the cluster another name and import the channels there";
    Err(fairway_engine::Error::config("kafka.topic_cut", message).help(help).into())
}

/// A value of ours that is stored as JSON.
fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Unavailable(error.into()))
}

/// The services of a cluster that are on Kafka.
#[derive(Clone)]
pub struct Backend {
    /// What is settled, and its one writer.
    pub control: Arc<Control>,
    /// What happened.
    pub journal: Arc<Journal>,
    /// How far everything has come.
    pub positions: Arc<dyn PositionService>,
    /// What is observed.
    pub status: Arc<dyn StatusService>,
    /// Records set aside.
    pub dead_letters: Arc<dyn DeadLetterService>,
    /// Records on their way between tasks.
    pub streams: Arc<Streams>,
    tasks: Arc<position::Shared>,
    states: Arc<status::Shared>,
}

impl Backend {
    /// Opens a cluster's topics. To be called inside the async runtime.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not answer, or a topic is not as it must be.
    pub async fn open(access: &Access, cluster: &str) -> Result<Self> {
        let topics = Topics::of(cluster);
        topics.ensure(access).await?;
        let journal = Arc::new(Journal::open(access, topics.journal())?);
        let control = Arc::new(Control::open(access, cluster, topics.control(), journal.clone())?);
        let tasks = Arc::new(position::Shared::open(access, cluster, topics.positions(), control.clone())?);
        let letters = letters::Shared::open(access, topics.dead_letters(), tasks.clone(), control.clone())?;
        let states = Arc::new(status::Shared::open(access, topics.status())?);
        Ok(Self {
            control,
            journal,
            positions: tasks.clone(),
            status: states.clone(),
            dead_letters: Arc::new(letters),
            streams: Arc::new(Streams::new(access, cluster, tasks.clone())?),
            tasks,
            states,
        })
    }

    /// All services of a worker: those on Kafka, and the workers as its seat knows them. Without the cluster's key secrets can be named
    /// and not opened.
    pub fn services(&self, key: Option<SealingKey>, cluster: Arc<dyn ClusterService>) -> Services {
        Services {
            config: self.config(),
            positions: self.positions.clone(),
            status: self.status.clone(),
            dead_letters: self.dead_letters.clone(),
            secrets: Arc::new(secret::Shared::new(self.control.clone(), key)),
            cluster,
            streams: Some(self.streams.clone()),
        }
    }

    /// Takes the transactional ids of tasks, all at once: whoever runs one of them writes nothing any more.
    ///
    /// # Errors
    /// `Unavailable` and `Uncertain` when not all could be taken.
    pub async fn fence_tasks(&self, tasks: &[TaskName]) -> Result<()> {
        let fence = |name: TaskName| async move { self.tasks.fence(&name.channel, [name.task]).await };
        let all = futures::stream::iter(tasks.iter().cloned().map(Ok));
        all.try_for_each_concurrent(position::AT_ONCE, fence).await
    }

    /// Which positions topic there is, as far as was read; none where not all of it says the same.
    pub fn stamp(&self) -> Option<Stamp> {
        self.tasks.stamp()
    }

    /// Waits until all positions that are committed at this moment have been read.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not answer.
    pub async fn settle_positions(&self) -> Result<()> {
        self.tasks.settle().await
    }

    /// Says in the positions topic which one it is.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not take it.
    pub async fn put_stamp(&self, stamp: &Stamp) -> Result<()> {
        self.tasks.put_stamp(stamp).await
    }

    /// What workers say of a channel's tasks, as far as was read.
    pub fn reports(&self, uid: &str) -> BTreeMap<String, Report> {
        self.states.reports(uid)
    }

    /// Says what is observed of tasks that run here; nothing strikes a task off.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not take it.
    pub async fn tell(&self, reports: &[(TaskName, Option<Report>)]) -> Result<()> {
        self.states.tell(reports).await
    }

    /// Waits until what is settled, and what was observed, at this moment has been read.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not answer.
    pub async fn settle(&self) -> Result<()> {
        self.control.settle().await?;
        self.states.settle().await
    }

    /// What users asked for.
    pub fn config(&self) -> Arc<dyn ConfigService> {
        self.control.clone()
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => Self::Unavailable(error.into()),
            Failure::Fenced => Self::Fenced,
            Failure::Unknown(error) => Self::Uncertain(error.into()),
        }
    }
}
