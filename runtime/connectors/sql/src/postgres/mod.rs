//! PostgreSQL, as its components use it.
//!
//! | Room | Holds |
//! |---|---|
//! | `connect` | access data, and sessions that end by themselves when nobody is behind them |
//! | `fault` | what PostgreSQL's errors mean: the record's fault or the target's |
//! | `probe` | trying a connection: what answers, tables, columns |
//! | `kind` | types of columns, as far as they are told apart |
//! | `encode`, `moment` | values as COPY's text, exactly or not at all |
//! | `table` | a table and its columns, and how both are made |
//! | `layout` | which field goes to which column, and what stands against it |
//! | `few` | a few rows by INSERT instead of COPY, and why |
//! | `statement` | COPY, upserts and deletes, as text |
//! | `rows` | a group cut into runs of records alike |
//! | `positions` | positions held in the target itself |
//! | `known` | what is known of the table, and new columns |
//! | `apply` | writing rows, and finding the ones that are refused |
//! | `writer` | a group as one transaction |
//! | `reading` | tables as sources read them |

mod apply;
pub(crate) mod connect;
mod encode;
pub(crate) mod fault;
mod few;
mod kind;
mod known;
pub(crate) mod layout;
mod moment;
pub(crate) mod positions;
pub(crate) mod probe;
pub(crate) mod reading;
mod rows;
mod statement;
mod table;
pub(crate) mod writer;
