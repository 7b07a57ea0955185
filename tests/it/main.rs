//! Product tests: the parts together, as a user meets them.
//!
//! One binary for all of them, so that they link once. `architecture.rs` guards the shape of the repository;
//! the folder `browser` draws in a real browser, and its tests are the ones that `cargo xtask test --only browser`
//! runs; `support` starts the programs that the tests talk to.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod architecture;
#[path = "../browser/mod.rs"]
mod browser;
#[path = "../support/mod.rs"]
mod support;
