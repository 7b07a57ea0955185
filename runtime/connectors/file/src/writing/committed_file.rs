//! Files that are written by commits: opening one, after a crash too, and the way of a commit through one file or several.

use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use fairway_engine::Error;
use fairway_engine::data::Batch;
use fairway_engine::file_id;
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::Refused;

use super::part::{Part, Writer, changed, create, make_folder, place};
use super::series::{Series, now};
use super::side_file::{Commit, Held, Identity, Line, SideFile};
use super::start::{exists, start};
use super::{Compression, Format, Mode, SIDE_FILE, create_beside, sync_folder};
use crate::fault;

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

/// What is to be written.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) files: Files,
    pub(crate) series: Series,
    pub(crate) mode: Mode,
    pub(crate) compression: Compression,
}

/// A file or series being written, with the lock on its side file.
pub(crate) struct CommittedFile {
    wish: Wish,
    owner: Owner,
    format: Box<dyn Format>,
    side: SideFile,
    /// The file that is written now. What it says of its length and records holds once it is committed.
    part: Part,
    /// Path of the first, or of the only one: where the side file stands.
    base: PathBuf,
    /// Whether this object wrote something that is not committed.
    dirty: bool,
    /// Whether it was put into the state of its last commit once.
    settled: bool,
    buffer: Vec<u8>,
}

impl CommittedFile {
    /// Opens a file for a channel's node and puts it in the state of its last commit.
    ///
    /// # Errors
    /// `Config` when the file may not be written in this mode; `Hold` when what the side file promised of this channel
    /// is no longer there; `Outage` when another writer has it or the file system refuses.
    pub(crate) fn open(wish: Wish, mut format: Box<dyn Format>, owner: Owner) -> Result<Self, Error> {
        let base = place(&wish.files, &wish.series.path)?;
        make_folder(&base)?;
        // Looked at before a side file is left beside it.
        if let Ok(meta) = std::fs::metadata(&base)
            && !meta.is_file()
        {
            return Err(fault::not_regular(&base.to_string_lossy(), &meta));
        }
        let mut name = base.as_os_str().to_owned();
        name.push(SIDE_FILE);
        // It may be a link as well.
        let name = wish.files.resolve(&name.to_string_lossy())?;
        let mut side = SideFile::lock(&name)?;
        go_back(&mut side, &wish.files)?;
        let known = side.state().file.clone();
        let path = match &known {
            Some(known) => path_of(known, &base, &wish.files)?,
            None => base.clone(),
        };
        let meta = match std::fs::metadata(&path) {
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(fault::io(&path, "look at", error)),
        };
        let mine = side
            .state()
            .held
            .iter()
            .any(|held| held.uid == owner.uid && held.node == owner.node && held.position.is_some());
        let found = known.map(|known| match changed(&known, meta.as_ref()) {
            None => Ok(known),
            Some(how) => Err(how),
        });
        let identity = match found {
            Some(Ok(known)) if mine || wish.mode == Mode::Append => known,
            Some(Ok(_)) if wish.mode == Mode::Create => return Err(exists(&path)),
            // What was promised to this channel is gone: whether to write it again is not ours to decide (I2).
            Some(Err(how)) if mine => {
                let message = format!("`{}` {how} since the last commit", path.display());
                let help = "put the file back, or start the channel over";
                return Err(Error::hold("file.changed", message).help(help));
            }
            _ => {
                let identity = start(&wish, &base, &mut *format, &mut side)?;
                let columns = format.columns().filter(|_| identity.start > 0).map(<[String]>::to_vec);
                side.begin(identity.clone(), columns)
                    .map_err(|error| fault::io(&base, "note the start of", error))?;
                identity
            }
        };
        if let Some(columns) = side.state().columns.clone() {
            let other = |message| {
                let help = "name the columns that the file has, or choose another path";
                Error::config("csv.columns_changed", message).help(help)
            };
            format.keep_columns(columns).map_err(other)?;
        }
        let part = Part::open(path_of(&identity, &base, &wish.files)?, identity)?;
        part.check_compression(wish.compression)?;
        let mut opened =
            Self { wish, owner, format, side, part, base, dirty: false, settled: false, buffer: Vec::new() };
        opened.recover()?;
        opened.settled = true;
        Ok(opened)
    }

    /// Takes a stream over: how far it has come in these files.
    ///
    /// # Errors
    /// `Fenced` when a later generation has adopted it (I4).
    pub(crate) fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        self.recover()?;
        let Owner { uid, node, generation } = &self.owner;
        let held = self.side.state().held(uid, node, stream);
        if held.is_some_and(|held| held.generation > *generation) {
            let message = format!("another run of this channel has taken `{}` over", self.base.display());
            return Err(Error::new(fairway_engine::error::Kind::Fenced, "file.fenced", message));
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
            .map_err(|error| fault::io(&self.base, "note the owner of", error))?;
        Ok(position)
    }

    /// Appends records and makes them and the marks durable together, or neither. Answers the records that can never be
    /// written: nothing is written then.
    pub(crate) fn commit(&mut self, batches: &[Batch], marks: &[Mark]) -> Result<Vec<Refused>, Error> {
        self.recover()?;
        if !marks.is_empty() && marks.iter().all(|mark| self.holds(mark)) {
            // A commit whose outcome was unknown went through (G8).
            return Ok(Vec::new());
        }
        let refused = self.format.admit(batches);
        if !refused.is_empty() {
            return Ok(refused);
        }
        let mut columns = None;
        if !batches.iter().all(Batch::is_empty) {
            self.dirty = true;
            let writing = Line::Writing(self.part.identity.length);
            self.side.note(writing).map_err(|error| fault::io(&self.base, "note a commit to", error))?;
            self.write(batches)?;
            if self.side.state().columns.is_none() {
                columns = self.format.columns().map(<[String]>::to_vec);
            }
        }
        let Owner { uid, node, generation } = self.owner.clone();
        let Identity { length, records, .. } = self.part.identity;
        let commit = Commit { length, records, uid, node, generation, marks: marks.to_vec(), columns };
        self.side
            .append(Line::Commit(commit))
            .map_err(|error| fault::io(&self.part.path, "commit", error))?;
        self.dirty = false;
        Ok(Vec::new())
    }

    /// Notes that nothing is under way, so that what comes behind the end is known to be somebody else's.
    pub(crate) fn close(&mut self) -> Result<(), Error> {
        // What was not committed is not left for others to see; if that fails, it is done when the file is opened again.
        let unsettled = self.dirty && self.recover().is_err();
        let state = self.side.state();
        if unsettled || state.writing || state.clean || !state.begun.is_empty() {
            return Ok(());
        }
        let line = Line::Clean(self.part.identity.length);
        self.side.append(line).map_err(|error| fault::io(&self.base, "note the end of", error))
    }

    fn holds(&self, mark: &Mark) -> bool {
        let held = self.side.state().held(&self.owner.uid, &self.owner.node, &mark.stream);
        held.and_then(|held| held.position.as_ref()).is_some_and(|held| held.order >= mark.position.order)
    }

    /// Writes records behind what is committed, into as many files as it takes, and makes them durable.
    fn write(&mut self, batches: &[Batch]) -> Result<(), Error> {
        let limits = self.wish.series.limits;
        let series = self.wish.series.is_series();
        let Identity { length, records, began, .. } = self.part.identity;
        if series && (limits.reached(length, records) || (records > 0 && limits.outlived(began))) {
            self.roll()?;
        }
        let mut writer = self.writer()?;
        for record in batches.iter().flat_map(Batch::records) {
            if series && limits.reached(writer.length(), writer.records) {
                self.finish(writer)?;
                self.roll()?;
                writer = self.writer()?;
            }
            self.format.write(&record, writer.buffer());
            writer.wrote().map_err(|error| fault::io(&self.part.path, "write", error))?;
        }
        self.finish(writer)
    }

    fn writer(&mut self) -> Result<Writer, Error> {
        let buffer = std::mem::take(&mut self.buffer);
        self.part
            .writer(self.wish.compression, &*self.format, buffer)
            .map_err(|error| fault::io(&self.part.path, "write", error))
    }

    fn finish(&mut self, writer: Writer) -> Result<(), Error> {
        let records = writer.records;
        let (length, buffer) = writer.finish().map_err(|error| fault::io(&self.part.path, "write", error))?;
        self.buffer = buffer;
        (self.part.identity.length, self.part.identity.records) = (length, records);
        Ok(())
    }

    /// Begins the next file of the series. It counts only once a commit follows: until then a crash takes it back (G8).
    fn roll(&mut self) -> Result<(), Error> {
        let (path, identity) = next_of(&self.wish, self.part.identity.number, &mut self.side)?;
        let line = Line::Roll(identity.clone());
        self.side.append(line).map_err(|error| fault::io(&path, "note the start of", error))?;
        self.part = Part::open(path, identity)?;
        Ok(())
    }

    /// Puts everything in the state of the last commit. Called before every use, since others may touch files that lie in
    /// the open.
    fn recover(&mut self) -> Result<(), Error> {
        self.side.settle()?;
        go_back(&mut self.side, &self.wish.files)?;
        if let Some(known) = self.side.state().file.clone() {
            if known.inode != self.part.identity.inode || known.name != self.part.identity.name {
                self.part = Part::open(path_of(&known, &self.base, &self.wish.files)?, known)?;
            } else {
                self.part.identity = known;
            }
        }
        let path = self.part.path.clone();
        if let Some(how) = self.part.changed() {
            let message = format!("`{}` {how} while it was being written", path.display());
            let help =
                "put the file back, or start the channel over; to rotate files, stop the channel first";
            return Err(Error::hold("file.changed", message).help(help));
        }
        let length = self.part.identity.length;
        let there = self.part.file.metadata().map_err(|error| fault::io(&path, "look at", error))?.len();
        let writing = self.dirty || self.side.state().writing;
        if there > length && !writing {
            if self.settled || self.side.state().clean {
                return Err(foreign(&path, length, there));
            }
            self.set_aside()?;
        }
        if there > length || self.dirty {
            let cut = |error| fault::io(&path, "cut off what was not committed of", error);
            self.part.file.set_len(length).map_err(cut)?;
            self.part.file.sync_data().map_err(cut)?;
        }
        if writing {
            self.side
                .append(Line::Clean(length))
                .map_err(|error| fault::io(&path, "note the end of", error))?;
        }
        self.dirty = false;
        Ok(())
    }

    /// Keeps bytes behind the last commit of which nobody can say whose they are: the machine may have failed in the middle of
    /// a commit, or another program may have added them afterwards.
    fn set_aside(&self) -> Result<(), Error> {
        let length = self.part.identity.length;
        let mut name = self.part.path.as_os_str().to_owned();
        name.push(format!(".{length}.cut"));
        let aside = PathBuf::from(name);
        let kept = || -> io::Result<u64> {
            let mut from = &*self.part.file;
            from.seek(SeekFrom::Start(length))?;
            let mut to = create_beside(&aside)?;
            let bytes = io::copy(&mut from, &mut to)?;
            to.sync_all()?;
            sync_folder(&aside)?;
            Ok(bytes)
        };
        let bytes = kept().map_err(|error| fault::io(&aside, "write", error))?;
        tracing::warn!(
            path = %self.part.path.display(), aside = %aside.display(), bytes,
            "bytes behind the last commit were set aside"
        );
        Ok(())
    }
}

/// The path of a file that a side file names.
fn path_of(identity: &Identity, base: &Path, files: &Files) -> Result<PathBuf, Error> {
    match &identity.name {
        Some(name) => place(files, name),
        None => Ok(base.to_owned()),
    }
}

/// The first number behind another whose file is not there or empty, and that file, created.
pub(super) fn next_of(wish: &Wish, behind: u64, side: &mut SideFile) -> Result<(PathBuf, Identity), Error> {
    let began = now();
    let mut number = behind;
    loop {
        number += 1;
        let name = wish.series.name(number, began);
        let path = place(&wish.files, &name)?;
        let taken = std::fs::metadata(&path).is_ok_and(|meta| !meta.is_file() || meta.len() > 0);
        if !taken {
            let line = Line::Naming(name.clone());
            side.note(line).map_err(|error| fault::io(&path, "note the name of", error))?;
        }
        if !taken && let Some(meta) = create(&path)? {
            let inode = file_id::inode(&meta);
            let identity = Identity { inode, number, began, name: Some(name), ..Identity::default() };
            return Ok((path, identity));
        }
        if wish.mode == Mode::Create && behind == 0 {
            return Err(exists(&path));
        }
    }
}

/// Takes the files back that were begun since the last commit.
fn go_back(side: &mut SideFile, files: &Files) -> Result<(), Error> {
    let (begun, naming) = (side.state().begun.clone(), side.state().naming.clone());
    if begun.is_empty() && naming.is_none() {
        return Ok(());
    }
    if let Some(name) = naming {
        let path = place(files, &name)?;
        if std::fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
            let gone = std::fs::remove_file(&path).and_then(|()| sync_folder(&path));
            gone.map_err(|error| fault::io(&path, "take back", error))?;
        }
    }
    for identity in begun.iter().rev() {
        let Some(name) = &identity.name else { continue };
        let path = place(files, name)?;
        // Only what is still the file that we made.
        if std::fs::metadata(&path).is_ok_and(|meta| file_id::inode(&meta) == identity.inode) {
            let gone = std::fs::remove_file(&path).and_then(|()| sync_folder(&path));
            gone.map_err(|error| fault::io(&path, "take back", error))?;
        }
    }
    let line = Line::Back(begun.len() as u64);
    side.append(line).map_err(|error| fault::io(files.root(), "note what was taken back in", error))
}

fn foreign(path: &Path, length: u64, there: u64) -> Error {
    let more = there - length;
    let message =
        format!("another program has added {more} bytes to `{}` since the last commit", path.display());
    let help = format!(
        "let one program at a time write a file: move what was added elsewhere, cut the file back to {length} bytes, and \
         resume; or start the channel over with another path"
    );
    Error::hold("file.foreign_bytes", message).help(help)
}
