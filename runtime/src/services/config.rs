//! What users asked for, as one ordered log of keyed entries: compacted to the latest entry of each key, deletions
//! included. Entries are written with compare-and-set, several at once or not at all.
//!
//! What the entries mean is `crate::controller`'s business (`catalog`); here they are text.

use std::fmt;

use async_trait::async_trait;

use super::error::Result;

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A name in use, folded so that twins collide; holds the uid.
    Name,
    /// The document being edited, by uid.
    Draft,
    /// What lists show of a draft, by uid.
    Summary,
    /// A frozen document, by uid and number.
    Version,
    /// The version in force with its plan, by uid.
    Deployment,
    /// What the user asked for, by uid.
    Target,
    /// Access data of one external system, by name.
    Connection,
    /// How far a channel's schedule is seen to, by uid.
    Schedule,
    /// The uid that `fairway run` gave to a name.
    Run,
    /// A sealed value of a cluster, by name.
    Secret,
    /// On a cluster: that a channel rests, although it was asked to run, by uid.
    Rest,
    /// On a cluster: which positions topic it is that holds its positions.
    Ledger,
    /// On a cluster: that the positions of a channel were lost, by uid.
    Lost,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Name,
        Self::Draft,
        Self::Summary,
        Self::Version,
        Self::Deployment,
        Self::Target,
        Self::Connection,
        Self::Schedule,
        Self::Run,
        Self::Secret,
        Self::Rest,
        Self::Ledger,
        Self::Lost,
    ];

    /// As stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Draft => "draft",
            Self::Summary => "summary",
            Self::Version => "version",
            Self::Deployment => "deployment",
            Self::Target => "target",
            Self::Connection => "connection",
            Self::Schedule => "schedule",
            Self::Run => "run",
            Self::Secret => "secret",
            Self::Rest => "rest",
            Self::Ledger => "ledger",
            Self::Lost => "lost",
        }
    }

    /// The kind stored under this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// What an entry is found by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// What it is about.
    pub kind: Kind,
    /// Which one.
    pub id: String,
}

impl Key {
    /// The key of one thing.
    pub fn new(kind: Kind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.as_str(), self.id)
    }
}

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its key.
    pub key: Key,
    /// Its place in the log: rises with every entry written, of any key.
    pub revision: u64,
    /// What it holds.
    pub value: String,
    /// When it was written, RFC 3339.
    pub at: String,
}

/// A place in the log that somebody follows: an entry, or its deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its key.
    pub key: Key,
    /// Its place in the log.
    pub revision: u64,
    /// What it holds now; `None` when it was deleted.
    pub value: Option<String>,
}

/// What a commit expects to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// No such key, or a deleted one.
    Absent,
    /// Exactly this revision.
    Revision(u64),
}

/// Entries to be written together, if what is expected is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    /// All must hold.
    pub expect: Vec<(Key, Expect)>,
    /// Written in this order; `None` deletes.
    pub writes: Vec<(Key, Option<String>)>,
}

impl Commit {
    /// Expects something.
    #[must_use]
    pub fn expect(mut self, key: Key, expect: Expect) -> Self {
        self.expect.push((key, expect));
        self
    }

    /// Writes an entry.
    #[must_use]
    pub fn put(mut self, key: Key, value: impl Into<String>) -> Self {
        self.writes.push((key, Some(value.into())));
        self
    }

    /// Deletes an entry; one that is not there stays so.
    #[must_use]
    pub fn delete(mut self, key: Key) -> Self {
        self.writes.push((key, None));
        self
    }
}

/// The ordered log.
#[async_trait]
pub trait ConfigService: Send + Sync {
    /// Writes everything or nothing, durably; answers the revision of the last write (0 when there was none).
    ///
    /// # Errors
    /// `Conflict` naming the first key that is not as expected.
    async fn commit(&self, commit: Commit) -> Result<u64>;

    /// The latest entry of a key, unless deleted.
    async fn get(&self, key: &Key) -> Result<Option<Entry>>;

    /// The latest entries of a kind whose ids begin so, by id.
    async fn list(&self, kind: Kind, prefix: &str) -> Result<Vec<Entry>>;

    /// What was written after a revision, in order, deletions included.
    async fn since(&self, revision: u64) -> Result<Vec<Change>>;
}
