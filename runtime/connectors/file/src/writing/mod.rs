//! Files that are written exactly once: whatever crashes, a file holds the records up to the positions in its side file
//! and no others (G8).
//!
//! The side file `<path>.fairway` stands beside the file. Its first line says which file it belongs to and from which
//! length on it was written; every commit adds a line with the new length and how far each stream has come. A commit is: data
//! durable, line durable (I2). What lies behind the last committed length was never promised and is cut off. The format of the
//! side file is in `side_file`, the way of a commit and what is found after a crash in `committed_file`.

mod committed_file;
mod last_line;
mod side_file;

pub(crate) use committed_file::{CommittedFile, Format, Owner, SIDE_FILE};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a file that is already there when a channel first writes it. Later runs of the channel always go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Write behind its last whole line.
    Append,
    /// Refuse to start unless it is missing or empty.
    Create,
    /// Empty it.
    Overwrite,
}

/// How a file that is written is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compression {
    /// Not at all.
    None,
    /// As gzip; every commit ends a member, so that the file is whole at each of them.
    Gzip,
}

/// Makes names in a folder durable: a file that was created or renamed there.
fn sync_folder(path: &std::path::Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Elsewhere folders cannot be opened, and names are durable by themselves.
    if cfg!(unix) {
        std::fs::File::open(folder.unwrap_or(std::path::Path::new(".")))?.sync_all()
    } else {
        Ok(())
    }
}
