//! Two editors of one draft: what theirs has that mine has not, so that a choice between the two is an informed one; and both put
//! together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::GetChannel;
use fairway_shared::channel::{Channel, Node, text};
use fairway_shared::edit::Merge;
use leptos::prelude::*;

use super::{Editor, Saving};
use crate::api;
use crate::i18n::t;

/// Theirs and mine on their way to one draft.
#[derive(Clone)]
pub(crate) struct Merging {
    /// What came of it, and what is to be chosen.
    pub(crate) merge: Arc<Merge>,
    theirs: Arc<Channel>,
    /// What it is saved onto.
    etag: String,
}

/// What differs between two drafts of a channel, as names of nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Differences {
    /// Only theirs has them.
    pub(crate) theirs: Vec<String>,
    /// Only mine has them.
    pub(crate) mine: Vec<String>,
    /// Set, titled, placed or joined otherwise.
    pub(crate) changed: Vec<String>,
    /// Name, title, description or settings of the channel.
    pub(crate) channel: bool,
}

impl Differences {
    /// Compares two drafts.
    pub(super) fn of(mine: &Channel, theirs: &Channel) -> Self {
        let (here, there) = (by_id(mine), by_id(theirs));
        let only = |a: &BTreeMap<&str, &Node>, b: &BTreeMap<&str, &Node>| {
            a.iter().filter(|(id, _)| !b.contains_key(*id)).map(|(_, node)| name(node)).collect()
        };
        let changed = here.iter().filter(|(id, node)| {
            there.get(*id).is_some_and(|other| {
                node != &other
                    || mine.layout.nodes.get(**id) != theirs.layout.nodes.get(**id)
                    || outputs(mine, id) != outputs(theirs, id)
            })
        });
        Self {
            theirs: only(&there, &here),
            mine: only(&here, &there),
            changed: changed.map(|(_, node)| name(node)).collect(),
            channel: mine.metadata != theirs.metadata || mine.spec.settings != theirs.spec.settings,
        }
    }
}

fn by_id(channel: &Channel) -> BTreeMap<&str, &Node> {
    channel.spec.nodes.iter().map(|node| (node.id.as_str(), node)).collect()
}

fn name(node: &Node) -> String {
    node.title.clone().filter(|title| !title.is_empty()).unwrap_or_else(|| node.id.clone())
}

/// Where the edges of a node lead, in any order.
fn outputs(channel: &Channel, id: &str) -> Vec<String> {
    let edges = channel.spec.edges.iter().filter(|edge| edge.from.node == id);
    let mut ends: Vec<String> = edges.map(|edge| format!("{}>{}", edge.from, edge.to)).collect();
    ends.sort();
    ends
}

impl Editor {
    /// In a conflict: puts theirs and mine together, and asks where both changed the same.
    pub(crate) fn merge(self) {
        let uid = self.uid();
        leptos::task::spawn_local(async move {
            let detail = match api::call::<GetChannel>(&[("uid", &uid)], &Nothing {}).await {
                Ok(detail) => detail,
                Err(problem) => return self.toasts.problem(&problem),
            };
            let Some(theirs) = text::from_value(&detail.document).0 else {
                return self.toasts.bad(t!("merge-unreadable"), None);
            };
            let merge = self
                .document
                .try_with_value(|mine| self.save.with_value(|draft| Merge::of(&draft.base, mine, &theirs)));
            // The page may have been left meanwhile.
            if let Some(merge) = merge {
                let merging = Merging { merge: Arc::new(merge), theirs: Arc::new(theirs), etag: detail.etag };
                drop(self.merging.try_set(Some(merging)));
            }
        });
    }

    /// Takes what came of a merge as one step, and saves it onto theirs. Where somebody has saved once more meanwhile, the conflict
    /// is there again.
    pub(crate) fn take_merged(self, merging: &Merging, theirs: &BTreeSet<usize>) {
        let Some(channel) = merging.merge.chosen(theirs) else {
            return self.toasts.bad(t!("merge-unreadable"), None);
        };
        self.save_onto(merging.etag.clone(), (*merging.theirs).clone());
        self.take_document(channel);
        self.save_soon();
    }

    /// Once there is a conflict, reads what the other side has.
    pub(super) fn follow_conflict(self) {
        let clash = Memo::new(move |_| self.saving.with(|saving| *saving == Saving::Conflict));
        Effect::new(move || {
            self.differences.set(None);
            if !clash.get() {
                return;
            }
            let uid = self.uid();
            leptos::task::spawn_local(async move {
                let answer = api::call::<GetChannel>(&[("uid", &uid)], &Nothing {}).await;
                let theirs = answer.ok().and_then(|detail| text::from_value(&detail.document).0);
                // The page may have been left meanwhile.
                let found =
                    self.document.try_with_value(|mine| theirs.map(|theirs| Differences::of(mine, &theirs)));
                let _left = self.differences.try_set(found.flatten());
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named() {
        let draft = |nodes: serde_json::Value, edges: serde_json::Value, name: &str| {
            let value = json!({ "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": name }, "spec": { "nodes": nodes, "edges": edges } });
            text::from_value(&value).0.unwrap()
        };
        let mine = draft(
            json!([{ "id": "a", "component": "x" }, { "id": "b", "component": "x" }, { "id": "c", "component": "x" }]),
            json!([{ "from": "a", "to": "b" }]),
            "n",
        );
        let theirs = draft(
            json!([{ "id": "a", "component": "x" }, { "id": "b", "component": "x", "title": "Bee" }, { "id": "d", "component": "x", "title": "New" }]),
            json!([]),
            "n",
        );
        assert_eq!(
            Differences::of(&mine, &theirs),
            Differences {
                theirs: vec!["New".into()],
                mine: vec!["c".into()],
                changed: vec!["a".into(), "b".into()],
                channel: false
            }
        );
        assert_eq!(Differences::of(&mine, &mine), Differences::default());
    }
}
