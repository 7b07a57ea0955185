//! A table and its columns: as SQLite has them, and as they will be once what is planned is made.
//!
//! SQLite does not tell ASCII letters of different case apart, quoted or not. Fairway does (G12): a name that differs
//! from a known one in nothing else is never taken for it.

use std::collections::HashMap;

use fairway_engine::Error;
use fairway_engine::data::Ref;
use fairway_shared::types::Type;
use sqlx::SqliteConnection;

use super::fault;
use crate::sql::{NulInName, quote};

/// Most columns of a table in SQLite as it is usually built.
const MOST_COLUMNS: usize = 2000;

/// What SQLite does to values of a column (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Affinity {
    /// Numbers become text.
    Text,
    /// What looks like a number becomes one, whole if it can.
    Numeric,
    /// Like `Numeric`, floats of any size included.
    Real,
    /// Values stay as they are.
    None,
}

impl Affinity {
    fn of(declared: &str, strict: bool) -> Self {
        let declared = declared.to_ascii_uppercase();
        let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
        if has(&["INT"]) {
            Self::Numeric
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if declared.is_empty() || has(&["BLOB"]) || (strict && declared == "ANY") {
            Self::None
        } else if has(&["REAL", "FLOA", "DOUB"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }
}

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The name as an identifier.
    pub(crate) quoted: String,
    pub(crate) affinity: Affinity,
    /// Whether leaving it out means something else than null.
    pub(crate) has_default: bool,
    /// Whether SQLite computes it itself.
    pub(crate) generated: bool,
    declared: &'static str,
}

/// What a name is in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// The column at this index.
    Column(usize),
    /// No column, but the one at this index differs in the case of letters only.
    AlmostColumn(usize),
    /// Nothing like a column.
    Nothing,
}

/// A table.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) quoted: String,
    pub(crate) exists: bool,
    pub(crate) columns: Vec<Column>,
    strict: bool,
    /// Columns by name in lower case.
    index: HashMap<String, usize>,
    /// How many columns there are already; those behind are planned.
    made: usize,
}

impl Table {
    /// Looks the table up.
    pub(crate) async fn load(connection: &mut SqliteConnection, name: &str) -> Result<Self, Error> {
        let quoted = quote(name).map_err(|NulInName| {
            Error::config("sqlite.bad_name", format!("{name:?} cannot be the name of a table"))
        })?;
        let failed = |error| fault::of_target(error, &format!("the table `{name}` cannot be looked up"));
        let known: Vec<(String, bool, String)> = sqlx::query_as(
            "SELECT name, strict, type FROM pragma_table_list WHERE schema = 'main' AND name = ?1 COLLATE NOCASE",
        )
        .bind(name)
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
        let mut table = Self {
            quoted,
            exists: false,
            columns: Vec::new(),
            strict: false,
            index: HashMap::new(),
            made: 0,
        };
        let Some((real, strict, kind)) = known.into_iter().next() else { return Ok(table) };
        if real != name {
            let what = format!("the file has a table `{real}`, which SQLite does not tell from `{name}`");
            return Err(
                Error::config("sqlite.almost_table", what).help(format!("write `{real}`, or another name"))
            );
        }
        if !matches!(kind.as_str(), "table" | "virtual") {
            let what = format!("`{name}` is no table that rows can be written into, but a {kind}");
            return Err(
                Error::config("sqlite.not_a_table", what).help("name the table behind it, or another one")
            );
        }
        let columns: Vec<(String, String, bool, i64)> =
            sqlx::query_as("SELECT name, type, dflt_value IS NOT NULL, hidden FROM pragma_table_xinfo(?1)")
                .bind(name)
                .fetch_all(connection)
                .await
                .map_err(failed)?;
        (table.exists, table.strict) = (true, strict);
        for (name, declared, has_default, hidden) in columns {
            let affinity = Affinity::of(&declared, strict);
            // 1 is a hidden column of a virtual table; 2 and 3 are computed ones.
            table.push(&name, affinity, has_default, hidden > 1, "");
        }
        table.made = table.columns.len();
        Ok(table)
    }

    /// What a name is in this table.
    pub(crate) fn find(&self, name: &str) -> Found {
        match self.index.get(&name.to_ascii_lowercase()) {
            Some(at) if self.columns[*at].name == name => Found::Column(*at),
            Some(at) => Found::AlmostColumn(*at),
            None => Found::Nothing,
        }
    }

    /// Plans a column that is not there yet, fit for a field of this type or, when none is declared, for this value.
    /// `false` when there is no room for it or the name cannot be one.
    pub(crate) fn plan(&mut self, name: &str, ty: Option<Type>, value: Ref<'_>) -> bool {
        if self.columns.len() >= MOST_COLUMNS || name.contains('\0') {
            return false;
        }
        let declared = match ty.map_or_else(|| declared_for_value(value), declared_for_type) {
            "" if self.strict => "ANY",
            other => other,
        };
        self.push(name, Affinity::of(declared, self.strict), false, false, declared);
        true
    }

    /// Statements that make what is planned.
    pub(crate) fn making(&self, key: &[String]) -> Vec<String> {
        let is_key = |column: &Column| key.contains(&column.name);
        let define = |column: &Column| {
            let declared = if column.declared.is_empty() { "" } else { " " };
            let not_null = if is_key(column) && !self.exists { " NOT NULL" } else { "" };
            format!("{}{declared}{}{not_null}", column.quoted, column.declared)
        };
        let planned = &self.columns[self.made..];
        if self.exists {
            let add = |column| format!("ALTER TABLE {} ADD COLUMN {}", self.quoted, define(column));
            return planned.iter().map(add).collect();
        }
        if planned.is_empty() {
            return Vec::new();
        }
        let mut parts: Vec<String> = planned.iter().map(define).collect();
        let keys: Vec<&str> =
            key.iter().filter_map(|name| Some(&*planned.iter().find(|c| c.name == *name)?.quoted)).collect();
        if !keys.is_empty() {
            parts.push(format!("PRIMARY KEY ({})", keys.join(", ")));
        }
        vec![format!("CREATE TABLE {} ({})", self.quoted, parts.join(", "))]
    }

    /// The table once what is planned is made.
    pub(crate) fn made(mut self) -> Self {
        self.exists |= !self.columns.is_empty();
        self.made = self.columns.len();
        self
    }

    fn push(
        &mut self,
        name: &str,
        affinity: Affinity,
        has_default: bool,
        generated: bool,
        declared: &'static str,
    ) {
        // Names come from the catalogue, which has no NUL, or from `plan`, which refuses it.
        let Ok(quoted) = quote(name) else { return };
        self.index.insert(name.to_ascii_lowercase(), self.columns.len());
        self.columns.push(Column {
            name: name.to_owned(),
            quoted,
            affinity,
            has_default,
            generated,
            declared,
        });
    }
}

/// Decimals and whole numbers beyond 64 signed bits are text: SQLite's own numbers would lose digits (G1).
fn declared_for_type(ty: Type) -> &'static str {
    match ty {
        Type::Bool | Type::Int64 => "INTEGER",
        Type::Float64 => "REAL",
        Type::Bytes => "BLOB",
        Type::Uint64
        | Type::Decimal
        | Type::String
        | Type::Date
        | Type::Time
        | Type::Timestamp
        | Type::Uuid
        | Type::Json
        | Type::List
        | Type::Map => "TEXT",
    }
}

/// Null says nothing about a type, and a column without a type keeps every value as it is.
fn declared_for_value(value: Ref<'_>) -> &'static str {
    value.kind().parse().map_or("", declared_for_type)
}
