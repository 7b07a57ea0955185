//! What the controller answers when it refuses: a [`Problem`] (RFC 9457), the same for HTTP, CLI and desktop.
//! Codes and their meaning are in [`codes`].

pub mod codes;

use std::fmt;

use fairway_shared::api::Problem;
use fairway_shared::diagnostic::Diagnostic;

pub use codes::Code;

use crate::services;

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// What the caller is told.
    pub problem: Box<Problem>,
    /// For a stale save: the `ETag` of what is there now.
    pub etag: Option<String>,
}

impl Refused {
    /// A refusal with what happened in this case.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let problem = Problem {
            code: code.code.to_owned(),
            title: title(code.status).to_owned(),
            status: code.status,
            detail: detail.into(),
            help: None,
            diagnostics: Vec::new(),
        };
        Self { problem: Box::new(problem), etag: None }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.problem.help = Some(help.into());
        self
    }

    /// Adds findings about a document.
    #[must_use]
    pub fn diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.problem.diagnostics = diagnostics;
        self
    }

    /// Adds the `ETag` of what is there now.
    #[must_use]
    pub fn etag(mut self, etag: String) -> Self {
        self.etag = Some(etag);
        self
    }

    /// HTTP status.
    pub fn status(&self) -> u16 {
        self.problem.status
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.problem.detail, self.problem.code)
    }
}

impl std::error::Error for Refused {}

impl From<services::Error> for Refused {
    fn from(error: services::Error) -> Self {
        let detail = error.to_string();
        match error {
            services::Error::Conflict { .. } => {
                Self::new(codes::STORE_CONFLICT, detail).help("read it again and repeat the change")
            }
            services::Error::Full(_) => Self::new(codes::STORE_FULL, detail)
                .help("make room on the disk that holds the data directory"),
            services::Error::Follower => Self::new(codes::CLUSTER_NO_LEADER, detail)
                .help("ask the worker that leads, or wait until one does"),
            // Nothing was done.
            services::Error::Fenced => {
                Self::new(codes::CLUSTER_NO_LEADER, "another worker has begun to lead the cluster")
                    .help("repeat it in a few seconds")
            }
            services::Error::Uncertain(_) => Self::new(codes::CLUSTER_UNCERTAIN, detail)
                .help("look whether it is there before you repeat it"),
            services::Error::Sealed(_) => Self::new(codes::SECRET_SEALED, detail)
                .help("start Fairway with the key that the secret was set with, or set the secret again"),
            services::Error::NoKey => Self::new(codes::SECRET_NO_KEY, detail).help(
                "start the worker with FAIRWAY_SECRET_KEY, or FAIRWAY_SECRET_KEY_FILE, as the others have it",
            ),
            other => {
                tracing::error!(error = %other, "the store failed");
                Self::new(codes::STORE_UNAVAILABLE, detail)
                    .help("see to the disk that holds the data directory; the log has the details")
            }
        }
    }
}

/// Short text of a status.
fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        507 => "Insufficient Storage",
        _ => "Internal Server Error",
    }
}
