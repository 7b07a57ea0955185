//! `cargo xtask bench [NAME]`: the benches of the workspace, in release.
//!
//! A bench is an ordinary cargo bench target; adding one to a crate is enough, this file lists none. Those of the root
//! package look at the product from outside, in release too.

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::bundle::{self, Build};
use crate::house::House;
use crate::step;

/// The root package, whose benches start the real binary.
const PRODUCT: &str = "fairway-desktop";

#[derive(Args)]
pub(crate) struct Options {
    /// Only this bench: a file name in some crate's `benches` without its ending.
    name: Option<String>,
    /// Passed on to the bench.
    #[arg(last = true)]
    args: Vec<String>,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    let there = benches(house)?;
    let chosen: Vec<&Bench> = match &options.name {
        Some(name) => there.iter().filter(|bench| bench.name == *name).collect(),
        None => there.iter().collect(),
    };
    if chosen.is_empty() {
        let names: Vec<&str> = there.iter().map(|bench| bench.name.as_str()).collect();
        bail!("there is no such bench; there are: {}", names.join(", "));
    }
    if chosen.iter().any(|bench| bench.package == PRODUCT) {
        bundle::bundle(house, Build::Release)?;
        step::must(&mut house.cargo(["build", "--release", "-p", "fairway-runtime", "--bin", "fairway"]))?;
    }
    for bench in chosen {
        // Named one by one: asked for all, cargo would also build the library and the binary once more for nothing.
        let mut command = house.cargo(["bench", "-p", &bench.package, "--bench", &bench.name]);
        command.env("FAIRWAY_BIN", house.binary("release", "fairway"));
        step::must(command.arg("--").args(&options.args))?;
    }
    Ok(())
}

struct Bench {
    package: String,
    name: String,
}

fn benches(house: &House) -> Result<Vec<Bench>> {
    let output = house.cargo(["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata answers in JSON")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        for target in package["targets"].as_array().into_iter().flatten() {
            if target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "bench")) {
                found.push(Bench { package: text(&package["name"]), name: text(&target["name"]) });
            }
        }
    }
    Ok(found)
}
