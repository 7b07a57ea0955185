//! Documents from elsewhere become channels: the one way for files, drops, pastes, and documents that the desktop app opens.

use fairway_shared::api::channels::{Existing, Import, ImportDocument};
use serde_json::Value;

use crate::api;
use crate::i18n::t;
use crate::state::Toasts;

/// What became of a document.
pub(crate) enum Brought {
    /// Channels, by uid.
    Channels(Vec<String>),
    /// Its name is taken: nothing was done, and here it is again.
    Taken(Value),
    /// It was refused, and why was said.
    Refused,
}

/// Reads a text as a document, or says why it is none.
pub(crate) fn read(text: &str, toasts: Toasts) -> Option<Value> {
    serde_json::from_str(text)
        .inspect_err(|error| toasts.bad(t!("import-not-json"), Some(error.to_string())))
        .ok()
}

/// Imports a document. Secrets that it refers to and that are not here are told.
pub(crate) async fn bring_in(document: Value, existing: Existing, toasts: Toasts) -> Brought {
    let import = Import { document, existing };
    match api::call::<ImportDocument>(&[], &import).await {
        Ok(done) => {
            if !done.missing_secrets.is_empty() {
                let names = done.missing_secrets.join(", ");
                toasts.bad(t!("import-secrets", names = names), Some(t!("import-secrets-help")));
            }
            Brought::Channels(done.channels)
        }
        Err(problem) if problem.status == 409 && existing == Existing::Refuse => {
            Brought::Taken(import.document)
        }
        Err(problem) => {
            toasts.problem(&problem);
            Brought::Refused
        }
    }
}
