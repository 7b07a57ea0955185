//! Inserts, upserts and deletes of many rows, as text.
//!
//! `OR ABORT` stands in every insert, so that a table's own `ON CONFLICT IGNORE` or `REPLACE` cannot make a record vanish
//! uncounted (I1). Columns in conditions are named together with their table: SQLite would take an unknown name in
//! double quotes for a text.

use std::collections::HashMap;
use std::sync::Arc;

use super::layout::{Columns, Wish};
use super::table::Table;
use crate::sql::quote;
use crate::writing::Mode;

/// Most rows of a statement. With 8 columns, statements of 32 to 1024 rows were equally fast within the noise (20 %).
const MOST_ROWS: usize = 256;
/// Most parameters of a statement in SQLite as it is usually built.
const MOST_PARAMETERS: usize = 32_766;
/// Texts kept. Records that lack ever other fields need ever other statements.
const MOST_TEXTS: usize = 512;

/// How many rows of so many columns go into one statement: a power of two, so that few statements serve all lengths.
pub(super) fn rows_at_once(columns: usize, wanted: usize) -> usize {
    // `DEFAULT VALUES` is one row.
    let most = MOST_PARAMETERS.checked_div(columns).unwrap_or(1).clamp(1, MOST_ROWS);
    let rows = wanted.clamp(1, most);
    1 << rows.ilog2()
}

/// Texts made so far for one table.
#[derive(Debug, Default)]
pub(super) struct Statements {
    texts: HashMap<(Arc<Columns>, usize), Arc<str>>,
}

impl Statements {
    /// The statement that writes so many rows of these columns.
    pub(super) fn text(
        &mut self,
        table: &Table,
        wish: &Wish,
        columns: &Arc<Columns>,
        rows: usize,
    ) -> Arc<str> {
        if self.texts.len() >= MOST_TEXTS {
            self.texts.clear();
        }
        let text = self.texts.entry((Arc::clone(columns), rows));
        Arc::clone(text.or_insert_with(|| match wish.mode {
            Mode::Delete => delete(table, columns, rows).into(),
            Mode::Insert | Mode::Upsert => insert(table, wish, columns, rows).into(),
        }))
    }
}

fn insert(table: &Table, wish: &Wish, columns: &[usize], rows: usize) -> String {
    let into = format!("INSERT OR ABORT INTO {}", table.quoted);
    if columns.is_empty() {
        return format!("{into} DEFAULT VALUES");
    }
    let names: Vec<&str> = columns.iter().map(|at| &*table.columns[*at].quoted).collect();
    let mut text = format!("{into} ({}) VALUES {}", names.join(", "), repeat(&row(columns.len()), rows));
    if wish.mode == Mode::Upsert {
        text.push_str(&on_conflict(wish));
        let is_key = |at: &&usize| wish.key.contains(&table.columns[**at].name);
        let set: Vec<String> = columns
            .iter()
            .filter(|at| !is_key(at))
            .map(|at| format!("{0} = excluded.{0}", table.columns[*at].quoted))
            .collect();
        match set.is_empty() {
            true => text.push_str("DO NOTHING"),
            false => text.push_str(&format!("DO UPDATE SET {}", set.join(", "))),
        }
    }
    text
}

/// A statement that only compiles if the key can decide what an upsert meets.
pub(super) fn key_trial(table: &Table, wish: &Wish) -> String {
    let key = keys(wish).join(", ");
    let row = row(wish.key.len());
    format!("INSERT OR ABORT INTO {} ({key}) VALUES {row}{}DO NOTHING", table.quoted, on_conflict(wish))
}

fn on_conflict(wish: &Wish) -> String {
    format!(" ON CONFLICT ({}) ", keys(wish).join(", "))
}

/// Keys were looked up in the table, or made with it: there is no NUL in them.
fn keys(wish: &Wish) -> Vec<String> {
    wish.key.iter().filter_map(|name| quote(name).ok()).collect()
}

fn delete(table: &Table, columns: &[usize], rows: usize) -> String {
    let name = |at: &usize| format!("{}.{}", table.quoted, table.columns[*at].quoted);
    let names: Vec<String> = columns.iter().map(name).collect();
    let from = format!("DELETE FROM {} WHERE ", table.quoted);
    match names.as_slice() {
        [single] => format!("{from}{single} IN ({})", repeat("?", rows)),
        several => {
            format!("{from}({}) IN (VALUES {})", several.join(", "), repeat(&row(several.len()), rows))
        }
    }
}

fn row(columns: usize) -> String {
    format!("({})", repeat("?", columns))
}

fn repeat(part: &str, times: usize) -> String {
    vec![part; times].join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_statements_serve_all_lengths() {
        for (columns, wanted, rows) in [
            (8, 1000, 256),
            (8, 255, 128),
            (8, 3, 2),
            (8, 1, 1),
            (200, 1000, 128),
            (2000, 1000, 16),
            (0, 9, 1),
        ] {
            assert_eq!(rows_at_once(columns, wanted), rows, "{wanted} rows of {columns} columns");
        }
    }
}
