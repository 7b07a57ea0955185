//! How much a test is to do: little in `cargo xtask test`, all of it in `cargo xtask soak`.

use std::env;

/// `short` in the ordinary run, `full` in a soak (`FAIRWAY_SOAK`).
pub fn counts<T>(short: T, full: T) -> T {
    if env::var_os("FAIRWAY_SOAK").is_some_and(|value| !value.is_empty()) { full } else { short }
}

/// How many inputs a property is tried on: `short`, or as many as a soak asks for (`FAIRWAY_SOAK_CASES`).
pub fn cases(short: u32) -> u32 {
    env::var("FAIRWAY_SOAK_CASES").ok().and_then(|value| value.parse().ok()).unwrap_or(short)
}
