//! Targets in memory, on named shelves that outlive a task: one that holds positions inside itself, one that does not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use fairway_shared::channel::Guarantee;
use fairway_shared::component::{Choice, Probe};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, Config, Meta, SinkConfig};
use crate::data::{RecordError, Ref};
use crate::error::{Error, Kind};
use crate::position::{Position, StreamKey};
use crate::probe::{ProbeConfig, ProbeCtx};
use crate::sink::{Group, Outcome, Refused, Sink, SinkCtx};

/// What a target does wrong.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// Numbers it refuses.
    pub refuse: BTreeSet<i64>,
    /// How often each number it refuses is refused before it is taken; 0 is for ever.
    pub refusals: usize,
    /// Names culprits one at a time, or not at all where it holds no positions.
    pub vague: bool,
    /// Deliveries that fail as an outage before anything is written.
    pub outages: usize,
    /// Deliveries that are made durable and then reported as an outage.
    pub lost_answers: usize,
    /// Deliveries after which it hangs for ever.
    pub hang_after: Option<usize>,
}

/// A target in memory.
#[derive(Debug, Default)]
pub struct Shelf {
    inner: Mutex<Inner>,
    /// Panics so far of what shares this shelf.
    pub panics: AtomicUsize,
}

#[derive(Debug, Default)]
struct Inner {
    numbers: Vec<i64>,
    positions: HashMap<StreamKey, (u64, Position)>,
    faults: Faults,
    deliveries: usize,
    refused: BTreeMap<i64, usize>,
}

impl Inner {
    fn refuses(&mut self, n: i64) -> bool {
        if !self.faults.refuse.contains(&n) {
            return false;
        }
        let times = self.refused.entry(n).or_default();
        *times += 1;
        self.faults.refusals == 0 || *times <= self.faults.refusals
    }
}

static SHELVES: LazyLock<Mutex<HashMap<String, Arc<Shelf>>>> = LazyLock::new(Mutex::default);

/// The shelf of this name, made when first asked for.
pub fn shelf(name: &str) -> Arc<Shelf> {
    SHELVES.lock().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_default().clone()
}

impl Shelf {
    /// Numbers delivered, in order of arrival.
    pub fn numbers(&self) -> Vec<i64> {
        self.lock().numbers.clone()
    }

    /// How often each number was delivered.
    pub fn counted(&self) -> BTreeMap<i64, usize> {
        let mut counted = BTreeMap::new();
        self.lock().numbers.iter().for_each(|n| *counted.entry(*n).or_default() += 1);
        counted
    }

    /// Sets what it does wrong from now on.
    pub fn fail(&self, faults: Faults) {
        let mut inner = self.lock();
        inner.deliveries = 0;
        inner.refused.clear();
        inner.faults = faults;
    }

    /// How often it refused each number.
    pub fn refused(&self) -> BTreeMap<i64, usize> {
        self.lock().refused.clone()
    }

    /// Forgets everything, as a table that was dropped.
    pub fn clear(&self) {
        *self.lock() = Inner::default();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Delivers to a shelf together with positions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShelfSink {
    shelf: String,
}

/// Delivers to a shelf and holds no positions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PlainShelfSink {
    shelf: String,
}

/// The target that holds positions, as a registry entry.
pub const MEMORY_SINK: Component = Component::sink::<ShelfSink>().with_probe::<ShelfSink>();

#[async_trait]
impl ProbeConfig for ShelfSink {
    /// Finds any shelf but `missing`, hangs at `hanging`, and names all there are when none is named.
    async fn probe(self, _: ProbeCtx) -> Result<Probe, Error> {
        match &*self.shelf {
            "missing" => Err(Error::outage("test.no_shelf", "there is no shelf `missing`").help("build one")),
            "hanging" => std::future::pending().await,
            name => {
                let shelves = SHELVES.lock().unwrap_or_else(PoisonError::into_inner);
                let choices = shelves.keys().map(|name| Choice::new(name, "")).collect();
                Ok(Probe {
                    found: format!("shelf `{name}`"),
                    choices: [("shelf".to_owned(), choices)].into(),
                })
            }
        }
    }
}
/// The target that holds none, as a registry entry.
pub const PLAIN_SINK: Component = Component::sink::<PlainShelfSink>();

impl Config for ShelfSink {
    const META: Meta = Meta::new("shelf_sink", "Shelf", "test");
}

impl Config for PlainShelfSink {
    const META: Meta =
        Meta { delivery: Guarantee::AtLeastOnce, ..Meta::new("plain_shelf_sink", "Plain shelf", "test") };
}

#[async_trait]
impl SinkConfig for ShelfSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        Ok(Box::new(Open { shelf: shelf(&self.shelf), holds: true, generation: cx.generation }))
    }
}

#[async_trait]
impl SinkConfig for PlainShelfSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        Ok(Box::new(Open { shelf: shelf(&self.shelf), holds: false, generation: cx.generation }))
    }
}

struct Open {
    shelf: Arc<Shelf>,
    holds: bool,
    generation: u64,
}

#[async_trait]
impl Sink for Open {
    async fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        if !self.holds {
            return Ok(None);
        }
        let mut inner = self.shelf.lock();
        let held = inner.positions.entry(stream.clone()).or_insert((0, Position::start()));
        assert!(held.0 <= self.generation, "a later owner has taken over");
        held.0 = self.generation;
        Ok(Some(held.1.clone()))
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        let hang = {
            let inner = self.shelf.lock();
            inner.faults.hang_after.is_some_and(|after| inner.deliveries >= after)
        };
        if hang {
            std::future::pending::<()>().await;
        }
        let mut inner = self.shelf.lock();
        inner.deliveries += 1;
        if inner.faults.outages > 0 {
            inner.faults.outages -= 1;
            return Err(Error::outage("test.outage", "the shelf is locked"));
        }
        let mut numbers = Vec::new();
        let mut refused = Vec::new();
        for (batch, records) in group.batches.iter().enumerate() {
            for record in records.records() {
                let Ref::I64(n) = record.get("n") else { continue };
                if inner.refuses(n) {
                    let error = RecordError::in_field("test.refused", "n", n.to_string());
                    refused.push(Refused { batch, record: record.index(), error });
                } else {
                    numbers.push(n);
                }
            }
        }
        if !refused.is_empty() && inner.faults.vague {
            if !self.holds {
                return Err(Error::new(Kind::Data, "test.vague", "something is refused"));
            }
            refused.truncate(1);
        }
        if !refused.is_empty() && self.holds {
            return Ok(Outcome::RolledBack(refused));
        }
        if self.holds {
            self.check_fence(&inner, group)?;
            for mark in group.marks {
                let held = inner.positions.entry(mark.stream.clone()).or_insert((0, Position::start()));
                if held.1.order >= mark.position.order {
                    // The answer to this very group was lost.
                    return Ok(Outcome::all());
                }
                held.1 = mark.position.clone();
            }
        }
        inner.numbers.extend(numbers);
        if inner.faults.lost_answers > 0 {
            inner.faults.lost_answers -= 1;
            return Err(Error::outage("test.lost_answer", "no answer"));
        }
        Ok(Outcome::Delivered(refused))
    }
}

impl Open {
    fn check_fence(&self, inner: &Inner, group: Group<'_>) -> Result<(), Error> {
        let newer = |key: &StreamKey| inner.positions.get(key).is_some_and(|held| held.0 > self.generation);
        match group.marks.iter().find(|mark| newer(&mark.stream)) {
            Some(mark) => {
                Err(Error::new(Kind::Fenced, "test.fenced", format!("{} has a later owner", mark.stream)))
            }
            None => Ok(()),
        }
    }
}
