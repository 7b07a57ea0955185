//! One file of a series, or the only one: where it is, what of it is committed, and records on their way into it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::file_id;
use fairway_engine::files::Files;

use super::packer::Packer;
use super::side_file::Identity;
use super::{Compression, Format, sync_folder};
use crate::fault;

/// Bytes of records gathered before they are handed on.
const FLUSH_BYTES: usize = 128 << 10;

/// An open file with what is known of it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    pub(super) file: Arc<File>,
    pub(super) identity: Identity,
}

impl Part {
    /// Opens a file that is there.
    pub(super) fn open(path: PathBuf, identity: Identity) -> Result<Self, Error> {
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|error| fault::io(&path, "open", error))?;
        Ok(Self { path, file: Arc::new(file), identity })
    }

    /// How the file is not what is known of it.
    pub(super) fn changed(&self) -> Option<&'static str> {
        changed(&self.identity, std::fs::metadata(&self.path).ok().as_ref())
    }

    /// Begins to write behind what is committed.
    pub(super) fn writer(
        &self,
        compression: Compression,
        format: &dyn Format,
        buffer: Vec<u8>,
    ) -> io::Result<Writer> {
        (&*self.file).seek(SeekFrom::Start(self.identity.length))?;
        let mut writer = Writer {
            file: Arc::clone(&self.file),
            packer: Packer::new(Arc::clone(&self.file), compression),
            buffer,
            flushed: self.identity.length,
            records: self.identity.records,
            compressed: compression != Compression::None,
        };
        if self.identity.length == 0 {
            format.begin(&mut writer.buffer);
        }
        Ok(writer)
    }
}

/// Records on their way into a file.
pub(super) struct Writer {
    file: Arc<File>,
    packer: Packer,
    buffer: Vec<u8>,
    /// Bytes of the file so far, without the buffer.
    flushed: u64,
    /// Records of the file so far.
    pub(super) records: u64,
    compressed: bool,
}

impl Writer {
    /// Length that the file would have now; of a compressed one only what has left its compressor.
    pub(super) fn length(&self) -> u64 {
        if self.compressed { self.flushed } else { self.flushed + self.buffer.len() as u64 }
    }

    /// Where the next record goes; to be followed by [`wrote`](Writer::wrote).
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// A record was written: hands the buffer on before it grows far beyond its bound (I5).
    pub(super) fn wrote(&mut self) -> io::Result<()> {
        self.records += 1;
        if self.buffer.len() >= FLUSH_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.packer.write(&self.buffer)?;
        self.buffer.clear();
        self.flushed = (&*self.file).stream_position()?;
        Ok(())
    }

    /// Makes everything durable: the new length, and the buffer for the next one.
    pub(super) fn finish(mut self) -> io::Result<(u64, Vec<u8>)> {
        self.flush()?;
        self.packer.finish()?;
        self.file.sync_data()?;
        self.buffer.shrink_to(2 * FLUSH_BYTES);
        Ok(((&*self.file).stream_position()?, self.buffer))
    }
}

/// How a file is not what its side file says.
pub(super) fn changed(known: &Identity, meta: Option<&Metadata>) -> Option<&'static str> {
    match meta {
        None => Some("has vanished"),
        Some(meta) if file_id::inode(meta) != known.inode => Some("was replaced by another file"),
        Some(meta) if meta.len() < known.length => Some("became shorter"),
        Some(_) => None,
    }
}

/// Where a path of the settings is; a link's side file must stand beside what it leads to, or two links would make two
/// writers.
pub(super) fn place(files: &Files, path: &str) -> Result<PathBuf, Error> {
    let path = files.resolve(path)?;
    let linked = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_symlink());
    Ok(if linked { std::fs::canonicalize(&path).unwrap_or(path) } else { path })
}

/// Creates the folders that lead to a file.
pub(super) fn make_folder(path: &Path) -> Result<(), Error> {
    match path.parent() {
        Some(folder) => std::fs::create_dir_all(folder).map_err(|error| fault::io(folder, "create", error)),
        None => Ok(()),
    }
}

/// Creates a file, or takes one over that is there and empty; `None` if there is something in it.
pub(super) fn create(path: &Path) -> Result<Option<Metadata>, Error> {
    make_folder(path)?;
    let opened = |error| fault::io(path, "open", error);
    if let Ok(meta) = std::fs::metadata(path)
        && (!meta.is_file() || meta.len() > 0)
    {
        return Ok(None);
    }
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(opened)?;
    sync_folder(path).map_err(opened)?;
    let meta = file.metadata().map_err(opened)?;
    Ok((meta.len() == 0).then_some(meta))
}
