//! Secrets of a cluster, sealed, on the control topic: whoever sees that a channel was deployed has seen the secrets that were set before.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fairway_engine::secret::Secret;

use super::Control;
use crate::services::error::{Error, Result};
use crate::services::sealing::Sealer;
use crate::services::{Commit, ConfigService as _, Expect, Key, Kind, SealingKey, SecretService};

/// Secrets that all workers share. Setting and removing them is the leader's, as all that is settled.
pub(super) struct Shared {
    control: Arc<Control>,
    /// None in a worker that was not given the cluster's key.
    sealer: Option<Sealer>,
}

impl Shared {
    pub(super) fn new(control: Arc<Control>, key: Option<SealingKey>) -> Self {
        Self { control, sealer: key.map(Sealer::new) }
    }

    fn sealer(&self) -> Result<&Sealer> {
        self.sealer.as_ref().ok_or(Error::NoKey)
    }
}

fn key(name: &str) -> Key {
    Key::new(Kind::Secret, name)
}

#[async_trait]
impl SecretService for Shared {
    async fn set(&self, name: &str, value: &Secret) -> Result<()> {
        // I6: it goes in sealed or not at all.
        let sealed = STANDARD.encode(self.sealer()?.seal(name, value)?);
        self.control.commit(Commit::default().put(key(name), sealed)).await.map(drop)
    }

    async fn get(&self, name: &str) -> Result<Option<Secret>> {
        // A component that opens just after the secret was changed must get the new one.
        self.control.settle().await?;
        let Some(entry) = self.control.get(&key(name)).await? else { return Ok(None) };
        let sealed = STANDARD.decode(&entry.value).map_err(|_| Error::Sealed(name.to_owned()))?;
        self.sealer()?.open(name, &sealed).map(Some)
    }

    async fn names(&self) -> Result<Vec<String>> {
        self.control.settle().await?;
        Ok(self.control.list(Kind::Secret, "").await?.into_iter().map(|entry| entry.key.id).collect())
    }

    async fn delete(&self, name: &str) -> Result<bool> {
        loop {
            self.control.settle().await?;
            let Some(entry) = self.control.get(&key(name)).await? else { return Ok(false) };
            let commit = Commit::default().expect(key(name), Expect::Revision(entry.revision));
            match self.control.commit(commit.delete(key(name))).await {
                Ok(_) => return Ok(true),
                // Set anew meanwhile; what is to go is whatever is there.
                Err(Error::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
}
