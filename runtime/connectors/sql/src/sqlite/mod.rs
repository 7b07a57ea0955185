//! SQLite, as its components use it.
//!
//! | Room | Holds |
//! |---|---|
//! | `connect` | opening a file so that what is committed stays |
//! | `fault` | what SQLite's errors mean: the record's fault or the target's |
//! | `table` | a table and its columns, and how both are made |
//! | `value` | values as SQLite keeps them, exactly or not at all |
//! | `layout` | which field goes to which column, and what stands against it |
//! | `statement` | inserts, upserts and deletes of many rows |
//! | `rows` | a group cut into statements |
//! | `positions` | positions held in the target itself |
//! | `probe` | trying a file: tables, columns |
//! | `known` | what is known of the table, and new columns |
//! | `apply` | writing rows, and finding the ones that are refused |
//! | `writer` | a group as one transaction |
//! | `reading` | tables as sources read them |

mod apply;
pub(crate) mod connect;
mod fault;
mod known;
pub(crate) mod layout;
pub(crate) mod positions;
pub(crate) mod probe;
pub(crate) mod reading;
mod rows;
mod statement;
pub(crate) mod table;
mod value;
pub(crate) mod writer;
