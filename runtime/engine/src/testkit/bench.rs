//! Runs drawings of components in memory.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fairway_shared::channel::{ErrorPolicy, PortRef};
use serde_json::Value;

use super::store::MemoryStore;
use crate::component::Component;
use crate::error::Error;
use crate::files::Files;
use crate::hooks::Hooks;
use crate::task::{Control, Ended, Limits, NodeSpec, Progress, TaskSpec, run};

/// A drawing, written down in a test.
#[derive(Debug, Clone)]
pub struct Drawing(pub TaskSpec);

impl Drawing {
    /// An empty drawing.
    #[allow(clippy::new_without_default, reason = "a drawing without nodes is no useful default")]
    pub fn new() -> Self {
        Self(TaskSpec {
            uid: "test".into(),
            id: "direct".into(),
            share: None,
            nodes: Vec::new(),
            edges: Vec::new(),
            policy: ErrorPolicy::DeadLetter,
            files: Files::open(PathBuf::from(".")),
            hooks: Hooks::default(),
            max_attempts: 1,
            only_replays: false,
            until_caught_up: false,
            give_up: Some(Duration::from_secs(20)),
            limits: Limits::default(),
        })
    }

    /// Adds a node.
    #[must_use]
    pub fn node(mut self, id: &str, component: Component, config: Value) -> Self {
        self.0.nodes.push(NodeSpec { id: id.into(), component, config, joint: None });
        self
    }

    /// Adds edges, each as `from>to`.
    #[must_use]
    pub fn edges(mut self, edges: &[&str]) -> Self {
        for edge in edges {
            let (from, to) = edge.split_once('>').expect("an edge is written from>to");
            self.0.edges.push((PortRef::from(from), PortRef::from(to)));
        }
        self
    }

    /// Sets the error policy.
    #[must_use]
    pub fn policy(mut self, policy: ErrorPolicy) -> Self {
        self.0.policy = policy;
        self
    }

    /// Sets how often a refused record is tried.
    #[must_use]
    pub fn tries(mut self, most: u32) -> Self {
        self.0.max_attempts = most;
        self
    }

    /// Reads nothing; dead letters are tried again.
    #[must_use]
    pub fn only_replays(mut self) -> Self {
        self.0.only_replays = true;
        self
    }

    /// Sets how many records a target gets at once.
    #[must_use]
    pub fn groups_of(mut self, records: usize) -> Self {
        self.0.limits.group_records = records;
        self
    }
}

/// A store and what was last seen, over several starts of a drawing.
#[derive(Debug, Clone, Default)]
pub struct Bench {
    /// What is remembered.
    pub store: Arc<MemoryStore>,
    /// The window of the last run.
    pub progress: Arc<Progress>,
    /// The handle of the next run.
    pub control: Control,
}

impl Bench {
    /// Runs a drawing to its end.
    pub async fn run(&mut self, drawing: &Drawing) -> Result<Ended, Error> {
        self.progress = Arc::default();
        run(drawing.0.clone(), self.store.clone(), self.progress.clone(), self.control.clone()).await
    }

    /// Runs a drawing and drops it after a while, as `kill -9` would.
    pub async fn crash_after(&mut self, drawing: &Drawing, time: Duration) {
        let mut bench = self.clone();
        let drawing = drawing.clone();
        let control = Control::default();
        bench.control = control.clone();
        let running = tokio::spawn(async move { bench.run(&drawing).await });
        tokio::time::sleep(time).await;
        control.abort();
        // Whatever it answers: a killed process answers nothing.
        drop(running.await);
    }
}
