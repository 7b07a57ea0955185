//! States and their history in SQLite.

use async_trait::async_trait;
use fairway_shared::api::status::HistoryEntry;
use sqlx::SqliteConnection;

use super::{Database, HISTORY_KEPT, from_json, to_json};
use crate::services::error::Result;
use crate::services::{StatusRecord, StatusService};

/// States in one database.
pub(super) struct Local(pub(super) Database);

#[async_trait]
impl StatusService for Local {
    async fn enter(&self, uid: &str, entry: &HistoryEntry) -> Result<()> {
        let record = StatusRecord {
            state: entry.state,
            cause: entry.cause.clone(),
            since: Some(entry.at.clone()),
            version: entry.version,
        };
        let mut transaction = self.0.write.begin().await?;
        sqlx::query("INSERT OR REPLACE INTO status (uid, value) VALUES (?, ?)")
            .bind(uid)
            .bind(to_json(&record)?)
            .execute(&mut *transaction)
            .await?;
        remember(&mut transaction, uid, entry).await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn note(&self, uid: &str, deed: &HistoryEntry) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        remember(&mut transaction, uid, deed).await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn status(&self, uid: &str) -> Result<Option<StatusRecord>> {
        let stored: Option<String> = sqlx::query_scalar("SELECT value FROM status WHERE uid = ?")
            .bind(uid)
            .fetch_optional(&self.0.read)
            .await?;
        stored.as_deref().map(from_json).transpose()
    }

    async fn history(&self, uid: &str, limit: usize) -> Result<Vec<HistoryEntry>> {
        let stored: Vec<String> =
            sqlx::query_scalar("SELECT value FROM history WHERE uid = ? ORDER BY entry DESC LIMIT ?")
                .bind(uid)
                .bind(i64::try_from(limit).unwrap_or(i64::MAX))
                .fetch_all(&self.0.read)
                .await?;
        stored.iter().map(|text| from_json(text)).collect()
    }

    async fn forget(&self, uid: &str) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        for delete in ["DELETE FROM status WHERE uid = ?", "DELETE FROM history WHERE uid = ?"] {
            sqlx::query(delete).bind(uid).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// Adds an entry to the history, of which the oldest make room.
async fn remember(connection: &mut SqliteConnection, uid: &str, entry: &HistoryEntry) -> Result<()> {
    sqlx::query("INSERT INTO history (uid, value) VALUES (?, ?)")
        .bind(uid)
        .bind(to_json(entry)?)
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "DELETE FROM history WHERE uid = ?1 AND entry <=
         (SELECT entry FROM history WHERE uid = ?1 ORDER BY entry DESC LIMIT 1 OFFSET ?2)",
    )
    .bind(uid)
    .bind(i64::try_from(HISTORY_KEPT).unwrap_or(i64::MAX))
    .execute(&mut *connection)
    .await?;
    Ok(())
}
