//! What the entries of the configuration log mean: channels with drafts, versions and deployments, by type.

use std::collections::{BTreeMap, BTreeSet};

use fairway_shared::api::channels::{Picture, SeenFields};
use fairway_shared::api::status::{Cause, ChannelState, TargetState};
use fairway_shared::channel::{Channel, text};
use fairway_shared::plan::Plan;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::problem::{Refused, codes};
use crate::services::{Adjustment, ConfigService, Entry, Error, Key, Kind};

/// What lists show of a draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) picture: Picture,
    /// Hash of what the document means; its looks are not in it.
    pub(crate) meaning: String,
    pub(crate) saved_at: String,
}

/// The version in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Deployed {
    pub(crate) version: u32,
    pub(crate) plan: Plan,
    pub(crate) meaning: String,
    pub(crate) deployed_at: String,
    /// What must be done to stored positions before its tasks start; kept until it is done, so that a crash leaves
    /// nothing out.
    pub(crate) due: Adjustment,
    /// On a cluster: tasks that do not start before that is done.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) held: BTreeSet<String>,
}

/// A frozen document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frozen {
    pub(crate) document: String,
    pub(crate) created_at: String,
    /// Fields that samples showed when it was deployed.
    #[serde(default, skip_serializing_if = "SeenFields::is_empty")]
    pub(crate) fields: SeenFields,
}

/// What the user asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    pub(crate) target: TargetState,
    /// On a cluster: how often its tasks were asked to start anew. One more makes other tasks of them.
    #[serde(default, skip_serializing_if = "is_none_yet")]
    pub(crate) round: u64,
    /// The same of single tasks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) rounds: BTreeMap<String, u64>,
}

fn is_none_yet(round: &u64) -> bool {
    *round == 0
}

impl Wanted {
    /// Asked for, and nothing was asked to start anew.
    pub(crate) fn new(target: TargetState) -> Self {
        Self { target, round: 0, rounds: BTreeMap::new() }
    }

    /// What a task runs, as the workers of a cluster tell it from what it ran before.
    pub(crate) fn form(&self, task: &fairway_shared::plan::Task) -> String {
        match (self.round, self.rounds.get(&task.id)) {
            (0, None) => task.hash.clone(),
            (round, None) => format!("{}@{round}", task.hash),
            (round, Some(own)) => format!("{}@{round}.{own}", task.hash),
        }
    }
}

/// On a cluster: that the tasks of a channel are not to run, although it was asked to: they completed, one failed, or the time of
/// its schedule has not come. Asking for it again takes this away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rest {
    pub(crate) state: ChannelState,
    pub(crate) cause: Option<Cause>,
}

/// A document being edited.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) document: String,
    pub(crate) revision: u64,
}

/// Key of a draft.
pub(crate) fn draft(uid: &str) -> Key {
    Key::new(Kind::Draft, uid)
}

/// Key of a summary.
pub(crate) fn summary(uid: &str) -> Key {
    Key::new(Kind::Summary, uid)
}

/// Key of the version in force.
pub(crate) fn deployed(uid: &str) -> Key {
    Key::new(Kind::Deployment, uid)
}

/// Key of what the user asked for.
pub(crate) fn wanted(uid: &str) -> Key {
    Key::new(Kind::Target, uid)
}

/// Key of a channel's rest.
pub(crate) fn rest(uid: &str) -> Key {
    Key::new(Kind::Rest, uid)
}

/// Key of the word that a channel's positions were lost.
pub(crate) fn lost(uid: &str) -> Key {
    Key::new(Kind::Lost, uid)
}

/// Key of a frozen document; ids sort by number.
pub(crate) fn frozen(uid: &str, version: u32) -> Key {
    Key::new(Kind::Version, format!("{uid}/{version:010}"))
}

/// Number of the version that comes after these.
pub(crate) fn next_version(versions: &[Entry]) -> u32 {
    versions.last().and_then(version_of).map_or(1, |last| last + 1)
}

/// Number of a version.
pub(crate) fn version_of(entry: &Entry) -> Option<u32> {
    entry.key.id.rsplit('/').next()?.parse().ok()
}

/// Key of a connection.
pub(crate) fn connection(name: &str) -> Key {
    Key::new(Kind::Connection, name)
}

/// Key that all names collide on which a person would take for the same: in NFC and in lower case (G12).
pub(crate) fn name(name: &str) -> Key {
    Key::new(Kind::Name, name.nfc().collect::<String>().to_lowercase().nfc().collect::<String>())
}

/// What an entry holds.
pub(crate) fn read<T: serde::de::DeserializeOwned>(entry: &Entry) -> Result<T, Error> {
    serde_json::from_str(&entry.value).map_err(|error| Error::Unavailable(error.into()))
}

/// What an entry is to hold.
pub(crate) fn write(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Unavailable(error.into()))
}

/// Reads an entry of a type, if it is there.
pub(crate) async fn find<T: serde::de::DeserializeOwned>(
    config: &dyn ConfigService,
    key: &Key,
) -> Result<Option<T>, Error> {
    config.get(key).await?.as_ref().map(read).transpose()
}

/// The document of a deployed version.
pub(crate) async fn document(
    config: &dyn ConfigService,
    uid: &str,
    version: u32,
) -> Result<Option<Channel>, Error> {
    let frozen: Option<Frozen> = find(config, &frozen(uid, version)).await?;
    let Some(frozen) = frozen else { return Ok(None) };
    let document =
        serde_json::from_str(&frozen.document).map_err(|error| Error::Unavailable(error.into()))?;
    Ok(text::from_value(&document).0)
}

/// The draft of a channel that must be there.
pub(crate) async fn must(config: &dyn ConfigService, uid: &str) -> Result<Draft, Refused> {
    let entry = config.get(&draft(uid)).await?.ok_or_else(|| no_channel(uid))?;
    Ok(Draft { document: entry.value, revision: entry.revision })
}

/// There is no such channel.
pub(crate) fn no_channel(uid: &str) -> Refused {
    Refused::new(codes::CHANNEL_NOT_FOUND, format!("there is no channel with the uid `{uid}`"))
        .help("it may have been deleted; list the channels to see what there is")
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn twins_collide_and_others_do_not() {
        let same = [("Orders", "orders"), ("caf\u{e9}", "cafe\u{301}"), ("STRASSE", "strasse")];
        assert!(same.iter().all(|(one, other)| name(one) == name(other)));
        let apart = [("orders", "orders "), ("a", "а"), ("ß", "ss")];
        assert!(apart.iter().all(|(one, other)| name(one) != name(other)));
    }
}
