//! The named end of a node as documents write it: `node` or `node.port`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Name of the port that every node has for records it could not handle.
pub const ERRORS: &str = "errors";

/// A port of a node. Without a port name the node's only (or first) port is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct PortRef {
    /// Id of the node.
    pub node: String,
    /// Name of the port, when written.
    pub port: Option<String>,
}

impl PortRef {
    /// The default port of a node.
    pub fn node(id: impl Into<String>) -> Self {
        Self { node: id.into(), port: None }
    }

    /// A named port of a node.
    pub fn port(id: impl Into<String>, port: impl Into<String>) -> Self {
        Self { node: id.into(), port: Some(port.into()) }
    }

    /// Whether this is a node's errors port.
    pub fn is_errors(&self) -> bool {
        self.port.as_deref() == Some(ERRORS)
    }
}

impl From<String> for PortRef {
    fn from(text: String) -> Self {
        match text.split_once('.') {
            Some((node, port)) => Self::port(node, port),
            None => Self::node(text),
        }
    }
}

impl From<&str> for PortRef {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<PortRef> for String {
    fn from(port: PortRef) -> Self {
        port.to_string()
    }
}

impl fmt::Display for PortRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.port {
            Some(port) => write!(f, "{}.{port}", self.node),
            None => f.write_str(&self.node),
        }
    }
}
