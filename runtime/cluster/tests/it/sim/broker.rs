//! Brokers as Kafka behaves (measured on real ones): initialising a transactional id ends what the predecessor had open and fences it;
//! beginning and sending are never refused on the spot, the commit is; who reads only what is committed stops before the first
//! unfinished transaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairway_cluster::{Beat, Channels, Record, TaskName};

use super::world::Time;

/// Time after which an unfinished transaction is ended for its owner.
const TRANSACTION_TIMEOUT: Time = 10_000_000;

/// What lies in control.
#[derive(Debug, Clone)]
pub(super) enum Payload {
    Record(Record),
    Channels(Arc<Channels>),
    /// Ends a transaction; takes an offset like everything else.
    Marker,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Committed,
    Aborted,
}

#[derive(Debug)]
struct Transaction {
    state: State,
    epoch: u64,
    begun: Time,
}

/// Refused: somebody else has the transactional id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fenced;

#[derive(Debug, Default)]
pub(super) struct Broker {
    pub(super) beats: Vec<Beat>,
    control: Vec<(usize, Payload)>,
    transactions: Vec<Transaction>,
    epoch: u64,
    /// Epoch of each task's transactional id.
    tasks: BTreeMap<TaskName, u64>,
    /// Greatest generation of each task that was ever let go.
    gone: BTreeMap<TaskName, u64>,
    pub(super) writes: u64,
}

impl Broker {
    pub(super) fn initialise(&mut self) -> u64 {
        self.epoch += 1;
        let epoch = self.epoch;
        self.abort(|transaction| transaction.epoch < epoch);
        self.epoch
    }

    fn abort(&mut self, which: impl Fn(&Transaction) -> bool) {
        for (number, transaction) in self.transactions.iter_mut().enumerate() {
            if transaction.state == State::Open && which(transaction) {
                transaction.state = State::Aborted;
                self.control.push((number, Payload::Marker));
            }
        }
    }

    /// Ends transactions that were left open. Their owner's epoch ends with them.
    pub(super) fn expire(&mut self, now: Time) {
        let late = |transaction: &Transaction| now - transaction.begun > TRANSACTION_TIMEOUT;
        if self.transactions.iter().any(|one| one.state == State::Open && late(one)) {
            self.epoch += 1;
            self.abort(late);
        }
    }

    pub(super) fn append(&mut self, epoch: u64, payloads: Vec<Payload>, now: Time) -> Result<usize, Fenced> {
        if epoch != self.epoch {
            return Err(Fenced);
        }
        self.transactions.push(Transaction { state: State::Open, epoch, begun: now });
        let number = self.transactions.len() - 1;
        self.control.extend(payloads.into_iter().map(|payload| (number, payload)));
        Ok(number)
    }

    /// Commits; answers the offset behind the last record.
    pub(super) fn commit(&mut self, epoch: u64, number: usize) -> Result<u64, Fenced> {
        if epoch != self.epoch || self.transactions[number].state != State::Open {
            return Err(Fenced);
        }
        self.transactions[number].state = State::Committed;
        let last = self.control.iter().rposition(|(transaction, _)| *transaction == number);
        self.control.push((number, Payload::Marker));
        Ok(last.expect("no transaction is empty") as u64 + 1)
    }

    /// Where control ends, unfinished transactions included.
    pub(super) fn end(&self) -> u64 {
        self.control.len() as u64
    }

    /// Committed payloads from an offset on, and where reading goes on.
    pub(super) fn committed(&self, from: u64) -> (Vec<(u64, Payload)>, u64) {
        let open = |(number, _): &(usize, Payload)| self.transactions[*number].state == State::Open;
        let stable = self.control.iter().position(open).unwrap_or(self.control.len()) as u64;
        let read = (from..stable).filter_map(|offset| {
            let (number, payload) = &self.control[offset as usize];
            let counts = self.transactions[*number].state == State::Committed;
            (counts && !matches!(payload, Payload::Marker)).then(|| (offset, payload.clone()))
        });
        (read.collect(), stable.max(from))
    }

    /// What should run by what is committed.
    pub(super) fn wanted(&self) -> Option<Arc<Channels>> {
        let (all, _) = self.committed(0);
        all.into_iter().rev().find_map(|(_, payload)| match payload {
            Payload::Channels(channels) => Some(channels),
            _ => None,
        })
    }

    /// Takes a task's transactional id.
    pub(super) fn open_task(&mut self, task: &TaskName) -> u64 {
        let epoch = self.tasks.entry(task.clone()).or_default();
        *epoch += 1;
        *epoch
    }

    /// A task was let go under a generation.
    pub(super) fn goes(&mut self, task: &TaskName, generation: u64) {
        let gone = self.gone.entry(task.clone()).or_default();
        *gone = (*gone).max(generation);
    }

    /// A task writes under its transactional id.
    ///
    /// # Panics
    /// If it takes effect although a newer generation runs (I3).
    pub(super) fn write(&mut self, task: &TaskName, epoch: u64, generation: u64) -> Result<(), Fenced> {
        if self.tasks.get(task) != Some(&epoch) {
            return Err(Fenced);
        }
        let newest = self.gone.get(task).copied().unwrap_or_default();
        assert!(generation >= newest, "{task} wrote under {generation} although {newest} runs");
        self.writes += 1;
        Ok(())
    }
}
