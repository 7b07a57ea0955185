//! The event stream (`GET /api/v1/events`, Server-Sent Events). Each event has an id that rises by one; a client that
//! comes back with `Last-Event-ID` gets what it missed, or `Reset` when that is too long ago and it must read anew.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::status::ChannelStatus;

/// Path of the stream.
pub const EVENTS_PATH: &str = "/api/v1/events";

/// Something changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Counts, rates or state of a channel; at most twice a second a channel.
    Status(Box<ChannelStatus>),
    /// A draft was saved, imported over or created.
    Draft(DraftChanged),
    /// A channel is gone.
    Deleted(ChannelGone),
    /// What was missed is too long ago: read everything anew.
    Reset,
}

/// A draft has a new `ETag`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftChanged {
    /// Of which channel.
    pub uid: String,
    /// Its new `ETag`.
    pub etag: String,
}

/// A channel was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChannelGone {
    /// Of which channel.
    pub uid: String,
}
