//! The text of what is asked. `COPY` takes no placeholders, so values of cursors stand in it as literals with their type.

use std::fmt::Write as _;

use fairway_engine::Error;

use super::table::{Column, Table};
use crate::reading::database::{Ask, Lower};
use crate::reading::wish::{Orders, Way};
use crate::sql::literal;

/// Rows of a table: first the cursor columns (the number itself, or the text of each), then the time where there is an
/// overlap, then the columns of the key, then those of records, and last which of these has more than `most` bytes and was
/// left out.
pub(super) fn copy(
    table: &Table,
    way: &Way,
    ask: &Ask<'_>,
    overlap_us: i64,
    most: usize,
) -> Result<String, Error> {
    let cursor: Vec<&Column> = table.columns_of(way.columns.iter())?;
    let names: Vec<&str> = cursor.iter().map(|column| column.quoted.as_str()).collect();
    let mut parts: Vec<String> = Vec::new();
    for column in &cursor {
        let form = if way.orders == Orders::Value { "int8" } else { "text" };
        parts.push(format!("{}::{form}", column.quoted));
    }
    if overlap_us > 0
        && let Some(time) = names.first()
    {
        parts.push(format!(
            "CASE WHEN isfinite({time}) THEN (extract(epoch FROM {time}) * 1000000)::int8 ELSE {} END",
            i64::MAX
        ));
    }
    for column in table.columns_of(way.key.iter())? {
        parts.push(column.kind.expression(&column.quoted));
    }
    let mut left_out = String::new();
    for (at, column) in table.chosen().enumerate() {
        let expression = column.kind.expression(&column.quoted);
        parts.push(match column.kind.is_longer(&column.quoted, most) {
            None => expression,
            Some(condition) => {
                write!(left_out, " WHEN {condition} THEN {at}").expect("writing to a text");
                format!("CASE WHEN {condition} THEN NULL ELSE {expression} END")
            }
        });
    }
    parts.push(match left_out.is_empty() {
        true => "NULL::int4".to_owned(),
        false => format!("(CASE{left_out} END)::int4"),
    });
    let mut conditions = Vec::new();
    match &ask.lower {
        Lower::Start => {}
        Lower::Behind(values) => conditions.push(compare(&cursor, ">", values)?),
        Lower::From(value) => {
            let value = std::slice::from_ref(value);
            let mut condition = compare(&cursor[..1], ">=", value)?;
            if overlap_us > 0 {
                write!(condition, " - interval '{overlap_us} microseconds'").expect("writing to a text");
            }
            conditions.push(condition);
        }
    }
    if let Some(end) = ask.end {
        conditions.push(compare(&cursor, "<=", end)?);
    }
    if let Some(upper) = ask.upper {
        conditions.push(compare(&cursor[..1], "<=", &[upper.to_owned()])?);
    }
    let nullable = cursor.iter().filter(|column| column.nullable);
    conditions.extend(nullable.map(|column| format!("{} IS NOT NULL", column.quoted)));
    let mut sql = format!("COPY (SELECT {} FROM {}", parts.join(", "), table.from);
    if !conditions.is_empty() {
        write!(sql, " WHERE {}", conditions.join(" AND ")).expect("writing to a text");
    }
    if !names.is_empty() {
        write!(sql, " ORDER BY {}", names.join(", ")).expect("writing to a text");
    }
    if let Some(limit) = ask.limit {
        write!(sql, " LIMIT {limit}").expect("writing to a text");
    }
    sql.push_str(") TO STDOUT (FORMAT binary)");
    Ok(sql)
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

/// `(a, b) > ('x'::text, '2'::integer)`.
fn compare(columns: &[&Column], sign: &str, values: &[String]) -> Result<String, Error> {
    if columns.len() != values.len() {
        return Err(bad_position());
    }
    let values = columns.iter().zip(values).map(|(column, value)| typed(column, value));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = columns.iter().map(|column| column.quoted.as_str()).collect();
    Ok(match (&*names, &*values) {
        ([name], [value]) => format!("{name} {sign} {value}"),
        _ => format!("({}) {sign} ({})", names.join(", "), values.join(", ")),
    })
}

/// A value of a cursor column.
pub(super) fn typed(column: &Column, value: &str) -> Result<String, Error> {
    Ok(format!("{}::{}", literal(value).map_err(|_| bad_position())?, column.type_name))
}

fn bad_position() -> Error {
    Error::hold("table.bad_position", "the stored position is not that of this table")
        .help("start the source over")
}
