//! Taps: a look at records that pass an edge of a running task.
//!
//! The chain never waits for a tap: where somebody reads it at that moment, or its room or its rate is used up, records pass unseen. What
//! is kept is bounded in records and in bytes (I5), values that are hidden are never copied, and a tap ends by itself.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::graph::{Edge, Graph};
use crate::data::{Batch, RecordRef, Ref};

/// Most records that one tap copies in a second.
pub const MOST_A_SECOND: usize = 20;
/// Most records that one tap copies of a batch, so that several batches of a second are seen.
const MOST_OF_A_BATCH: usize = 5;
/// Most records that are kept.
const KEPT: usize = 100;
/// Most bytes that are kept.
const KEPT_BYTES: usize = 512 << 10;
/// Longest text of a value, in bytes.
const LONGEST: usize = 2 << 10;
/// Largest batch of which nested values are copied: they are copied whole before they are cut.
const NESTED_IN: usize = 4 << 20;
/// Most fields of a record.
const MOST_FIELDS: usize = 200;

/// A value as a tap shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    /// The value.
    Whole(Json),
    /// The beginning of a long one.
    Cut(String),
    /// It must not be seen.
    Hidden,
}

/// A record that passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Tapped {
    /// Counts what the tap has copied, from 1.
    pub number: u64,
    /// When it passed, measured from when the tap was opened.
    pub after: Duration,
    /// Its fields in order: name, type, value.
    pub fields: Vec<(String, String, Seen)>,
}

/// What a tap has seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// The records behind the one asked for that are still kept.
    pub records: Vec<Tapped>,
    /// How many records passed since the tap was opened, copied or not.
    pub passed: u64,
}

/// A look at one edge.
pub struct Tap {
    /// The edge as `from>to`, in every spelling that a task may have for it.
    edges: Vec<String>,
    opened: Instant,
    lasts: Duration,
    hides: Box<dyn Fn(&str) -> bool + Send + Sync>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    records: VecDeque<(Tapped, usize)>,
    bytes: usize,
    number: u64,
    passed: u64,
    /// The second that is being counted, and what was copied in it.
    second: u64,
    copied: usize,
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("edges", &self.edges).field("lasts", &self.lasts).finish_non_exhaustive()
    }
}

impl Tap {
    /// A tap of an edge that ends by itself; `hides` names fields whose values must not be seen.
    pub fn new(
        edges: Vec<String>,
        lasts: Duration,
        hides: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { edges, opened: Instant::now(), lasts, hides: Box::new(hides), kept: Mutex::default() }
    }

    /// Time until it ends; none once it has.
    pub fn left(&self) -> Option<Duration> {
        self.lasts.checked_sub(self.opened.elapsed()).filter(|left| !left.is_zero())
    }

    /// What it has seen beyond a number.
    pub fn look(&self, after: u64) -> Look {
        let kept = lock(&self.kept);
        let records = kept.records.iter().map(|(record, _)| record).filter(|record| record.number > after);
        Look { records: records.cloned().collect(), passed: kept.passed }
    }

    fn offer(&self, batch: &Batch) {
        // Whoever looks just now has it; these records pass unseen rather than wait.
        let Ok(mut kept) = self.kept.try_lock() else { return };
        kept.passed += batch.len() as u64;
        let after = self.opened.elapsed();
        if kept.second != after.as_secs() {
            (kept.second, kept.copied) = (after.as_secs(), 0);
        }
        let room = MOST_A_SECOND.saturating_sub(kept.copied).min(MOST_OF_A_BATCH).min(batch.len());
        kept.copied += room;
        // Spread over the batch: its beginning alone may be all alike.
        for part in 0..room {
            let record = batch.record(part * batch.len() / room);
            let fields = self.copy(&record, batch.bytes() <= NESTED_IN);
            let bytes: usize = fields.iter().map(|(name, _, seen)| name.len() + size(seen)).sum();
            kept.number += 1;
            let number = kept.number;
            kept.bytes += bytes;
            kept.records.push_back((Tapped { number, after, fields }, bytes));
            while kept.records.len() > KEPT || (kept.bytes > KEPT_BYTES && kept.records.len() > 1) {
                let gone = kept.records.pop_front().map_or(0, |(_, bytes)| bytes);
                kept.bytes -= gone;
            }
        }
    }

    fn copy(&self, record: &RecordRef<'_>, nested: bool) -> Vec<(String, String, Seen)> {
        let fields = record.fields().take(MOST_FIELDS);
        fields
            .map(|(name, value)| {
                let seen = if (self.hides)(name) { Seen::Hidden } else { seen(value, nested) };
                (name.to_owned(), value.kind().to_owned(), seen)
            })
            .collect()
    }
}

fn seen(value: Ref<'_>, nested: bool) -> Seen {
    match value {
        Ref::Str(text) | Ref::Big(text) | Ref::Raw(text) if text.len() > LONGEST => cut(text),
        Ref::Bytes(bytes) if bytes.len() > LONGEST => Seen::Cut(format!("{} bytes", bytes.len())),
        Ref::List(_) | Ref::Map(_) if !nested => Seen::Cut(String::new()),
        other => {
            let json = other.to_value().to_json();
            match &json {
                Json::Array(_) | Json::Object(_) => {
                    let text = json.to_string();
                    if text.len() > LONGEST { cut(&text) } else { Seen::Whole(json) }
                }
                _ => Seen::Whole(json),
            }
        }
    }
}

fn cut(text: &str) -> Seen {
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    Seen::Cut(text[..end].to_owned())
}

fn size(seen: &Seen) -> usize {
    64 + match seen {
        Seen::Whole(Json::String(text)) | Seen::Cut(text) => text.len(),
        Seen::Whole(Json::Array(_) | Json::Object(_)) => LONGEST,
        Seen::Whole(_) | Seen::Hidden => 0,
    }
}

/// Where taps of a task hang, through all its restarts. A handle.
#[derive(Debug, Clone, Default)]
pub struct Taps(Arc<Hung>);

#[derive(Debug, Default)]
struct Hung {
    /// How many there are: what the chain looks at for each batch.
    number: AtomicUsize,
    taps: Mutex<Vec<Arc<Tap>>>,
}

impl Taps {
    /// Hangs a tap in; it goes by itself once it has ended.
    pub fn hang(&self, tap: &Arc<Tap>) {
        let mut taps = lock(&self.0.taps);
        taps.retain(|tap| tap.left().is_some());
        taps.push(tap.clone());
        self.0.number.store(taps.len(), Ordering::Relaxed);
    }

    /// Takes a tap out.
    pub fn take(&self, gone: &Arc<Tap>) {
        let mut taps = lock(&self.0.taps);
        taps.retain(|tap| !Arc::ptr_eq(tap, gone) && tap.left().is_some());
        self.0.number.store(taps.len(), Ordering::Relaxed);
    }

    /// Shows a batch that is about to pass edges.
    pub(super) fn show(&self, graph: &Graph, edges: &[Edge], batch: &Batch) {
        if self.0.number.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Somebody opens or closes one.
        let Ok(mut taps) = self.0.taps.try_lock() else { return };
        taps.retain(|tap| tap.left().is_some());
        self.0.number.store(taps.len(), Ordering::Relaxed);
        for tap in taps.iter() {
            let of_tap = |edge: &&Edge| {
                graph.edges.get(edge.index).is_some_and(|name| tap.edges.iter().any(|edge| edge == name))
            };
            if edges.iter().any(|edge| of_tap(&edge)) {
                tap.offer(batch);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{BatchBuilder, Meta};

    fn batch(rows: std::ops::Range<i64>) -> Batch {
        let mut builder = BatchBuilder::default();
        for n in rows {
            let order = u64::try_from(n).unwrap() + 1;
            let long = "ü".repeat(4000);
            let fields = [("n", Ref::I64(n)), ("email", Ref::Str("a@b")), ("long", Ref::Str(&long))];
            builder.push_row(Meta::new(order, 0), fields).unwrap();
        }
        builder.finish()
    }

    fn tap(lasts: Duration) -> Tap {
        Tap::new(vec!["a>b".into()], lasts, |name| name == "email")
    }

    #[test]
    fn hidden_values_are_not_copied_and_long_ones_are_cut() {
        let tap = tap(Duration::from_secs(60));
        tap.offer(&batch(7..8));
        let look = tap.look(0);
        let fields = &look.records[0].fields;
        assert_eq!(fields[0], ("n".into(), "int64".into(), Seen::Whole(7.into())));
        assert_eq!(fields[1].2, Seen::Hidden);
        assert_eq!(fields[2].2, Seen::Cut("ü".repeat(LONGEST / 2)));
        assert!(!format!("{look:?}").contains("a@b"));
        assert_eq!((look.passed, tap.look(1).records.len()), (1, 0));
    }

    #[test]
    fn rate_and_room_are_bounded_whatever_passes() {
        let tap = tap(Duration::from_secs(600));
        for _ in 0..1000 {
            tap.offer(&batch(0..100));
        }
        let look = tap.look(0);
        assert_eq!(look.passed, 100_000);
        let seconds = usize::try_from(tap.opened.elapsed().as_secs()).unwrap() + 1;
        assert!(look.records.len() <= MOST_A_SECOND * seconds && look.records.len() <= KEPT);
        assert!(lock(&tap.kept).bytes <= KEPT_BYTES);
        let rows = |fields: &[(String, String, Seen)]| fields[0].2.clone();
        let first: Vec<_> = look.records.iter().take(MOST_OF_A_BATCH).map(|r| rows(&r.fields)).collect();
        assert_eq!(first[1], Seen::Whole(20.into()), "they are spread over the batch");
    }

    #[test]
    fn whoever_looks_keeps_nothing_waiting() {
        let tap = tap(Duration::from_secs(60));
        let held = lock(&tap.kept);
        tap.offer(&batch(0..5));
        drop(held);
        assert_eq!(tap.look(0), Look::default());
    }

    #[test]
    fn it_ends_by_itself() {
        let taps = Taps::default();
        taps.hang(&Arc::new(tap(Duration::ZERO)));
        let open = Arc::new(tap(Duration::from_secs(60)));
        assert!(open.left().is_some() && tap(Duration::ZERO).left().is_none());
        taps.hang(&open);
        assert_eq!(taps.0.number.load(Ordering::Relaxed), 1, "the one that has ended is gone");
        taps.take(&open);
        assert_eq!(taps.0.number.load(Ordering::Relaxed), 0);
    }
}
