//! What is remembered of a channel's records: positions and dead letters.

use fairway_engine::store::StoredMark;
use fairway_shared::api::channels::{Positions, StoredPosition};
use fairway_shared::api::dead_letters::{
    Affected, DeadLetter, DeadLetters, EditedRecord, LetterGroups, ReplayStart, Replaying, Selection,
};
use fairway_shared::api::preview::PreviewAnswer;
use fairway_shared::api::status::{Caller, Cause, ChannelState, Deed, DeedKind, HistoryEntry, TargetState};
use fairway_shared::plan::Plan;
use serde_json::Value;

use super::Controller;
use super::catalog::{self, Deployed, Wanted};
use super::deploy::{replaying, sources};
use crate::clock;
use crate::problem::{Refused, codes};
use crate::services::{DeadLetterService, Edit, Filter, Page, Services};

/// Dead letters in a page unless asked otherwise.
const PAGE: u64 = 50;
/// Most dead letters in a page.
const LARGEST_PAGE: u64 = 500;

impl Controller {
    /// All positions of a channel, by source, partition, target.
    pub async fn positions(&self, uid: &str) -> Result<Positions, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let marks = self.services.positions.marks(uid).await?;
        Ok(Positions { positions: marks.into_iter().filter_map(stored_position).collect() })
    }

    /// A page of the dead letters chosen, newest first.
    pub async fn dead_letters(
        &self,
        uid: &str,
        selection: &Selection,
        limit: Option<u64>,
        offset: Option<u64>,
    ) -> Result<DeadLetters, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let limit = limit.unwrap_or(PAGE).min(LARGEST_PAGE);
        let page =
            Page { limit: u32::try_from(limit).unwrap_or(u32::MAX), offset: offset.unwrap_or_default() };
        page_of(&*self.services.dead_letters, uid, selection, page).await
    }

    /// One dead letter.
    pub async fn dead_letter(&self, uid: &str, id: &str) -> Result<DeadLetter, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        letter_of(&*self.services.dead_letters, uid, id).await
    }

    /// All dead letters by node and cause.
    pub async fn dead_letter_groups(&self, uid: &str) -> Result<LetterGroups, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        Ok(LetterGroups { groups: self.services.dead_letters.groups(uid).await? })
    }

    /// Has another record tried again in a dead letter's place, and says so in the channel's history.
    pub async fn edit_letter(
        &self,
        uid: &str,
        id: &str,
        edited: &EditedRecord,
        by: Caller,
    ) -> Result<DeadLetter, Refused> {
        let _turn = self.turn(uid).await;
        catalog::must(&*self.services.config, uid).await?;
        edit_letter(&self.services, uid, id, edited, by).await
    }

    /// Runs a dead letter's record, or one in its place, from the node that refused it on, by the version in force.
    pub async fn preview_letter(
        &self,
        uid: &str,
        id: &str,
        edited: &EditedRecord,
    ) -> Result<PreviewAnswer, Refused> {
        let letter = self.dead_letter(uid, id).await?;
        must_be_record(&letter, edited.record.as_ref())?;
        let Some(channel) = self.in_force(uid).await? else {
            return Err(
                Refused::new(codes::LETTER_NO_NODE, "no version is in force").help("deploy the channel")
            );
        };
        let record = edited.record.clone().unwrap_or(letter.record);
        self.preview_from(uid, &channel, &letter.node, record).await
    }

    /// Has dead letters enter again at the node that refused them; an empty selection means all. A channel that is stopped or has
    /// completed is started for them alone.
    pub async fn replay(&self, uid: &str, selection: &Selection) -> Result<Replaying, Refused> {
        let _turn = self.turn(uid).await;
        self.must_be_deployed(uid).await?;
        let config = &*self.services.config;
        let deployed: Option<Deployed> = catalog::find(config, &catalog::deployed(uid)).await?;
        let plan = deployed.map(|deployed| deployed.plan);
        let asked = ask_replay(&*self.services.dead_letters, uid, selection, plan.as_ref()).await?;
        if asked.affected == 0 {
            return Ok(asked);
        }
        let Replaying { affected, skipped, .. } = asked;
        tracing::info!(channel = uid, affected, skipped, "dead letters are to be tried again");
        Ok(Replaying { start: self.start_replay(uid).await?, ..asked })
    }

    /// Has letters tried that were asked for. The caller has the channel's turn.
    pub(super) async fn start_replay(&self, uid: &str) -> Result<ReplayStart, Refused> {
        let wanted: Option<Wanted> = catalog::find(&*self.services.config, &catalog::wanted(uid)).await?;
        let (runs, only_now) = match &self.shared {
            Some(shared) => (self.ask_replay_of_tasks(shared, uid).await?, true),
            None => (self.worker.replay(uid), false),
        };
        if runs {
            let paused = wanted.is_some_and(|wanted| wanted.target == TargetState::Paused);
            return Ok(if paused { ReplayStart::WhenRunning } else { ReplayStart::Now });
        }
        // On a cluster nothing is started for them alone.
        if only_now {
            return Ok(ReplayStart::WhenRunning);
        }
        let last = self.services.status.status(uid).await?.unwrap_or_default();
        // What failed or holds waits for a decision; its letters go with it.
        if matches!(last.state, ChannelState::Failed | ChannelState::Hold) {
            return Ok(ReplayStart::WhenRunning);
        }
        match self.ready(uid).await? {
            Some(job) => {
                let completed = last.state == ChannelState::Completed;
                self.worker.start_replays(job, completed).await?;
                Ok(ReplayStart::Now)
            }
            None => Ok(ReplayStart::WhenRunning),
        }
    }

    /// Discards dead letters for good; an empty selection means all.
    pub async fn discard(&self, uid: &str, selection: &Selection) -> Result<Affected, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let affected = self.services.dead_letters.discard(uid, &filter(selection)?).await?;
        self.worker.letters_changed(uid).await;
        Ok(Affected { affected })
    }
}

/// Marks dead letters to be tried again by the tasks of a plan, and says which cannot be and why. Nothing is started.
pub(crate) async fn ask_replay(
    store: &dyn DeadLetterService,
    uid: &str,
    selection: &Selection,
    plan: Option<&Plan>,
) -> Result<Replaying, Refused> {
    let filter = filter(selection)?;
    let tasks = plan.map(replaying).unwrap_or_default();
    let chosen = store.count(uid, &filter).await?;
    let affected = store.ask_replay(uid, &filter, &tasks).await?;
    let skipped = chosen.saturating_sub(affected);
    let mut of_sources = 0;
    if skipped > 0 {
        for source in plan.map(sources).unwrap_or_default() {
            if filter.node.as_ref().is_none_or(|node| *node == source) {
                of_sources += store.count(uid, &Filter { node: Some(source), ..filter.clone() }).await?;
            }
        }
    }
    let reason = |letters: u64, code: &str, why: &str, help: &str| {
        let message = format!("{letters} of the dead letters cannot be tried again: {why}");
        let cause = Cause { code: code.to_owned(), message, help: Some(help.to_owned()), node: None };
        (letters > 0).then_some(cause)
    };
    let reasons = [
        reason(
            of_sources,
            "dead_letter.refused_by_source",
            "a source could not make a record of what it read",
            "mend what was read, or the source's settings, and have it read again",
        ),
        reason(
            skipped.saturating_sub(of_sources),
            "dead_letter.no_such_node",
            "the node that refused them is not in the version in force",
            "deploy a version that has it, or discard them",
        ),
    ];
    let start = if affected > 0 { ReplayStart::WhenRunning } else { ReplayStart::Nothing };
    Ok(Replaying { affected, skipped, reasons: reasons.into_iter().flatten().collect(), start })
}

/// Keeps an edited record beside a dead letter's own, or takes it back, and notes who did.
pub(crate) async fn edit_letter(
    services: &Services,
    uid: &str,
    id: &str,
    edited: &EditedRecord,
    by: Caller,
) -> Result<DeadLetter, Refused> {
    let store = &*services.dead_letters;
    let letter = letter_of(store, uid, id).await?;
    must_be_record(&letter, edited.record.as_ref())?;
    match store.edit(uid, id, edited.record.as_ref()).await? {
        Edit::Done => {}
        Edit::Unknown => return Err(no_letter(id)),
        Edit::UnderWay => {
            let detail =
                "the dead letter waits to be tried again, and which record that is cannot change now";
            return Err(Refused::new(codes::LETTER_UNDER_WAY, detail)
                .help("edit it when that has come to something; refused again, it stays"));
        }
    }
    let what = if edited.record.is_some() { DeedKind::LetterEdited } else { DeedKind::LetterRestored };
    let deed = Deed { what, subject: id.to_owned(), node: Some(letter.node), by };
    services.status.note(uid, &HistoryEntry::of_deed(clock::now(), deed)).await?;
    tracing::info!(
        channel = uid,
        letter = id,
        ?by,
        restored = edited.record.is_none(),
        "a dead letter was edited"
    );
    letter_of(store, uid, id).await
}

/// An edited record must be one that can enter a node.
fn must_be_record(letter: &DeadLetter, record: Option<&Value>) -> Result<(), Refused> {
    if letter.node == letter.source {
        let detail = "a source refused it: there is no record that could enter anywhere";
        return Err(Refused::new(codes::LETTER_OF_SOURCE, detail)
            .help("mend what was read, or the source's settings, and have it read again"));
    }
    match record {
        Some(record) if !record.get("value").is_some_and(Value::is_object) => {
            let detail = "the record is no object with an object for `value`";
            Err(Refused::new(codes::REQUEST_UNREADABLE, detail).help(
                "send it as the dead letter has it: `{ \"value\": { … }, \"key\": …, \"headers\": … }`",
            ))
        }
        _ => Ok(()),
    }
}

fn no_letter(id: &str) -> Refused {
    Refused::new(codes::LETTER_NOT_FOUND, format!("there is no dead letter `{id}` here"))
        .help("list them to see what there is")
}

/// A page of a store's dead letters.
pub(crate) async fn page_of(
    store: &dyn DeadLetterService,
    uid: &str,
    selection: &Selection,
    page: Page,
) -> Result<DeadLetters, Refused> {
    let filter = filter(selection)?;
    let usage = store.usage(uid).await?;
    Ok(DeadLetters {
        dead_letters: store.list(uid, &filter, page).await?,
        total: usage.letters,
        matching: store.count(uid, &filter).await?,
        replaying: usage.replaying,
        evicted: usage.evicted,
    })
}

/// One dead letter of a store.
pub(crate) async fn letter_of(
    store: &dyn DeadLetterService,
    uid: &str,
    id: &str,
) -> Result<DeadLetter, Refused> {
    let filter = Filter { ids: Some(vec![id.to_owned()]), ..Filter::default() };
    let found = store.list(uid, &filter, Page { limit: 1, offset: 0 }).await?.pop();
    found.ok_or_else(|| no_letter(id))
}

/// What a caller chose, as the store takes it.
pub(crate) fn filter(selection: &Selection) -> Result<Filter, Refused> {
    let time = |name: &str, text: &Option<String>| {
        let wrong = |text: &String| {
            Refused::new(codes::REQUEST_UNREADABLE, format!("`{name}`: `{text}` is no time"))
                .help("write it as 2026-11-30T12:00:00Z")
        };
        text.as_ref().map(|text| clock::to_ms(text).ok_or_else(|| wrong(text))).transpose()
    };
    Ok(Filter {
        ids: selection.ids.clone(),
        node: selection.node.clone(),
        code: selection.code.clone(),
        since: time("since", &selection.since)?,
        until: time("until", &selection.until)?,
    })
}

/// A watermark as callers see it; that of dead letters tried again is nobody's position.
pub(crate) fn stored_position(mark: StoredMark) -> Option<StoredPosition> {
    (!mark.stream.is_replay()).then(|| StoredPosition {
        source: mark.stream.source.to_string(),
        partition: mark.stream.partition.to_string(),
        target: mark.target,
        order: mark.position.order,
        token: mark.position.token,
    })
}
