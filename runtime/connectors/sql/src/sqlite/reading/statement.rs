//! The statements that read a table. Values of cursors are bound.

use std::fmt::Write as _;

use fairway_engine::Error;

use super::table::Table;
use super::{Arguments, value};
use crate::reading::database::{Ask, Lower};
use crate::reading::wish::Way;

/// A statement and what is bound to it.
pub(super) struct Asked {
    pub(super) sql: String,
    pub(super) arguments: Arguments,
}

/// Rows of a table: first the cursor columns, then those of the key, then the columns of records, and last which of these has
/// more than `most` bytes and was left out.
pub(super) fn select(table: &Table, way: &Way, ask: &Ask<'_>, most: usize) -> Result<Asked, Error> {
    let mut arguments = Arguments::default();
    let cursor: Vec<String> =
        way.columns.iter().map(|name| table.expression(name)).collect::<Result<_, _>>()?;
    let mut columns = cursor.clone();
    for name in &way.key {
        columns.push(table.expression(name)?);
    }
    let mut left_out = String::new();
    for (at, column) in table.chosen().enumerate() {
        let quoted = &column.quoted;
        // The length stands before the value, which is not read for it.
        let condition = format!("octet_length({quoted}) > {most}");
        write!(left_out, " WHEN {condition} THEN {at}").expect("writing to a text");
        columns.push(format!("CASE WHEN {condition} THEN NULL ELSE {quoted} END"));
    }
    columns.push(if left_out.is_empty() { "NULL".to_owned() } else { format!("CASE{left_out} END") });
    let mut sql = format!("SELECT {} FROM {}", columns.join(", "), table.from);
    let mut conditions = Vec::new();
    let mut compare = |names: &[String], sign: &str, values: &[String]| -> Result<(), Error> {
        let marks = vec!["?"; values.len()].join(", ");
        conditions.push(format!("({}) {sign} ({marks})", names.join(", ")));
        values.iter().try_for_each(|value| value::bind(value, &mut arguments))
    };
    match &ask.lower {
        Lower::Start => {}
        Lower::Behind(values) => compare(&cursor, ">", values)?,
        Lower::From(value) => compare(&cursor[..1], ">=", std::slice::from_ref(value))?,
    }
    if let Some(end) = ask.end {
        compare(&cursor, "<=", end)?;
    }
    for name in &way.columns {
        if table.column(name).is_some_and(|column| column.nullable) {
            conditions.push(format!("{} IS NOT NULL", table.expression(name)?));
        }
    }
    if !conditions.is_empty() {
        write!(sql, " WHERE {}", conditions.join(" AND ")).expect("writing to a text");
    }
    if !cursor.is_empty() {
        write!(sql, " ORDER BY {}", cursor.join(", ")).expect("writing to a text");
    }
    if let Some(limit) = ask.limit {
        write!(sql, " LIMIT {limit}").expect("writing to a text");
    }
    Ok(Asked { sql, arguments })
}

/// Whether there are rows without a place in the order; `None` if there can be none.
pub(super) fn nulls(table: &Table, way: &Way) -> Option<String> {
    let nullable = way.columns.iter().filter_map(|name| table.column(name)).filter(|column| column.nullable);
    let conditions: Vec<String> = nullable.map(|column| format!("{} IS NULL", column.quoted)).collect();
    if conditions.is_empty() {
        return None;
    }
    Some(format!("SELECT 1 FROM {} WHERE {} LIMIT 1", table.from, conditions.join(" OR ")))
}
