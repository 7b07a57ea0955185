//! Gathers what waits into a group, and leaves out what an earlier start already delivered.

use super::{Delivery, Owner, Parcel, Pending, Standing};
use crate::data::Batch;
use crate::error::Error;
use crate::position::{Mark, Position, StreamKey};
use crate::task::patience::insist;
use crate::task::refusal::key;
use crate::task::ticket::Ticket;

/// Streams that are looked up in a target before records come; others when their first record does.
const KNOWN_AT_START: usize = 64;

impl Delivery {
    /// Looks whether the target still has what it had: one that went back holds the channel at its start, not when the
    /// next record comes. `false` when the task is to end first.
    pub(super) async fn adopt_known(&mut self) -> Result<bool, Error> {
        if !self.target.holds_positions {
            return Ok(true);
        }
        let drawn = |name: &str| self.target.errors.graph.nodes.iter().any(|node| *node.id == *name);
        let known = self.target.resume.iter().filter(|mark| mark.in_target.is_some());
        let streams: Vec<StreamKey> = known
            .map(|mark| &mark.stream)
            .filter(|stream| drawn(&stream.source) && (stream.via.is_empty() || drawn(&stream.via)))
            .take(KNOWN_AT_START)
            .cloned()
            .collect();
        for stream in streams {
            if !self.adopt(&stream).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `None` when the task is to end first.
    pub(super) async fn gather(&mut self, first: Parcel) -> Result<Option<Pending>, Error> {
        let mut pending = Pending::default();
        let (mut records, mut bytes) = (0, 0);
        let mut next = Some(first);
        let limits = self.target.limits;
        let most_records = limits.group_records.min(self.target.sink.most_records()).min(self.reach);
        while let Some(parcel) = next {
            if !self.adopt(&parcel.stream).await? {
                return Ok(None);
            }
            records += parcel.records();
            bytes += parcel.bytes();
            self.take(parcel, &mut pending);
            let full = records >= most_records || bytes >= limits.group_bytes;
            next = if full { None } else { self.target.inbox.parcels.try_recv().ok() };
        }
        Ok(Some(pending))
    }

    /// Learns where a stream stands, once; `false` when the task is to end first.
    async fn adopt(&mut self, stream: &StreamKey) -> Result<bool, Error> {
        if self.standings.contains_key(stream) {
            return Ok(true);
        }
        let held = self.held(stream);
        let sink = &mut self.target.sink;
        let adopted = insist!(self.target.patience, &self.target.name, sink.adopt(&held))?;
        let Some(found) = adopted else { return Ok(false) };
        let stored = self.target.resume.iter().find(|mark| mark.stream == *stream);
        let known = stored.and_then(|mark| mark.in_target.as_ref());
        if let Some(known) = known.filter(|_| self.target.holds_positions)
            && found.as_ref().is_none_or(|found| found.order < known.order)
        {
            return Err(went_back(&self.target.name, stream, known, found.as_ref()));
        }
        let mut reached = stored.map_or_else(Position::start, |mark| mark.position.clone());
        if let Some(found) = &found
            && found.order > reached.order
        {
            reached = found.clone();
        }
        if !stream.via.is_empty() {
            let void = self.target.refused.void(stream, &self.target.name, reached.order);
            if !void.is_empty() {
                // From here on this target reaches numbers beyond theirs, which must not read as their arrival.
                let store = &self.target.errors.refusal.store;
                if insist!(self.target.patience, "", store.forget_routed(void.clone()))?.is_none() {
                    return Ok(false);
                }
            }
        }
        let standing = Standing { resumed: reached.order, reached, in_target: found };
        self.standings.insert(stream.clone(), standing);
        Ok(true)
    }

    /// The name under which a target holds a stream. A source that started over is another stream to it: what it holds
    /// of the former must not make it skip records (I1). Node ids have no `~`.
    fn held(&self, stream: &StreamKey) -> StreamKey {
        let epochs = &self.target.epochs;
        let epoch = epochs.get(&*stream.source).max(epochs.get("")).copied().unwrap_or(0);
        match epoch {
            0 => stream.clone(),
            epoch => StreamKey { source: format!("{}~{epoch}", stream.source).into(), ..stream.clone() },
        }
    }

    fn take(&mut self, parcel: Parcel, pending: &mut Pending) {
        let resumed = self.standings.get(&parcel.stream).map_or(0, |standing| standing.resumed);
        let index = pending.parcels.len();
        let mut refused = 0;
        for (batch, on_errors_path) in &parcel.batches {
            let owner = Owner { parcel: index, on_errors_path: *on_errors_path };
            let rest = self.skip(batch.clone(), resumed, &parcel, &mut refused);
            if !rest.is_empty() {
                pending.batches.push(rest);
                pending.owners.push(owner);
            }
        }
        pending.parcels.push(parcel);
        pending.refused.push(refused);
    }

    /// Leaves out what this target has, counting it for what it became then.
    fn skip(&self, batch: Batch, resumed: u64, parcel: &Parcel, refused: &mut u64) -> Batch {
        if resumed == 0 {
            return batch;
        }
        let name = &self.target.name;
        let known = &self.target.refused;
        let mut rest = batch;
        let here = if parcel.stream.via.is_empty() {
            rest.partition(|record| record.meta().order > resumed)
        } else {
            let via = &parcel.stream.via;
            rest.partition(|record| !known.arrived(key(via, &parcel.stream, record), name, resumed))
        };
        let mut delivered = here;
        let dead = delivered.partition(|record| !known.is_dead(&key(name, &parcel.stream, record)));
        parcel.ticket.dead(&dead);
        parcel.ticket.delivered(&delivered);
        *refused += dead.len() as u64;
        self.count_skipped(&parcel.ticket, delivered.len() as u64);
        rest
    }

    fn count_skipped(&self, ticket: &Ticket, delivered: u64) {
        let node = self.target.node;
        ticket.pass(|counts| {
            counts.nodes[node].entered += delivered;
            counts.nodes[node].out += delivered;
        });
    }

    /// The stream of each batch of a group, as the target knows it.
    pub(super) fn ways(&self, pending: &Pending) -> Vec<StreamKey> {
        pending.owners.iter().map(|owner| self.held(&pending.parcels[owner.parcel].stream)).collect()
    }

    /// The streams that a group moves, and their new positions as the target holds them.
    pub(super) fn marks(&self, pending: &Pending) -> (Vec<StreamKey>, Vec<Mark>) {
        let mut marks: Vec<Mark> = Vec::new();
        let mut streams: Vec<StreamKey> = Vec::new();
        for parcel in &pending.parcels {
            let reached = self.standings.get(&parcel.stream).map_or(0, |standing| standing.reached.order);
            if parcel.position.order <= reached {
                continue;
            }
            match streams.iter().position(|stream| *stream == parcel.stream) {
                Some(at) if marks[at].position.order < parcel.position.order => {
                    marks[at].position = parcel.position.clone();
                }
                Some(_) => {}
                None => {
                    streams.push(parcel.stream.clone());
                    marks.push(Mark { stream: self.held(&parcel.stream), position: parcel.position.clone() });
                }
            }
        }
        (streams, marks)
    }

    /// Notes what is now inside the target.
    pub(super) fn committed_in_target(&mut self, streams: &[StreamKey], marks: &[Mark]) {
        if !self.target.holds_positions {
            return;
        }
        for (stream, mark) in streams.iter().zip(marks) {
            if let Some(standing) = self.standings.get_mut(stream) {
                standing.in_target = Some(mark.position.clone());
            }
        }
    }
}

fn went_back(target: &str, stream: &StreamKey, known: &Position, found: Option<&Position>) -> Error {
    let found = found.map_or_else(|| "none".to_owned(), |position| position.order.to_string());
    Error::hold(
        "target.went_back",
        format!(
            "`{target}` had confirmed records of {stream} up to {}, and now holds {found}: it was restored, emptied or exchanged",
            known.order
        ),
    )
    .help("bring the target back, or reset the channel's positions to start over")
}
