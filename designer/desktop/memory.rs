//! What the app remembers between starts: its port, recent documents, and which file belongs to which channel. One small
//! file in the data directory; if it is lost, nothing but convenience is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::documents;

/// Recent documents kept.
const RECENT: usize = 12;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    port: Option<u16>,
    /// The latest first.
    recent: Vec<PathBuf>,
    /// Files by channel uid.
    files: BTreeMap<String, PathBuf>,
}

/// The memory, written down at every change.
pub(crate) struct Memory {
    at: PathBuf,
    kept: Mutex<Kept>,
}

impl Memory {
    /// Reads what is there; what cannot be read is forgotten.
    pub(crate) fn load(data: &Path) -> Self {
        let at = data.join("desktop.json");
        let kept = std::fs::read(&at).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Self { at, kept: Mutex::new(kept.unwrap_or_default()) }
    }

    /// The port of last time.
    pub(crate) fn port(&self) -> Option<u16> {
        self.lock().port
    }

    /// Remembers the port.
    pub(crate) fn keep_port(&self, port: u16) {
        self.change(|kept| kept.port = Some(port));
    }

    /// Recent documents, the latest first.
    pub(crate) fn recent(&self) -> Vec<PathBuf> {
        self.lock().recent.clone()
    }

    /// The file of a channel.
    pub(crate) fn file(&self, uid: &str) -> Option<PathBuf> {
        self.lock().files.get(uid).cloned()
    }

    /// The channel of a file.
    pub(crate) fn channel(&self, path: &Path) -> Option<String> {
        self.lock().files.iter().find(|(_, file)| *file == path).map(|(uid, _)| uid.clone())
    }

    /// Remembers that a document was opened or saved. A file belongs to one channel.
    pub(crate) fn keep(&self, path: &Path, uid: Option<&str>) {
        self.change(|kept| {
            kept.recent.retain(|known| known != path);
            kept.recent.insert(0, path.to_owned());
            kept.recent.truncate(RECENT);
            if let Some(uid) = uid {
                kept.files.retain(|_, file| file != path);
                kept.files.insert(uid.to_owned(), path.to_owned());
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut Kept)) {
        let mut kept = self.lock();
        change(&mut kept);
        let written = serde_json::to_string_pretty(&*kept)
            .map_err(|error| error.to_string())
            .and_then(|text| documents::write(&self.at, &text).map_err(|fault| fault.message));
        if let Err(error) = written {
            eprintln!("warning: the app cannot remember its files: {error}");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_one_channel_and_the_latest_comes_first() {
        let data = tempfile::tempdir().unwrap();
        let memory = Memory::load(data.path());
        memory.keep(Path::new("/a"), Some("1"));
        memory.keep(Path::new("/b"), None);
        memory.keep(Path::new("/a"), Some("2"));
        for number in 0..20 {
            memory.keep(Path::new(&format!("/{number}")), None);
        }
        memory.keep_port(4711);
        let again = Memory::load(data.path());
        assert_eq!(again.port(), Some(4711));
        assert_eq!((again.recent().len(), again.recent()[0].as_path()), (RECENT, Path::new("/19")));
        assert_eq!((again.file("1"), again.file("2").as_deref()), (None, Some(Path::new("/a"))));
        assert_eq!(again.channel(Path::new("/a")).as_deref(), Some("2"));
    }

    #[test]
    fn what_cannot_be_read_is_forgotten() {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("desktop.json"), "{ nonsense").unwrap();
        assert!(Memory::load(data.path()).recent().is_empty());
    }
}
