//! A store in memory. It outlives the tasks that use it, as a database outlives a process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::error::{Error, Kind};
use crate::position::StreamKey;
use crate::store::{Letter, LetterKey, Remembered, Replay, Replays, Routed, Store, StoredMark, Totals};

/// Positions, counts and dead letters of one channel.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    generation: u64,
    marks: HashMap<(Option<String>, StreamKey), StoredMark>,
    totals: Totals,
    letters: BTreeMap<LetterKey, Letter>,
    /// Letters to be tried again, by number.
    replays: BTreeMap<u64, LetterKey>,
    asked: u64,
    routed: BTreeSet<Routed>,
    epoch: u64,
}

impl Inner {
    fn replayed(&mut self, up_to: u64) {
        let rest = self.replays.split_off(&(up_to + 1));
        let of = |key: &LetterKey| (key.stream.source.clone(), key.stream.partition.clone(), key.order);
        let mut gone = BTreeSet::new();
        for key in std::mem::replace(&mut self.replays, rest).into_values() {
            if self.letters.remove(&key).is_some() {
                gone.insert(of(&key));
            }
        }
        gone.retain(|record| !self.letters.keys().any(|key| of(key) == *record));
        self.totals.counts.replayed += gone.len() as u64;
    }
}

impl MemoryStore {
    /// Counts over all runs.
    pub fn totals(&self) -> Totals {
        self.lock().totals.clone()
    }

    /// Dead letters by key.
    pub fn letters(&self) -> Vec<Letter> {
        self.lock().letters.values().cloned().collect()
    }

    /// All watermarks.
    pub fn marks(&self) -> Vec<StoredMark> {
        self.lock().marks.values().cloned().collect()
    }

    /// Asks for every letter to be tried again.
    pub fn replay_all(&self) {
        let mut inner = self.lock();
        let waiting: BTreeSet<LetterKey> = inner.replays.values().cloned().collect();
        let keys: Vec<_> = inner.letters.keys().filter(|key| !waiting.contains(key)).cloned().collect();
        for key in keys {
            inner.asked += 1;
            let number = inner.asked;
            inner.replays.insert(number, key);
        }
    }

    /// Lets every source start over.
    pub fn reset(&self) {
        let mut inner = self.lock();
        inner.generation += 1;
        inner.epoch = inner.generation;
        inner.marks.clear();
        inner.letters.clear();
        inner.routed.clear();
    }

    /// Loses every watermark, as a store restored from an older copy.
    pub fn forget_marks(&self) {
        self.lock().marks.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn begin(&self) -> Result<Remembered, Error> {
        let mut inner = self.lock();
        inner.generation += 1;
        let beyond = |key: &LetterKey| {
            let own = inner.marks.get(&(None, key.stream.clone()));
            own.is_none_or(|mark| key.order > mark.position.order)
        };
        Ok(Remembered {
            generation: inner.generation,
            marks: inner.marks.values().cloned().collect(),
            epochs: BTreeMap::from([(String::new(), inner.epoch)]),
            letters: inner.letters.keys().filter(|key| beyond(key)).cloned().collect(),
            routed: inner.routed.iter().filter(|note| beyond(&note.key)).cloned().collect(),
        })
    }

    async fn commit(&self, generation: u64, marks: &[StoredMark], totals: &Totals) -> Result<(), Error> {
        let mut inner = self.lock();
        if generation != inner.generation {
            return Err(Error::new(Kind::Fenced, "test.fenced", "a later start has begun"));
        }
        for mark in marks {
            let key = (mark.target.clone(), mark.stream.clone());
            if let Some(old) = inner.marks.get(&key) {
                assert!(old.position.order <= mark.position.order, "positions only grow (I3)");
            }
            inner.marks.insert(key, mark.clone());
            if mark.target.is_none() && mark.stream.is_replay() {
                inner.replayed(mark.position.order);
            }
        }
        inner.totals += totals;
        Ok(())
    }

    async fn set_aside(&self, letters: Vec<Letter>) -> Result<(), Error> {
        let mut inner = self.lock();
        for mut letter in letters {
            if letter.key.stream.is_replay() {
                let number = letter.key.order;
                let Some(tried) = inner.replays.get(&number).cloned() else { continue };
                letter.key = LetterKey { node: letter.key.node, child: letter.key.child, ..tried.clone() };
                if letter.key == tried {
                    inner.replays.remove(&number);
                }
            }
            inner.letters.insert(letter.key.clone(), letter);
        }
        Ok(())
    }

    async fn replays(&self, after: u64, limit: usize) -> Result<Replays, Error> {
        let inner = self.lock();
        let mut found = Replays::default();
        for (number, key) in inner.replays.range(after + 1..).take(limit) {
            let own = inner.marks.get(&(None, key.stream.clone()));
            if own.is_none_or(|mark| mark.position.order < key.order) {
                found.waiting = true;
                break;
            }
            let Some(letter) = inner.letters.get(key) else { continue };
            let (node, child, record) = (key.node.clone(), key.child, letter.record.clone());
            found.ready.push(Replay { number: *number, node, child, record });
        }
        Ok(found)
    }

    async fn note_routed(&self, notes: Vec<Routed>) -> Result<(), Error> {
        self.lock().routed.extend(notes);
        Ok(())
    }

    async fn forget_routed(&self, notes: Vec<Routed>) -> Result<(), Error> {
        let mut inner = self.lock();
        notes.iter().for_each(|note| {
            inner.routed.remove(note);
        });
        Ok(())
    }
}
