//! Dead letters on Kafka: one compacted topic for all channels, each channel in one partition, each letter under its identity.
//!
//! | File | Holds |
//! |---|---|
//! | `form` | keys, values and headers of the topic |
//! | `drawer` | what every worker keeps in memory: where letters lie and what became of them |
//! | `find` | lists, groups, counts |
//! | `replay` | letters that are tried again |
//!
//! What a task writes goes by the task's own transactional producer: an older start of it writes nothing (I4), and a new one sees
//! everything that was written before it, so a letter that was set aside before a crash is not set aside again. What the controller
//! changes goes by a transactional id of the channel's, taken for each change: two changes at one time are one after the other.
//!
//! A write of more than [`AT_ONCE`] records is several transactions, each of which leaves a sound whole.

mod drawer;
mod find;
mod form;
mod replay;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use fairway_engine::store::{Letter, Replays, Routed, StoredMark};
use fairway_kafka::house::HouseTopic;
use fairway_kafka::transaction::Write;
use fairway_kafka::{Access, Picker};
use fairway_shared::api::dead_letters::{DeadLetter, LetterGroup};
use serde_json::Value;
use tokio::sync::Mutex;

use self::drawer::{Drawer, Drawers};
use self::form::{About, Counted, History, Note, Place, Stored};
use super::mirror::{IfGone, Mirror};
use super::{Control, ledger, position};
use crate::clock;
use crate::services::error::Result;
use crate::services::{DeadLetterService, Edit, Filter, Limits, Page, Refusals, Tasks, Usage};

/// Partitions of the topic. Never another number, or letters would be looked for where they are not.
pub(super) const PARTITIONS: i32 = 12;
/// Most bytes of a letter.
pub(super) const LARGEST: usize = 64 << 20;
/// Records written in one transaction.
const AT_ONCE: usize = 5000;
/// Letters removed by the limits between two looks.
const EVICTED_AT_ONCE: usize = 2000;
/// What stands for a task in the headers of a letter that somebody edited.
const BY_HAND: &str = "";
/// What stands for a task in the transactional id of a channel's changes. Tasks have no `~`.
const CHANGES: &str = "~letters";

fn partition_of(uid: &str) -> usize {
    ledger::spread(uid, PARTITIONS)
}

/// Dead letters that all workers share.
pub(super) struct Shared {
    topic: Arc<str>,
    mirror: Mirror<Drawers>,
    tasks: Arc<position::Shared>,
    control: Arc<Control>,
    picker: Picker,
    /// Held while the controller changes something.
    turn: Mutex<()>,
}

/// What a change comes to.
struct Change<T> {
    notes: Vec<Note>,
    /// Source records that have no letter left since they were replayed.
    replayed: u64,
    answer: T,
}

impl Shared {
    pub(super) fn open(
        access: &Access,
        topic: HouseTopic,
        tasks: Arc<position::Shared>,
        control: Arc<Control>,
    ) -> Result<Self> {
        Ok(Self {
            topic: topic.name.as_str().into(),
            mirror: Mirror::open(access, topic, IfGone::MakeAgain)?,
            tasks,
            control,
            picker: Picker::new(access),
            turn: Mutex::default(),
        })
    }

    /// Looks at everything that is known of a channel now.
    async fn look<T>(&self, uid: &str, look: impl FnOnce(&Drawer) -> T) -> Result<T> {
        self.mirror.settle(partition_of(uid)).await?;
        Ok(self.mirror.look(|drawers| drawers.drawer(uid, look)))
    }

    /// What letters of a channel say, by their offsets; `None` for those that are gone.
    async fn pick(&self, uid: &str, offsets: &[i64]) -> Result<Vec<Option<Stored>>> {
        let partition = i32::try_from(partition_of(uid)).unwrap_or_default();
        let picked = self.picker.pick(&self.topic, partition, offsets).await?;
        let read = |value: Vec<u8>| serde_json::from_slice(&value).ok();
        Ok(picked.into_iter().map(|taken| taken?.value.and_then(read)).collect())
    }

    fn transactions(&self, uid: &str, notes: Vec<Note>) -> Vec<Vec<Write>> {
        let mut writes = notes.into_iter().map(|note| note.write(&self.topic, uid)).peekable();
        let mut transactions = Vec::new();
        while writes.peek().is_some() {
            transactions.push(writes.by_ref().take(AT_ONCE).collect());
        }
        transactions
    }

    /// Writes as a task that runs here.
    ///
    /// # Errors
    /// `Fenced` when it runs elsewhere by now (I4).
    async fn write(&self, uid: &str, task: &str, notes: Vec<Note>, mut replayed: u64) -> Result<()> {
        for writes in self.transactions(uid, notes) {
            // Counted with the first: told again after a crash, letters that are gone count no more.
            self.tasks.write_as(uid, task, writes, std::mem::take(&mut replayed)).await?;
        }
        Ok(())
    }

    /// Changes something of a channel as its controller. `work` is asked twice: once to see whether there is anything to do, and once
    /// when nobody else can change anything any more.
    async fn change<T>(&self, uid: &str, work: impl Fn(&Drawer) -> Result<Change<T>>) -> Result<T> {
        let _turn = self.turn.lock().await;
        let seen = self.look(uid, &work).await??;
        if seen.notes.is_empty() {
            return Ok(seen.answer);
        }
        let producer = self.tasks.take(uid, Some(CHANGES)).await?;
        let Change { notes, mut replayed, answer } = self.look(uid, &work).await??;
        for writes in self.transactions(uid, notes) {
            self.tasks.write_beside(uid, &producer, writes, std::mem::take(&mut replayed)).await?;
        }
        Ok(answer)
    }
}

/// Notes that remove letters and keep their refusals, so that reading their source again does not set them aside again.
fn remove<'d>(drawer: &'d Drawer, places: impl Iterator<Item = &'d Place>) -> Vec<Note> {
    let mut notes = Vec::new();
    for place in places {
        let Some(slot) = drawer.letters.get(place) else { continue };
        if drawer.is_live(place, slot) {
            notes.push(Note::fact(About::Refusal(place.clone())));
        }
        notes.push(Note::gone(About::Letter(place.clone())));
        if drawer.asked.contains_key(place) {
            notes.push(Note::gone(About::Asked(place.clone())));
        }
    }
    notes
}

#[async_trait]
impl DeadLetterService for Shared {
    async fn set_aside(&self, uid: &str, task: &str, letters: &[Letter]) -> Result<()> {
        let history = History {
            at: clock::now_ms(),
            tries: 1,
            entry: None,
            dead: false,
            replayed: None,
            edited: false,
        };
        let notes = self
            .look(uid, |drawer| {
                let mut notes = Vec::new();
                let mut new = BTreeSet::new();
                for letter in letters {
                    let place = Place::of(&letter.key);
                    let there = drawer.letters.get(&place);
                    if there.is_some_and(|slot| drawer.is_live(&place, slot)) || !new.insert(place.clone()) {
                        continue;
                    }
                    // A letter from before its source started over makes way, and with it that it was to be tried again.
                    if drawer.asked.contains_key(&place) {
                        notes.push(Note::gone(About::Asked(place.clone())));
                    }
                    notes.push(Note::letter(uid, task, place, letter, history)?);
                }
                Ok::<_, super::Error>(notes)
            })
            .await??;
        self.write(uid, task, notes, 0).await
    }

    async fn note_routed(&self, uid: &str, task: &str, notes: &[Routed]) -> Result<()> {
        let notes = notes.iter().map(|note| Note::fact(About::routed(note))).collect();
        self.write(uid, task, notes, 0).await
    }

    async fn forget_routed(&self, uid: &str, task: &str, notes: &[Routed]) -> Result<()> {
        let notes = notes.iter().map(|note| Note::gone(About::routed(note))).collect();
        self.write(uid, task, notes, 0).await
    }

    async fn refusals(&self, uid: &str, marks: &[StoredMark]) -> Result<Refusals> {
        self.look(uid, |drawer| drawer.refusals_beyond(marks)).await
    }

    async fn passed(&self, uid: &str, task: &str, marks: &[StoredMark]) -> Result<()> {
        let own = |mark: &&StoredMark| mark.target.is_none() && mark.stream.via.is_empty();
        let own: Vec<StoredMark> = marks.iter().filter(own).cloned().collect();
        let notes = self
            .look(uid, |drawer| {
                let passed = |place: &Place| place.order <= drawer::watermark(&own, place);
                let refusals = drawer.refusals.keys().filter(|place| passed(place));
                let refusals = refusals.map(|place| Note::gone(About::Refusal(place.clone())));
                let routed = drawer.routed.keys().filter(|(place, ..)| passed(place)).cloned();
                let routed =
                    routed.map(|(place, target, number)| Note::gone(About::Routed(place, target, number)));
                refusals.chain(routed).collect::<Vec<_>>()
            })
            .await?;
        self.write(uid, task, notes, 0).await
    }

    async fn list(&self, uid: &str, filter: &Filter, page: Page) -> Result<Vec<DeadLetter>> {
        find::list(self, uid, filter, page).await
    }

    async fn count(&self, uid: &str, filter: &Filter) -> Result<u64> {
        self.look(uid, |drawer| drawer.fitting(filter).count() as u64).await
    }

    async fn groups(&self, uid: &str) -> Result<Vec<LetterGroup>> {
        find::groups(self, uid).await
    }

    async fn edit(&self, uid: &str, id: &str, record: Option<&Value>) -> Result<Edit> {
        replay::edit(self, uid, id, record).await
    }

    async fn ask_replay(&self, uid: &str, filter: &Filter, tasks: &Tasks) -> Result<u64> {
        replay::ask(self, uid, filter, tasks).await
    }

    async fn assign_replays(&self, uid: &str, tasks: &Tasks, marks: &[StoredMark]) -> Result<()> {
        replay::assign(self, uid, tasks, marks).await
    }

    async fn replays(
        &self,
        uid: &str,
        task: &str,
        after: u64,
        limit: usize,
        marks: &[StoredMark],
    ) -> Result<Replays> {
        replay::next(self, uid, task, after, limit, marks).await
    }

    async fn replayed(&self, uid: &str, task: &str, up_to: u64) -> Result<u64> {
        replay::replayed(self, uid, task, up_to).await
    }

    async fn refused_again(&self, uid: &str, task: &str, letters: &[Letter]) -> Result<()> {
        replay::refused_again(self, uid, task, letters).await
    }

    async fn waiting_for_replay(&self) -> Result<BTreeSet<String>> {
        self.settle_all().await?;
        Ok(self.mirror.look(|drawers| {
            let waiting = drawers.channels().filter(|(_, drawer)| drawer.usage().replaying > 0);
            waiting.map(|(uid, _)| uid.clone()).collect()
        }))
    }

    async fn usage(&self, uid: &str) -> Result<Usage> {
        self.look(uid, Drawer::usage).await
    }

    async fn usage_seen(&self, uid: &str) -> Result<Usage> {
        Ok(self.mirror.look(|drawers| drawers.drawer(uid, Drawer::usage)))
    }

    async fn discard(&self, uid: &str, filter: &Filter) -> Result<u64> {
        let discard = |drawer: &Drawer| {
            let places: Vec<&Place> = drawer.fitting(filter).map(|(place, _)| place).collect();
            let answer = places.len() as u64;
            Ok(Change { notes: remove(drawer, places.into_iter()), replayed: 0, answer })
        };
        self.change(uid, discard).await
    }

    async fn reset(&self, uid: &str, sources: Option<&[String]>) -> Result<()> {
        let reset = |drawer: &Drawer| {
            let meant = |place: &Place| {
                sources.is_none_or(|sources| sources.iter().any(|source| **source == *place.source))
            };
            let mut notes: Vec<Note> = match sources {
                None => vec![Note::fact(About::Restart("".into()))],
                Some(sources) => {
                    sources.iter().map(|one| Note::fact(About::Restart(one.as_str().into()))).collect()
                }
            };
            let refusals = drawer.refusals.keys().filter(|place| meant(place)).cloned();
            notes.extend(refusals.map(|place| Note::gone(About::Refusal(place))));
            let routed = drawer.routed.keys().filter(|(place, ..)| meant(place)).cloned();
            let gone = |(place, target, number)| Note::gone(About::Routed(place, target, number));
            notes.extend(routed.map(gone));
            // Where nothing was refused there is nothing to let come again.
            if drawer.letters.is_empty() && drawer.refusals.is_empty() && drawer.routed.is_empty() {
                notes.clear();
            }
            Ok(Change { notes, replayed: 0, answer: () })
        };
        self.change(uid, reset).await
    }

    async fn evict(&self, limits: Limits) -> Result<u64> {
        // One is enough, and two would count twice.
        if !self.control.leads().await {
            return Ok(0);
        }
        self.settle_all().await?;
        let mut evicted = 0;
        for (uid, entries) in self.mirror.look(|drawers| beyond(drawers, limits)) {
            for some in entries.chunks(EVICTED_AT_ONCE) {
                let evict = |drawer: &Drawer| {
                    let places: Vec<&Place> =
                        some.iter().filter_map(|entry| drawer.entries.get(entry)).collect();
                    let answer = places.len() as u64;
                    let mut notes = remove(drawer, places.into_iter());
                    if answer > 0 {
                        let evicted = drawer.counted.evicted + answer;
                        notes.push(Note::counted(Counted { evicted, ..drawer.counted })?);
                    }
                    Ok(Change { notes, replayed: 0, answer })
                };
                evicted += self.change(&uid, evict).await?;
            }
        }
        Ok(evicted)
    }

    async fn forget(&self, uid: &str) -> Result<()> {
        let forget = |drawer: &Drawer| {
            let mut all: Vec<About> = drawer.letters.keys().cloned().map(About::Letter).collect();
            all.extend(drawer.asked.keys().cloned().map(About::Asked));
            all.extend(drawer.refusals.keys().cloned().map(About::Refusal));
            let routed = drawer.routed.keys().cloned();
            all.extend(routed.map(|(place, target, number)| About::Routed(place, target, number)));
            all.extend(drawer.restarts.keys().cloned().map(About::Restart));
            if drawer.counted != Counted::default() {
                all.push(About::Counted);
            }
            Ok(Change { notes: all.into_iter().map(Note::gone).collect(), replayed: 0, answer: () })
        };
        self.change(uid, forget).await
    }
}

impl Shared {
    async fn settle_all(&self) -> Result<()> {
        let partitions = 0..usize::try_from(PARTITIONS).unwrap_or_default();
        futures::future::try_join_all(partitions.map(|partition| self.mirror.settle(partition)))
            .await
            .map(drop)
    }
}

/// The letters that are too old or too many, by channel, oldest first.
fn beyond(drawers: &Drawers, limits: Limits) -> Vec<(String, Vec<i64>)> {
    let age = i64::try_from(limits.age.as_millis()).unwrap_or(i64::MAX);
    let oldest = clock::now_ms().saturating_sub(age);
    let used: u64 = drawers.channels().map(|(_, drawer)| drawer.bytes).sum();
    let letters = drawers.channels().flat_map(|(uid, drawer)| {
        drawer.letters.values().map(move |slot| (slot.history.at, uid, slot.entry, slot.bytes))
    });
    let mut letters: Vec<(i64, &String, i64, u64)> = letters.collect();
    letters.sort_unstable();
    let (mut most, mut gone): (u64, Vec<(String, Vec<i64>)>) =
        (used.saturating_sub(limits.bytes), Vec::new());
    for (at, uid, entry, bytes) in letters {
        if at >= oldest && most == 0 {
            break;
        }
        most = most.saturating_sub(bytes);
        match gone.iter_mut().find(|(of, _)| of == uid) {
            Some((_, entries)) => entries.push(entry),
            None => gone.push((uid.clone(), vec![entry])),
        }
    }
    gone
}
