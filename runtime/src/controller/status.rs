//! What is observed of a channel, put together from what each service knows.

use fairway_shared::api::status::{ChannelState, ChannelStatus};

use super::Controller;
use super::catalog::{self, Deployed, Frozen, Wanted};
use crate::problem::Refused;
use crate::services::HISTORY_KEPT;

impl Controller {
    /// What is observed of a channel, with its history.
    pub async fn status(&self, uid: &str) -> Result<ChannelStatus, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let deployed = catalog::find(&*self.services.config, &catalog::deployed(uid)).await?;
        let mut status = self.brief(uid, deployed.as_ref()).await?;
        status.history = self.services.status.history(uid, HISTORY_KEPT).await?;
        Ok(status)
    }

    /// The same without the history.
    pub(super) async fn brief(
        &self,
        uid: &str,
        deployed: Option<&Deployed>,
    ) -> Result<ChannelStatus, Refused> {
        let wanted: Option<Wanted> = catalog::find(&*self.services.config, &catalog::wanted(uid)).await?;
        let record = self.services.status.status(uid).await?.unwrap_or_default();
        let state = match deployed {
            None => ChannelState::Draft,
            Some(_) => record.state,
        };
        let totals = self.services.positions.totals(uid).await?;
        Ok(ChannelStatus {
            uid: uid.to_owned(),
            state,
            target: wanted.map(|wanted| wanted.target),
            version: deployed.map(|deployed| deployed.version),
            cause: record.cause,
            since: record.since,
            counts: totals.counts,
            dead_letters: self.services.dead_letters.usage(uid).await?.letters,
            ..ChannelStatus::default()
        })
    }

    /// The document of the version in force.
    pub(super) async fn in_force(&self, uid: &str) -> Result<Option<Frozen>, Refused> {
        let config = &*self.services.config;
        let deployed: Option<Deployed> = catalog::find(config, &catalog::deployed(uid)).await?;
        match deployed {
            Some(deployed) => Ok(catalog::find(config, &catalog::frozen(uid, deployed.version)).await?),
            None => Ok(None),
        }
    }
}
