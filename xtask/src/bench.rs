//! `cargo xtask bench [NAME]`: the benches of the runtime (`runtime/benches`), in release.
//!
//! A bench is an ordinary cargo bench target; adding one there is enough, this file lists none.

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;

use crate::house::House;
use crate::{files, step};

#[derive(Args)]
pub(crate) struct Options {
    /// Only this bench: a file name of `runtime/benches` without its ending.
    name: Option<String>,
    /// Passed on to the bench.
    #[arg(last = true)]
    args: Vec<String>,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    let there = benches(&house.root.join("runtime/benches"))?;
    let chosen = match &options.name {
        Some(name) if !there.contains(name) => {
            bail!("there is no bench {name}; there are: {}", there.join(", "))
        }
        Some(name) => vec![name.clone()],
        None => there,
    };
    // Named one by one: asked for all, cargo would also build the library and the binary once more for nothing.
    let mut bench = house.cargo(["bench", "-p", "fairway-runtime"]);
    for name in &chosen {
        bench.args(["--bench", name]);
    }
    step::must(bench.arg("--").args(&options.args))
}

fn benches(folder: &Path) -> Result<Vec<String>> {
    let files = files::walk(folder)?;
    let sources = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    Ok(sources.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect())
}
