//! The configuration log in SQLite: one row a key, at the revision where it was last written.

use async_trait::async_trait;
use sqlx::{Row, SqliteConnection};

use super::{Database, rank_in, rank_out};
use crate::clock;
use crate::services::error::{Error, Result};
use crate::services::{Change, Commit, ConfigService, Entry, Expect, Key, Kind};

/// The log in one database.
pub(super) struct Local(pub(super) Database);

#[async_trait]
impl ConfigService for Local {
    async fn commit(&self, commit: Commit) -> Result<u64> {
        let mut transaction = self.0.write.begin().await?;
        for (key, expect) in commit.expect {
            let found = revision(&mut transaction, &key).await?;
            let holds = match expect {
                Expect::Absent => found.is_none(),
                Expect::Revision(revision) => found == Some(revision),
            };
            if !holds {
                return Err(Error::Conflict { key, revision: found });
            }
        }
        let at = clock::now();
        let mut last = 0;
        for (key, value) in &commit.writes {
            if value.is_none() && revision(&mut transaction, key).await?.is_none() {
                continue;
            }
            // Replacing gives the row a new revision, higher than any before (AUTOINCREMENT).
            let written =
                sqlx::query("INSERT OR REPLACE INTO config (kind, id, value, at) VALUES (?, ?, ?, ?)")
                    .bind(key.kind.as_str())
                    .bind(&key.id)
                    .bind(value.as_deref())
                    .bind(&at)
                    .execute(&mut *transaction)
                    .await?;
            last = rank_out(written.last_insert_rowid());
        }
        transaction.commit().await?;
        Ok(last)
    }

    async fn get(&self, key: &Key) -> Result<Option<Entry>> {
        let row = sqlx::query(
            "SELECT revision, value, at FROM config WHERE kind = ? AND id = ? AND value IS NOT NULL",
        )
        .bind(key.kind.as_str())
        .bind(&key.id)
        .fetch_optional(&self.0.read)
        .await?;
        row.map(|row| {
            Ok(Entry {
                key: key.clone(),
                revision: rank_out(row.try_get(0)?),
                value: row.try_get(1)?,
                at: row.try_get(2)?,
            })
        })
        .transpose()
    }

    async fn list(&self, kind: Kind, prefix: &str) -> Result<Vec<Entry>> {
        let rows = sqlx::query(
            "SELECT id, revision, value, at FROM config
             WHERE kind = ? AND substr(id, 1, length(?2)) = ?2 AND value IS NOT NULL ORDER BY id",
        )
        .bind(kind.as_str())
        .bind(prefix)
        .fetch_all(&self.0.read)
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(Entry {
                    key: Key::new(kind, row.try_get::<String, _>(0)?),
                    revision: rank_out(row.try_get(1)?),
                    value: row.try_get(2)?,
                    at: row.try_get(3)?,
                })
            })
            .collect()
    }

    async fn since(&self, revision: u64) -> Result<Vec<Change>> {
        let rows =
            sqlx::query("SELECT kind, id, revision, value FROM config WHERE revision > ? ORDER BY revision")
                .bind(rank_in(revision)?)
                .fetch_all(&self.0.read)
                .await?;
        let mut changes = Vec::with_capacity(rows.len());
        for row in rows {
            // A kind of a later Fairway says nothing to this one.
            if let Some(kind) = Kind::parse(row.try_get(0)?) {
                changes.push(Change {
                    key: Key::new(kind, row.try_get::<String, _>(1)?),
                    revision: rank_out(row.try_get(2)?),
                    value: row.try_get(3)?,
                });
            }
        }
        Ok(changes)
    }
}

async fn revision(connection: &mut SqliteConnection, key: &Key) -> Result<Option<u64>> {
    let found: Option<i64> =
        sqlx::query_scalar("SELECT revision FROM config WHERE kind = ? AND id = ? AND value IS NOT NULL")
            .bind(key.kind.as_str())
            .bind(&key.id)
            .fetch_optional(connection)
            .await?;
    Ok(found.map(rank_out))
}
