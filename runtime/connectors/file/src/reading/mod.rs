//! Files as sources: every record of every file once, whatever becomes of files meanwhile (G4, G5, G6).
//!
//! | File | Holds |
//! |---|---|
//! | `paths` | globs to files, each once |
//! | `input`, `gunzip`, `chunk` | bytes to text: compression, encoding, damage |
//! | `trail` | positions, and how a file is known again |
//! | `open_file` | one file: chunk by chunk, records too long, the end |
//! | `file_source` | all files: which is next, growth, rotation, faults |
//! | `rejects` | input that is no sound record |
//! | `probing` | what there is to read, for forms |
//!
//! A format (CSV and so on) implements `Format` and `Records`, and is a component in one file.

mod chunk;
mod file_source;
mod gunzip;
mod input;
mod open_file;
mod paths;
mod probing;
mod rejects;
mod trail;

pub(crate) use chunk::Chunk;
pub(crate) use file_source::{FileSource, Reading};
pub(crate) use input::{Coding, Compression};
pub(crate) use open_file::{Ask, Format, Limits, Records, Taken, too_long};
pub(crate) use paths::Pattern;
pub(crate) use probing::probe;
pub(crate) use rejects::{Place, Refusals, at, what_is};

use fairway_engine::component::Issue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::writing::is_side_file;

/// One path or glob, or several.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Paths {
    /// One.
    One(String),
    /// Several; a file that more than one leads to is read once.
    Many(Vec<String>),
}

impl Paths {
    /// The paths, taken apart.
    ///
    /// # Errors
    /// A sentence for the user when there is none, or one is no path.
    pub(crate) fn patterns(&self) -> Result<Vec<Pattern>, String> {
        let all = match self {
            Paths::One(path) => std::slice::from_ref(path),
            Paths::Many(paths) => paths,
        };
        if all.is_empty() || all.iter().any(String::is_empty) {
            return Err("there is no path".into());
        }
        if let Some(path) = all.iter().find(|path| is_side_file(path)) {
            return Err(format!("`{path}` is the side file of a target, not data"));
        }
        all.iter().map(|path| Pattern::new(path)).collect()
    }

    /// What is wrong with the paths, with an example of better ones.
    pub(crate) fn check(&self, example: &str) -> Option<Issue> {
        let help = format!("name a file, or a glob such as `{example}`");
        self.patterns().err().map(|message| Issue::new("path", message, help))
    }
}
