//! `fairway cluster …`: the workers that share a Kafka, started together (`up`), looked at and drained.

mod up;

use fairway_shared::api::cluster::{ClusterStatus, DrainWorker, GetCluster, GetMoves, Move, UndrainWorker};
use serde::Serialize;

use super::client::{Client, Reach};
use super::exit::{self, Failure};
use super::output::{Format, table, word};

/// The workers that share channels.
#[derive(Debug, clap::Subcommand)]
pub(super) enum ClusterCommand {
    Up(Box<up::Args>),
    Status(StatusArgs),
    /// Have a worker hand over its tasks and get no new ones.
    Drain(WorkerArgs),
    /// Let a drained worker have tasks again.
    Undrain(WorkerArgs),
}

/// Show the workers, who leads, and who runs what and why.
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    /// Show which tasks changed their worker as well.
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// A worker of the cluster.
#[derive(Debug, clap::Args)]
pub(super) struct WorkerArgs {
    /// Id of the worker.
    worker: String,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// What `status` shows.
#[derive(Debug, Serialize)]
struct Shown {
    cluster: ClusterStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<Move>>,
}

pub(super) async fn run(command: ClusterCommand) -> Result<u8, Failure> {
    match command {
        ClusterCommand::Up(args) => up::run(*args).await,
        ClusterCommand::Status(args) => status(args).await,
        ClusterCommand::Drain(args) => drain(args, true).await,
        ClusterCommand::Undrain(args) => drain(args, false).await,
    }
}

async fn status(args: StatusArgs) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    let cluster = client.get::<GetCluster>(&[]).await?;
    let moves = if args.history { Some(client.get::<GetMoves>(&[]).await?.moves) } else { None };
    args.output.print(&Shown { cluster, moves }, text);
    Ok(exit::DONE)
}

async fn drain(args: WorkerArgs, drained: bool) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    let params = [("id", args.worker.as_str())];
    if drained {
        client.get::<DrainWorker>(&params).await?;
    } else {
        client.get::<UndrainWorker>(&params).await?;
    }
    args.output.print(&serde_json::json!({ "worker": args.worker, "drained": drained }), |_| {
        let what = if drained { "hands over its tasks and gets no new ones" } else { "may have tasks again" };
        format!("{} {what}", args.worker)
    });
    Ok(exit::DONE)
}

fn text(shown: &Shown) -> String {
    let cluster = &shown.cluster;
    let workers = cluster.workers.iter().map(|worker| {
        vec![
            worker.id.clone(),
            word(&worker.state),
            if worker.leads { "leads".to_owned() } else { String::new() },
            worker.tasks.to_string(),
            format!("{:.2}", worker.load),
            worker.address.clone(),
        ]
    });
    let mut text = table(&["WORKER", "STATE", "", "TASKS", "LOAD", "ADDRESS"], &workers.collect::<Vec<_>>());
    if !cluster.in_touch {
        text.push_str("\nthe worker that answers is out of touch with the brokers: this may be old\n");
    }
    let tasks = cluster.tasks.iter().map(|task| {
        vec![
            task.channel_name.clone(),
            task.task.clone(),
            task.worker.clone().unwrap_or_else(|| "nobody yet".to_owned()),
            word(&task.state),
            task.why.as_ref().map(word).unwrap_or_default(),
            task.going.as_ref().map(|why| format!("must go: {}", word(why))).unwrap_or_default(),
        ]
    });
    let tasks: Vec<_> = tasks.collect();
    if !tasks.is_empty() {
        text.push('\n');
        text.push_str(&table(&["CHANNEL", "TASK", "WORKER", "STATE", "WHY", ""], &tasks));
    }
    let moves = shown.moves.iter().flatten().map(|moved| {
        let place = |worker: &Option<String>| worker.clone().unwrap_or_else(|| "-".to_owned());
        let names = cluster.tasks.iter().find(|task| task.channel == moved.channel);
        let channel = names.map_or_else(|| moved.channel.clone(), |task| task.channel_name.clone());
        vec![
            moved.at.clone(),
            channel,
            moved.task.clone(),
            place(&moved.from),
            place(&moved.to),
            word(&moved.why),
        ]
    });
    let moves: Vec<_> = moves.collect();
    if !moves.is_empty() {
        text.push('\n');
        text.push_str(&table(&["AT", "CHANNEL", "TASK", "FROM", "TO", "WHY"], &moves));
    }
    text
}
