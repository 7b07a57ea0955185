//! What tells one file from another while both exist: a path may lead to another file than the one that was opened there.

use std::fs::Metadata;
use std::path::Path;

/// Device and inode of a file; zeros where the system has no such thing, so that only path and content tell files apart.
pub fn of(meta: &Metadata) -> (u64, u64) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (meta.dev(), meta.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        (0, 0)
    }
}

/// The inode alone: devices may be numbered anew when a machine starts.
pub fn inode(meta: &Metadata) -> u64 {
    of(meta).1
}

/// Device and inode of the file that a path leads to.
///
/// # Errors
/// When there is none, or it cannot be looked at.
pub fn at(path: &Path) -> std::io::Result<(u64, u64)> {
    Ok(of(&std::fs::metadata(path)?))
}
