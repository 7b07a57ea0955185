//! One channel that runs or ran: its tasks, and what is shown of them together.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use fairway_engine::store::Totals;
use fairway_engine::task::tap::Tap;
use fairway_shared::api::status::{
    Cause, ChannelState, ChannelStatus, EdgeStatus, Lag, NodeStatus, TaskStatus,
};
use fairway_shared::channel::Edge;
use fairway_shared::plan::Plan;

use super::grant::Grant;
use super::lag::Lag as Behind;
use super::placed::Observed;
use super::rates::Rates;
use super::task::{Purpose, Task};
use super::watch::Told;
use super::{Inner, Job};
use crate::services::{Result, Services};

/// A channel that runs or ran in this process.
pub(super) struct Running {
    pub(super) uid: Arc<str>,
    pub(super) counted: Arc<Counted>,
    tasks: Mutex<Tasks>,
    rates: Mutex<Rates>,
    behind: Mutex<Behind>,
    /// What was last told and written down; held while a look is taken.
    pub(super) told: tokio::sync::Mutex<Told>,
}

#[derive(Default)]
struct Tasks {
    version: Option<u32>,
    edges: Vec<Edge>,
    tasks: Vec<Arc<Task>>,
}

/// What a channel has counted since its uid was made, in step with what is committed.
#[derive(Default)]
pub(super) struct Counted {
    totals: Mutex<Totals>,
    letters: AtomicU64,
    letters_changed: AtomicBool,
}

impl Counted {
    /// Takes over what a commit has brought the counts to. They only rise, so of two that overtook each other the higher
    /// figures stand.
    pub(super) fn raise(&self, sum: &Totals) {
        let mut totals = lock(&self.totals);
        let raise = |count: &mut u64, to: u64| *count = (*count).max(to);
        let (mine, theirs) = (&mut totals.counts, &sum.counts);
        raise(&mut mine.read, theirs.read);
        raise(&mut mine.delivered, theirs.delivered);
        raise(&mut mine.filtered, theirs.filtered);
        raise(&mut mine.dead_lettered, theirs.dead_lettered);
        raise(&mut mine.retried, theirs.retried);
        raise(&mut mine.replayed, theirs.replayed);
        for (id, passed) in &sum.nodes {
            let node = totals.nodes.entry(id.clone()).or_default();
            raise(&mut node.entered, passed.entered);
            raise(&mut node.out, passed.out);
            raise(&mut node.filtered, passed.filtered);
            raise(&mut node.errors, passed.errors);
            raise(&mut node.made, passed.made);
        }
        for (edge, records) in &sum.edges {
            raise(totals.edges.entry(edge.clone()).or_default(), *records);
        }
    }

    /// Dead letters came or went.
    pub(super) fn letters_changed(&self) {
        self.letters_changed.store(true, Ordering::Relaxed);
    }

    /// Reads again how many dead letters there are, if that may have changed.
    pub(super) async fn refresh(&self, services: &Services, uid: &str) -> Result<()> {
        if self.letters_changed.swap(false, Ordering::Relaxed) {
            self.letters.store(services.dead_letters.usage(uid).await?.letters, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Running {
    /// A channel without tasks, with what it counted before.
    pub(super) async fn load(services: &Services, uid: &Arc<str>) -> Result<Self> {
        let counted = Counted {
            totals: Mutex::new(services.positions.totals(uid).await?),
            letters: AtomicU64::new(services.dead_letters.usage(uid).await?.letters),
            letters_changed: AtomicBool::new(false),
        };
        Ok(Self {
            uid: uid.clone(),
            counted: Arc::new(counted),
            tasks: Mutex::default(),
            rates: Mutex::default(),
            behind: Mutex::default(),
            told: tokio::sync::Mutex::new(Told::load(services, uid).await?),
        })
    }

    /// The same for tasks that a cluster places here, without asking the brokers anything: before a task has taken over its
    /// transactional id, what a dead worker left unfinished under it keeps topics from being read to their ends for as long as ten seconds.
    pub(super) async fn placed(services: &Services, uid: &Arc<str>) -> Result<Self> {
        let totals = Mutex::new(services.positions.totals_seen(uid).await?);
        Ok(Self {
            uid: uid.clone(),
            counted: Arc::new(Counted { totals, ..Counted::default() }),
            tasks: Mutex::default(),
            rates: Mutex::default(),
            behind: Mutex::default(),
            told: tokio::sync::Mutex::default(),
        })
    }

    /// Starts the tasks of a job that do not run yet; those that do are paused or go on with the others.
    pub(super) fn start(&self, inner: &Arc<Inner>, job: &Arc<Job>, paused: bool) {
        let mut tasks = lock(&self.tasks);
        let before = std::mem::take(&mut tasks.tasks);
        let alive = |planned: &fairway_shared::plan::Task| {
            before
                .iter()
                .find(|task| task.id == planned.id && task.hash == planned.hash && task.reads())
                .cloned()
        };
        tasks.tasks = job
            .plan
            .tasks
            .iter()
            .map(|planned| match alive(planned) {
                Some(task) => {
                    task.pause(paused);
                    task
                }
                None => {
                    Arc::new(Task::start(inner, job, planned, &self.counted, Purpose::Read { paused }, None))
                }
            })
            .collect();
        tasks.version = Some(job.version);
        tasks.edges.clone_from(&job.channel.spec.edges);
    }

    /// Starts the tasks of a job that does not run, to try its dead letters again and end.
    pub(super) fn start_replays(&self, inner: &Arc<Inner>, job: &Arc<Job>, completed: bool) {
        let mut tasks = lock(&self.tasks);
        let planned = job.plan.tasks.iter();
        let purpose = Purpose::Replay { completed };
        tasks.tasks = planned
            .map(|task| Arc::new(Task::start(inner, job, task, &self.counted, purpose, None)))
            .collect();
        tasks.version = Some(job.version);
        tasks.edges.clone_from(&job.channel.spec.edges);
    }

    /// Starts one task of a job under a grant; an earlier start of it that is over is shown no more.
    pub(super) fn place(
        &self,
        inner: &Arc<Inner>,
        job: &Arc<Job>,
        planned: &fairway_shared::plan::Task,
        paused: bool,
        grant: Arc<Grant>,
    ) -> Arc<Task> {
        let mut tasks = lock(&self.tasks);
        tasks.tasks.retain(|task| task.id != planned.id || !task.is_over());
        let purpose = Purpose::Read { paused };
        let task = Arc::new(Task::start(inner, job, planned, &self.counted, purpose, Some(grant)));
        tasks.tasks.push(task.clone());
        tasks.version = Some(job.version);
        tasks.edges.clone_from(&job.channel.spec.edges);
        task
    }

    /// Forgets one task.
    pub(super) fn forget(&self, gone: &Arc<Task>) {
        lock(&self.tasks).tasks.retain(|task| !Arc::ptr_eq(task, gone));
    }

    /// What is observed of the tasks that were placed here.
    pub(super) fn observed(&self, worker: &str) -> Vec<Observed> {
        let tasks = lock(&self.tasks);
        let version = tasks.version.unwrap_or_default();
        let observe = |task: &Arc<Task>| {
            let grant = task.grant.as_ref()?;
            let (status, snapshot) = task.observe(worker);
            let (name, generation) = (grant.name.clone(), grant.generation);
            Some(Observed { name, generation, version, status, fills: snapshot.fills })
        };
        tasks.tasks.iter().filter_map(observe).collect()
    }

    /// Hangs a tap into the tasks that are not over; answers whether there are any.
    pub(super) fn hang(&self, tap: &Arc<Tap>) -> bool {
        let tasks = lock(&self.tasks);
        let alive = tasks.tasks.iter().filter(|task| !task.is_over());
        alive.map(|task| task.taps().hang(tap)).count() > 0
    }

    /// Takes a tap out of all tasks.
    pub(super) fn take_down(&self, tap: &Arc<Tap>) {
        lock(&self.tasks).tasks.iter().for_each(|task| task.taps().take(tap));
    }

    /// Tells all tasks that there are dead letters to be tried again.
    pub(super) fn replay(&self) {
        lock(&self.tasks).tasks.iter().for_each(|task| task.replay());
    }

    /// Whether any task reads, or would if it were not paused.
    pub(super) fn reads(&self) -> bool {
        lock(&self.tasks).tasks.iter().any(|task| task.reads())
    }

    /// Pauses all tasks, or lets them go on.
    pub(super) fn pause(&self, paused: bool) {
        lock(&self.tasks).tasks.iter().for_each(|task| task.pause(paused));
    }

    /// Stops the tasks that a plan does not hold as they are, or all; answers the records left undelivered.
    pub(super) async fn stop_others(&self, plan: Option<&Plan>) -> u64 {
        let kept = |task: &Task| {
            let same =
                |planned: &fairway_shared::plan::Task| planned.id == task.id && planned.hash == task.hash;
            !task.only_replays && plan.is_some_and(|plan| plan.tasks.iter().any(same))
        };
        let others: Vec<_> = lock(&self.tasks).tasks.iter().filter(|task| !kept(task)).cloned().collect();
        futures::future::join_all(others.iter().map(|task| task.stop())).await.into_iter().sum()
    }

    /// Stops one task that reads; answers whether there was one.
    pub(super) async fn stop_one(&self, id: &str) -> bool {
        let found = lock(&self.tasks).tasks.iter().find(|task| task.id == id && task.reads()).cloned();
        let Some(task) = found else { return false };
        // What is left undelivered is read again by its next start.
        task.stop().await;
        true
    }

    /// Has the tasks that wait let go; answers whether there were any.
    pub(super) async fn let_go_of_waiting(&self) -> bool {
        let waiting: Vec<_> = lock(&self.tasks).tasks.iter().filter(|task| task.waits()).cloned().collect();
        futures::future::join_all(waiting.iter().map(|task| task.let_go())).await;
        !waiting.is_empty()
    }

    /// Whether any task waits.
    pub(super) fn waits(&self) -> bool {
        lock(&self.tasks).tasks.iter().any(|task| task.waits())
    }

    /// Forgets tasks that are over.
    pub(super) fn clear(&self) {
        lock(&self.tasks).tasks.retain(|task| !task.is_over());
    }

    /// Asks the tasks beside a failed one to stop: a channel does not run in part (I8).
    pub(super) fn stop_beside_failed(&self) {
        let tasks = lock(&self.tasks);
        let failed =
            |task: &Arc<Task>| matches!(task.observe("").0.state, ChannelState::Failed | ChannelState::Hold);
        if tasks.tasks.iter().any(failed) {
            tasks.tasks.iter().for_each(|task| task.ask_to_stop());
        }
    }

    /// Whether any task is not over.
    pub(super) fn is_alive(&self) -> bool {
        lock(&self.tasks).tasks.iter().any(|task| !task.is_over())
    }

    /// Waits until all tasks are over.
    pub(super) async fn ended(&self) {
        let tasks = lock(&self.tasks).tasks.clone();
        futures::future::join_all(tasks.iter().map(|task| task.ended())).await;
    }

    /// Takes a sample for the rates and for how far the targets are behind.
    pub(super) fn sample(&self) {
        // `status` takes the rates while it holds the tasks: whoever needs both takes the tasks first, or lets go of them.
        if self.is_alive() {
            // What is committed before what is on its way: between the two it may only look longer.
            let totals = lock(&self.counted.totals).clone();
            let (now, settled) = (Instant::now(), totals.counts.read);
            let taken = settled + self.in_flight();
            lock(&self.behind).note(now, taken, settled);
            lock(&self.rates).note(now, totals);
        } else {
            lock(&self.behind).rest();
            lock(&self.rates).rest();
        }
    }

    /// Records that were read and are not settled yet.
    fn in_flight(&self) -> u64 {
        lock(&self.tasks).tasks.iter().map(|task| task.observe("").1.in_flight).sum()
    }

    /// What is observed, short of what only the controller knows.
    pub(super) fn status(&self, worker: &str) -> ChannelStatus {
        let tasks = lock(&self.tasks);
        let (seen, snapshots): (Vec<_>, Vec<_>) = tasks.tasks.iter().map(|task| task.observe(worker)).unzip();
        // What is over moves nothing, whatever the last seconds were like.
        let alive = tasks.tasks.iter().any(|task| !task.is_over());
        let in_flight: u64 = snapshots.iter().map(|snapshot| snapshot.in_flight).sum();
        let fills: BTreeMap<String, f64> =
            snapshots.into_iter().flat_map(|snapshot| snapshot.fills).collect();
        let totals = lock(&self.counted.totals).clone();
        let rates = lock(&self.rates);
        let (state, cause) = together(&seen);
        let mut status = ChannelStatus {
            uid: self.uid.to_string(),
            state,
            version: tasks.version,
            cause,
            counts: totals.standing(),
            dead_letters: self.counted.letters.load(Ordering::Relaxed),
            nodes: nodes(&totals),
            edges: edges(&tasks.edges, &totals),
            lag: alive.then(|| Lag {
                records: in_flight,
                // Tenths are all that a person can use.
                seconds: (lock(&self.behind).age(Instant::now()).as_secs_f64() * 10.0).round() / 10.0,
            }),
            tasks: seen,
            ..ChannelStatus::default()
        };
        if !alive {
            return status;
        }
        rates.show(&mut status, |edge| fills.get(edge).copied());
        status
    }
}

/// Counts by node.
pub(crate) fn nodes(totals: &Totals) -> BTreeMap<String, NodeStatus> {
    let node = |passed: &fairway_engine::store::Passed| NodeStatus {
        entered: passed.entered,
        out: passed.out,
        filtered: passed.filtered,
        errors: passed.errors,
        made: passed.made,
        ..NodeStatus::default()
    };
    totals.nodes.iter().map(|(id, passed)| (id.clone(), node(passed))).collect()
}

/// Counts by edge, in document order.
pub(crate) fn edges(edges: &[Edge], totals: &Totals) -> Vec<EdgeStatus> {
    let edge = |edge: &Edge| {
        let (from, to) = (edge.from.to_string(), edge.to.to_string());
        let records = totals.edges.get(&format!("{from}>{to}")).copied().unwrap_or_default();
        EdgeStatus { from, to, records, rate: 0.0, fill: 0.0 }
    };
    edges.iter().map(edge).collect()
}

/// The state of a channel from those of its tasks: the worst that calls for attention, else what they have in common.
pub(crate) fn together(tasks: &[TaskStatus]) -> (ChannelState, Option<Cause>) {
    use ChannelState::{Completed, Degraded, Failed, Hold, Paused, Restarting, Running, Starting, Stopped};
    for state in [Failed, Hold, Restarting, Degraded, Starting, Running, Paused, Stopped, Completed] {
        if let Some(task) = tasks.iter().find(|task| task.state == state) {
            return (state, task.cause.clone());
        }
    }
    (Stopped, None)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ChannelState::{Completed, Degraded, Failed, Paused, Running, Stopped};

    #[test]
    fn the_worst_task_speaks_for_the_channel() {
        let task = |state| TaskStatus { id: "t".into(), worker: "w".into(), state, restarts: 0, cause: None };
        for (states, expected) in [
            (&[][..], Stopped),
            (&[Completed, Running], Running),
            (&[Completed, Completed], Completed),
            (&[Completed, Stopped], Stopped),
            (&[Paused, Completed], Paused),
            (&[Running, Degraded], Degraded),
            (&[Stopped, Failed], Failed),
        ] {
            let tasks: Vec<_> = states.iter().copied().map(task).collect();
            assert_eq!(together(&tasks).0, expected, "{states:?}");
        }
    }
}
