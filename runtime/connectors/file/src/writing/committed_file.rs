//! A file that is written by commits: opening it, after a crash too, and the way of a commit.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fairway_engine::Error;
use fairway_engine::data::Batch;
use fairway_engine::position::{Mark, Position, StreamKey};
use flate2::write::GzEncoder;

use super::last_line::{Ending, ending, gzip_is_whole};
use super::side_file::{Commit, Held, Identity, Line, SideFile};
use super::{Compression, Mode, sync_folder};
use crate::{fault, file_id};

/// Bytes of records gathered before they are handed to the operating system.
const FLUSH_BYTES: usize = 1 << 20;
/// Ending of a side file's name.
pub(crate) const SIDE_FILE: &str = ".fairway";

/// How records become lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    /// Appends a record with its line end.
    pub(crate) write: fn(&fairway_engine::data::RecordRef<'_>, &mut Vec<u8>),
    /// Whether a last line without a line end, found in a file of somebody else, is a whole record.
    pub(crate) is_whole: fn(&[u8]) -> bool,
}

/// Whose positions are kept.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    /// Uid of the channel.
    pub(crate) uid: String,
    /// Id of the node.
    pub(crate) node: String,
    /// Generation of this run.
    pub(crate) generation: u64,
}

/// A file being written, with the lock on its side file.
#[derive(Debug)]
pub(crate) struct CommittedFile {
    path: PathBuf,
    owner: Owner,
    format: Format,
    compression: Compression,
    side: SideFile,
    file: File,
    inode: u64,
    /// Everything before is committed.
    length: u64,
    /// Whether bytes may lie behind `length`.
    dirty: bool,
    buffer: Vec<u8>,
}

impl CommittedFile {
    /// Opens a file for a channel's node and puts it in the state of its last commit.
    ///
    /// # Errors
    /// `Config` when the file may not be written in this mode; `Hold` when what the side file promised of this channel
    /// is no longer there; `Outage` when another writer has it or the file system refuses.
    pub(crate) fn open(
        path: &Path,
        mode: Mode,
        compression: Compression,
        format: Format,
        owner: Owner,
    ) -> Result<Self, Error> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| fault::io(folder, "create", error))?;
        }
        let mut name = path.as_os_str().to_owned();
        name.push(SIDE_FILE);
        let mut side = SideFile::lock(Path::new(&name))?;
        let meta = match std::fs::metadata(path) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(fault::io(path, "look at", error)),
        };
        if meta.as_ref().is_some_and(|meta| !meta.is_file()) {
            let message = format!("`{}` is no regular file", path.display());
            return Err(Error::config("file.is_folder", message).help("name a file"));
        }
        let mine = side
            .state()
            .held
            .iter()
            .any(|held| held.uid == owner.uid && held.node == owner.node && held.position.is_some());
        let found = side.state().file.clone().map(|known| match changed(&known, meta.as_ref()) {
            None => Ok(known),
            Some(how) => Err(how),
        });
        let identity = match found {
            Some(Ok(known)) if mine || mode == Mode::Append => known,
            Some(Ok(_)) if mode == Mode::Create => return Err(exists(path)),
            // What was promised to this channel is gone: whether to write it again is not ours to decide (I2).
            Some(Err(how)) if mine => {
                let message = format!("`{}` {how} since the last commit", path.display());
                let help = "put the file back, or start the channel over";
                return Err(Error::hold("file.changed", message).help(help));
            }
            _ => {
                let identity = start(path, meta, mode, compression, format)?;
                side.begin(identity.clone()).map_err(|error| fault::io(path, "note the start of", error))?;
                identity
            }
        };
        let opened = |error| fault::io(path, "open", error);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(opened)?;
        if identity.length > 0
            && is_gzip(&mut file, identity.length).map_err(opened)? != (compression == Compression::Gzip)
        {
            let message = format!("what is in `{}` is not compressed in the same way", path.display());
            let help = "choose the compression that it was begun with, or another path";
            return Err(Error::config("file.compression_changed", message).help(help));
        }
        let mut opened = Self {
            path: path.to_owned(),
            owner,
            format,
            compression,
            side,
            file,
            inode: identity.inode,
            length: identity.length,
            dirty: true,
            buffer: Vec::new(),
        };
        opened.recover()?;
        Ok(opened)
    }

    /// Takes a stream over: how far it has come in this file.
    ///
    /// # Errors
    /// `Fenced` when a later generation has adopted it (I4).
    pub(crate) fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        self.recover()?;
        let Owner { uid, node, generation } = &self.owner;
        let held = self.side.state().held(uid, node, stream);
        if held.is_some_and(|held| held.generation > *generation) {
            return Err(self.fenced());
        }
        let position = held.and_then(|held| held.position.clone());
        let line = Held {
            uid: uid.clone(),
            node: node.clone(),
            stream: stream.clone(),
            generation: *generation,
            position: position.clone(),
        };
        self.side
            .append(Line::Held(line))
            .map_err(|error| fault::io(&self.path, "note the owner of", error))?;
        Ok(position)
    }

    /// Appends records and makes them and the marks durable together, or neither.
    pub(crate) fn commit(&mut self, batches: &[Batch], marks: &[Mark]) -> Result<(), Error> {
        self.recover()?;
        if !marks.is_empty() && marks.iter().all(|mark| self.holds(mark)) {
            // A commit whose outcome was unknown went through (G8).
            return Ok(());
        }
        let length = if batches.iter().all(Batch::is_empty) {
            self.length
        } else {
            self.dirty = true;
            self.write(batches).map_err(|error| fault::io(&self.path, "write", error))?
        };
        let Owner { uid, node, generation } = self.owner.clone();
        let commit = Commit { length, uid, node, generation, marks: marks.to_vec() };
        self.dirty = true;
        self.side.append(Line::Commit(commit)).map_err(|error| fault::io(&self.path, "commit", error))?;
        (self.length, self.dirty) = (length, false);
        Ok(())
    }

    fn holds(&self, mark: &Mark) -> bool {
        let held = self.side.state().held(&self.owner.uid, &self.owner.node, &mark.stream);
        held.and_then(|held| held.position.as_ref()).is_some_and(|held| held.order >= mark.position.order)
    }

    /// Writes records behind the committed length and makes them durable: the new length.
    fn write(&mut self, batches: &[Batch]) -> io::Result<u64> {
        self.file.seek(SeekFrom::Start(self.length))?;
        match self.compression {
            Compression::None => write_lines(batches, self.format, &mut self.buffer, &mut self.file)?,
            Compression::Gzip => {
                let mut member = GzEncoder::new(&mut self.file, flate2::Compression::default());
                write_lines(batches, self.format, &mut self.buffer, &mut member)?;
                member.finish()?;
            }
        }
        self.file.sync_data()?;
        self.file.stream_position()
    }

    /// Cuts off what was never committed. Called before every use, since others may touch a file that lies in the open.
    fn recover(&mut self) -> Result<(), Error> {
        self.side.settle()?;
        if let Some(known) = &self.side.state().file {
            self.length = known.length;
        }
        let known = Identity { inode: self.inode, start: 0, length: self.length };
        let there = std::fs::metadata(&self.path).ok();
        if let Some(how) = changed(&known, there.as_ref()) {
            let message = format!("`{}` {how} while it was being written", self.path.display());
            let help =
                "put the file back, or start the channel over; to rotate files, stop the channel first";
            return Err(Error::hold("file.changed", message).help(help));
        }
        let longer = there.is_some_and(|meta| meta.len() > self.length);
        if self.dirty || longer {
            let cut = |error| fault::io(&self.path, "cut off what was not committed of", error);
            self.file.set_len(self.length).map_err(cut)?;
            self.file.sync_data().map_err(cut)?;
            self.dirty = false;
        }
        Ok(())
    }

    fn fenced(&self) -> Error {
        let message = format!("another run of this channel has taken `{}` over", self.path.display());
        Error::new(fairway_engine::error::Kind::Fenced, "file.fenced", message)
    }
}

/// How a file is not what its side file says.
fn changed(known: &Identity, meta: Option<&Metadata>) -> Option<&'static str> {
    match meta {
        None => Some("has vanished"),
        Some(meta) if file_id::inode(meta) != known.inode => Some("was replaced by another file"),
        Some(meta) if meta.len() < known.length => Some("became shorter"),
        Some(_) => None,
    }
}

fn exists(path: &Path) -> Error {
    let message = format!("`{}` is already there", path.display());
    let help = "choose another path, or the mode `append` or `overwrite`";
    Error::config("file.exists", message).help(help)
}

/// Makes a file ready for its first commit, by mode: where it starts.
fn start(
    path: &Path,
    meta: Option<Metadata>,
    mode: Mode,
    compression: Compression,
    format: Format,
) -> Result<Identity, Error> {
    let opened = |error| fault::io(path, "open", error);
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(opened)?;
    if meta.is_none() {
        sync_folder(path).map_err(opened)?;
    }
    let meta = file.metadata().map_err(opened)?;
    let start = match (mode, meta.len()) {
        (_, 0) | (Mode::Overwrite, _) => 0,
        (Mode::Create, _) => return Err(exists(path)),
        (Mode::Append, length) => append_at(path, &mut file, length, compression, format)?,
    };
    Ok(Identity { inode: file_id::inode(&meta), start, length: start })
}

/// Where to go on behind what somebody else wrote.
fn append_at(
    path: &Path,
    file: &mut File,
    length: u64,
    compression: Compression,
    format: Format,
) -> Result<u64, Error> {
    let foreign = |what: &str| {
        let message = format!("`{}` cannot be appended to: {what}", path.display());
        Error::config("file.not_appendable", message).help("choose another path, or the mode `overwrite`")
    };
    let read = |error| fault::io(path, "read", error);
    match (compression, is_gzip(file, length).map_err(read)?) {
        (Compression::None, true) => Err(foreign("it is compressed")),
        (Compression::Gzip, false) => Err(foreign("it is not compressed as gzip")),
        (Compression::Gzip, true) => match gzip_is_whole(file) {
            Ok(true) => Ok(length),
            Ok(false) => Err(foreign("its last line has no end")),
            Err(_) => Err(foreign("it is damaged")),
        },
        (Compression::None, false) => match ending(file, length, format.is_whole).map_err(read)? {
            Ending::Whole => Ok(length),
            Ending::NoLineEnd => {
                let ended = |error| fault::io(path, "end the last line of", error);
                file.seek(SeekFrom::Start(length)).map_err(ended)?;
                file.write_all(b"\n").and_then(|()| file.sync_data()).map_err(ended)?;
                Ok(length + 1)
            }
            Ending::Half(start) => {
                tracing::warn!(path = %path.display(), bytes = length - start, "half a last line was cut off");
                Ok(start)
            }
        },
    }
}

/// Whether a file with content begins as gzip does.
fn is_gzip(file: &mut File, length: u64) -> io::Result<bool> {
    let mut magic = [0; 2];
    file.seek(SeekFrom::Start(0))?;
    if length >= 2 {
        file.read_exact(&mut magic)?;
    }
    Ok(magic == [0x1f, 0x8b])
}

/// Writes records through a buffer that never grows far beyond its bound (I5).
fn write_lines(
    batches: &[Batch],
    format: Format,
    buffer: &mut Vec<u8>,
    out: &mut impl Write,
) -> io::Result<()> {
    buffer.clear();
    for record in batches.iter().flat_map(Batch::records) {
        (format.write)(&record, buffer);
        if buffer.len() >= FLUSH_BYTES {
            out.write_all(buffer)?;
            buffer.clear();
        }
    }
    out.write_all(buffer)?;
    buffer.clear();
    buffer.shrink_to(2 * FLUSH_BYTES);
    Ok(())
}
