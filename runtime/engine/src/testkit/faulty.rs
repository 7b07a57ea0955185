//! A wrapper around any target that fails at a chosen hand-over: before the target has the group, or after it has it and
//! before the engine hears of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use async_trait::async_trait;
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::component::{Component, Config, Meta, Opener, SinkConfig};
use crate::error::Error;
use crate::position::{Position, StreamKey};
use crate::sink::{Group, Outcome, Sink, SinkCtx};

/// What happens at the chosen delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The target is out of reach.
    Outage,
    /// The task hits a bug.
    Panic,
    /// Nothing answers any more; whoever waits for [`Script::hung`] ends the task.
    Hang,
}

/// Which delivery goes wrong, how, and on which side of the target.
#[derive(Debug)]
pub struct Script {
    /// What goes wrong.
    pub fault: Fault,
    /// Whether the target has the group when it happens.
    pub after: bool,
    /// Deliveries left until it happens, once.
    left: AtomicUsize,
    hung: Notify,
}

impl Script {
    /// Waits until the target hangs.
    pub async fn hung(&self) {
        self.hung.notified().await;
    }

    /// Whether the fault has happened.
    pub fn happened(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    async fn strike(&self) -> Result<(), Error> {
        match self.fault {
            Fault::Outage => Err(Error::outage("test.outage", "out of reach, says the script")),
            Fault::Panic => {
                // A panic is what is tested here; `panic!` itself is linted against.
                std::panic::resume_unwind(Box::new("a bug, says the script"))
            }
            Fault::Hang => {
                self.hung.notify_one();
                std::future::pending().await
            }
        }
    }
}

static INNER: LazyLock<Mutex<HashMap<&'static str, Component>>> = LazyLock::new(Mutex::default);
static SCRIPTS: LazyLock<Mutex<HashMap<usize, Arc<Script>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicUsize = AtomicUsize::new(1);

/// A target that fails at its `at`-th delivery, counting from 1, and otherwise does what `inner` does: its entry, its
/// config, and the script that says whether it has happened.
pub fn faulty(
    inner: Component,
    config: &Value,
    fault: Fault,
    after: bool,
    at: usize,
) -> (Component, Value, Arc<Script>) {
    let script = Arc::new(Script { fault, after, left: AtomicUsize::new(at), hung: Notify::new() });
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    INNER.lock().unwrap_or_else(PoisonError::into_inner).insert(inner.meta.name, inner);
    SCRIPTS.lock().unwrap_or_else(PoisonError::into_inner).insert(id, script.clone());
    let mut component = Component::sink::<FaultySink>();
    component.meta.delivery = inner.meta.delivery;
    (component, json!({ "inner": inner.meta.name, "config": config, "script": id }), script)
}

/// The wrapper's settings.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct FaultySink {
    inner: String,
    config: Value,
    script: usize,
}

impl Config for FaultySink {
    const META: Meta =
        Meta { delivery: Guarantee::AtLeastOnce, ..Meta::new("faulty_sink", "Faulty", "test") };
}

#[async_trait]
impl SinkConfig for FaultySink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        let unknown = || Error::config("test.unknown", "no such target or script");
        let inner = INNER.lock().unwrap_or_else(PoisonError::into_inner).get(self.inner.as_str()).copied();
        let script = SCRIPTS.lock().unwrap_or_else(PoisonError::into_inner).get(&self.script).cloned();
        let Opener::Sink(open) = inner.ok_or_else(unknown)?.opener else { return Err(unknown()) };
        Ok(Box::new(Faulty { inner: open(self.config, cx).await?, script: script.ok_or_else(unknown)? }))
    }
}

struct Faulty {
    inner: Box<dyn Sink>,
    script: Arc<Script>,
}

#[async_trait]
impl Sink for Faulty {
    async fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        self.inner.adopt(stream).await
    }

    fn most_records(&self) -> usize {
        self.inner.most_records()
    }

    fn streams(&mut self, streams: &[StreamKey]) {
        self.inner.streams(streams);
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        let now = self
            .script
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
            .is_ok_and(|left| left == 1);
        if now && !self.script.after {
            self.script.strike().await?;
        }
        let outcome = self.inner.deliver(group).await?;
        if now && self.script.after {
            self.script.strike().await?;
        }
        Ok(outcome)
    }

    async fn close(&mut self) -> Result<(), Error> {
        self.inner.close().await
    }
}
