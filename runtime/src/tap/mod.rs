//! Taps of running channels, as callers know them: few at once, each for a short time. What a tap copies is the engine's business;
//! what it must not show is in `hidden`.

mod hidden;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fairway_engine::task::tap::{self, Seen, Tapped as Passed};
use fairway_shared::api::taps::{Tap, Tapped, TappedRecord};
use serde_json::Value;

pub(crate) use self::hidden::Hidden;

/// Most taps of one process at once: each keeps records in memory (I5).
pub(crate) const AT_ONCE: usize = 8;
/// Longest time of a tap, in seconds.
const LONGEST: u64 = 300;
/// Time of a tap unless told otherwise, in seconds.
const USUAL: u64 = 60;
/// How long what a tap has seen can still be read after it has ended.
const READ_AFTER: Duration = Duration::from_secs(60);

/// How long a tap is to last.
pub(crate) fn lasting(seconds: Option<u64>) -> Duration {
    Duration::from_secs(seconds.unwrap_or(USUAL).clamp(1, LONGEST))
}

/// The taps of one process. A handle.
#[derive(Clone, Default)]
pub(crate) struct Taps(Arc<Mutex<HashMap<String, Open>>>);

#[derive(Clone)]
struct Open {
    uid: String,
    told: Tap,
    tap: Arc<tap::Tap>,
    /// When it is forgotten.
    until: std::time::Instant,
}

impl Taps {
    /// Keeps a tap under its id; `false` when there are as many as may be.
    pub(crate) fn keep(&self, uid: &str, told: Tap, tap: Arc<tap::Tap>) -> bool {
        let mut open = self.lock();
        open.retain(|_, open| open.until > std::time::Instant::now());
        if open.values().filter(|open| open.tap.left().is_some()).count() >= AT_ONCE {
            return false;
        }
        let until = std::time::Instant::now() + tap.left().unwrap_or_default() + READ_AFTER;
        open.insert(told.id.clone(), Open { uid: uid.to_owned(), told, tap, until });
        true
    }

    /// What a tap of a channel has seen beyond a number.
    pub(crate) fn read(&self, uid: &str, id: &str, after: u64) -> Option<Tapped> {
        let Open { told, tap, .. } = self.lock().get(id).filter(|open| open.uid == uid)?.clone();
        let look = tap.look(after);
        let left = tap.left().map_or(0, |left| left.as_secs() + 1);
        Some(Tapped {
            tap: Tap { seconds_left: u32::try_from(left).unwrap_or(u32::MAX), ..told },
            records: look.records.into_iter().map(record).collect(),
            passed: look.passed,
        })
    }

    /// Forgets a tap of a channel.
    pub(crate) fn close(&self, uid: &str, id: &str) -> Option<Arc<tap::Tap>> {
        let mut open = self.lock();
        open.get(id).filter(|open| open.uid == uid)?;
        Some(open.remove(id)?.tap)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn record(passed: Passed) -> TappedRecord {
    let Passed { number, after, fields } = passed;
    let mut record = TappedRecord {
        number,
        after_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
        value: serde_json::Map::new(),
        fields: Vec::with_capacity(fields.len()),
        types: Default::default(),
        hidden: Vec::new(),
        cut: Vec::new(),
    };
    for (name, kind, seen) in fields {
        record.fields.push(name.clone());
        record.types.insert(name.clone(), kind);
        match seen {
            // A component may have put a secret of its settings into a record (I6).
            Seen::Whole(mut value) => {
                crate::redact::value(&mut value);
                record.value.insert(name, value);
            }
            Seen::Cut(text) => {
                let mut value = Value::String(text);
                crate::redact::value(&mut value);
                record.value.insert(name.clone(), value);
                record.cut.push(name);
            }
            Seen::Hidden => record.hidden.push(name),
        }
    }
    record
}
