//! One file being read: its text chunk by chunk, records out of it, and how far it came.

use std::io;
use std::sync::Arc;

use fairway_engine::data::{Batch, Meta, RecordError, Rejects};
use fairway_engine::source::Polled;
use fairway_engine::{Error, Kind};

use super::chunk::Chunk;
use super::input::{Coding, Input, Shrunk};
use super::paths::Found;
use super::rejects::{Place, Refusals, at};
use super::trail::{Known, Trail};
use crate::fault;

/// Bytes of text in a usual chunk.
const CHUNK: usize = 256 << 10;
/// Bytes at the front of a file that a format may look at.
pub(crate) const HEAD: usize = 1 << 20;

/// A format of files: how records are told from the text.
pub(crate) trait Format: Send + Sync + 'static {
    /// What reads one file.
    type Records: Records;

    /// Looks at the front of a file (up to [`HEAD`] bytes): how to read it, and where its first record begins. `None` if
    /// there is nothing to read yet.
    ///
    /// # Errors
    /// `Config` or `Data`, when the file as a whole is not as the settings say.
    fn begin(&self, name: &str, head: &Chunk) -> Result<Option<(Self::Records, usize)>, Error>;
}

/// Takes records out of chunks.
pub(crate) trait Records: Send + 'static {
    /// Takes records from `ask.at` on.
    fn take(&mut self, chunk: &Chunk, ask: &Ask<'_>) -> Taken;

    /// What finds the end of one record in the pieces of a text that is too long to hold: the offset behind it.
    fn end_finder(&self) -> impl FnMut(&[u8]) -> Option<usize>;

    /// Why a record too long to hold may have no end before that of the file, to be added to its error.
    fn without_end(&self) -> &'static str;
}

/// What is asked of a chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// Where the first record begins.
    pub(crate) at: usize,
    /// How files are read.
    pub(crate) limits: Limits,
    /// Whether the end of the chunk ends a record.
    pub(crate) last: bool,
    /// Whether the first record is the rest of one that was taken for whole.
    pub(crate) torn: bool,
    /// Name of the file.
    pub(crate) file: &'a str,
    /// Lines before `at`.
    pub(crate) line: u64,
}

/// What was taken.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) batch: Batch,
    pub(crate) rejects: Option<Rejects>,
    /// Behind the last record taken; with none, where the first that is not whole begins.
    pub(crate) end: usize,
}

/// What becomes of a file.
pub(crate) enum Step {
    /// Records.
    Polled(Polled),
    /// Everything that is there now was read.
    CaughtUp,
    /// It cannot be read to its end.
    Fault(Error),
}

/// How files are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Most records in a batch.
    pub(crate) batch: usize,
    /// Most bytes of a record.
    pub(crate) record_bytes: usize,
    /// Whether files may grow: a last line without an end is then not whole yet.
    pub(crate) growing: bool,
}

/// A file being read.
pub(crate) struct OpenFile<R> {
    pub(crate) found: Found,
    pub(crate) partition: Arc<str>,
    input: Input,
    coding: Coding,
    /// `None` until there is something to read.
    records: Option<R>,
    chunk: Chunk,
    at: usize,
    trail: Trail,
    /// Whether the next record is the rest of one that was taken for whole.
    torn: bool,
    /// What kept the chunk from being longer.
    failure: Option<io::Error>,
    refusals: Refusals,
}

impl<R: Records> OpenFile<R> {
    /// Opens a file at its beginning.
    pub(crate) fn fresh(found: Found, partition: Arc<str>, coding: Coding) -> Result<Self, Error> {
        let input = Input::open(&found.path, coding).map_err(|error| unreadable(&found, error))?;
        Ok(Self {
            found,
            partition,
            input,
            coding,
            records: None,
            chunk: Chunk::default(),
            at: 0,
            trail: Trail::default(),
            torn: false,
            failure: None,
            refusals: Refusals::default(),
        })
    }

    /// Opens a file where it was read to before; `None` if it is not the one that was read.
    pub(crate) fn resumed<F: Format<Records = R>>(
        found: &Found,
        known: &Known,
        coding: Coding,
        format: &F,
    ) -> Result<Option<Self>, Error> {
        let mut file = Self::fresh(found.clone(), known.partition.as_str().into(), coding)?;
        if known.offset == 0 {
            return Ok(Some(file));
        }
        let mut input = Input::open(&found.path, coding).map_err(|error| unreadable(found, error))?;
        let Some(trail) = input.resume(known).map_err(|error| unreadable(found, error))? else {
            return Ok(None);
        };
        if !file.begin(format)? {
            return file.failure.take().map_or(Ok(None), |error| Err(unreadable(found, error)));
        }
        file.input = input;
        file.chunk = Chunk::empty(trail.offset);
        file.at = 0;
        file.torn = !trail.ends_a_line();
        file.trail = trail;
        Ok(Some(file))
    }

    /// Reads the front; whether there is something to read.
    fn begin<F: Format<Records = R>>(&mut self, format: &F) -> Result<bool, Error> {
        self.fill(HEAD);
        if let Some((records, at)) = format.begin(&self.found.name, &self.chunk)? {
            self.records = Some(records);
            self.pass(at);
        }
        Ok(self.records.is_some())
    }

    /// What comes next.
    pub(crate) fn next<F: Format<Records = R>>(&mut self, format: &F, limits: Limits) -> Step {
        if self.records.is_none() {
            match self.begin(format) {
                Ok(true) => {}
                Ok(false) => return self.failure.take().map_or(Step::CaughtUp, |error| self.fault(error)),
                Err(error) => return Step::Fault(error),
            }
        }
        loop {
            let Some(records) = &mut self.records else { return Step::CaughtUp };
            if std::mem::take(&mut self.torn) {
                self.torn = match self.chunk.base.as_bytes().get(self.at) {
                    Some(byte) => !matches!(byte, b'\r' | b'\n'),
                    None => true,
                };
            }
            let ask = Ask {
                at: self.at,
                limits,
                last: self.chunk.ended && !limits.growing,
                torn: self.torn,
                file: &self.found.name,
                line: self.trail.line,
            };
            let Taken { batch, rejects, end } = records.take(&self.chunk, &ask);
            if !batch.is_empty() || rejects.is_some() {
                self.torn = false;
                self.pass(end);
                return Step::Polled(self.polled(batch, rejects));
            }
            if self.chunk.ended {
                return Step::CaughtUp;
            }
            if let Some(error) = self.failure.take() {
                return self.fault(error);
            }
            self.pass(end);
            let open = self.chunk.base.len() - self.at;
            if open > limits.record_bytes {
                return self.oversized(limits);
            }
            self.fill((open * 2).clamp(CHUNK, limits.record_bytes.saturating_add(CHUNK)));
        }
    }

    fn polled(&self, batch: Batch, rejects: Option<Rejects>) -> Polled {
        let position = self.trail.position(&self.found);
        Polled { partition: self.partition.clone(), position, batch, rejects }
    }

    /// Passes what was read up to a place of the chunk.
    fn pass(&mut self, end: usize) {
        self.trail.advance(self.chunk.bytes(self.at..end));
        self.at = end;
    }

    /// Goes on to the next chunk, which begins with what is left of this one.
    fn fill(&mut self, size: usize) {
        let (chunk, result) = self.chunk.next(self.at, &mut self.input, size);
        (self.chunk, self.at) = (chunk, 0);
        self.failure = result.err();
    }

    /// Passes a record that is too long to be held, piece by piece (I5), and refuses it.
    fn oversized(&mut self, limits: Limits) -> Step {
        let Some(records) = &self.records else { return Step::CaughtUp };
        let mut find = records.end_finder();
        let (line, offset) = (self.trail.line + 1, self.trail.offset);
        let mut beginning = None;
        let whole = loop {
            let length = self.chunk.base.len();
            let found = find(self.chunk.bytes(self.at..length)).map(|end| self.at + end);
            let end = found.unwrap_or(length);
            beginning
                .get_or_insert_with(|| self.chunk.bytes(self.at..length.min(self.at + CHUNK + 1)).to_vec());
            // The same as `pass` and `fill`, which cannot be called while the records are lent out.
            self.trail.advance(self.chunk.bytes(self.at..end));
            self.at = end;
            if found.is_some() || self.chunk.ended || self.failure.is_some() {
                break found.is_some();
            }
            let (chunk, result) = self.chunk.next(end, &mut self.input, CHUNK);
            (self.chunk, self.at) = (chunk, 0);
            self.failure = result.err();
        };
        let place = Place { file: &self.found.name, line, offset };
        let why = if whole || self.failure.is_some() { "" } else { records.without_end() };
        let error = too_long(place, self.trail.offset - offset, limits, why);
        let meta = Meta::new(self.trail.offset, 0);
        self.refusals.push(meta, &beginning.unwrap_or_default(), place, error);
        let rejects = self.refusals.finish();
        // What a growing file adds to it later is no record either.
        self.torn = !whole;
        Step::Polled(self.polled(Batch::default(), rejects))
    }

    /// What a file that ended is known as, to be found again when it grows.
    pub(crate) fn known(&self) -> Option<Known> {
        let position = self.trail.position(&self.found);
        let stream = fairway_engine::position::StreamKey::straight("", &self.partition);
        Known::of(&fairway_engine::position::Mark { stream, position })
    }

    /// Goes on with a file that has grown; `false` if what was read before is no longer there.
    pub(crate) fn grown<F: Format<Records = R>>(&mut self, found: &Found, format: &F) -> Result<bool, Error> {
        let Some(known) = self.known() else { return Ok(false) };
        if self.input.still_is(&known).map_err(|error| unreadable(found, error))? {
            self.found = found.clone();
            self.chunk.ended = false;
            return Ok(true);
        }
        // Compressed and transcoded files cannot be read on: they are read anew up to there.
        match Self::resumed(found, &known, self.coding, format)? {
            Some(file) => {
                *self = file;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Lets one more attempt be made at what is behind the end of the file.
    pub(crate) fn look_again(&mut self) {
        self.chunk.ended = false;
    }

    fn fault(&self, error: io::Error) -> Step {
        Step::Fault(unreadable(&self.found, error))
    }
}

/// The error of a record that is longer than it may be, and what else is known about it.
pub(crate) fn too_long(place: Place<'_>, bytes: u64, limits: Limits, why: &str) -> RecordError {
    let most = limits.record_bytes;
    let message = format!("the record has {bytes} bytes, more than the {most} of `max_record_bytes`{why}");
    RecordError::new("file.record_too_long", at(place, message))
}

/// A file that cannot be read: for now, or because it is damaged.
pub(crate) fn unreadable(found: &Found, error: io::Error) -> Error {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    if error.get_ref().is_some_and(|inner| inner.is::<Shrunk>()) {
        let message = format!("`{}` became shorter while it was read", found.name);
        return Error::new(Kind::Data, "file.truncated", message)
            .help("what was read of it goes on; what its writer cut off before it was read is lost")
            .source(error);
    }
    if error.raw_os_error().is_none()
        && matches!(error.kind(), UnexpectedEof | InvalidData | InvalidInput | Other)
    {
        let message = match error.kind() {
            UnexpectedEof => {
                format!("`{}` ends too early: it is cut off, or still being written", found.name)
            }
            _ => format!("`{}` is damaged: it cannot be decompressed to its end", found.name),
        };
        // Trying again would not help: the task ends at once with this cause.
        return Error::new(Kind::Data, "file.damaged", message)
            .help("put a sound file in its place; what could be read of it goes on")
            .source(error);
    }
    fault::io(&found.path, "read", error)
}
