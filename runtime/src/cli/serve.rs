//! `fairway serve`: one worker with API and designer.

use std::path::PathBuf;

use super::exit::{self, Failure};
use super::output::print;
use super::signals;
use crate::config::access::DEFAULT_LISTEN;
use crate::server::{Options, Server};
use crate::telemetry::{self, LogFormat};

/// Serve the designer and the API, and run channels.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Address to listen on. Any but a loopback address needs a token that you chose.
    #[arg(long, value_name = "HOST:PORT", default_value = DEFAULT_LISTEN)]
    listen: String,
    /// Data directory; else FAIRWAY_DATA, else the platform's own.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder that file components may use; else `files` in the data directory.
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// File that holds the token of the API; else FAIRWAY_TOKEN, else one is made up and kept.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// How log lines look.
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
}

pub(super) async fn run(args: Args) -> Result<u8, Failure> {
    telemetry::start(args.log_format, "info");
    let mut signals = signals::listen().map_err(|error| Failure::new(exit::FAILED, error))?;
    let server = Server::start(Options {
        listen: args.listen,
        data: args.data,
        files: args.files,
        token_file: args.token_file,
    })
    .await?;
    print(&format!("Fairway is ready: {}", server.url()));
    let asked = signals.recv().await;
    tracing::info!(?asked, "stopping");
    if !server.stop().await.is_empty() {
        return Ok(exit::FAILED);
    }
    Ok(if asked == Some(signals::Asked::Interrupt) { exit::INTERRUPTED } else { exit::DONE })
}
