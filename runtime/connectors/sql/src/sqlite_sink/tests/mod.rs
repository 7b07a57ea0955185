//! One file a promise: exactly once, tables and columns, values, refusals, and the acceptance cases.

mod cases;
mod exactly_once;
mod faults;
mod refusals;
mod tables;
