//! The source that every format of files shares: which file is read next, which files are known, what follows at the end.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::error::Kind;
use fairway_engine::files::Files;
use fairway_engine::source::{Next, Source, SourceCtx};
use tokio::task::JoinHandle;

use super::input::Coding;
use super::open_file::{Format, Limits, OpenFile, Step};
use super::paths::{Found, Pattern, find};
use super::trail::Known;

/// How often files are looked at for growth, while there is some.
const POLL: Duration = Duration::from_millis(500);
/// How long a look is put off at most: many channels that wait for files must cost next to nothing.
const LONGEST_POLL: Duration = Duration::from_secs(2);
/// Of the time that nothing has changed, this part is waited for the next look.
const PATIENCE: u32 = 4;
/// Most files that are kept open when they are read to their end; others are opened again when they grow.
const KEPT_OPEN: usize = 256;

/// What is read.
pub(crate) struct Reading<F> {
    pub(crate) format: F,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) coding: Coding,
    pub(crate) limits: Limits,
    /// Whether files may grow and new ones come.
    pub(crate) follow: bool,
}

/// Most records that one turn of the reading thread gathers beyond the first batch.
const TURN_RECORDS: usize = 4000;
/// Most batches of one turn.
const TURN_BATCHES: usize = 64;

/// A source over files.
pub(crate) struct FileSource<F: Format> {
    slot: Slot<F>,
    /// What the last turn read and nobody has asked for yet.
    ready: VecDeque<Result<Next, Error>>,
}

/// The state is away while a thread reads; what it finds waits in its handle if nobody waits for it.
enum Slot<F: Format> {
    Here(Box<State<F>>),
    Away(JoinHandle<Turn<F>>),
    Lost,
}

/// The state back from a turn, and what was read.
type Turn<F> = (Box<State<F>>, VecDeque<Result<Next, Error>>);

struct State<F: Format> {
    reading: Reading<F>,
    files: Files,
    until_caught_up: bool,
    /// What stored positions, and files that could not be read on, say about files that were not found yet.
    known: Vec<Known>,
    /// Every partition that ever was, so that a new file never takes the name of another.
    partitions: HashSet<String>,
    queue: VecDeque<Work<F::Records>>,
    active: Option<Active<F::Records>>,
    /// Files read to their end.
    watched: Vec<Watched<F::Records>>,
    faults: Vec<Error>,
    /// Files of the last look, by inode.
    inodes: HashMap<u64, Found>,
    /// When to look next; `None` for at once.
    next_look: Option<Instant>,
    /// When a look last found something to read.
    stirred: Instant,
    /// Folders of globs that were not there at any look so far: they may still come, while others must not go.
    absent: Option<Vec<String>>,
}

/// What is to be read.
enum Work<R> {
    /// A file that was not there before.
    New(Found),
    /// A file that was written to since it was read to its end.
    Changed(Box<Watched<R>>, Found),
    /// A file that is no longer found: what was written to it since the last look is still ours (G6).
    Gone(Box<OpenFile<R>>),
}

struct Active<R> {
    file: Box<OpenFile<R>>,
    /// Whether no more can come when it is read to its end.
    gone: bool,
}

/// A file that was read to its end.
struct Watched<R> {
    found: Found,
    /// `None` where files do not grow, or too many are open.
    open: Option<Box<OpenFile<R>>>,
    known: Option<Known>,
}

impl<F: Format> FileSource<F> {
    pub(crate) fn new(reading: Reading<F>, cx: SourceCtx) -> Self {
        let known: Vec<Known> = cx.resume.iter().filter_map(Known::of).collect();
        let partitions = cx.resume.iter().map(|mark| mark.stream.partition.to_string()).collect();
        let state = State {
            reading,
            files: cx.files,
            until_caught_up: cx.until_caught_up,
            known,
            partitions,
            queue: VecDeque::new(),
            active: None,
            watched: Vec::new(),
            faults: Vec::new(),
            inodes: HashMap::new(),
            next_look: None,
            stirred: Instant::now(),
            absent: None,
        };
        let slot = Slot::Here(Box::new(state));
        Self { slot, ready: VecDeque::new() }
    }
}

#[async_trait]
impl<F: Format> Source for FileSource<F> {
    async fn next(&mut self) -> Result<Next, Error> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                return next;
            }
            self.slot = match std::mem::replace(&mut self.slot, Slot::Lost) {
                Slot::Here(mut state) => Slot::Away(tokio::task::spawn_blocking(move || {
                    let ready = state.turn();
                    (state, ready)
                })),
                other => other,
            };
            let Slot::Away(turn) = &mut self.slot else {
                return Err(Error::failed("file.interrupted", "an earlier read broke off"));
            };
            // If this future is dropped while it waits, the turn goes on and the next call gets what it read.
            match turn.await {
                Ok((state, ready)) => (self.slot, self.ready) = (Slot::Here(state), ready),
                Err(error) => {
                    self.slot = Slot::Lost;
                    return Err(Error::failed("file.interrupted", "reading broke off").source(error));
                }
            }
        }
    }

    async fn close(&mut self) {
        if let Slot::Away(turn) = std::mem::replace(&mut self.slot, Slot::Lost) {
            // A turn cannot be broken off, but it is short.
            drop(turn.await);
        }
    }
}

impl<F: Format> State<F> {
    /// Reads some batches at once: changing threads for each would cost more than small batches themselves.
    fn turn(&mut self) -> VecDeque<Result<Next, Error>> {
        let mut ready = VecDeque::new();
        let mut records = 0;
        loop {
            let next = self.next();
            let go_on = match &next {
                Ok(Next::Batch(polled)) => {
                    records += polled.rows();
                    records < TURN_RECORDS && ready.len() + 1 < TURN_BATCHES
                }
                _ => false,
            };
            ready.push_back(next);
            if !go_on {
                return ready;
            }
        }
    }

    fn next(&mut self) -> Result<Next, Error> {
        loop {
            if let Some(active) = &mut self.active {
                let mut limits = self.reading.limits;
                limits.growing &= !active.gone;
                match active.file.next(&self.reading.format, limits) {
                    Step::Polled(polled) => return Ok(Next::Batch(polled)),
                    Step::CaughtUp => self.caught_up(),
                    Step::Fault(error) => self.fault(error),
                }
            } else if let Some(work) = self.queue.pop_front() {
                match self.start(work) {
                    Ok(active) => self.active = Some(active),
                    Err(error) => self.faults.push(error),
                }
            } else {
                let wait = match self.next_look {
                    None => Duration::ZERO,
                    // Only when everything else is read: one bad file holds no other up (G5).
                    Some(_) if !self.faults.is_empty() => return Err(self.report()),
                    Some(_) if !self.reading.follow || self.until_caught_up => {
                        tracing::info!(files = self.watched.len(), "every file is read to its end");
                        return Ok(Next::End);
                    }
                    Some(at) => at.saturating_duration_since(Instant::now()),
                };
                if !wait.is_zero() {
                    return Ok(Next::Idle(wait));
                }
                self.look()?;
            }
        }
    }

    /// Looks for files: new ones and those that have changed join the queue.
    fn look(&mut self) -> Result<(), Error> {
        let finding = find(&self.files, &self.reading.patterns, self.reading.follow)?;
        let absent = self.absent.get_or_insert_with(|| finding.missing.clone());
        absent.retain(|base| finding.missing.contains(base));
        for base in finding.missing.iter().filter(|base| !absent.contains(base)) {
            let message = format!("the folder `{base}` has vanished");
            let help = "bring it back: files that are known are read on where they were";
            self.faults.push(Error::outage("file.not_found", message).help(help));
        }
        self.inodes = finding.files.iter().map(|found| (found.id.1, found.clone())).collect();
        self.faults.extend(finding.faults);
        let mut before = std::mem::take(&mut self.watched);
        for found in finding.files {
            let same = |file: &Watched<F::Records>| {
                file.found.id == found.id && (cfg!(unix) || file.found.name == found.name)
            };
            match before.iter().position(same).map(|at| before.swap_remove(at)) {
                Some(mut file)
                    if file.found.length == found.length && file.found.written == found.written =>
                {
                    if let Some(open) = &mut file.open {
                        open.found = found.clone();
                    }
                    self.watched.push(Watched { found, ..file });
                }
                Some(file) => self.queue.push_back(Work::Changed(Box::new(file), found)),
                None => self.queue.push_back(Work::New(found)),
            }
        }
        for file in before {
            match file.open {
                Some(open) => self.queue.push_back(Work::Gone(open)),
                None => self.known.extend(file.known),
            }
        }
        let now = Instant::now();
        if !self.queue.is_empty() {
            self.stirred = now;
        }
        self.next_look = Some(now + pace(now - self.stirred));
        Ok(())
    }

    fn start(&mut self, work: Work<F::Records>) -> Result<Active<F::Records>, Error> {
        let file = match work {
            Work::New(found) => self.open(found)?,
            Work::Gone(mut file) => {
                file.look_again();
                return Ok(Active { file, gone: true });
            }
            Work::Changed(watched, found) => match watched.open {
                Some(mut file) => {
                    if file.grown(&found, &self.reading.format)? {
                        file
                    } else {
                        self.open(found)?
                    }
                }
                None => {
                    self.known.extend(watched.known);
                    self.open(found)?
                }
            },
        };
        Ok(Active { file, gone: false })
    }

    /// Opens a file where it was read to, if it is a known one, else at its beginning under a name of its own.
    fn open(&mut self, found: Found) -> Result<Box<OpenFile<F::Records>>, Error> {
        let Reading { format, coding, .. } = &self.reading;
        for index in self.candidates(&found) {
            let known = &self.known[index];
            let other = self.inodes.get(&known.inode).filter(|other| other.id != found.id);
            if let Some(other) = other
                && matches!(OpenFile::resumed(other, known, *coding, format), Ok(Some(_)))
            {
                // The known file moved, and this one has its old name.
                continue;
            }
            if let Some(file) = OpenFile::resumed(&found, known, *coding, format)? {
                self.known.swap_remove(index);
                return Ok(Box::new(file));
            }
        }
        let partition = self.new_partition(&found.name);
        let file = OpenFile::fresh(found, partition.as_str().into(), *coding)?;
        self.partitions.insert(partition);
        Ok(Box::new(file))
    }

    /// Known files that a file may be, the likeliest first: by inode and path, by inode, by path.
    fn candidates(&self, found: &Found) -> Vec<usize> {
        let rank = |known: &Known| match (known.inode == found.id.1, known.path == found.name) {
            (true, true) => Some(0),
            (true, false) => Some(1),
            (false, true) => Some(2),
            (false, false) => None,
        };
        let mut candidates: Vec<(i32, u64, usize)> = Vec::new();
        for (index, known) in self.known.iter().enumerate() {
            if let Some(rank) = rank(known) {
                candidates.push((rank, u64::MAX - known.offset, index));
            }
        }
        candidates.sort_unstable();
        candidates.into_iter().map(|(.., index)| index).collect()
    }

    /// The name of the file, or with a number if another had it before: positions of one name only grow (I3).
    fn new_partition(&self, name: &str) -> String {
        let numbered = (2..).map(|number: u64| format!("{name}#{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        names.find(|name| !self.partitions.contains(name)).unwrap_or_default()
    }

    fn caught_up(&mut self) {
        let Some(Active { file, gone }) = self.active.take() else { return };
        if gone {
            // It may come back under this or another name.
            return self.known.extend(file.known());
        }
        let kept = self.watched.iter().filter(|file| file.open.is_some()).count();
        let (found, known) = (file.found.clone(), file.known());
        let open = (self.reading.follow && kept < KEPT_OPEN).then_some(file);
        self.watched.push(Watched { found, open, known });
    }

    /// Sets a file aside that cannot be read on; it is tried again from there.
    fn fault(&mut self, error: Error) {
        self.faults.push(error);
        if let Some(active) = self.active.take() {
            self.known.extend(active.file.known());
        }
    }

    /// One error for all faults since the last look, the gravest first; the next call looks again.
    fn report(&mut self) -> Error {
        self.next_look = None;
        let grave = |error: &Error| match error.kind {
            Kind::Config => 0,
            Kind::Data => 1,
            _ => 2,
        };
        let mut faults = std::mem::take(&mut self.faults);
        faults.sort_by_key(grave);
        let more = faults.len().saturating_sub(1);
        let others: Vec<String> = faults.drain(1.min(faults.len())..).map(|error| error.message).collect();
        let mut error = faults.pop().unwrap_or_else(|| Error::outage("file.io", "a file cannot be read"));
        if more > 0 {
            error.message = format!("{}; and {more} more: {}", error.message, others.join("; "));
        }
        // Where files come and grow, one that is damaged may only be half there yet.
        if self.reading.follow && error.kind == Kind::Data {
            error.kind = Kind::Outage;
        }
        error
    }
}

/// How long to wait for the next look where nothing has changed for so long.
fn pace(quiet: Duration) -> Duration {
    (quiet / PATIENCE).clamp(POLL, LONGEST_POLL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quiet_for_long_is_looked_at_less_often() {
        let pace = |seconds| pace(Duration::from_secs(seconds)).as_millis();
        assert_eq!([0, 1, 4, 3600].map(pace), [500, 500, 1000, 2000]);
    }
}
