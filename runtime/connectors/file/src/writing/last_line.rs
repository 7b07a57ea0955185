//! Where to go on in a file that somebody else wrote.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::MultiGzDecoder;

use super::Compression;

/// Bytes looked at in one step backwards.
const STEP: u64 = 64 << 10;
/// Longest last line without a line end that is looked at.
const LONGEST: u64 = 64 << 20;

/// How a file of lines ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Behind a line end, or empty.
    Whole,
    /// With a line that lacks only its line end.
    NoLineEnd,
    /// With half a line, which begins at this offset.
    Half(u64),
}

/// How a plain file of this length ends; `is_whole` says whether a last line without a line end is a whole one.
pub(crate) fn ending(file: &mut File, length: u64, is_whole: fn(&[u8]) -> bool) -> io::Result<Ending> {
    let mut line = Vec::new();
    let mut from = length;
    while from > 0 && length - from < LONGEST {
        let start = from.saturating_sub(STEP);
        let mut part = vec![0; usize::try_from(from - start).unwrap_or_default()];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            let rest = part.split_off(at + 1);
            line.splice(0..0, rest);
            let begin = start + at as u64 + 1;
            return Ok(match line.as_slice() {
                [] => Ending::Whole,
                line if is_whole(line) => Ending::NoLineEnd,
                _ => Ending::Half(begin),
            });
        }
        line.splice(0..0, part);
        from = start;
    }
    Ok(match line.as_slice() {
        [] => Ending::Whole,
        line if is_whole(line) => Ending::NoLineEnd,
        _ => Ending::Half(from),
    })
}

/// Whether a compressed file is whole and ends behind a line end.
///
/// # Errors
/// When it cannot be decompressed to its end.
pub(super) fn is_whole_compressed(file: &mut File, compression: Compression) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let packed = BufReader::new(file);
    let mut unpacked: Box<dyn Read + '_> = match compression {
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(packed)?),
        _ => Box::new(MultiGzDecoder::new(packed)),
    };
    let mut buffer = vec![0; STEP as usize];
    let mut last = b'\n';
    loop {
        match unpacked.read(&mut buffer)? {
            0 => return Ok(last == b'\n'),
            count => last = buffer[count - 1],
        }
    }
}
