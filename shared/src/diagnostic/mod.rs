//! What is wrong with a document: where, what, and what to do. A list of these is the answer to any bytes whatever (I7).
//!
//! [`codes`] is the table of everything that can be said. What finds it is `channel::text` (the text and its shape),
//! `validate` (its meaning) and the runtime's `compile` (what it would run as).

pub mod codes;
mod order;

pub(crate) use order::settle;
pub use order::{MOST, sort};

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Works, but look at it.
    Warning,
    /// Cannot be deployed.
    Error,
}

/// Where in the document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// JSON pointer (RFC 6901) into the document; empty means the whole.
    pub pointer: String,
    /// Id of the node, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Config field of the node, dotted, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Line of the text, from 1, for faults of the text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column of the text in bytes, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

/// A change that would mend it: set or remove one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fix {
    /// What the change does, for a button.
    pub title: String,
    /// JSON pointer of the value to change.
    pub pointer: String,
    /// The value to put there; absent means remove it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::canonical::present"
    )]
    pub value: Option<Value>,
}

/// One finding about a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// Permanent dotted code, such as `graph.cycle`.
    pub code: Cow<'static, str>,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What is wrong, one sentence.
    pub message: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// A change that mends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self {
            code: Cow::Borrowed(code),
            severity: Severity::Error,
            place,
            message: message.into(),
            help: None,
            fix: None,
        }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, place, message) }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a change that mends it.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, pointer: impl Into<String>, value: Option<Value>) -> Self {
        self.fix = Some(Fix { title: title.into(), pointer: pointer.into(), value });
        self
    }

    /// The same finding in a document that lies at `prefix` (a JSON pointer) of a larger one, such as a bundle.
    #[must_use]
    pub fn under(mut self, prefix: &str) -> Self {
        self.place.pointer.insert_str(0, prefix);
        if let Some(fix) = &mut self.fix {
            fix.pointer.insert_str(0, prefix);
        }
        self
    }

    /// Whether this keeps the document from being deployed.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl Place {
    /// The place behind a JSON pointer.
    pub fn at(pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), ..Self::default() }
    }

    /// The same place, said to be about a node.
    #[must_use]
    pub fn of_node(mut self, node: impl Into<String>) -> Self {
        self.node = Some(node.into());
        self
    }

    /// The same place, said to be about a config field.
    #[must_use]
    pub fn of_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}[{}]", self.code)?;
        if !self.place.pointer.is_empty() {
            write!(f, " at {}", self.place.pointer)?;
        }
        if let (Some(line), Some(column)) = (self.place.line, self.place.column) {
            write!(f, " at line {line}, column {column}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}
