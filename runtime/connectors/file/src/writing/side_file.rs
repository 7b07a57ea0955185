//! The side file: a log of checksummed lines, locked by its one writer.
//!
//! A line is the CRC-32 of the rest in eight hexadecimal digits, a space, and a JSON object with one member that says what it
//! is. Lines are only ever added; beyond a megabyte the whole is written anew beside the old one and renamed over it.
//! A line that a crash left half written can only be the last; anything worse is damage and waits for the user.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::file_id;
use fairway_engine::position::{Mark, Position, StreamKey};
use serde::{Deserialize, Serialize};

use super::{create_beside, sync_folder};
use crate::fault;

/// How long a lock is asked for, and how often: a process that is just being started by this one holds copies of its open
/// files for a moment, those of a writer that has already ended among them.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// From this size on the side file is written anew.
const REWRITE_BYTES: u64 = 1 << 20;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// First line: which file this is about.
    File(Identity),
    /// How far a stream has come, when it is adopted or the side file written anew.
    Held(Held),
    /// A commit.
    Commit(Commit),
    /// A file of this name is about to be made. Not made durable: it is for the one that a killed writer leaves empty.
    Naming(String),
    /// A further file was begun; it counts once a commit follows.
    Roll(Identity),
    /// The files begun since the last commit are gone again.
    Back(u64),
    /// Bytes may follow behind this length. Written before the data, and not made durable: it tells a killed writer's bytes from
    /// those of another program.
    Writing(u64),
    /// Nothing of ours lies behind this length: noted when the file is let go of.
    Clean(u64),
    /// The columns, when the side file is written anew.
    Columns(Vec<String>),
}

/// Which file a side file belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    /// Inode of the file.
    pub(super) inode: u64,
    /// Length from which on it is written; what lies before was there already.
    pub(super) start: u64,
    /// Committed length.
    pub(super) length: u64,
    /// Committed records of ours.
    #[serde(default)]
    pub(super) records: u64,
    /// Which of a series it is.
    #[serde(default)]
    pub(super) number: u64,
    /// When it was begun, in seconds since 1970-01-01 UTC.
    #[serde(default)]
    pub(super) began: i64,
    /// Path as the settings lead to it, for one of a series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
}

/// How far a stream has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Held {
    pub(super) uid: String,
    pub(super) node: String,
    pub(super) stream: StreamKey,
    pub(super) generation: u64,
    /// Nothing when it was adopted and nothing delivered yet.
    pub(super) position: Option<Position>,
}

/// A new length and the positions that go with it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Commit {
    pub(super) length: u64,
    #[serde(default)]
    pub(super) records: u64,
    pub(super) uid: String,
    pub(super) node: String,
    pub(super) generation: u64,
    pub(super) marks: Vec<Mark>,
    /// With the first commit, the columns that the file has from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) columns: Option<Vec<String>>,
}

/// What all lines together say.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Nothing in a side file that was only just created.
    pub(super) file: Option<Identity>,
    pub(super) held: Vec<Held>,
    /// Files begun since the last commit, in their order.
    pub(super) begun: Vec<Identity>,
    /// A file that may have been made and was not noted.
    pub(super) naming: Option<String>,
    pub(super) columns: Option<Vec<String>>,
    /// Whether bytes of ours may lie behind the committed length.
    pub(super) writing: bool,
    /// Whether none do for sure.
    pub(super) clean: bool,
}

impl State {
    pub(super) fn held(&self, uid: &str, node: &str, stream: &StreamKey) -> Option<&Held> {
        self.held.iter().find(|held| held.uid == uid && held.node == node && held.stream == *stream)
    }

    fn apply(&mut self, line: Line) {
        match line {
            Line::File(identity) => *self = State { file: Some(identity), ..State::default() },
            Line::Held(held) => self.put(held),
            Line::Naming(name) => self.naming = Some(name),
            Line::Roll(identity) => {
                self.naming = None;
                self.begun.push(identity);
            }
            Line::Back(_) => {
                self.naming = None;
                self.begun.clear();
            }
            Line::Writing(_) => (self.writing, self.clean) = (true, false),
            Line::Clean(_) => (self.writing, self.clean) = (false, true),
            Line::Columns(columns) => self.columns = Some(columns),
            Line::Commit(commit) => {
                (self.writing, self.clean) = (false, false);
                if let Some(last) = self.begun.pop() {
                    self.file = Some(last);
                    self.begun.clear();
                }
                if let Some(file) = &mut self.file {
                    (file.length, file.records) = (commit.length, commit.records);
                }
                if commit.columns.is_some() {
                    self.columns = commit.columns;
                }
                for mark in commit.marks {
                    self.put(Held {
                        uid: commit.uid.clone(),
                        node: commit.node.clone(),
                        stream: mark.stream,
                        generation: commit.generation,
                        position: Some(mark.position),
                    });
                }
            }
        }
    }

    fn put(&mut self, new: Held) {
        let same =
            |held: &&mut Held| held.uid == new.uid && held.node == new.node && held.stream == new.stream;
        match self.held.iter_mut().find(same) {
            Some(held) => *held = new,
            None => self.held.push(new),
        }
    }

    fn lines(&self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        if let Some(file) = &self.file {
            write_line(&Line::File(file.clone()), &mut out)?;
        }
        if let Some(columns) = &self.columns {
            write_line(&Line::Columns(columns.clone()), &mut out)?;
        }
        for held in &self.held {
            write_line(&Line::Held(held.clone()), &mut out)?;
        }
        let length = self.file.as_ref().map_or(0, |file| file.length);
        if self.clean {
            write_line(&Line::Clean(length), &mut out)?;
        }
        if self.writing {
            write_line(&Line::Writing(length), &mut out)?;
        }
        for identity in &self.begun {
            write_line(&Line::Roll(identity.clone()), &mut out)?;
        }
        if let Some(name) = &self.naming {
            write_line(&Line::Naming(name.clone()), &mut out)?;
        }
        Ok(out)
    }
}

/// An open side file; nobody else can open it meanwhile.
#[derive(Debug)]
pub(super) struct SideFile {
    path: PathBuf,
    /// Locked as long as it is open.
    file: File,
    /// Bytes of whole lines.
    size: u64,
    state: State,
    /// Whether the end of the file is unknown since a write failed.
    doubtful: bool,
}

impl SideFile {
    /// Opens and locks a side file, and creates it if there is none.
    ///
    /// # Errors
    /// `file.locked` (an outage: the other writer may end) while another writer holds it; `file.side_file_damaged` (a
    /// hold) when lines in the middle do not bear their checksums.
    pub(super) fn lock(path: &Path) -> Result<Self, Error> {
        let opened = |error| fault::io(path, "open", error);
        loop {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(path)
                .map_err(opened)?;
            if !locked(&file) {
                let message = format!("another writer has `{}`", path.display());
                return Err(Error::outage("file.locked", message).help("let one node at a time write a file"));
            }
            // The one before may have written the side file anew between our opening and locking it.
            let there = std::fs::metadata(path).ok().map(|meta| file_id::of(&meta));
            if there == Some(file_id::of(&file.metadata().map_err(opened)?)) {
                let mut side =
                    Self { path: path.to_owned(), file, size: 0, state: State::default(), doubtful: false };
                side.load()?;
                return Ok(side);
            }
        }
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Begins anew with a file: everything held for another is forgotten.
    pub(super) fn begin(&mut self, identity: Identity, columns: Option<Vec<String>>) -> io::Result<()> {
        self.state = State { file: Some(identity), columns, ..State::default() };
        self.rewrite()
    }

    /// Adds a line and makes it durable.
    ///
    /// # Errors
    /// It is then unknown whether the line is there; [`settle`](SideFile::settle) finds out.
    pub(super) fn append(&mut self, line: Line) -> io::Result<()> {
        self.note(line)?;
        self.doubtful = true;
        self.file.sync_data()?;
        self.doubtful = false;
        if self.size > REWRITE_BYTES {
            self.rewrite()?;
        }
        Ok(())
    }

    /// Adds a line that need not outlive the machine, only this process.
    pub(super) fn note(&mut self, line: Line) -> io::Result<()> {
        let mut bytes = Vec::new();
        write_line(&line, &mut bytes)?;
        self.doubtful = true;
        self.file.seek(SeekFrom::Start(self.size))?;
        self.file.write_all(&bytes)?;
        self.doubtful = false;
        self.size += bytes.len() as u64;
        self.state.apply(line);
        Ok(())
    }

    /// After a failed write: reads what is there.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        if self.doubtful {
            self.load()?;
            // What is there now is built upon, so it must be there for good.
            self.file.sync_data().map_err(|error| fault::io(&self.path, "write", error))?;
        }
        Ok(())
    }

    /// Reads the whole and cuts a half-written last line off.
    fn load(&mut self) -> Result<(), Error> {
        let read = |error| fault::io(&self.path, "read", error);
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0)).map_err(read)?;
        self.file.read_to_end(&mut bytes).map_err(read)?;
        let mut state = State::default();
        let mut size = 0;
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        for text in lines.by_ref() {
            let Some(line) = read_line(text) else { break };
            state.apply(line);
            size += text.len() as u64;
        }
        if lines.any(|text| read_line(text).is_some()) {
            let message =
                format!("`{}` is damaged: it cannot be known what is committed", self.path.display());
            let help = "restore it, or remove it together with the file and start over";
            return Err(Error::hold("file.side_file_damaged", message).help(help));
        }
        if size < bytes.len() as u64 {
            let cut = |error| fault::io(&self.path, "write", error);
            self.file.set_len(size).map_err(cut)?;
            self.file.sync_data().map_err(cut)?;
        }
        (self.state, self.size, self.doubtful) = (state, size, false);
        Ok(())
    }

    /// Writes the state as a new file and puts it in the place of the old one; the lock passes over with it.
    fn rewrite(&mut self) -> io::Result<()> {
        let bytes = self.state.lines()?;
        let mut name = self.path.clone().into_os_string();
        name.push(".new");
        let mut file = create_beside(Path::new(&name))?;
        file.try_lock().map_err(io::Error::from)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        self.doubtful = true;
        std::fs::rename(&name, &self.path)?;
        self.file = file;
        sync_folder(&self.path)?;
        (self.size, self.doubtful) = (bytes.len() as u64, false);
        Ok(())
    }
}

/// Locks a file if nobody else holds it for long.
fn locked(file: &File) -> bool {
    for _ in 0..LOCK_TRIES {
        if file.try_lock().is_ok() {
            return true;
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    false
}

fn write_line(line: &Line, out: &mut Vec<u8>) -> io::Result<()> {
    let json = serde_json::to_string(line)?;
    writeln!(out, "{:08x} {json}", crc32fast::hash(json.as_bytes()))
}

fn read_line(text: &[u8]) -> Option<Line> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
    let (sum, json) = text.split_once(' ')?;
    let sound = sum.len() == 8 && u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(json.as_bytes());
    if sound { serde_json::from_str(json).ok() } else { None }
}

#[cfg(test)]
mod tests;
