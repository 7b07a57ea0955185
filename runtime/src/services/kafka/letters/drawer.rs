//! What is known of dead letters: all but what they say, which stays in the topic until somebody asks.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use fairway_engine::store::{Routed, StoredMark};
use fairway_kafka::tail::Taken;

use super::form::{About, Asked, Counted, History, Outline, Place};
use crate::services::kafka::mirror::Fold;
use crate::services::{Filter, Refusals, Usage};

/// A letter, short of what it says.
#[derive(Debug)]
pub(super) struct Slot {
    /// Where its last record lies.
    pub(super) offset: i64,
    /// Where its first record lay: its id, and its place in lists.
    pub(super) entry: i64,
    /// Bytes of its last record.
    pub(super) bytes: u64,
    pub(super) code: Arc<str>,
    pub(super) history: History,
}

/// All letters of a channel.
#[derive(Debug, Default)]
pub(super) struct Drawer {
    pub(super) letters: BTreeMap<Place, Slot>,
    /// Places of letters by entry.
    pub(super) entries: BTreeMap<i64, Place>,
    /// Letters to be tried again.
    pub(super) asked: HashMap<Place, (Arc<str>, u64)>,
    /// The same by task and number.
    pub(super) numbers: BTreeMap<(Arc<str>, u64), Place>,
    /// Offsets of refusals.
    pub(super) refusals: BTreeMap<Place, i64>,
    /// Offsets of notes.
    pub(super) routed: BTreeMap<(Place, Arc<str>, u64), i64>,
    /// Offsets at which sources started over.
    pub(super) restarts: HashMap<Arc<str>, i64>,
    pub(super) counted: Counted,
    pub(super) bytes: u64,
}

/// All channels' letters.
#[derive(Default)]
pub(super) struct Drawers {
    /// One copy of each text that comes often.
    names: HashSet<Arc<str>>,
    drawers: HashMap<String, Drawer>,
}

impl Fold for Drawers {
    fn take(&mut self, _: usize, message: Taken) {
        let names = &mut self.names;
        let Some(key) = message.key.as_deref() else { return };
        // Keys that cannot be read are of a later Fairway.
        let Some((uid, about)) = About::decode(key, |text| intern(names, text)) else { return };
        let drawer = self.drawers.entry(uid.clone()).or_default();
        drawer.take(about, message.offset, message.value.as_deref(), |text| intern(names, text));
        if drawer.is_empty() {
            self.drawers.remove(&uid);
        }
    }
}

fn intern(names: &mut HashSet<Arc<str>>, text: &str) -> Arc<str> {
    match names.get(text) {
        Some(known) => known.clone(),
        None => {
            let name: Arc<str> = text.into();
            names.insert(name.clone());
            name
        }
    }
}

impl Drawers {
    /// What is known of a channel.
    pub(super) fn drawer<T>(&self, uid: &str, look: impl FnOnce(&Drawer) -> T) -> T {
        match self.drawers.get(uid) {
            Some(drawer) => look(drawer),
            None => look(&Drawer::default()),
        }
    }

    /// All channels of which something is known.
    pub(super) fn channels(&self) -> impl Iterator<Item = (&String, &Drawer)> {
        self.drawers.iter()
    }
}

impl Drawer {
    fn take(
        &mut self,
        about: About,
        offset: i64,
        value: Option<&[u8]>,
        mut name: impl FnMut(&str) -> Arc<str>,
    ) {
        match about {
            About::Letter(place) => {
                if let Some(before) = self.letters.remove(&place) {
                    self.entries.remove(&before.entry);
                    self.bytes = self.bytes.saturating_sub(before.bytes);
                }
                let Some(value) = value else { return };
                let Ok(outline) = serde_json::from_slice::<Outline>(value) else { return };
                let entry = outline.history.entry.unwrap_or(offset);
                let bytes = value.len() as u64;
                let code = name(&outline.cause.code);
                self.bytes += bytes;
                self.entries.insert(entry, place.clone());
                self.letters.insert(place, Slot { offset, entry, bytes, code, history: outline.history });
            }
            About::Asked(place) => {
                if let Some(number) = self.asked.remove(&place) {
                    self.numbers.remove(&number);
                }
                if let Some(asked) = value.and_then(|value| serde_json::from_slice::<Asked>(value).ok()) {
                    let number = (name(&asked.task), asked.number);
                    self.numbers.insert(number.clone(), place.clone());
                    self.asked.insert(place, number);
                }
            }
            About::Refusal(place) => match value {
                Some(_) => drop(self.refusals.insert(place, offset)),
                None => drop(self.refusals.remove(&place)),
            },
            About::Routed(place, target, number) => match value {
                Some(_) => drop(self.routed.insert((place, target, number), offset)),
                None => drop(self.routed.remove(&(place, target, number))),
            },
            About::Restart(source) => match value {
                Some(_) => drop(self.restarts.insert(source, offset)),
                None => drop(self.restarts.remove(&source)),
            },
            About::Counted => {
                self.counted = value.and_then(|value| serde_json::from_slice(value).ok()).unwrap_or_default();
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.letters.is_empty()
            && self.asked.is_empty()
            && self.refusals.is_empty()
            && self.routed.is_empty()
            && self.restarts.is_empty()
            && self.counted == Counted::default()
    }

    /// Whether what was written at an offset about a record of a source still counts.
    fn counts(&self, source: &Arc<str>, offset: i64) -> bool {
        let restarted = |source: &str| self.restarts.get(source).is_some_and(|restart| *restart > offset);
        !restarted(source) && !restarted("")
    }

    /// Whether a letter's source has not started over since.
    pub(super) fn is_live(&self, place: &Place, slot: &Slot) -> bool {
        !slot.history.dead && self.counts(&place.source, slot.offset)
    }

    /// The letters that fit, oldest first.
    pub(super) fn fitting<'d>(
        &'d self,
        filter: &Filter,
    ) -> impl DoubleEndedIterator<Item = (&'d Place, &'d Slot)> + use<'d> {
        let ids: Option<HashSet<i64>> = filter
            .ids
            .as_ref()
            // Ids that are no numbers of ours name nothing.
            .map(|ids| ids.iter().filter_map(|id| id.parse().ok()).collect());
        let filter = filter.clone();
        let all = self.entries.values().filter_map(|place| Some((place, self.letters.get(place)?)));
        all.filter(move |(place, slot)| {
            ids.as_ref().is_none_or(|ids| ids.contains(&slot.entry))
                && filter.node.as_ref().is_none_or(|node| *node == *place.node)
                && filter.code.as_ref().is_none_or(|code| *code == *slot.code)
                && filter.since.is_none_or(|since| slot.history.at >= since)
                && filter.until.is_none_or(|until| slot.history.at < until)
        })
    }

    pub(super) fn usage(&self) -> Usage {
        Usage {
            letters: self.letters.len() as u64,
            bytes: self.bytes,
            evicted: self.counted.evicted,
            replaying: self.asked.keys().filter(|place| self.letters.contains_key(place)).count() as u64,
        }
    }

    /// Every refusal beyond the sources' own watermarks.
    pub(super) fn refusals_beyond(&self, marks: &[StoredMark]) -> Refusals {
        let beyond = |place: &Place| place.order > watermark(marks, place);
        let live = self.letters.iter().filter(|(place, slot)| beyond(place) && self.is_live(place, slot));
        let removed = self.refusals.iter();
        let removed = removed
            .filter(|(place, offset)| beyond(place) && self.counts(&place.source, **offset))
            // One that was set aside again is both.
            .filter(|(place, _)| !self.letters.get(place).is_some_and(|slot| self.is_live(place, slot)));
        let places = live.map(|(place, _)| place).chain(removed.map(|(place, _)| place));
        let routed = self.routed.iter();
        let routed = routed
            .filter(|((place, ..), offset)| beyond(place) && self.counts(&place.source, **offset))
            .map(|((place, target, number), _)| Routed {
                key: place.key(),
                target: target.to_string(),
                number: *number,
            });
        Refusals { letters: places.map(Place::key).collect(), routed: routed.collect() }
    }
}

/// The own watermark of the source that a place is of.
pub(super) fn watermark(marks: &[StoredMark], place: &Place) -> u64 {
    marks
        .iter()
        .filter(|mark| mark.target.is_none() && mark.stream.via.is_empty())
        .find(|mark| mark.stream.source == place.source && mark.stream.partition == place.partition)
        .map_or(0, |mark| mark.position.order)
}
