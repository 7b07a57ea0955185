//! `fairway run`: one channel in the foreground, without a server.
//!
//! A name gets a uid at its first run in a data directory, and keeps it with its positions: a second run goes on where the
//! first ended. `show` is what standard error says meanwhile, `summary` the last line of standard output.

mod show;
mod summary;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_engine::store::Totals;
use fairway_shared::api::status::ChannelState;

use fairway_shared::channel::{Channel, Node};
use fairway_shared::component::{self, ComponentSpec};
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::plan::Plan;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use uuid::Uuid;

use self::summary::{Outcome, Summary};
use super::documents::Documents;
use super::exit::{self, Failure};
use super::output::{Format, say};
use super::signals::{self, Asked};
use super::{duration, offline};
use crate::check;
use crate::controller::catalog;
use crate::controller::deploy::{adjustment, replaying};
use crate::events::Events;
use crate::registry::Registry;
use crate::services::{Adjustment, Commit, Key, Kind, Services};
use crate::telemetry::{self, LogFormat};
use crate::worker::{Job, Manner, Worker};

/// Run a channel document in the foreground.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The document: a channel, or a bundle with one channel. `-` is standard input.
    file: PathBuf,
    /// Another document, such as a connection that the channel names.
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Data directory; else FAIRWAY_DATA, else the platform's own.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Start over: nothing of earlier runs counts.
    #[arg(long)]
    fresh: bool,
    /// How long something may be out of reach before the run fails.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse)]
    give_up: Duration,
    /// Exit with 1 when records were set aside.
    #[arg(long)]
    fail_on_dead_letters: bool,
    /// Shape of standard output: its last line is the JSON summary whatever is asked for.
    #[arg(long, value_enum, default_value = "json")]
    output: Format,
}

/// What a data directory keeps of a name that was run.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    uid: String,
    plan: Plan,
    due: Adjustment,
}

pub(super) async fn run(args: Args) -> Result<u8, Failure> {
    telemetry::start(LogFormat::Text, "error");
    let signals = signals::listen().map_err(|error| Failure::new(exit::FAILED, error))?;
    let registry = Arc::new(Registry::standard());
    let documents = Documents::read(&args.file, &args.with)?;
    let channel = documents.channel()?;
    let name = channel.metadata.name.clone();
    let house = offline::House::open(args.data.clone()).await?;
    let (plan, found) = check::plan(&registry, &channel, &house.known(&documents.connections).await?);
    let Some(plan) = plan else {
        Summary::refused(&name, &found).print();
        return Err(
            Failure::new(exit::DOCUMENT, format!("the channel `{name}` has errors")).diagnostics(found)
        );
    };
    found.iter().for_each(|warning: &Diagnostic| say(&format!("{warning}")));
    ends(&registry, &channel).iter().for_each(|end| say(end));

    let uid = identity(&house.services, &name, &plan, args.fresh).await?;
    let root = std::env::current_dir().map_err(|error| Failure::new(exit::FAILED, error))?;
    let manner = Manner {
        files: Files::open(root),
        hooks: Hooks::default(),
        until_caught_up: true,
        give_up: Some(args.give_up),
        connections: documents.connections,
        room: None,
    };
    let worker = Worker::new(house.services.clone(), registry, Events::default(), manner);
    let before = house.services.positions.totals(&uid).await?;
    let started = Instant::now();
    let job = Job { uid: uid.as_str().into(), version: 1, channel, plan };
    let ended = foreground(&worker, job, signals, &before).await?;
    let after = house.services.positions.totals(&uid).await?;
    let summary = Summary::new(&name, &ended, &before, &after, started.elapsed());
    house.close().await;

    summary.say(args.data.as_deref());
    summary.print();
    Ok(match ended.outcome {
        Outcome::Completed if args.fail_on_dead_letters && summary.dead_lettered > 0 => exit::FAILED,
        Outcome::Completed => exit::DONE,
        Outcome::Failed => exit::FAILED,
        Outcome::Stopped if ended.undelivered > 0 => exit::FAILED,
        Outcome::Stopped if ended.asked == Some(Asked::Interrupt) => exit::INTERRUPTED,
        Outcome::Stopped => exit::DONE,
    })
}

/// What a person should know of sources that do not end by themselves: when the run does.
fn ends(registry: &Registry, channel: &Channel) -> Vec<String> {
    let sources = channel.spec.nodes.iter().filter_map(|node| {
        let (spec, component) = (registry.spec(&node.component)?, registry.get(&node.component)?);
        let endless = spec.kind == component::Kind::Source && !spec.is_bounded(&node.config);
        endless.then_some((node, spec, component.meta.catches_up))
    });
    let end = |(node, spec, catches_up): (&Node, &ComponentSpec, bool)| {
        let (id, title) = (&node.id, &spec.title);
        match catches_up {
            true => format!(
                "`{id}` ({title}) waits for more when it is deployed on a server; this run stops when it has caught up"
            ),
            false => format!("`{id}` ({title}) does not end by itself: stop this run by Ctrl-C or SIGTERM"),
        }
    };
    sources.map(end).collect()
}

/// How a run ended.
struct Ended {
    outcome: Outcome,
    error: Option<fairway_shared::api::status::Cause>,
    undelivered: u64,
    asked: Option<Asked>,
}

/// Runs the job until it is over, or drains it when a signal asks for the end.
async fn foreground(
    worker: &Worker,
    job: Job,
    mut signals: mpsc::Receiver<Asked>,
    before: &Totals,
) -> Result<Ended, Failure> {
    let uid = job.uid.clone();
    worker.start(job, false).await?;
    let show = show::Show::new(before.clone());
    let asked = tokio::select! {
        () = worker.ended(&uid) => None,
        () = show.follow(worker, &uid) => None,
        asked = signals.recv() => asked,
    };
    show.clear();
    let mut undelivered = 0;
    if asked.is_some() {
        say("stopping: what was read is being delivered; a second signal ends at once");
        undelivered = worker.shut_down().await.into_iter().map(|(_, records)| records).sum();
    }
    let status = worker.status(&uid).unwrap_or_default();
    let outcome = match status.state {
        ChannelState::Completed => Outcome::Completed,
        ChannelState::Failed | ChannelState::Hold => Outcome::Failed,
        _ => Outcome::Stopped,
    };
    Ok(Ended { outcome, error: status.cause, undelivered, asked })
}

/// The uid of a name in this data directory: the one it has, unless there is none or the user starts over.
async fn identity(services: &Services, name: &str, plan: &Plan, fresh: bool) -> Result<String, Failure> {
    let key = Key::new(Kind::Run, name);
    let known: Option<Known> = catalog::find(&*services.config, &key).await?;
    let (known, replaced) = if fresh { (None, known) } else { (known, None) };
    let (uid, due) = match known {
        Some(known) => (known.uid, adjustment(known.due, &known.plan, plan)),
        None => (Uuid::now_v7().simple().to_string(), Adjustment::default()),
    };
    let write = |due: &Adjustment| {
        let known = Known { uid: uid.clone(), plan: plan.clone(), due: due.clone() };
        catalog::write(&known).map(|value| Commit::default().put(key.clone(), value))
    };
    services.config.commit(write(&due)?).await?;
    if !due.is_empty() {
        services.positions.adjust(&uid, &due).await?;
        services.dead_letters.reset(&uid, Some(&due.restarted)).await?;
        services.config.commit(write(&Adjustment::default())?).await?;
    }
    let marks = services.positions.marks(&uid).await?;
    services.dead_letters.assign_replays(&uid, &replaying(plan), &marks).await?;
    if let Some(Known { uid, .. }) = replaced {
        services.positions.forget(&uid).await?;
        services.dead_letters.forget(&uid).await?;
        services.status.forget(&uid).await?;
    }
    Ok(uid)
}
