//! Taps: records that pass an edge of a running channel, for a short time. A tap copies few records a second and never keeps the channel
//! waiting; values that the channel masks anywhere are never shown. The channel's history says who opened one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::endpoint::{None, endpoint};

/// A tap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tap {
    /// Its id.
    pub id: String,
    /// Output that the edge begins at, as the document spells it.
    pub from: String,
    /// Input that the edge ends at, as the document spells it.
    pub to: String,
    /// When it was opened, RFC 3339.
    pub at: String,
    /// Seconds until it ends by itself; 0 once it has.
    pub seconds_left: u32,
    /// Names of fields that are never shown, because the channel masks them; a field whose name begins with one of those that end in
    /// `*` is not shown either.
    pub hidden: Vec<String>,
}

/// A record that passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TappedRecord {
    /// Counts what the tap has copied, from 1.
    pub number: u64,
    /// Milliseconds between the opening of the tap and its passing.
    pub after_ms: u64,
    /// Its fields; those that are hidden are left out, and of a long value the beginning stands there as text.
    pub value: Map<String, Value>,
    /// Names of all its fields, in order.
    pub fields: Vec<String>,
    /// What each field holds, by name.
    pub types: BTreeMap<String, String>,
    /// Fields that are not shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// Fields of which only the beginning is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

/// What a tap has seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tapped {
    /// The tap as it is now.
    pub tap: Tap,
    /// Records beyond the number asked for, as far as they are still kept: the last 100.
    pub records: Vec<TappedRecord>,
    /// How many records have passed since it was opened; of these, some are shown.
    pub passed: u64,
}

endpoint!(OpenTap, Post "/api/v1/channels/{uid}/taps" None => Tap, "Looks at records that pass an edge of a running channel: `?from=` and `?to=` name it, `?seconds=` says for how long, 1 to 300, 60 without it.", 201);
endpoint!(ReadTap, Get "/api/v1/channels/{uid}/taps/{id}" None => Tapped, "Reads what a tap has seen, beyond the record `?after=`.");
endpoint!(CloseTap, Delete "/api/v1/channels/{uid}/taps/{id}" None => None, "Ends a tap before its time.", 204);
