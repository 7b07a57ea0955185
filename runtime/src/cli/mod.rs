//! The `fairway` command. Names, exit codes and the shapes of JSON output are fixed: scripts rely on them.
//!
//! | Exit | Means |
//! |---|---|
//! | 0 | done |
//! | 1 | failed while running |
//! | 2 | wrong command line |
//! | 3 | the document has errors |
//! | 4 | cannot reach, or refused |
//! | 130 | interrupted, after a clean drain |

mod brokers;
mod channels;
mod client;
mod cluster;
mod dead_letters;
mod documents;
mod duration;
mod exit;
mod inspect;
mod offline;
mod output;
mod place;
mod records;
mod run;
mod secrets;
mod serve;
pub mod signals;
mod tap;
mod trial;
mod worker;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use fairway_shared::api::status::TargetState;

use exit::Failure;

/// Draw data channels, run them, watch them.
#[derive(Debug, Parser)]
#[command(name = "fairway", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Args),
    Worker(Box<worker::Args>),
    #[command(subcommand)]
    Cluster(cluster::ClusterCommand),
    Run(Box<run::Args>),
    Validate(inspect::FileArgs),
    /// Show the tasks that a channel would run as, and what is promised about each target.
    Plan(inspect::FileArgs),
    Preview(trial::PreviewArgs),
    Probe(trial::ProbeArgs),
    Components(inspect::ComponentsArgs),
    Import(channels::ImportArgs),
    Export(channels::ExportArgs),
    /// Freeze a channel's draft as a version and put it in force.
    Deploy(channels::OneChannel),
    Status(channels::StatusArgs),
    /// Read nothing new, keep connections.
    Pause(channels::OneChannel),
    /// Move records: after a pause or a stop, or anew when the channel completed or failed.
    Resume(channels::OneChannel),
    /// Drain, and release everything.
    Stop(channels::OneChannel),
    Restart(channels::RestartArgs),
    Tap(tap::Args),
    Positions(records::PositionsArgs),
    #[command(subcommand)]
    DeadLetters(dead_letters::DeadLettersCommand),
    #[command(subcommand)]
    Secrets(secrets::SecretsCommand),
    Health(channels::HealthArgs),
}

/// Every command with its arguments, in Markdown.
pub fn reference() -> String {
    fn add(command: &mut clap::Command, above: &str, page: &mut String) {
        let name = format!("{above}{}", command.get_name());
        if command.get_subcommands().next().is_none() {
            let help = command.clone().term_width(100).bin_name(&name).render_long_help();
            page.push_str(&format!("\n## `{name}`\n\n```text\n{}\n```\n", help.to_string().trim_end()));
        }
        for inner in command.get_subcommands_mut().filter(|inner| inner.get_name() != "help") {
            add(inner, &format!("{name} "), page);
        }
    }
    let mut page = String::from(
        "# Command line\n\nWritten from the code. Every command takes `--output json`; names, exit codes and the shapes of JSON \
         are fixed.\n\n| Exit | Means |\n|---|---|\n| 0 | done |\n| 1 | failed while running |\n| 2 | wrong command line |\n\
         | 3 | the document has errors |\n| 4 | cannot reach, or refused |\n| 130 | interrupted, after a clean drain |\n",
    );
    add(&mut Cli::command(), "", &mut page);
    page
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return ExitCode::from(exit::FAILED);
        }
    };
    let done = runtime.block_on(dispatch(cli.command));
    // What still blocks a thread (a file system that hangs) does not keep the process.
    runtime.shutdown_background();
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.code)
        }
    }
}

async fn dispatch(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Serve(args) => serve::run(args).await,
        Command::Worker(args) => Box::pin(worker::run(*args)).await,
        Command::Cluster(command) => Box::pin(cluster::run(command)).await,
        Command::Run(args) => Box::pin(run::run(*args)).await,
        Command::Validate(args) => inspect::validate(&args),
        Command::Plan(args) => inspect::plan(&args),
        Command::Preview(args) => Box::pin(trial::preview(args)).await,
        Command::Probe(args) => Box::pin(trial::probe(args)).await,
        Command::Components(args) => inspect::components(&args),
        Command::Import(args) => channels::import(args).await,
        Command::Export(args) => channels::export(args).await,
        Command::Deploy(args) => channels::deploy(args).await,
        Command::Status(args) => channels::status(args).await,
        Command::Pause(args) => channels::set_target(args, TargetState::Paused).await,
        Command::Resume(args) => channels::set_target(args, TargetState::Running).await,
        Command::Stop(args) => channels::set_target(args, TargetState::Stopped).await,
        Command::Restart(args) => channels::restart(args).await,
        Command::Tap(args) => tap::run(args).await,
        Command::Positions(args) => records::positions(args).await,
        Command::DeadLetters(command) => dead_letters::run(command).await,
        Command::Secrets(command) => secrets::run(command).await,
        Command::Health(args) => channels::health(args).await,
    }
}
