//! Channels that run at set times: each time once to the end, never two at a time. A time that passed while nothing ran, because the
//! process was down, is made up for once or skipped, as the schedule says.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use fairway_shared::api::status::{ChannelState, ScheduleStatus, TargetState};
use fairway_shared::channel::{Missed, Schedule};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::Controller;
use super::catalog::{self, Wanted};
use crate::clock;
use crate::problem::Refused;
use crate::schedule::Times;
use crate::services::{Commit, Error, Key, Kind};

/// Longest time between two looks at all schedules.
const LOOK: Duration = Duration::from_secs(1);
/// A time that is seen later than this was missed.
const LATE: chrono::Duration = chrono::Duration::minutes(2);

/// What is remembered of a channel's schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    cron: String,
    timezone: String,
    missed: Missed,
    /// Everything up to here is seen to; milliseconds since 1970.
    seen: i64,
    /// The last run that the schedule started, in milliseconds since 1970.
    started: Option<i64>,
    /// When the run began that has not ended yet, as far as was seen; milliseconds since 1970.
    begun: Option<i64>,
}

impl Kept {
    fn times(&self) -> Option<Times> {
        // It was checked when it was deployed; a zone that is gone since has no times.
        Times::new(&self.schedule()).ok()
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            cron: self.cron.clone(),
            timezone: self.timezone.clone(),
            missed: self.missed,
            ..Schedule::default()
        }
    }
}

impl Controller {
    /// Starts channels at their times, until told to end.
    pub(crate) async fn keep_schedules(self, ending: CancellationToken) {
        loop {
            tokio::select! {
                () = ending.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            if self.crew().is_some_and(|crew| !crew.leads()) {
                continue;
            }
            if let Err(refused) = self.run_due(Utc::now()).await {
                tracing::warn!(error = %refused, "schedules could not be looked at");
            }
        }
    }

    /// Starts every channel whose time has come at this moment; answers the uids of those started.
    pub async fn run_due(&self, now: DateTime<Utc>) -> Result<Vec<String>, Refused> {
        let mut started = Vec::new();
        for entry in self.services.config.list(Kind::Schedule, "").await? {
            let uid = &entry.key.id;
            match self.run_if_due(uid, now).await {
                Ok(true) => started.push(uid.clone()),
                Ok(false) => {}
                Err(refused) => {
                    tracing::warn!(channel = %uid, error = %refused, "a scheduled run could not start")
                }
            }
        }
        Ok(started)
    }

    async fn run_if_due(&self, uid: &str, now: DateTime<Utc>) -> Result<bool, Refused> {
        let Some(kept) = self.kept(uid).await? else {
            return Ok(false);
        };
        if is_due(&kept, now).is_none() && (kept.begun.is_none() || self.is_alive(uid).await?) {
            return Ok(false);
        }
        let _turn = self.turn(uid).await;
        // Whoever had the turn before may have changed it.
        let Some(kept) = self.kept(uid).await? else {
            return Ok(false);
        };
        let wanted: Option<Wanted> = catalog::find(&*self.services.config, &catalog::wanted(uid)).await?;
        let active = wanted.is_some_and(|wanted| wanted.target == TargetState::Running);
        let alive = self.is_alive(uid).await?;
        let Some(late) = is_due(&kept, now) else {
            return self.see_end(uid, kept, active, alive).await.map(|()| false);
        };
        let skipped = match () {
            () if !active => Some("it is paused or stopped"),
            () if alive => Some("the run before has not ended"),
            () if late && kept.missed == Missed::Skip => Some("nothing ran at that time"),
            () => None,
        };
        let seen = now.timestamp_millis();
        if let Some(reason) = skipped {
            tracing::info!(channel = uid, reason, "a scheduled run is left out");
            self.keep(uid, &Kept { seen, ..kept }).await?;
            return Ok(false);
        }
        tracing::info!(channel = uid, late, "a scheduled run starts");
        // Written first: a crash right after it leaves a run that goes on, not one that is started twice.
        self.keep(uid, &Kept { seen, started: Some(seen), begun: Some(clock::now_ms()), ..kept }).await?;
        self.bring_about(uid).await?;
        Ok(true)
    }

    /// A run is under way as far as is written, and no time has come: it ended, or the process did and the run goes on.
    async fn see_end(&self, uid: &str, kept: Kept, active: bool, alive: bool) -> Result<(), Refused> {
        let (Some(begun), false) = (kept.begun, alive) else {
            return Ok(());
        };
        let here = self.began_here().remove(uid) == Some(begun);
        let last = self.services.status.status(uid).await?.unwrap_or_default();
        let over = matches!(last.state, ChannelState::Completed | ChannelState::Failed | ChannelState::Hold);
        // What is written may still be the end of the run before.
        let since = last.since.as_deref().and_then(clock::to_ms);
        // On a cluster a run that ended rests, whatever was written of it.
        let ended = here || over && since.is_some_and(|since| since >= begun) || self.rests(uid).await?;
        if active && !ended {
            return self.bring_about(uid).await;
        }
        Ok(self.keep(uid, &Kept { begun: None, ..kept }).await?)
    }

    /// Adds to a deploy what is remembered of its schedule; a new or changed one begins now.
    pub(super) async fn with_schedule(
        &self,
        commit: Commit,
        uid: &str,
        schedule: Option<&Schedule>,
    ) -> Result<Commit, Refused> {
        let Some(schedule) = schedule else {
            return Ok(commit.delete(key(uid)));
        };
        let Schedule { cron, timezone, missed, .. } = schedule.clone();
        let kept = match self.kept(uid).await? {
            Some(kept) if (&kept.cron, &kept.timezone) == (&cron, &timezone) => Kept { missed, ..kept },
            before => Kept {
                cron,
                timezone,
                missed,
                seen: clock::now_ms(),
                started: before.as_ref().and_then(|before| before.started),
                begun: before.and_then(|before| before.begun),
            },
        };
        Ok(commit.put(key(uid), catalog::write(&kept)?))
    }

    /// Takes note that a channel with a schedule is about to run, so that the run goes on after a crash; answers when it began.
    pub(super) async fn note_begin(&self, uid: &str) -> Result<Option<i64>, Error> {
        let Some(kept) = self.kept(uid).await? else {
            return Ok(None);
        };
        if kept.begun.is_some() && self.is_alive(uid).await? {
            return Ok(kept.begun);
        }
        let begun = Some(clock::now_ms());
        self.keep(uid, &Kept { begun, ..kept }).await?;
        Ok(begun)
    }

    /// When the last run of a scheduled channel began that this process started.
    pub(super) fn began_here(&self) -> MutexGuard<'_, HashMap<String, i64>> {
        self.began.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a channel starts by its schedule only.
    pub(super) async fn is_scheduled(&self, uid: &str) -> Result<bool, Error> {
        Ok(self.services.config.get(&key(uid)).await?.is_some())
    }

    /// What is shown of a channel's schedule.
    pub(super) async fn schedule_status(&self, uid: &str) -> Result<Option<ScheduleStatus>, Error> {
        Ok(self.kept(uid).await?.map(|kept| ScheduleStatus {
            next: kept.times().map(|times| times.next_three(Utc::now())).unwrap_or_default(),
            last: kept.started.map(clock::from_ms),
            cron: kept.cron,
            timezone: kept.timezone,
        }))
    }

    async fn kept(&self, uid: &str) -> Result<Option<Kept>, Error> {
        catalog::find(&*self.services.config, &key(uid)).await
    }

    async fn keep(&self, uid: &str, kept: &Kept) -> Result<(), Error> {
        self.services.config.commit(Commit::default().put(key(uid), catalog::write(kept)?)).await.map(drop)
    }
}

/// Whether a time has come that is not seen to; with whether all such times are long past.
fn is_due(kept: &Kept, now: DateTime<Utc>) -> Option<bool> {
    let times = kept.times()?;
    let seen = DateTime::from_timestamp_millis(kept.seen)?;
    let recent = now - LATE;
    // A clock that was ahead and is put right must not hold the schedule back until it is that late again.
    let seen = if seen > now + LATE { recent } else { seen };
    let comes = |after: DateTime<Utc>| times.after(after).is_some_and(|time| time <= now);
    comes(seen).then(|| !comes(seen.max(recent)))
}

fn key(uid: &str) -> Key {
    Key::new(Kind::Schedule, uid)
}
