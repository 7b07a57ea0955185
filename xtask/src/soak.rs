//! `cargo xtask soak`: the tests with full counts, in release: kills by the dozen, torture at full size, parsers
//! against their references for as long as asked. `cargo xtask test` runs each of them once in short form.
//!
//! A test asks `fairway_engine::testkit::counts` how much it is to do; that reads the variables set here.

use anyhow::Result;
use clap::Args;

use crate::house::House;
use crate::setup::{self, Purpose};
use crate::step;

#[derive(Args)]
pub(crate) struct Options {
    /// Only the parsers of CSV, JSON and numbers, against the crates that they must agree with.
    #[arg(long)]
    fuzz: bool,
    /// With `--fuzz`: how many inputs each comparison makes up.
    #[arg(long, default_value_t = 1_000_000)]
    cases: u32,
    /// Passed on to the test binaries, such as a filter.
    #[arg(last = true)]
    args: Vec<String>,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    setup::prepare(Purpose::Test)?;
    let mut command = house.cargo(["test", "--release", "--no-fail-fast"]);
    if options.fuzz {
        command.args(["-p", "fairway-engine", "--lib"]).env("FAIRWAY_SOAK_CASES", options.cases.to_string());
    } else {
        command.args(["--bins", "--tests"]).env("FAIRWAY_SOAK", "1");
    }
    command.args(["--", "--include-ignored"]);
    if options.fuzz {
        command.arg("data::");
    }
    step::must(command.args(&options.args))
}
