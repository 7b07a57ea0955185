//! What tests of connections came to, as this browser last saw them. A result holds for the settings that were tested: once a
//! connection is changed it says nothing any more.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::connections::ListConnections;
use fairway_shared::api::preview::ProbeAnswer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::store::{Keep, forget, read, write};
use crate::api;
use crate::i18n::t;

/// What a test came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tested {
    /// When, RFC 3339.
    pub(crate) at: String,
    /// What answered; nothing when the test failed.
    pub(crate) found: Option<String>,
    /// Why it failed.
    pub(crate) why: Option<String>,
    /// What to do about it.
    pub(crate) help: Option<String>,
    /// Mark of the settings that were tested.
    #[serde(default)]
    of: String,
}

/// A mark that differs where settings do. Nothing can be read out of it, and so it may be kept (I6).
fn mark(document: &Value) -> String {
    let text = document["spec"].to_string();
    // FNV-1a, for a text that must be the same in the next window too.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

fn key(name: &str) -> String {
    format!("fairway.tested.{name}")
}

impl Tested {
    /// What a server answered to a test of this document, just now.
    pub(crate) fn of(document: &Value, answer: &Result<ProbeAnswer, fairway_shared::api::Problem>) -> Self {
        let (found, why, help) = match answer {
            Ok(ProbeAnswer { probe: Some(probe), .. }) => (Some(probe.found.clone()), None, None),
            Ok(ProbeAnswer { cause: Some(cause), .. }) => {
                (None, Some(cause.message.clone()), cause.help.clone())
            }
            Ok(_) => (None, Some(t!("probe-silent")), None),
            Err(problem) => (None, Some(api::said(problem)), problem.help.clone()),
        };
        let at = String::from(js_sys::Date::new_0().to_iso_string());
        Self { at, found, why, help, of: mark(document) }
    }

    /// What is kept of a connection, if it was tested as it is now.
    pub(crate) fn kept(name: &str, document: &Value) -> Option<Self> {
        let kept: Self = serde_json::from_str(&read(Keep::Always, &key(name))?).ok()?;
        kept.holds(document).then_some(kept)
    }

    /// Whether it was this document that was tested.
    pub(crate) fn holds(&self, document: &Value) -> bool {
        self.of == mark(document)
    }

    /// Keeps it under the name of a connection.
    pub(crate) fn keep(&self, name: &str) {
        if !write(Keep::Always, &key(name), &serde_json::to_string(self).unwrap_or_default()) {
            leptos::logging::warn!("what a test came to is not kept");
        }
    }
}

/// Forgets what is kept of a connection that is gone.
pub(crate) fn forget_tested(name: &str) {
    if !forget(Keep::Always, &key(name)) {
        leptos::logging::warn!("what a test came to is still kept");
    }
}

/// A node that takes its access data from a connection, and nothing else, has tested it as well.
pub(crate) async fn tested_by_node(connection: &str, answer: &ProbeAnswer) {
    if answer.probe.is_none() {
        return;
    }
    let Ok(known) = api::call::<ListConnections>(&[], &Nothing {}).await else { return };
    if let Some(one) = known.connections.into_iter().find(|one| one.name == connection) {
        Tested::of(&one.document, &Ok(answer.clone())).keep(connection);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_holds_for_the_settings_that_were_tested() {
        let of = |host: &str, title: &str| json!({ "metadata": { "name": "a", "title": title }, "spec": { "connector": "postgres", "config": { "host": host } } });
        let tested = Tested {
            at: "2026-11-30T00:00:00Z".into(),
            found: None,
            why: Some("refused".into()),
            help: None,
            of: mark(&of("db", "")),
        };
        assert!(tested.holds(&of("db", "Shop")), "a title is no setting");
        assert!(!tested.holds(&of("other", "")));
    }
}
