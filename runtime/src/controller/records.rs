//! What is remembered of a channel's records: positions and dead letters.

use fairway_engine::store::StoredMark;
use fairway_shared::api::channels::{Positions, StoredPosition};
use fairway_shared::api::dead_letters::{Affected, DeadLetters, Selection};

use super::Controller;
use super::catalog;
use crate::problem::Refused;
use crate::services::Page;

/// Dead letters in a page unless asked otherwise.
const PAGE: u64 = 50;
/// Most dead letters in a page.
const LARGEST_PAGE: u64 = 500;

impl Controller {
    /// All positions of a channel, by source, partition, target.
    pub async fn positions(&self, uid: &str) -> Result<Positions, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let marks = self.services.positions.marks(uid).await?;
        Ok(Positions { positions: marks.into_iter().map(stored_position).collect() })
    }

    /// A page of dead letters, newest first.
    pub async fn dead_letters(
        &self,
        uid: &str,
        limit: Option<u64>,
        offset: Option<u64>,
    ) -> Result<DeadLetters, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let limit = limit.unwrap_or(PAGE).min(LARGEST_PAGE);
        let page =
            Page { limit: u32::try_from(limit).unwrap_or(u32::MAX), offset: offset.unwrap_or_default() };
        Ok(DeadLetters {
            dead_letters: self.services.dead_letters.list(uid, page).await?,
            total: self.services.dead_letters.usage(uid).await?.letters,
        })
    }

    /// Discards dead letters for good; an empty selection means all.
    pub async fn discard(&self, uid: &str, selection: &Selection) -> Result<Affected, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let ids = (!selection.ids.is_empty()).then_some(selection.ids.as_slice());
        let affected = self.services.dead_letters.discard(uid, ids).await?;
        self.worker.letters_changed(uid).await;
        Ok(Affected { affected })
    }
}

/// A watermark as callers see it.
pub(crate) fn stored_position(mark: StoredMark) -> StoredPosition {
    StoredPosition {
        source: mark.stream.source.to_string(),
        partition: mark.stream.partition.to_string(),
        target: mark.target,
        order: mark.position.order,
        token: mark.position.token,
    }
}
