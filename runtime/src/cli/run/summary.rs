//! The last line of standard output: one JSON object with fixed fields.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use fairway_engine::store::Totals;
use fairway_shared::api::status::Cause;
use fairway_shared::diagnostic::Diagnostic;
use serde::Serialize;

use super::Ended;
use crate::cli::output::{count, line, say};
use crate::config::DataDir;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// Everything was delivered.
    Completed,
    /// It could not go on.
    Failed,
    /// It was asked to stop.
    Stopped,
}

/// What one run did.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    channel: String,
    outcome: Outcome,
    read: u64,
    delivered: u64,
    filtered: u64,
    pub(super) dead_lettered: u64,
    retried: u64,
    elapsed_ms: u64,
    nodes: BTreeMap<String, Place>,
    error: Option<Cause>,
    #[serde(skip)]
    undelivered: u64,
    /// Whether earlier runs had read records.
    #[serde(skip)]
    began_behind: bool,
    /// Records that earlier runs had set aside and that were delivered when they were tried again.
    #[serde(skip)]
    replayed: u64,
}

/// Records counted at one node.
#[derive(Debug, Serialize)]
struct Place {
    #[serde(rename = "in")]
    entered: u64,
    out: u64,
    errors: u64,
}

impl Summary {
    /// Of a run that began with these totals and ended with those.
    pub(super) fn new(
        channel: &str,
        ended: &Ended,
        before: &Totals,
        after: &Totals,
        elapsed: Duration,
    ) -> Self {
        let (old, new) = (&before.counts, &after.counts);
        let place = |id: &String, passed: &fairway_engine::store::Passed| {
            let old = before.nodes.get(id).copied().unwrap_or_default();
            Place {
                entered: passed.entered - old.entered,
                out: passed.out - old.out,
                errors: passed.errors - old.errors,
            }
        };
        Self {
            channel: channel.to_owned(),
            outcome: ended.outcome,
            read: new.read - old.read,
            delivered: new.delivered - old.delivered,
            filtered: new.filtered - old.filtered,
            dead_lettered: new.dead_lettered - old.dead_lettered,
            retried: new.retried - old.retried,
            replayed: new.replayed - old.replayed,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            nodes: after.nodes.iter().map(|(id, passed)| (id.clone(), place(id, passed))).collect(),
            error: ended.error.clone(),
            undelivered: ended.undelivered,
            began_behind: old.read > 0,
        }
    }

    /// Of a run that did not begin, because the document has errors.
    pub(super) fn refused(channel: &str, found: &[Diagnostic]) -> Self {
        let error = found.iter().find(|diagnostic| diagnostic.is_error()).map(|diagnostic| Cause {
            code: diagnostic.code.to_string(),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            node: diagnostic.place.node.clone(),
        });
        let ended = Ended { outcome: Outcome::Failed, error, undelivered: 0, asked: None };
        Self::new(channel, &ended, &Totals::default(), &Totals::default(), Duration::ZERO)
    }

    /// Says it to a person, on standard error.
    pub(super) fn say(&self, data: Option<&Path>) {
        let outcome = match self.outcome {
            Outcome::Completed => "completed",
            Outcome::Failed => "failed",
            Outcome::Stopped => "stopped",
        };
        say(&format!(
            "{}: {outcome} after {:.1} s: {} read, {} delivered, {} filtered, {} dead-lettered",
            self.channel,
            self.elapsed_ms as f64 / 1000.0,
            count(self.read),
            count(self.delivered),
            count(self.filtered),
            count(self.dead_lettered),
        ));
        if self.outcome == Outcome::Completed && self.read == 0 && self.began_behind {
            say("nothing new since the run before; --fresh starts from the beginning");
        }
        if self.replayed > 0 {
            say(&format!("{} records that were set aside before were delivered now", count(self.replayed)));
        }
        if let Some(error) = &self.error {
            let node = error.node.as_deref().map(|node| format!(" at node {node}")).unwrap_or_default();
            say(&format!("error[{}]{node}: {}", error.code, error.message));
            if let Some(help) = &error.help {
                say(&format!("  help: {help}"));
            }
        }
        if self.undelivered > 0 {
            let records = count(self.undelivered);
            say(&format!("{records} records were read and not delivered; the next run reads them again"));
        }
        if self.dead_lettered > 0 {
            let data = data.map_or_else(|| DataDir::locate(None).unwrap_or_default(), Path::to_owned);
            say(&format!(
                "see what was set aside: fairway dead-letters list {:?} --data {}",
                self.channel,
                data.display()
            ));
        }
    }

    /// Prints the line.
    pub(super) fn print(&self) {
        line(self);
    }
}
