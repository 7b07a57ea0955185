//! Which workers there are, and which of them runs a task.

use async_trait::async_trait;

use super::error::Result;

/// A worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Stable id.
    pub id: String,
    /// Whether it is this process.
    pub is_me: bool,
}

/// Membership and allocation.
#[async_trait]
pub trait ClusterService: Send + Sync {
    /// This process.
    fn me(&self) -> &str;

    /// Every worker that is alive, by id.
    async fn members(&self) -> Result<Vec<Member>>;

    /// The worker that runs a task of a channel (I4: never more than one).
    async fn owner(&self, uid: &str, task: &str) -> Result<String>;
}
