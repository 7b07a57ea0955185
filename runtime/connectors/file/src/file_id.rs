//! What tells one file from another while both exist.

use std::fs::Metadata;

/// Device and inode of a file; zeros where the system has no such thing, so that only path and content tell files apart.
pub(crate) fn of(meta: &Metadata) -> (u64, u64) {
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
pub(crate) fn inode(meta: &Metadata) -> u64 {
    of(meta).1
}
