//! Dead letters: list, show, group, edit, try again, discard.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::{None, endpoint};
use super::preview::PreviewAnswer;
use super::status::Cause;

/// A record set aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetter {
    /// Stable id, derived from its key.
    pub id: String,
    /// Node that refused it.
    pub node: String,
    /// Source node it came from.
    pub source: String,
    /// Partition of the source.
    pub partition: String,
    /// Rank within the partition.
    pub order: u64,
    /// Index among the children of one source record.
    pub child: u32,
    /// Why it was refused, the last time.
    pub cause: Cause,
    /// The record as it entered the node: `value`, `key`, `headers`; `types` and `fields` say what JSON does not.
    pub record: Value,
    /// The record as somebody edited it: this one is tried again, and `record` is kept until that has come to something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Value>,
    /// When, RFC 3339.
    pub at: String,
    /// How often it was refused: 1, and one more for each time it was tried again.
    #[serde(default = "once")]
    pub tries: u32,
    /// Whether it waits to be tried again.
    #[serde(default)]
    pub replaying: bool,
}

fn once() -> u32 {
    1
}

/// A page of dead letters, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetters {
    /// Newest first.
    pub dead_letters: Vec<DeadLetter>,
    /// How many there are in all.
    pub total: u64,
    /// How many fit what was asked for, on all pages.
    #[serde(default)]
    pub matching: u64,
    /// How many wait to be tried again.
    #[serde(default)]
    pub replaying: u64,
    /// How many were removed to keep within the limits of age and room, ever.
    #[serde(default)]
    pub evicted: u64,
}

/// Dead letters with the same cause at the same node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LetterGroup {
    /// Node that refused them.
    pub node: String,
    /// Code of the cause.
    pub code: String,
    /// How many.
    pub letters: u64,
    /// What the newest of them says.
    pub message: String,
    /// When the first was set aside, RFC 3339.
    pub first_at: String,
    /// When the last was set aside, RFC 3339.
    pub last_at: String,
}

/// All dead letters, by cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LetterGroups {
    /// The largest first.
    pub groups: Vec<LetterGroup>,
}

/// How many were affected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Affected {
    /// Number of dead letters.
    pub affected: u64,
}

/// What a dead letter's record is to be when it is tried again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditedRecord {
    /// The whole record as [`DeadLetter::record`] has it, with an object for `value`; absent or null for the one that was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Value>,
}

/// Which dead letters: all that is given must fit; where nothing is given, all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    /// Ids; absent means any, an empty list none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// Refused at this node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Refused with this code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Set aside at this time or later, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Set aside before this time, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// When dead letters are tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayStart {
    /// Now: the channel runs, or was started for these letters alone.
    Now,
    /// When the channel runs again: it is paused, failed or holds.
    WhenRunning,
    /// By the next `fairway run`.
    NextRun,
    /// Never: there is nothing to be tried.
    Nothing,
}

/// What becomes of dead letters that were asked to be tried again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replaying {
    /// How many are tried again. A letter goes when its record is durable in its targets; refused again, it stays.
    pub affected: u64,
    /// How many cannot be.
    pub skipped: u64,
    /// Why these cannot be, each reason once: `dead_letter.refused_by_source`, for what a source refused is no record that could
    /// enter anywhere; `dead_letter.no_such_node`, for their node is not in the version in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Cause>,
    /// When they are.
    pub start: ReplayStart,
}

endpoint!(ListDeadLetters, Get "/api/v1/channels/{uid}/dead-letters" None => DeadLetters, "Lists dead letters; `?limit=` and `?offset=` page, `?node=`, `?code=`, `?since=` and `?until=` choose.");
endpoint!(GroupDeadLetters, Get "/api/v1/channels/{uid}/dead-letters/groups" None => LetterGroups, "Counts dead letters by node and cause.");
endpoint!(GetDeadLetter, Get "/api/v1/channels/{uid}/dead-letters/{id}" None => DeadLetter, "Reads one dead letter.");
endpoint!(EditDeadLetter, Put "/api/v1/channels/{uid}/dead-letters/{id}/record" EditedRecord => DeadLetter, "Has another record tried again in a dead letter's place; the one that was refused is kept beside it. The channel's history says so.");
endpoint!(PreviewDeadLetter, Post "/api/v1/channels/{uid}/dead-letters/{id}/preview" EditedRecord => PreviewAnswer, "Runs a record from the node that refused the dead letter on, by the version in force; writes nothing. Without a record: the letter's own.");
endpoint!(ReplayDeadLetters, Post "/api/v1/channels/{uid}/dead-letters/replay" Selection => Replaying, "Has dead letters enter again at the node that refused them.");
endpoint!(DiscardDeadLetters, Post "/api/v1/channels/{uid}/dead-letters/discard" Selection => Affected, "Discards dead letters for good.");
