//! What a database must be able to do for its tables to be read.

use std::sync::Arc;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::Schema;

use super::rows::Rows;
use super::wish::{Facts, Way, Wish};

/// A database, reached or not. After an error it is [let go of](Database::disconnect) and reached anew with the next call.
#[async_trait]
pub(crate) trait Database: Send + 'static {
    /// A table as it is now: columns, key, types.
    type Table: Table;

    /// The tables that are meant and there.
    ///
    /// # Errors
    /// An outage when the database is out of reach or a table named exactly is missing; kind `Config` when settings name
    /// columns that it does not have.
    async fn tables(&mut self, wish: &Wish) -> Result<Vec<Self::Table>, Error>;

    /// How far a table may be read now.
    async fn settle(&mut self, wish: &Wish, table: &Self::Table, way: &Way) -> Result<Settled, Error>;

    /// Reads rows, and answers whether there may be more.
    async fn read(
        &mut self,
        table: &Self::Table,
        way: &Way,
        ask: Ask<'_>,
        rows: &mut Rows<'_>,
    ) -> Result<bool, Error>;

    /// Most rows that one answer should have.
    fn answer(&self, batch: usize) -> usize;

    /// Lets go of the connection.
    fn disconnect(&mut self);
}

/// A table as it is now.
pub(crate) trait Table: Facts + Send + Sync {
    /// The database's own number of it.
    fn number(&self) -> Option<u32>;

    /// Fields of its records.
    fn schema(&self) -> &Arc<Schema>;
}

/// How far a table may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settled {
    /// To its end.
    All,
    /// To this value of the first cursor column; `held` when there is more that must wait.
    To { upper: String, held: bool },
    /// Not at all yet; `held` when there is something that must wait.
    Nothing { held: bool },
}

/// What to read.
#[derive(Debug, Clone)]
pub(crate) struct Ask<'a> {
    pub(crate) lower: Lower,
    /// The last row, by all cursor columns.
    pub(crate) end: Option<&'a [String]>,
    /// The last value of the first cursor column.
    pub(crate) upper: Option<&'a str>,
    /// Most rows.
    pub(crate) limit: Option<usize>,
}

/// Where reading begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lower {
    /// At the first row.
    Start,
    /// Behind the row with these values of the cursor columns.
    Behind(Vec<String>),
    /// With this value of the first cursor column, less the overlap.
    From(String),
}
