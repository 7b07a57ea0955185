//! The preview's question and its answer, kept while the drawer shows other panels. Records of sources are taken once and
//! used again while one changes the steps behind them, so that no outside system is asked for each letter typed.

use std::collections::BTreeMap;
use std::time::Duration;

use fairway_shared::api::preview::{PreviewAnswer, PreviewChannel, PreviewRecord, PreviewRequest};
use fairway_shared::channel::text;
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::sample;
use crate::api;
use crate::inspector::field::offers::Asked;
use crate::state::editor::{Editor, Selection};

/// Changes are previewed once they pause for this long.
const PAUSE: Duration = Duration::from_millis(600);
/// Longest time for a preview, in milliseconds.
const DEADLINE: u32 = 10_000;

/// Records that a source gave, and the settings it gave them with.
#[derive(Debug, Clone, Default)]
struct Taken {
    config: Map<String, Value>,
    records: Vec<PreviewRecord>,
    limit: u32,
}

/// The preview of one channel. A handle.
#[derive(Clone, Copy)]
pub(in crate::drawer) struct Trying {
    editor: Editor,
    /// What the last question was answered with.
    pub(super) answer: RwSignal<Asked<PreviewAnswer>>,
    /// Whether a question is on its way; the old answer is shown meanwhile.
    pub(super) waiting: RwSignal<bool>,
    /// The node that is shown.
    pub(super) step: RwSignal<Option<String>>,
    /// Text of samples in the place of a source's own records, by source.
    pub(super) own: RwSignal<BTreeMap<String, String>>,
    /// Most records of each source.
    pub(super) limit: RwSignal<u32>,
    /// Whether columns without a change are left out.
    pub(super) only_changed: RwSignal<bool>,
    taken: StoredValue<BTreeMap<String, Taken>>,
    /// Counts questions: an answer to an earlier one is no news.
    asked: StoredValue<u64>,
    due: StoredValue<Option<TimeoutHandle>>,
}

impl Trying {
    /// Nothing tried yet.
    pub(in crate::drawer) fn new(editor: Editor) -> Self {
        Self {
            editor,
            answer: RwSignal::new(Asked::Not),
            waiting: RwSignal::new(false),
            step: RwSignal::new(None),
            own: RwSignal::new(BTreeMap::new()),
            limit: RwSignal::new(20),
            only_changed: RwSignal::new(false),
            taken: StoredValue::new(BTreeMap::new()),
            asked: StoredValue::new(0),
            due: StoredValue::new(None),
        }
    }

    /// While the panel is shown: follows the selection, runs at first, and again when the drawing changes.
    pub(super) fn follow(self) {
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
        // Metadata, looks and places change nothing; settings, nodes and edges do.
        let meaning = Memo::new(move |_| {
            editor.edges.track();
            editor.nodes.with(|nodes| nodes.iter().for_each(|node| node.config.track()));
            editor.with(|channel| {
                let spec = &text::to_value(channel)["spec"];
                serde_json::json!([spec["nodes"], spec["edges"]]).to_string()
            })
        });
        Effect::new(move |before: Option<String>| {
            let now = meaning.get();
            if before.as_ref() != Some(&now) && editor.nodes.with_untracked(|nodes| !nodes.is_empty()) {
                let first = self.answer.with_untracked(|answer| *answer == Asked::Not);
                if first {
                    self.run();
                } else if before.is_some() {
                    self.run_soon();
                }
            }
            now
        });
        on_cleanup(move || self.forget_due());
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
        self.taken.update_value(|taken| drop(taken.remove(source)));
        self.run();
    }

    /// Records in the place of a source's own.
    pub(super) fn use_text(self, source: &str, text: String) {
        self.own.update(|own| drop(own.insert(source.to_owned(), text)));
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
                    Asked::Answer(answer)
                }
                Err(problem) => Asked::Failed(api::said(&problem)),
            };
            let _left = self.waiting.try_set(false);
            drop(self.answer.try_set(asked));
        });
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
