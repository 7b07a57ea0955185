//! What the leader sees to beside granting tasks. Each step is a commit of its own that expects what it was worked out from, so a leader
//! that is not one any more, or a user who was faster, makes it come to nothing.

use std::collections::{HashMap, VecDeque};

use fairway_shared::api::status::{Cause, ChannelState, ChannelStatus, HistoryEntry, TargetState};

use super::Crew;
use super::sight::{Asked, Sight};
use crate::clock;
use crate::controller::catalog::{self, Deployed, Rest};
use crate::controller::deploy::replaying;
use crate::services::{Adjustment, Commit, Error, Expect, Result, Services};

/// State, cause and version that were written down last.
type Recorded = (ChannelState, Option<Cause>, Option<u32>);

/// Entries of histories that wait for brokers; the oldest make way.
const OWED: usize = 1000;

/// What a leader remembers from look to look.
#[derive(Default)]
pub(super) struct Duties {
    recorded: HashMap<String, Recorded>,
    /// What was observed and is not written down yet, such as an outage of the brokers that it would be written to.
    owed: VecDeque<(String, HistoryEntry)>,
}

impl Duties {
    /// Sees to one channel.
    pub(super) async fn see_to(
        &mut self,
        services: &Services,
        crew: &Crew,
        sight: &Sight,
        status: &ChannelStatus,
    ) -> Result<()> {
        let uid = &status.uid;
        self.note(services, status).await?;
        if !crew.in_touch() {
            return Ok(());
        }
        if let Some(asked) = sight.asked(uid).await? {
            let moved = match asked.version.deployed.due.is_empty() {
                false => settle(services, sight, uid, &asked).await,
                true => rest(services, crew, sight, uid, &asked).await,
            };
            match moved {
                // Somebody was faster: the next look sees what there is then.
                Err(Error::Conflict { .. }) | Ok(()) => {}
                Err(error) => return Err(error),
            }
        }
        while let Some((uid, entry)) = self.owed.front() {
            services.status.enter(uid, entry).await?;
            self.owed.pop_front();
        }
        Ok(())
    }

    /// Forgets channels that are gone.
    pub(super) fn keep(&mut self, there: impl Fn(&str) -> bool) {
        self.recorded.retain(|uid, _| there(uid));
        self.owed.retain(|(uid, _)| there(uid));
    }

    /// Another worker leads, and writes down what is observed from now on.
    pub(super) fn hand_over(&mut self) {
        *self = Self::default();
    }

    /// Notes a new state, to be written down.
    async fn note(&mut self, services: &Services, status: &ChannelStatus) -> Result<()> {
        let now: Recorded = (status.state, status.cause.clone(), status.version);
        if !self.recorded.contains_key(&status.uid)
            && let Some(last) = services.status.last_seen(&status.uid).await?
        {
            self.recorded.insert(status.uid.clone(), (last.state, last.cause, last.version));
        }
        if self.recorded.get(&status.uid) == Some(&now) {
            return Ok(());
        }
        let (state, cause, version) = now.clone();
        let code = cause.as_ref().map(|cause| cause.code.clone());
        let entry = HistoryEntry { at: clock::now(), state, cause, version, deed: None };
        self.owed.push_back((status.uid.clone(), entry));
        if self.owed.len() > OWED {
            self.owed.pop_front();
        }
        tracing::info!(channel = %status.uid, state = ?state, error.code = code, "the channel changed");
        self.recorded.insert(status.uid.clone(), now);
        Ok(())
    }
}

/// Brings the stored positions in line with a changed channel, once none of its old tasks is left. Doing it twice changes nothing.
async fn settle(services: &Services, sight: &Sight, uid: &str, asked: &Asked) -> Result<()> {
    let deployed = &asked.version.deployed;
    let stays = |task: &String| {
        !deployed.held.is_empty()
            && !deployed.held.contains(task)
            && deployed.plan.tasks.iter().any(|planned| planned.id == *task)
    };
    if !sight.places(uid).0.keys().all(stays) {
        return Ok(());
    }
    services.positions.adjust(uid, &deployed.due).await?;
    services.dead_letters.reset(uid, Some(&deployed.due.restarted)).await?;
    let marks = services.positions.marks(uid).await?;
    services.dead_letters.assign_replays(uid, &replaying(&deployed.plan), &marks).await?;
    let settled = Deployed { due: Adjustment::default(), held: Default::default(), ..deployed.clone() };
    let commit = Commit::default()
        .expect(catalog::deployed(uid), Expect::Revision(asked.revision))
        .put(catalog::deployed(uid), catalog::write(&settled)?);
    services.config.commit(commit).await?;
    tracing::info!(channel = uid, "positions are in line with the version in force");
    Ok(())
}

/// Lets a channel rest that has completed, or of which a task failed: it does not run in part (I8).
async fn rest(services: &Services, crew: &Crew, sight: &Sight, uid: &str, asked: &Asked) -> Result<()> {
    let Some((revision, wanted)) = asked.wanted.clone().filter(|_| asked.rest.is_none()) else {
        return Ok(());
    };
    if wanted.target == TargetState::Stopped {
        return Ok(());
    }
    let (places, _) = sight.places(uid);
    let reports = crew.backend().reports(uid);
    let mut completed = true;
    let mut failed = None;
    for task in &asked.version.deployed.plan.tasks {
        // What was told under an older grant, or by another form of the task, is over.
        let place = places.get(&task.id).filter(|place| place.form == wanted.form(task));
        let report = place
            .and_then(|place| reports.get(&task.id).filter(|report| report.generation == place.generation));
        let status = report.map(|report| &report.status);
        completed &= status.is_some_and(|status| status.state == ChannelState::Completed);
        failed = failed.or(status
            .filter(|status| matches!(status.state, ChannelState::Failed | ChannelState::Hold))
            .map(|status| Rest { state: status.state, cause: status.cause.clone() }));
    }
    let rest = match failed {
        Some(rest) => rest,
        None if completed => Rest { state: ChannelState::Completed, cause: None },
        None => return Ok(()),
    };
    let commit = Commit::default()
        .expect(catalog::deployed(uid), Expect::Revision(asked.revision))
        .expect(catalog::wanted(uid), Expect::Revision(revision))
        .expect(catalog::rest(uid), Expect::Absent)
        .put(catalog::rest(uid), catalog::write(&rest)?);
    services.config.commit(commit).await.map(drop)
}
