//! What Fairway remembers, as traits: one a service, so that controller and worker know no database and no broker.
//!
//! | Service | Remembers |
//! |---|---|
//! | [`ConfigService`] | what users asked for: an ordered log of channels, versions, deployments, connections |
//! | [`PositionService`] | how far each source and target has come, and which start of a task may say so |
//! | [`StatusService`] | what is observed of each channel, with history |
//! | [`DeadLetterService`] | records set aside |
//! | [`SecretService`] | sealed values |
//! | [`ClusterService`] | which workers there are, and which of them runs a channel |
//!
//! A backend is a folder: [`local`] keeps everything in one SQLite database, [`kafka`] in topics that the workers of a cluster share.
//! The conformance suite in `tests/it` runs over every backend.

mod cluster;
mod config;
mod dead_letter;
mod error;
pub mod kafka;
pub mod local;
mod position;
mod sealing;
mod secret;
mod status;

pub use cluster::{ClusterService, Member};
pub use config::{Change, Commit, ConfigService, Entry, Expect, Key, Kind};
pub use dead_letter::{DeadLetterService, Edit, Filter, Limits, Page, Refusals, Tasks, Usage};
pub use error::{Error, Result};
pub use position::{Adjustment, PositionService};
pub use sealing::SealingKey;
pub use secret::SecretService;
pub use status::{HISTORY_KEPT, StatusRecord, StatusService};

use std::sync::Arc;

/// All services of one backend.
#[derive(Clone)]
pub struct Services {
    /// What users asked for.
    pub config: Arc<dyn ConfigService>,
    /// How far everything has come.
    pub positions: Arc<dyn PositionService>,
    /// What is observed.
    pub status: Arc<dyn StatusService>,
    /// Records set aside.
    pub dead_letters: Arc<dyn DeadLetterService>,
    /// Sealed values.
    pub secrets: Arc<dyn SecretService>,
    /// Workers.
    pub cluster: Arc<dyn ClusterService>,
    /// What joins tasks that run apart; none where one process runs everything.
    pub streams: Option<Arc<kafka::Streams>>,
}
