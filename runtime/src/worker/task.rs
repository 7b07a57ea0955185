//! One supervised task: how it is started, what it goes through, how it is ended.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fairway_connector_kafka::together;
use fairway_engine::error::{Error, Kind};
use fairway_engine::task::tap::Taps;
use fairway_engine::task::{
    Budget, Control, Ended, Final, Limits, NodeSpec, Progress, Snapshot, TaskSpec, TaskState, Transition,
    run, supervise,
};
use fairway_shared::api::status::{Cause, ChannelState, TaskStatus};
use fairway_shared::channel::{Guarantee, PortRef};
use fairway_shared::plan;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::channel::Counted;
use super::ends::Ends;
use super::grant::Grant;
use super::store::TaskStore;
use super::{GRACE, Inner, Job, resolve};
use crate::redact;

/// Time that a task which was told to let go has for it.
const LET_GO: Duration = Duration::from_secs(5);

/// Where a task is in its life.
#[derive(Debug, Clone)]
enum Phase {
    /// It runs; its progress says how.
    Runs,
    /// It failed and waits for its restart.
    Waits(Cause),
    /// Every source ended and everything is delivered.
    Completed,
    /// It was stopped, with so many records read and not delivered.
    Stopped(u64),
    /// It failed for good.
    Failed(Kind, Cause),
}

/// What a task is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To read.
    Read {
        /// Not yet.
        paused: bool,
    },
    /// To try dead letters again, of a channel that does not run.
    Replay {
        /// Whether it had completed; else it was stopped.
        completed: bool,
    },
}

impl Purpose {
    /// The state of a channel that only tries dead letters again.
    fn rest(self) -> ChannelState {
        if self == (Self::Replay { completed: true }) {
            ChannelState::Completed
        } else {
            ChannelState::Stopped
        }
    }
}

/// A task that runs or ran.
pub(super) struct Task {
    pub(super) id: String,
    pub(super) hash: String,
    /// Whether it reads nothing and only tries dead letters again.
    pub(super) only_replays: bool,
    /// Under which it runs, on a cluster.
    pub(super) grant: Option<Arc<Grant>>,
    /// What is shown while it does.
    rest: ChannelState,
    control: Control,
    seen: Arc<Mutex<Seen>>,
    over: watch::Receiver<bool>,
}

struct Seen {
    phase: Phase,
    restarts: u32,
    progress: Arc<Progress>,
}

impl Task {
    /// Where looks at its edges hang.
    pub(super) fn taps(&self) -> &Taps {
        self.control.taps()
    }

    /// Starts a task of a job; it is restarted when it fails, within a fresh budget.
    pub(super) fn start(
        inner: &Arc<Inner>,
        job: &Arc<Job>,
        task: &plan::Task,
        counted: &Arc<Counted>,
        purpose: Purpose,
        grant: Option<Arc<Grant>>,
    ) -> Self {
        let control = Control::default();
        if purpose == (Purpose::Read { paused: true }) {
            control.pause();
        }
        let only_replays = matches!(purpose, Purpose::Replay { .. });
        let seen = Arc::new(Mutex::new(Seen { phase: Phase::Runs, restarts: 0, progress: Arc::default() }));
        let (ending, over) = watch::channel(false);
        let started = Self {
            id: task.id.clone(),
            hash: task.hash.clone(),
            only_replays,
            grant: grant.clone(),
            rest: purpose.rest(),
            control: control.clone(),
            seen: seen.clone(),
            over,
        };
        let attempt = Attempt {
            inner: inner.clone(),
            job: job.clone(),
            id: task.id.clone(),
            nodes: task.nodes.clone(),
            share: task.share,
            counted: counted.clone(),
            only_replays,
            control: control.clone(),
            grant,
        };
        let changed = inner.changed.clone();
        let room = inner.manner.room.clone().unwrap_or_else(Handle::current);
        room.spawn(async move {
            let make = || {
                let progress = Arc::new(Progress::default());
                lock(&seen).progress = progress.clone();
                let attempt = attempt.clone();
                Box::pin(async move { attempt.run(progress).await }) as _
            };
            let on = |transition| {
                attempt.log(&transition);
                note(&seen, transition);
                changed.notify_one();
            };
            let ended = supervise(make, &control, Budget::default(), on).await;
            let phase = match ended {
                Final::Ended(Ended::Completed) if purpose == (Purpose::Replay { completed: false }) => {
                    Phase::Stopped(0)
                }
                Final::Ended(Ended::Completed) => Phase::Completed,
                Final::Ended(Ended::Stopped { undelivered }) => Phase::Stopped(undelivered),
                // A fault while it was being stopped is no failure of the channel.
                Final::Failed(error) if control.stopping() => {
                    attempt.warn("the task stopped with a fault", &error);
                    Phase::Stopped(lock(&seen).progress.snapshot().in_flight)
                }
                Final::Failed(error) => {
                    attempt.warn("the task failed for good", &error);
                    Phase::Failed(error.kind, error.cause())
                }
            };
            lock(&seen).phase = phase;
            ending.send_replace(true);
            changed.notify_one();
        });
        started
    }

    /// Reads nothing new, or goes on.
    pub(super) fn pause(&self, paused: bool) {
        if paused {
            self.control.pause();
        } else {
            self.control.resume();
        }
    }

    /// Begins no write, or writes again.
    pub(super) fn suspend(&self, suspended: bool) {
        if suspended {
            self.control.suspend();
        } else {
            self.control.go_on();
        }
    }

    /// Says that there are dead letters to be tried again.
    pub(super) fn replay(&self) {
        self.control.replay();
    }

    /// Asks it to drain and end.
    pub(super) fn ask_to_stop(&self) {
        self.control.stop();
    }

    /// Drains and ends it, by force after the grace time; answers the records read and not delivered.
    pub(super) async fn stop(&self) -> u64 {
        self.control.stop();
        if tokio::time::timeout(GRACE, self.ended()).await.is_err() {
            tracing::warn!(task = %self.id, "the task did not drain in time, it is ended");
            self.control.abort();
            if tokio::time::timeout(LET_GO, self.ended()).await.is_err() {
                // Its next start fences it: whatever it still does, no position moves (I3, I4).
                tracing::error!(task = %self.id, "the task does not let go, it is abandoned");
                return lock(&self.seen).progress.snapshot().in_flight;
            }
        }
        match lock(&self.seen).phase {
            Phase::Stopped(undelivered) => undelivered,
            _ => 0,
        }
    }

    /// Whether it waits: for something out of reach, or for its restart.
    pub(super) fn waits(&self) -> bool {
        let seen = lock(&self.seen);
        matches!(seen.phase, Phase::Waits(_))
            || (matches!(seen.phase, Phase::Runs)
                && matches!(seen.progress.snapshot().state, TaskState::Degraded(_)))
    }

    /// Has it let go at once: nothing is drained, what is not durable is read again by its next start.
    pub(super) async fn let_go(&self) {
        self.control.abort();
        if tokio::time::timeout(LET_GO, self.ended()).await.is_err() {
            // Its next start fences it (I3, I4).
            tracing::error!(task = %self.id, "the task does not let go, it is abandoned");
        }
    }

    /// Waits until it is over for good.
    pub(super) async fn ended(&self) {
        // An error means that its sender is gone, and with it the task.
        self.over.clone().wait_for(|over| *over).await.map(drop).unwrap_or_default();
    }

    /// Whether it is there to read and not over.
    pub(super) fn reads(&self) -> bool {
        !self.only_replays && !self.is_over()
    }

    /// Whether it is over for good.
    pub(super) fn is_over(&self) -> bool {
        *self.over.borrow()
    }

    /// What is seen of it, and the fills of its queues.
    pub(super) fn observe(&self, worker: &str) -> (TaskStatus, Snapshot) {
        let seen = lock(&self.seen);
        let snapshot = seen.progress.snapshot();
        let (state, cause) = match &seen.phase {
            Phase::Runs => match &snapshot.state {
                // That its letters are tried again does not make it a channel that runs.
                TaskState::Starting | TaskState::Running | TaskState::Paused if self.only_replays => {
                    (self.rest, None)
                }
                TaskState::Starting => (ChannelState::Starting, None),
                TaskState::Running => (ChannelState::Running, None),
                TaskState::Paused => (ChannelState::Paused, None),
                TaskState::Degraded(cause) => (ChannelState::Degraded, Some(cause.clone())),
            },
            Phase::Waits(cause) => (ChannelState::Restarting, Some(cause.clone())),
            Phase::Completed => (ChannelState::Completed, None),
            Phase::Stopped(_) => (ChannelState::Stopped, None),
            Phase::Failed(Kind::Hold, cause) => (ChannelState::Hold, Some(cause.clone())),
            Phase::Failed(_, cause) => (ChannelState::Failed, Some(cause.clone())),
        };
        let status = TaskStatus {
            id: self.id.clone(),
            worker: worker.to_owned(),
            state,
            restarts: seen.restarts,
            cause: cause.map(redact::cause),
        };
        (status, snapshot)
    }
}

/// What is needed to run a task, once or again.
#[derive(Clone)]
struct Attempt {
    inner: Arc<Inner>,
    job: Arc<Job>,
    id: String,
    nodes: Vec<String>,
    share: Option<plan::Share>,
    counted: Arc<Counted>,
    only_replays: bool,
    control: Control,
    grant: Option<Arc<Grant>>,
}

impl Attempt {
    async fn run(self, progress: Arc<Progress>) -> Result<Ended, Error> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for id in &self.nodes {
            nodes.push(self.node(id).await.map_err(|error| error.at_node(id))?);
        }
        let streams = self.inner.services.streams.as_ref();
        let ends = Ends::of(&self.job.plan, &self.id, &self.nodes, streams, |end| self.port(end))?;
        let (shown, _trimming) = (ends.shown(), ends.trim(&self.inner.services, &self.job.uid));
        nodes.extend(ends.nodes);
        let inside = |id: &str| self.nodes.iter().any(|node| node == id);
        let edges = self.job.channel.spec.edges.iter();
        let spec = TaskSpec {
            uid: self.job.uid.clone(),
            id: self.id.clone(),
            share: self.share,
            nodes,
            edges: edges
                .filter(|edge| inside(&edge.from.node) && inside(&edge.to.node))
                .map(|edge| (edge.from.clone(), edge.to.clone()))
                .chain(ends.edges)
                .collect(),
            policy: self.job.channel.spec.settings.errors.policy,
            files: self.inner.manner.files.clone(),
            hooks: self.inner.manner.hooks.clone(),
            max_attempts: self.job.channel.spec.settings.errors.retry.max_attempts,
            only_replays: self.only_replays,
            // A scheduled run is over when there is nothing more to read for now.
            until_caught_up: self.inner.manner.until_caught_up
                || self.job.channel.spec.settings.schedule.is_some(),
            give_up: self.inner.manner.give_up,
            limits: Limits::default(),
        };
        let store = TaskStore {
            services: self.inner.services.clone(),
            uid: self.job.uid.clone(),
            task: self.id.clone(),
            counted: self.counted.clone(),
            shown,
            noted: AtomicUsize::new(0),
            grant: self.grant.clone(),
        };
        let ended = Box::pin(run(spec, Arc::new(store), progress, self.control)).await;
        // On a cluster a late owner may have fenced this one, and finds the newer grant before it writes: this one opens again, and
        // goes if its own grant still stands.
        ended.map_err(|error| match (error.kind, &self.grant) {
            (Kind::Fenced, Some(_)) => Error { kind: Kind::Again, ..error },
            _ => error,
        })
    }

    /// An output as its component names it: `a` and `a.out` are one.
    fn port(&self, end: &PortRef) -> String {
        let node = self.job.channel.node(&end.node);
        let component = node.and_then(|node| self.inner.registry.get(&node.component));
        let ports = node
            .zip(component)
            .map(|(node, component)| component.ports(&serde_json::Value::Object(node.config.clone())));
        let default = ports.as_ref().and_then(|ports| ports.default_output());
        match end.port.as_deref().filter(|port| Some(*port) != default) {
            Some(_) => end.to_string(),
            None => end.node.clone(),
        }
    }

    async fn node(&self, id: &str) -> Result<NodeSpec, Error> {
        // I8: what was planned runs, or the task fails with the reason.
        let unplanned = || Error::config("plan.unknown_node", format!("the version has no node `{id}`"));
        let node = self.job.channel.node(id).ok_or_else(unplanned)?;
        let component = self.inner.registry.get(&node.component).ok_or_else(|| {
            let message = format!("this Fairway has no component `{}`", node.component);
            Error::config("component.unknown", message).help("run the version of Fairway that has it")
        })?;
        let config =
            resolve::config(Some(&self.inner.services), &self.inner.manner.connections, &node.config)
                .await
                .map_err(|mut error| {
                // The store is out of reach: worth a restart, and no outage of the channel's own.
                if error.kind == Kind::Outage {
                    error.kind = Kind::Failed;
                }
                error
            })?;
        let mut component = *component;
        let mut joint = None;
        if together::wants(component.meta.name, &config)
            && let Some(streams) = &self.inner.services.streams
        {
            joint = Some(streams.once(&self.id, config.clone()));
            // It holds positions then, as the plan has promised.
            component.meta.delivery = Guarantee::ExactlyOnce;
        }
        Ok(NodeSpec { id: id.to_owned(), component, config, joint })
    }

    fn log(&self, transition: &Transition) {
        let (channel, task) = (&*self.job.uid, &*self.id);
        match transition {
            Transition::Running(restarts) => tracing::info!(channel, task, restarts, "the task starts"),
            Transition::Restarting { cause, restarts, wait } => tracing::warn!(
                channel, task, restarts, error = %cause.message, error.code = %cause.code, node = cause.node,
                wait_ms = wait.as_millis(), "the task failed, it is restarted"
            ),
        }
    }

    fn warn(&self, what: &'static str, error: &Error) {
        tracing::warn!(channel = %self.job.uid, task = %self.id, %error, error.code = %error.code, "{what}");
    }
}

fn note(seen: &Mutex<Seen>, transition: Transition) {
    let mut seen = lock(seen);
    match transition {
        Transition::Running(restarts) => (seen.phase, seen.restarts) = (Phase::Runs, restarts),
        Transition::Restarting { cause, restarts, .. } => {
            (seen.phase, seen.restarts) = (Phase::Waits(cause), restarts);
        }
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
