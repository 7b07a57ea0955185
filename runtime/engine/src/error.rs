//! What goes wrong while records move. A fault of one record is `data::RecordError`; this is a fault of a source, a
//! target or the engine. What happens next follows from [`Kind`] alone, so that every component behaves alike.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use fairway_shared::api::status::Cause;

/// What kind of fault it is, and so what the engine does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The outside is out of reach or unwilling for now (network, permission, missing table, full disk): tried again
    /// with back-off and without limit; the channel is DEGRADED meanwhile. Never a reason to drop a record.
    Outage,
    /// The records themselves are refused, and trying again never helps. Returned by a sink that cannot say which: the
    /// engine halves the group until it knows.
    Data,
    /// The settings cannot work: the task fails at once and is not restarted.
    Config,
    /// A record was refused and the user's policy says to stop: the task fails and is not restarted.
    Refused,
    /// The outside does not match the positions (a target was restored, a file shrank): waits for the user's decision.
    Hold,
    /// Another generation owns this task (I4): it stops and touches nothing any more.
    Fenced,
    /// What the task writes its positions by was lost, through no fault of its own: whether the last of them arrived is known when it
    /// begins anew. It is restarted with back-off and without limit.
    Again,
    /// Anything else, a panic included: the task fails and is restarted within its budget.
    Failed,
}

/// A fault of a source, a target or the engine.
#[derive(Debug)]
pub struct Error {
    /// What kind of fault.
    pub kind: Kind,
    /// Permanent dotted code, such as `file.not_found`.
    pub code: Cow<'static, str>,
    /// What happened, one sentence without secrets.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Node it happened at; the engine fills it in.
    pub node: Option<String>,
    /// When the outside said to come back.
    pub retry_after: Option<Duration>,
    /// What lay beneath.
    pub source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// A fault of the given kind.
    pub fn new(kind: Kind, code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: code.into(),
            message: message.into(),
            help: None,
            node: None,
            retry_after: None,
            source: None,
        }
    }

    /// The outside is out of reach for now.
    pub fn outage(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Outage, code, message)
    }

    /// The settings cannot work.
    pub fn config(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Config, code, message)
    }

    /// The outside does not match the positions.
    pub fn hold(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Hold, code, message)
    }

    /// Anything else.
    pub fn failed(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, code, message)
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds what lay beneath.
    #[must_use]
    pub fn source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Says which node it happened at, unless already known.
    #[must_use]
    pub fn at_node(mut self, node: &str) -> Self {
        self.node.get_or_insert_with(|| node.to_owned());
        self
    }

    /// The form in which users see it.
    pub fn cause(&self) -> Cause {
        let mut message = self.message.clone();
        if let Some(source) = &self.source {
            message = format!("{message}: {source}");
        }
        Cause { code: self.code.to_string(), message, help: self.help.clone(), node: self.node.clone() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(f, "{} [{}, node {node}]", self.message, self.code),
            None => write!(f, "{} [{}]", self.message, self.code),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
