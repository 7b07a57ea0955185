//! How far a table may be read while others write (G7).
//!
//! Numbers of a sequence and times of a clock are taken when a row is written; it becomes visible when its transaction ends.
//! A cursor that follows what is visible passes a row that is written and not yet visible, for good. So the greatest value
//! that is visible is only a candidate: after it was looked up, all transactions that are open are listed, and reading
//! goes as far as the candidate once every one of them has ended. Whoever took a smaller value took it before the greatest
//! one was taken, hence before the look, and is in that list or has ended.
//!
//! Rows that are read by number are written under a lock of their table that lasts from before the number is taken until the
//! transaction ends: only transactions that hold one are waited for. A time may be as old as the transaction
//! (`now()`), whatever it touches later: there all transactions of the database are waited for, and so they are where the
//! tables behind a view or a query are not known. Not covered are numbers that are taken ahead (`CACHE` above 1) and
//! clocks other than the server's: for those there are `overlap` and `delay`.

use std::collections::HashSet;
use std::time::Duration;

use sqlx::postgres::PgConnection;

use super::statement::typed;
use super::table::Table;
use crate::reading::database::Settled;
use crate::reading::wish::Way;
use crate::sql::assembled;

/// Transactions that may write to a table: holders of a lock that writing takes, on it or on a part of it. Prepared ones too.
const WRITERS: &str = "SELECT DISTINCT virtualtransaction || coalesce(transactionid::text, '') FROM pg_locks
    WHERE locktype = 'relation' AND granted AND pid IS DISTINCT FROM pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      AND relation IN (WITH RECURSIVE part(oid) AS (SELECT $1::oid UNION SELECT inhrelid FROM pg_inherits, part
                       WHERE inhparent = part.oid) SELECT oid FROM part)";

/// Transactions of this database. Each holds a lock on its own number; autovacuum writes no rows.
const ALL: &str = "SELECT DISTINCT l.virtualtransaction FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'virtualxid' AND l.granted AND l.mode = 'ExclusiveLock' AND l.pid <> pg_backend_pid()
      AND coalesce(a.datname = current_database(), true) AND a.backend_type IS DISTINCT FROM 'autovacuum worker'
    UNION ALL SELECT 'prepared ' || gid FROM pg_prepared_xacts WHERE database = current_database() AND $1::oid IS NOT NULL";

/// How far one table may be read.
#[derive(Debug, Default)]
pub(super) struct Horizon {
    /// Everything up to here is visible.
    safe: Option<String>,
    /// A greater value, and the transactions that must end first.
    candidate: Option<(String, HashSet<String>)>,
}

impl Horizon {
    /// Looks again.
    pub(super) async fn look(
        &mut self,
        connection: &mut PgConnection,
        table: &Table,
        way: &Way,
        by_time: bool,
        waits: bool,
        delay: Duration,
    ) -> Result<Settled, sqlx::Error> {
        let Some(column) = way.columns.first().and_then(|name| table.column(name)) else {
            return Ok(Settled::All);
        };
        if waits {
            self.wait_for_writers(connection, table, &column.quoted, by_time).await?;
        } else {
            self.safe = newest(connection, table, &column.quoted).await?;
        }
        let held = self.candidate.is_some();
        let Some(safe) = self.safe.clone() else { return Ok(Settled::Nothing { held }) };
        if delay.is_zero() {
            return Ok(Settled::To { upper: safe, held });
        }
        let us = delay.as_micros();
        let type_name = &column.type_name;
        // What the server itself wrote is no bad position.
        let Ok(safe) = typed(column, &safe) else { return Ok(Settled::Nothing { held }) };
        let sql = format!("SELECT least({safe}, (now() - interval '{us} microseconds')::{type_name})::text");
        let upper: String = sqlx::query_scalar(assembled(sql)).fetch_one(connection).await?;
        Ok(Settled::To { upper, held })
    }

    async fn wait_for_writers(
        &mut self,
        connection: &mut PgConnection,
        table: &Table,
        column: &str,
        by_time: bool,
    ) -> Result<(), sqlx::Error> {
        let number = table.lockable().filter(|_| !by_time);
        let sql = if number.is_some() { WRITERS } else { ALL };
        // Both take a number, so that both are asked alike.
        let number = i64::from(number.unwrap_or(0));
        if let Some((candidate, open)) = &mut self.candidate {
            let now = transactions(connection, sql, number).await?;
            open.retain(|transaction| now.contains(transaction));
            if open.is_empty() {
                self.safe = Some(std::mem::take(candidate));
                self.candidate = None;
            }
        }
        if self.candidate.is_none() {
            let newest = newest(connection, table, column).await?;
            // The order matters: first the value, then who was writing.
            let open = match &newest {
                Some(newest) if self.safe.as_ref() != Some(newest) => {
                    transactions(connection, sql, number).await?
                }
                _ => return Ok(()),
            };
            if open.is_empty() {
                self.safe = newest;
            } else {
                self.candidate = newest.map(|newest| (newest, open));
            }
        }
        Ok(())
    }

    /// Forgets whom it waits for.
    pub(super) fn forget(&mut self) {
        self.candidate = None;
    }
}

async fn newest(
    connection: &mut PgConnection,
    table: &Table,
    column: &str,
) -> Result<Option<String>, sqlx::Error> {
    // By order rather than max(): not every type has one.
    let sql = format!(
        "SELECT {column}::text FROM {} WHERE {column} IS NOT NULL ORDER BY {column} DESC LIMIT 1",
        table.from
    );
    sqlx::query_scalar(assembled(sql)).fetch_optional(connection).await
}

async fn transactions(
    connection: &mut PgConnection,
    sql: &'static str,
    table: i64,
) -> Result<HashSet<String>, sqlx::Error> {
    let all: Vec<String> = sqlx::query_scalar(sql).bind(table).fetch_all(connection).await?;
    Ok(all.into_iter().collect())
}
