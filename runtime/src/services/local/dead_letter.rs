//! Dead letters in SQLite. Triggers keep how much each channel has; removing a letter leaves its refusal behind, so that
//! reading its source again does not set the same record aside again. Finding letters is in `find`, trying them again in `replay`.

mod find;
mod replay;

use std::collections::BTreeSet;

use async_trait::async_trait;
use fairway_engine::position::StreamKey;
use fairway_engine::store::{Letter, LetterKey, Replays, Routed, StoredMark};
use fairway_shared::api::dead_letters::{DeadLetter, LetterGroup};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row, SqliteConnection};

use super::{Database, order_in, order_out, rank_in, rank_out, to_json};
use crate::clock;
use crate::services::error::Result;
use crate::services::{DeadLetterService, Edit, Filter, Limits, Page, Refusals, Tasks, Usage};

/// Dead letters in one database.
pub(super) struct Local(pub(super) Database);

/// Letters removed in one transaction by the limits.
const EVICTED_AT_ONCE: i64 = 500;

#[async_trait]
impl DeadLetterService for Local {
    async fn set_aside(&self, uid: &str, _task: &str, letters: &[Letter]) -> Result<()> {
        let at = clock::now_ms();
        let mut transaction = self.0.write.begin().await?;
        for letter in letters {
            let (cause, record) = (to_json(&letter.cause)?, to_json(&letter.record)?);
            let bytes = i64::try_from(cause.len() + record.len()).unwrap_or(i64::MAX);
            // A letter from before its source started over makes way; deleted first, so that the triggers count.
            let delete = sqlx::query(
                "DELETE FROM dead_letter WHERE uid = ? AND source = ? AND \"partition\" = ? AND rank = ? AND node = ?
                 AND via = ? AND child = ? AND live = 0",
            );
            bind_key(delete, uid, &letter.key)?.execute(&mut *transaction).await?;
            let insert = sqlx::query(
                "INSERT INTO dead_letter (uid, source, \"partition\", rank, node, via, child, cause, record, bytes, at)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            );
            bind_key(insert, uid, &letter.key)?
                .bind(cause)
                .bind(record)
                .bind(bytes)
                .bind(at)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn note_routed(&self, uid: &str, _task: &str, notes: &[Routed]) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        for note in notes {
            let insert = sqlx::query("INSERT OR IGNORE INTO routed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
            bind_note(insert, uid, note)?.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn forget_routed(&self, uid: &str, _task: &str, notes: &[Routed]) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        for note in notes {
            let delete = sqlx::query(
                "DELETE FROM routed WHERE uid = ? AND source = ? AND \"partition\" = ? AND rank = ? AND node = ?
                 AND via = ? AND child = ? AND target = ? AND number = ?",
            );
            bind_note(delete, uid, note)?.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn refusals(&self, uid: &str, marks: &[StoredMark]) -> Result<Refusals> {
        let streams = sqlx::query(
            "SELECT DISTINCT source, \"partition\" FROM dead_letter WHERE uid = ?1 AND live = 1
             UNION SELECT DISTINCT source, \"partition\" FROM refusal WHERE uid = ?1
             UNION SELECT DISTINCT source, \"partition\" FROM routed WHERE uid = ?1",
        )
        .bind(uid)
        .fetch_all(&self.0.read)
        .await?;
        let mut refusals = Refusals::default();
        for stream in streams {
            let (source, partition): (String, String) = (stream.try_get(0)?, stream.try_get(1)?);
            let watermark = order_in(watermark(marks, &source, &partition));
            let beyond = |query: Query<'static>| {
                query.bind(uid.to_owned()).bind(source.clone()).bind(partition.clone()).bind(watermark)
            };
            let letters = sqlx::query(
                "SELECT source, \"partition\", rank, node, via, child FROM dead_letter
                 WHERE uid = ?1 AND source = ?2 AND \"partition\" = ?3 AND rank > ?4 AND live = 1
                 UNION SELECT source, \"partition\", rank, node, via, child FROM refusal
                 WHERE uid = ?1 AND source = ?2 AND \"partition\" = ?3 AND rank > ?4",
            );
            for row in beyond(letters).fetch_all(&self.0.read).await? {
                refusals.letters.push(read_key(&row)?);
            }
            let routed = sqlx::query(
                "SELECT source, \"partition\", rank, node, via, child, target, number FROM routed
                 WHERE uid = ? AND source = ? AND \"partition\" = ? AND rank > ?",
            );
            for row in beyond(routed).fetch_all(&self.0.read).await? {
                let number = rank_out(row.try_get(7)?);
                refusals.routed.push(Routed { key: read_key(&row)?, target: row.try_get(6)?, number });
            }
        }
        Ok(refusals)
    }

    async fn passed(&self, uid: &str, _task: &str, marks: &[StoredMark]) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        for mark in marks.iter().filter(|mark| is_own(mark)) {
            for delete in [
                "DELETE FROM refusal WHERE uid = ? AND source = ? AND \"partition\" = ? AND rank <= ?",
                "DELETE FROM routed WHERE uid = ? AND source = ? AND \"partition\" = ? AND rank <= ?",
            ] {
                sqlx::query(delete)
                    .bind(uid)
                    .bind(&*mark.stream.source)
                    .bind(&*mark.stream.partition)
                    .bind(order_in(mark.position.order))
                    .execute(&mut *transaction)
                    .await?;
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn list(&self, uid: &str, filter: &Filter, page: Page) -> Result<Vec<DeadLetter>> {
        find::list(&self.0, uid, filter, page).await
    }

    async fn count(&self, uid: &str, filter: &Filter) -> Result<u64> {
        find::count(&self.0, uid, filter).await
    }

    async fn groups(&self, uid: &str) -> Result<Vec<LetterGroup>> {
        find::groups(&self.0, uid).await
    }

    async fn waiting_for_replay(&self) -> Result<BTreeSet<String>> {
        let waiting: Vec<String> =
            sqlx::query_scalar("SELECT DISTINCT uid FROM dead_letter WHERE replay IS NOT NULL")
                .fetch_all(&self.0.read)
                .await?;
        Ok(waiting.into_iter().collect())
    }

    async fn usage(&self, uid: &str) -> Result<Usage> {
        find::usage(&self.0, uid).await
    }

    async fn edit(&self, uid: &str, id: &str, record: Option<&Value>) -> Result<Edit> {
        replay::edit(&self.0, uid, id, record).await
    }

    async fn ask_replay(&self, uid: &str, filter: &Filter, tasks: &Tasks) -> Result<u64> {
        replay::ask(&self.0, uid, filter, tasks).await
    }

    async fn assign_replays(&self, uid: &str, tasks: &Tasks, marks: &[StoredMark]) -> Result<()> {
        replay::assign(&self.0, uid, tasks, marks).await
    }

    async fn replays(
        &self,
        uid: &str,
        task: &str,
        after: u64,
        limit: usize,
        marks: &[StoredMark],
    ) -> Result<Replays> {
        replay::next(&self.0, uid, task, after, limit, marks).await
    }

    async fn replayed(&self, uid: &str, task: &str, up_to: u64) -> Result<u64> {
        replay::done(&self.0, uid, task, up_to).await
    }

    async fn refused_again(&self, uid: &str, _task: &str, letters: &[Letter]) -> Result<()> {
        replay::refused_again(&self.0, uid, letters).await
    }

    async fn discard(&self, uid: &str, filter: &Filter) -> Result<u64> {
        let mut transaction = self.0.write.begin().await?;
        let filter = find::Bound::new(filter)?;
        let removed = remove(&mut transaction, find::FITS, |query| filter.bind(query.bind(uid))).await?;
        transaction.commit().await?;
        Ok(removed)
    }

    async fn reset(&self, uid: &str, sources: Option<&[String]>) -> Result<()> {
        let sources = sources.map(|sources| to_json(&sources)).transpose()?;
        let mut transaction = self.0.write.begin().await?;
        for statement in [
            "UPDATE dead_letter SET live = 0
             WHERE uid = ?1 AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2)))",
            "DELETE FROM refusal WHERE uid = ?1 AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2)))",
            "DELETE FROM routed WHERE uid = ?1 AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2)))",
        ] {
            sqlx::query(statement).bind(uid).bind(&sources).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn evict(&self, limits: Limits) -> Result<u64> {
        let age = i64::try_from(limits.age.as_millis()).unwrap_or(i64::MAX);
        let oldest = clock::now_ms().saturating_sub(age);
        let most = i64::try_from(limits.bytes).unwrap_or(i64::MAX);
        let mut evicted = 0;
        loop {
            let mut transaction = self.0.write.begin().await?;
            let used: i64 = sqlx::query_scalar("SELECT coalesce(sum(bytes), 0) FROM dead_letter_usage")
                .fetch_one(&mut *transaction)
                .await?;
            let last: Option<i64> = sqlx::query_scalar(
                "SELECT max(entry) FROM
                     (SELECT entry, at, sum(bytes) OVER (ORDER BY entry) - bytes AS before
                      FROM (SELECT entry, at, bytes FROM dead_letter ORDER BY entry LIMIT ?))
                 WHERE at < ? OR before < ?",
            )
            .bind(EVICTED_AT_ONCE)
            .bind(oldest)
            .bind(used.saturating_sub(most))
            .fetch_one(&mut *transaction)
            .await?;
            let Some(last) = last else {
                return Ok(evicted);
            };
            sqlx::query(
                "UPDATE dead_letter_usage SET evicted = evicted + gone.letters
                 FROM (SELECT uid, count(*) AS letters FROM dead_letter WHERE entry <= ? GROUP BY uid) AS gone
                 WHERE gone.uid = dead_letter_usage.uid",
            )
            .bind(last)
            .execute(&mut *transaction)
            .await?;
            evicted += remove(&mut transaction, "entry <= ?1", |query| query.bind(last)).await?;
            transaction.commit().await?;
        }
    }

    async fn forget(&self, uid: &str) -> Result<()> {
        let mut transaction = self.0.write.begin().await?;
        for delete in [
            "DELETE FROM dead_letter WHERE uid = ?",
            "DELETE FROM refusal WHERE uid = ?",
            "DELETE FROM routed WHERE uid = ?",
            "DELETE FROM dead_letter_usage WHERE uid = ?",
        ] {
            sqlx::query(delete).bind(uid).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

type Query<'q> = sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

/// Binds channel and key, in the order of the tables' columns.
fn bind_key<'q>(query: Query<'q>, uid: &'q str, key: &'q LetterKey) -> Result<Query<'q>> {
    Ok(query
        .bind(uid)
        .bind(&*key.stream.source)
        .bind(&*key.stream.partition)
        .bind(order_in(key.order))
        .bind(&*key.node)
        .bind(&*key.stream.via)
        .bind(key.child))
}

fn bind_note<'q>(query: Query<'q>, uid: &'q str, note: &'q Routed) -> Result<Query<'q>> {
    Ok(bind_key(query, uid, &note.key)?.bind(&*note.target).bind(rank_in(note.number)?))
}

/// Removes letters and keeps their refusals. `which` is a condition written in this file, with the values bound by `bind`.
async fn remove(
    connection: &mut SqliteConnection,
    which: &str,
    bind: impl for<'q> Fn(Query<'q>) -> Query<'q>,
) -> Result<u64> {
    let keep = format!(
        "INSERT OR IGNORE INTO refusal SELECT uid, source, \"partition\", rank, node, via, child
         FROM dead_letter WHERE live = 1 AND {which}"
    );
    bind(sqlx::query(AssertSqlSafe(keep))).execute(&mut *connection).await?;
    let delete = format!("DELETE FROM dead_letter WHERE {which}");
    Ok(bind(sqlx::query(AssertSqlSafe(delete))).execute(connection).await?.rows_affected())
}

/// Whether it is a source's own watermark: everything up to it is done everywhere.
fn is_own(mark: &StoredMark) -> bool {
    mark.target.is_none() && mark.stream.via.is_empty()
}

fn watermark(marks: &[StoredMark], source: &str, partition: &str) -> u64 {
    marks
        .iter()
        .filter(|mark| is_own(mark))
        .find(|mark| &*mark.stream.source == source && &*mark.stream.partition == partition)
        .map_or(0, |mark| mark.position.order)
}

fn read_key(row: &SqliteRow) -> Result<LetterKey> {
    let text = |column: usize| -> Result<String> { Ok(row.try_get(column)?) };
    Ok(LetterKey {
        stream: StreamKey { source: text(0)?.into(), partition: text(1)?.into(), via: text(4)?.into() },
        order: order_out(row.try_get(2)?),
        node: text(3)?,
        child: row.try_get(5)?,
    })
}
