//! What a service answers when it cannot.

use std::error::Error as StdError;

use fairway_engine::error::{Error as EngineError, Kind};

use super::config::Key;

/// Why a service could not do it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A compare-and-set found something else than expected.
    #[error("`{key}` has been changed by somebody else")]
    Conflict {
        /// What was to be compared.
        key: Key,
        /// Its revision now; absent when it does not exist.
        revision: Option<u64>,
    },
    /// A later start of the task, or a reset, has taken over (I3, I4).
    #[error("another start of this task has taken over")]
    Fenced,
    /// A position was to go back within one generation (I3).
    #[error("the position of {stream} cannot go back from {from} to {to}")]
    WentBack {
        /// Whose position.
        stream: String,
        /// Rank stored.
        from: u64,
        /// Rank asked for.
        to: u64,
    },
    /// A rank beyond what a store can hold.
    #[error("the rank {0} is greater than a position may have")]
    TooLarge(u64),
    /// No room is left.
    #[error("the disk that holds Fairway's data is full")]
    Full(#[source] Box<dyn StdError + Send + Sync>),
    /// This worker does not lead the cluster: what is settled is changed by the leader alone.
    #[error("this worker does not lead the cluster, so it cannot change what is settled")]
    Follower,
    /// Whether a commit went through is not known; it is settled by the next start of whoever made it.
    #[error("whether the brokers took a commit is not known: {0}")]
    Uncertain(#[source] Box<dyn StdError + Send + Sync>),
    /// A sealed value does not open with this key.
    #[error("the secret `{0}` was sealed with another key")]
    Sealed(String),
    /// This worker was not given the key of the cluster's secrets.
    #[error("this worker does not have the key of the cluster's secrets")]
    NoKey,
    /// The positions of a channel were lost with the topic that held them: only its user can say what to read again.
    #[error(
        "the positions of the channel were lost with the topic that held them, so where to go on is not known"
    )]
    PositionsLost,
    /// The store is out of reach or damaged.
    #[error("Fairway's own store cannot be used: {0}")]
    Unavailable(#[source] Box<dyn StdError + Send + Sync>),
}

/// What services answer.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<EngineError> for Error {
    /// A fault of the brokers that hold what services remember.
    fn from(error: EngineError) -> Self {
        match error.kind {
            Kind::Fenced => Self::Fenced,
            _ => Self::Unavailable(error.into()),
        }
    }
}

impl From<Error> for EngineError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Fenced => Self::new(Kind::Fenced, "task.fenced", message),
            Error::Full(_) => Self::outage("store.full", message)
                .help("make room on the disk that holds the data directory; the channel goes on by itself"),
            Error::Unavailable(_) => Self::outage("store.unavailable", message)
                .help("see to the disk that holds the data directory"),
            Error::Follower => Self::outage("cluster.no_leader", message)
                .help("wait: the workers are choosing a leader, or ask the one that leads"),
            Error::Uncertain(_) => Self::new(Kind::Again, "store.uncertain", message)
                .help("see to the brokers; the task begins anew by itself, from what they have"),
            Error::Sealed(_) => Self::config("secret.sealed", message)
                .help("give the process the key that the secret was set with, or set the secret again"),
            Error::NoKey => Self::config("secret.no_key", message).help(
                "start the worker with FAIRWAY_SECRET_KEY, or FAIRWAY_SECRET_KEY_FILE, as the others have it",
            ),
            Error::PositionsLost => Self::hold("cluster.positions_lost", message).help(
                "have the channel start over (`fairway positions CHANNEL --reset`), which reads everything again, then resume it",
            ),
            Error::Conflict { .. } => Self::failed("store.conflict", message),
            Error::WentBack { .. } => Self::failed("position.went_back", message),
            Error::TooLarge(_) => Self::failed("position.too_large", message),
        }
    }
}
