//! `cargo xtask …`: every command that a newcomer, a developer or CI runs.
//!
//! Here is the command line only; each command is a file (or folder) of its own beside this one. What the
//! commands share is in `house.rs` (where things lie) and `step.rs` (running other programs).

mod bench;
mod bundle;
mod cluster;
mod deny;
mod dist;
mod files;
mod house;
mod peers;
mod run;
mod setup;
mod soak;
mod step;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::house::House;

/// Everything needed to build, run, test and ship Fairway.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing on this machine, or say exactly what is.
    Setup(setup::Options),
    /// Build the designer and put it where the runtime finds it (`designer/dist`).
    Bundle(bundle::Options),
    /// Build everything and start Fairway; what follows `--` goes to `fairway serve`.
    Run(run::Options),
    /// Build everything, start a Kafka of its own and a cluster of workers on it; what follows `--` goes to `fairway cluster up`.
    Cluster(cluster::Options),
    /// Check format and lints, build, run every test; ends with the counts. CI runs exactly this.
    #[command(alias = "ci")]
    Test(test::Options),
    /// Run the tests with full counts, in release; `--fuzz` only the parsers.
    Soak(soak::Options),
    /// Run the benches, in release.
    Bench(bench::Options),
    /// Make the release packages in the target directory's `dist` folder.
    Dist(dist::Options),
    /// Check licences and banned crates, if cargo-deny is there.
    Deny,
}

fn main() -> ExitCode {
    match obey(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn obey(command: Command) -> Result<()> {
    let house = House::find()?;
    match command {
        Command::Setup(options) => setup::run(&house, &options),
        Command::Bundle(options) => bundle::run(&house, &options),
        Command::Run(options) => run::run(&house, &options),
        Command::Cluster(options) => cluster::run(&house, &options),
        Command::Test(options) => test::run(&house, &options),
        Command::Soak(options) => soak::run(&house, &options),
        Command::Bench(options) => bench::run(&house, &options),
        Command::Dist(options) => dist::run(&house, &options),
        Command::Deny => deny::run(&house),
    }
}
