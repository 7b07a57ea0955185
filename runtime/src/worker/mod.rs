//! Runs the tasks of deployed channels: starts and stops them, restarts those that fail, watches them all.
//!
//! | File | Holds |
//! |---|---|
//! | [`Job`] (here) | a version of a channel to be run |
//! | `channel` | one channel that runs: its tasks, what they have counted |
//! | `task` | one supervised task |
//! | `placed`, `grant` | tasks that a cluster places here one by one |
//! | `ends` | what joins a task to others by streams |
//! | `resolve` | references and connections, filled in just before a component opens |
//! | `store` | what the engine needs remembered, over the services |
//! | `watch` | twice a second: what is observed, told and written down |
//! | `rates` | records a second over the last seconds |
//!
//! Which channels should run, and what becomes of positions when they change, is the controller's business.

mod channel;
mod ends;
mod grant;
mod lag;
mod placed;
mod rates;
pub(crate) mod resolve;
mod store;
mod task;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_engine::task::tap::Tap;
use fairway_shared::api::status::ChannelStatus;
use fairway_shared::channel::Channel;
use fairway_shared::connection::Connection;
use fairway_shared::plan::Plan;
use tokio::sync::Notify;

use self::channel::Running;
pub(crate) use self::channel::{edges, nodes, together};
pub(crate) use self::grant::Grant;
pub(crate) use self::placed::Placed;
pub(crate) use self::rates::Rates;
use crate::events::Events;
use crate::registry::Registry;
use crate::services::{Limits, Result, Services};

/// How long a task may drain before it is ended.
pub(crate) const GRACE: Duration = Duration::from_secs(25);

/// Time between two looks at how many dead letters there are.
const EVICTION: Duration = Duration::from_secs(60);

/// A version of a channel to be run.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) uid: Arc<str>,
    pub(crate) version: u32,
    pub(crate) channel: Channel,
    pub(crate) plan: Plan,
}

/// How tasks are run.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// Where files may be.
    pub(crate) files: Files,
    /// The server's port, for sources that others call.
    pub(crate) hooks: Hooks,
    /// Whether sources that poll end when they have caught up.
    pub(crate) until_caught_up: bool,
    /// How long an outage may last before the task fails.
    pub(crate) give_up: Option<Duration>,
    /// Connections that go before the stored ones.
    pub(crate) connections: Vec<Connection>,
    /// Where tasks run, if not where everything else does.
    pub(crate) room: Option<tokio::runtime::Handle>,
}

/// Runs channels.
#[derive(Clone)]
pub(crate) struct Worker {
    inner: Arc<Inner>,
}

struct Inner {
    services: Services,
    registry: Arc<Registry>,
    events: Events,
    manner: Manner,
    channels: Mutex<HashMap<String, Arc<Running>>>,
    /// Something changed that is worth a look before the next tick.
    changed: Arc<Notify>,
}

impl Worker {
    /// A worker without channels; it watches until it is dropped.
    pub(crate) fn new(services: Services, registry: Arc<Registry>, events: Events, manner: Manner) -> Self {
        let worker = Self::placing(services, registry, events, manner);
        let inner = &worker.inner;
        tokio::spawn(watch::run(Arc::downgrade(inner), inner.changed.clone()));
        worker
    }

    /// A worker of a cluster: single tasks are placed here, and what is observed of channels is told elsewhere.
    pub(crate) fn placing(
        services: Services,
        registry: Arc<Registry>,
        events: Events,
        manner: Manner,
    ) -> Self {
        let inner = Arc::new(Inner {
            services,
            registry,
            events,
            manner,
            channels: Mutex::default(),
            changed: Arc::default(),
        });
        tokio::spawn(evict(Arc::downgrade(&inner)));
        Self { inner }
    }

    /// Stops the tasks of a channel that a job does not hold, or holds in another form; those it holds as they are go on.
    pub(crate) async fn make_room(&self, uid: &str, job: Option<&Job>) {
        if let Some(running) = self.inner.running(uid) {
            running.stop_others(job.map(|job| &job.plan)).await;
        }
    }

    /// Starts what a job holds and does not run.
    pub(crate) async fn start(&self, job: Job, paused: bool) -> Result<()> {
        let job = Arc::new(job);
        self.load(&job.uid).await?.start(&self.inner, &job, paused);
        self.look(&job.uid).await;
        Ok(())
    }

    /// Tells a channel that reads of dead letters to be tried again; answers whether it does.
    pub(crate) fn replay(&self, uid: &str) -> bool {
        let reading = self.inner.running(uid).filter(|running| running.reads());
        reading.is_some_and(|running| {
            running.counted.letters_changed();
            running.replay();
            true
        })
    }

    /// Has a channel that does not run try its dead letters again.
    pub(crate) async fn start_replays(&self, job: Job, completed: bool) -> Result<()> {
        let job = Arc::new(job);
        let running = self.load(&job.uid).await?;
        running.stop_others(None).await;
        running.start_replays(&self.inner, &job, completed);
        self.look(&job.uid).await;
        Ok(())
    }

    async fn load(&self, uid: &Arc<str>) -> Result<Arc<Running>> {
        if let Some(running) = self.inner.running(uid) {
            return Ok(running);
        }
        let running = Arc::new(Running::load(&self.inner.services, uid).await?);
        self.inner.lock().insert(uid.to_string(), running.clone());
        Ok(running)
    }

    /// Pauses or resumes a channel that runs; answers whether it does.
    pub(crate) async fn pause(&self, uid: &str, paused: bool) -> bool {
        let Some(running) = self.inner.running(uid).filter(|running| running.reads()) else {
            return false;
        };
        running.pause(paused);
        self.look(uid).await;
        true
    }

    /// Stops all tasks of a channel, draining them within the grace time; answers the records left undelivered.
    pub(crate) async fn stop(&self, uid: &str) -> u64 {
        let Some(running) = self.inner.running(uid) else {
            return 0;
        };
        let undelivered = running.stop_others(None).await;
        running.clear();
        self.look(uid).await;
        undelivered
    }

    /// Drains and ends one task of a channel; answers whether it ran.
    pub(crate) async fn stop_task(&self, uid: &str, task: &str) -> bool {
        match self.inner.running(uid) {
            Some(running) => running.stop_one(task).await,
            None => false,
        }
    }

    /// Whether a channel waits, for something out of reach or for a restart.
    pub(crate) fn waits(&self, uid: &str) -> bool {
        self.inner.running(uid).is_some_and(|running| running.waits())
    }

    /// Has what waits of a channel let go, to be started anew; answers whether anything did.
    pub(crate) async fn let_go_of_waiting(&self, uid: &str) -> bool {
        match self.inner.running(uid) {
            Some(running) => running.let_go_of_waiting().await,
            None => false,
        }
    }

    /// Stops a channel and forgets that it ran.
    pub(crate) async fn forget(&self, uid: &str) {
        self.stop(uid).await;
        self.inner.lock().remove(uid);
    }

    /// Stops everything at once, with the process; answers the records left undelivered, by uid. What is over already
    /// keeps its state.
    pub(crate) async fn shut_down(&self) -> Vec<(String, u64)> {
        let alive: Vec<_> =
            self.inner.lock().values().filter(|running| running.is_alive()).cloned().collect();
        let stopping = alive.into_iter().map(|running| async move {
            let undelivered = running.stop_others(None).await;
            watch::look(&self.inner, &running).await;
            (running.uid.to_string(), undelivered)
        });
        futures::future::join_all(stopping)
            .await
            .into_iter()
            .filter(|(_, undelivered)| *undelivered > 0)
            .collect()
    }

    /// Whether any task of a channel runs or waits for its restart.
    pub(crate) fn is_alive(&self, uid: &str) -> bool {
        self.inner.running(uid).is_some_and(|running| running.is_alive())
    }

    /// What is observed of a channel that runs or ran in this process, short of what only the controller knows.
    pub(crate) fn status(&self, uid: &str) -> Option<ChannelStatus> {
        Some(self.inner.running(uid)?.status(self.inner.services.cluster.me()))
    }

    /// Waits until no task of a channel runs any more.
    pub(crate) async fn ended(&self, uid: &str) {
        if let Some(running) = self.inner.running(uid) {
            running.ended().await;
            self.look(uid).await;
        }
    }

    /// Dead letters of a channel were removed.
    pub(crate) async fn letters_changed(&self, uid: &str) {
        if let Some(running) = self.inner.running(uid) {
            running.counted.letters_changed();
            self.look(uid).await;
        }
    }

    /// Hangs a tap into every task of a channel here; answers whether any runs.
    pub(crate) fn hang(&self, uid: &str, tap: &Arc<Tap>) -> bool {
        self.inner.running(uid).is_some_and(|running| running.hang(tap))
    }

    /// Takes a tap out of every task of a channel here.
    pub(crate) fn take_down(&self, uid: &str, tap: &Arc<Tap>) {
        if let Some(running) = self.inner.running(uid) {
            running.take_down(tap);
        }
    }

    /// Observes one channel now.
    pub(crate) async fn look(&self, uid: &str) {
        if let Some(running) = self.inner.running(uid) {
            watch::look(&self.inner, &running).await;
        }
    }
}

/// Keeps the dead letters within their limits until the worker is gone.
async fn evict(inner: Weak<Inner>) {
    let mut ticks = tokio::time::interval(EVICTION);
    loop {
        ticks.tick().await;
        let Some(inner) = inner.upgrade() else {
            return;
        };
        match inner.services.dead_letters.evict(Limits::default()).await {
            Ok(0) => {}
            Ok(evicted) => tracing::warn!(evicted, "the oldest dead letters made room"),
            Err(error) => tracing::warn!(%error, "dead letters could not be evicted"),
        }
    }
}

impl Inner {
    fn running(&self, uid: &str) -> Option<Arc<Running>> {
        self.lock().get(uid).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Running>>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
