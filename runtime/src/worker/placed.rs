//! Tasks that a cluster places here one by one, each under its grant. What becomes of a channel as a whole is the leader's business.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairway_cluster::TaskName;
use fairway_shared::api::status::TaskStatus;
use fairway_shared::plan;

use super::channel::Running;
use super::grant::Grant;
use super::task::Task;
use super::{Job, Worker};
use crate::services::Result;

/// A task that was placed here.
#[derive(Clone)]
pub(crate) struct Placed {
    task: Arc<Task>,
    running: Arc<Running>,
}

/// What is observed of a task that was placed here.
pub(crate) struct Observed {
    pub(crate) name: TaskName,
    pub(crate) generation: u64,
    pub(crate) version: u32,
    pub(crate) status: TaskStatus,
    /// Fill of the queue behind each edge that ends at a target, 0 to 1.
    pub(crate) fills: BTreeMap<String, f64>,
}

impl Worker {
    /// Starts one task of a job under a grant. It goes once the grant says so.
    pub(crate) async fn place(
        &self,
        job: &Arc<Job>,
        task: &plan::Task,
        paused: bool,
        grant: Arc<Grant>,
    ) -> Result<Placed> {
        let running = match self.inner.running(&job.uid) {
            Some(running) => running,
            None => {
                let running = Arc::new(Running::placed(&self.inner.services, &job.uid).await?);
                // Two tasks of one channel may come at the same time.
                self.inner.lock().entry(job.uid.to_string()).or_insert(running).clone()
            }
        };
        let task = running.place(&self.inner, job, task, paused, grant);
        Ok(Placed { task, running })
    }

    /// Everything that was placed here.
    pub(crate) fn observed(&self) -> Vec<Observed> {
        let channels: Vec<_> = self.inner.lock().values().cloned().collect();
        let me = self.inner.services.cluster.me();
        channels.iter().flat_map(|running| running.observed(me)).collect()
    }

    /// Pauses what is placed here of a channel, or lets it go on.
    pub(crate) fn pause_placed(&self, uid: &str, paused: bool) {
        if let Some(running) = self.inner.running(uid) {
            running.pause(paused);
        }
    }

    /// Tells what is placed here of a channel that there are dead letters to be tried again.
    pub(crate) fn replay_placed(&self, uid: &str) {
        if let Some(running) = self.inner.running(uid) {
            running.replay();
        }
    }
}

impl Placed {
    /// Drains and ends it, by force after the grace time; answers whether it is over.
    pub(crate) async fn drain(&self) -> bool {
        let waits = self.task.grant.as_ref().is_some_and(|grant| grant.waits());
        // What was not let go has nothing to drain.
        if waits {
            self.task.let_go().await;
        } else {
            // What is left undelivered is read again by whoever has it next.
            let _undelivered = self.task.stop().await;
        }
        self.task.is_over()
    }

    /// Ends it at once; answers whether it is over.
    pub(crate) async fn halt(&self) -> bool {
        self.task.let_go().await;
        self.task.is_over()
    }

    /// Has it begin no write, or lets it write again.
    pub(crate) fn suspend(&self, suspended: bool) {
        self.task.suspend(suspended);
    }

    /// It is not shown here any more.
    pub(crate) fn forget(&self) {
        self.running.forget(&self.task);
    }
}
