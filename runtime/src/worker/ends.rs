//! The ends of streams in a task: nodes beside those that are drawn, for records that come from other tasks or go to them.
//!
//! Ids of ends have characters that ids of nodes have not: `~split.rest` is where the task of `split` writes the stream of that port, and
//! `split.rest@sink-out` is where the task `sink-out` reads it. Users see neither: what is counted there is shown at the edges that are
//! drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use fairway_engine::error::Error;
use fairway_engine::joint::{STREAM_SINK, STREAM_SOURCE};
use fairway_engine::store::Totals;
use fairway_engine::task::NodeSpec;
use fairway_shared::channel::PortRef;
use fairway_shared::plan::{self, Plan, StreamKind};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::services::Services;
use crate::services::kafka::Streams;

/// Partitions of a stream.
const PARTITIONS: i32 = 4;
/// Time between two looks at what of a stream may be deleted.
const TRIM: Duration = Duration::from_secs(30);

/// Records that may wait in a stream before its source waits for the slowest target.
const WAITING: u64 = 20_000_000;

/// The ends of streams in one task.
#[derive(Default)]
pub(super) struct Ends {
    /// Nodes beside those that are drawn.
    pub(super) nodes: Vec<NodeSpec>,
    /// Edges to and from them.
    pub(super) edges: Vec<(PortRef, PortRef)>,
    shown: Shown,
    /// Streams that the task writes, each with the ids of the ends that read it.
    written: BTreeMap<String, Vec<String>>,
}

/// What is shown of what is counted at ends.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown {
    ends: BTreeSet<String>,
    /// Edges as they are drawn, by the edge in the task; none for one that is counted where the stream is read.
    edges: BTreeMap<String, Option<String>>,
    /// Whether the records come by streams, and were counted where those are written.
    counted_elsewhere: bool,
}

impl Ends {
    /// The ends that a task of a plan has. `port` names an output as its component does.
    ///
    /// # Errors
    /// `plan.topic_without_cluster` where there is nothing to join tasks by.
    pub(super) fn of(
        plan: &Plan,
        task: &str,
        nodes: &[String],
        streams: Option<&Arc<Streams>>,
        port: impl Fn(&PortRef) -> String,
    ) -> Result<Self, Error> {
        let mut ends = Self::default();
        let inside = |end: &PortRef| nodes.contains(&end.node);
        for stream in plan.streams.iter().filter(|stream| stream.kind == StreamKind::Topic) {
            let (writes, reads) = (inside(&stream.from), inside(&stream.to));
            if !writes && !reads {
                continue;
            }
            let streams = streams.ok_or_else(|| {
                let what = "the plan joins tasks by streams, and there is no cluster";
                Error::config("plan.topic_without_cluster", what).help("deploy the channel again")
            })?;
            let name = port(&stream.from);
            let drawn = format!("{}>{}", stream.from, stream.to);
            // Tasks that share what they read hold their positions together.
            let id = if writes { format!("~{name}") } else { reader(&name, plan::Task::first(task)) };
            let component = if writes { STREAM_SINK } else { STREAM_SOURCE };
            let new = ends.shown.ends.insert(id.clone());
            if new {
                let joint = Some(streams.joint(task, &name, PARTITIONS));
                ends.nodes.push(NodeSpec { id: id.clone(), component, config: json!({}), joint });
            }
            let end = PortRef::node(id);
            if writes {
                // One end for all that read what leaves by this port, however they spell it.
                if new {
                    ends.shown.edges.insert(format!("{}>{end}", stream.from), None);
                    ends.edges.push((stream.from.clone(), end));
                }
                let owner = plan.tasks.iter().find(|task| task.nodes.contains(&stream.to.node));
                let readers = ends.written.entry(name.clone()).or_default();
                let reader = owner.map(|owner| reader(&name, plan::Task::first(&owner.id)));
                readers.extend(reader.filter(|reader| !readers.contains(reader)));
            } else {
                let edge = (end, stream.to.clone());
                ends.shown.edges.insert(format!("{}>{}", edge.0, edge.1), Some(drawn));
                ends.shown.counted_elsewhere = true;
                ends.edges.push(edge);
            }
        }
        Ok(ends)
    }

    /// What is shown of what is counted here.
    pub(super) fn shown(&self) -> Shown {
        self.shown.clone()
    }

    /// Deletes from time to time what everybody has of the streams that the task writes, as long as what is answered lives.
    pub(super) fn trim(&self, services: &Services, uid: &Arc<str>) -> Option<Trimming> {
        let streams = services.streams.clone().filter(|_| !self.written.is_empty())?;
        let (positions, uid, written) = (services.positions.clone(), uid.clone(), self.written.clone());
        Some(Trimming(tokio::spawn(async move {
            loop {
                tokio::time::sleep(TRIM).await;
                let marks = match positions.marks(&uid).await {
                    Ok(marks) => marks,
                    Err(error) => {
                        tracing::debug!(%error, channel = %uid, "no positions, so nothing is deleted");
                        continue;
                    }
                };
                for (stream, readers) in &written {
                    if let Err(error) = streams.trim(&uid, stream, readers, &marks, WAITING).await {
                        tracing::warn!(%error, channel = %uid, stream, "a stream could not be trimmed");
                    }
                }
            }
        })))
    }
}

/// Id of the end of a stream that a task reads.
fn reader(stream: &str, task: &str) -> String {
    format!("{stream}@{task}")
}

/// Trims streams until it is dropped.
pub(super) struct Trimming(JoinHandle<()>);

impl Drop for Trimming {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Shown {
    /// Counts as they are shown.
    pub(super) fn of(&self, totals: &Totals) -> Totals {
        if self.ends.is_empty() {
            return totals.clone();
        }
        let mut shown = totals.clone();
        shown.nodes.retain(|id, _| !self.ends.contains(id));
        shown.edges.clear();
        for (edge, records) in &totals.edges {
            let drawn = match self.edges.get(edge) {
                Some(None) => continue,
                Some(Some(drawn)) => drawn.clone(),
                None => edge.clone(),
            };
            *shown.edges.entry(drawn).or_default() += records;
        }
        if self.counted_elsewhere {
            let retried = totals.counts.retried;
            shown.counts = Default::default();
            shown.counts.retried = retried;
        }
        shown
    }
}
