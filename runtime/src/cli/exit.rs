//! How a command ends: exit codes, and what is said when it fails.

use std::fmt::Display;

use fairway_shared::api::Problem;
use fairway_shared::diagnostic::Diagnostic;

use super::output::say;
use crate::problem::Refused;
use crate::{config, server, services};

/// Done.
pub(super) const DONE: u8 = 0;
/// Failed while running.
pub(super) const FAILED: u8 = 1;
/// The document has errors.
pub(super) const DOCUMENT: u8 = 3;
/// Cannot reach, or refused.
pub(super) const REFUSED: u8 = 4;
/// Interrupted, after a clean drain.
pub(super) const INTERRUPTED: u8 = 130;

/// Why a command failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// Exit code.
    pub(super) code: u8,
    message: String,
    help: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Failure {
    /// A failure with this exit code.
    pub(super) fn new(code: u8, message: impl Display) -> Self {
        Self { code, message: message.to_string(), help: None, diagnostics: Vec::new() }
    }

    /// Adds what to do.
    pub(super) fn help(mut self, help: Option<impl Display>) -> Self {
        self.help = help.map(|help| help.to_string());
        self
    }

    /// Adds findings about a document.
    pub(super) fn diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// Says it on standard error.
    pub(super) fn report(&self) {
        for diagnostic in &self.diagnostics {
            say(&diagnostic.to_string());
        }
        say(&format!("error: {}", self.message));
        if let Some(help) = &self.help {
            say(&format!("  help: {help}"));
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let code = if problem.status == 422 { DOCUMENT } else { REFUSED };
        Self {
            code,
            message: format!("{} [{}]", problem.detail, problem.code),
            help: problem.help,
            diagnostics: problem.diagnostics,
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        (*refused.problem).into()
    }
}

impl From<config::Error> for Failure {
    fn from(error: config::Error) -> Self {
        Self::new(REFUSED, &error).help(error.help())
    }
}

impl From<services::Error> for Failure {
    fn from(error: services::Error) -> Self {
        Refused::from(error).into()
    }
}

impl From<server::Error> for Failure {
    fn from(error: server::Error) -> Self {
        Self::new(REFUSED, &error).help(error.help())
    }
}
