//! What a sink knows of the positions that its target holds (G8), and what it says when they are not as it left them: the
//! same whichever the database. The statements are each database's own.

use std::collections::HashMap;

use fairway_engine::Error;
use fairway_engine::error::Kind;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::SinkCtx;

/// Name of the table of positions; sinks write no other rows into it.
pub(crate) const TABLE: &str = "fairway_positions";

/// What a database's faults are called.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) generation: &'static str,
    pub(crate) not_adopted: &'static str,
    pub(crate) fenced: &'static str,
    pub(crate) went_back: &'static str,
    pub(crate) table_gone: &'static str,
    /// What holds the positions.
    pub(crate) holder: &'static str,
    /// What a user would bring back.
    pub(crate) target: &'static str,
}

/// What the target holds of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    /// The position as it is written there.
    text: String,
    /// The table that the rows up to there went to.
    wrote_to: Option<String>,
}

/// A row of the table of positions: generation, position, the table that rows went to.
pub(crate) type Row = (i64, String, Option<String>);

/// What a row is moved from and to.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) wrote_to: Option<String>,
}

/// The positions of one sink, as far as this owner knows.
#[derive(Debug)]
pub(crate) struct Ledger {
    words: &'static Words,
    pub(crate) channel: String,
    pub(crate) sink: String,
    pub(crate) generation: i64,
    /// Where rows go; `None` where they are deleted from.
    writes_to: Option<String>,
    held: HashMap<StreamKey, Held>,
}

impl Ledger {
    /// The positions of a sink that writes rows to the table `writes_to`, if it does.
    pub(crate) fn new(cx: &SinkCtx, writes_to: Option<String>, words: &'static Words) -> Result<Self, Error> {
        let generation = i64::try_from(cx.generation).map_err(|error| {
            let what = format!("the number of this start is beyond what {} can hold", words.holder);
            Error::failed(words.generation, what).source(error)
        })?;
        let (channel, sink) = (cx.uid.to_string(), cx.node.to_string());
        Ok(Self { words, channel, sink, generation, writes_to, held: HashMap::new() })
    }

    /// What is there of a stream that is being taken over, and where it stands.
    ///
    /// # Errors
    /// `Fenced` when a later owner is there (I4), `Hold` when what is there cannot be read.
    pub(crate) fn found(&self, stream: &StreamKey, row: Option<Row>) -> Result<(Held, Position), Error> {
        let (generation, text, wrote_to) = row.ok_or_else(|| self.gone(stream))?;
        if generation > self.generation {
            return Err(self.fenced(stream, generation));
        }
        let position =
            serde_json::from_str(&text).map_err(|error| self.astray(stream, &text).source(error))?;
        Ok((Held { text, wrote_to }, position))
    }

    /// The transaction that took a stream over is committed.
    pub(crate) fn taken_over(&mut self, stream: &StreamKey, held: Held) {
        self.held.insert(stream.clone(), held);
    }

    /// Whether all these marks are committed for sure.
    pub(crate) fn are_reached(&self, marks: &[Mark]) -> bool {
        let reached = |mark: &Mark| {
            self.held.get(&mark.stream).is_some_and(|held| held.text == written(&mark.position))
        };
        !marks.is_empty() && marks.iter().all(reached)
    }

    /// How the row of a mark's stream is to move, with a group that writes rows or none.
    pub(crate) fn move_to(&self, mark: &Mark, has_rows: bool) -> Result<Move, Error> {
        let Some(held) = self.held.get(&mark.stream) else {
            let what = format!("{} was never taken over", mark.stream);
            return Err(Error::failed(self.words.not_adopted, what));
        };
        let wrote_to = self.writes_to.clone().filter(|_| has_rows);
        Ok(Move { from: held.text.clone(), to: written(&mark.position), wrote_to })
    }

    /// The transaction that moved them is committed.
    pub(crate) fn committed(&mut self, marks: &[Mark], has_rows: bool) {
        for mark in marks {
            let wrote_to = self.writes_to.clone().filter(|_| has_rows);
            let before = self.held.get(&mark.stream).and_then(|held| held.wrote_to.clone());
            let held = Held { text: written(&mark.position), wrote_to: wrote_to.or(before) };
            self.held.insert(mark.stream.clone(), held);
        }
    }

    /// Finds out from the row of a mark's stream why it could not be moved. When it returns, the mark had been reached.
    ///
    /// # Errors
    /// `Fenced` when another owner is there (I4), `Hold` when the target was exchanged, emptied or restored.
    pub(crate) fn look_again(&mut self, mark: &Mark, row: Option<Row>) -> Result<(), Error> {
        let stream = &mark.stream;
        let (generation, text, wrote_to) = row.ok_or_else(|| self.gone(stream))?;
        if generation != self.generation {
            return Err(self.fenced(stream, generation));
        }
        if text != written(&mark.position) {
            return Err(self.astray(stream, &text));
        }
        self.held.insert(stream.clone(), Held { text, wrote_to });
        Ok(())
    }

    /// Whether a table that is not there may be made: not when rows went into it before, which are gone with it.
    pub(crate) fn may_make_table(&self) -> Result<(), Error> {
        let lost =
            self.held.iter().find(|(_, held)| held.wrote_to.is_some() && held.wrote_to == self.writes_to);
        let Some((stream, Held { wrote_to: Some(table), .. })) = lost else { return Ok(()) };
        Err(Error::hold(
            self.words.table_gone,
            format!("the table `{table}` is gone, and with it the records of {stream} that went there"),
        )
        .help(
            "bring it back; or create it empty yourself to go on with what comes; or reset the channel's positions to \
             start over",
        ))
    }

    fn fenced(&self, stream: &StreamKey, generation: i64) -> Error {
        let what = format!("{stream} belongs to start {generation}, and this is start {}", self.generation);
        Error::new(Kind::Fenced, self.words.fenced, what)
    }

    /// The table of positions itself is not there any more.
    pub(crate) fn without_table(&self) -> Error {
        self.went_back(format!(
            "the {} no longer has the table `{TABLE}`, which says how far each source has come",
            self.words.target
        ))
    }

    fn gone(&self, stream: &StreamKey) -> Error {
        self.went_back(format!(
            "the target no longer holds the position of {stream}: it was exchanged, emptied or restored"
        ))
    }

    fn astray(&self, stream: &StreamKey, text: &str) -> Error {
        self.went_back(format!("the target holds a position of {stream} that was not written here: {text}"))
    }

    fn went_back(&self, what: String) -> Error {
        let help =
            format!("bring the {} back, or reset the channel's positions to start over", self.words.target);
        Error::hold(self.words.went_back, what).help(help)
    }
}

/// A position as it is written in the target; equal positions are written alike.
pub(crate) fn written(position: &Position) -> String {
    serde_json::to_string(position).expect("a position is plain JSON")
}
