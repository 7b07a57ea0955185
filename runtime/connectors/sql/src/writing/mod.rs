//! What sinks of tables have in common: here their settings, in `ledger` what they know of the positions that a target
//! holds.

pub(crate) mod ledger;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// A new row.
    Insert,
    /// A new row, or new values for the row that has the same key.
    Upsert,
    /// The row that has the same key is deleted, if there is one.
    Delete,
}

/// What becomes of fields that the table has no column for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewColumns {
    /// The table gets a column, fit for the first value.
    Add,
    /// They are not written.
    Ignore,
    /// The record is refused.
    Reject,
}

pub(crate) fn default_mode() -> Mode {
    Mode::Insert
}

pub(crate) fn default_create_table() -> bool {
    true
}

pub(crate) fn default_new_columns() -> NewColumns {
    NewColumns::Add
}
