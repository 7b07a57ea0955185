//! `cargo xtask cluster`: from a fresh checkout to a cluster of workers on this machine, its Kafka included.
//!
//! The broker lies in a folder of its own, which goes when the command ends, and with it everything that the cluster remembers. To keep it,
//! start `fairway cluster up` with a Kafka of yours.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::bundle::{self, Build};
use crate::house::House;
use crate::setup::{self, Purpose};
use crate::{peers, run, step};

#[derive(Args)]
pub(crate) struct Options {
    /// How many workers.
    #[arg(long, default_value_t = 3)]
    workers: u16,
    /// Build the workers optimised: for large data.
    #[arg(long)]
    release: bool,
    /// Passed on to `fairway cluster up`.
    #[arg(last = true)]
    args: Vec<OsString>,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    setup::prepare(Purpose::Cluster)?;
    peers::kafka(house)?;
    bundle::bundle(house, Build::Release)?;
    let mut build = house.cargo(["build", "-p", "fairway-runtime", "--bin", "fairway"]);
    let folder = if options.release {
        build.arg("--release");
        "release"
    } else {
        "debug"
    };
    step::must(&mut build)?;
    step::must(&mut house.cargo(["build", "-p", "fairway-peers", "--features", "kafka", "--bin", "kafka"]))?;

    let mut broker = Command::new(house.binary("debug", "kafka"));
    step::show(&broker);
    // Ctrl-C is not for it: the workers need it while they drain.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut broker, 0);
    let mut broker = broker.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("no Kafka")?;
    let output = broker.stdout.take().context("Kafka says nothing")?;
    let mut address = String::new();
    BufReader::new(output).read_line(&mut address).context("Kafka does not say where it is")?;
    ensure!(!address.trim().is_empty(), "Kafka did not start");

    let data = house.root.join("data");
    run::samples(&house.root, &data)?;
    let mut cluster = Command::new(house.binary(folder, "fairway"));
    cluster.current_dir(&house.root).args(["cluster", "up", "--kafka", address.trim()]);
    cluster.args(["--workers", &options.workers.to_string()]).arg("--data").arg(data).args(&options.args);
    // The broker ends when its standard input does. The other end is the cluster's, so that goes first, however it goes.
    cluster.stdin(broker.stdin.take().context("Kafka cannot be told to end")?);
    run::become_it(&mut cluster)
}
