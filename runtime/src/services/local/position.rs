//! Positions, counts and generations in SQLite. A commit is one transaction: fence, watermarks, counts.

use std::collections::BTreeMap;

use async_trait::async_trait;
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::store::{StoredMark, Totals};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use super::{Database, from_json, order_in, order_out, rank_in, rank_out, to_json};
use crate::services::error::{Error, Result};
use crate::services::{Adjustment, PositionService};

/// Positions in one database.
pub(super) struct Local(pub(super) Database);

#[async_trait]
impl PositionService for Local {
    async fn begin(&self, uid: &str, task: &str) -> Result<u64> {
        let mut transaction = self.0.write.begin().await?;
        let generation: i64 = sqlx::query_scalar(
            "UPDATE counter SET value = value + 1 WHERE name = 'generation' RETURNING value",
        )
        .fetch_one(&mut *transaction)
        .await?;
        sqlx::query("INSERT OR REPLACE INTO generation (uid, task, generation) VALUES (?, ?, ?)")
            .bind(uid)
            .bind(task)
            .bind(generation)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(rank_out(generation))
    }

    async fn commit(
        &self,
        uid: &str,
        task: &str,
        generation: u64,
        marks: &[StoredMark],
        totals: &Totals,
    ) -> Result<Totals> {
        let generation = rank_in(generation)?;
        let mut transaction = self.0.write.begin().await?;
        let valid: Option<i64> =
            sqlx::query_scalar("SELECT generation FROM generation WHERE uid = ? AND task = ?")
                .bind(uid)
                .bind(task)
                .fetch_optional(&mut *transaction)
                .await?;
        // I3: a stale generation cannot write.
        if valid != Some(generation) {
            return Err(Error::Fenced);
        }
        for mark in marks {
            write_mark(&mut transaction, uid, generation, mark).await?;
        }
        let mut sum = read_totals(&mut transaction, uid).await?;
        if *totals != Totals::default() {
            sum += totals;
            write_totals(&mut transaction, uid, &sum).await?;
        }
        transaction.commit().await?;
        Ok(sum)
    }

    async fn marks(&self, uid: &str) -> Result<Vec<StoredMark>> {
        let rows = sqlx::query(
            "SELECT target, source, \"partition\", via, rank, token, target_rank, target_token
             FROM position WHERE uid = ? ORDER BY source, \"partition\", via, target",
        )
        .bind(uid)
        .fetch_all(&self.0.read)
        .await?;
        rows.iter().map(read_mark).collect()
    }

    async fn epochs(&self, uid: &str) -> Result<BTreeMap<String, u64>> {
        let rows: Vec<(String, i64)> = sqlx::query_as("SELECT source, epoch FROM epoch WHERE uid = ?")
            .bind(uid)
            .fetch_all(&self.0.read)
            .await?;
        Ok(rows.into_iter().map(|(source, epoch)| (source, rank_out(epoch))).collect())
    }

    async fn totals(&self, uid: &str) -> Result<Totals> {
        read_totals(&mut *self.0.read.acquire().await?, uid).await
    }

    async fn retire(&self, uid: &str, keep: &[String]) -> Result<()> {
        sqlx::query("DELETE FROM generation WHERE uid = ? AND task NOT IN (SELECT value FROM json_each(?))")
            .bind(uid)
            .bind(to_json(&keep)?)
            .execute(&self.0.write)
            .await?;
        Ok(())
    }

    async fn adjust(&self, uid: &str, adjustment: &Adjustment) -> Result<()> {
        let Adjustment { restarted, dropped, replaced, shared_out: _ } = adjustment;
        let mut transaction = self.0.write.begin().await?;
        for source in restarted {
            start_over(&mut transaction, uid, source).await?;
        }
        for (statement, nodes) in [
            ("DELETE FROM position WHERE uid = ? AND source IN (SELECT value FROM json_each(?))", restarted),
            // A sink that is gone hands nothing on either.
            (
                "DELETE FROM position WHERE uid = ?1
                 AND (target IN (SELECT value FROM json_each(?2)) OR via IN (SELECT value FROM json_each(?2)))",
                dropped,
            ),
            (
                "UPDATE position SET target_rank = NULL, target_token = NULL
                 WHERE uid = ? AND target IN (SELECT value FROM json_each(?))",
                replaced,
            ),
        ] {
            if !nodes.is_empty() {
                sqlx::query(statement)
                    .bind(uid)
                    .bind(to_json(nodes)?)
                    .execute(&mut *transaction)
                    .await?;
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn reset(&self, uid: &str) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        for delete in ["DELETE FROM generation WHERE uid = ?", "DELETE FROM position WHERE uid = ?"] {
            sqlx::query(delete).bind(uid).execute(&mut *transaction).await?;
        }
        start_over(&mut transaction, uid, "").await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn forget(&self, uid: &str) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        for delete in [
            "DELETE FROM generation WHERE uid = ?",
            "DELETE FROM position WHERE uid = ?",
            "DELETE FROM totals WHERE uid = ?",
            "DELETE FROM epoch WHERE uid = ?",
        ] {
            sqlx::query(delete).bind(uid).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// From here on what targets hold of a source, or of all (empty name), is of another stream.
async fn start_over(connection: &mut SqliteConnection, uid: &str, source: &str) -> Result<()> {
    let epoch: i64 =
        sqlx::query_scalar("UPDATE counter SET value = value + 1 WHERE name = 'generation' RETURNING value")
            .fetch_one(&mut *connection)
            .await?;
    sqlx::query("INSERT OR REPLACE INTO epoch (uid, source, epoch) VALUES (?, ?, ?)")
        .bind(uid)
        .bind(source)
        .bind(epoch)
        .execute(connection)
        .await?;
    Ok(())
}

async fn write_mark(
    connection: &mut SqliteConnection,
    uid: &str,
    generation: i64,
    mark: &StoredMark,
) -> Result<()> {
    let StreamKey { source, partition, via } = &mark.stream;
    let target = mark.target.as_deref().unwrap_or_default();
    let in_target = mark.in_target.as_ref();
    // I3: within one generation a position only grows.
    let written = sqlx::query(
        "INSERT INTO position (uid, target, source, \"partition\", via, rank, token, target_rank, target_token, generation)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (uid, target, source, \"partition\", via) DO UPDATE SET
             rank = excluded.rank, token = excluded.token,
             target_rank = coalesce(excluded.target_rank, target_rank),
             target_token = coalesce(excluded.target_token, target_token),
             generation = excluded.generation
         WHERE excluded.rank >= rank OR excluded.generation <> generation",
    )
    .bind(uid)
    .bind(target)
    .bind(&**source)
    .bind(&**partition)
    .bind(&**via)
    .bind(order_in(mark.position.order))
    .bind(to_json(&mark.position.token)?)
    .bind(in_target.map(|position| order_in(position.order)))
    .bind(in_target.map(|position| to_json(&position.token)).transpose()?)
    .bind(generation)
    .execute(&mut *connection)
    .await?;
    if written.rows_affected() > 0 {
        return Ok(());
    }
    let stored: i64 = sqlx::query_scalar(
        "SELECT rank FROM position WHERE uid = ? AND target = ? AND source = ? AND \"partition\" = ? AND via = ?",
    )
    .bind(uid)
    .bind(target)
    .bind(&**source)
    .bind(&**partition)
    .bind(&**via)
    .fetch_one(connection)
    .await?;
    Err(Error::WentBack { stream: mark.stream.to_string(), from: order_out(stored), to: mark.position.order })
}

fn read_mark(row: &SqliteRow) -> Result<StoredMark> {
    let text = |column: usize| -> Result<String> { Ok(row.try_get(column)?) };
    let position = |rank: i64, token: &str| -> Result<Position> {
        Ok(Position { order: order_out(rank), token: from_json(token)? })
    };
    let target = text(0)?;
    let in_target = match (row.try_get::<Option<i64>, _>(6)?, row.try_get::<Option<String>, _>(7)?) {
        (Some(rank), Some(token)) => Some(position(rank, &token)?),
        _ => None,
    };
    Ok(StoredMark {
        target: (!target.is_empty()).then_some(target),
        stream: StreamKey { source: text(1)?.into(), partition: text(2)?.into(), via: text(3)?.into() },
        position: position(row.try_get(4)?, &text(5)?)?,
        in_target,
    })
}

/// Counts records whose last dead letter was tried again with success.
pub(super) async fn count_replayed(connection: &mut SqliteConnection, uid: &str, records: u64) -> Result<()> {
    if records > 0 {
        let mut sum = read_totals(&mut *connection, uid).await?;
        sum.counts.replayed += records;
        write_totals(connection, uid, &sum).await?;
    }
    Ok(())
}

async fn write_totals(connection: &mut SqliteConnection, uid: &str, totals: &Totals) -> Result<()> {
    sqlx::query("INSERT OR REPLACE INTO totals (uid, value) VALUES (?, ?)")
        .bind(uid)
        .bind(to_json(totals)?)
        .execute(connection)
        .await?;
    Ok(())
}

async fn read_totals(connection: &mut SqliteConnection, uid: &str) -> Result<Totals> {
    let stored: Option<String> = sqlx::query_scalar("SELECT value FROM totals WHERE uid = ?")
        .bind(uid)
        .fetch_optional(connection)
        .await?;
    stored.map_or_else(|| Ok(Totals::default()), |text| from_json(&text))
}
