//! Workers, tasks and moves, as the API shows them.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use fairway_cluster::{Beat, Protocol, Stage, TaskName, Timing, Why};
use fairway_shared::api::cluster::{
    ClusterStatus, Leading, Move, Moves, PlaceReason, TaskPlace, WorkerState, WorkerStatus,
};
use fairway_shared::api::status::ChannelState;

use super::{Crew, Sight};
use crate::controller::catalog::{self, Summary};
use crate::services::kafka::same_move;
use crate::services::{Kind, Result, Services};

impl Crew {
    /// Which workers there are and who runs what.
    pub(crate) async fn describe(&self, services: &Services, sight: &Sight) -> Result<ClusterStatus> {
        let mut names = BTreeMap::new();
        for entry in services.config.list(Kind::Summary, "").await? {
            // What a later Fairway wrote has no name here.
            let name = catalog::read::<Summary>(&entry).map(|summary| summary.name);
            names.extend(name.map(|name| (entry.key.id.clone(), name)));
        }
        let mut states = BTreeMap::new();
        for entry in services.config.list(Kind::Deployment, "").await? {
            let Ok(Some(status)) = sight.status(&entry.key.id).await else { continue };
            for task in status.tasks {
                states.insert(TaskName::new(&entry.key.id, task.id), task.state);
            }
        }
        let described = self.look(|protocol, now| {
            let mut workers: BTreeMap<String, WorkerStatus> = BTreeMap::new();
            for (beat, silence) in protocol.heard(now) {
                let status = worker(protocol, beat, silence);
                let better = |there: &WorkerStatus| there.silent_ms > status.silent_ms;
                // Of several lives with one id the one that was heard last counts.
                if beat.stage != Stage::Left && workers.get(&status.id).is_none_or(better) {
                    workers.insert(status.id.clone(), status);
                }
            }
            let leader =
                protocol.leader(now).map(|(epoch, life)| Leading { worker: life.worker.clone(), epoch });
            for worker in workers.values_mut() {
                worker.leads = leader.as_ref().is_some_and(|leader| leader.worker == worker.id);
            }
            ClusterStatus {
                name: self.part.cluster.clone(),
                me: self.part.id.clone(),
                in_touch: protocol.is_sure(),
                leader,
                offset: protocol.settled().next(),
                workers: workers.into_values().collect(),
                tasks: tasks(protocol, &names, &states),
            }
        });
        Ok(described.unwrap_or_else(|| ClusterStatus {
            name: self.part.cluster.clone(),
            me: self.part.id.clone(),
            in_touch: false,
            leader: None,
            offset: 0,
            workers: Vec::new(),
            tasks: Vec::new(),
        }))
    }

    /// Changes of places, newest first.
    pub(crate) fn moved(&self) -> Moves {
        let mut moves = self.backend().journal.moves();
        {
            let seen = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
            let new = |seen: &&Move| !moves.iter().any(|known| same_move(known, seen));
            // What the leader is about to write down.
            let new: Vec<Move> = seen.iter().filter(new).cloned().collect();
            moves.extend(new);
        }
        moves.sort_by(|one, other| other.at.cmp(&one.at));
        Moves { moves }
    }

    /// Whether a worker of this id was heard, or is marked as drained.
    pub(crate) fn knows(&self, id: &str) -> bool {
        let known = |protocol: &Protocol, now| {
            protocol.settled().drained().contains(id)
                || protocol.heard(now).any(|(beat, _)| beat.life.worker == id)
        };
        self.look(known).unwrap_or_default()
    }
}

fn worker(protocol: &Protocol, beat: &Beat, silence: std::time::Duration) -> WorkerStatus {
    let settled = protocol.settled();
    let id = beat.life.worker.clone();
    let state = match beat.stage {
        _ if silence >= Timing::default().dead => WorkerState::Silent,
        Stage::Waiting => WorkerState::Joining,
        Stage::Leaving | Stage::Left => WorkerState::Leaving,
        Stage::Joined if settled.drained().contains(&id) => WorkerState::Drained,
        Stage::Joined => WorkerState::Ready,
    };
    let tasks = settled.slots().filter(|(_, slot)| slot.life == beat.life).count();
    WorkerStatus {
        state,
        address: beat.about.address.clone(),
        version: beat.about.version.clone(),
        leads: false,
        load: f64::from(beat.load) / 1000.0,
        capacity: beat.about.capacity.max(1),
        labels: beat.about.labels.clone(),
        tasks: tasks as u64,
        silent_ms: u64::try_from(silence.as_millis()).unwrap_or(u64::MAX),
        id,
    }
}

/// Every task that is granted or should be.
fn tasks(
    protocol: &Protocol,
    names: &BTreeMap<String, String>,
    states: &BTreeMap<TaskName, ChannelState>,
) -> Vec<TaskPlace> {
    let mut places: BTreeMap<TaskName, TaskPlace> = BTreeMap::new();
    let place = |name: &TaskName| TaskPlace {
        channel: name.channel.clone(),
        channel_name: names.get(&name.channel).cloned().unwrap_or_default(),
        task: name.task.clone(),
        worker: None,
        generation: None,
        why: None,
        going: None,
        state: states.get(name).copied().unwrap_or(ChannelState::Stopped),
    };
    for (name, slot) in protocol.settled().slots() {
        let granted = TaskPlace {
            worker: Some(slot.life.worker.clone()),
            generation: Some(slot.number()),
            why: Some(reason(slot.why)),
            going: slot.revoked.as_ref().map(|revoked| reason(revoked.why)),
            ..place(&name)
        };
        places.insert(name, granted);
    }
    let over = |state: &ChannelState| {
        use ChannelState::{Completed, Failed, Hold, Stopped};
        matches!(state, Completed | Failed | Hold | Stopped)
    };
    for (name, _) in states.iter().filter(|(_, state)| !over(state)) {
        places.entry(name.clone()).or_insert_with(|| place(name));
    }
    places.into_values().collect()
}

/// A reason as the API spells it.
pub(super) fn reason(why: Why) -> PlaceReason {
    match why {
        Why::Started => PlaceReason::Started,
        Why::Changed => PlaceReason::Changed,
        Why::Stopped => PlaceReason::Stopped,
        Why::WorkerLost => PlaceReason::WorkerLost,
        Why::WorkerLeaves => PlaceReason::WorkerLeaves,
        Why::WorkerDrained => PlaceReason::WorkerDrained,
        Why::Misfit => PlaceReason::Misfit,
        Why::Balance => PlaceReason::Balance,
    }
}
