//! What is observed of a channel, put together from what each service knows.

use fairway_shared::api::status::{ChannelState, ChannelStatus, TargetState};
use fairway_shared::channel::{Channel, text};

use super::Controller;
use super::catalog::{self, Deployed, Frozen, Wanted};
use super::drafts::parse;
use crate::problem::Refused;
use crate::services::HISTORY_KEPT;
use crate::worker;

impl Controller {
    /// What is observed of a channel, with its history.
    pub async fn status(&self, uid: &str) -> Result<ChannelStatus, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let deployed = catalog::find(&*self.services.config, &catalog::deployed(uid)).await?;
        // State and history are to tell the same.
        if self.shared.is_none() {
            self.worker.look(uid).await;
        }
        let mut status = self.brief(uid, deployed.as_ref()).await?;
        if status.edges.is_empty() && deployed.is_some() {
            let totals = self.services.positions.totals(uid).await?;
            if let Some(channel) = self.in_force(uid).await? {
                status.edges = worker::edges(&channel.spec.edges, &totals);
            }
        }
        self.add_schedule(&mut status).await?;
        status.history = match self.shared {
            Some(_) => self.services.status.history_seen(uid, HISTORY_KEPT).await?,
            None => self.services.status.history(uid, HISTORY_KEPT).await?,
        };
        Ok(status)
    }

    /// When it runs next, where it has a schedule.
    pub(super) async fn add_schedule(&self, status: &mut ChannelStatus) -> Result<(), Refused> {
        status.schedule = self.schedule_status(&status.uid).await?;
        if status.target != Some(TargetState::Running) {
            status.schedule.iter_mut().for_each(|schedule| schedule.next.clear());
        }
        Ok(())
    }

    /// The same without the history, and without edges unless it runs.
    pub(super) async fn brief(
        &self,
        uid: &str,
        deployed: Option<&Deployed>,
    ) -> Result<ChannelStatus, Refused> {
        if let Some(shared) = &self.shared {
            let seen = shared.sight.status(uid).await?;
            let mut status =
                seen.unwrap_or_else(|| ChannelStatus { uid: uid.to_owned(), ..Default::default() });
            let last = self.services.status.last_seen(uid).await?;
            status.since = last.map(|entry| entry.at);
            status.dead_letters = self.services.dead_letters.usage_seen(uid).await?.letters;
            return Ok(status);
        }
        let wanted: Option<Wanted> = catalog::find(&*self.services.config, &catalog::wanted(uid)).await?;
        let record = self.services.status.status(uid).await?.unwrap_or_default();
        let mut status = match self.worker.status(uid) {
            Some(live) => live,
            None => {
                let totals = self.services.positions.totals(uid).await?;
                ChannelStatus {
                    uid: uid.to_owned(),
                    // A version that was never started, because the process ended first, is stopped.
                    state: if deployed.is_some() && record.since.is_none() {
                        ChannelState::Stopped
                    } else {
                        record.state
                    },
                    cause: record.cause,
                    counts: totals.standing(),
                    nodes: worker::nodes(&totals),
                    ..ChannelStatus::default()
                }
            }
        };
        if deployed.is_none() {
            status.state = ChannelState::Draft;
        }
        status.target = wanted.map(|wanted| wanted.target);
        status.version = deployed.map(|deployed| deployed.version);
        status.since = record.since;
        status.dead_letters = self.services.dead_letters.usage(uid).await?.letters;
        Ok(status)
    }

    /// The version in force.
    pub(super) async fn in_force(&self, uid: &str) -> Result<Option<Channel>, Refused> {
        let config = &*self.services.config;
        let deployed: Option<Deployed> = catalog::find(config, &catalog::deployed(uid)).await?;
        let Some(deployed) = deployed else {
            return Ok(None);
        };
        let frozen: Option<Frozen> = catalog::find(config, &catalog::frozen(uid, deployed.version)).await?;
        Ok(match frozen {
            Some(frozen) => text::from_value(&parse(&frozen.document)?).0,
            None => None,
        })
    }
}
