//! The first commit's place: a new file, or the end of one that somebody else wrote.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use fairway_engine::Error;
use fairway_engine::file_id;

use super::committed_file::{Wish, next_of};
use super::last_line::{Ending, is_whole_compressed};
use super::packer::packed_as;
use super::part::Part;
use super::series::now;
use super::side_file::{Identity, SideFile};
use super::{Compression, Format, Mode, sync_folder};
use crate::fault;

pub(super) fn exists(path: &Path) -> Error {
    let message = format!("`{}` is already there", path.display());
    let help = "choose another path, or the mode `append` or `overwrite`";
    Error::config("file.exists", message).help(help)
}

/// Makes a file ready for its first commit, by mode: where it starts.
pub(super) fn start(
    wish: &Wish,
    path: &Path,
    format: &mut dyn Format,
    side: &mut SideFile,
) -> Result<Identity, Error> {
    if wish.series.is_series() {
        return next_of(wish, 0, side).map(|(_, identity)| identity);
    }
    let opened = |error| fault::io(path, "open", error);
    let new = !path.exists();
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(opened)?;
    if new {
        sync_folder(path).map_err(opened)?;
    }
    let meta = file.metadata().map_err(opened)?;
    let start = match (wish.mode, meta.len()) {
        (_, 0) => 0,
        (Mode::Overwrite, _) => {
            // Nothing of it was promised to this channel, and the user asked for it.
            file.set_len(0)
                .and_then(|()| file.sync_data())
                .map_err(|error| fault::io(path, "empty", error))?;
            0
        }
        (Mode::Create, _) => return Err(exists(path)),
        (Mode::Append, length) => append_at(path, &mut file, length, wish.compression, format)?,
    };
    Ok(Identity { inode: file_id::inode(&meta), start, length: start, began: now(), ..Identity::default() })
}

/// Where to go on behind what somebody else wrote.
fn append_at(
    path: &Path,
    file: &mut File,
    length: u64,
    compression: Compression,
    format: &mut dyn Format,
) -> Result<u64, Error> {
    let foreign = |what: &str| {
        let message = format!("`{}` cannot be appended to: {what}", path.display());
        Error::config("file.not_appendable", message).help("choose another path, or the mode `overwrite`")
    };
    let read = |error| fault::io(path, "read", error);
    let found = packed_as(file).map_err(read)?;
    if found != compression {
        return Err(foreign(match found {
            Compression::None => "it is not compressed in this way",
            _ => "it is compressed in another way",
        }));
    }
    if compression != Compression::None {
        if !format.goes_on_with_compressed() {
            return Err(foreign("it is compressed, and its columns are not known"));
        }
        return match is_whole_compressed(file, compression) {
            Ok(true) => Ok(length),
            Ok(false) => Err(foreign("its last line has no end")),
            Err(_) => Err(foreign("it is damaged")),
        };
    }
    match format.ending(file, length) {
        Ok(Ending::Whole) => Ok(length),
        Ok(Ending::NoLineEnd) => {
            let ended = |error| fault::io(path, "end the last line of", error);
            file.seek(SeekFrom::Start(length)).map_err(ended)?;
            file.write_all(b"\n").and_then(|()| file.sync_data()).map_err(ended)?;
            Ok(length + 1)
        }
        Ok(Ending::Half(start)) => {
            tracing::warn!(path = %path.display(), bytes = length - start, "half a last line was cut off");
            Ok(start)
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(foreign(&error.to_string())),
        Err(error) => Err(read(error)),
    }
}

impl Part {
    /// Whether what is in the file is compressed as it is now to be written.
    pub(super) fn check_compression(&self, compression: Compression) -> Result<(), Error> {
        if self.identity.length == 0 {
            return Ok(());
        }
        let opened = |error| fault::io(&self.path, "read", error);
        let mut file = File::open(&self.path).map_err(opened)?;
        if packed_as(&mut file).map_err(opened)? == compression {
            return Ok(());
        }
        let message = format!("what is in `{}` is not compressed in the same way", self.path.display());
        let help = "choose the compression that it was begun with, or another path";
        Err(Error::config("file.compression_changed", message).help(help))
    }
}
