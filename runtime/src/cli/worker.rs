//! `fairway worker`: one worker of a cluster, with API and designer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fairway_cluster::Exit;
use fairway_cluster::allocate::Strategy;
use tokio::io::AsyncReadExt as _;

use super::brokers::Brokers;
use super::exit::{self, Failure};
use super::output::print;
use super::signals;
use crate::config::access::DEFAULT_LISTEN;
use crate::server::{Options, Server, WorkerOptions};
use crate::telemetry::{self, LogFormat};

/// Run channels together with other workers that share a Kafka, and serve the designer and the API.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    shared: SharedArgs,
    /// Id of this worker: the same each time it is started. Else the machine's name with the port.
    #[arg(long, value_name = "ID", value_parser = id)]
    id: Option<String>,
    /// Address to listen on. Any but a loopback address needs a token that you chose.
    #[arg(long, value_name = "HOST:PORT", default_value = DEFAULT_LISTEN)]
    listen: String,
    /// Address at which other workers reach this one; else where it listens.
    #[arg(long, value_name = "URL")]
    address: Option<String>,
    /// What is said of this worker, such as `zone=b`; once for each.
    #[arg(long = "label", value_name = "KEY=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// How much it can carry beside others.
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    capacity: u32,
    /// End, as by a signal, when standard input ends.
    #[arg(long, hide = true)]
    tied: bool,
}

/// What all workers of a cluster are told.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct SharedArgs {
    #[command(flatten)]
    pub(super) brokers: Brokers,
    /// Name of the cluster: its topics and transactional ids begin with it.
    #[arg(long, value_name = "NAME", default_value = "fairway", value_parser = cluster)]
    pub(super) cluster: String,
    /// Folder that holds the token and, unless told otherwise, the files; workers of one machine share it. Else FAIRWAY_DATA, else the
    /// platform's own.
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// Folder that file components may use; else `files` in the data directory. Where a task may move to another machine, it must be
    /// the same folder there.
    #[arg(long, value_name = "DIR")]
    pub(super) files: Option<PathBuf>,
    /// File that holds the token of the API, which all workers of the cluster have in common; else FAIRWAY_TOKEN, else one is made up and
    /// kept in the data directory.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// How tasks are shared out: moved as little as can be, in turn, or by a ring of hashes.
    #[arg(long, value_enum, default_value_t)]
    pub(super) strategy: Sharing,
    /// How log lines look.
    #[arg(long, value_enum, default_value_t)]
    pub(super) log_format: LogFormat,
}

/// How tasks are shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum Sharing {
    /// Evenly, and moved as little as can be.
    #[default]
    Sticky,
    /// In turn; a change moves most.
    Average,
    /// By a ring of hashes; a change moves few.
    ConsistentHash,
}

impl Sharing {
    /// As arguments spell it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Sticky => "sticky",
            Self::Average => "average",
            Self::ConsistentHash => "consistent-hash",
        }
    }

    fn strategy(self) -> Strategy {
        match self {
            Self::Sticky => Strategy::Sticky,
            Self::Average => Strategy::Average,
            Self::ConsistentHash => Strategy::ConsistentHash,
        }
    }
}

/// What may stand in the names of topics and transactional ids.
fn cluster(text: &str) -> Result<String, String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if (1..=64).contains(&text.len()) && text.chars().all(fits) {
        return Ok(text.to_owned());
    }
    Err("1 to 64 of the characters A-Z a-z 0-9 - _ are expected".to_owned())
}

fn id(text: &str) -> Result<String, String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if (1..=128).contains(&text.len()) && text.chars().all(fits) {
        return Ok(text.to_owned());
    }
    Err("1 to 128 of the characters A-Z a-z 0-9 . - _ are expected".to_owned())
}

fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("KEY=VALUE is expected".to_owned()),
    }
}

pub(super) async fn run(args: Args) -> Result<u8, Failure> {
    telemetry::start(args.shared.log_format, "info");
    let mut signals = signals::listen().map_err(|error| Failure::new(exit::FAILED, error))?;
    let SharedArgs { brokers, cluster, data, files, token_file, strategy, .. } = args.shared;
    let kafka = brokers.access()?;
    let server = Server::join(WorkerOptions {
        server: Options { listen: args.listen, data, files, token_file },
        kafka,
        cluster,
        id: args.id,
        address: args.address,
        labels: BTreeMap::from_iter(args.labels),
        capacity: args.capacity,
        strategy: strategy.strategy(),
    })
    .await?;
    print(&format!("Fairway is ready: {}", server.url()));
    let asked = tokio::select! {
        asked = signals.recv() => asked,
        () = let_go(args.tied) => None,
        why = server.ended() => return Err(ended(server, why).await),
    };
    tracing::info!(?asked, "stopping");
    if !server.stop().await.is_empty() {
        return Ok(exit::FAILED);
    }
    Ok(if asked == Some(signals::Asked::Interrupt) { exit::INTERRUPTED } else { exit::DONE })
}

/// Waits until whoever started this process lets go of its standard input, or for ever.
async fn let_go(tied: bool) {
    if !tied {
        return std::future::pending().await;
    }
    let mut input = tokio::io::stdin();
    let mut word = [0; 64];
    while input.read(&mut word).await.is_ok_and(|read| read > 0) {}
}

async fn ended(server: Server, why: Exit) -> Failure {
    match why {
        Exit::NameTaken(address) => {
            server.stop().await;
            Failure::new(exit::REFUSED, format!("another worker with the same id is alive, at {address}"))
                .help(Some("give this one another --id, or stop the other first"))
        }
        // Whatever it still does must end with the process.
        Exit::Stuck(task) => Failure::new(exit::FAILED, format!("the task {task} does not end"))
            .help(Some("it runs elsewhere by now; start this worker again and report it with the log")),
        Exit::Left => Failure::new(exit::FAILED, "the worker has left the cluster"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_topics_cannot_have_are_refused() {
        assert!(cluster("fairway-2_b").is_ok() && id("host.example-8787").is_ok());
        for wrong in ["", "a.b", "a/b", "ä", &"x".repeat(65)] {
            assert!(cluster(wrong).is_err(), "{wrong}");
        }
        assert_eq!(label("zone=b=c"), Ok(("zone".to_owned(), "b=c".to_owned())));
        assert!(label("zone").is_err() && label("=b").is_err());
    }
}
