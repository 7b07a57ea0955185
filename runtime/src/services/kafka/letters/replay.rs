//! Dead letters that are tried again, edited or as they are: marked with a rising number and their task, struck off when the task's watermark passes it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use fairway_engine::position::StreamKey;
use fairway_engine::store::{Letter, LetterKey, Replay, Replays, StoredMark};
use serde_json::Value;

use super::drawer::{Drawer, watermark};
use super::form::{About, Asked, Counted, History, Note, Place, Stored};
use super::{BY_HAND, Change, Shared};
use crate::clock;
use crate::services::error::{Error, Result};
use crate::services::{Edit, Filter, Tasks};

/// How often a letter that changes meanwhile is read again to be edited.
const EDITS_TRIED: u32 = 10;

pub(super) async fn ask(shared: &Shared, uid: &str, filter: &Filter, tasks: &Tasks) -> Result<u64> {
    shared
        .change(uid, |drawer| {
            let fitting = drawer.fitting(filter);
            let fitting = fitting.filter_map(|(place, _)| Some((place, tasks.get(&*place.node)?)));
            let (known, new): (Vec<_>, Vec<_>) =
                fitting.partition(|(place, _)| drawer.asked.contains_key(*place));
            let mut notes = Vec::new();
            number(drawer, &new, &mut notes)?;
            Ok(Change { notes, replayed: 0, answer: (known.len() + new.len()) as u64 })
        })
        .await
}

/// Gives letters the next numbers, in this order.
fn number(drawer: &Drawer, letters: &[(&Place, &String)], notes: &mut Vec<Note>) -> Result<()> {
    let mut counted = drawer.counted;
    let mut asked = Vec::with_capacity(letters.len());
    for (place, task) in letters {
        counted.asked += 1;
        asked.push(Note::asked((*place).clone(), &Asked { task: (*task).clone(), number: counted.asked })?);
    }
    if !asked.is_empty() {
        // First, for not all of them need go in one transaction: no number may be given twice.
        notes.push(Note::counted(Counted { asked: counted.asked, ..counted })?);
        notes.extend(asked);
    }
    Ok(())
}

pub(super) async fn edit(shared: &Shared, uid: &str, id: &str, record: Option<&Value>) -> Result<Edit> {
    // An id that is no number of ours names nothing.
    let Ok(entry) = id.parse::<i64>() else { return Ok(Edit::Unknown) };
    for _ in 0..EDITS_TRIED {
        let offset =
            shared.look(uid, |drawer| Some(drawer.letters.get(drawer.entries.get(&entry)?)?.offset)).await?;
        let Some(offset) = offset else { return Ok(Edit::Unknown) };
        let Some(stored) = shared.pick(uid, &[offset]).await?.pop().flatten() else { continue };
        let change = shared
            .change(uid, |drawer| {
                let nothing = |answer| Change { notes: Vec::new(), replayed: 0, answer };
                let place = drawer.entries.get(&entry);
                let Some((place, slot)) = place.and_then(|place| Some((place, drawer.letters.get(place)?)))
                else {
                    return Ok(nothing(Some(Edit::Unknown)));
                };
                if drawer.asked.contains_key(place) {
                    return Ok(nothing(Some(Edit::UnderWay)));
                }
                // It was refused again or edited meanwhile: what was read of it no longer holds.
                if slot.offset != offset {
                    return Ok(nothing(None));
                }
                let history = History {
                    entry: Some(entry),
                    dead: !drawer.is_live(place, slot),
                    edited: record.is_some(),
                    ..slot.history
                };
                let (cause, original) = (stored.cause.clone(), stored.record.clone());
                let stored = Stored { cause, record: original, edited: record.cloned(), history };
                let note = Note::stored(uid, BY_HAND, place.clone(), &stored)?;
                Ok(Change { notes: vec![note], replayed: 0, answer: Some(Edit::Done) })
            })
            .await?;
        if let Some(edit) = change {
            return Ok(edit);
        }
    }
    Err(Error::Unavailable("the dead letter changes while it is edited".into()))
}

pub(super) async fn assign(shared: &Shared, uid: &str, tasks: &Tasks, marks: &[StoredMark]) -> Result<()> {
    let done: Vec<(Arc<str>, u64)> = marks
        .iter()
        .filter(|mark| mark.target.is_none() && mark.stream.is_replay())
        .map(|mark| (mark.stream.partition.clone(), mark.position.order))
        .collect();
    shared
        .change(uid, |drawer| {
            let passed = |(task, number): &(Arc<str>, u64)| {
                done.iter().any(|(of, up_to)| of == task && number <= up_to)
            };
            let (struck, left): (Vec<_>, Vec<_>) =
                drawer.numbers.iter().partition(|(number, _)| passed(number));
            let mut notes = Vec::new();
            let replayed = strike(drawer, struck.into_iter().map(|(_, place)| place), &mut notes);
            let mut moved = Vec::new();
            for ((task, _), place) in left {
                match tasks.get(&*place.node) {
                    None => notes.push(Note::gone(About::Asked(place.clone()))),
                    // In the hands of another task it would be passed over by this one's watermark, so it gets a number
                    // beyond that.
                    Some(now) if *now != **task => moved.push((place, now)),
                    Some(_) => {}
                }
            }
            moved.sort_by_key(|(place, _)| drawer.letters.get(*place).map(|slot| slot.entry));
            number(drawer, &moved, &mut notes)?;
            Ok(Change { notes, replayed, answer: () })
        })
        .await
}

/// Removes letters that were tried again; answers how many source records have no letter left.
fn strike<'d>(drawer: &Drawer, struck: impl Iterator<Item = &'d Place>, notes: &mut Vec<Note>) -> u64 {
    let gone: BTreeSet<&Place> = struck.collect();
    for place in &gone {
        notes.push(Note::gone(About::Letter((*place).clone())));
        notes.push(Note::gone(About::Asked((*place).clone())));
    }
    let mut replayed = 0;
    let mut last: Option<&Place> = None;
    for place in &gone {
        if last.is_some_and(|last| last.same_record(place)) || !drawer.letters.contains_key(*place) {
            continue;
        }
        last = Some(place);
        let first = Place::first_of(&place.source, &place.partition, place.order);
        let letters = drawer.letters.range(first..).map(|(letter, _)| letter);
        let mut of_record = letters.take_while(|letter| letter.same_record(place));
        replayed += u64::from(of_record.all(|letter| gone.contains(letter)));
    }
    replayed
}

pub(super) async fn replayed(shared: &Shared, uid: &str, task: &str, up_to: u64) -> Result<u64> {
    let task_name: Arc<str> = task.into();
    let (notes, replayed, letters) = shared
        .look(uid, |drawer| {
            let mut notes = Vec::new();
            let numbers = drawer.numbers.range((task_name.clone(), 0)..=(task_name, up_to));
            let struck: Vec<&Place> = numbers.map(|(_, place)| place).collect();
            let letters = struck.len() as u64;
            let replayed = strike(drawer, struck.into_iter(), &mut notes);
            (notes, replayed, letters)
        })
        .await?;
    shared.write(uid, task, notes, replayed).await?;
    Ok(letters)
}

/// A letter that is to be tried.
struct Ready {
    number: u64,
    node: String,
    child: u32,
    offset: i64,
}

pub(super) async fn next(
    shared: &Shared,
    uid: &str,
    task: &str,
    after: u64,
    limit: usize,
    marks: &[StoredMark],
) -> Result<Replays> {
    let task: Arc<str> = task.into();
    let (ready, waiting) = shared
        .look(uid, |drawer| {
            let numbers = drawer.numbers.range((task.clone(), after.saturating_add(1))..=(task, u64::MAX));
            let mut ready = Vec::new();
            for ((_, number), place) in numbers.take(limit) {
                let Some(slot) = drawer.letters.get(place) else { continue };
                // What its source may still bring by itself must not come twice. Later ones wait with it: numbers are passed in
                // order.
                if drawer.is_live(place, slot) && watermark(marks, place) < place.order {
                    return (ready, true);
                }
                let (node, child) = (place.node.to_string(), place.child);
                ready.push(Ready { number: *number, node, child, offset: slot.offset });
            }
            (ready, false)
        })
        .await?;
    let offsets: Vec<i64> = ready.iter().map(|ready| ready.offset).collect();
    let stored = shared.pick(uid, &offsets).await?;
    let replay = |(ready, stored): (Ready, Option<Stored>)| {
        let Ready { number, node, child, .. } = ready;
        let stored = stored?;
        Some(Replay { number, node, child, record: stored.edited.unwrap_or(stored.record) })
    };
    Ok(Replays { ready: ready.into_iter().zip(stored).filter_map(replay).collect(), waiting })
}

pub(super) async fn refused_again(shared: &Shared, uid: &str, task: &str, letters: &[Letter]) -> Result<()> {
    let at = clock::now_ms();
    let tried = |drawer: &Drawer, letter: &Letter| {
        let place = drawer.numbers.get(&(letter.key.stream.partition.clone(), letter.key.order))?;
        let slot = drawer.letters.get(place)?;
        (slot.history.edited && stays(place, letter)).then_some(slot.offset)
    };
    // Of an edited letter what was refused now is the edited record: the one that was refused first is kept beside it.
    let edited: Vec<i64> = shared
        .look(uid, |drawer| letters.iter().filter_map(|letter| tried(drawer, letter)).collect())
        .await?;
    let kept = if edited.is_empty() { Vec::new() } else { shared.pick(uid, &edited).await? };
    let kept: HashMap<i64, Stored> =
        edited.into_iter().zip(kept).filter_map(|(offset, stored)| Some((offset, stored?))).collect();
    let notes = shared
        .look(uid, |drawer| {
            let mut notes = Vec::new();
            for letter in letters {
                let number = letter.key.order;
                // None: it was discarded meanwhile, or this very refusal was stored before a crash.
                let Some(tried) = drawer.numbers.get(&(letter.key.stream.partition.clone(), number)) else {
                    continue;
                };
                let Some(slot) = drawer.letters.get(tried) else { continue };
                let stays = stays(tried, letter);
                let now = if stays {
                    tried.clone()
                } else {
                    let stream = StreamKey { via: "".into(), ..tried.key().stream };
                    let (node, child) = (letter.key.node.clone(), letter.key.child);
                    Place::of(&LetterKey { node, stream, order: tried.order, child })
                };
                // Where it goes on there may be a letter already, of this try or of another.
                let there = if stays { Some(slot) } else { drawer.letters.get(&now) };
                if there.is_some_and(|there| there.history.replayed == Some(number)) {
                    continue;
                }
                let first = kept.get(&slot.offset).filter(|_| stays);
                let history = History {
                    at,
                    tries: there.unwrap_or(slot).history.tries + 1,
                    entry: there.map(|there| there.entry),
                    dead: match there {
                        Some(there) => !drawer.is_live(&now, there),
                        None => !drawer.is_live(tried, slot),
                    },
                    replayed: Some(number),
                    edited: first.is_some(),
                };
                notes.push(match first {
                    Some(Stored { record, edited, .. }) => {
                        let (cause, record, edited) = (letter.cause.clone(), record.clone(), edited.clone());
                        Note::stored(uid, task, now, &Stored { cause, record, edited, history })?
                    }
                    None => Note::letter(uid, task, now, letter, history)?,
                });
                if stays {
                    notes.push(Note::gone(About::Asked(tried.clone())));
                }
            }
            Ok::<_, crate::services::Error>(notes)
        })
        .await??;
    shared.write(uid, task, notes, 0).await
}

/// Whether a letter that was tried is refused where it was before.
fn stays(tried: &Place, letter: &Letter) -> bool {
    *tried.node == *letter.key.node && tried.child == letter.key.child
}
