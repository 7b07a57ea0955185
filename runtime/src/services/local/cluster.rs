//! A cluster of one: this process runs everything.

use async_trait::async_trait;

use crate::services::error::Result;
use crate::services::{ClusterService, Member};

/// Itself alone.
pub(super) struct Alone;

/// Id of the only worker.
const ME: &str = "local";

#[async_trait]
impl ClusterService for Alone {
    fn me(&self) -> &str {
        ME
    }

    async fn members(&self) -> Result<Vec<Member>> {
        Ok(vec![Member { id: ME.to_owned(), is_me: true }])
    }

    async fn owner(&self, _uid: &str, _task: &str) -> Result<String> {
        Ok(ME.to_owned())
    }
}
