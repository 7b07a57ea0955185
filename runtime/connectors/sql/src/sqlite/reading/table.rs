//! Tables, views and queries as SQLite's catalogue has them now.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::Schema;
use fairway_shared::component::{Choice, Probe};
use fairway_shared::types::Type;
use sqlx::{Column as _, Executor, SqlSafeStr, SqliteConnection, Statement as _};

use super::super::fault;
use crate::reading::database;
use crate::reading::wish::{Facts, Mode, Way, Wish};
use crate::sql::{NulInName, assembled, quote};

/// The row number that every table has unless it says otherwise.
const ROWID: &str = "rowid";

/// A column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) quoted: String,
    /// Whether 0 and 1 mean false and true.
    pub(crate) is_bool: bool,
    pub(crate) nullable: bool,
    declared: String,
}

/// What is read.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    name: String,
    /// What follows FROM.
    pub(crate) from: String,
    pub(crate) columns: Vec<Column>,
    /// Indexes of the columns that records have.
    chosen: Vec<usize>,
    primary_key: Vec<String>,
    /// Columns that are another name of the row number, and the row number itself.
    row_numbers: Vec<String>,
    unique: Vec<String>,
    schema: Arc<Schema>,
}

impl Table {
    /// The columns that records have.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = &Column> {
        self.chosen.iter().map(|at| &self.columns[*at])
    }

    /// The column of this exact name.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The name as it stands in a statement.
    pub(crate) fn expression(&self, name: &str) -> Result<String, Error> {
        match self.column(name) {
            Some(column) => Ok(column.quoted.clone()),
            None if name == ROWID && self.row_numbers.iter().any(|known| known == ROWID) => {
                Ok(ROWID.to_owned())
            }
            None => Err(self.no_column(name)),
        }
    }

    /// Whether every column by which it is to be read is there.
    pub(crate) fn check(&self, way: &Way) -> Result<(), Error> {
        way.columns.iter().chain(&way.key).try_for_each(|name| self.expression(name).map(drop))
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
        let fields: Vec<(&str, Option<Type>)> = self
            .chosen()
            .map(|column| (column.name.as_str(), column.is_bool.then_some(Type::Bool)))
            .collect();
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
        self.row_numbers.iter().chain(&self.unique).any(|unique| unique == column)
    }

    fn is_whole_number(&self, column: &str) -> bool {
        self.row_numbers.iter().any(|number| number == column)
    }
}

impl database::Table for Table {
    fn number(&self) -> Option<u32> {
        None
    }

    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

/// The tables that are meant.
pub(super) async fn list(connection: &mut SqliteConnection, wish: &Wish) -> Result<Vec<Table>, Error> {
    if let (Mode::Query, Some(query)) = (wish.mode, &wish.query) {
        return Ok(vec![of_query(connection, query).await?.choose(wish)?]);
    }
    let failed = |error| fault::of_target(error, "the tables of the file cannot be listed");
    let found: Vec<(String, bool, bool)> = sqlx::query_as(
        "SELECT name, type = 'view', wr FROM pragma_table_list
         WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
           AND name <> 'fairway_positions' ORDER BY name",
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(failed)?;
    if let Some(missing) = wish.names.exact().find(|name| !found.iter().any(|(found, ..)| found == name)) {
        let almost = found.iter().find(|(found, ..)| found.eq_ignore_ascii_case(missing));
        let help = match almost {
            Some((found, ..)) => format!("did you mean `{found}`?"),
            None => "correct the name, or create the table; it is looked for again by itself".to_owned(),
        };
        return Err(Error::outage("sqlite.no_table", format!("there is no table `{missing}`")).help(help));
    }
    let mut tables = Vec::new();
    for (name, is_view, without_rowid) in found.into_iter().filter(|(name, ..)| wish.names.has(name)) {
        let loaded = load(connection, name, is_view, without_rowid).await.map_err(failed)?;
        // Dropped just now, if it has none.
        if !loaded.columns.is_empty() {
            tables.push(loaded.choose(wish)?);
        }
    }
    Ok(tables)
}

/// A column of the catalogue: name, declared type, whether null is barred, place in the key from 1.
type Declared = (String, String, bool, i64);

async fn load(
    connection: &mut SqliteConnection,
    name: String,
    is_view: bool,
    without_rowid: bool,
) -> Result<Table, sqlx::Error> {
    let columns: Vec<Declared> =
        sqlx::query_as("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1")
            .bind(&name)
            .fetch_all(&mut *connection)
            .await?;
    let indexes: Vec<(String, String)> = sqlx::query_as(
        "SELECT l.origin, i.name FROM pragma_index_list(?1) l, pragma_index_info(l.name) i
         WHERE l.\"unique\" AND NOT l.partial AND i.name IS NOT NULL
           AND (SELECT count(*) FROM pragma_index_info(l.name)) = 1",
    )
    .bind(&name)
    .fetch_all(connection)
    .await?;
    let mut key: Vec<(i64, &Declared)> =
        columns.iter().filter(|column| column.3 > 0).map(|column| (column.3, column)).collect();
    key.sort_by_key(|(at, _)| *at);
    let has_rowid = !is_view && !without_rowid;
    let mut row_numbers = Vec::new();
    // An INTEGER PRIMARY KEY is the row number itself, and then has no index.
    if let [(_, (name, declared, ..))] = &*key
        && has_rowid
        && declared.eq_ignore_ascii_case("INTEGER")
        && !indexes.iter().any(|(origin, _)| origin == "pk")
    {
        row_numbers.push(name.clone());
    }
    // Elsewhere SQLite lets key columns be null, and such rows would have no place.
    let is_sound = !key.is_empty()
        && (without_rowid || !row_numbers.is_empty() || key.iter().all(|(_, column)| column.2));
    let mut primary_key: Vec<String> = key.iter().map(|(_, column)| column.0.clone()).collect();
    if !is_sound {
        primary_key.clear();
        if has_rowid && !columns.iter().any(|column| column.0.eq_ignore_ascii_case(ROWID)) {
            primary_key.push(ROWID.to_owned());
            row_numbers.push(ROWID.to_owned());
        }
    }
    // Names of the catalogue hold no NUL.
    let from = quote(&name).unwrap_or_default();
    let is_key = |column: &str| row_numbers.iter().any(|number| number == column);
    let columns: Vec<Column> = columns
        .into_iter()
        .map(|(name, declared, not_null, _)| Column {
            quoted: quote(&name).unwrap_or_default(),
            is_bool: declared.eq_ignore_ascii_case("BOOLEAN") || declared.eq_ignore_ascii_case("BOOL"),
            nullable: !not_null && !is_key(&name),
            name,
            declared,
        })
        .collect();
    Ok(Table {
        chosen: (0..columns.len()).collect(),
        name,
        from,
        columns,
        primary_key,
        row_numbers,
        unique: indexes.into_iter().map(|(_, column)| column).collect(),
        schema: Arc::default(),
    })
}

async fn of_query(connection: &mut SqliteConnection, query: &str) -> Result<Table, Error> {
    let query = query.trim().trim_end_matches(';');
    // A comment at the end must not swallow the bracket.
    let from = format!("({query}\n) AS \"query\"");
    let sql = assembled(format!("SELECT * FROM {from}")).into_sql_str();
    let statement = connection.prepare(sql).await.map_err(|error| {
        Error::config("table.bad_query", "the query cannot be asked")
            .help("write one SELECT statement, and see what SQLite says about it")
            .source(error)
    })?;
    let column = |name: &str| {
        let bad = |NulInName| Error::config("table.bad_query", "a column of the query has no usable name");
        Ok(Column {
            name: name.to_owned(),
            quoted: quote(name).map_err(bad)?,
            is_bool: false,
            nullable: true,
            declared: String::new(),
        })
    };
    let columns: Vec<Column> =
        statement.columns().iter().map(|found| column(found.name())).collect::<Result<_, Error>>()?;
    Ok(Table {
        name: "query".to_owned(),
        from,
        chosen: (0..columns.len()).collect(),
        columns,
        primary_key: Vec::new(),
        row_numbers: Vec::new(),
        unique: Vec::new(),
        schema: Arc::default(),
    })
}

/// Tables, and the columns of one of them.
pub(super) async fn probe(
    connection: &mut SqliteConnection,
    chosen: Option<&str>,
) -> Result<Probe, sqlx::Error> {
    let version: String = sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut *connection).await?;
    let tables: Vec<(String, String, bool)> = sqlx::query_as(
        "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual')
           AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'fairway_positions' ORDER BY name LIMIT 2000",
    )
    .fetch_all(&mut *connection)
    .await?;
    let chosen = chosen.and_then(|name| tables.iter().find(|(table, ..)| table == name));
    let mut choices = BTreeMap::new();
    if let Some((name, kind, without_rowid)) = chosen {
        let table = load(connection, name.clone(), kind == "view", *without_rowid).await?;
        let note = |column: &Column| {
            let key = if table.primary_key.contains(&column.name) { "primary key" } else { "" };
            let parts = [column.declared.as_str(), if column.nullable { "" } else { "not null" }, key];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
        };
        let columns: Vec<Choice> =
            table.columns.iter().map(|column| Choice::new(&*column.name, note(column))).collect();
        for setting in ["columns", "key", "incrementing_column", "timestamp_column"] {
            choices.insert(setting.to_owned(), columns.clone());
        }
    }
    let tables = tables.into_iter().map(|(name, kind, _)| Choice::new(name, kind)).collect();
    choices.insert("tables".to_owned(), tables);
    Ok(Probe { found: format!("SQLite {version}"), choices })
}
