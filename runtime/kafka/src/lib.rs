//! Kafka clients: the one crate that knows rdkafka.
//!
//! | Room | Holds |
//! |---|---|
//! | [`access`] | where the brokers are and how to get in |
//! | [`cluster`] | what topics there are, where they begin and end; making topics |
//! | [`consumer`] | reading partitions that are named one by one |
//! | [`producer`] | writing, with an answer for each message |
//! | [`fault`] | what Kafka says, in the engine's words |
//!
//! librdkafka works on threads of its own and tells by queues and callbacks. Nothing here waits inside a callback, no
//! client is dropped on a thread of the async runtime (dropping waits), and calls that wait for an answer run
//! where waiting holds nobody up.
#![warn(missing_docs)]

pub mod access;
pub mod cluster;
pub mod consumer;
pub mod fault;
pub mod producer;
mod release;
mod watch;

pub use access::{Access, Security};
pub use cluster::Cluster;
pub use consumer::Consumer;
pub use producer::Producer;
