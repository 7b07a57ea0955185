//! From a draft to what runs: plan, deploy, target states, restart, reset.
//!
//! What was asked for is durable before anything is done about it; whoever starts next brings the rest about. Positions are
//! kept unless what they depend on changed.

use std::collections::{BTreeMap, BTreeSet};

use fairway_shared::api::channels::{DeployRequest, Deployment, PlanAnswer, SeenFields, Version, Versions};
use fairway_shared::api::status::{ChannelState, ChannelStatus, TargetState};
use fairway_shared::component;
use fairway_shared::plan::{Plan, PlanDiff, PositionFate};

use super::Controller;
use super::catalog::{self, Deployed, Frozen, Wanted};
use super::drafts::{has_errors, meaning, parse};
use super::shared::held;
use crate::clock;
use crate::problem::{Refused, codes};
use crate::schedule::Times;
use crate::services::{Adjustment, Commit, Error, Expect, Kind, Tasks};
use crate::worker::Job;

/// Most edges of which a version keeps the fields.
const MOST_EDGES: usize = 1000;
/// Most fields of an edge that it keeps.
const MOST_FIELDS: usize = 200;

impl Controller {
    /// What a deploy of the draft would do.
    pub async fn plan(&self, uid: &str) -> Result<PlanAnswer, Refused> {
        let draft = catalog::must(&*self.services.config, uid).await?;
        let before: Option<Deployed> = catalog::find(&*self.services.config, &catalog::deployed(uid)).await?;
        let compiled = self.compile(&parse(&draft.document)?).await?;
        let diff = match &compiled.plan {
            Some(plan) => fairway_shared::plan::diff(before.as_ref().map(|before| &before.plan), plan),
            None => PlanDiff::default(),
        };
        let schedule =
            compiled.channel.as_ref().and_then(|channel| channel.spec.settings.schedule.as_deref());
        let times = schedule.and_then(|schedule| Times::new(schedule).ok());
        let next_runs = times.map(|times| times.next_three(chrono::Utc::now())).unwrap_or_default();
        Ok(PlanAnswer { plan: compiled.plan, diff, next_runs, diagnostics: compiled.diagnostics })
    }

    /// Freezes the draft as a version and puts it in force; paused and stopped channels stay so.
    pub async fn deploy(&self, uid: &str) -> Result<Deployment, Refused> {
        self.deploy_with(uid, DeployRequest::default()).await
    }

    /// The same, keeping with the version what samples showed.
    pub async fn deploy_with(&self, uid: &str, request: DeployRequest) -> Result<Deployment, Refused> {
        let _turn = self.turn(uid).await;
        let config = &*self.services.config;
        let draft = catalog::must(config, uid).await?;
        let compiled = self.compile(&parse(&draft.document)?).await?;
        let (Some(plan), Some(channel), false) =
            (compiled.plan, compiled.channel, has_errors(&compiled.diagnostics))
        else {
            return Err(Refused::new(codes::DOCUMENT_INVALID, "the draft has errors and was not deployed")
                .help("the diagnostics say where and what to do")
                .diagnostics(compiled.diagnostics));
        };
        let before: Option<Deployed> = catalog::find(config, &catalog::deployed(uid)).await?;
        let versions = config.list(Kind::Version, &format!("{uid}/")).await?;
        let version = catalog::next_version(&versions);
        let deployed_at = clock::now();
        let held = self.shared.as_ref().map(|_| held(before.as_ref(), &plan)).unwrap_or_default();
        let due = before.map(|before| adjustment(before.due, &before.plan, &plan)).unwrap_or_default();
        let deployed = Deployed {
            version,
            held: if due.is_empty() { Default::default() } else { held },
            due,
            plan: plan.clone(),
            meaning: meaning(&channel),
            deployed_at: deployed_at.clone(),
        };
        let mut fields: SeenFields = request.fields.into_iter().take(MOST_EDGES).collect();
        fields.values_mut().for_each(|fields| fields.truncate(MOST_FIELDS));
        let frozen = Frozen { document: draft.document, created_at: deployed_at.clone(), fields };
        let mut commit = Commit::default()
            .expect(catalog::draft(uid), Expect::Revision(draft.revision))
            .put(catalog::frozen(uid, version), catalog::write(&frozen)?)
            .put(catalog::deployed(uid), catalog::write(&deployed)?);
        if config.get(&catalog::wanted(uid)).await?.is_none() {
            let wanted = Wanted::new(TargetState::Running);
            commit = commit.put(catalog::wanted(uid), catalog::write(&wanted)?);
        }
        let schedule = channel.spec.settings.schedule.as_deref();
        if self.shared.is_some() {
            commit = self.with_rest(commit, uid, schedule.is_some()).await?;
        }
        config.commit(self.with_schedule(commit, uid, schedule).await?).await?;
        tracing::info!(channel = uid, version, "deployed");
        // A channel with a schedule waits for its time, unless it runs just now.
        if self.shared.is_none() && (schedule.is_none() || self.worker.is_alive(uid)) {
            self.bring_about(uid).await?;
        }
        Ok(Deployment { version, plan, deployed_at })
    }

    /// Asks for running, paused or stopped. Running also starts a channel that completed or failed.
    pub async fn set_target(&self, uid: &str, target: TargetState) -> Result<ChannelStatus, Refused> {
        if let Some(shared) = &self.shared {
            return self.ask(shared, uid, target).await;
        }
        let turn = self.turn(uid).await;
        self.must_be_deployed(uid).await?;
        self.want(uid, target).await?;
        match target {
            TargetState::Stopped => {
                self.worker.stop(uid).await;
            }
            TargetState::Running => {
                if !self.worker.pause(uid, false).await {
                    self.bring_about(uid).await?;
                }
            }
            // What is over is not opened again only to wait.
            TargetState::Paused => {
                let over = [ChannelState::Completed, ChannelState::Failed, ChannelState::Hold];
                let last = self.services.status.status(uid).await?.unwrap_or_default();
                let idle = over.contains(&last.state) || self.is_scheduled(uid).await?;
                if !self.worker.pause(uid, true).await && !idle {
                    self.bring_about(uid).await?;
                }
            }
        }
        drop(turn);
        self.status(uid).await
    }

    /// Stops all tasks and starts them with a fresh budget; one that was stopped runs from now on.
    pub async fn restart(&self, uid: &str) -> Result<ChannelStatus, Refused> {
        let turn = self.turn(uid).await;
        self.must_be_deployed(uid).await?;
        if self.shared.is_some() {
            self.ask_anew(uid).await?;
            drop(turn);
            return self.status(uid).await;
        }
        let wanted: Option<Wanted> = catalog::find(&*self.services.config, &catalog::wanted(uid)).await?;
        if wanted.is_none_or(|wanted| wanted.target == TargetState::Stopped) {
            self.want(uid, TargetState::Running).await?;
        }
        self.worker.stop(uid).await;
        self.bring_about(uid).await?;
        drop(turn);
        self.status(uid).await
    }

    /// Has one task of a channel that runs begin anew, with a fresh budget; the others are not touched.
    pub async fn restart_task(&self, uid: &str, task: &str) -> Result<ChannelStatus, Refused> {
        let turn = self.turn(uid).await;
        self.must_be_deployed(uid).await?;
        let deployed: Option<Deployed> =
            catalog::find(&*self.services.config, &catalog::deployed(uid)).await?;
        let plan = deployed.map(|deployed| deployed.plan);
        if !plan.iter().flat_map(|plan| &plan.tasks).any(|planned| planned.id == task) {
            return Err(Refused::new(
                codes::TASK_NOT_FOUND,
                format!("the version in force has no task `{task}`"),
            )
            .help("its status lists the tasks"));
        }
        let restarts = match &self.shared {
            Some(_) => self.ask_task_anew(uid, task).await?,
            None => self.worker.stop_task(uid, task).await,
        };
        if !restarts {
            // I8: a channel does not run in part.
            return Err(Refused::new(
                codes::CHANNEL_NOT_RUNNING,
                "the channel does not run, so none of its tasks can be restarted alone",
            )
            .help("restart the channel"));
        }
        if self.shared.is_none() {
            self.bring_about(uid).await?;
        }
        drop(turn);
        self.status(uid).await
    }

    /// Forgets all positions of a channel that does not run: it starts over.
    pub async fn reset(&self, uid: &str) -> Result<(), Refused> {
        let _turn = self.turn(uid).await;
        catalog::must(&*self.services.config, uid).await?;
        let wanted: Option<Wanted> = catalog::find(&*self.services.config, &catalog::wanted(uid)).await?;
        let alive = match self.shared {
            // What was asked for and is not granted yet would begin at once.
            Some(_) if wanted.is_some_and(|wanted| wanted.target != TargetState::Stopped) => {
                self.is_alive(uid).await?
            }
            Some(ref shared) => shared.crew.is_granted(uid),
            None => self.worker.is_alive(uid),
        };
        if alive {
            return Err(Refused::new(
                codes::CHANNEL_NOT_STOPPED,
                "the channel runs, its positions are in use",
            )
            .help("stop it first"));
        }
        self.services.positions.reset(uid).await?;
        self.services.dead_letters.reset(uid, None).await?;
        if let Some(streams) = &self.services.streams {
            streams.clear(uid).await?;
        }
        // Its user has said what to do about positions that were lost.
        self.services.config.commit(Commit::default().delete(catalog::lost(uid))).await?;
        Ok(())
    }

    /// All versions, newest first.
    pub async fn versions(&self, uid: &str) -> Result<Versions, Refused> {
        let config = &*self.services.config;
        catalog::must(config, uid).await?;
        let deployed: Option<Deployed> = catalog::find(config, &catalog::deployed(uid)).await?;
        let in_force = deployed.map(|deployed| deployed.version);
        let mut versions = Vec::new();
        for entry in config.list(Kind::Version, &format!("{uid}/")).await?.into_iter().rev() {
            let frozen: Frozen = catalog::read(&entry)?;
            versions.extend(catalog::version_of(&entry).map(|version| (version, frozen)));
        }
        let versions = versions
            .into_iter()
            .map(|(version, frozen)| {
                Ok(Version {
                    version,
                    document: parse(&frozen.document)?,
                    created_at: frozen.created_at,
                    deployed: in_force == Some(version),
                })
            })
            .collect::<Result<_, Refused>>()?;
        Ok(Versions { versions })
    }

    /// Starts what ran when the process last ended. A channel that completed does not start by itself, but for dead letters
    /// that were being tried again.
    pub async fn resume(&self) -> Result<(), Refused> {
        let replaying = self.services.dead_letters.waiting_for_replay().await?;
        for entry in self.services.config.list(Kind::Deployment, "").await? {
            let uid = &entry.key.id;
            let deployed: Deployed = catalog::read(&entry)?;
            let last = self.services.status.status(uid).await?.unwrap_or_default();
            let completed = last.state == ChannelState::Completed && last.version == Some(deployed.version);
            // A run that had not ended is gone on with by the schedule's keeper.
            let starts = !completed && !self.is_scheduled(uid).await?;
            let _turn = self.turn(uid).await;
            let resumed = if starts { self.bring_about(uid).await } else { Ok(()) };
            let tried =
                if replaying.contains(uid) { self.start_replay(uid).await.map(|_| ()) } else { Ok(()) };
            if let Err(refused) = resumed.and(tried) {
                tracing::error!(channel = %uid, error = %refused, "the channel could not be resumed");
            }
        }
        Ok(())
    }

    /// Stops everything, with the process; what was asked for stays asked for. Answers the records that were read and not
    /// delivered, by uid.
    pub async fn shut_down(&self) -> Vec<(String, u64)> {
        let undelivered = self.worker.shut_down().await;
        for (channel, records) in &undelivered {
            tracing::warn!(channel, records, "records were read and not delivered; they will be read again");
        }
        undelivered
    }

    /// Has the worker run the version in force, as the user asked. The caller has the channel's turn.
    pub(super) async fn bring_about(&self, uid: &str) -> Result<(), Refused> {
        let config = &*self.services.config;
        if self.shared.is_some() {
            self.note_begin(uid).await?;
            config.commit(Commit::default().delete(catalog::rest(uid))).await?;
            return Ok(());
        }
        let wanted: Option<Wanted> = catalog::find(config, &catalog::wanted(uid)).await?;
        let paused = match wanted.map(|wanted| wanted.target) {
            Some(TargetState::Running) => false,
            Some(TargetState::Paused) => true,
            Some(TargetState::Stopped) | None => return Ok(()),
        };
        let Some(job) = self.ready(uid).await? else {
            return Ok(());
        };
        let begun = self.note_begin(uid).await?;
        self.worker.start(job, paused).await?;
        self.began_here().extend(begun.map(|begun| (uid.to_owned(), begun)));
        Ok(())
    }

    /// The version in force, with all that is remembered brought in line with it and no other task of the channel at work.
    pub(super) async fn ready(&self, uid: &str) -> Result<Option<Job>, Refused> {
        let config = &*self.services.config;
        let (Some(deployed), Some(channel)) =
            (catalog::find::<Deployed>(config, &catalog::deployed(uid)).await?, self.in_force(uid).await?)
        else {
            return Ok(None);
        };
        let job = Job { uid: uid.into(), version: deployed.version, channel, plan: deployed.plan.clone() };
        self.worker.make_room(uid, Some(&job)).await;
        self.settle(uid, deployed).await?;
        let kept: Vec<String> = job.plan.tasks.iter().map(|task| task.id.clone()).collect();
        self.services.positions.retire(uid, &kept).await?;
        let marks = self.services.positions.marks(uid).await?;
        self.services.dead_letters.assign_replays(uid, &replaying(&job.plan), &marks).await?;
        Ok(Some(job))
    }

    /// Does what the deployment owes to the stored positions. Doing it twice changes nothing, so a crash before the debt
    /// is struck off does no harm: no task has started since.
    async fn settle(&self, uid: &str, deployed: Deployed) -> Result<(), Error> {
        if deployed.due.is_empty() {
            return Ok(());
        }
        self.services.positions.adjust(uid, &deployed.due).await?;
        self.services.dead_letters.reset(uid, Some(&deployed.due.restarted)).await?;
        let settled = Deployed { due: Adjustment::default(), ..deployed };
        let commit = Commit::default().put(catalog::deployed(uid), catalog::write(&settled)?);
        self.services.config.commit(commit).await?;
        Ok(())
    }

    async fn want(&self, uid: &str, target: TargetState) -> Result<(), Error> {
        let commit = Commit::default().put(catalog::wanted(uid), catalog::write(&Wanted::new(target))?);
        self.services.config.commit(commit).await?;
        tracing::info!(channel = uid, ?target, "asked for");
        Ok(())
    }

    pub(super) async fn must_be_deployed(&self, uid: &str) -> Result<(), Refused> {
        catalog::must(&*self.services.config, uid).await?;
        if self.services.config.get(&catalog::deployed(uid)).await?.is_none() {
            return Err(Refused::new(codes::CHANNEL_NOT_DEPLOYED, "the channel has not been deployed")
                .help("deploy it first"));
        }
        Ok(())
    }
}

/// Ids of a plan's sources.
pub(crate) fn sources(plan: &Plan) -> BTreeSet<String> {
    let sources = plan.connectors.iter().filter(|connector| connector.kind == component::Kind::Source);
    sources.map(|connector| connector.node.clone()).collect()
}

/// Nodes at which a dead letter can enter again, with the tasks that run them. What a source refused is no record yet.
pub(crate) fn replaying(plan: &Plan) -> Tasks {
    let sources = sources(plan);
    let of_task = |task: &fairway_shared::plan::Task| {
        let nodes = task.nodes.iter().filter(|node| !sources.contains(*node));
        nodes.map(|node| (node.clone(), task.id.clone())).collect::<Vec<_>>()
    };
    // Of several that run a node the first tries its letters again.
    plan.tasks.iter().rev().flat_map(of_task).collect()
}

/// What putting a plan in the place of another means for the stored positions, on top of what is `due` already.
pub(crate) fn adjustment(mut due: Adjustment, before: &Plan, plan: &Plan) -> Adjustment {
    let diff = fairway_shared::plan::diff(Some(before), plan);
    let over = |fate| matches!(fate, PositionFate::New | PositionFate::Dropped);
    due.restarted
        .extend(diff.positions.into_iter().filter(|change| over(change.fate)).map(|change| change.node));
    for sink in before.connectors.iter().filter(|connector| connector.kind == component::Kind::Sink) {
        match plan.connectors.iter().find(|connector| connector.node == sink.node) {
            Some(same) if same.hash == sink.hash => {}
            Some(same) if same.component == sink.component => due.replaced.push(sink.node.clone()),
            _ => due.dropped.push(sink.node.clone()),
        }
    }
    let parts = |plan: &Plan| -> BTreeMap<String, u32> {
        let part = |task: &fairway_shared::plan::Task| {
            let of = task.share.map_or(1, |share| share.of);
            task.nodes.iter().map(|node| (node.clone(), of)).collect::<Vec<_>>()
        };
        plan.tasks.iter().flat_map(part).collect()
    };
    let before = parts(before);
    let other = |(node, of): &(String, u32)| before.get(node).is_some_and(|before| before != of);
    due.shared_out.extend(parts(plan).into_iter().filter(other).map(|(node, _)| node));
    due
}
