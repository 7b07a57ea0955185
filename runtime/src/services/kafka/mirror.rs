//! A compacted topic in memory: read from its beginning to its end, and on and on.

use std::future::Future;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use fairway_kafka::house::HouseTopic;
use fairway_kafka::tail::{Place, Start, Taken};
use fairway_kafka::{Access, Cluster, Tail};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use super::{QUESTION, READ_BACK};
use crate::services::error::{Error, Result};

/// Time after which a tail that broke is made anew.
const AGAIN: Duration = Duration::from_secs(1);

/// Time between two looks whether a topic is there.
const WATCH: Duration = Duration::from_secs(5);

/// Time after which a reader that has not moved towards an end that is waited for is made anew: after an outage of the brokers it
/// happens that a client gets nothing more of a partition.
const STANDS_STILL: Duration = Duration::from_secs(4);

/// What a topic comes to when it is read from its beginning.
pub(super) trait Fold: Default + Send + Sync + 'static {
    /// Takes in a message of a partition.
    fn take(&mut self, partition: usize, message: Taken);
}

/// A topic in memory.
pub(super) struct Mirror<F> {
    inner: Arc<Inner<F>>,
    reading: JoinHandle<()>,
}

/// What becomes of a topic that is found to be gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfGone {
    /// It is made again: what it held is told again by those who know, or missed by those who keep watch over it.
    MakeAgain,
    /// It is waited for: nobody can make up for what it held.
    Wait,
}

struct Inner<F> {
    house: HouseTopic,
    if_gone: IfGone,
    topic: Arc<str>,
    state: RwLock<F>,
    /// Of each partition: everything before this offset is in the state.
    nexts: watch::Sender<Vec<i64>>,
    /// Told when reading stands still.
    stalled: Notify,
    /// Sees unfinished transactions too.
    brokers: Cluster,
}

impl<F> Drop for Mirror<F> {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl<F: Fold> Mirror<F> {
    /// Begins to read a topic. To be called inside the async runtime.
    pub(super) fn open(access: &Access, house: HouseTopic, if_gone: IfGone) -> Result<Self> {
        let count = usize::try_from(house.partitions).unwrap_or_default();
        let inner = Arc::new(Inner {
            topic: house.name.as_str().into(),
            house,
            if_gone,
            state: RwLock::default(),
            nexts: watch::Sender::new(vec![-1; count]),
            stalled: Notify::new(),
            brokers: Cluster::new(access, false, QUESTION)?,
        });
        let reading = tokio::spawn(keep(inner.clone(), access.clone()));
        Ok(Self { inner, reading })
    }

    /// Looks at what has been read.
    pub(super) fn look<T>(&self, at: impl FnOnce(&F) -> T) -> T {
        at(&self.inner.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Everything before this offset of a partition has been read; less than 0 before anything was.
    pub(super) fn next(&self, partition: usize) -> i64 {
        self.inner.nexts.borrow().get(partition).copied().unwrap_or(-1)
    }

    /// Waits until everything that a partition holds at this moment has been read, unfinished transactions included.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not answer, or a transaction stays unfinished.
    pub(super) async fn settle(&self, partition: usize) -> Result<()> {
        let number = i32::try_from(partition).unwrap_or(i32::MAX);
        let (_, end) = self.inner.brokers.bounds(&self.inner.topic, number).await?;
        self.reach(partition, end).await
    }

    /// Waits until everything before an offset has been read.
    ///
    /// # Errors
    /// `Unavailable` when that takes too long.
    pub(super) async fn reach(&self, partition: usize, next: i64) -> Result<()> {
        let mut nexts = self.inner.nexts.subscribe();
        let reached = nexts.wait_for(|nexts| nexts.get(partition).is_some_and(|read| *read >= next));
        let watched = async {
            tokio::select! {
                reached = reached => reached.map(drop),
                never = self.stir(partition) => never,
            }
        };
        within(watched).await.ok_or_else(|| self.late())?.map_err(|error| Error::Unavailable(error.into()))
    }

    /// Has the reader made anew once if it does not move. Never ends.
    async fn stir<T>(&self, partition: usize) -> T {
        let before = self.next(partition);
        tokio::time::sleep(STANDS_STILL).await;
        if self.next(partition) == before {
            self.inner.stalled.notify_one();
        }
        std::future::pending().await
    }

    fn late(&self) -> Error {
        let message = format!("topic `{}` could not be read to its end in time", self.inner.topic);
        Error::Unavailable(message.into())
    }
}

async fn within<T>(work: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(READ_BACK, work).await.ok()
}

/// Reads for ever. When reading breaks the topic is read anew, and shown again once that has come as far as before.
async fn keep<F: Fold>(inner: Arc<Inner<F>>, access: Access) {
    let place = |partition| Place { topic: inner.topic.clone(), partition, start: Start::First };
    let places: Vec<Place> = (0..inner.house.partitions).map(place).collect();
    loop {
        let broke = match Tail::new(&access, true, places.clone()) {
            Ok((_tail, mut passages)) => {
                let mut fresh = Some((F::default(), vec![-1; places.len()]));
                let gone = inner.gone();
                let stalled = inner.stalled.notified();
                tokio::pin!(gone, stalled);
                loop {
                    let passage = tokio::select! {
                        passage = passages.recv() => passage,
                        () = &mut gone => break "it is gone".to_owned(),
                        // While it is read anew there is nothing to be compared with.
                        () = &mut stalled, if fresh.is_none() => break "it stood still".to_owned(),
                    };
                    match passage {
                        Some(Ok(passage)) => {
                            let (partition, next) = (passage.place, passage.next);
                            match &mut fresh {
                                Some((state, nexts)) => {
                                    passage.messages.into_iter().for_each(|one| state.take(partition, one));
                                    nexts[partition] = next;
                                    let behind = |(now, before): (&i64, &i64)| *now < (*before).max(0);
                                    if nexts.iter().zip(&*inner.nexts.borrow()).any(behind) {
                                        continue;
                                    }
                                }
                                None => {
                                    let mut state =
                                        inner.state.write().unwrap_or_else(PoisonError::into_inner);
                                    passage.messages.into_iter().for_each(|one| state.take(partition, one));
                                }
                            }
                            let mut before = inner.nexts.borrow().clone();
                            before[partition] = next;
                            if let Some((state, nexts)) = fresh.take() {
                                *inner.state.write().unwrap_or_else(PoisonError::into_inner) = state;
                                before = nexts;
                            }
                            inner.nexts.send_replace(before);
                        }
                        Some(Err(error)) => break error.to_string(),
                        None => break "its thread ended".to_owned(),
                    }
                }
            }
            Err(error) => error.to_string(),
        };
        tracing::warn!(topic = %inner.topic, error = broke, "reading broke, it begins anew");
        tokio::time::sleep(AGAIN).await;
        loop {
            match inner.is_another().await {
                Ok(false) => break,
                Ok(true) => {
                    tracing::error!(topic = %inner.topic, "messages are gone: what is there now counts");
                    *inner.state.write().unwrap_or_else(PoisonError::into_inner) = F::default();
                    inner.nexts.send_replace(vec![-1; places.len()]);
                    break;
                }
                Err(error) => {
                    tracing::debug!(topic = %inner.topic, %error, "brokers do not say what became of it");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }
}

impl<F> Inner<F> {
    /// Waits until the topic is not there any more: a client that waits for messages hears of that only after minutes.
    async fn gone(&self) {
        loop {
            tokio::time::sleep(WATCH).await;
            if matches!(self.brokers.topic(&self.topic).await, Ok(None)) {
                return;
            }
        }
    }

    /// Whether the topic ends before what was read of it: it was made anew, or its end was lost.
    async fn is_another(&self) -> Result<bool> {
        if self.if_gone == IfGone::MakeAgain {
            self.brokers.ensure(&self.house).await?;
        }
        let nexts = self.nexts.borrow().clone();
        for (partition, next) in (0..).zip(nexts) {
            if next > 0 && self.brokers.bounds(&self.topic, partition).await?.1 < next {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
