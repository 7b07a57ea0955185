//! Twice a second, and whenever a task changes: what is observed of each channel is told to listeners, and a new state is
//! written down with its time and cause.

use std::sync::{Arc, Weak};
use std::time::Duration;

use fairway_shared::api::events::Event;
use fairway_shared::api::status::{ChannelStatus, HistoryEntry};
use tokio::sync::Notify;
use tokio::time::MissedTickBehavior;

use super::Inner;
use super::channel::Running;
use crate::clock;
use crate::controller::catalog::{self, Wanted};
use crate::services::{Result, Services, StatusRecord};

/// Time between two looks at all channels.
const TICK: Duration = Duration::from_millis(500);

/// What was last told and written down of a channel.
#[derive(Default)]
pub(super) struct Told {
    recorded: StatusRecord,
    /// As the tasks showed it.
    seen: Option<ChannelStatus>,
    /// As listeners know it.
    published: Option<ChannelStatus>,
}

impl Told {
    pub(super) async fn load(services: &Services, uid: &str) -> Result<Self> {
        Ok(Self { recorded: services.status.status(uid).await?.unwrap_or_default(), ..Self::default() })
    }
}

/// Watches until the worker is gone.
pub(super) async fn run(inner: Weak<Inner>, changed: Arc<Notify>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let ticked = tokio::select! {
            _ = ticks.tick() => true,
            () = changed.notified() => false,
        };
        let Some(inner) = inner.upgrade() else {
            return;
        };
        let channels: Vec<Arc<Running>> = inner.lock().values().cloned().collect();
        for running in channels {
            running.stop_beside_failed();
            if ticked {
                running.sample();
            }
            observe(&inner, &running, if ticked { Occasion::Tick } else { Occasion::Change }).await;
        }
    }
}

/// Observes one channel now, and tells even what only the controller changed.
pub(super) async fn look(inner: &Inner, running: &Running) {
    running.sample();
    observe(inner, running, Occasion::Asked).await;
}

/// Why a look is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occasion {
    /// A task changed: a new state is told.
    Change,
    /// Time has passed: new counts are told as well, so at most twice a second.
    Tick,
    /// Somebody asked.
    Asked,
}

async fn observe(inner: &Inner, running: &Running, occasion: Occasion) {
    let mut told = running.told.lock().await;
    if let Err(error) = running.counted.refresh(&inner.services, &running.uid).await {
        tracing::warn!(%error, channel = %running.uid, "dead letters cannot be counted");
    }
    let status = running.status(inner.services.cluster.me());
    let new_state = told.record(inner, &status).await;
    let worth_telling = match occasion {
        Occasion::Change => new_state,
        Occasion::Tick => new_state || told.seen.as_ref() != Some(&status),
        Occasion::Asked => true,
    };
    if worth_telling {
        told.publish(inner, status).await;
    }
}

impl Told {
    /// Writes a new state down; answers whether it is new.
    async fn record(&mut self, inner: &Inner, status: &ChannelStatus) -> bool {
        let recorded = &self.recorded;
        if (status.state, &status.cause, status.version)
            == (recorded.state, &recorded.cause, recorded.version)
        {
            return false;
        }
        let entry = HistoryEntry {
            at: clock::now(),
            state: status.state,
            cause: status.cause.clone(),
            version: status.version,
            deed: None,
        };
        if let Err(error) = inner.services.status.enter(&status.uid, &entry).await {
            // It is tried again at the next look.
            tracing::warn!(%error, channel = %status.uid, "a new state cannot be written down");
            return true;
        }
        let code = entry.cause.as_ref().map(|cause| cause.code.as_str());
        tracing::info!(channel = %status.uid, state = ?entry.state, error.code = code, "the channel changed");
        self.recorded = StatusRecord {
            state: entry.state,
            cause: entry.cause,
            since: Some(entry.at),
            version: entry.version,
        };
        true
    }

    /// Tells listeners, unless they know.
    async fn publish(&mut self, inner: &Inner, mut status: ChannelStatus) {
        self.seen = Some(status.clone());
        status.since.clone_from(&self.recorded.since);
        match catalog::find::<Wanted>(&*inner.services.config, &catalog::wanted(&status.uid)).await {
            Ok(wanted) => status.target = wanted.map(|wanted| wanted.target),
            Err(error) => tracing::warn!(%error, channel = %status.uid, "the target state cannot be read"),
        }
        if self.published.as_ref() != Some(&status) {
            self.published = Some(status.clone());
            inner.events.publish(Event::Status(Box::new(status)));
        }
    }
}
