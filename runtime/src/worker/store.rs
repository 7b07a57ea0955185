//! What the engine needs remembered of one task, over the position and dead-letter services.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use fairway_engine::error::Error;
use fairway_engine::store::{Letter, Remembered, Replays, Routed, Store, StoredMark, Totals};

use super::channel::Counted;
use super::ends::Shown;
use super::grant::Grant;
use crate::redact;
use crate::services::{self, Services};

/// Notes of handed-on records after which those that were passed are cleared away.
const CLEARED_AFTER: usize = 1000;

/// The store of one task.
pub(super) struct TaskStore {
    pub(super) services: Services,
    pub(super) uid: Arc<str>,
    pub(super) task: String,
    /// What the channel has counted, kept in step with what is committed.
    pub(super) counted: Arc<Counted>,
    /// What is shown of what is counted at the ends of streams.
    pub(super) shown: Shown,
    pub(super) noted: AtomicUsize,
    /// Under which it runs, on a cluster.
    pub(super) grant: Option<Arc<Grant>>,
}

impl TaskStore {
    /// Removes dead letters that were tried again and are done.
    async fn strike_off(&self, marks: &[StoredMark]) -> services::Result<()> {
        let mine = |mark: &&StoredMark| {
            mark.target.is_none() && mark.stream.is_replay() && *mark.stream.partition == *self.task
        };
        if let Some(mark) = marks.iter().find(mine)
            && self.services.dead_letters.replayed(&self.uid, &self.task, mark.position.order).await? > 0
        {
            self.counted.letters_changed();
            self.counted.raise(&self.services.positions.totals(&self.uid).await?);
        }
        Ok(())
    }
}

#[async_trait]
impl Store for TaskStore {
    async fn begin(&self) -> Result<Remembered, Error> {
        let generation = self.services.positions.begin(&self.uid, &self.task).await?;
        if let Some(grant) = &self.grant {
            grant.opened().await;
        }
        let marks = self.services.positions.marks(&self.uid).await?;
        self.services.dead_letters.passed(&self.uid, &self.task, &marks).await?;
        self.strike_off(&marks).await?;
        let refusals = self.services.dead_letters.refusals(&self.uid, &marks).await?;
        let epochs = self.services.positions.epochs(&self.uid).await?;
        // A run that failed may have let go of a commit before it learned that it went through.
        self.counted.raise(&self.services.positions.totals(&self.uid).await?);
        Ok(Remembered { generation, marks, epochs, letters: refusals.letters, routed: refusals.routed })
    }

    async fn commit(&self, generation: u64, marks: &[StoredMark], totals: &Totals) -> Result<(), Error> {
        let shown = self.shown.of(totals);
        let sum = self.services.positions.commit(&self.uid, &self.task, generation, marks, &shown).await?;
        self.counted.raise(&sum);
        if let Err(error) = self.strike_off(marks).await {
            // They are struck off when the task starts again; until then they are shown as waiting.
            tracing::warn!(%error, channel = %self.uid, "dead letters that were delivered could not be removed");
        }
        if self.noted.load(Ordering::Relaxed) >= CLEARED_AFTER {
            self.services.dead_letters.passed(&self.uid, &self.task, marks).await.unwrap_or_else(|error| {
                // They are in nobody's way and go with the next clearing.
                tracing::warn!(%error, channel = %self.uid, "handed-on records could not be cleared away");
            });
            self.noted.store(0, Ordering::Relaxed);
        }
        Ok(())
    }

    async fn set_aside(&self, letters: Vec<Letter>) -> Result<(), Error> {
        let (again, letters): (Vec<Letter>, Vec<Letter>) = letters
            .into_iter()
            .map(|letter| Letter { cause: redact::cause(letter.cause), ..letter })
            .partition(|letter| letter.key.stream.is_replay());
        if !letters.is_empty() {
            self.services.dead_letters.set_aside(&self.uid, &self.task, &letters).await?;
        }
        if !again.is_empty() {
            self.services.dead_letters.refused_again(&self.uid, &self.task, &again).await?;
        }
        self.counted.letters_changed();
        Ok(())
    }

    async fn replays(&self, after: u64, limit: usize) -> Result<Replays, Error> {
        let marks = self.services.positions.marks(&self.uid).await?;
        Ok(self.services.dead_letters.replays(&self.uid, &self.task, after, limit, &marks).await?)
    }

    async fn note_routed(&self, notes: Vec<Routed>) -> Result<(), Error> {
        self.noted.fetch_add(notes.len(), Ordering::Relaxed);
        Ok(self.services.dead_letters.note_routed(&self.uid, &self.task, &notes).await?)
    }

    async fn forget_routed(&self, notes: Vec<Routed>) -> Result<(), Error> {
        Ok(self.services.dead_letters.forget_routed(&self.uid, &self.task, &notes).await?)
    }
}
