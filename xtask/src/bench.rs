//! `cargo xtask bench [NAME]`: the benches of the runtime (`runtime/benches`), in release.
//!
//! A bench is an ordinary cargo bench target; adding one there is enough, this file lists none.

use anyhow::Result;
use clap::Args;

use crate::house::House;
use crate::step;

#[derive(Args)]
pub(crate) struct Options {
    /// Only this bench: a file name of `runtime/benches` without its ending.
    name: Option<String>,
    /// Passed on to the bench.
    #[arg(last = true)]
    args: Vec<String>,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    let mut bench = house.cargo(["bench", "-p", "fairway-runtime"]);
    match &options.name {
        Some(name) => bench.args(["--bench", name]),
        None => bench.arg("--benches"),
    };
    step::must(bench.arg("--").args(&options.args))
}
