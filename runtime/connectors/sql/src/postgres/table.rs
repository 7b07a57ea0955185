//! A table and its columns: as the server has them, and as they will be once what is planned is made.

use std::collections::HashMap;

use fairway_engine::Error;
use fairway_engine::data::Ref;
use fairway_shared::types::Type;
use sqlx::PgConnection;

use super::fault;
use super::kind::{Kind, declared, kind_of_declared};
use crate::sql::{NulInName, quote};

/// Most columns of a table.
const MOST_COLUMNS: usize = 1600;
/// Bytes of a name; PostgreSQL cuts off the rest silently, and names that begin alike would become one (G12).
const NAME_BYTES: usize = 63;
/// Columns that every table has and no user can make.
const SYSTEM: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

const COLUMNS: &str = "SELECT a.attname::text,
        a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL, a.attgenerated <> '',
        CASE WHEN b.typnamespace = 'pg_catalog'::regnamespace THEN b.typname::text ELSE '' END,
        CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END,
        CASE WHEN e.typnamespace = 'pg_catalog'::regnamespace THEN e.typname::text WHEN e.oid IS NOT NULL THEN '' END
    FROM pg_attribute a
    JOIN pg_type t ON t.oid = a.atttypid
    JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
    LEFT JOIN pg_type e ON e.oid = b.typelem AND b.typcategory = 'A'
    WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum";

/// A table by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableName {
    pub(super) schema: String,
    pub(super) table: String,
    /// Both as identifiers, with the dot between them.
    pub(super) quoted: String,
}

impl TableName {
    pub(super) fn new(schema: &str, table: &str) -> Result<Self, Error> {
        let bad = |name: &str, why: &str| Error::config("postgres.bad_name", format!("{name:?} {why}"));
        for name in [schema, table] {
            if name.len() > NAME_BYTES {
                return Err(bad(name, "is longer than the 63 bytes that PostgreSQL keeps of a name"));
            }
        }
        let quoted = |name| quote(name).map_err(|NulInName| bad(name, "cannot be a name"));
        let both = format!("{}.{}", quoted(schema)?, quoted(table)?);
        Ok(Self { schema: schema.to_owned(), table: table.to_owned(), quoted: both })
    }
}

impl std::fmt::Display for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.schema, self.table)
    }
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// The name as an identifier.
    pub(super) quoted: String,
    pub(super) kind: Kind,
    /// Whether leaving it out means something else than null.
    pub(super) has_default: bool,
    /// Whether the server computes it itself.
    pub(super) generated: bool,
    /// The type that it is made with, where it is planned.
    declared: &'static str,
}

/// A table.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: TableName,
    pub(super) exists: bool,
    /// Whether policies for rows hold for this user: the server then refuses COPY into it.
    pub(super) bars_copy: bool,
    /// Whether rules rewrite statements on it: they do so for INSERT, not for COPY.
    pub(super) has_rules: bool,
    pub(super) columns: Vec<Column>,
    index: HashMap<String, usize>,
    /// How many columns there are already; those behind are planned.
    made: usize,
}

impl Table {
    /// Looks the table up.
    ///
    /// # Errors
    /// Kind `Config` for what rows cannot be kept in.
    pub(super) async fn load(connection: &mut PgConnection, name: &TableName) -> Result<Self, Error> {
        let failed = |error| fault::of_target(error, &format!("the table `{name}` cannot be looked up"));
        let mut table = Self {
            name: name.clone(),
            exists: false,
            bars_copy: false,
            has_rules: false,
            columns: Vec::new(),
            index: HashMap::new(),
            made: 0,
        };
        let found: Option<(i64, String, String, bool, bool)> = sqlx::query_as(
            "SELECT c.oid::bigint, c.relkind::text, c.relpersistence::text, row_security_active(c.oid),
                c.relhasrules
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c')",
        )
        .bind(&name.schema)
        .bind(&name.table)
        .fetch_optional(&mut *connection)
        .await
        .map_err(failed)?;
        let Some((oid, kind, persistence, bars_copy, has_rules)) = found else { return Ok(table) };
        if !matches!(kind.as_str(), "r" | "p") {
            let what =
                format!("`{name}` is no table that rows can be written into: it is a view or something else");
            return Err(
                Error::config("postgres.not_a_table", what).help("name the table behind it, or another one")
            );
        }
        if persistence == "u" {
            let what = format!("`{name}` is UNLOGGED: a crash of the server empties it");
            return Err(Error::config("postgres.unlogged", what)
                .help("run ALTER TABLE … SET LOGGED, or name another table"));
        }
        (table.exists, table.bars_copy, table.has_rules) = (true, bars_copy, has_rules);
        let columns: Vec<(String, bool, bool, String, i32, Option<String>)> =
            sqlx::query_as(COLUMNS).bind(oid).fetch_all(connection).await.map_err(failed)?;
        for (name, has_default, generated, ty, modifier, element) in columns {
            let kind = match element {
                Some(element) => Kind::Array(Box::new(Kind::of(&element, modifier))),
                None => Kind::of(&ty, modifier),
            };
            table.push(&name, kind, has_default && !generated, generated, "");
        }
        table.made = table.columns.len();
        Ok(table)
    }

    /// The column of exactly this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Why no column can have this name.
    pub(super) fn bars(name: &str) -> Option<&'static str> {
        match name {
            _ if name.contains('\0') => Some("a column's name cannot hold U+0000; rename the field"),
            _ if name.len() > NAME_BYTES => {
                Some("PostgreSQL keeps 63 bytes of a column's name, and this is longer; rename the field")
            }
            "" => Some("a column cannot be without a name; rename the field"),
            _ if SYSTEM.contains(&name) => Some("PostgreSQL keeps this name for itself; rename the field"),
            _ => None,
        }
    }

    /// Plans a column that is not there yet, fit for a field of this type or, when none is declared, for this value;
    /// `text` for a null that says nothing. `false` when there is no room for it.
    pub(super) fn plan(&mut self, name: &str, ty: Option<Type>, value: Ref<'_>) -> bool {
        if self.columns.len() >= MOST_COLUMNS {
            return false;
        }
        let declared = declared(ty, value).unwrap_or("text");
        self.push(name, kind_of_declared(declared), false, false, declared);
        true
    }

    /// Statements that make what is planned.
    pub(super) fn making(&self, key: &[String]) -> Vec<String> {
        let planned = &self.columns[self.made..];
        let define = |column: &Column| format!("{} {}", column.quoted, column.declared);
        let table = &self.name.quoted;
        if self.exists {
            let add = |column| format!("ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {}", define(column));
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
        vec![format!("CREATE TABLE {table} ({})", parts.join(", "))]
    }

    /// The table once what is planned is made.
    pub(super) fn made(mut self) -> Self {
        self.exists |= !self.columns.is_empty();
        self.made = self.columns.len();
        self
    }

    fn push(&mut self, name: &str, kind: Kind, has_default: bool, generated: bool, declared: &'static str) {
        // Names come from the catalogue, which has no NUL, or passed `bars`.
        let Ok(quoted) = quote(name) else { return };
        self.index.insert(name.to_owned(), self.columns.len());
        self.columns.push(Column { name: name.to_owned(), quoted, kind, has_default, generated, declared });
    }
}
