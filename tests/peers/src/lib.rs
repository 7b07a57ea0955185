//! Real databases and brokers for tests: started when a test first asks, on a free port of 127.0.0.1, in a folder of
//! their own, and ended with the test program however that ends. One of each serves all tests of a program.
//!
//! A peer that cannot start fails the test that asked, saying what to install.

mod gate;
#[cfg(feature = "kafka")]
pub mod kafka;
mod leash;
pub mod postgres;
pub mod tls;

pub use gate::Gate;
pub use leash::Leash;

use std::net::TcpListener;

use anyhow::{Context, Result};

/// A port of 127.0.0.1 that nobody listens on now.
///
/// # Errors
/// If the system has none.
pub fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1")?;
    Ok(listener.local_addr()?.port())
}
