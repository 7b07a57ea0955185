//! Dead letters that are tried again, edited or as they are: marked with a rising number and their task, struck off when the task's watermark passes it.

use std::collections::{BTreeMap, BTreeSet};

use fairway_engine::position::StreamKey;
use fairway_engine::store::{Letter, LetterKey, Replay, Replays, StoredMark};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Row, SqliteConnection};

use super::{Query, bind_key, find, read_key, watermark};
use crate::clock;
use crate::services::error::Result;
use crate::services::local::position::count_replayed;
use crate::services::local::{Database, from_json, rank_in, rank_out, to_json};
use crate::services::{Edit, Filter, Tasks};

pub(super) async fn ask(database: &Database, uid: &str, filter: &Filter, tasks: &Tasks) -> Result<u64> {
    let filter = find::Bound::new(filter)?;
    let mut transaction = database.write.begin().await?;
    let mut asked = 0;
    for (task, nodes) in by_task(tasks) {
        let nodes = to_json(&nodes)?;
        let which =
            format!("{} AND node IN (SELECT value FROM json_each(?7)) AND replay IS NULL", find::FITS);
        number(&mut transaction, &which, task, 8, |query| filter.bind(query.bind(uid)).bind(nodes.clone()))
            .await?;
        let text = format!(
            "SELECT count(*) FROM dead_letter
             WHERE {} AND node IN (SELECT value FROM json_each(?7)) AND replay IS NOT NULL",
            find::FITS
        );
        let query = filter.bind(sqlx::query(AssertSqlSafe(text)).bind(uid)).bind(nodes);
        asked += rank_out(query.fetch_one(&mut *transaction).await?.try_get(0)?);
    }
    transaction.commit().await?;
    Ok(asked)
}

pub(super) async fn edit(database: &Database, uid: &str, id: &str, record: Option<&Value>) -> Result<Edit> {
    // An id that is no number of ours names nothing.
    let Ok(entry) = id.parse::<i64>() else { return Ok(Edit::Unknown) };
    let edited = record.map(to_json).transpose()?;
    let mut transaction = database.write.begin().await?;
    let update = sqlx::query(
        "UPDATE dead_letter SET edited = ?3, bytes = bytes - coalesce(length(CAST(edited AS BLOB)), 0)
             + coalesce(length(CAST(?3 AS BLOB)), 0)
         WHERE uid = ?1 AND entry = ?2 AND replay IS NULL",
    );
    let changed = update.bind(uid).bind(entry).bind(edited).execute(&mut *transaction).await?.rows_affected();
    let there: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM dead_letter WHERE uid = ? AND entry = ?)")
            .bind(uid)
            .bind(entry)
            .fetch_one(&mut *transaction)
            .await?;
    transaction.commit().await?;
    Ok(match (changed, there) {
        (1.., _) => Edit::Done,
        (0, true) => Edit::UnderWay,
        (0, false) => Edit::Unknown,
    })
}

pub(super) async fn assign(
    database: &Database,
    uid: &str,
    tasks: &Tasks,
    marks: &[StoredMark],
) -> Result<()> {
    for mark in marks.iter().filter(|mark| mark.target.is_none() && mark.stream.is_replay()) {
        done(database, uid, &mark.stream.partition, mark.position.order).await?;
    }
    let mut transaction = database.write.begin().await?;
    let every: Vec<&String> = tasks.keys().collect();
    sqlx::query(
        "UPDATE dead_letter SET replay = NULL, replay_task = NULL
         WHERE uid = ? AND replay IS NOT NULL AND node NOT IN (SELECT value FROM json_each(?))",
    )
    .bind(uid)
    .bind(to_json(&every)?)
    .execute(&mut *transaction)
    .await?;
    for (task, nodes) in by_task(tasks) {
        let nodes = to_json(&nodes)?;
        // In the hands of another task it would be passed over by this one's watermark, so it gets a number beyond that.
        let which = "uid = ?1 AND replay IS NOT NULL AND replay_task <> ?2 AND node IN (SELECT value FROM json_each(?3))";
        number(&mut transaction, which, task, 4, |query| {
            query.bind(uid).bind(task.to_owned()).bind(nodes.clone())
        })
        .await?;
    }
    transaction.commit().await?;
    Ok(())
}

fn by_task(tasks: &Tasks) -> BTreeMap<&str, Vec<&str>> {
    let mut by_task: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (node, task) in tasks {
        by_task.entry(task).or_default().push(node);
    }
    by_task
}

/// Gives the letters for which `which` holds the next numbers, oldest first. `which` is a condition of this file whose values `bind`
/// binds; `next` is the first place behind them.
async fn number(
    connection: &mut SqliteConnection,
    which: &str,
    task: &str,
    next: usize,
    bind: impl for<'q> Fn(Query<'q>) -> Query<'q>,
) -> Result<()> {
    let text = format!(
        "UPDATE dead_letter SET replay_task = ?{next},
             replay = (SELECT value FROM counter WHERE name = 'replay') + ranked.place
         FROM (SELECT entry AS chosen, row_number() OVER (ORDER BY entry) AS place FROM dead_letter WHERE {which}) AS ranked
         WHERE ranked.chosen = dead_letter.entry"
    );
    let query = bind(sqlx::query(AssertSqlSafe(text))).bind(task.to_owned());
    let numbered = query.execute(&mut *connection).await?.rows_affected();
    sqlx::query("UPDATE counter SET value = value + ? WHERE name = 'replay'")
        .bind(rank_in(numbered)?)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn next(
    database: &Database,
    uid: &str,
    task: &str,
    after: u64,
    limit: usize,
    marks: &[StoredMark],
) -> Result<Replays> {
    let rows = sqlx::query(
        "SELECT source, \"partition\", rank, node, via, child, replay, coalesce(edited, record), live FROM dead_letter
         WHERE uid = ? AND replay_task = ? AND replay > ? ORDER BY replay LIMIT ?",
    )
    .bind(uid)
    .bind(task)
    .bind(rank_in(after)?)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(&database.read)
    .await?;
    let mut found = Replays::default();
    for row in rows {
        let key = read_key(&row)?;
        let live: bool = row.try_get(8)?;
        // What its source may still bring by itself must not come twice. Later ones wait with it: numbers are passed in order.
        if live && watermark(marks, &key.stream.source, &key.stream.partition) < key.order {
            found.waiting = true;
            break;
        }
        found.ready.push(Replay {
            number: rank_out(row.try_get(6)?),
            node: key.node,
            child: key.child,
            record: from_json(row.try_get(7)?)?,
        });
    }
    Ok(found)
}

pub(super) async fn done(database: &Database, uid: &str, task: &str, up_to: u64) -> Result<u64> {
    let mut transaction = database.write.begin().await?;
    let gone: Vec<(String, String, i64)> = sqlx::query_as(
        "DELETE FROM dead_letter WHERE uid = ? AND replay_task = ? AND replay <= ?
         RETURNING source, \"partition\", rank",
    )
    .bind(uid)
    .bind(task)
    .bind(rank_in(up_to)?)
    .fetch_all(&mut *transaction)
    .await?;
    if gone.is_empty() {
        return Ok(0);
    }
    let letters = gone.len() as u64;
    let mut replayed = 0;
    for (source, partition, rank) in gone.into_iter().collect::<BTreeSet<_>>() {
        let left: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM dead_letter
             WHERE uid = ? AND source = ? AND \"partition\" = ? AND rank = ?)",
        )
        .bind(uid)
        .bind(source)
        .bind(partition)
        .bind(rank)
        .fetch_one(&mut *transaction)
        .await?;
        replayed += u64::from(!left);
    }
    count_replayed(&mut transaction, uid, replayed).await?;
    transaction.commit().await?;
    Ok(letters)
}

pub(super) async fn refused_again(database: &Database, uid: &str, letters: &[Letter]) -> Result<()> {
    let at = clock::now_ms();
    let mut transaction = database.write.begin().await?;
    for letter in letters {
        let number = rank_in(letter.key.order)?;
        let tried = sqlx::query(
            "SELECT source, \"partition\", rank, node, via, child, tries, live FROM dead_letter
             WHERE uid = ? AND replay_task = ? AND replay = ?",
        );
        let tried = tried.bind(uid).bind(&*letter.key.stream.partition).bind(number);
        // None: it was discarded meanwhile, or this very refusal was stored before a crash.
        let Some(row) = tried.fetch_optional(&mut *transaction).await? else {
            continue;
        };
        let key = read_key(&row)?;
        let (tries, live): (i64, bool) = (row.try_get(6)?, row.try_get(7)?);
        let stays = key.node == letter.key.node && key.child == letter.key.child;
        let stream = StreamKey { via: "".into(), ..key.stream.clone() };
        let now = if stays {
            key
        } else {
            LetterKey { node: letter.key.node.clone(), stream, order: key.order, child: letter.key.child }
        };
        let (cause, record) = (to_json(&letter.cause)?, to_json(&letter.record)?);
        let bytes = i64::try_from(cause.len() + record.len()).unwrap_or(i64::MAX);
        if stays {
            let update = sqlx::query(
                "UPDATE dead_letter SET tries = tries + 1, replay = NULL, replay_task = NULL, replayed = ?, cause = ?, at = ?
                 WHERE uid = ? AND replay_task = ? AND replay = ?",
            );
            let update = update.bind(number).bind(cause).bind(at);
            let update = update.bind(uid).bind(&*letter.key.stream.partition).bind(number);
            update.execute(&mut *transaction).await?;
            continue;
        }
        let insert = sqlx::query(
            "INSERT INTO dead_letter (uid, source, \"partition\", rank, node, via, child, cause, record, bytes, at, live, tries,
                 replayed)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (uid, source, \"partition\", rank, node, via, child) DO UPDATE SET
                 tries = tries + (replayed IS NOT excluded.replayed), replayed = excluded.replayed, cause = excluded.cause,
                 at = excluded.at",
        );
        bind_key(insert, uid, &now)?
            .bind(cause)
            .bind(record)
            .bind(bytes)
            .bind(at)
            .bind(live)
            .bind(tries + 1)
            .bind(number)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}
