//! Reading tables: what the sources of all SQL databases share. How one database is asked is in its own room, behind
//! [`database::Database`].
//!
//! | Room | Holds |
//! |---|---|
//! | `wish` | what the settings ask for, and which columns a table is therefore read by |
//! | `names` | which tables are meant |
//! | `token` | how far a table is read, as the position keeps it |
//! | `partition` | one table on its way: what was read, what may leave, what the position after it says |
//! | `window` | rows that are known to be delivered and may be met again |
//! | `outlet` | the way to the engine, and acknowledgements back |
//! | `rows` | rows of one answer on their way into a batch |
//! | `size` | how large a row may be |
//! | `sampling` | the beginning, for previews |
//! | `database` | what a database must be able to do |
//! | `table_source` | the loop over all tables, and the source that the engine sees |
//!
//! # Why orders survive a crash although tables change
//!
//! A target that kept its own position skips what comes again by its order, so a row that comes again must have the order it
//! had, and a row that did not come before must not have one that was used (see `Position`). Between both, the
//! table changes: rows are deleted, or move to the end because their timestamp changed. Counting rows would give the
//! row behind a vanished one its order, and a target would skip what it never had. Three ways avoid that:
//!
//! * **Value.** Rows are read by one whole-number column that no two rows share: the order *is* the value. Nothing else can
//!   have it, whatever happens to the neighbours.
//! * **Journal.** Everything else that has a key. The orders of the next rows are written down before the rows leave: a
//!   position carries, behind the cursor, a digest of each row that is read and not yet handed on, in order. A row leaves
//!   only once a position that announces it is acknowledged, hence durable (I2). After a crash the rows up to the end of
//!   the announcement are read again: one that was announced gets the order it was promised, one that was not is left for
//!   a second reading and gets a new order. What vanished leaves a hole, and holes harm nobody.
//! * **Fresh.** Rows without a key cannot be told apart. They are read anew from the first after a stop, with orders above
//!   every one used before: at least once, and never a loss. The start of such a reading is announced in the same way.
//!
//! The digest covers cursor and key, not the other columns: a row of the same key and timestamp is the same row.

pub(crate) mod database;
pub(crate) mod names;
pub(crate) mod outlet;
pub(crate) mod partition;
pub(crate) mod rows;
pub(crate) mod sampling;
pub(crate) mod size;
pub(crate) mod table_source;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod token;
pub(crate) mod window;
pub(crate) mod wish;
