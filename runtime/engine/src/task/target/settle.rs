//! Sees to what a target refused: its dead letters are durable, or delivered by the errors port, before the target's own
//! position passes them.

use std::collections::BTreeMap;

use tokio::sync::mpsc;

use super::{Delivery, Owner, Pending, REFUSALS_IN_A_ROW, Refused};
use crate::data::{RecordError, Rejects};
use crate::error::Error;
use crate::position::Position;
use crate::store::Routed;
use crate::task::chain::Way;
use crate::task::control::Wish;
use crate::task::patience::insist;
use crate::task::refusal::key;

impl Delivery {
    /// Takes refused records out of a group; `false` when the task is to end first.
    pub(super) async fn settle(
        &mut self,
        refused: Vec<Refused>,
        pending: &mut Pending,
    ) -> Result<bool, Error> {
        let mut by_batch: BTreeMap<usize, BTreeMap<usize, RecordError>> = BTreeMap::new();
        for Refused { batch, record, error } in refused {
            by_batch.entry(batch).or_default().insert(record, error);
        }
        for (batch, errors) in by_batch {
            let (Some(records), Some(owner)) =
                (pending.batches.get(batch), pending.owners.get(batch).copied())
            else {
                return Err(Error::failed(
                    "target.bad_outcome",
                    "the target refused a batch that it did not get",
                ));
            };
            let rows: Vec<usize> = errors.keys().copied().collect();
            let rest: Vec<usize> = (0..records.len()).filter(|row| !errors.contains_key(row)).collect();
            let rejects =
                Rejects { batch: records.select_rows(&rows), errors: errors.into_values().collect() };
            let rest = records.select_rows(&rest);
            let count = rejects.batch.len();
            if !self.set_aside(rejects, owner, pending).await? {
                return Ok(false);
            }
            pending.batches[batch] = rest;
            pending.refused[owner.parcel] += count as u64;
            // What was refused before and is refused again says nothing new about the target.
            if !pending.parcels[owner.parcel].stream.is_replay() {
                self.refusals_in_a_row += count;
            }
        }
        if self.refusals_in_a_row >= REFUSALS_IN_A_ROW && pending.batches.iter().all(|batch| batch.is_empty())
        {
            let what =
                format!("the target refused {} records in a row and accepted none", self.refusals_in_a_row);
            return Err(Error::hold("target.refuses_all", what)
                .help("look at the dead letters, mend the channel or the target, then start it again"));
        }
        Ok(true)
    }

    async fn set_aside(&mut self, rejects: Rejects, owner: Owner, pending: &Pending) -> Result<bool, Error> {
        let node = self.target.node;
        let parcel = &pending.parcels[owner.parcel];
        let refusal = self.target.errors.refusal.clone();
        if !refusal.drops(node, owner.on_errors_path) {
            parcel.ticket.dead(&rejects.batch);
        }
        if !refusal.wired(node, owner.on_errors_path) {
            let letters = refusal.letters(node, &parcel.stream, &rejects, owner.on_errors_path)?;
            return refusal.set_aside(letters).await;
        }
        self.number += 1;
        let number = self.number;
        let name = &self.target.name;
        let graph = &self.target.errors.graph;
        let targets = graph.reached_by_errors[node].clone();
        let keys: Vec<_> = rejects.batch.records().map(|record| key(name, &parcel.stream, &record)).collect();
        let note = |target: &usize| {
            let target = graph.nodes[*target].id.to_string();
            keys.iter()
                .map(move |key| Routed { key: key.clone(), target: target.clone(), number })
                .collect::<Vec<_>>()
        };
        let notes: Vec<Routed> = targets.iter().flat_map(note).collect();
        let patience = self.target.patience.clone();
        let noted = insist!(patience, "", refusal.store.note_routed(notes.clone()))?;
        if noted.is_none() {
            return Ok(false);
        }
        let (done, mut delivered) = mpsc::unbounded_channel();
        parcel.ticket.concern(targets.len());
        let way = Way {
            ticket: &parcel.ticket,
            stream: parcel.stream.via(name),
            position: Position { order: number, token: serde_json::Value::Null },
            targets: &targets,
            done: Some(done),
        };
        let batch = refusal.annotated(node, rejects);
        if !self.target.errors.enter_by_errors(node, batch, &way).await? {
            return Ok(false);
        }
        drop(way);
        for _ in &targets {
            let arrived = tokio::select! {
                arrived = delivered.recv() => arrived,
                () = patience.control.reached(Wish::Abort) => None,
            };
            if arrived.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
