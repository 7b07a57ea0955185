//! Kafka clients: the one crate that knows rdkafka.
//!
//! | Room | Holds |
//! |---|---|
//! | [`access`] | where the brokers are and how to get in |
//! | [`cluster`] | what topics there are, where they begin and end; making topics |
//! | [`consumer`] | reading partitions that are named one by one |
//! | [`producer`] | writing, with an answer for each message |
//! | [`transaction`] | writing in transactions, under an id that fences whoever had it before |
//! | [`tail`] | reading a few partitions to their ends, and on and on |
//! | [`house`] | topics of Fairway's own: made, checked, refused if they are not as they must be |
//! | [`pick`] | reading single messages by their places |
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
pub mod house;
pub mod pick;
pub mod producer;
mod release;
mod reports;
pub mod tail;
pub mod transaction;
mod watch;

pub use access::{Access, Security, Settings};
pub use cluster::Cluster;
pub use consumer::Consumer;
pub use pick::Picker;
pub use producer::Producer;
pub use tail::Tail;
pub use transaction::Transactional;
