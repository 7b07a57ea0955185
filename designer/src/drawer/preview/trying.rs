//! The preview's question and its answer, kept while the drawer shows other panels. Records of sources are taken once and
//! used again while one changes the steps behind them, so that no outside system is asked for each letter typed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fairway_shared::api::preview::{
    NodePreview, PreviewAnswer, PreviewChannel, PreviewRecord, PreviewRequest,
};
use fairway_shared::channel::text;
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::sample;
use crate::api;
use crate::i18n::t;
use crate::inspector::field::offers::Asked;
use crate::state::editor::{Editor, Selection};
use crate::state::store::{Keep, forget, read, write};

/// Changes are previewed once they pause for this long.
const PAUSE: Duration = Duration::from_millis(600);
/// Longest time for a preview, in milliseconds.
const DEADLINE: u32 = 10_000;

fn sample_key(uid: &str) -> String {
    format!("fairway.samples.{uid}")
}

/// The pinned samples of a channel, by source.
fn kept(uid: &str) -> BTreeMap<String, String> {
    let text = read(Keep::Always, &sample_key(uid));
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Records that a source gave, and the settings it gave them with.
#[derive(Debug, Clone, Default)]
struct Taken {
    config: Map<String, Value>,
    records: Vec<PreviewRecord>,
    limit: u32,
}

/// The preview of one channel. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Trying {
    pub(super) editor: Editor,
    /// What the last question was answered with.
    pub(super) answer: RwSignal<Asked<PreviewAnswer>>,
    /// Whether a question is on its way; the old answer is shown meanwhile.
    pub(super) waiting: RwSignal<bool>,
    /// The node that is shown.
    pub(super) step: RwSignal<Option<String>>,
    /// Text of samples in the place of a source's own records, by source.
    pub(super) own: RwSignal<BTreeMap<String, String>>,
    /// Sources whose sample is kept for this channel, in this browser.
    pub(super) pinned: RwSignal<BTreeSet<String>>,
    /// Most records of each source.
    pub(super) limit: RwSignal<u32>,
    /// Whether columns without a change are left out.
    pub(super) only_changed: RwSignal<bool>,
    taken: StoredValue<BTreeMap<String, Taken>>,
    /// Counts questions: an answer to an earlier one is no news.
    asked: StoredValue<u64>,
    due: StoredValue<Option<TimeoutHandle>>,
    /// What the channel meant when it was last run.
    ran: StoredValue<Option<String>>,
    /// Views that show what it says: the last to go takes the question that is due with it.
    followers: StoredValue<usize>,
    /// Whether the number of records was chosen, and is not to be raised where none of them gets through.
    chosen: StoredValue<bool>,
}

impl Trying {
    /// Nothing tried yet.
    pub(crate) fn new(editor: Editor) -> Self {
        let kept = kept(&editor.uid());
        Self {
            editor,
            pinned: RwSignal::new(kept.keys().cloned().collect()),
            answer: RwSignal::new(Asked::Not),
            waiting: RwSignal::new(false),
            step: RwSignal::new(None),
            own: RwSignal::new(kept),
            limit: RwSignal::new(20),
            only_changed: RwSignal::new(false),
            taken: StoredValue::new(BTreeMap::new()),
            asked: StoredValue::new(0),
            due: StoredValue::new(None),
            ran: StoredValue::new(None),
            followers: StoredValue::new(0),
            chosen: StoredValue::new(false),
        }
    }

    /// While what it says is shown: follows the selection, runs at first, and again when the drawing changes.
    pub(crate) fn follow(self) {
        let editor = self.editor;
        Effect::new(move || {
            let selected = editor.selection.with(|selection| selection.single().cloned());
            let nodes = editor.nodes.get();
            let known = |id: &String| nodes.iter().any(|node| node.id == *id);
            let now = self.step.get_untracked();
            let next =
                selected.or_else(|| now.clone().filter(known)).or_else(|| editor.order().into_iter().next());
            if next != now {
                self.step.set(next);
            }
        });
        let meaning = Memo::new(move |_| {
            editor.edges.track();
            editor.nodes.with(|nodes| nodes.iter().for_each(|node| node.config.track()));
            self.meaning()
        });
        Effect::new(move || {
            let now = meaning.get();
            let empty = editor.nodes.with_untracked(Vec::is_empty);
            if empty || self.ran.with_value(|ran| ran.as_ref() == Some(&now)) {
                return;
            }
            // What was asked for by a view that is gone by now is made good by the next.
            if self.answer.with_untracked(|answer| *answer == Asked::Not) {
                self.run();
            } else {
                self.run_soon();
            }
        });
        self.followers.update_value(|count| *count += 1);
        on_cleanup(move || {
            if self.followers.try_update_value(|count| {
                *count -= 1;
                *count == 0
            }) == Some(true)
            {
                self.forget_due();
            }
        });
    }

    /// What a preview depends on: metadata, looks and places change nothing; settings, nodes and edges do.
    fn meaning(self) -> String {
        self.editor.with(|channel| {
            let spec = &text::to_value(channel)["spec"];
            serde_json::json!([spec["nodes"], spec["edges"]]).to_string()
        })
    }

    fn forget_due(self) {
        if let Some(Some(due)) = self.due.try_update_value(Option::take) {
            due.clear();
        }
    }

    fn run_soon(self) {
        self.forget_due();
        self.due.set_value(set_timeout_with_handle(move || self.run(), PAUSE).ok());
    }

    /// Chooses a step, on the canvas too.
    pub(super) fn choose(self, id: &str) {
        self.step.set(Some(id.to_owned()));
        self.editor.select(Selection::of_nodes([id.to_owned()]));
    }

    /// Takes fresh records from the sources, then runs.
    pub(super) fn run_anew(self) {
        self.taken.update_value(BTreeMap::clear);
        self.run();
    }

    /// A source gives its own records again.
    pub(super) fn use_source(self, source: &str) {
        self.own.update(|own| drop(own.remove(source)));
        self.pinned.update(|pinned| {
            pinned.remove(source);
        });
        self.keep();
        self.taken.update_value(|taken| drop(taken.remove(source)));
        self.run();
    }

    /// Pins the sample of a source as it is, or lets it go: a pinned one stays over a reload, whatever the source has by then.
    pub(super) fn pin(self, source: &str) {
        if self.pinned.with_untracked(|pinned| pinned.contains(source)) {
            self.pinned.update(|pinned| {
                pinned.remove(source);
            });
            self.own.update(|own| drop(own.remove(source)));
        } else {
            let given = self.given(source);
            self.own.update(|own| {
                own.entry(source.to_owned()).or_insert_with(|| sample::written(&given));
            });
            self.pinned.update(|pinned| {
                pinned.insert(source.to_owned());
            });
        }
        self.keep();
        self.run();
    }

    /// Keeps the pinned samples.
    fn keep(self) {
        let pinned: BTreeMap<String, String> = self.own.with_untracked(|own| {
            let pinned = self.pinned.get_untracked();
            own.iter()
                .filter(|(source, _)| pinned.contains(*source))
                .map(|(a, b)| (a.clone(), b.clone()))
                .collect()
        });
        let key = sample_key(&self.editor.uid());
        let text = serde_json::to_string(&pinned).unwrap_or_default();
        let done =
            if pinned.is_empty() { forget(Keep::Always, &key) } else { write(Keep::Always, &key, &text) };
        if !done {
            self.editor.toasts().bad(t!("preview-not-kept"), None);
        }
    }

    /// Records in the place of a source's own.
    pub(super) fn use_text(self, source: &str, text: String) {
        self.own.update(|own| drop(own.insert(source.to_owned(), text)));
        self.keep();
        self.run();
    }

    /// The records that a source gave last.
    pub(super) fn given(self, source: &str) -> Vec<PreviewRecord> {
        let taken = self.taken.with_value(|taken| taken.get(source).map(|taken| taken.records.clone()));
        taken.unwrap_or_default()
    }

    /// The sources that lead to the chosen step, or all. Tracks.
    pub(super) fn sources(self) -> Vec<String> {
        let step = self.step.get();
        let edges: Vec<(String, String)> = self
            .editor
            .edges
            .with(|edges| edges.iter().map(|edge| (edge.from.id.clone(), edge.to.id.clone())).collect());
        let before = step.map(|step| {
            let (mut seen, mut open) = (Vec::new(), vec![step]);
            while let Some(id) = open.pop() {
                if !seen.contains(&id) {
                    open.extend(edges.iter().filter(|(_, to)| *to == id).map(|(from, _)| from.clone()));
                    seen.push(id);
                }
            }
            seen
        });
        self.editor.nodes.with(|nodes| {
            nodes
                .iter()
                .filter(|node| node.kind == Kind::Source)
                .filter(|node| before.as_ref().is_none_or(|before| before.contains(&node.id)))
                .map(|node| node.id.clone())
                .collect()
        })
    }

    fn config_of(self, node: &str) -> Map<String, Value> {
        self.editor.node(node).map(|node| node.config.get_untracked()).unwrap_or_default()
    }

    fn run(self) {
        self.forget_due();
        self.ran.set_value(Some(self.meaning()));
        let limit = self.limit.get_untracked();
        let mut records = BTreeMap::new();
        let own = self.own.get_untracked();
        for (source, text) in &own {
            // A text that cannot be read is refused where it is typed.
            if let Ok(read) = sample::read(text, &self.given(source)) {
                records.insert(source.clone(), read);
            }
        }
        self.taken.with_value(|taken| {
            for (source, taken) in taken {
                let fresh = taken.limit == limit && taken.config == self.config_of(source);
                if fresh && !records.contains_key(source) {
                    records.insert(source.clone(), taken.records.iter().map(sample::again).collect());
                }
            }
        });
        records.retain(|source, _| self.editor.node(source).is_some_and(|node| node.kind == Kind::Source));
        let most = records.values().map(Vec::len).max().unwrap_or_default();
        let request = PreviewRequest {
            document: Some(self.editor.with(text::to_value)),
            whole: true,
            limit: Some(limit.max(u32::try_from(most).unwrap_or(u32::MAX))),
            deadline_ms: Some(DEADLINE),
            records,
            ..PreviewRequest::default()
        };
        let number = self.asked.get_value() + 1;
        self.asked.set_value(number);
        self.waiting.set(true);
        leptos::task::spawn_local(async move {
            let uid = self.editor.uid();
            let answer = api::call::<PreviewChannel>(&[("uid", &uid)], &request).await;
            // Another question may have been asked, or the page left.
            if self.asked.try_get_value() != Some(number) {
                return;
            }
            let asked = match answer {
                Ok(answer) => {
                    self.remember(&request, &answer, limit);
                    if let Some(more) = self.more_than(limit, &request, &answer) {
                        self.limit.set(more);
                        self.run();
                        return;
                    }
                    Asked::Answer(answer)
                }
                Err(problem) => Asked::Failed(api::said(&problem)),
            };
            let _left = self.waiting.try_set(false);
            if self.answer.try_set(asked).is_none() {
                self.mark_missing();
                self.mark_drift();
            }
        });
    }

    /// Takes this many records of each source from now on.
    pub(super) fn take(self, limit: u32) {
        self.chosen.set_value(true);
        self.limit.set(limit);
        self.run();
    }

    /// The number of records to ask for in the place of one of which none gets through some step, where the sources may have
    /// others: a filter for what is rare would show nothing.
    fn more_than(self, limit: u32, request: &PreviewRequest, answer: &PreviewAnswer) -> Option<u32> {
        let own =
            self.own.with_untracked(|own| request.records.keys().any(|source| own.contains_key(source)));
        let full = answer.nodes.values().any(|node| {
            node.kind == Some(Kind::Source) && node.counts.entered >= u64::from(limit) && node.cause.is_none()
        });
        let wanted = !self.chosen.get_value() && !own && full && answer.nodes.values().any(lets_nothing_pass);
        super::LIMITS.into_iter().find(|more| *more > limit).filter(|_| wanted)
    }

    /// The step that lets none of the samples pass, this one or one before it, by its name, and how many come to it. Tracks
    /// the answer.
    pub(super) fn barrier(self, id: &str) -> Option<(String, u64)> {
        self.answer.with(|answer| {
            let Asked::Answer(answer) = answer else { return None };
            let (mut seen, mut open) = (BTreeSet::new(), vec![id.to_owned()]);
            while let Some(id) = open.pop() {
                let node = answer.nodes.get(&id)?;
                if lets_nothing_pass(node) {
                    let name =
                        self.editor.node(&id).map_or_else(|| id.clone(), |node| self.editor.name_of(&node));
                    return Some((name, node.counts.entered));
                }
                // Where records come in, nothing stands before it.
                if node.counts.entered == 0 && seen.insert(id.clone()) {
                    self.editor.edges.with_untracked(|edges| {
                        let before = edges.iter().filter(|edge| edge.to.id == id);
                        open.extend(before.map(|edge| edge.from.id.clone()));
                    });
                }
            }
            None
        })
    }

    /// Keeps what sources gave by themselves, so that the next run need not ask them.
    fn remember(self, request: &PreviewRequest, answer: &PreviewAnswer, limit: u32) {
        let sources = answer.nodes.iter().filter(|(id, node)| {
            node.kind == Some(Kind::Source) && !request.records.contains_key(*id) && node.rejects.is_empty()
        });
        for (id, node) in sources {
            let records = node.outputs.iter().flat_map(|output| output.records.clone()).collect();
            let taken = Taken { config: self.config_of(id), records, limit };
            self.taken.update_value(|all| drop(all.insert(id.clone(), taken)));
        }
    }
}

/// Whether records come to a node and every one of them is dropped there by a rule.
pub(super) fn lets_nothing_pass(node: &NodePreview) -> bool {
    let counts = &node.counts;
    counts.entered > 0 && counts.out == 0 && counts.errors == 0 && counts.filtered > 0
}
