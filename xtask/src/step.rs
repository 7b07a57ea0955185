//! Running other programs: each is shown before it runs, and its failure is an error that names it.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Shows a command, runs it to its end, and fails if it does.
pub(crate) fn must(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("could not start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Prints a command as a person would type it, and gives that text back.
pub(crate) fn show(command: &Command) -> String {
    let name = PathBuf::from(command.get_program());
    let mut text = name.file_name().unwrap_or(name.as_os_str()).to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    eprintln!("$ {text}");
    text
}

/// Looks a program up in `PATH`, without starting it.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|candidate| candidate.is_file())
}
