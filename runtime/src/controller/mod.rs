//! The facade that every face talks to: HTTP, CLI and desktop. It owns the services, keeps the rules between documents
//! (names, connections, versions), and has the worker bring about what users asked for.
//!
//! | File | Holds |
//! |---|---|
//! | `drafts` | list, create, read, save, delete |
//! | `status` | what is observed, put together |
//! | `deploy` | plan, deploy, target states, restart, reset |
//! | `shared` | the same on a cluster: asking, and who runs what |
//! | `schedules` | channels that run at set times |
//! | `check` | everything that is wrong with a document, here |
//! | `records` | positions and dead letters |
//! | `taps` | looks at records that pass an edge |
//! | `trials` | previews, tests of connections |
//! | `metrics` | counts for operators |
//! | `transfer` | import and export |
//! | `connections` | connections and secrets |
//! | `catalog` | what the entries of the configuration log mean |
//!
//! Knows nothing of HTTP: a refusal is a [`Refused`](crate::problem::Refused) whoever asked.

pub(crate) mod catalog;
mod check;
mod connections;
pub(crate) mod deploy;
mod drafts;
mod metrics;
pub(crate) mod records;
mod schedules;
mod shared;
mod status;
mod taps;
mod transfer;
mod trials;

pub(crate) use drafts::etag;
pub(crate) use records::stored_position;
pub(crate) use taps::TapPlace;
pub use transfer::Export;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use tokio::runtime::Handle;
use tokio::sync::{OwnedMutexGuard, Semaphore};

use self::shared::Shared;
use crate::events::Events;
use crate::registry::Registry;
use crate::services::Services;
use crate::tap::Taps;
use crate::worker::{Manner, Worker};

/// The facade.
#[derive(Clone)]
pub struct Controller {
    services: Services,
    registry: Arc<Registry>,
    events: Events,
    worker: Worker,
    files: Files,
    trials: Arc<Semaphore>,
    taps: Taps,
    turns: Arc<Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>>,
    began: Arc<Mutex<HashMap<String, i64>>>,
    /// On a cluster.
    shared: Option<Shared>,
}

impl Controller {
    /// A controller over services, with a worker of its own. `files` says where file components may be,
    /// `hooks` lends them the server's port.
    pub fn new(services: Services, registry: Arc<Registry>, files: Files, hooks: Hooks) -> Self {
        Self::with(services, registry, files, hooks, None, None)
    }

    /// The same with tasks on threads of their own.
    pub fn in_room(
        services: Services,
        registry: Arc<Registry>,
        files: Files,
        hooks: Hooks,
        room: Option<Handle>,
    ) -> Self {
        Self::with(services, registry, files, hooks, room, None)
    }

    fn with(
        services: Services,
        registry: Arc<Registry>,
        files: Files,
        hooks: Hooks,
        room: Option<Handle>,
        shared: Option<Shared>,
    ) -> Self {
        let events = Events::default();
        let manner = Manner {
            files: files.clone(),
            hooks,
            until_caught_up: false,
            give_up: None,
            connections: Vec::new(),
            room,
        };
        let worker = match &shared {
            None => Worker::new(services.clone(), registry.clone(), events.clone(), manner),
            Some(_) => Worker::placing(services.clone(), registry.clone(), events.clone(), manner),
        };
        let trials = Arc::new(Semaphore::new(trials::AT_ONCE));
        Self {
            services,
            registry,
            events,
            worker,
            files,
            trials,
            taps: Taps::default(),
            turns: Arc::default(),
            began: Arc::default(),
            shared,
        }
    }

    /// What can be placed.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What happens.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Waits for one's turn with a channel: deploy, target changes and deletion of one channel never overlap.
    async fn turn(&self, uid: &str) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            turns.entry(uid.to_owned()).or_default().clone()
        };
        turn.lock_owned().await
    }
}
