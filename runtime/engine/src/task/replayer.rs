//! The loop of dead letters that are tried again: each enters at the node that refused it, by a stream of its own, so that targets
//! and store know after a crash which of them they have (I2, G8).
//!
//! A letter goes when the stream's own watermark passes its number, and so when its record is durable wherever it belongs; one
//! that is refused again stays. Nothing of it is counted by source record: it was read once.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::chain::{Read, What};
use super::commit::Report;
use super::control::Wish;
use super::graph::Graph;
use super::patience::{Patience, insist};
use super::reader::Room;
use super::ticket::Ticket;
use crate::data::{Batch, BatchBuilder, Meta, push_envelope};
use crate::error::Error;
use crate::position::{Position, StreamKey};
use crate::store::{Replay, Replays, Store};

/// Letters taken from the store at once.
const AT_ONCE: usize = 200;
/// Time between two looks at letters whose source has not passed them yet.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

pub(crate) struct Replayer {
    pub(crate) graph: Arc<Graph>,
    pub(crate) store: Arc<dyn Store>,
    /// The stream of this task's letters.
    pub(crate) stream: StreamKey,
    /// Number up to which all was done when the task started.
    pub(crate) after: u64,
    pub(crate) room: Room,
    pub(crate) to_chain: mpsc::Sender<Read>,
    pub(crate) to_commit: mpsc::UnboundedSender<Report>,
    /// Ends when no source brings more.
    pub(crate) readers: mpsc::Receiver<Infallible>,
    pub(crate) patience: Patience,
}

impl Replayer {
    pub(crate) async fn run(mut self) -> Result<(), Error> {
        let mut alone = false;
        loop {
            let control = self.patience.control.clone();
            let wish = control.current();
            if wish >= Wish::Stop {
                return Ok(());
            }
            let mut found = Replays::default();
            if wish == Wish::Run {
                let patience = &self.patience;
                match insist!(patience, "", self.store.replays(self.after, AT_ONCE))? {
                    Some(replays) => found = replays,
                    None => return Ok(()),
                }
            }
            if !found.ready.is_empty() {
                if !self.hand_on(found.ready).await {
                    return Ok(());
                }
                continue;
            }
            if alone && wish == Wish::Run {
                return Ok(());
            }
            tokio::select! {
                () = control.replays.notified() => {}
                () = control.until(|now| now != wish) => {}
                // What was asked for until now is looked for once more.
                _ = self.readers.recv(), if !alone => alone = true,
                () = tokio::time::sleep(LOOK_AGAIN), if found.waiting => {}
            }
        }
    }

    /// `false` when the task is to end.
    async fn hand_on(&mut self, replays: Vec<Replay>) -> bool {
        for same_node in replays.chunk_by(|one, other| one.node == other.node) {
            let (Some(first), Some(last)) = (same_node.first(), same_node.last()) else { continue };
            self.after = last.number;
            let Some(node) = self.graph.nodes.iter().position(|node| *node.id == *first.node) else {
                // The store answers letters of this task's nodes only.
                tracing::warn!(node = first.node, "a dead letter names a node that is not in this task");
                continue;
            };
            for (batch, number) in batches(same_node) {
                if !self.send(node, batch, number).await {
                    return false;
                }
            }
        }
        true
    }

    async fn send(&mut self, node: usize, batch: Batch, number: u64) -> bool {
        let room = tokio::select! {
            room = self.room.take(batch.bytes(), batch.len()) => room,
            () = self.patience.control.reached(Wish::Abort) => return false,
        };
        let ticket = Arc::new(Ticket::new(
            node,
            self.stream.clone(),
            Position { order: number, token: serde_json::Value::Null },
            0,
            self.graph.reached[node].len(),
            (self.graph.nodes.len(), self.graph.edges.len()),
            room,
        ));
        let opened = self.to_commit.send(Report::Opened(ticket.clone()));
        opened.is_ok()
            && self.to_chain.send(Read { what: What::Replayed { node, batch }, ticket }).await.is_ok()
    }
}

/// The letters as records, each batch with the number of its last.
fn batches(replays: &[Replay]) -> Vec<(Batch, u64)> {
    let mut done = Vec::new();
    let mut builder = BatchBuilder::default();
    let mut last = 0;
    for replay in replays {
        let meta = Meta { order: replay.number, row: 0, child: replay.child };
        if push_envelope(&mut builder, meta, &replay.record).is_err() {
            if !builder.is_empty() {
                done.push((builder.finish(), last));
            }
            // It came out of one batch, so it fits into one.
            push_envelope(&mut builder, meta, &replay.record).unwrap_or_default();
        }
        last = replay.number;
    }
    if !builder.is_empty() {
        done.push((builder.finish(), last));
    }
    done
}
