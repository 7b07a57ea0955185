//! Trying again and discarding: what will happen is said before it does.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairway_shared::api::dead_letters::{
    DiscardDeadLetters, EditDeadLetter, EditedRecord, ReplayDeadLetters, ReplayStart, Replaying, Selection,
};
use fairway_shared::api::status::ChannelState;
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::Value;

use super::Letters;
use crate::api;
use crate::i18n::t;
use crate::parts::Ask;
use crate::state::editor::Editor;
use crate::state::{Live, Toasts};

/// What can be done with records set aside. A handle.
#[derive(Clone, Copy)]
pub(super) struct Acts {
    pub(super) letters: Letters,
    pub(super) ask: RwSignal<Option<Ask>>,
    pub(super) live: Live,
    pub(super) toasts: Toasts,
}

impl Acts {
    /// Asks before records are tried again.
    /// With a record in the place of the one letter's own, that one is kept first.
    pub(super) fn ask_replay(self, selection: Selection, count: u64, edited: Option<(String, Value)>) {
        let editor = self.letters.editor;
        let state = self.live.status(&editor.uid()).with_untracked(|status| status.state);
        let when = match state {
            ChannelState::Stopped | ChannelState::Completed => t!("replay-when-stopped"),
            ChannelState::Paused | ChannelState::Failed | ChannelState::Hold => t!("replay-when-waiting"),
            _ => t!("replay-when-running"),
        };
        let nodes: BTreeSet<String> = match (&selection.node, &selection.ids) {
            (Some(node), _) => BTreeSet::from([node.clone()]),
            (None, Some(ids)) => self.nodes_of(ids),
            (None, None) => self
                .letters
                .groups
                .with_untracked(|groups| groups.iter().flatten().map(|group| group.node.clone()).collect()),
        };
        let text = [t!("replay-text", count = count), when, promise(editor, &nodes)].join("\n\n");
        self.ask.set(Some(Ask {
            title: t!("replay-title", count = count),
            text,
            button: t!("replay-button"),
            grave: false,
            act: Arc::new(move || match edited.clone() {
                Some((id, record)) => {
                    let selection = selection.clone();
                    self.edit(id, Some(record), Arc::new(move || self.replay(selection.clone())));
                }
                None => self.replay(selection.clone()),
            }),
        }));
    }

    /// Keeps a record in the place of a letter's own, or takes it back; then does the next thing.
    pub(super) fn edit(self, id: String, record: Option<Value>, next: Arc<dyn Fn() + Send + Sync>) {
        let uid = self.letters.editor.uid();
        leptos::task::spawn_local(async move {
            let edited = EditedRecord { record };
            match api::call::<EditDeadLetter>(&[("uid", &uid), ("id", &id)], &edited).await {
                Ok(_) => {
                    next();
                    self.letters.load(self.toasts);
                }
                Err(problem) => self.toasts.problem(&problem),
            }
        });
    }

    fn nodes_of(self, ids: &[String]) -> BTreeSet<String> {
        self.letters.page.with_untracked(|page| {
            let letters = page.iter().flat_map(|page| &page.dead_letters);
            letters.filter(|letter| ids.contains(&letter.id)).map(|letter| letter.node.clone()).collect()
        })
    }

    fn replay(self, selection: Selection) {
        let uid = self.letters.editor.uid();
        leptos::task::spawn_local(async move {
            match api::call::<ReplayDeadLetters>(&[("uid", &uid)], &selection).await {
                Ok(Replaying { affected, skipped, start, .. }) => {
                    let said = match start {
                        ReplayStart::Nothing => t!("replay-nothing"),
                        ReplayStart::WhenRunning | ReplayStart::NextRun => {
                            t!("replay-later", count = affected)
                        }
                        ReplayStart::Now => t!("replay-now", count = affected),
                    };
                    match skipped {
                        0 => self.toasts.good(said),
                        skipped => self.toasts.bad(said, Some(t!("replay-skipped", count = skipped))),
                    }
                    self.letters.load(self.toasts);
                }
                Err(problem) => self.toasts.problem(&problem),
            }
        });
    }

    /// Asks before records are discarded.
    pub(super) fn ask_discard(self, selection: Selection, count: u64) {
        self.ask.set(Some(Ask {
            title: t!("dead-discard-title", count = count),
            text: t!("dead-discard-text", count = count),
            button: t!("discard-button"),
            grave: true,
            act: Arc::new(move || self.discard(selection.clone())),
        }));
    }

    fn discard(self, selection: Selection) {
        let uid = self.letters.editor.uid();
        leptos::task::spawn_local(async move {
            match api::call::<DiscardDeadLetters>(&[("uid", &uid)], &selection).await {
                Ok(done) => {
                    self.toasts.good(t!("dead-discarded", count = done.affected));
                    self.letters.load(self.toasts);
                }
                Err(problem) => self.toasts.problem(&problem),
            }
        });
    }
}

/// What the targets behind these nodes promise about a record that is tried again.
pub(super) fn promise(editor: Editor, nodes: &BTreeSet<String>) -> String {
    let links: Vec<(String, String)> = editor.edges.with_untracked(|edges| {
        edges.iter().map(|edge| (edge.from.id.clone(), edge.to.id.clone())).collect()
    });
    let (mut seen, mut open) = (BTreeSet::new(), nodes.iter().cloned().collect::<Vec<_>>());
    while let Some(id) = open.pop() {
        if seen.insert(id.clone()) {
            open.extend(links.iter().filter(|(from, _)| *from == id).map(|(_, to)| to.clone()));
        }
    }
    let catalog = editor.catalog();
    let weakest = |wanted: Guarantee| {
        let names = seen.iter().filter_map(|id| editor.node(id)).filter(|node| {
            node.kind == Kind::Sink
                && catalog.get(&node.component).is_some_and(|spec| spec.delivery == wanted)
        });
        let names: Vec<String> = names.map(|node| editor.name_of(&node)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    if let Some(targets) = weakest(Guarantee::AtLeastOnce) {
        t!("replay-at-least-once", targets = targets)
    } else if let Some(targets) = weakest(Guarantee::Idempotent) {
        t!("replay-idempotent", targets = targets)
    } else {
        t!("replay-exactly-once")
    }
}
