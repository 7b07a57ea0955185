//! Finding dead letters: lists, groups, counts.

use fairway_shared::api::dead_letters::{DeadLetter, LetterGroup};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{Query, read_key};
use crate::clock;
use crate::services::error::Result;
use crate::services::local::{Database, from_json, rank_in, rank_out, to_json};
use crate::services::{Filter, Page, Usage};

/// The condition of a filter, with the channel as `?1` and what [`Bound::bind`] binds behind it.
pub(super) const FITS: &str = "uid = ?1 AND (?2 IS NULL OR entry IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR node = ?3) AND (?4 IS NULL OR json_extract(cause, '$.code') = ?4)
    AND (?5 IS NULL OR at >= ?5) AND (?6 IS NULL OR at < ?6)";

/// A filter as SQLite takes it.
pub(super) struct Bound {
    ids: Option<String>,
    node: Option<String>,
    code: Option<String>,
    since: Option<i64>,
    until: Option<i64>,
}

impl Bound {
    pub(super) fn new(filter: &Filter) -> Result<Self> {
        // Ids that are no numbers of ours name nothing.
        let numbers =
            |ids: &Vec<String>| ids.iter().filter_map(|id| id.parse::<i64>().ok()).collect::<Vec<_>>();
        Ok(Self {
            ids: filter.ids.as_ref().map(|ids| to_json(&numbers(ids))).transpose()?,
            node: filter.node.clone(),
            code: filter.code.clone(),
            since: filter.since,
            until: filter.until,
        })
    }

    pub(super) fn bind<'q>(&self, query: Query<'q>) -> Query<'q> {
        query
            .bind(self.ids.clone())
            .bind(self.node.clone())
            .bind(self.code.clone())
            .bind(self.since)
            .bind(self.until)
    }
}

pub(super) async fn list(
    database: &Database,
    uid: &str,
    filter: &Filter,
    page: Page,
) -> Result<Vec<DeadLetter>> {
    let text = format!(
        "SELECT source, \"partition\", rank, node, via, child, entry, cause, record, at, tries, replay IS NOT NULL, edited
         FROM dead_letter WHERE {FITS} ORDER BY entry DESC LIMIT ?7 OFFSET ?8"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(text)).bind(uid);
    let query = Bound::new(filter)?.bind(query).bind(page.limit).bind(rank_in(page.offset)?);
    query.fetch_all(&database.read).await?.iter().map(letter).collect()
}

fn letter(row: &SqliteRow) -> Result<DeadLetter> {
    let key = read_key(row)?;
    Ok(DeadLetter {
        id: row.try_get::<i64, _>(6)?.to_string(),
        node: key.node,
        source: key.stream.source.to_string(),
        partition: key.stream.partition.to_string(),
        order: key.order,
        child: key.child,
        cause: from_json(row.try_get(7)?)?,
        record: from_json(row.try_get(8)?)?,
        edited: row.try_get::<Option<&str>, _>(12)?.map(from_json).transpose()?,
        at: clock::from_ms(row.try_get(9)?),
        tries: row.try_get(10)?,
        replaying: row.try_get(11)?,
    })
}

pub(super) async fn count(database: &Database, uid: &str, filter: &Filter) -> Result<u64> {
    let text = format!("SELECT count(*) FROM dead_letter WHERE {FITS}");
    let query = Bound::new(filter)?.bind(sqlx::query(sqlx::AssertSqlSafe(text)).bind(uid));
    Ok(rank_out(query.fetch_one(&database.read).await?.try_get(0)?))
}

pub(super) async fn groups(database: &Database, uid: &str) -> Result<Vec<LetterGroup>> {
    let rows = sqlx::query(
        "SELECT node, code, letters,
             (SELECT json_extract(newest.cause, '$.message') FROM dead_letter AS newest WHERE newest.entry = last), first_at, last_at
         FROM (SELECT node, json_extract(cause, '$.code') AS code, count(*) AS letters, max(entry) AS last, min(at) AS first_at,
                   max(at) AS last_at
               FROM dead_letter WHERE uid = ? GROUP BY 1, 2)
         ORDER BY letters DESC, node, code",
    )
    .bind(uid)
    .fetch_all(&database.read)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(LetterGroup {
                node: row.try_get(0)?,
                code: row.try_get(1)?,
                letters: rank_out(row.try_get(2)?),
                message: row.try_get(3)?,
                first_at: clock::from_ms(row.try_get(4)?),
                last_at: clock::from_ms(row.try_get(5)?),
            })
        })
        .collect()
}

pub(super) async fn usage(database: &Database, uid: &str) -> Result<Usage> {
    let row = sqlx::query(
        "SELECT letters, bytes, evicted,
             (SELECT count(*) FROM dead_letter WHERE dead_letter.uid = ?1 AND replay IS NOT NULL)
         FROM dead_letter_usage WHERE uid = ?1",
    )
    .bind(uid)
    .fetch_optional(&database.read)
    .await?;
    let Some(row) = row else {
        return Ok(Usage::default());
    };
    Ok(Usage {
        letters: rank_out(row.try_get(0)?),
        bytes: rank_out(row.try_get(1)?),
        evicted: rank_out(row.try_get(2)?),
        replaying: rank_out(row.try_get(3)?),
    })
}
