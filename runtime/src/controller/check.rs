//! What is wrong with a document, given what this controller has: its components, connections and secrets.

use fairway_shared::channel::{Channel, text};
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::plan::Plan;
use serde_json::Value;

use super::Controller;
use super::connections::connection_of;
use crate::check::{self, Known};
use crate::problem::Refused;
use crate::services::Kind;

/// What a document comes to.
pub(crate) struct Compiled {
    /// The document, when it is a channel.
    pub(crate) channel: Option<Channel>,
    /// Its plan, when it has no errors.
    pub(crate) plan: Option<Plan>,
    /// All that is wrong with it, errors first.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Controller {
    /// All that is wrong with any bytes, with lines and columns.
    pub async fn check_bytes(&self, bytes: &[u8]) -> Result<Vec<Diagnostic>, Refused> {
        Ok(check::bytes(&self.registry, bytes, &self.known().await?).1)
    }

    /// All that is wrong with a channel, errors first.
    pub(super) async fn check(&self, channel: &Channel) -> Result<Vec<Diagnostic>, Refused> {
        Ok(check::channel(&self.registry, channel, &self.known().await?))
    }

    /// A document with its plan.
    pub(crate) async fn compile(&self, document: &Value) -> Result<Compiled, Refused> {
        let (channel, diagnostics) = text::from_value(document);
        let Some(channel) = channel else {
            return Ok(Compiled { channel: None, plan: None, diagnostics });
        };
        let (plan, diagnostics) = check::plan(&self.registry, &channel, &self.known().await?);
        Ok(Compiled { channel: Some(channel), plan, diagnostics })
    }

    async fn known(&self) -> Result<Known, Refused> {
        let mut connections = Vec::new();
        for entry in self.services.config.list(Kind::Connection, "").await? {
            connections.extend(connection_of(&entry.value)?);
        }
        Ok(Known {
            connections: Some(connections),
            secrets: Some(self.services.secrets.names().await?),
            cluster: self.services.streams.is_some(),
        })
    }
}
