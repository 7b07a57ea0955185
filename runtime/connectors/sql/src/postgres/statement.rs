//! The statements that write rows, as text. Inserts go into the table by COPY; upserts and deletes, and inserts where
//! policies for rows bar COPY, go by COPY into a temporary table of the session first, and from there in one statement.

use super::layout::Wish;
use super::table::Table;
use crate::sql::quote;
use crate::writing::Mode;

/// How rows of one set of columns are written.
#[derive(Debug, Clone)]
pub(super) struct Statements {
    /// The COPY.
    pub(super) copy: String,
    /// The beginning of an INSERT to the same place, up to `VALUES`.
    pub(super) insert: String,
    /// Name of the table that the COPY goes to, as the server's messages have it.
    pub(super) into: String,
    /// How the rows get from the temporary table into the table.
    pub(super) staged: Option<Staged>,
}

/// A temporary table.
#[derive(Debug, Clone)]
pub(super) struct Staged {
    /// Makes it, if it is not there.
    pub(super) make: String,
    /// Empties it.
    pub(super) empty: String,
    /// Moves its rows on.
    pub(super) apply: String,
}

impl Statements {
    /// For rows of these columns; `number` tells temporary tables apart. With `repeats`, several rows of a group may have
    /// one key: the server sorts them to find the last of each, which costs more than writing them.
    pub(super) fn new(table: &Table, wish: &Wish, columns: &[usize], number: usize, repeats: bool) -> Self {
        let names: Vec<&str> = columns.iter().map(|at| &*table.columns[*at].quoted).collect();
        let list = names.join(", ");
        let target = &table.name.quoted;
        if wish.mode == Mode::Insert && !table.bars_copy {
            let copy = match names.is_empty() {
                // Rows of nothing but defaults go another way: COPY cannot name no columns.
                true => String::new(),
                false => format!("COPY {target} ({list}) FROM STDIN"),
            };
            let insert = format!("INSERT INTO {target} ({list}) OVERRIDING SYSTEM VALUE");
            return Self { copy, insert, into: table.name.table.clone(), staged: None };
        }
        let stage = format!("fairway_stage_{number}");
        let keys = keys(wish);
        let apply = match wish.mode {
            Mode::Delete => {
                let same: Vec<String> = keys.iter().map(|key| format!("t.{key} = s.{key}")).collect();
                format!("DELETE FROM {target} AS t USING pg_temp.{stage} AS s WHERE {}", same.join(" AND "))
            }
            Mode::Insert => {
                format!(
                    "INSERT INTO {target} ({list}) OVERRIDING SYSTEM VALUE SELECT {list} FROM pg_temp.{stage} ORDER BY ctid"
                )
            }
            Mode::Upsert => {
                let set: Vec<String> = names
                    .iter()
                    .filter(|name| !keys.iter().any(|key| key == *name))
                    .map(|name| format!("{name} = EXCLUDED.{name}"))
                    .collect();
                let action = match set.is_empty() {
                    true => "NOTHING".to_owned(),
                    false => format!("UPDATE SET {}", set.join(", ")),
                };
                let keys = keys.join(", ");
                // Of rows with one key the last counts; lines of a COPY lie in their order (G9).
                let (only, order) = match repeats {
                    true => (format!("DISTINCT ON ({keys}) "), format!(" ORDER BY {keys}, ctid DESC")),
                    false => (String::new(), String::new()),
                };
                format!(
                    "INSERT INTO {target} ({list}) OVERRIDING SYSTEM VALUE \
                     SELECT {only}{list} FROM pg_temp.{stage}{order} ON CONFLICT ({keys}) DO {action}"
                )
            }
        };
        Self {
            copy: format!("COPY pg_temp.{stage} ({list}) FROM STDIN"),
            insert: format!("INSERT INTO pg_temp.{stage} ({list})"),
            staged: Some(Staged {
                // Of a query, so that columns have types and nothing else: what the table demands is seen when rows get there.
                make: format!(
                    "CREATE TEMPORARY TABLE IF NOT EXISTS {stage} ON COMMIT DELETE ROWS \
                     AS SELECT {list} FROM {target} WITH NO DATA"
                ),
                empty: format!("DELETE FROM pg_temp.{stage}"),
                apply,
            }),
            into: stage,
        }
    }
}

/// A statement that can only be planned if the key can decide what an upsert meets.
pub(super) fn key_trial(table: &Table, wish: &Wish) -> String {
    let keys = keys(wish).join(", ");
    format!("EXPLAIN INSERT INTO {} DEFAULT VALUES ON CONFLICT ({keys}) DO NOTHING", table.name.quoted)
}

/// Keys were looked up in the table, or made with it: there is no NUL in them.
fn keys(wish: &Wish) -> Vec<String> {
    wish.key.iter().filter_map(|name| quote(name).ok()).collect()
}
