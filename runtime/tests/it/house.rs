//! A controller with components in memory, over a data directory that can be opened again, as after a restart.

use std::sync::Arc;
use std::time::Duration;

use fairway_engine::component::Component;
use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_engine::testkit::{MEMORY_SINK, MEMORY_SOURCE, PANIC_AT, PLAIN_SINK, REFUSE_EVEN};
use fairway_runtime::controller::Controller;
use fairway_runtime::registry::Registry;
use fairway_runtime::services::local::{self, Database};
use fairway_runtime::services::{SealingKey, Services};
use fairway_shared::api::status::{ChannelState, ChannelStatus};
use serde_json::{Value, json};
use tempfile::TempDir;

const COMPONENTS: &[Component] = &[MEMORY_SOURCE, MEMORY_SINK, PLAIN_SINK, REFUSE_EVEN, PANIC_AT];

/// Longest time that a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct House {
    pub(crate) controller: Controller,
    pub(crate) services: Services,
    database: Database,
    dir: TempDir,
}

impl House {
    pub(crate) async fn new() -> Self {
        Self::over(tempfile::tempdir().unwrap()).await
    }

    /// The same with the components that Fairway has.
    pub(crate) async fn standard() -> Self {
        Self::with(tempfile::tempdir().unwrap(), Registry::standard()).await
    }

    /// Ends the process in order and starts another over the same data.
    pub(crate) async fn restart(self) -> Self {
        self.controller.shut_down().await;
        self.database.close().await;
        let house = Self::over(self.dir).await;
        house.controller.resume().await.unwrap();
        house
    }

    async fn over(dir: TempDir) -> Self {
        Self::with(dir, Registry::of([COMPONENTS])).await
    }

    async fn with(dir: TempDir, registry: Registry) -> Self {
        let database = Database::open(&dir.path().join("fairway.db")).await.unwrap();
        let services = local::services(&database, SealingKey::from_text("a key for tests"));
        let files = Files::confined(dir.path().join("files"));
        let controller = Controller::new(services.clone(), Arc::new(registry), files, Hooks::default());
        Self { controller, services, database, dir }
    }

    /// Creates a channel; answers its uid.
    pub(crate) async fn create(&self, document: Value) -> String {
        self.controller.create(&document).await.unwrap().uid
    }

    /// Saves over whatever the draft is.
    pub(crate) async fn save(&self, uid: &str, document: Value) {
        self.controller.save(uid, Some("*"), &document).await.unwrap();
    }

    /// Waits until the channel is observed in a state.
    pub(crate) async fn reaches(&self, uid: &str, state: ChannelState) -> ChannelStatus {
        self.until(uid, |status| status.state == state).await
    }

    /// Waits until what is observed fits.
    pub(crate) async fn until(&self, uid: &str, fits: impl Fn(&ChannelStatus) -> bool) -> ChannelStatus {
        let mut events = self.controller.events().listen(None);
        let mut last = None;
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                let status = self.controller.status(uid).await.unwrap();
                if fits(&status) {
                    return status;
                }
                last = Some(status);
                // Whatever happens next, look again; states that come without an event are looked for all the same.
                tokio::time::timeout(Duration::from_millis(100), events.next()).await.ok();
            }
        });
        match waited.await {
            Ok(status) => status,
            Err(_) => panic!("it never came; last seen: {last:#?}"),
        }
    }
}

/// A channel that counts to `count` and writes to the shelf of this name.
pub(crate) fn counting(name: &str, shelf: &str, count: u64) -> Value {
    channel(name, json!({ "count": count, "batch": 10 }), shelf)
}

/// A channel that counts to `count` and then waits for more.
pub(crate) fn endless(name: &str, shelf: &str, count: u64) -> Value {
    channel(name, json!({ "count": count, "batch": 10, "endless": true }), shelf)
}

fn channel(name: &str, source: Value, shelf: &str) -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": name },
        "spec": {
            "nodes": [
                { "id": "count", "component": "count_source", "config": source },
                { "id": "shelf", "component": "shelf_sink", "config": { "shelf": shelf } }
            ],
            "edges": [{ "from": "count", "to": "shelf" }]
        }
    })
}
