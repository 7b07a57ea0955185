//! Dead letters: list and discard.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::{None, endpoint};
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
    /// Why it was refused.
    pub cause: Cause,
    /// The record as it entered the node: value, key, headers.
    pub record: Value,
    /// When, RFC 3339.
    pub at: String,
}

/// A page of dead letters, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadLetters {
    /// Newest first.
    pub dead_letters: Vec<DeadLetter>,
    /// How many there are in all.
    pub total: u64,
}

/// How many were affected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Affected {
    /// Number of dead letters.
    pub affected: u64,
}

/// Which dead letters; empty means all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Ids; empty means all.
    #[serde(default)]
    pub ids: Vec<String>,
}

endpoint!(ListDeadLetters, Get "/api/v1/channels/{uid}/dead-letters" None => DeadLetters, "Lists dead letters; `?limit=` and `?offset=` page.");
endpoint!(DiscardDeadLetters, Post "/api/v1/channels/{uid}/dead-letters/discard" Selection => Affected, "Discards dead letters for good.");
