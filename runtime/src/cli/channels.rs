//! Commands about the channels of a server: status, deploy, pause and the like, export, import, health.

use std::fs;
use std::path::PathBuf;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{
    DeployChannel, DeployRequest, ExportChannel, GetStatus, Import, ImportDocument, ListChannels,
    RestartChannel, RestartTask, SetTarget, SetTargetState,
};
use fairway_shared::api::status::{ChannelStatus, TargetState};
use fairway_shared::api::system::GetAbout;
use fairway_shared::channel::text::Document;
use fairway_shared::connection::Bundle;

use serde::Serialize;

use super::client::{Client, Reach};
use super::documents;
use super::exit::{self, Failure};
use super::output::{Format, count, document, say, table, word};
use crate::file_name;

/// A channel of a server.
#[derive(Debug, clap::Args)]
pub(super) struct OneChannel {
    /// Name or uid of the channel.
    channel: String,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Start all tasks of a channel anew, with a fresh budget, or one of them.
#[derive(Debug, clap::Args)]
pub(super) struct RestartArgs {
    #[command(flatten)]
    channel: OneChannel,
    /// Id of the task; the others are not touched.
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
}

/// Show what is observed of all channels, or of one with its history.
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    /// Name or uid of the channel; all of them without it.
    channel: Option<String>,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Write a channel, with the connections it names, as a document. Secrets stay behind.
#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    /// Name or uid of the channel.
    channel: String,
    /// File to write, or a folder, in which the file gets a name made from the channel's; standard output without it.
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    reach: Reach,
}

/// Take documents over into a server.
#[derive(Debug, clap::Args)]
pub(super) struct ImportArgs {
    /// Channels, connections or bundles; `-` is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A channel that exists becomes what the document says, and keeps its positions.
    #[arg(long, conflicts_with = "copy")]
    over: bool,
    /// A channel that exists stays; the document becomes another one, which starts from the beginning.
    #[arg(long)]
    copy: bool,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Ask a server whether it is ready.
#[derive(Debug, clap::Args)]
pub(super) struct HealthArgs {
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// What `health` prints of a server that is ready.
#[derive(Serialize)]
struct Health {
    ready: bool,
    version: Option<String>,
    mode: Option<String>,
}

pub(super) async fn status(args: StatusArgs) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    match &args.channel {
        None => {
            let list = client.get::<ListChannels>(&[]).await?;
            args.output.print(&list, |list| {
                let rows: Vec<_> =
                    list.channels.iter().map(|channel| row(&channel.name, &channel.status)).collect();
                table(&["CHANNEL", "STATE", "TARGET", "VERSION", "READ", "DELIVERED", "DEAD LETTERS"], &rows)
            });
        }
        Some(channel) => {
            let channel = client.channel(channel).await?;
            let status = client.get::<GetStatus>(&[("uid", &channel.uid)]).await?;
            args.output.print(&status, |status| describe(&channel.name, status));
        }
    }
    Ok(exit::DONE)
}

pub(super) async fn deploy(args: OneChannel) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    let channel = client.channel(&args.channel).await?;
    let deployment =
        client.call::<DeployChannel>(&[("uid", &channel.uid)], &DeployRequest::default()).await?;
    args.output.print(&deployment, |deployment| {
        format!("{}: version {} is in force", channel.name, deployment.version)
    });
    Ok(exit::DONE)
}

pub(super) async fn set_target(args: OneChannel, target: TargetState) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    let channel = client.channel(&args.channel).await?;
    let status = client.call::<SetTargetState>(&[("uid", &channel.uid)], &SetTarget { target }).await?;
    args.output.print(&status, |status| format!("{}: {}", channel.name, word(&status.state)));
    Ok(exit::DONE)
}

pub(super) async fn restart(args: RestartArgs) -> Result<u8, Failure> {
    let RestartArgs { channel: args, task } = args;
    let client = Client::new(&args.reach)?;
    let channel = client.channel(&args.channel).await?;
    let status = match &task {
        Some(task) => client.get::<RestartTask>(&[("uid", &channel.uid), ("task", task)]).await?,
        None => client.get::<RestartChannel>(&[("uid", &channel.uid)]).await?,
    };
    args.output.print(&status, |status| format!("{}: {}", channel.name, word(&status.state)));
    Ok(exit::DONE)
}

pub(super) async fn export(args: ExportArgs) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    let channel = client.channel(&args.channel).await?;
    // The answer's own text is canonical; read and written again it would lose the order of its keys.
    let bytes = client.bytes::<ExportChannel>(&[("uid", &channel.uid)], "", &Nothing {}).await?;
    match &args.out {
        None => document(&String::from_utf8_lossy(&bytes)),
        Some(path) => {
            let path =
                if path.is_dir() { path.join(file_name::of_channel(&channel.name)) } else { path.clone() };
            fs::write(&path, &bytes).map_err(|error| {
                Failure::new(exit::REFUSED, format!("cannot write {}: {error}", path.display()))
            })?;
            say(&format!("written to {}", path.display()));
        }
    }
    Ok(exit::DONE)
}

pub(super) async fn import(args: ImportArgs) -> Result<u8, Failure> {
    use fairway_shared::api::channels::Existing;
    let client = Client::new(&args.reach)?;
    let existing = match (args.over, args.copy) {
        (true, _) => Existing::Over,
        (_, true) => Existing::Copy,
        _ => Existing::Refuse,
    };
    let mut documents = Vec::new();
    for file in &args.files {
        let bytes = documents::read(file)?;
        let parsed = fairway_shared::channel::text::parse(&bytes);
        let Some(document) = parsed.document else {
            return Err(Failure::new(exit::DOCUMENT, format!("{} is no document", file.display()))
                .diagnostics(parsed.diagnostics));
        };
        documents.push(document);
    }
    // Several documents go as one bundle: all of them are taken over, or none.
    let document = match documents.as_slice() {
        [only] => only.to_value(),
        several => {
            let parts = several.iter().flat_map(Document::parts).map(|(_, part)| part.clone());
            let items = parts.filter(|part| !matches!(part, Document::Bundle(_))).collect();
            Document::Bundle(Bundle { items, ..Bundle::default() }).to_value()
        }
    };
    let import = Import { document, existing };
    let imported = client.call::<ImportDocument>(&[], &import).await?;
    imported.diagnostics.iter().for_each(|diagnostic| say(&format!("{diagnostic}")));
    for secret in &imported.missing_secrets {
        say(&format!("the secret `{secret}` is missing here: set it with `fairway secrets set {secret}`"));
    }
    args.output.print(&imported, |imported| {
        let counted =
            |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (channels, connections) = (imported.channels.len(), imported.connections.len());
        format!("{}, {}", counted(channels, "channel"), counted(connections, "connection"))
    });
    Ok(exit::DONE)
}

pub(super) async fn health(args: HealthArgs) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    let (status, body) = client.send("GET", "/readyz", Vec::new()).await?;
    if status != 200 {
        return Err(Failure::new(exit::REFUSED, String::from_utf8_lossy(&body).trim()));
    }
    // Whoever watches a server need not know its token.
    let about = client.get::<GetAbout>(&[]).await.ok();
    let health = Health {
        ready: true,
        version: about.as_ref().map(|about| about.version.clone()),
        mode: about.map(|about| about.mode),
    };
    args.output.print(&health, |health| match &health.version {
        Some(version) => format!("ready: fairway {version}"),
        None => "ready".to_owned(),
    });
    Ok(exit::DONE)
}

fn row(name: &str, status: &ChannelStatus) -> Vec<String> {
    vec![
        name.to_owned(),
        word(&status.state),
        status.target.map(|target| word(&target)).unwrap_or_default(),
        status.version.map(|version| version.to_string()).unwrap_or_default(),
        count(status.counts.read),
        count(status.counts.delivered),
        count(status.dead_letters),
    ]
}

fn describe(name: &str, status: &ChannelStatus) -> String {
    let counts = &status.counts;
    let mut text = format!(
        "{name}: {}{}\nread {}, delivered {}, filtered {}, dead-lettered {}\n",
        word(&status.state),
        status.since.as_deref().map(|since| format!(" since {since}")).unwrap_or_default(),
        count(counts.read),
        count(counts.delivered),
        count(counts.filtered),
        count(counts.dead_lettered),
    );
    if let Some(cause) = &status.cause {
        text.push_str(&format!("{} [{}]\n", cause.message, cause.code));
        text.extend(cause.help.as_deref().map(|help| format!("  help: {help}\n")));
    }
    if let Some(schedule) = &status.schedule {
        let next = schedule.next.first().map_or("not while it is paused or stopped", String::as_str);
        text.push_str(&format!("scheduled {} {}: next {next}", schedule.cron, schedule.timezone));
        text.extend(schedule.last.iter().map(|last| format!(", last {last}")));
        text.push('\n');
    }
    let nodes: Vec<_> = status
        .nodes
        .iter()
        .map(|(id, node)| {
            vec![id.clone(), count(node.entered), count(node.out), count(node.filtered), count(node.errors)]
        })
        .collect();
    if !nodes.is_empty() {
        text.push('\n');
        text.push_str(&table(&["NODE", "IN", "OUT", "FILTERED", "ERRORS"], &nodes));
    }
    let history: Vec<_> = status
        .history
        .iter()
        .take(10)
        .map(|entry| match &entry.deed {
            Some(deed) => {
                let what = format!("{} {}, by {}", word(&deed.what), deed.subject, word(&deed.by));
                vec![entry.at.clone(), String::new(), what]
            }
            None => {
                let cause = entry.cause.as_ref().map(|cause| cause.message.clone());
                vec![entry.at.clone(), word(&entry.state), cause.unwrap_or_default()]
            }
        })
        .collect();
    if !history.is_empty() {
        text.push('\n');
        text.push_str(&table(&["AT", "STATE", "CAUSE"], &history));
    }
    text
}
