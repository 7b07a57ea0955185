//! Components that read and write SQL databases, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `sql` | text of statements: the one place where names are quoted and statements are vouched for |
//! | `postgres` | PostgreSQL: access and sessions, faults, trying a connection |
//! | `sqlite` | SQLite: opening files, tables and their columns, values, positions held in the target, writing rows |

mod postgres;
mod sql;
mod sqlite;
mod sqlite_sink;
#[cfg(test)]
mod testing;

use fairway_engine::component::Component;

/// All components of SQL databases, by name.
pub const REGISTRY: &[Component] = &[Component::sink::<sqlite_sink::SqliteSink>()];
