//! What changes, told to those who listen at this worker, and the leader's duties at each look.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use fairway_cluster::{Settled, TaskName};
use fairway_shared::api::cluster::Move;
use fairway_shared::api::events::{ChannelGone, DraftChanged, Event};
use fairway_shared::api::status::{ChannelStatus, TargetState};
use tokio::sync::Mutex;

use super::duties::Duties;
use super::ledger::see_to_positions;
use super::places::reason;
use super::{Crew, Sight};
use crate::clock;
use crate::controller::catalog::Wanted;
use crate::controller::etag;
use crate::events::Events;
use crate::periodic::Periodic;
use crate::services::{Change, Error, Kind, Result, Services};
use crate::worker::Worker;

/// Time between two looks at what was settled.
const LOOK: Duration = Duration::from_millis(100);
/// Every so many looks, counts are told and sampled as well.
const COUNTS: u64 = 5;
/// Moves that are remembered here beside those that are written down.
const MOVES: usize = 500;
/// How long ago a move may have been seen that its leader did not come to write down, in milliseconds.
const LATELY: i64 = 60_000;

/// Watches everything from one worker.
pub(crate) struct Lookout {
    pub(crate) services: Services,
    pub(crate) crew: Arc<Crew>,
    pub(crate) sight: Arc<Sight>,
    pub(crate) worker: Worker,
    pub(crate) events: Events,
}

/// What was seen at the last look.
#[derive(Default)]
struct Seen {
    looks: u64,
    revision: Option<u64>,
    published: HashMap<String, ChannelStatus>,
    slots: BTreeMap<TaskName, (String, u64)>,
    /// Nothing of what is settled was read yet when the worker came: it does not count as moved.
    settled: bool,
    duties: Duties,
}

impl Lookout {
    /// Watches until it is dropped.
    pub(crate) fn watch(self) -> Periodic {
        let (lookout, seen) = (Arc::new(self), Arc::new(Mutex::new(Seen::default())));
        Periodic::spawn("watching the cluster", LOOK, move || {
            let (lookout, seen) = (lookout.clone(), seen.clone());
            async move { lookout.look(&mut *seen.lock().await).await }
        })
    }

    async fn look(&self, seen: &mut Seen) -> Result<()> {
        let mut news = self.tell_changes(seen).await?;
        news |= self.note_moves(seen);
        seen.looks += 1;
        let counts = seen.looks.is_multiple_of(COUNTS);
        if !news && !counts {
            return Ok(());
        }
        if matches!(self.crew.leader(), Some((_, false))) {
            seen.duties.hand_over();
        }
        let mut fault = None;
        if self.crew.leads() && self.crew.in_touch() {
            fault = self.crew.write_moves().await.err();
            if counts && let Err(error) = see_to_positions(&self.services, self.crew.backend()).await {
                fault.get_or_insert(error);
            }
        }
        let entries = self.services.config.list(Kind::Deployment, "").await?;
        for entry in &entries {
            let uid = &entry.key.id;
            // One channel that cannot be seen to hides none of the others.
            match self.sight.status(uid).await {
                Ok(Some(status)) => {
                    if let Err(error) = self.look_at(status, counts, seen).await {
                        fault.get_or_insert(error);
                    }
                }
                Ok(None) => {}
                // Written by a later Fairway.
                Err(error) => tracing::debug!(%error, channel = uid, "what is settled cannot be read"),
            }
        }
        if counts {
            let there: BTreeSet<&str> = entries.iter().map(|entry| entry.key.id.as_str()).collect();
            self.sight.keep(|uid| there.contains(uid));
            seen.duties.keep(|uid| there.contains(uid));
            seen.published.retain(|uid, _| there.contains(uid.as_str()));
        }
        match fault {
            // It has just lost the lead; whoever has it sees to the rest.
            None | Some(Error::Conflict { .. } | Error::Follower | Error::Fenced | Error::Uncertain(_)) => {
                Ok(())
            }
            Some(error) => Err(error),
        }
    }

    /// Tells of one channel, and sees to it where this worker leads.
    async fn look_at(&self, mut status: ChannelStatus, counts: bool, seen: &mut Seen) -> Result<()> {
        let uid = &status.uid.clone();
        if counts {
            self.sight.sample(uid).await?;
        }
        let mut fault = None;
        if self.crew.leads() {
            let seen_to = seen.duties.see_to(&self.services, &self.crew, &self.sight, &status).await;
            fault = seen_to.err();
        }
        // What became of that does not keep listeners from what is observed.
        let record = self.services.status.last_seen(uid).await?;
        status.since = record.map(|record| record.at);
        let before = seen.published.get(uid);
        let new_state = before.is_none_or(|before| differs(before, &status));
        if new_state || (counts && before != Some(&status)) {
            status.dead_letters = self.services.dead_letters.usage_seen(uid).await?.letters;
            seen.published.insert(uid.to_owned(), status.clone());
            self.events.publish(Event::Status(Box::new(status)));
        }
        fault.map_or(Ok(()), Err)
    }

    /// Tells which drafts and channels changed, and has tasks here pause and go on; answers whether anything was settled.
    async fn tell_changes(&self, seen: &mut Seen) -> Result<bool> {
        let changes = self.services.config.since(seen.revision.unwrap_or_default()).await?;
        let Some(last) = changes.last() else { return Ok(false) };
        let last = last.revision;
        if seen.revision.is_some() {
            changes.iter().for_each(|change| self.tell(change));
        }
        for change in changes.iter().filter(|change| change.key.kind == Kind::Target) {
            let wanted = change.value.as_deref().map(serde_json::from_str::<Wanted>);
            if let Some(Ok(wanted)) = wanted {
                self.worker.pause_placed(&change.key.id, wanted.target == TargetState::Paused);
                // It was perhaps asked for again because there are dead letters to be tried.
                self.worker.replay_placed(&change.key.id);
            }
        }
        seen.revision = Some(last);
        Ok(true)
    }

    fn tell(&self, change: &Change) {
        let uid = change.key.id.clone();
        match (change.key.kind, &change.value) {
            (Kind::Draft, Some(_)) => {
                self.events.publish(Event::Draft(DraftChanged { uid, etag: etag(change.revision) }));
            }
            (Kind::Summary, None) => self.events.publish(Event::Deleted(ChannelGone { uid })),
            _ => {}
        }
    }

    /// Compares who has which task with the look before; answers whether anything moved.
    fn note_moves(&self, seen: &mut Seen) -> bool {
        let moves = self.crew.look(|protocol, _| {
            let settled = protocol.settled();
            if settled.next() == 0 {
                return Vec::new();
            }
            let now: BTreeMap<TaskName, (String, u64)> = settled
                .slots()
                .map(|(name, slot)| (name, (slot.life.worker.clone(), slot.number())))
                .collect();
            let first = !std::mem::replace(&mut seen.settled, true);
            let moves = if first { Vec::new() } else { moves(&seen.slots, &now, settled) };
            seen.slots = now;
            moves
        });
        let moves = moves.unwrap_or_default();
        let news = !moves.is_empty();
        self.crew.remember(moves);
        news
    }
}

impl Crew {
    fn remember(&self, new: Vec<Move>) {
        let mut moves = self.moves.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        moves.extend(new);
        let surplus = moves.len().saturating_sub(MOVES);
        moves.drain(..surplus);
    }
}

impl Crew {
    /// Writes down what was seen lately, and by no leader before.
    async fn write_moves(&self) -> Result<()> {
        let lately = clock::now_ms() - LATELY;
        let recent: Vec<Move> = {
            let moves = self.moves.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let is_recent = |seen: &&Move| clock::to_ms(&seen.at).is_some_and(|at| at >= lately);
            moves.iter().filter(is_recent).cloned().collect()
        };
        self.backend().control.note_moves(&recent).await
    }
}

/// Whether more than counts has changed.
fn differs(before: &ChannelStatus, now: &ChannelStatus) -> bool {
    (before.state, before.target, before.version, &before.cause, &before.tasks)
        != (now.state, now.target, now.version, &now.cause, &now.tasks)
}

/// What was granted, moved or let go between two looks.
fn moves(
    before: &BTreeMap<TaskName, (String, u64)>,
    now: &BTreeMap<TaskName, (String, u64)>,
    settled: &Settled,
) -> Vec<Move> {
    let at = clock::now();
    let names: BTreeSet<&TaskName> = before.keys().chain(now.keys()).collect();
    let moved = |name: &TaskName| {
        let (from, to) = (before.get(name), now.get(name));
        if from.map(|(_, number)| number) == to.map(|(_, number)| number) {
            return None;
        }
        let why = settled.slot(name).map_or(fairway_cluster::Why::Stopped, |slot| slot.why);
        Some(Move {
            at: at.clone(),
            channel: name.channel.clone(),
            task: name.task.clone(),
            from: from.map(|(worker, _)| worker.clone()),
            to: to.map(|(worker, _)| worker.clone()),
            why: reason(why),
            generation: to.map(|(_, number)| *number),
        })
    };
    names.into_iter().filter_map(moved).collect()
}
