//! Compression of what is written: each commit ends a member, so that a file is whole at all of them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use flate2::write::GzEncoder;

use super::Compression;

/// What the first bytes of compressed files are.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// A member being written; nothing is begun before the first byte.
pub(super) enum Packer {
    Plain(Arc<File>),
    Gzip(Arc<File>, Option<GzEncoder<Arc<File>>>),
    Zstd(Arc<File>, Option<zstd::Encoder<'static, Arc<File>>>),
}

impl Packer {
    pub(super) fn new(file: Arc<File>, compression: Compression) -> Self {
        match compression {
            Compression::None => Self::Plain(file),
            Compression::Gzip => Self::Gzip(file, None),
            Compression::Zstd => Self::Zstd(file, None),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        match self {
            Self::Plain(file) => file.write_all(bytes),
            Self::Gzip(file, member) => member
                .get_or_insert_with(|| GzEncoder::new(Arc::clone(file), flate2::Compression::default()))
                .write_all(bytes),
            Self::Zstd(file, frame) => {
                let frame = match frame {
                    Some(frame) => frame,
                    None => {
                        frame.insert(zstd::Encoder::new(Arc::clone(file), zstd::DEFAULT_COMPRESSION_LEVEL)?)
                    }
                };
                frame.write_all(bytes)
            }
        }
    }

    /// Ends the member.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Gzip(_, Some(member)) => member.finish().map(drop),
            Self::Zstd(_, Some(frame)) => frame.finish().map(drop),
            _ => Ok(()),
        }
    }
}

/// How a file with content is compressed, as its first bytes say.
pub(super) fn packed_as(file: &mut File) -> io::Result<Compression> {
    let mut magic = Vec::with_capacity(ZSTD.len());
    file.seek(SeekFrom::Start(0))?;
    file.take(ZSTD.len() as u64).read_to_end(&mut magic)?;
    Ok(match magic.as_slice() {
        [first, second, ..] if [*first, *second] == GZIP => Compression::Gzip,
        magic if magic == ZSTD => Compression::Zstd,
        _ => Compression::None,
    })
}
