//! Writing the rows of a group within the caller's transaction.
//!
//! Rows go in as fast as they can. If the server refuses some, the caller rolls back and tries again with care, behind
//! savepoints, to learn of all that is refused (G10); the engine sets those aside and delivers the rest anew.

use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::{Batch, RecordError, RecordRef};
use fairway_engine::sink::Refused;
use sqlx::{Connection, PgConnection};

use super::fault;
use super::few::{FEW, place, values};
use super::known::Known;
use super::layout::{Columns, Layout, Wish};
use super::rows::{At, Run, cut};
use super::statement::Statements;
use crate::sql::assembled;

/// Refusals that are found before the group is given back: the engine sets them aside and asks again without them.
const ENOUGH: usize = 200;
/// Rows that are tried together after a refusal, at least: a few more cost no more than the way to the server.
const LEAST_REACH: usize = 16;
/// Bytes that are gathered before they are sent: few, so that the server works on some while others are written here.
const CHUNK: usize = 64 << 10;

/// How carefully rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Nothing is expected to be refused.
    None,
    /// Parts that are refused are taken apart until single records are left.
    Find,
    /// So too, and constraints that may wait for the end of the transaction are looked at with each part.
    FindDeferred,
}

/// Why writing rows ended early.
pub(super) enum Stop {
    /// Something is refused; more care is needed to say what.
    Careful,
    /// Several rows have one key, and the statement was not made for that.
    Repeated,
    /// The target's fault.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Records that one COPY writes, listed one by one.
struct Part {
    layout: Arc<Layout>,
    columns: Arc<Columns>,
    rows: Vec<At>,
}

impl Part {
    fn of(&self, rows: Vec<At>) -> Self {
        Self { layout: Arc::clone(&self.layout), columns: Arc::clone(&self.columns), rows }
    }
}

impl Known {
    /// Writes all rows; answers what is refused, and has then not written everything.
    pub(super) async fn write(
        &mut self,
        connection: &mut PgConnection,
        wish: &Wish,
        batches: &[Batch],
        care: Care,
    ) -> Result<Vec<Refused>, Stop> {
        let runs = cut(batches, |batch| self.layout(batch.schema(), wish));
        self.may_insert = !self.table.has_rules;
        let mut refused = Vec::new();
        if care != Care::None {
            let parts = self.fit(&runs, batches, &mut refused);
            self.find(connection, wish, batches, parts, care, &mut refused).await?;
            return Ok(refused);
        }
        for run in &runs {
            if !refused.is_empty() {
                // Nothing will be kept; see only what else is refused.
                self.fit(std::slice::from_ref(run), batches, &mut refused);
                continue;
            }
            let records = run.records(batches);
            let sent = self.send(connection, wish, &run.layout, &run.columns, records, &mut refused).await;
            match sent {
                Err(error) if is_refusal(&error) => return Err(Stop::Careful),
                Err(error) if fault::is_repeated_key(&error) => return Err(Stop::Repeated),
                sent => sent.map_err(cannot_write)?,
            }
        }
        Ok(refused)
    }

    /// The records that can be sent; the others go to `refused`.
    fn fit(&mut self, runs: &[Run], batches: &[Batch], refused: &mut Vec<Refused>) -> Vec<Part> {
        let mut parts = Vec::new();
        for run in runs {
            let mut rows = Vec::new();
            for ((batch, record), row) in run.records(batches) {
                self.lines.clear();
                match run.layout.encode(row, &self.table, &mut self.scratch, &mut self.lines) {
                    Ok(()) => rows.push((batch, record)),
                    Err(error) => refused.push(Refused { batch, record, error }),
                }
            }
            let (layout, columns) = (Arc::clone(&run.layout), Arc::clone(&run.columns));
            parts.push(Part { layout, columns, rows });
        }
        parts
    }

    async fn find(
        &mut self,
        connection: &mut PgConnection,
        wish: &Wish,
        batches: &[Batch],
        parts: Vec<Part>,
        care: Care,
        refused: &mut Vec<Refused>,
    ) -> Result<(), Stop> {
        let mut open: Vec<Part> = parts.into_iter().rev().filter(|part| !part.rows.is_empty()).collect();
        // Refused by constraints that look at other rows; those may have come since.
        let mut suspects: Vec<(Part, RecordError)> = Vec::new();
        // Rows that are tried together: where many are refused, sending all that follow each time would take as long as
        // there are refusals times rows.
        let mut reach = usize::MAX;
        while refused.len() < ENOUGH
            && let Some(mut part) = open.pop()
        {
            if part.rows.len() > reach {
                let rest = part.rows.split_off(reach);
                open.push(part.of(rest));
            }
            let Some((error, line)) = self.try_part(connection, wish, batches, &part, care).await? else {
                reach = reach.saturating_mul(2);
                continue;
            };
            reach = line.map_or(part.rows.len() / 2, |line| line.saturating_mul(2)).max(LEAST_REACH);
            if part.rows.len() == 1 {
                match care {
                    Care::FindDeferred => suspects.push((part, error)),
                    _ => refused.push(culprit(&part, error)),
                }
                continue;
            }
            // The first rows are taken next: order is kept.
            match line.filter(|line| *line < part.rows.len()) {
                Some(line) => {
                    let after = part.rows.split_off(line + 1);
                    let found = part.rows.split_off(line);
                    let found = part.of(found);
                    refused.push(culprit(&found, error));
                    open.extend([part.of(after), part].into_iter().filter(|part| !part.rows.is_empty()));
                }
                None => {
                    let second = part.rows.split_off(part.rows.len() / 2);
                    open.extend([part.of(second), part]);
                }
            }
        }
        for (part, error) in suspects {
            if self.try_part(connection, wish, batches, &part, care).await?.is_some() {
                refused.push(culprit(&part, error));
            }
        }
        Ok(())
    }

    /// Writes a part behind a savepoint: why it is refused, and by which of its rows where the server says so.
    async fn try_part(
        &mut self,
        connection: &mut PgConnection,
        wish: &Wish,
        batches: &[Batch],
        part: &Part,
        care: Care,
    ) -> Result<Option<(RecordError, Option<usize>)>, Stop> {
        let tried = self.try_once(connection, wish, batches, part, care).await?;
        let Some((error, line, is_of_value)) = tried else { return Ok(None) };
        if !(self.may_insert && part.rows.len() == 1 && is_of_value && error.field.is_none()) {
            return Ok(Some((error, line)));
        }
        // Of some values only a COPY says which column they do not fit.
        self.may_insert = false;
        let tried = self.try_once(connection, wish, batches, part, care).await;
        self.may_insert = true;
        Ok(tried?.map(|(error, line, _)| (error, line)))
    }

    /// So too; and whether it is a value that does not fit.
    async fn try_once(
        &mut self,
        connection: &mut PgConnection,
        wish: &Wish,
        batches: &[Batch],
        part: &Part,
        care: Care,
    ) -> Result<Option<(RecordError, Option<usize>, bool)>, Stop> {
        self.failed_insert = None;
        let statements = self.statements(wish, &part.columns);
        // Before the savepoint, so that it is there for the next part too: to make one takes longer than to write a few rows.
        self.make_stage(connection, &statements).await.map_err(cannot_write)?;
        let mut savepoint = connection.begin().await.map_err(cannot_write)?;
        let records = part.rows.iter().map(|at| (*at, batches[at.0].record(at.1)));
        let mut none = Vec::new();
        let mut sent = self.send(&mut savepoint, wish, &part.layout, &part.columns, records, &mut none).await;
        if sent.is_ok() && care == Care::FindDeferred {
            let look = sqlx::raw_sql("SET CONSTRAINTS ALL IMMEDIATE").execute(&mut *savepoint).await;
            sent = look.map(|_| ());
        }
        match sent {
            Ok(()) => {
                savepoint.commit().await.map_err(cannot_write)?;
                Ok(None)
            }
            Err(error) if is_refusal(&error) => {
                savepoint.rollback().await.map_err(cannot_write)?;
                let mut reason = fault::of_record(&error);
                let mut names = part.columns.iter().map(|at| &*self.table.columns[*at].name);
                let (line, column) = match self.failed_insert.take() {
                    Some((before, values)) => {
                        let at = fault::position(&error).and_then(|at| at.checked_sub(before));
                        let (line, column) = at.and_then(|at| place(&values, at)).unzip();
                        (line, column.and_then(|column| names.nth(column)).map(str::to_owned))
                    }
                    None => {
                        let (line, words) = fault::copied(&error, &statements.into).unzip();
                        (line, words.and_then(|words| fault::column_in(words, names)))
                    }
                };
                reason.field = reason.field.or(column);
                Ok(Some((reason, line, fault::is_of_value(&error))))
            }
            Err(error) if fault::is_repeated_key(&error) => Err(Stop::Repeated),
            Err(error) => Err(cannot_write(error).into()),
        }
    }

    /// Sends records by one COPY, or by one INSERT where they are few. Once one is refused here, nothing more is sent and
    /// only looked at.
    async fn send<'g>(
        &mut self,
        connection: &mut PgConnection,
        wish: &Wish,
        layout: &Layout,
        columns: &Arc<Columns>,
        mut records: impl Iterator<Item = (At, RecordRef<'g>)>,
        refused: &mut Vec<Refused>,
    ) -> Result<(), sqlx::Error> {
        let statements = self.statements(wish, columns);
        if columns.is_empty() {
            return self.send_defaults(connection, layout, records, refused).await;
        }
        self.make_stage(connection, &statements).await?;
        self.lines.clear();
        if self.may_insert && self.encode(layout, &mut records, refused, FEW) {
            if refused.is_empty() {
                self.insert(connection, &statements).await?;
            }
            return Ok(());
        }
        if let Some(staged) = &statements.staged {
            sqlx::raw_sql(assembled(staged.empty.as_str())).execute(&mut *connection).await?;
        }
        let mut copy = connection.copy_in_raw(&statements.copy).await?;
        while !self.encode(layout, &mut records, refused, CHUNK) {
            if refused.is_empty() {
                copy.send(self.lines.as_slice()).await?;
            }
            self.lines.clear();
        }
        if !refused.is_empty() {
            return copy.abort("a record is refused").await;
        }
        if !self.lines.is_empty() {
            copy.send(self.lines.as_slice()).await?;
        }
        copy.finish().await?;
        if let Some(staged) = &statements.staged {
            sqlx::raw_sql(assembled(staged.apply.as_str())).execute(&mut *connection).await?;
        }
        Ok(())
    }

    /// Appends records to the lines until these have so many bytes; `true` when no record is left before.
    fn encode<'g>(
        &mut self,
        layout: &Layout,
        records: &mut impl Iterator<Item = (At, RecordRef<'g>)>,
        refused: &mut Vec<Refused>,
        bytes: usize,
    ) -> bool {
        for ((batch, record), row) in records {
            if let Err(error) = layout.encode(row, &self.table, &mut self.scratch, &mut self.lines) {
                refused.push(Refused { batch, record, error });
            }
            if self.lines.len() >= bytes {
                return false;
            }
        }
        true
    }

    /// Writes the lines as they stand, by one message.
    async fn insert(
        &mut self,
        connection: &mut PgConnection,
        statements: &Statements,
    ) -> Result<(), sqlx::Error> {
        // Lines are made of texts; COPY would refuse others too.
        let Ok(lines) = std::str::from_utf8(&self.lines) else {
            return Err(sqlx::Error::Protocol("a line is no UTF-8".into()));
        };
        let values = values(lines);
        let (before, behind) = match &statements.staged {
            Some(staged) => {
                (format!("{}; {} ", staged.empty, statements.insert), format!("; {}", staged.apply))
            }
            None => (format!("{} ", statements.insert), String::new()),
        };
        let sql = format!("{before}{values}{behind}");
        let done = sqlx::raw_sql(assembled(sql)).execute(connection).await;
        self.failed_insert = done.is_err().then(|| (before.chars().count(), values));
        done.map(drop)
    }

    /// Sees to it that a temporary table is there.
    async fn make_stage(
        &mut self,
        connection: &mut PgConnection,
        statements: &Statements,
    ) -> Result<(), sqlx::Error> {
        let Some(staged) = &statements.staged else { return Ok(()) };
        if !self.staged.contains(&statements.into) {
            sqlx::raw_sql(assembled(staged.make.as_str())).execute(&mut *connection).await?;
            self.staged.insert(statements.into.clone());
        }
        Ok(())
    }

    /// Rows of nothing but defaults.
    async fn send_defaults<'g>(
        &mut self,
        connection: &mut PgConnection,
        layout: &Layout,
        records: impl Iterator<Item = (At, RecordRef<'g>)>,
        refused: &mut Vec<Refused>,
    ) -> Result<(), sqlx::Error> {
        for ((batch, record), row) in records {
            match layout.encode(row, &self.table, &mut self.scratch, &mut self.lines) {
                Err(error) => refused.push(Refused { batch, record, error }),
                Ok(()) => {
                    let sql = format!("INSERT INTO {} DEFAULT VALUES", self.table.name.quoted);
                    sqlx::raw_sql(assembled(sql)).execute(&mut *connection).await?;
                }
            }
        }
        Ok(())
    }
}

fn culprit(part: &Part, error: RecordError) -> Refused {
    let (batch, record) = part.rows[0];
    Refused { batch, record, error }
}

/// Whether a row is to blame.
fn is_refusal(error: &sqlx::Error) -> bool {
    fault::is_of_record(error)
}

fn cannot_write(error: sqlx::Error) -> Error {
    fault::of_target(error, "the table cannot be written")
}
