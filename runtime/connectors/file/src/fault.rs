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
        ErrorKind::FileTooLarge => Error::outage("file.too_large", message)
            .help("raise the limit of file sizes, or let the target begin new files by size"),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Error::outage("file.permission", message).help("let Fairway's user read and write there")
        }
        ErrorKind::IsADirectory => Error::config("file.is_folder", message).help("name a file"),
        ErrorKind::NotFound => Error::outage("file.not_found", message),
        _ => Error::outage("file.io", message),
    };
    fault.source(error)
}

/// Something that is no file with a length and a content that stays: pipes, sockets and devices.
pub(crate) fn not_regular(name: &str, meta: &std::fs::Metadata) -> Error {
    let message = format!("`{name}` is {}, not a file", kind(meta));
    Error::config("file.not_regular", message)
        .help("name a regular file: only those can be gone back to after a crash")
}

fn kind(meta: &std::fs::Metadata) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = meta.file_type();
        if kind.is_fifo() {
            return "a pipe";
        } else if kind.is_socket() {
            return "a socket";
        } else if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if meta.is_dir() { "a folder" } else { "something else" }
}
