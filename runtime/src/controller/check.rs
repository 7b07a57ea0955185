//! Everything that is wrong with a document in this place: its shape, its meaning, and what it names that is not here (I7).

use fairway_shared::channel::text;
use fairway_shared::diagnostic::Diagnostic;
use serde_json::Value;

use super::Controller;
use crate::problem::Refused;

impl Controller {
    /// All that is wrong with a document, errors first.
    pub async fn check(&self, document: &Value) -> Result<Vec<Diagnostic>, Refused> {
        let (_, diagnostics) = text::document_from_value(document);
        Ok(diagnostics)
    }

    /// The same for any bytes whatever, with lines and columns.
    pub async fn check_bytes(&self, bytes: &[u8]) -> Result<Vec<Diagnostic>, Refused> {
        let parsed = text::parse(bytes);
        let Some(document) = parsed.document else {
            return Ok(parsed.diagnostics);
        };
        let mut diagnostics = self.check(&document.to_value()).await?;
        text::locate(bytes, &mut diagnostics);
        Ok(diagnostics)
    }
}
