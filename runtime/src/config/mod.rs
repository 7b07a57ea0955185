//! Where data lies and who may connect: what flags and environment say, read once at start.
//!
//! [`data_dir`] is the folder that one process owns; [`access`] is the address, the token and the key of the secrets.

pub mod access;
pub mod data_dir;

pub use access::Token;
pub use data_dir::DataDir;

use std::io;
use std::path::PathBuf;

/// What keeps a process from starting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process owns the data directory (I4).
    #[error("the data directory {} is in use by process {pid}", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
        /// Process id of its owner, or `?` where it cannot be read.
        pid: String,
    },
    /// Nowhere to put data.
    #[error("this account has no folder for application data")]
    NoHome,
    /// A file or folder cannot be used.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What was tried, such as `create`.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A token or key that is too easy to guess.
    #[error("the {0} is shorter than 16 characters")]
    TooShort(&'static str),
    /// A listener beyond this machine without a token that was chosen for it.
    #[error("`{0}` can be reached from other machines, and no token was chosen")]
    OpenToAll(String),
}

impl Error {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::InUse { pid, .. } => {
                format!("stop process {pid} first, or choose another directory with --data")
            }
            Self::NoHome => "choose a directory with --data or FAIRWAY_DATA".to_owned(),
            Self::TooShort(_) => "choose a longer one, at random".to_owned(),
            Self::OpenToAll(_) => {
                "choose a token with FAIRWAY_TOKEN or --token-file, or listen on 127.0.0.1".to_owned()
            }
            Self::File { .. } => return None,
        })
    }

    fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }
}
