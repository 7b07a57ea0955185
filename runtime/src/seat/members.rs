//! The seat as the service that the rest of Fairway asks for workers and owners.

use async_trait::async_trait;
use fairway_cluster::{Stage, TaskName};

use super::Seat;
use crate::services::{ClusterService, Error, Member, Result};

#[async_trait]
impl ClusterService for Seat {
    fn me(&self) -> &str {
        &self.life.worker
    }

    async fn members(&self) -> Result<Vec<Member>> {
        let mut ids: Vec<String> = self.look(|protocol, now| {
            let heard = protocol.heard(now);
            let present = heard.filter(|(beat, _)| matches!(beat.stage, Stage::Joined | Stage::Leaving));
            let present = present.filter(|(_, silence)| *silence < fairway_cluster::Timing::default().dead);
            present.map(|(beat, _)| beat.life.worker.clone()).collect()
        });
        ids.sort();
        ids.dedup();
        let me = self.me();
        Ok(ids.into_iter().map(|id| Member { is_me: id == me, id }).collect())
    }

    async fn owner(&self, uid: &str, task: &str) -> Result<String> {
        let name = TaskName::new(uid, task);
        let owner =
            self.look(|protocol, _| protocol.settled().slot(&name).map(|slot| slot.life.worker.clone()));
        owner.ok_or_else(|| Error::Unavailable(format!("nobody runs {name} now").into()))
    }
}
