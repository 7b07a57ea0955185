//! What is observed of each channel, with a bounded history. Counts are not here: they are stored with the positions.

use async_trait::async_trait;
use fairway_shared::api::status::{Cause, ChannelState, HistoryEntry};
use serde::{Deserialize, Serialize};

use super::error::Result;

/// What was last observed of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatusRecord {
    /// Its state.
    pub state: ChannelState,
    /// Why.
    pub cause: Option<Cause>,
    /// Since when, RFC 3339.
    pub since: Option<String>,
    /// Version in force then.
    pub version: Option<u32>,
}

impl From<HistoryEntry> for StatusRecord {
    fn from(entry: HistoryEntry) -> Self {
        Self { state: entry.state, cause: entry.cause, since: Some(entry.at), version: entry.version }
    }
}

/// Entries of history kept for each channel.
pub const HISTORY_KEPT: usize = 200;

/// What is observed, by the channel's uid.
#[async_trait]
pub trait StatusService: Send + Sync {
    /// Notes a state, and its entry in the history, of which the oldest make room.
    async fn enter(&self, uid: &str, entry: &HistoryEntry) -> Result<()>;

    /// Notes something that was done by hand in the history; the state stays what it is.
    async fn note(&self, uid: &str, deed: &HistoryEntry) -> Result<()>;

    /// The state that was last noted.
    async fn status(&self, uid: &str) -> Result<Option<StatusRecord>>;

    /// The latest entries, newest first: changes of state, and deeds between them.
    async fn history(&self, uid: &str, limit: usize) -> Result<Vec<HistoryEntry>>;

    /// The same as far as this process has read, without asking anybody: for showing.
    async fn history_seen(&self, uid: &str, limit: usize) -> Result<Vec<HistoryEntry>> {
        self.history(uid, limit).await
    }

    /// The latest change of state as far as this process has read.
    async fn last_seen(&self, uid: &str) -> Result<Option<HistoryEntry>> {
        let entries = self.history_seen(uid, HISTORY_KEPT).await?;
        Ok(entries.into_iter().find(|entry| entry.deed.is_none()))
    }

    /// Forgets a channel.
    async fn forget(&self, uid: &str) -> Result<()>;
}
