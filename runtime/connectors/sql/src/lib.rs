//! Components that read and write SQL databases, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `sql` | text of statements: the one place where names are quoted and statements are vouched for |
//! | `postgres` | PostgreSQL: access and sessions, faults, trying a connection |
//! | `writing` | what sinks of tables have in common in their settings |
//! | `sqlite` | SQLite: opening files, tables and their columns, values, positions held in the target, writing rows |

mod postgres;
mod postgres_sink;
mod sql;
mod sqlite;
mod sqlite_sink;
#[cfg(test)]
mod testing;
mod writing;

use fairway_engine::component::Component;

/// All components of SQL databases, by name.
pub const REGISTRY: &[Component] = &[
    Component::sink::<postgres_sink::PostgresSink>().with_probe::<postgres_sink::PostgresSink>(),
    Component::sink::<sqlite_sink::SqliteSink>().with_probe::<sqlite_sink::SqliteSink>(),
];
