//! A worker's part in a cluster: the tasks that are granted to it, what is known of the others, and the leader's duties.
//!
//! | File | Holds |
//! |---|---|
//! | here | joining, leaving, who leads |
//! | `tasks` | runs what is granted: the seat's [`Tasks`](crate::seat::Tasks) over the worker |
//! | `reports` | what this worker tells the others of the tasks that it runs |
//! | `sight` | what is observed of a channel, put together from what all workers tell |
//! | `lookout` | twice a second: changes are told to listeners |
//! | `ledger` | that the positions are those that the cluster knows |
//! | `duties` | what the leader sees to: positions of a changed channel, rests, history |
//! | `places` | workers, tasks and moves, as the API shows them |
//!
//! Nobody starts a channel here. The controller writes what is wanted; every worker works out from it which tasks there should be; the
//! leader grants them, and whoever gets a grant runs the task.

mod duties;
mod ledger;
mod lookout;
mod places;
mod reports;
mod sight;
mod tasks;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use fairway_cluster::allocate::Strategy;
use fairway_cluster::{About, Exit, Life, Protocol, Setup, TaskName, Timing};
use fairway_kafka::Access;
use fairway_shared::api::cluster::Move;

pub(crate) use self::lookout::Lookout;
pub(crate) use self::sight::Sight;
use crate::periodic::Periodic;
use crate::registry::Registry;
use crate::seat::{self, Seat};
use crate::services::kafka::Backend;
use crate::services::{ClusterService, Error, Member, Result, Services};
use crate::worker::Worker;

/// Longest wait until the tasks of a channel are let go: a task drains within its grace time, and one that does not is ended.
const LET_GO: Duration = Duration::from_secs(40);
/// Time between two looks whether they are.
const LOOK: Duration = Duration::from_millis(20);

/// What a worker of a cluster is.
#[derive(Debug, Clone)]
pub struct Part {
    /// Name of the cluster, which its topics begin with.
    pub cluster: String,
    /// Id of the worker.
    pub id: String,
    /// Where its API answers, as others reach it.
    pub address: String,
    /// What its operator said of it.
    pub labels: std::collections::BTreeMap<String, String>,
    /// How much it can carry beside others.
    pub capacity: u32,
    /// How tasks are shared out while it leads.
    pub strategy: Strategy,
}

/// A worker's part in a cluster.
pub(crate) struct Crew {
    part: Part,
    backend: Backend,
    /// Taken once the worker is there that runs what is granted.
    seat: OnceLock<Seat>,
    moves: Mutex<Vec<Move>>,
    /// Ended with the process.
    work: Mutex<Vec<Periodic>>,
}

impl Crew {
    /// A worker that has not taken its seat yet.
    pub(crate) fn new(part: Part, backend: Backend) -> Arc<Self> {
        Arc::new(Self {
            part,
            backend,
            seat: OnceLock::new(),
            moves: Mutex::default(),
            work: Mutex::default(),
        })
    }

    /// Takes the seat: from now on tasks are granted to this worker. To be called once, inside the async runtime.
    ///
    /// # Errors
    /// `Unavailable` for settings that no client takes.
    pub(crate) fn join(
        self: &Arc<Self>,
        access: &Access,
        services: &Services,
        registry: &Arc<Registry>,
        worker: &Worker,
    ) -> Result<()> {
        let incarnation = uuid::Uuid::new_v4().as_u64_pair().0;
        let setup = Setup {
            life: Life::new(&self.part.id, incarnation),
            about: self.about(registry),
            strategy: self.part.strategy,
            timing: Timing::default(),
        };
        let seat = Seat::take(setup, access, &self.part.cluster, &self.backend, |said| {
            tasks::Granted::new(
                worker.clone(),
                services.clone(),
                registry.clone(),
                self.backend.clone(),
                said,
            )
        })?;
        let follow = seat::follow(services.config.clone(), seat.said().clone());
        let load = reports::tell_load(seat.said().clone());
        let reports = reports::keep(self.backend.clone(), worker.clone());
        if self.seat.set(seat).is_err() {
            return Err(Error::Unavailable("the worker has its seat already".into()));
        }
        self.keep([follow, load, reports]);
        Ok(())
    }

    /// Has work go on until the process ends.
    pub(crate) fn keep(&self, work: impl IntoIterator<Item = Periodic>) {
        self.work.lock().unwrap_or_else(PoisonError::into_inner).extend(work);
    }

    fn about(&self, registry: &Registry) -> About {
        About {
            address: self.part.address.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            capacity: self.part.capacity,
            labels: self.part.labels.clone(),
            components: registry.specs().iter().map(|spec| spec.name.clone()).collect::<BTreeSet<_>>(),
        }
    }

    /// Hands over all tasks, waits until they are gone, and goes.
    pub(crate) async fn leave(&self, limit: Duration) {
        let Some(seat) = self.seat.get() else { return };
        seat.said().leave();
        if tokio::time::timeout(limit, seat.exit()).await.is_err() {
            tracing::warn!("the tasks could not be handed over in time");
        }
    }

    /// Waits until the worker must end, and says why.
    pub(crate) async fn ended(&self) -> Exit {
        match self.seat.get() {
            Some(seat) => seat.exit().await.unwrap_or(Exit::Left),
            None => std::future::pending().await,
        }
    }

    /// Looks at what this worker knows of the cluster; `None` before it has its seat.
    fn look<R>(&self, at: impl FnOnce(&Protocol, fairway_cluster::Moment) -> R) -> Option<R> {
        Some(self.seat.get()?.look(at))
    }

    /// What is settled, and its writer.
    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Whether this worker can show that it is alive: the brokers are in its reach.
    pub(crate) fn in_touch(&self) -> bool {
        self.look(|protocol, _| protocol.is_sure()).unwrap_or_default()
    }

    /// Whether this worker leads, as far as it knows. A commit shows whether it still does.
    pub(crate) fn leads(&self) -> bool {
        self.look(|protocol, _| protocol.leads().is_some()).unwrap_or_default()
    }

    /// Address of the worker that leads, and whether it is this one; `None` while one is being chosen.
    pub(crate) fn leader(&self) -> Option<(String, bool)> {
        self.look(|protocol, now| {
            let (_, life) = protocol.leader(now)?;
            let beat = protocol.heard(now).find(|(beat, _)| beat.life == *life)?.0;
            Some((beat.about.address.clone(), beat.life.worker == self.part.id))
        })?
    }

    /// Address of the worker that runs a task, unless it is this one.
    pub(crate) fn address_of(&self, uid: &str, task: &str) -> Option<String> {
        self.look(|protocol, now| {
            let slot = protocol.settled().slot(&TaskName::new(uid, task))?;
            let beat = protocol.heard(now).find(|(beat, _)| beat.life == slot.life)?.0;
            (beat.life.worker != self.part.id).then(|| beat.about.address.clone())
        })?
    }

    /// Address of another worker that is heard.
    pub(crate) fn address_of_worker(&self, worker: &str) -> Option<String> {
        if worker == self.part.id {
            return None;
        }
        self.look(|protocol, now| {
            let beat = protocol.heard(now).find(|(beat, _)| beat.life.worker == worker)?.0;
            Some(beat.about.address.clone())
        })?
    }

    /// Whether any task of a channel is granted to anybody.
    pub(crate) fn is_granted(&self, uid: &str) -> bool {
        let granted = |protocol: &Protocol| protocol.settled().allocations().contains_key(uid);
        self.look(|protocol, _| granted(protocol)).unwrap_or_default()
    }

    /// Waits until no task of a channel is granted to anybody: each is let go, or its worker dead.
    ///
    /// # Errors
    /// `Unavailable` when that takes too long.
    pub(crate) async fn let_go(&self, uid: &str) -> Result<()> {
        let gone = async {
            // What was committed just now must have come to the seat.
            self.seen().await;
            while self.is_granted(uid) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let late = || Error::Unavailable("tasks of the channel were not let go in time".into());
        tokio::time::timeout(LET_GO, gone).await.map_err(|_| late())
    }

    /// Waits until the seat has read what the controller has.
    async fn seen(&self) {
        let reached = self.backend.control.reached();
        while self.look(|protocol, _| protocol.settled().next() < reached).unwrap_or_default() {
            tokio::time::sleep(LOOK).await;
        }
    }
}

#[async_trait]
impl ClusterService for Crew {
    fn me(&self) -> &str {
        &self.part.id
    }

    async fn members(&self) -> Result<Vec<Member>> {
        match self.seat.get() {
            Some(seat) => seat.members().await,
            None => Ok(vec![Member { id: self.part.id.clone(), is_me: true }]),
        }
    }

    async fn owner(&self, uid: &str, task: &str) -> Result<String> {
        match self.seat.get() {
            Some(seat) => seat.owner(uid, task).await,
            None => Err(Error::Unavailable("the worker has not joined yet".into())),
        }
    }
}
