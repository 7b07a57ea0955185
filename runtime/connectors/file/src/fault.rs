//! What the operating system says about files, in the engine's words.

use std::io::{self, ErrorKind};
use std::path::Path;

use fairway_engine::Error;

/// A fault of the file system: passing ones (permission, full disk, no such folder yet) wait and are tried again.
pub(crate) fn io(path: &Path, doing: &str, error: io::Error) -> Error {
    let message = format!("cannot {doing} `{}`", path.display());
    let fault = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Error::outage("file.disk_full", message).help("make room on the disk")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Error::outage("file.permission", message).help("let Fairway's user read and write there")
        }
        ErrorKind::IsADirectory => Error::config("file.is_folder", message).help("name a file"),
        ErrorKind::NotFound => Error::outage("file.not_found", message),
        _ => Error::outage("file.io", message),
    };
    fault.source(error)
}
