//! Looks at records that pass an edge of a running channel. On a cluster they are opened where the records pass.

use std::sync::Arc;

use fairway_engine::task::tap;
use fairway_shared::api::status::{Caller, Deed, DeedKind, HistoryEntry};
use fairway_shared::api::taps::{Tap, Tapped};
use fairway_shared::channel::{Channel, Edge};
use fairway_shared::plan;

use super::Controller;
use super::catalog::{self, Deployed};
use crate::clock;
use crate::problem::{Refused, codes};
use crate::tap::{AT_ONCE, Hidden, lasting};

/// Stands between the worker and what is left of the id of a tap.
const AT: &str = "~";

impl Controller {
    /// Opens a tap of an edge, and says so in the channel's history.
    pub async fn open_tap(
        &self,
        uid: &str,
        from: &str,
        to: &str,
        seconds: Option<u64>,
        by: Caller,
    ) -> Result<Tap, Refused> {
        catalog::must(&*self.services.config, uid).await?;
        let (channel, tasks) = self.passing(uid, from, to).await?;
        let edge = edge_of(&channel, from, to).ok_or_else(|| no_edge(from, to))?;
        let hidden = Hidden::of(&channel);
        let lasts = lasting(seconds);
        let spellings = self.spellings(&channel, edge, &tasks);
        let told = Tap {
            id: format!("{}{AT}{}", self.services.cluster.me(), uuid::Uuid::new_v4().simple()),
            from: edge.from.to_string(),
            to: edge.to.to_string(),
            at: clock::now(),
            seconds_left: u32::try_from(lasts.as_secs()).unwrap_or(u32::MAX),
            hidden: hidden.told(),
        };
        let tap = Arc::new(tap::Tap::new(spellings, lasts, move |field| hidden.hides(field)));
        if !self.taps.keep(uid, told.clone(), tap.clone()) {
            return Err(Refused::new(codes::TAP_BUSY, format!("{AT_ONCE} taps are open here"))
                .help("close one, or wait until one ends"));
        }
        if !self.worker.hang(uid, &tap) {
            self.taps.close(uid, &told.id);
            return Err(Refused::new(
                codes::TAP_NOT_RUNNING,
                "the channel does not run, so nothing passes its edges",
            )
            .help("start it, or look at samples in a preview"));
        }
        let subject = format!("{}>{}", edge.from, edge.to);
        let deed = Deed { what: DeedKind::TapOpened, subject: subject.clone(), node: None, by };
        if let Err(error) = self.services.status.note(uid, &HistoryEntry::of_deed(clock::now(), deed)).await {
            // Nobody looks without a note of it.
            self.let_tap_go(uid, &told.id);
            return Err(error.into());
        }
        tracing::info!(channel = uid, edge = subject, ?by, seconds = lasts.as_secs(), "a tap was opened");
        Ok(told)
    }

    /// What a tap has seen beyond a number.
    pub fn read_tap(&self, uid: &str, id: &str, after: u64) -> Result<Tapped, Refused> {
        self.taps.read(uid, id, after).ok_or_else(|| {
            Refused::new(codes::TAP_NOT_FOUND, format!("there is no tap `{id}` here"))
                .help("it may have ended, or its worker with it: open another")
        })
    }

    /// Ends a tap; one that has ended already is no fault.
    pub fn close_tap(&self, uid: &str, id: &str) {
        self.let_tap_go(uid, id);
    }

    fn let_tap_go(&self, uid: &str, id: &str) {
        if let Some(tap) = self.taps.close(uid, id) {
            self.worker.take_down(uid, &tap);
        }
    }

    /// Address of the worker past which an edge's records go, or that has a tap, unless it is this one.
    pub(crate) async fn tap_elsewhere(&self, uid: &str, what: TapPlace<'_>) -> Option<String> {
        let crew = self.crew()?;
        match what {
            TapPlace::Edge(from, to) => {
                let (_, tasks) = self.passing(uid, from, to).await.ok()?;
                let (mut places, mut here) = (Vec::new(), false);
                for task in &tasks {
                    match crew.address_of(uid, &task.id) {
                        Some(address) => places.push(address),
                        None => here = true,
                    }
                }
                places.into_iter().next().filter(|_| !here)
            }
            TapPlace::Id(id) => {
                let (worker, _) = id.rsplit_once(AT)?;
                crew.address_of_worker(worker)
            }
        }
    }

    /// The version in force, and its tasks that an edge leads into.
    async fn passing(&self, uid: &str, from: &str, to: &str) -> Result<(Channel, Vec<plan::Task>), Refused> {
        let deployed: Option<Deployed> =
            catalog::find(&*self.services.config, &catalog::deployed(uid)).await?;
        let (Some(channel), Some(deployed)) = (self.in_force(uid).await?, deployed) else {
            return Err(Refused::new(codes::TAP_NOT_RUNNING, "no version of the channel is in force")
                .help("deploy it, or look at samples in a preview"));
        };
        let edge = edge_of(&channel, from, to).ok_or_else(|| no_edge(from, to))?;
        let into = |task: &plan::Task| task.nodes.contains(&edge.to.node);
        let tasks = deployed.plan.tasks.into_iter().filter(into).collect();
        Ok((channel, tasks))
    }

    /// Every way in which one of the tasks may spell an edge.
    fn spellings(&self, channel: &Channel, edge: &Edge, tasks: &[plan::Task]) -> Vec<String> {
        let component = channel.node(&edge.from.node).and_then(|node| {
            let component = self.registry.get(&node.component)?;
            Some(component.ports(&serde_json::Value::Object(node.config.clone())))
        });
        let default = component.as_ref().and_then(|ports| ports.default_output());
        let stream = match edge.from.port.as_deref().filter(|port| Some(*port) != default) {
            Some(_) => edge.from.to_string(),
            None => edge.from.node.clone(),
        };
        let read = tasks.iter().map(|task| format!("{stream}@{}>{}", task.id, edge.to));
        std::iter::once(format!("{}>{}", edge.from, edge.to)).chain(read).collect()
    }
}

/// Where a tap is, or is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TapPlace<'a> {
    /// At an edge, from and to.
    Edge(&'a str, &'a str),
    /// By its id.
    Id(&'a str),
}

fn edge_of<'c>(channel: &'c Channel, from: &str, to: &str) -> Option<&'c Edge> {
    channel.spec.edges.iter().find(|edge| edge.from.to_string() == from && edge.to.to_string() == to)
}

fn no_edge(from: &str, to: &str) -> Refused {
    Refused::new(codes::TAP_NO_EDGE, format!("the version in force has no edge from `{from}` to `{to}`"))
        .help("name its ends as the document does; an edge that is only drawn passes nothing before it is deployed")
}
