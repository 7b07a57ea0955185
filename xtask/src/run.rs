//! `cargo xtask run`: from a fresh checkout to the designer in a browser, or with `--desktop` in a window of its own.
//!
//! Data goes to `data/` in the checkout, which git ignores, with the sample files in `data/files/samples`.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::bundle::{self, Build};
use crate::house::House;
use crate::setup::{self, Purpose};
use crate::{files, step};

#[derive(Args)]
pub(crate) struct Options {
    /// Build the runtime optimised: for large data. It takes several times as long to build.
    #[arg(long)]
    release: bool,
    /// Open the desktop app instead of serving the designer to a browser.
    #[arg(long)]
    desktop: bool,
    /// Passed on to `fairway serve`, or documents that the desktop app opens.
    #[arg(last = true)]
    args: Vec<OsString>,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    setup::prepare(if options.desktop { Purpose::Desktop } else { Purpose::Run })?;
    // The designer is built for release: in the browser the unoptimised module is the slow part that a person
    // feels. The runtime is not, unless asked: from nothing it takes 185 s of CPU, for release 430 s, and it serves
    // the page and small channels as well.
    bundle::bundle(house, Build::Release)?;
    let mut build = if options.desktop {
        house.cargo(["build", "-p", "fairway-desktop", "--features", "desktop"])
    } else {
        house.cargo(["build", "-p", "fairway-runtime", "--bin", "fairway"])
    };
    let folder = if options.release {
        build.arg("--release");
        "release"
    } else {
        "debug"
    };
    step::must(&mut build)?;

    if options.desktop {
        let data = house.root.join("data");
        samples(&house.root, &data)?;
        let mut app = Command::new(house.binary(folder, "fairway-desktop"));
        if std::env::var_os("FAIRWAY_DATA").is_none() {
            app.env("FAIRWAY_DATA", data);
        }
        return become_it(app.args(&options.args));
    }
    let mut serve = Command::new(house.binary(folder, "fairway"));
    serve.current_dir(&house.root).arg("serve");
    if !options.args.iter().any(|arg| arg == "--data" || arg.to_string_lossy().starts_with("--data=")) {
        let data = house.root.join("data");
        samples(&house.root, &data)?;
        serve.arg("--data").arg(data);
    }
    serve.args(&options.args);
    become_it(&mut serve)
}

/// Copies the sample files that are not there yet: what a user changed stays changed.
pub(crate) fn samples(root: &Path, data: &Path) -> Result<()> {
    let to = data.join("files").join("samples");
    fs::create_dir_all(&to).with_context(|| format!("cannot create {}", to.display()))?;
    for from in files::walk(&root.join("assets/samples"))? {
        if from.file_name().is_some_and(|name| !to.join(name).exists()) {
            files::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Lets the program take this process's place, so that signals reach it and its exit code is ours.
#[cfg(unix)]
pub(crate) fn become_it(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    let shown = step::show(command);
    Err(command.exec()).with_context(|| format!("could not start `{shown}`"))
}

#[cfg(not(unix))]
pub(crate) fn become_it(command: &mut Command) -> Result<()> {
    step::must(command)
}
