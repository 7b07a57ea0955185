//! Channel documents as files of the user's own: read whole, written whole or not at all.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// Largest file that is read; documents themselves are limited by the server, which says so better.
const LARGEST: u64 = 16 << 20;

/// A document as it was read.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    /// Where it lies.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Why a file cannot be read or written, for the page.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn of(path: &Path, what: &str, error: impl std::fmt::Display) -> Self {
        Self { message: format!("cannot {what} {}: {error}", path.display()) }
    }
}

/// Reads a document.
pub(crate) fn read(path: &Path) -> Result<Document, Fault> {
    let fault = |error: std::io::Error| Fault::of(path, "read", error);
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text)).map_err(fault)?;
    if read as u64 > LARGEST {
        return Err(Fault::of(path, "read", "it is larger than 16 MiB, so it is no channel document"));
    }
    Ok(Document { path: path.to_owned(), text })
}

/// The file name as a person reads it.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Writes a text in place of what is there, durable before the old one is gone.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Fault> {
    let fault = |error: std::io::Error| Fault::of(path, "write", error);
    // A link keeps leading to its file.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut beside = target.clone().into_os_string();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = File::create(&beside).and_then(|mut file| {
        if let Ok(meta) = fs::metadata(&target) {
            file.set_permissions(meta.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs::rename(&beside, &target));
    if moved.is_err() && fs::remove_file(&beside).is_err() {
        eprintln!("warning: {} is left over", beside.display());
    }
    moved.map_err(fault)
}

/// Documents that wait for the page: named at the start, or brought by a second start.
#[derive(Default)]
pub(crate) struct Waiting(Mutex<Vec<PathBuf>>);

impl Waiting {
    pub(crate) fn add(&self, paths: impl IntoIterator<Item = PathBuf>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(paths);
    }

    pub(crate) fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.fairway.json");
        write(&path, "first").unwrap();
        write(&path, "second").unwrap();
        assert_eq!(read(&path).unwrap().text, "second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        let nowhere = folder.path().join("no/such/folder.json");
        assert!(write(&nowhere, "x").unwrap_err().message.contains("folder.json"));
        assert!(read(&nowhere).unwrap_err().message.starts_with("cannot read"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_leading_to_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
