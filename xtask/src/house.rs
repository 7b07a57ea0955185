//! Where things lie: the repository's root, cargo, its target directory.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The version of every package of the workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The target that the designer is built for.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// The checkout that the command works on.
pub(crate) struct House {
    /// The folder that holds the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Cargo's target directory: it follows `CARGO_TARGET_DIR` and cargo's own settings.
    pub(crate) target: PathBuf,
}

impl House {
    /// Finds the checkout from where cargo started this program.
    pub(crate) fn find() -> Result<Self> {
        // Cargo sets the variable for `cargo run`; the constant serves a binary that was started by hand.
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = manifest.parent().context("xtask lies in a folder of the workspace")?.to_path_buf();
        let target = target_directory(&root)?;
        Ok(Self { root, target })
    }

    /// A cargo command in the root.
    pub(crate) fn cargo<I, S>(&self, args: I) -> Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<std::ffi::OsStr>,
    {
        cargo(&self.root, args)
    }

    /// The folder that the runtime serves the designer from.
    pub(crate) fn bundle(&self) -> PathBuf {
        self.root.join("designer").join("dist")
    }

    /// The `fairway` binary of a cargo profile's folder (`debug`, `release`).
    pub(crate) fn binary(&self, folder: &str, name: &str) -> PathBuf {
        self.target.join(folder).join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}

fn cargo<I, S>(root: &Path, args: I) -> Command
where
    I: IntoIterator<Item = S>,
    S: AsRef<std::ffi::OsStr>,
{
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(args);
    // These describe xtask itself; a crate that reads them at build time would be built anew for nothing.
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH"] {
        command.env_remove(name);
    }
    command
}

fn target_directory(root: &Path) -> Result<PathBuf> {
    let output = cargo(root, ["metadata", "--no-deps", "--format-version", "1"])
        .output()
        .context("cargo metadata could not be started")?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(PathBuf::from(target))
}
