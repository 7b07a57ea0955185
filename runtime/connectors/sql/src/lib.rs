//! Components that read and write SQL databases, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `sql` | text of statements: the one place where names are quoted and statements are vouched for |
//! | `reading` | tables as sources read them, whichever the database |
//! | `postgres` | PostgreSQL: access and sessions, faults, trying a connection |
//! | `writing` | what sinks of tables have in common in their settings |
//! | `sqlite` | SQLite: opening files, tables and their columns, values, positions held in the target, writing rows |

mod postgres;
mod postgres_sink;
mod postgres_table_source;
mod reading;
mod sql;
mod sqlite;
mod sqlite_sink;
mod sqlite_table_source;
#[cfg(test)]
mod testing;
mod writing;

use fairway_engine::component::Component;

/// All components of SQL databases, by name.
pub const REGISTRY: &[Component] = &[
    Component::sink::<postgres_sink::PostgresSink>().with_probe::<postgres_sink::PostgresSink>(),
    Component::source::<postgres_table_source::PostgresTableSource>()
        .with_probe::<postgres_table_source::PostgresTableSource>()
        .with_sample::<postgres_table_source::PostgresTableSource>(),
    Component::sink::<sqlite_sink::SqliteSink>().with_probe::<sqlite_sink::SqliteSink>(),
    Component::source::<sqlite_table_source::SqliteTableSource>()
        .with_probe::<sqlite_table_source::SqliteTableSource>()
        .with_sample::<sqlite_table_source::SqliteTableSource>(),
];
