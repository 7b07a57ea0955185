//! Whether the positions topic is the one that the cluster knows. One that was deleted and made anew looks like one in which nobody has
//! come anywhere: every channel would read everything again. So each partition bears a stamp that is settled on control as well, and the
//! leader, when the stamp is missing, has the channels hold until their users have said what to do.

use fairway_shared::api::status::{ChannelState, TargetState};

use crate::controller::catalog::{self, Rest, Wanted};
use crate::services::kafka::{Backend, Stamp};
use crate::services::{Commit, ConfigService, Error, Expect, Kind, Result, Services};

/// Stamps the positions topic of a new cluster; of an old one it looks whether the stamp is there, which costs nothing while it is.
pub(super) async fn see_to_positions(services: &Services, backend: &Backend) -> Result<()> {
    let config = &*services.config;
    let entry = config.get(&Stamp::key()).await?;
    let known: Option<Stamp> = entry.as_ref().map(catalog::read).transpose()?;
    if known.is_some() && backend.stamp() == known {
        return Ok(());
    }
    backend.settle_positions().await?;
    let stamp = match (entry, known, backend.stamp()) {
        (_, Some(known), Some(found)) if known == found => return Ok(()),
        (Some(entry), Some(known), _) => return lost(config, backend, entry.revision, &known).await,
        // A leader before this one did not come to writing it down.
        (_, _, Some(found)) => found,
        (_, _, None) => {
            let stamp = Stamp::after(None);
            backend.put_stamp(&stamp).await?;
            stamp
        }
    };
    let commit = Commit::default().expect(Stamp::key(), Expect::Absent);
    config.commit(commit.put(Stamp::key(), catalog::write(&stamp)?)).await.map(drop)
}

/// Has every channel hold whose positions were in the topic that is gone. Written down before the new topic is stamped, so that no task
/// begins in between; a leader that does not come to the stamp leaves it to the next.
async fn lost(config: &dyn ConfigService, backend: &Backend, revision: u64, known: &Stamp) -> Result<()> {
    let stamp = Stamp::after(Some(known));
    let cause = fairway_engine::Error::from(Error::PositionsLost).cause();
    let rest = catalog::write(&Rest { state: ChannelState::Hold, cause: Some(cause) })?;
    let mut commit = Commit::default()
        .expect(Stamp::key(), Expect::Revision(revision))
        .put(Stamp::key(), catalog::write(&stamp)?);
    for entry in config.list(Kind::Deployment, "").await? {
        let uid = &entry.key.id;
        commit = commit.put(catalog::lost(uid), "{}");
        let wanted: Option<Wanted> = catalog::find(config, &catalog::wanted(uid)).await?;
        if wanted.is_some_and(|wanted| wanted.target != TargetState::Stopped) {
            commit = commit.put(catalog::rest(uid), rest.clone());
        }
    }
    tracing::error!("the positions topic was lost: every channel holds until its user has it start over");
    config.commit(commit).await?;
    backend.put_stamp(&stamp).await
}
