//! Secrets in SQLite.

use async_trait::async_trait;
use fairway_engine::secret::Secret;

use super::Database;
use crate::services::error::Result;
use crate::services::sealing::Sealer;
use crate::services::{SealingKey, SecretService};

/// Secrets in one database.
pub(super) struct Local {
    database: Database,
    sealer: Sealer,
}

impl Local {
    pub(super) fn new(database: Database, key: SealingKey) -> Self {
        Self { database, sealer: Sealer::new(key) }
    }
}

#[async_trait]
impl SecretService for Local {
    async fn set(&self, name: &str, value: &Secret) -> Result<()> {
        sqlx::query("INSERT OR REPLACE INTO secret (name, sealed) VALUES (?, ?)")
            .bind(name)
            .bind(self.sealer.seal(name, value)?)
            .execute(&self.database.write)
            .await?;
        Ok(())
    }

    async fn get(&self, name: &str) -> Result<Option<Secret>> {
        let stored: Option<Vec<u8>> = sqlx::query_scalar("SELECT sealed FROM secret WHERE name = ?")
            .bind(name)
            .fetch_optional(&self.database.read)
            .await?;
        stored.map(|stored| self.sealer.open(name, &stored)).transpose()
    }

    async fn names(&self) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar("SELECT name FROM secret ORDER BY name").fetch_all(&self.database.read).await?)
    }

    async fn delete(&self, name: &str) -> Result<bool> {
        let deleted =
            sqlx::query("DELETE FROM secret WHERE name = ?").bind(name).execute(&self.database.write).await?;
        Ok(deleted.rows_affected() > 0)
    }
}
