//! PostgreSQL, as its components use it.
//!
//! | Room | Holds |
//! |---|---|
//! | `connect` | access data, and sessions that end by themselves when nobody is behind them |
//! | `fault` | what PostgreSQL's errors mean: the record's fault or the target's |
//! | `probe` | trying a connection: what answers, tables, columns |

#![allow(dead_code, reason = "its components arrive one by one")]

pub(crate) mod connect;
pub(crate) mod fault;
pub(crate) mod probe;
