//! How records move and are guarded: batches, the contracts of components, and the task that runs a drawn channel.
//!
//! | Room | Holds |
//! |---|---|
//! | [`data`] | batch, record, schema, value; CSV and JSON at full speed |
//! | [`source`], [`transform`], [`sink`] | the three contracts; their doc comments are the specification |
//! | [`component`] | a component in one file, and its registry entry |
//! | [`probe`] | trying a component out: connection tests and samples for previews |
//! | [`preview`] | a channel on sample records, step by step, writing nothing |
//! | [`joint`] | the ends of streams between tasks |
//! | [`position`], [`store`] | where sources and targets stand, and what must be remembered |
//! | [`task`] | the direct task: sources, chains and targets in one process |
//! | [`files`], [`hooks`], [`secret`], [`units`] | what components share: paths, the runtime's port, secrets, times and sizes |
//! | [`error`] | what goes wrong while running |
//!
//! The engine knows no HTTP framework, database or broker.
#![warn(missing_docs)]

pub mod component;
pub mod data;
pub mod error;
pub mod file_id;
pub mod files;
pub mod hooks;
pub mod joint;
pub mod position;
pub mod preview;
pub mod probe;
pub mod secret;
pub mod sink;
pub mod source;
pub mod store;
pub mod task;
#[cfg(any(test, feature = "testkit"))]
pub mod testkit;
pub mod transform;
pub mod units;

pub use component::{Component, Config, Issue, Meta, SinkConfig, SourceConfig, TransformConfig};
pub use error::{Error, Kind};
