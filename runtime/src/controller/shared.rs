//! The same on a cluster: what is asked for is written down, and the workers bring it about together. Writing is the leader's.

use std::sync::Arc;

use fairway_cluster::Record;
use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_kafka::Access;
use fairway_shared::api::cluster::{ClusterStatus, Moves, TaskPlace, WorkerState, WorkerStatus};
use fairway_shared::api::status::{ChannelState, ChannelStatus, TargetState};
use fairway_shared::plan::Plan;

use super::Controller;
use super::catalog::{self, Deployed, Rest, Wanted};
use crate::crew::{Crew, Lookout, Sight};
use crate::problem::{Refused, codes};
use crate::registry::Registry;
use crate::room;
use crate::services::{Commit, Error, Services};

/// A controller's part in a cluster.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) crew: Arc<Crew>,
    pub(super) sight: Arc<Sight>,
}

impl Controller {
    /// A controller of a worker that shares channels with others.
    pub(crate) fn on_cluster(
        services: Services,
        registry: Arc<Registry>,
        files: Files,
        hooks: Hooks,
        crew: Arc<Crew>,
    ) -> Self {
        let sight = Arc::new(Sight::new(services.clone(), crew.clone()));
        Self::with(services, registry, files, hooks, room::of_process(), Some(Shared { crew, sight }))
    }

    /// Takes the worker's seat: from now on tasks are granted to it. Nothing happens in a process that runs alone.
    ///
    /// # Errors
    /// `Unavailable` for settings that no client takes.
    pub(crate) fn join(&self, access: &Access) -> Result<(), Error> {
        let Some(Shared { crew, sight }) = self.shared.clone() else { return Ok(()) };
        crew.join(access, &self.services, &self.registry, &self.worker)?;
        let lookout = Lookout {
            services: self.services.clone(),
            crew: crew.clone(),
            sight,
            worker: self.worker.clone(),
            events: self.events.clone(),
        };
        crew.keep([lookout.watch()]);
        Ok(())
    }

    /// Its part in a cluster.
    pub(crate) fn crew(&self) -> Option<&Arc<Crew>> {
        self.shared.as_ref().map(|shared| &shared.crew)
    }

    /// Whether a channel runs, or will before long.
    pub(super) async fn is_alive(&self, uid: &str) -> Result<bool, Error> {
        match &self.shared {
            None => Ok(self.worker.is_alive(uid)),
            Some(shared) => Ok(shared.crew.is_granted(uid) || !self.rests(uid).await?),
        }
    }

    /// Whether a channel of a cluster is not to run, although it was asked to.
    pub(super) async fn rests(&self, uid: &str) -> Result<bool, Error> {
        Ok(self.services.config.get(&catalog::rest(uid)).await?.is_some())
    }

    /// Adds to a deploy that its tasks begin, or wait for the time of their schedule.
    pub(super) async fn with_rest(
        &self,
        commit: Commit,
        uid: &str,
        scheduled: bool,
    ) -> Result<Commit, Error> {
        let known = self.services.config.get(&catalog::deployed(uid)).await?.is_some();
        if !scheduled || (known && self.is_alive(uid).await?) {
            return Ok(commit.delete(catalog::rest(uid)));
        }
        let rest = Rest { state: ChannelState::Stopped, cause: None };
        Ok(commit.put(catalog::rest(uid), catalog::write(&rest)?))
    }

    /// Asks the workers for running, paused or stopped.
    pub(super) async fn ask(
        &self,
        shared: &Shared,
        uid: &str,
        target: TargetState,
    ) -> Result<ChannelStatus, Refused> {
        let turn = self.turn(uid).await;
        self.must_be_deployed(uid).await?;
        let wanted = Wanted { target, ..self.asked_before(uid).await? };
        let mut commit = Commit::default().put(catalog::wanted(uid), catalog::write(&wanted)?);
        if target == TargetState::Running {
            self.note_begin(uid).await?;
            commit = commit.delete(catalog::rest(uid));
        }
        self.services.config.commit(commit).await?;
        tracing::info!(channel = uid, ?target, "asked for");
        if target == TargetState::Stopped {
            shared.crew.let_go(uid).await?;
        }
        drop(turn);
        self.status(uid).await
    }

    /// Has all tasks of a channel begin anew, wherever they run.
    pub(super) async fn ask_anew(&self, uid: &str) -> Result<(), Refused> {
        let before = self.asked_before(uid).await?;
        let target = match before.target {
            TargetState::Paused => TargetState::Paused,
            _ => TargetState::Running,
        };
        let wanted = Wanted { round: before.round + 1, ..Wanted::new(target) };
        self.note_begin(uid).await?;
        let commit =
            Commit::default().put(catalog::wanted(uid), catalog::write(&wanted)?).delete(catalog::rest(uid));
        self.services.config.commit(commit).await?;
        tracing::info!(channel = uid, round = wanted.round, "asked to begin anew");
        Ok(())
    }

    /// Has the tasks of a channel look for dead letters that are to be tried again; answers whether any runs.
    pub(super) async fn ask_replay_of_tasks(&self, shared: &Shared, uid: &str) -> Result<bool, Error> {
        let config = &*self.services.config;
        let wanted: Option<Wanted> = catalog::find(config, &catalog::wanted(uid)).await?;
        let runs = shared.crew.is_granted(uid);
        if let Some(wanted) = wanted.filter(|_| runs) {
            config.commit(Commit::default().put(catalog::wanted(uid), catalog::write(&wanted)?)).await?;
        }
        Ok(runs)
    }

    /// Has one task begin anew, wherever it runs; answers whether the channel is to run at all.
    pub(super) async fn ask_task_anew(&self, uid: &str, task: &str) -> Result<bool, Error> {
        let mut wanted = self.asked_before(uid).await?;
        if wanted.target == TargetState::Stopped || self.rests(uid).await? {
            return Ok(false);
        }
        *wanted.rounds.entry(task.to_owned()).or_default() += 1;
        let commit = Commit::default().put(catalog::wanted(uid), catalog::write(&wanted)?);
        self.services.config.commit(commit).await?;
        tracing::info!(channel = uid, task, "asked to begin anew");
        Ok(true)
    }

    async fn asked_before(&self, uid: &str) -> Result<Wanted, Error> {
        let wanted: Option<Wanted> = catalog::find(&*self.services.config, &catalog::wanted(uid)).await?;
        Ok(wanted.unwrap_or_else(|| Wanted::new(TargetState::Running)))
    }

    /// Stops a channel that is about to be deleted: every task is let go, or its worker dead.
    pub(super) async fn end_for_good(&self, shared: &Shared, uid: &str) -> Result<(), Error> {
        if self.services.config.get(&catalog::deployed(uid)).await?.is_some() {
            let wanted = Wanted { target: TargetState::Stopped, ..self.asked_before(uid).await? };
            let commit = Commit::default().put(catalog::wanted(uid), catalog::write(&wanted)?);
            self.services.config.commit(commit).await?;
        }
        shared.crew.let_go(uid).await
    }

    /// Which workers there are and who runs what.
    pub async fn cluster(&self) -> Result<ClusterStatus, Refused> {
        match &self.shared {
            Some(shared) => Ok(shared.crew.describe(&self.services, &shared.sight).await?),
            None => self.alone().await,
        }
    }

    /// A cluster of one.
    async fn alone(&self) -> Result<ClusterStatus, Refused> {
        let me = self.services.cluster.me().to_owned();
        let mut tasks = Vec::new();
        for channel in self.channels().await?.channels {
            let place = |task: fairway_shared::api::status::TaskStatus| TaskPlace {
                channel: channel.uid.clone(),
                channel_name: channel.name.clone(),
                task: task.id,
                worker: Some(task.worker),
                generation: None,
                why: None,
                going: None,
                state: task.state,
            };
            tasks.extend(channel.status.tasks.clone().into_iter().map(place));
        }
        let worker = WorkerStatus {
            id: me.clone(),
            state: WorkerState::Ready,
            address: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            leads: true,
            load: 0.0,
            capacity: 1,
            labels: Default::default(),
            tasks: tasks.len() as u64,
            silent_ms: 0,
        };
        let name = String::new();
        Ok(ClusterStatus { name, me, in_touch: true, leader: None, offset: 0, workers: vec![worker], tasks })
    }

    /// Whether the version in force of a channel has a node of this name; where that cannot be seen, it may.
    pub(crate) async fn has_node(&self, uid: &str, node: &str) -> bool {
        let config = &*self.services.config;
        let deployed = match catalog::find::<Deployed>(config, &catalog::deployed(uid)).await {
            Ok(Some(deployed)) => deployed,
            found => return found.is_err(),
        };
        match catalog::document(config, uid, deployed.version).await {
            Ok(channel) => {
                channel.is_some_and(|channel| channel.spec.nodes.iter().any(|known| known.id == node))
            }
            Err(_) => true,
        }
    }

    /// Address of the other worker that runs a node of a channel; none where nobody does, or this process.
    pub(crate) async fn worker_of(&self, uid: &str, node: &str) -> Option<String> {
        let shared = self.shared.as_ref()?;
        let asked = shared.sight.asked(uid).await.ok()??;
        let mut tasks = asked.tasks();
        let task = tasks.find(|task| task.nodes.iter().any(|of| of == node))?;
        shared.crew.address_of(uid, &task.id)
    }

    /// Which tasks changed their worker.
    pub fn moves(&self) -> Moves {
        self.shared.as_ref().map_or(Moves { moves: Vec::new() }, |shared| shared.crew.moved())
    }

    /// Has a worker hand over its tasks and get no new ones, or lets it have some again.
    pub async fn drain(&self, id: &str, drained: bool) -> Result<(), Refused> {
        let Some(shared) = &self.shared else {
            return Err(Refused::new(
                codes::CLUSTER_ALONE,
                "this process runs alone: it has nobody to hand over to",
            )
            .help("start workers with `fairway worker` or `fairway cluster up`"));
        };
        if !shared.crew.knows(id) {
            return Err(Refused::new(
                codes::WORKER_NOT_FOUND,
                format!("nothing was ever heard of worker `{id}`"),
            )
            .help("`fairway cluster status` lists the workers"));
        }
        let record = Record::Drained(id.to_owned(), drained);
        shared.crew.backend().control.write(vec![record.encode()]).await?;
        tracing::info!(worker = id, drained, "asked for");
        Ok(())
    }
}

/// Tasks of a plan that are not in the one before as they are, or waited already: they start when the positions are in line.
pub(super) fn held(before: Option<&Deployed>, plan: &Plan) -> std::collections::BTreeSet<String> {
    let stays = |task: &&fairway_shared::plan::Task| {
        before.is_some_and(|before| {
            let same = |old: &fairway_shared::plan::Task| old.id == task.id && old.hash == task.hash;
            before.plan.tasks.iter().any(same) && !before.held.contains(&task.id)
        })
    };
    plan.tasks.iter().filter(|task| !stays(task)).map(|task| task.id.clone()).collect()
}
