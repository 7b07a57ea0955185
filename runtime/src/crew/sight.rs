//! What is observed of a channel whose tasks may run anywhere: put together from grants, from what each worker tells of its tasks, and
//! from what is committed. Every worker comes to the same, from its own memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use fairway_cluster::{Life, Timing, Why};
use fairway_shared::api::status::{Cause, ChannelState, ChannelStatus, TargetState, TaskStatus};
use fairway_shared::channel::Edge;
use fairway_shared::plan;

use super::Crew;
use crate::controller::catalog::{self, Deployed, Rest, Wanted};
use crate::services::kafka::Report;
use crate::services::{Result, Services};
use crate::worker::{self, Rates};

/// What is observed of channels.
pub(crate) struct Sight {
    services: Services,
    crew: Arc<Crew>,
    versions: Mutex<HashMap<String, (u64, Arc<Version>)>>,
    rates: Mutex<HashMap<String, Rates>>,
}

/// The version in force.
pub(crate) struct Version {
    pub(super) deployed: Deployed,
    edges: Vec<Edge>,
}

/// What is settled of a channel.
pub(crate) struct Asked {
    pub(super) version: Arc<Version>,
    /// Place of the deployment in the log.
    pub(super) revision: u64,
    pub(super) wanted: Option<(u64, Wanted)>,
    pub(super) rest: Option<Rest>,
}

/// Where a task is, by what is settled.
pub(super) struct Place {
    pub(super) life: Life,
    pub(super) generation: u64,
    pub(super) form: String,
    why: Why,
    /// Nothing is heard of its worker, for so long that it writes nothing any more.
    silent: bool,
}

impl Asked {
    /// Tasks of the version in force.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &plan::Task> {
        self.version.deployed.plan.tasks.iter()
    }
}

impl Sight {
    pub(crate) fn new(services: Services, crew: Arc<Crew>) -> Self {
        Self { services, crew, versions: Mutex::default(), rates: Mutex::default() }
    }

    /// What was asked for; none for a channel that was never deployed.
    pub(crate) async fn asked(&self, uid: &str) -> Result<Option<Asked>> {
        let config = &*self.services.config;
        let Some(entry) = config.get(&catalog::deployed(uid)).await? else { return Ok(None) };
        let revision = entry.revision;
        let known = lock(&self.versions).get(uid).filter(|(of, _)| *of == revision).map(|(_, v)| v.clone());
        let version = match known {
            Some(version) => version,
            None => {
                let deployed: Deployed = catalog::read(&entry)?;
                let channel = catalog::document(config, uid, deployed.version).await?;
                let edges = channel.map(|channel| channel.spec.edges).unwrap_or_default();
                let version = Arc::new(Version { deployed, edges });
                lock(&self.versions).insert(uid.to_owned(), (revision, version.clone()));
                version
            }
        };
        let wanted = match config.get(&catalog::wanted(uid)).await? {
            Some(entry) => Some((entry.revision, catalog::read(&entry)?)),
            None => None,
        };
        let rest = catalog::find(config, &catalog::rest(uid)).await?;
        Ok(Some(Asked { version, revision, wanted, rest }))
    }

    /// Forgets channels that are gone.
    pub(super) fn keep(&self, there: impl Fn(&str) -> bool) {
        lock(&self.versions).retain(|uid, _| there(uid));
        lock(&self.rates).retain(|uid, _| there(uid));
    }

    /// Takes a sample for the rates of a channel.
    pub(super) async fn sample(&self, uid: &str) -> Result<()> {
        let totals = self.services.positions.totals_seen(uid).await?;
        let moves = self.crew.is_granted(uid);
        let mut rates = lock(&self.rates);
        let rates = rates.entry(uid.to_owned()).or_default();
        if moves {
            rates.note(Instant::now(), totals)
        } else {
            rates.rest()
        }
        Ok(())
    }

    /// Where the tasks of a channel are; whether this worker is in touch with the brokers.
    pub(super) fn places(&self, uid: &str) -> (BTreeMap<String, Place>, bool) {
        let looked = self.crew.look(|protocol, now| {
            let silences: HashMap<&Life, _> =
                protocol.heard(now).map(|(beat, silence)| (&beat.life, silence)).collect();
            let silent = |life: &Life| {
                let silence = silences.get(life);
                silence.is_none_or(|silence| *silence >= Timing::default().suspend)
            };
            let tasks = protocol.settled().allocations().get(uid).into_iter();
            let place = |(task, slot): (&String, &fairway_cluster::Slot)| {
                let (life, form) = (slot.life.clone(), slot.form.clone());
                let silent = silent(&life);
                (task.clone(), Place { life, generation: slot.number(), form, why: slot.why, silent })
            };
            let places = tasks.flat_map(|allocation| allocation.tasks.iter().map(place)).collect();
            (places, protocol.is_sure())
        });
        looked.unwrap_or_default()
    }

    /// Whether any worker that is heard has the components of a task.
    fn fits(&self, deployed: &Deployed, task: &plan::Task) -> bool {
        let connectors = &deployed.plan.connectors;
        let needs: Vec<&String> = connectors
            .iter()
            .filter(|connector| task.nodes.contains(&connector.node))
            .map(|connector| &connector.component)
            .collect();
        let has = |about: &fairway_cluster::About| needs.iter().all(|need| about.components.contains(*need));
        let any = self.crew.look(|protocol, now| protocol.heard(now).any(|(beat, _)| has(&beat.about)));
        any.unwrap_or(true)
    }

    /// What is observed of a channel, short of dead letters, schedule and history; none when it was never deployed.
    pub(crate) async fn status(&self, uid: &str) -> Result<Option<ChannelStatus>> {
        let Some(asked) = self.asked(uid).await? else { return Ok(None) };
        let (places, in_touch) = self.places(uid);
        let reports = self.crew.backend.reports(uid);
        let deployed = &asked.version.deployed;
        let at_rest = match (&asked.rest, &asked.wanted) {
            _ if !places.is_empty() => None,
            (Some(rest), _) => Some((rest.state, rest.cause.clone())),
            (None, Some((_, wanted))) if wanted.target != TargetState::Stopped => None,
            (None, _) => Some((ChannelState::Stopped, None)),
        };
        let task = |planned: &plan::Task| match &at_rest {
            Some((state, _)) => plain(&planned.id, "", *state, None),
            None => {
                let (place, report) = (places.get(&planned.id), reports.get(&planned.id));
                let fits = place.is_some() || self.fits(deployed, planned);
                observed(&planned.id, place, report, in_touch, fits)
            }
        };
        let tasks: Vec<TaskStatus> = deployed.plan.tasks.iter().map(task).collect();
        let (state, cause) = at_rest.unwrap_or_else(|| worker::together(&tasks));
        let totals = self.services.positions.totals_seen(uid).await?;
        let mut status = ChannelStatus {
            uid: uid.to_owned(),
            state,
            cause,
            target: asked.wanted.as_ref().map(|(_, wanted)| wanted.target),
            version: Some(deployed.version),
            counts: totals.standing(),
            nodes: worker::nodes(&totals),
            edges: worker::edges(&asked.version.edges, &totals),
            tasks,
            ..ChannelStatus::default()
        };
        let fills = reports.values().flat_map(|report| &report.fills);
        let fills: BTreeMap<&str, f64> = fills.map(|(edge, fill)| (edge.as_str(), *fill)).collect();
        if let Some(rates) = lock(&self.rates).get(uid) {
            rates.show(&mut status, |edge| fills.get(edge).copied());
        }
        Ok(Some(status))
    }
}

/// What is observed of one task.
fn observed(
    id: &str,
    place: Option<&Place>,
    report: Option<&Report>,
    in_touch: bool,
    fits: bool,
) -> TaskStatus {
    let Some(place) = place else {
        let misfit = || {
            cause(
                "cluster.no_fit",
                "no worker of the cluster has all components of the task".to_owned(),
                "start a worker of the version of Fairway that has them",
            )
        };
        return plain(id, "", ChannelState::Starting, (!fits).then(misfit));
    };
    let worker = &place.life.worker;
    if !in_touch {
        let cause = cause(
            "cluster.out_of_touch",
            "the brokers of the cluster are out of reach, so no task may write".to_owned(),
            "see to the brokers; everything goes on by itself",
        );
        return plain(id, worker, ChannelState::Degraded, Some(cause));
    }
    if place.silent {
        let cause = cause(
            "cluster.worker_lost",
            format!("nothing is heard of worker `{worker}`: if that lasts, its tasks move to others"),
            "see whether it runs and reaches the brokers",
        );
        return plain(id, worker, ChannelState::Restarting, Some(cause));
    }
    match report.filter(|report| report.generation == place.generation) {
        // What begins says why it is there: somebody may look at a channel that was running a moment ago.
        Some(report) if report.status.state != ChannelState::Starting => {
            TaskStatus { worker: worker.clone(), ..report.status.clone() }
        }
        _ => plain(id, worker, ChannelState::Starting, moved(place.why, worker)),
    }
}

/// Why a task begins on a worker, where another had it.
fn moved(why: Why, worker: &str) -> Option<Cause> {
    let what = match why {
        Why::Started | Why::Changed | Why::Stopped => return None,
        Why::WorkerLost => "the worker that had the task died",
        Why::WorkerLeaves => "the worker that had the task leaves",
        Why::WorkerDrained => "the worker that had the task is drained",
        Why::Misfit => "the worker that had the task does not fit any more",
        Why::Balance => "the tasks are spread anew",
    };
    let message = format!("{what}, worker `{worker}` takes it over");
    Some(Cause { code: "cluster.moved".to_owned(), message, help: None, node: None })
}

fn plain(id: &str, worker: &str, state: ChannelState, cause: Option<Cause>) -> TaskStatus {
    TaskStatus { id: id.to_owned(), worker: worker.to_owned(), state, restarts: 0, cause }
}

fn cause(code: &str, message: String, help: &str) -> Cause {
    Cause { code: code.to_owned(), message, help: Some(help.to_owned()), node: None }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
