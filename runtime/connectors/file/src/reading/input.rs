//! The text of a file as a stream: decompressed, as UTF-8, without byte order mark.
//!
//! UTF-8 itself is handed on unchecked; whoever makes text of it sees what is invalid. Other encodings are checked here,
//! and damage is put on record with its place (G5).

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gunzip::Gunzip;
use super::trail::{ENDS, Known, Trail};

/// Compressed or encoded bytes read in one step.
const STEP: usize = 64 << 10;

/// How files that are read are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compression {
    /// As the first bytes of each file say.
    Auto,
    /// Not at all.
    None,
    /// As gzip, of any number of members.
    Gzip,
    /// As Zstandard, of any number of frames.
    Zstd,
}

/// How the bytes of files become text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coding {
    pub(crate) compression: Compression,
    /// `None`: UTF-8, or UTF-16 where a byte order mark says so.
    pub(crate) encoding: Option<&'static Encoding>,
}

impl Coding {
    /// # Errors
    /// A sentence for the user when there is no such encoding.
    pub(crate) fn new(compression: Compression, label: Option<&str>) -> Result<Self, String> {
        let encoding = match label.filter(|label| !label.is_empty()) {
            None => None,
            Some(label) => match Encoding::for_label_no_replacement(label.as_bytes()) {
                Some(encoding) if encoding == UTF_8 => None,
                Some(encoding) => Some(encoding),
                None => {
                    return Err(format!(
                        "`{label}` is not an encoding; `utf-8`, `windows-1252` or `gb18030` are"
                    ));
                }
            },
        };
        Ok(Self { compression, encoding })
    }
}

/// Bytes that are no text in the encoding of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Where its substitute begins in the text of the file.
    pub(crate) offset: u64,
    /// The bytes.
    pub(crate) bytes: Vec<u8>,
    /// What they should have been.
    pub(crate) encoding: &'static str,
}

/// An open file, read from front to back.
pub(crate) struct Input {
    bytes: Bytes,
    /// For encodings other than UTF-8.
    transcoding: Option<Transcoding>,
    /// Bytes of text made so far.
    offset: u64,
    /// Text that was made and not yet handed out.
    held: Vec<u8>,
    /// Length of the byte order mark before the text.
    mark: u64,
}

enum Bytes {
    Plain(Plain),
    Unpacked(Box<dyn Read + Send>),
}

/// A file as it lies on the disk.
struct Plain {
    file: File,
    /// Length that it had at least.
    length: u64,
}

/// A file that became shorter while it was read: what was behind its new end is not known.
#[derive(Debug, thiserror::Error)]
#[error("it had {before} bytes and now has {now}")]
pub(crate) struct Shrunk {
    before: u64,
    now: u64,
}

struct Transcoding {
    decoder: Decoder,
    /// Bytes read and not yet decoded.
    pending: Vec<u8>,
    ended: bool,
    damage: Vec<Damage>,
}

impl Input {
    pub(crate) fn open(path: &Path, coding: Coding) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut start = [0; 4];
        let length = fill(&mut file, &mut start)?;
        file.seek(SeekFrom::Start(0))?;
        let packed: Option<Box<dyn Read + Send>> = match (coding.compression, &start[..length]) {
            // Nothing is nothing, compressed or not.
            (_, []) | (Compression::None, _) => None,
            (Compression::Gzip, _) | (Compression::Auto, [0x1f, 0x8b, ..]) => {
                Some(Box::new(Gunzip::new(BufReader::with_capacity(STEP, file.try_clone()?))))
            }
            (Compression::Zstd, _) | (Compression::Auto, [0x28, 0xb5, 0x2f, 0xfd]) => {
                Some(Box::new(zstd::Decoder::with_buffer(BufReader::with_capacity(STEP, file.try_clone()?))?))
            }
            (Compression::Auto, _) => None,
        };
        let bytes = match packed {
            Some(packed) => Bytes::Unpacked(packed),
            None => Bytes::Plain(Plain { length: file.metadata()?.len(), file }),
        };
        Self::of_bytes(bytes, coding.encoding)
    }

    /// Looks for a byte order mark and goes behind it.
    fn of_bytes(mut bytes: Bytes, declared: Option<&'static Encoding>) -> io::Result<Self> {
        let mut start = [0; 3];
        let length = fill(&mut bytes, &mut start)?;
        let (found, mark) =
            Encoding::for_bom(&start[..length]).map_or((None, 0), |(found, len)| (Some(found), len));
        let encoding = match (declared, found) {
            // A mark of another encoding is text.
            (Some(declared), Some(found)) if declared != found => (declared, 0),
            (Some(declared), _) => (declared, mark),
            (None, Some(found)) if found == UTF_16LE || found == UTF_16BE => (found, mark),
            (None, Some(_)) => (UTF_8, mark),
            (None, None) => (UTF_8, 0),
        };
        let (encoding, mark) = encoding;
        let rest = &start[mark..length];
        let transcoding = (encoding != UTF_8).then(|| Transcoding {
            decoder: encoding.new_decoder_without_bom_handling(),
            pending: rest.to_vec(),
            ended: false,
            damage: Vec::new(),
        });
        let bytes = match bytes {
            Bytes::Plain(mut plain) => {
                let read = if transcoding.is_some() { length } else { mark };
                plain.file.seek(SeekFrom::Start(read as u64))?;
                Bytes::Plain(plain)
            }
            Bytes::Unpacked(reader) if transcoding.is_none() && !rest.is_empty() => {
                Bytes::Unpacked(Box::new(io::Cursor::new(rest.to_vec()).chain(reader)))
            }
            unpacked => unpacked,
        };
        Ok(Self { bytes, transcoding, offset: 0, held: Vec::new(), mark: mark as u64 })
    }

    /// Appends text up to a length of the buffer; less only where the file ends for now: then `true`. Text of another
    /// encoding comes in whole characters and may go a little beyond.
    ///
    /// # Errors
    /// What was read before the fault is in the buffer.
    pub(crate) fn read(&mut self, buffer: &mut Vec<u8>, until: usize) -> io::Result<bool> {
        buffer.append(&mut self.held);
        let start = buffer.len();
        if start >= until {
            return Ok(false);
        }
        let result = match &mut self.transcoding {
            None => append(&mut self.bytes, buffer, until),
            Some(transcoding) => transcoding.read(&mut self.bytes, buffer, until, self.offset),
        };
        self.offset += (buffer.len() - start) as u64;
        result
    }

    /// What was damaged in the text made since the last call.
    pub(crate) fn damage(&mut self) -> Vec<Damage> {
        self.transcoding
            .as_mut()
            .map(|transcoding| std::mem::take(&mut transcoding.damage))
            .unwrap_or_default()
    }

    /// Goes to where a known file was read to: its trail if the file is the known one.
    ///
    /// # Errors
    /// Faults of reading; a file that is shorter is just another file.
    pub(crate) fn resume(&mut self, known: &Known) -> io::Result<Option<Trail>> {
        let trail = match (&mut self.bytes, &self.transcoding) {
            (Bytes::Plain(plain), None) => ends(&mut plain.file, self.mark, known)?,
            _ => self.pass(known)?,
        };
        if let Some(transcoding) = &mut self.transcoding {
            transcoding.damage.retain(|damage| damage.offset >= known.offset);
        }
        Ok(trail.filter(|trail| trail.is(known)))
    }

    /// Whether an open plain file still is the known one; where it is read on does not change.
    pub(crate) fn still_is(&mut self, known: &Known) -> io::Result<bool> {
        let (Bytes::Plain(plain), None) = (&mut self.bytes, &self.transcoding) else { return Ok(false) };
        let file = &mut plain.file;
        let place = file.stream_position()?;
        let trail = ends(file, self.mark, known)?;
        file.seek(SeekFrom::Start(place))?;
        Ok(trail.is_some_and(|trail| trail.is(known)))
    }

    /// Reads up to the offset of a known file, for streams that cannot jump.
    fn pass(&mut self, known: &Known) -> io::Result<Option<Trail>> {
        let mut trail = Trail::default();
        let mut buffer = Vec::with_capacity(STEP);
        while trail.offset < known.offset {
            buffer.clear();
            let missing = usize::try_from(known.offset - trail.offset).unwrap_or(usize::MAX);
            let ended = self.read(&mut buffer, missing.min(STEP))?;
            if buffer.len() > missing {
                self.held = buffer.split_off(missing);
            }
            trail.advance(&buffer);
            if ended && trail.offset < known.offset {
                return Ok(None);
            }
        }
        trail.line = known.line;
        Ok(Some(trail))
    }
}

/// The trail of a plain file from its two ends, and the file at the offset; `None` for a file that is shorter.
fn ends(file: &mut File, mark: u64, known: &Known) -> io::Result<Option<Trail>> {
    if file.metadata()?.len() < mark + known.offset {
        return Ok(None);
    }
    let size = known.offset.min(ENDS as u64);
    let mut part = |from: u64| {
        let mut bytes = vec![0; size as usize];
        file.seek(SeekFrom::Start(mark + from))?;
        file.read_exact(&mut bytes).map(|()| bytes)
    };
    let head = part(0)?;
    let tail = part(known.offset - size)?;
    Ok(Some(Trail::at(known.offset, known.line, head, tail)))
}

impl Transcoding {
    fn read(
        &mut self,
        bytes: &mut Bytes,
        buffer: &mut Vec<u8>,
        until: usize,
        offset: u64,
    ) -> io::Result<bool> {
        let start = buffer.len();
        let until = until.max(start + 4);
        // Each step asks for room for at least one character.
        while buffer.len() + 4 <= until {
            if self.pending.is_empty() && !self.ended {
                append(bytes, &mut self.pending, STEP)?;
                self.ended = self.pending.is_empty();
            }
            let filled = buffer.len();
            buffer.resize(until, 0);
            let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(
                &self.pending,
                &mut buffer[filled..],
                self.ended,
            );
            buffer.truncate(filled + written);
            match result {
                DecoderResult::InputEmpty if self.ended => return Ok(true),
                DecoderResult::InputEmpty | DecoderResult::OutputFull => {}
                DecoderResult::Malformed(length, behind) => {
                    let end = read.saturating_sub(behind.into());
                    let from = end.saturating_sub(length.into());
                    self.damage.push(Damage {
                        offset: offset + (buffer.len() - start) as u64,
                        bytes: self.pending.get(from..end).unwrap_or_default().to_vec(),
                        encoding: self.decoder.encoding().name(),
                    });
                    buffer.push(b'?');
                }
            }
            self.pending.drain(..read);
            if result == DecoderResult::OutputFull {
                break;
            }
        }
        Ok(false)
    }
}

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        if count == 0 && !buffer.is_empty() {
            // A file cut while it is read ends early, and its last record may be half of one (G5).
            let now = self.file.metadata()?.len();
            let before = self.length.max(self.file.stream_position()?);
            if now < before {
                return Err(io::Error::other(Shrunk { before, now }));
            }
            self.length = now;
        }
        Ok(count)
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Bytes::Plain(plain) => plain.read(buffer),
            Bytes::Unpacked(reader) => reader.read(buffer),
        }
    }
}

/// Reads until the buffer has a length, or the input ends: then `true`. What came before a fault stays in the buffer.
fn append(input: &mut impl Read, buffer: &mut Vec<u8>, until: usize) -> io::Result<bool> {
    let mut length = buffer.len();
    buffer.resize(until.max(length), 0);
    // Never asks for nothing: some decompressors take that for a fault.
    let result = loop {
        if length >= until {
            break Ok(false);
        }
        match input.read(&mut buffer[length..]) {
            Ok(0) => break Ok(true),
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => break Err(error),
        }
    };
    buffer.truncate(length);
    result
}

/// Reads until the buffer is full or the input ends: how many bytes.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match input.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}
