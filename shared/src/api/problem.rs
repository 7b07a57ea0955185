//! What went wrong over HTTP, as RFC 9457 `application/problem+json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;

/// A problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// Permanent dotted code.
    pub code: String,
    /// Short text of the status.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// What happened, in this case.
    pub detail: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Findings about a document, where that is the problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}
