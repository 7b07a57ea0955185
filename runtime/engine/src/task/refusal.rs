//! What becomes of refused records: the errors port where it is wired, else the channel's policy. A dead letter is durable
//! before anything passes the record (protocol of refused records; I1, I2).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use fairway_shared::api::status::Cause;
use fairway_shared::channel::ErrorPolicy;

use super::graph::Graph;
use super::patience::{Patience, insist};
use crate::data::{Batch, RecordError, RecordRef, Rejects, Value, to_envelope};
use crate::error::{Error, Kind};
use crate::position::StreamKey;
use crate::store::{Letter, LetterKey, Remembered, Routed, Store};

/// Refusals by sinks that an earlier start already saw to.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    dead: HashSet<LetterKey>,
    routed: HashMap<(LetterKey, String), Vec<u64>>,
}

impl Refused {
    pub(crate) fn new(remembered: &Remembered) -> Self {
        let routed_keys = remembered.routed.iter().map(|note| &note.key);
        let dead = remembered.letters.iter().chain(routed_keys).cloned().collect();
        let mut routed: HashMap<_, Vec<u64>> = HashMap::new();
        for note in &remembered.routed {
            routed.entry((note.key.clone(), note.target.clone())).or_default().push(note.number);
        }
        Self { dead, routed }
    }

    /// Whether this sink refused this record.
    pub(crate) fn is_dead(&self, key: &LetterKey) -> bool {
        self.dead.contains(key)
    }

    /// Whether the record was handed on to a target and arrived, the target having reached this number when it started.
    pub(crate) fn arrived(&self, key: LetterKey, target: &str, reached: u64) -> bool {
        self.routed
            .get(&(key, target.to_owned()))
            .is_some_and(|numbers| numbers.iter().any(|number| *number <= reached))
    }

    /// Notes of records that did not arrive at a target by this stream.
    pub(crate) fn void(&self, stream: &StreamKey, target: &str, reached: u64) -> Vec<Routed> {
        let here = |key: &LetterKey| {
            key.node == *stream.via
                && key.stream.source == stream.source
                && key.stream.partition == stream.partition
        };
        let notes = self.routed.iter().filter(|((key, to), _)| to == target && here(key));
        notes
            .flat_map(|((key, to), numbers)| {
                let beyond = numbers.iter().filter(|number| **number > reached);
                beyond.map(|number| Routed { key: key.clone(), target: to.clone(), number: *number })
            })
            .collect()
    }
}

/// Applies the policy.
#[derive(Clone)]
pub(crate) struct Refusal {
    pub(crate) graph: Arc<Graph>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) policy: ErrorPolicy,
    pub(crate) patience: Patience,
}

impl Refusal {
    /// Whether the policy drops what is refused here: then it is no dead letter.
    pub(crate) fn drops(&self, node: usize, on_errors_path: bool) -> bool {
        !self.wired(node, on_errors_path) && self.policy == ErrorPolicy::Drop && !on_errors_path
    }

    /// Whether refused records leave by a drawn edge. What fails on an errors path never enters another one.
    pub(crate) fn wired(&self, node: usize, on_errors_path: bool) -> bool {
        !on_errors_path && !self.graph.nodes[node].errors.is_empty()
    }

    /// The letters that the policy asks for; none where records are dropped.
    ///
    /// # Errors
    /// The first refusal, where the policy is to stop.
    pub(crate) fn letters(
        &self,
        node: usize,
        stream: &StreamKey,
        rejects: &Rejects,
        on_errors_path: bool,
    ) -> Result<Vec<Letter>, Error> {
        let id = &self.graph.nodes[node].id;
        if self.drops(node, on_errors_path) {
            return Ok(Vec::new());
        }
        if self.policy == ErrorPolicy::Stop && !on_errors_path {
            return Err(self.stop(id, stream, rejects));
        }
        let letter = |(record, error): (RecordRef<'_>, &RecordError)| Letter {
            key: key(id, stream, &record),
            cause: cause(id, error),
            record: to_envelope(&record),
        };
        Ok(rejects.batch.records().zip(&rejects.errors).map(letter).collect())
    }

    fn stop(&self, id: &str, stream: &StreamKey, rejects: &Rejects) -> Error {
        let place = rejects.batch.records().next().map_or(0, |record| record.meta().order);
        let (code, message) =
            rejects.errors.first().map_or(("record.refused", String::new()), |e| (e.code, e.to_string()));
        Error::new(Kind::Refused, code, format!("record {place} of {stream} was refused: {message}"))
            .help("mend the record or the channel, or choose another error policy")
            .at_node(id)
    }

    /// Makes letters durable; `false` when the task is to end first.
    pub(crate) async fn set_aside(&self, letters: Vec<Letter>) -> Result<bool, Error> {
        if letters.is_empty() {
            return Ok(true);
        }
        let stored = insist!(self.patience, "", self.store.set_aside(letters.clone()))?;
        Ok(stored.is_some())
    }

    /// The records as they entered, with their error in headers, ready for the errors port.
    pub(crate) fn annotated(&self, node: usize, rejects: Rejects) -> Batch {
        annotated(&self.graph.nodes[node].id, rejects)
    }
}

/// Records that a node refused, as they leave by its errors port.
pub(crate) fn annotated(id: &str, rejects: Rejects) -> Batch {
    let Rejects { mut batch, errors } = rejects;
    let text = |value: &str| Value::Str(value.to_owned());
    let name = |name: &str| -> Arc<str> { name.into() };
    batch.with_headers(|row| {
        let mut headers = vec![(name("fairway.error.node"), text(id))];
        if let Some(error) = errors.get(row) {
            headers.push((name("fairway.error.code"), text(error.code)));
            headers.push((name("fairway.error.message"), text(&error.message)));
            if let Some(field) = &error.field {
                headers.push((name("fairway.error.field"), text(field)));
            }
        }
        headers
    });
    batch
}

/// Identity of a record that a node refused. It belongs to the straight stream, whichever way the record came.
pub(crate) fn key(node: &str, stream: &StreamKey, record: &RecordRef<'_>) -> LetterKey {
    let meta = record.meta();
    let stream = StreamKey { via: "".into(), ..stream.clone() };
    LetterKey { node: node.to_owned(), stream, order: meta.order, child: meta.child }
}

/// A refusal as users see it.
pub(crate) fn cause(node: &str, error: &RecordError) -> Cause {
    Cause { code: error.code.to_owned(), message: error.to_string(), help: None, node: Some(node.to_owned()) }
}
