//! Files that are written exactly once: whatever crashes, they hold the records up to the positions in their side file
//! and no others (G8).
//!
//! The side file `<path>.fairway` stands beside the file, or beside the series whose path has `{n}` in it. Its first line says
//! which file it belongs to and from which length on it was written; every commit adds a line with the new length and how
//! far each stream has come. A commit is: data durable, line durable (I2). What lies behind the last committed length was
//! never promised and is cut off, unless another program added it. A commit may span several files of a series: each is
//! noted before it is written, and taken back if no commit follows.
//!
//! | File | Holds |
//! |---|---|
//! | `file_sink` | the sink of all formats |
//! | `committed_file` | opening, the way of a commit, what is found after a crash |
//! | `start` | the place of the first commit, by mode |
//! | `part`, `packer` | one file, and compression into it |
//! | `series` | names of files, and when the next one begins |
//! | `side_file` | the log of commits |
//! | `last_line` | how a file of somebody else ends |
//! | `format` | what a format says |

mod committed_file;
mod file_sink;
mod format;
mod last_line;
mod packer;
mod part;
mod series;
mod side_file;
mod start;

pub(crate) use file_sink::FileSink;
pub(crate) use format::Format;
pub(crate) use last_line::{Ending, ending};
pub(crate) use series::{Rolling, examples};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ending of a side file's name.
const SIDE_FILE: &str = ".fairway";

/// Whether a path is that of a side file, which holds positions and no data.
pub(crate) fn is_side_file(path: &str) -> bool {
    path.ends_with(SIDE_FILE) || path.strip_suffix(".new").is_some_and(|path| path.ends_with(SIDE_FILE))
}

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
    /// As Zstandard; every commit ends a frame, so that the file is whole at each of them.
    Zstd,
}

/// Creates a file of our own beside another, in the place of whatever has its name; a link of that name is not followed.
fn create_beside(path: &std::path::Path) -> std::io::Result<std::fs::File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::OpenOptions::new().read(true).write(true).create_new(true).open(path)
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
