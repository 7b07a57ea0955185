//! Tables, views and queries as the catalogue has them now.

use std::collections::HashMap;
use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::Schema;
use sqlx::postgres::PgConnection;
use sqlx::{Column as _, Executor, Row, SqlSafeStr, Statement as _};

use super::super::fault;
use super::kind::Kind;
use crate::reading::database;
use crate::reading::wish::{Facts, Mode, Way, Wish};
use crate::sql::{assembled, quote};

/// What a row is called in statements: without it a name in ORDER BY would mean what comes out, not the column.
const ROW: &str = "r";

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) quoted: String,
    pub(super) kind: Kind,
    /// The type as it stands in a cast.
    pub(super) type_name: String,
    pub(super) nullable: bool,
    unique: bool,
}

/// What is read.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    name: String,
    number: Option<u32>,
    /// Whether writing to it takes a lock of it.
    is_table: bool,
    /// What follows FROM.
    pub(super) from: String,
    columns: Vec<Column>,
    chosen: Vec<usize>,
    primary_key: Vec<String>,
    schema: Arc<Schema>,
}

const TABLES: &str = "SELECT c.oid::int8, c.relname::text, c.relkind IN ('r', 'p') AS is_table
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname <> 'fairway_positions'
      AND (c.relname = ANY ($2) OR ($3 AND NOT c.relispartition)) ORDER BY 2";

const COLUMNS: &str =
    "SELECT a.attrelid::int8 AS relation, a.attname::text AS name, NOT a.attnotnull AS nullable,
        format_type(a.atttypid, -1) AS type_name, b.oid::int8 AS oid, b.typtype::text, b.typcategory::text,
        (SELECT array_position(i.indkey::int2[], a.attnum)::int4 FROM pg_index i
            WHERE i.indrelid = a.attrelid AND i.indisprimary) AS key_place,
        EXISTS (SELECT 1 FROM pg_index u WHERE u.indrelid = a.attrelid AND u.indisunique AND u.indisvalid
            AND u.indpred IS NULL AND u.indnkeyatts = 1 AND u.indkey[0] = a.attnum) AS is_unique
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        JOIN pg_type b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
    WHERE a.attrelid = ANY ($1::oid[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum";

const TYPES: &str =
    "SELECT t.oid::int8 AS asked, format_type(t.oid, -1) AS type_name, b.oid::int8 AS oid, b.typtype::text,
        b.typcategory::text FROM pg_type t JOIN pg_type b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
    WHERE t.oid = ANY ($1::oid[])";

impl Table {
    /// The columns that records have.
    pub(super) fn chosen(&self) -> impl Iterator<Item = &Column> {
        self.chosen.iter().map(|at| &self.columns[*at])
    }

    /// The column of this exact name.
    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The columns of these names.
    pub(super) fn columns_of<'t>(
        &'t self,
        names: impl Iterator<Item = &'t String>,
    ) -> Result<Vec<&'t Column>, Error> {
        names.map(|name| self.column(name).ok_or_else(|| self.no_column(name))).collect()
    }

    /// Its number, where writing to it takes a lock of it.
    pub(super) fn lockable(&self) -> Option<u32> {
        self.number.filter(|_| self.is_table)
    }

    /// Whether every column by which it is to be read is there, and fit for that.
    pub(super) fn check(&self, wish: &Wish, way: &Way) -> Result<(), Error> {
        self.columns_of(way.columns.iter().chain(&way.key))?;
        if let Some(column) = wish.by_time().and_then(|name| self.column(name))
            && !column.kind.is_time()
        {
            let what =
                format!("`{}` of `{}` is of type {}, not a time", column.name, self.name, column.type_name);
            return Err(Error::config("table.not_a_time", what)
                .help("name a column of type date, timestamp or timestamptz, or use mode `incrementing`"));
        }
        Ok(())
    }

    fn no_column(&self, name: &str) -> Error {
        let what = format!("`{}` has no column `{name}`", self.name);
        let almost = self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        Error::outage("table.no_column", what).help(match almost {
            Some(column) => format!("did you mean `{}`?", column.name),
            None => "correct the name, or add the column; it is looked for again by itself".to_owned(),
        })
    }

    fn choose(mut self, wish: &Wish) -> Result<Self, Error> {
        if !wish.columns.is_empty() {
            let find = |name: &String| {
                self.columns
                    .iter()
                    .position(|column| column.name == *name)
                    .ok_or_else(|| self.no_column(name))
            };
            self.chosen = wish.columns.iter().map(find).collect::<Result<_, _>>()?;
        }
        let fields: Vec<_> =
            self.chosen().map(|column| (column.name.as_str(), Some(column.kind.ty()))).collect();
        let schema = Schema::new(fields).map_err(|error| {
            Error::config("table.same_name_twice", format!("`{}`: {error}", self.name))
                .help("give each column of the query a name of its own")
        })?;
        self.schema = Arc::new(schema);
        Ok(self)
    }
}

impl Facts for Table {
    fn name(&self) -> &str {
        &self.name
    }

    fn primary_key(&self) -> Vec<String> {
        self.primary_key.clone()
    }

    fn is_unique(&self, column: &str) -> bool {
        self.column(column).is_some_and(|column| column.unique)
    }

    fn is_whole_number(&self, column: &str) -> bool {
        self.column(column).is_some_and(|column| column.kind.is_whole_number())
    }
}

impl database::Table for Table {
    fn number(&self) -> Option<u32> {
        self.number
    }

    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

/// The tables that are meant.
pub(super) async fn list(
    connection: &mut PgConnection,
    schema: &str,
    wish: &Wish,
) -> Result<Vec<Table>, Error> {
    if let (Mode::Query, Some(query)) = (wish.mode, &wish.query) {
        return Ok(vec![of_query(connection, query).await?.choose(wish)?]);
    }
    let failed = |error| fault::of_target(error, "the tables cannot be listed");
    let exact: Vec<&str> = wish.names.exact().collect();
    let found: Vec<(i64, String, bool)> = sqlx::query_as(TABLES)
        .bind(schema)
        .bind(&exact)
        .bind(wish.names.are_many())
        .fetch_all(&mut *connection)
        .await
        .map_err(failed)?;
    if let Some(missing) = exact.iter().find(|name| !found.iter().any(|(_, found, _)| found == *name)) {
        let what = format!("there is no table `{missing}` in the schema `{schema}`");
        return Err(Error::outage("postgres.no_table", what).help(
            "correct the name, letter by letter, or create the table; it is looked for again by itself",
        ));
    }
    let mut tables: HashMap<i64, Table> = HashMap::new();
    for (number, name, is_table) in found.into_iter().filter(|(_, name, _)| wish.names.has(name)) {
        let (schema, quoted) = (quote(schema).unwrap_or_default(), quote(&name).unwrap_or_default());
        let from = format!("{schema}.{quoted} AS {ROW}");
        // Numbers of the catalogue have 32 bits.
        let mut table = empty(name, from);
        (table.number, table.is_table) = (u32::try_from(number).ok(), is_table);
        tables.insert(number, table);
    }
    let numbers: Vec<i64> = tables.keys().copied().collect();
    let rows = sqlx::query(COLUMNS).bind(&numbers).fetch_all(connection).await.map_err(failed)?;
    let mut keys: HashMap<i64, Vec<(i32, String)>> = HashMap::new();
    for row in rows {
        let relation: i64 = row.try_get("relation").map_err(failed)?;
        let Some(table) = tables.get_mut(&relation) else { continue };
        let mut column = column(&row).map_err(failed)?;
        column.nullable = row.try_get("nullable").map_err(failed)?;
        column.unique = row.try_get("is_unique").map_err(failed)?;
        if let Some(place) = row.try_get::<Option<i32>, _>("key_place").map_err(failed)? {
            keys.entry(relation).or_default().push((place, column.name.clone()));
        }
        table.columns.push(column);
    }
    let mut list = Vec::new();
    for (number, mut table) in tables {
        let mut key = keys.remove(&number).unwrap_or_default();
        key.sort();
        table.primary_key = key.into_iter().map(|(_, name)| name).collect();
        table.chosen = (0..table.columns.len()).collect();
        list.push(table.choose(wish)?);
    }
    list.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(list)
}

/// A column in a statement. Names of the catalogue hold no NUL.
fn qualified(name: &str) -> String {
    format!("{ROW}.{}", quote(name).unwrap_or_default())
}

fn empty(name: String, from: String) -> Table {
    Table {
        name,
        number: None,
        is_table: false,
        from,
        columns: Vec::new(),
        chosen: Vec::new(),
        primary_key: Vec::new(),
        schema: Arc::default(),
    }
}

/// A column with the type that a row of the catalogue says.
fn column(row: &sqlx::postgres::PgRow) -> Result<Column, sqlx::Error> {
    let name: String = row.try_get("name")?;
    let oid: i64 = row.try_get("oid")?;
    let (typtype, category): (String, String) = (row.try_get("typtype")?, row.try_get("typcategory")?);
    Ok(Column {
        quoted: qualified(&name),
        name,
        kind: Kind::of(u32::try_from(oid).unwrap_or(0), &typtype, &category),
        type_name: row.try_get("type_name")?,
        nullable: true,
        unique: false,
    })
}

async fn of_query(connection: &mut PgConnection, query: &str) -> Result<Table, Error> {
    let query = query.trim().trim_end_matches(';');
    // A comment at the end must not swallow the bracket.
    let from = format!("({query}\n) AS {ROW}");
    let sql = assembled(format!("SELECT * FROM {from}")).into_sql_str();
    let statement = (&mut *connection).prepare(sql).await.map_err(|error| {
        let what = "the query cannot be asked";
        match fault::sqlstate(&error) {
            // A table that is missing may come.
            Some(code) if code.starts_with("42") && !matches!(code, "42P01" | "42501") => {
                Error::config("table.bad_query", what)
                    .help("write one SELECT statement, and see what PostgreSQL says about it")
                    .source(error)
            }
            _ => fault::of_target(error, what),
        }
    })?;
    let oids: Vec<i64> = statement
        .columns()
        .iter()
        .map(|column| column.type_info().oid().map_or(0, |oid| i64::from(oid.0)))
        .collect();
    let failed = |error| fault::of_target(error, "the types of the query cannot be looked up");
    let rows = sqlx::query(TYPES).bind(&oids).fetch_all(connection).await.map_err(failed)?;
    let mut table = empty("query".to_owned(), from);
    for (found, oid) in statement.columns().iter().zip(&oids) {
        let name = found.name().to_owned();
        let mut kind = (Kind::AsText, "text".to_owned());
        for row in &rows {
            if row.try_get::<i64, _>("asked").map_err(failed)? == *oid {
                let base: i64 = row.try_get("oid").map_err(failed)?;
                let typtype: String = row.try_get("typtype").map_err(failed)?;
                let category: String = row.try_get("typcategory").map_err(failed)?;
                let of = Kind::of(u32::try_from(base).unwrap_or(0), &typtype, &category);
                kind = (of, row.try_get("type_name").map_err(failed)?);
            }
        }
        let quoted = qualified(&name);
        let (kind, type_name) = kind;
        table.columns.push(Column { name, quoted, kind, type_name, nullable: true, unique: false });
    }
    table.chosen = (0..table.columns.len()).collect();
    Ok(table)
}
