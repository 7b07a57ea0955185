//! Connections and bundles: the documents beside channels. A connection is named access data of one external system; a
//! bundle is an export of channels with the connections they name. Their text form is `channel::text`.

use serde_json::{Map, Value};

use crate::channel::text::Document;
use crate::channel::{Extra, Metadata};

/// Named, reusable access data of one external system. Secrets in it are references (I6).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Connection {
    /// Name, title, labels.
    pub metadata: Metadata,
    /// What is accessed, and how.
    pub spec: ConnectionSpec,
    /// Unknown top-level fields.
    pub extra: Extra,
}

/// What is accessed, and how.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConnectionSpec {
    /// Family of the external system, such as `postgres`.
    pub connector: String,
    /// Access data; components that name the connection take these as if they were their own.
    pub config: Map<String, Value>,
    /// Unknown fields.
    pub extra: Extra,
}

impl Connection {
    /// A connection with nothing but its essentials.
    pub fn new(name: impl Into<String>, connector: impl Into<String>, config: Map<String, Value>) -> Self {
        Self {
            metadata: Metadata { name: name.into(), ..Metadata::default() },
            spec: ConnectionSpec { connector: connector.into(), config, extra: Map::new() },
            extra: Map::new(),
        }
    }

    /// What channels call it.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Family of the external system.
    pub fn connector(&self) -> &str {
        &self.spec.connector
    }

    /// Access data.
    pub fn config(&self) -> &Map<String, Value> {
        &self.spec.config
    }
}

/// An export: channels and the connections they name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bundle {
    /// Channels and connections; never a bundle.
    pub items: Vec<Document>,
    /// Where each item stood in the text it was read from, which may have held others that are no documents.
    pub indexes: Vec<usize>,
    /// Unknown top-level fields.
    pub extra: Extra,
}
