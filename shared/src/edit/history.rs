//! Undo and redo. One intention is one entry: letters typed into one field, or one node dragged along, are joined while
//! they follow each other within half a second.

use serde::{Deserialize, Serialize};

use super::{Command, EditError, apply};
use crate::canonical;
use crate::channel::{Channel, text};

/// Changes of the same thing join while no more than this many milliseconds lie between them.
pub const JOIN_WITHIN_MS: u64 = 500;

/// Entries kept; the oldest go first.
const MOST_ENTRIES: usize = 500;

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Makes it.
    pub command: Command,
    /// Takes it back.
    pub inverse: Command,
    /// When it was last added to, in milliseconds of the caller's clock.
    pub at: u64,
}

impl Entry {
    /// Adds a change behind this one: both are made and taken back as one.
    fn follow(&mut self, command: Command, inverse: Command, now: u64) {
        let both = |first: Command, second: Command| match (first, second) {
            (Command::Batch(mut first), Command::Batch(second)) => {
                first.extend(second);
                Command::Batch(first)
            }
            (Command::Batch(mut first), second) => {
                first.push(second);
                Command::Batch(first)
            }
            (first, Command::Batch(second)) => Command::Batch(std::iter::once(first).chain(second).collect()),
            (first, second) => Command::Batch(vec![first, second]),
        };
        self.command = both(self.command.clone(), command);
        self.inverse = both(inverse, self.inverse.clone());
        self.at = now;
    }
}

/// What was done and what was undone, each with the latest last.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct History {
    /// What can be undone.
    pub undo: Vec<Entry>,
    /// What can be redone.
    pub redo: Vec<Entry>,
}

/// A history with the document it belongs to, as stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    document: String,
    history: History,
}

impl History {
    /// Carries out a command and remembers it; `now` is in milliseconds. A change of nothing is not remembered.
    ///
    /// # Errors
    /// When the command does not fit the document; both are then as they were.
    pub fn run(&mut self, channel: &mut Channel, command: Command, now: u64) -> Result<(), EditError> {
        let inverse = apply(channel, command.clone())?;
        self.push(command, inverse, now);
        Ok(())
    }

    /// Remembers a command that was carried out, with its inverse.
    pub fn push(&mut self, command: Command, inverse: Command, now: u64) {
        if matches!(&inverse, Command::Steps(steps) if steps.is_empty()) {
            return;
        }
        // After an undo a new thought begins, even on the same field.
        let fresh = !self.redo.is_empty();
        self.redo.clear();
        if let Some(last) = self.undo.last_mut()
            && !fresh
            && now.saturating_sub(last.at) <= JOIN_WITHIN_MS
        {
            if can_join(&last.command, &command) {
                // The first inverse leads to where the joined change began.
                last.command = command;
                last.at = now;
                return;
            }
            if can_follow(&last.command, &command) {
                last.follow(command, inverse, now);
                return;
            }
        }
        self.undo.push(Entry { command, inverse, at: now });
        if self.undo.len() > MOST_ENTRIES {
            self.undo.remove(0);
        }
    }

    /// Takes the last change back; false when there is none.
    ///
    /// # Errors
    /// When the document is not the one the history belongs to; both are then as they were.
    pub fn undo(&mut self, channel: &mut Channel) -> Result<bool, EditError> {
        let Some(entry) = self.undo.last() else { return Ok(false) };
        apply(channel, entry.inverse.clone())?;
        self.redo.extend(self.undo.pop());
        Ok(true)
    }

    /// Makes the change that was undone last once more; false when there is none.
    ///
    /// # Errors
    /// When the document is not the one the history belongs to; both are then as they were.
    pub fn redo(&mut self, channel: &mut Channel) -> Result<bool, EditError> {
        let Some(entry) = self.redo.last() else { return Ok(false) };
        apply(channel, entry.command.clone())?;
        self.undo.extend(self.redo.pop());
        Ok(true)
    }

    /// The history as text, tied to the document as it is now.
    pub fn to_text(&self, channel: &Channel) -> String {
        let stored = Stored { document: canonical::hash(&text::to_text(channel)), history: self.clone() };
        serde_json::to_string(&stored).expect("a history holds nothing that JSON cannot")
    }

    /// A stored history, if it belongs to this document: undo acts by index, and on another document would spoil it.
    pub fn from_text(stored: &str, channel: &Channel) -> Option<Self> {
        let stored: Stored = serde_json::from_str(stored).ok()?;
        (stored.document == canonical::hash(&text::to_text(channel))).then_some(stored.history)
    }
}

/// Whether `next` says all that `previous` said, only later: then both are one change.
pub fn can_join(previous: &Command, next: &Command) -> bool {
    match (previous, next) {
        (
            Command::SetConfig { node: a, field: x, value: Some(_) },
            Command::SetConfig { node: b, field: y, value: Some(_) },
            // `-` appends, so the second says something else.
        ) => a == b && x == y && !x.ends_with("/-"),
        (Command::SetTitle { node: a, .. }, Command::SetTitle { node: b, .. })
        | (Command::SetTasks { node: a, .. }, Command::SetTasks { node: b, .. })
        | (Command::ReplaceConfig { node: a, .. }, Command::ReplaceConfig { node: b, .. }) => a == b,
        (Command::MoveNodes { spots: a }, Command::MoveNodes { spots: b }) => a.keys().eq(b.keys()),
        (Command::SetMetadata { .. }, Command::SetMetadata { .. })
        | (Command::SetSettings { .. }, Command::SetSettings { .. })
        | (Command::SetNotes { .. }, Command::SetNotes { .. })
        | (Command::SetGroups { .. }, Command::SetGroups { .. })
        | (Command::ReplaceDocument { .. }, Command::ReplaceDocument { .. }) => true,
        _ => false,
    }
}

/// Whether `next` goes on with the change of `previous`, and neither says all: a setting that is typed into while edges
/// follow the names in it.
fn can_follow(previous: &Command, next: &Command) -> bool {
    fn setting(command: &Command) -> Option<(&str, &str)> {
        match command {
            Command::SetConfig { node, field, value: Some(_) } if !field.ends_with("/-") => {
                Some((node, field))
            }
            Command::Batch(all) => {
                let first = setting(all.first()?)?;
                let follows = |command: &Command| {
                    matches!(command, Command::ReplaceEdge { .. }) || setting(command) == Some(first)
                };
                all.iter().all(follows).then_some(first)
            }
            _ => None,
        }
    }
    let batched = [previous, next].iter().any(|command| matches!(command, Command::Batch(_)));
    batched && setting(previous).is_some() && setting(previous) == setting(next)
}
