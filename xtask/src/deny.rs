//! `cargo xtask deny`: licences, banned crates and sources, by cargo-deny and `deny.toml`.
//!
//! cargo-deny takes minutes to install, so it is used where it is and its absence is said. What matters most
//! (no `ring`) is also a test of the repository, `tests/it/architecture.rs`.

use anyhow::Result;

use crate::house::House;
use crate::step;

pub(crate) fn run(house: &House) -> Result<()> {
    if step::program("cargo-deny").is_none() {
        eprintln!("skipped: cargo-deny is not installed (`cargo install --locked cargo-deny`)");
        return Ok(());
    }
    // Advisories come from a database on the net and change by themselves: no part of a check of the code.
    step::must(&mut house.cargo(["deny", "check", "bans", "licenses", "sources"]))
}
