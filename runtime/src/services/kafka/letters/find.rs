//! Finding dead letters: lists, groups, counts. What letters say is read where it lies.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairway_shared::api::dead_letters::{DeadLetter, LetterGroup};

use super::Shared;
use super::form::{Place, Stored};
use crate::clock;
use crate::services::error::Result;
use crate::services::{Filter, Page};

/// A letter that was found, short of what it says.
struct Found {
    place: Place,
    offset: i64,
    entry: i64,
    replaying: bool,
}

pub(super) async fn list(shared: &Shared, uid: &str, filter: &Filter, page: Page) -> Result<Vec<DeadLetter>> {
    let (skip, limit) = (usize::try_from(page.offset).unwrap_or(usize::MAX), page.limit as usize);
    let found: Vec<Found> = shared
        .look(uid, |drawer| {
            let found = drawer.fitting(filter).rev().skip(skip).take(limit);
            found
                .map(|(place, slot)| Found {
                    place: place.clone(),
                    offset: slot.offset,
                    entry: slot.entry,
                    replaying: drawer.asked.contains_key(place),
                })
                .collect()
        })
        .await?;
    let offsets: Vec<i64> = found.iter().map(|found| found.offset).collect();
    let stored = shared.pick(uid, &offsets).await?;
    // One that went meanwhile is not there to be shown.
    let letters = found.into_iter().zip(stored).filter_map(|(found, stored)| Some(letter(found, stored?)));
    Ok(letters.collect())
}

fn letter(found: Found, stored: Stored) -> DeadLetter {
    let Place { source, partition, order, node, child, .. } = found.place;
    DeadLetter {
        id: found.entry.to_string(),
        node: node.to_string(),
        source: source.to_string(),
        partition: partition.to_string(),
        order,
        child,
        cause: stored.cause,
        record: stored.record,
        edited: stored.edited,
        at: clock::from_ms(stored.history.at),
        tries: stored.history.tries,
        replaying: found.replaying,
    }
}

/// What letters of one node and code come to.
struct Sum {
    letters: u64,
    first_at: i64,
    last_at: i64,
    /// Where the newest lies.
    newest: i64,
}

pub(super) async fn groups(shared: &Shared, uid: &str) -> Result<Vec<LetterGroup>> {
    let sums = shared
        .look(uid, |drawer| {
            let mut sums: BTreeMap<(Arc<str>, Arc<str>), Sum> = BTreeMap::new();
            for (place, slot) in drawer.fitting(&Filter::default()) {
                let at = slot.history.at;
                let sum = sums.entry((place.node.clone(), slot.code.clone())).or_insert(Sum {
                    letters: 0,
                    first_at: at,
                    last_at: at,
                    newest: slot.offset,
                });
                sum.letters += 1;
                sum.first_at = sum.first_at.min(at);
                sum.last_at = sum.last_at.max(at);
                sum.newest = slot.offset;
            }
            sums
        })
        .await?;
    let newest: Vec<i64> = sums.values().map(|sum| sum.newest).collect();
    let said = shared.pick(uid, &newest).await?;
    let mut groups: Vec<LetterGroup> = sums
        .into_iter()
        .zip(said)
        .map(|(((node, code), sum), stored)| LetterGroup {
            node: node.to_string(),
            code: code.to_string(),
            letters: sum.letters,
            message: stored.map(|stored| stored.cause.message).unwrap_or_default(),
            first_at: clock::from_ms(sum.first_at),
            last_at: clock::from_ms(sum.last_at),
        })
        .collect();
    // By node and code already; the sort keeps that.
    groups.sort_by_key(|group| std::cmp::Reverse(group.letters));
    Ok(groups)
}
