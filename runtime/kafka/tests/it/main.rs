//! The clients, on a real broker.

mod clients;
mod tails;
mod transactions;

use fairway_engine::files::Files;
use fairway_kafka::{Access, Security};

/// Access to the broker that all tests share.
fn access() -> Access {
    access_to(fairway_peers::kafka::shared().address())
}

fn access_to(brokers: &str) -> Access {
    Access::new(brokers, &Security::default(), &Files::open(".")).expect("settings that work")
}
