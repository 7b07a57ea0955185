//! Values as SQLite holds them. What counts is the value, not the declared type of its column: SQLite keeps any value in any
//! column. Only where a column is declared BOOLEAN are 0 and 1 read as false and true.

use fairway_engine::Error;
use fairway_engine::data::{BatchBuilder, Full, RecordError, Ref, Value};
use sqlx::sqlite::{SqliteRow, SqliteValueRef};
use sqlx::{Arguments as _, Decode, Row, Sqlite, TypeInfo as _, ValueRef as _};

use super::Arguments;
use super::table::Column;

/// A value where it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'r> {
    Null,
    Int(i64),
    Real(f64),
    /// Usually UTF-8; SQLite does not see to it.
    Text(&'r [u8]),
    Blob(&'r [u8]),
}

impl Cell<'_> {
    /// How much memory it takes beside itself.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Text(bytes) | Self::Blob(bytes) => bytes.len(),
            Self::Null | Self::Int(_) | Self::Real(_) => 0,
        }
    }
}

/// The value of a row at an index.
pub(super) fn cell(row: &SqliteRow, at: usize) -> Cell<'_> {
    let Ok(value) = row.try_get_raw(at) else { return Cell::Null };
    if value.is_null() {
        return Cell::Null;
    }
    let kind = value.type_info().into_owned();
    match kind.name() {
        "INTEGER" => decode(value).map_or(Cell::Null, Cell::Int),
        "REAL" => decode(value).map_or(Cell::Null, Cell::Real),
        "TEXT" => decode(value).map_or(Cell::Null, Cell::Text),
        _ => decode(value).map_or(Cell::Null, Cell::Blob),
    }
}

/// Reads a value as what it is: that never fails, since SQLite said before what it is.
fn decode<'r, T: Decode<'r, Sqlite>>(value: SqliteValueRef<'r>) -> Option<T> {
    T::decode(value).ok()
}

/// Puts a value into a batch; answers what is wrong with it.
pub(super) fn push(
    row: &SqliteRow,
    at: usize,
    column: &Column,
    slot: usize,
    builder: &mut BatchBuilder,
) -> Result<Option<RecordError>, Full> {
    let value = match cell(row, at) {
        Cell::Null => Ref::Null,
        Cell::Int(value @ (0 | 1)) if column.is_bool => Ref::Bool(value == 1),
        Cell::Int(value) => Ref::I64(value),
        Cell::Real(value) => Ref::F64(value),
        Cell::Blob(bytes) => Ref::Bytes(bytes),
        Cell::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ref::Str(text),
            Err(_) => {
                builder.push(slot, Ref::Bytes(bytes))?;
                let what = "the text is not UTF-8; it was kept as bytes";
                return Ok(Some(RecordError::in_field("table.not_utf8", &*column.name, what)));
            }
        },
    };
    builder.push(slot, value)?;
    Ok(None)
}

/// A value for a record's key.
pub(super) fn owned(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(value) => Value::I64(value),
        Cell::Real(value) => Value::F64(value),
        Cell::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Str(text.to_owned()),
            Err(_) => Value::Bytes(bytes.to_vec()),
        },
        Cell::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

/// A value of a cursor, exactly: its kind in one letter, then the value.
pub(super) fn as_text(cell: Cell<'_>) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match cell {
        Cell::Null => "n".to_owned(),
        Cell::Int(value) => format!("i{value}"),
        Cell::Real(value) => format!("r{value:?}"),
        Cell::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => format!("t{text}"),
            Err(_) => format!("b{}", hex(bytes)),
        },
        Cell::Blob(bytes) => format!("b{}", hex(bytes)),
    }
}

/// Binds a value of a cursor; one without a letter is a whole number.
pub(super) fn bind(text: &str, arguments: &mut Arguments) -> Result<(), Error> {
    let bad = || {
        Error::hold("table.bad_position", "the stored position is not that of this table")
            .help("start the source over")
    };
    let added = match (text.as_bytes().first(), text.get(1..)) {
        (Some(b'i'), Some(rest)) => arguments.add(rest.parse::<i64>().map_err(|_| bad())?),
        (Some(b'r'), Some(rest)) => arguments.add(rest.parse::<f64>().map_err(|_| bad())?),
        (Some(b't'), Some(rest)) => arguments.add(rest.to_owned()),
        (Some(b'b'), Some(rest)) => {
            let digit = |at: usize| u8::from_str_radix(rest.get(at..at + 2).unwrap_or_default(), 16);
            let bytes = (0..rest.len()).step_by(2).map(digit).collect::<Result<Vec<u8>, _>>();
            arguments.add(bytes.map_err(|_| bad())?)
        }
        _ => arguments.add(text.parse::<i64>().map_err(|_| bad())?),
    };
    added.map_err(|_| bad())
}
