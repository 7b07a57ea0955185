//! What the product tests share: programs that are started and surely ended, and Fairway itself as one of them.

mod fairway;
mod page;
mod program;

pub(crate) use self::fairway::{Fairway, command, samples_folder};
pub(crate) use self::page::Page;
pub(crate) use self::program::{Program, find};

/// Says why a test does not run here. `cargo xtask test` counts it as skipped, not as passed.
pub(crate) fn skip(reason: &str) {
    println!("SKIPPED: {reason}");
}
