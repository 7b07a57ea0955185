//! The channel being edited: document and history, drawn as signals, saved as one types.
//!
//! `views` are the signals, `select` the selection, `edits` and `arrange` what changes the document, `saving` how the draft
//! gets to the server, `conflict` what another editor of it has, `compare` what lies between two states of it, `problems` what is wrong with it, `figures` what is observed. Every change goes through `edits`, so that it can be undone.

mod arrange;
mod cards;
mod compare;
mod conflict;
mod edits;
mod figures;
mod problems;
mod saving;
mod select;
mod views;

use std::collections::HashMap;
use std::sync::Arc;

use fairway_canvas::wiring::{End, Joint};
use fairway_canvas::{Rect, Shape};
use fairway_shared::api::channels::{ChannelDetail, SeenFields};
use fairway_shared::api::status::{ChannelStatus, TargetState};
use fairway_shared::channel::{Channel, Metadata, Settings, text};
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::edit::{History, OutputNames};
use fairway_shared::plan::Plan;
use leptos::prelude::*;
use serde_json::Value;

pub(crate) use self::cards::{Group, LEAST as LEAST_NOTE, Note, frame};
pub(crate) use self::compare::{Comparison, Fate, lines as diff_lines};
pub(crate) use self::conflict::{Differences, Merging};
pub(crate) use self::saving::{Saving, made_empty};
pub(crate) use self::select::Selection;
pub(crate) use self::views::{EdgeKey, EdgeView, Findings, NodeView, curve};
use self::views::{place_of, put};
use super::{Catalog, Live, Session, Toasts, use_session};
use crate::parts::lifecycle;

/// What the inspector is asked to bring the focus to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldWish {
    /// Dotted field; none is the first.
    pub(crate) field: Option<String>,
}

/// The editor of one channel. A handle: copies mean the same editor.
#[derive(Clone, Copy)]
pub(crate) struct Editor {
    uid: StoredValue<String>,
    catalog: StoredValue<Arc<Catalog>>,
    document: StoredValue<Channel>,
    history: StoredValue<History>,
    by_id: StoredValue<HashMap<String, Arc<NodeView>>>,
    toasts: Toasts,
    live: Live,
    session: Session,
    save: StoredValue<saving::Draft>,
    /// What is being typed into: another place begins a new step to undo.
    editing: StoredValue<String>,
    /// What the edges of the node being edited call its outputs.
    output_names: StoredValue<OutputNames>,
    /// Whether a look for findings is due.
    checking: StoredValue<bool>,

    /// Nodes in document order.
    pub(crate) nodes: RwSignal<Vec<Arc<NodeView>>>,
    /// Edges in document order.
    pub(crate) edges: RwSignal<Vec<Arc<EdgeView>>>,
    /// Notes on the canvas, as the document has them.
    pub(crate) notes: RwSignal<Vec<Value>>,
    /// Groups of nodes, as the document has them.
    pub(crate) groups: RwSignal<Vec<Value>>,
    /// The component that was placed last.
    pub(crate) placed: RwSignal<Option<String>>,
    /// Fires when nodes have come to rest somewhere else.
    pub(crate) moved: Trigger,
    /// Name, title, description.
    pub(crate) metadata: RwSignal<Metadata>,
    /// Settings of the channel.
    pub(crate) settings: RwSignal<Settings>,
    /// What is selected.
    pub(crate) selection: RwSignal<Selection>,
    /// All that is wrong.
    pub(crate) problems: RwSignal<Vec<Diagnostic>>,
    /// What the server found and we cannot.
    server_problems: StoredValue<Vec<Diagnostic>>,
    /// Whether there is something to undo.
    pub(crate) can_undo: RwSignal<bool>,
    /// Whether there is something to redo.
    pub(crate) can_redo: RwSignal<bool>,
    /// How the draft gets to the server.
    pub(crate) saving: RwSignal<Saving>,
    /// In a conflict: what differs between their draft and mine, once it is known.
    pub(crate) differences: RwSignal<Option<Differences>>,
    /// Theirs and mine, while they are put together.
    pub(crate) merging: RwSignal<Option<Merging>>,
    /// Version in force.
    pub(crate) deployed: RwSignal<Option<u32>>,
    /// Fields that samples showed when the version in force was deployed.
    pub(crate) deployed_fields: StoredValue<SeenFields>,
    /// The last plan that was made, for the physical view.
    pub(crate) plan: RwSignal<Option<Plan>>,
    /// What the inspector should bring the focus to.
    pub(crate) wish: RwSignal<Option<FieldWish>>,
    /// Whether the plan was asked for.
    pub(crate) planning: RwSignal<bool>,
    /// The panel of the drawer that is open, by its word (`problems`); none while the drawer is shut.
    pub(crate) panel: RwSignal<Option<String>>,
}

impl Editor {
    /// Opens a channel as the server has it.
    pub(crate) fn open(detail: ChannelDetail, catalog: Arc<Catalog>, live: Live, toasts: Toasts) -> Self {
        let (channel, _) = text::from_value(&detail.document);
        let stored = channel.unwrap_or_default();
        let rescued = saving::rescued(&detail.uid, &detail.etag).filter(|rescued| *rescued != stored);
        let unsaved = rescued.is_some();
        let (mut base, mut channel) = (stored.clone(), rescued.unwrap_or(stored));
        arrange::lay_out(&mut base, &catalog);
        arrange::lay_out(&mut channel, &catalog);
        let editor = Self {
            uid: StoredValue::new(detail.uid.clone()),
            catalog: StoredValue::new(catalog),
            history: StoredValue::new(saving::kept_history(&detail.uid, &channel)),
            by_id: StoredValue::new(HashMap::new()),
            toasts,
            live,
            session: use_session(),
            save: StoredValue::new(saving::Draft::new(detail.etag, base)),
            editing: StoredValue::new(String::new()),
            output_names: StoredValue::new(OutputNames::default()),
            checking: StoredValue::new(false),
            nodes: RwSignal::new(Vec::new()),
            edges: RwSignal::new(Vec::new()),
            notes: RwSignal::new(Vec::new()),
            groups: RwSignal::new(Vec::new()),
            placed: RwSignal::new(None),
            moved: Trigger::new(),
            metadata: RwSignal::new(channel.metadata.clone()),
            settings: RwSignal::new(channel.spec.settings.clone()),
            selection: RwSignal::new(Selection::default()),
            problems: RwSignal::new(Vec::new()),
            server_problems: StoredValue::new(detail.diagnostics),
            can_undo: RwSignal::new(false),
            can_redo: RwSignal::new(false),
            saving: RwSignal::new(Saving::Saved),
            differences: RwSignal::new(None),
            merging: RwSignal::new(None),
            deployed: RwSignal::new(detail.deployed),
            deployed_fields: StoredValue::new(detail.fields),
            plan: RwSignal::new(None),
            wish: RwSignal::new(None),
            planning: RwSignal::new(false),
            panel: RwSignal::new(None),
            document: StoredValue::new(channel),
        };
        editor.refresh();
        editor.follow_status();
        editor.follow_server();
        editor.follow_drafts();
        if unsaved {
            editor.save_soon();
        }
        editor
    }

    /// The channel's uid.
    pub(crate) fn uid(self) -> String {
        self.uid.get_value()
    }

    /// Where messages go.
    pub(crate) fn toasts(self) -> Toasts {
        self.toasts
    }

    /// The catalog of components.
    pub(crate) fn catalog(self) -> Arc<Catalog> {
        self.catalog.get_value()
    }

    /// Looks at the document.
    pub(crate) fn with<T>(self, look: impl FnOnce(&Channel) -> T) -> T {
        self.document.with_value(look)
    }

    /// The node of an id.
    pub(crate) fn node(self, id: &str) -> Option<Arc<NodeView>> {
        self.by_id.with_value(|nodes| nodes.get(id).cloned())
    }

    /// The edge of a key.
    pub(crate) fn edge(self, key: &EdgeKey) -> Option<Arc<EdgeView>> {
        self.edges.with_untracked(|edges| edges.iter().find(|edge| edge.key == *key).cloned())
    }

    /// The rank of a node in `nodes`.
    pub(crate) fn rank(self, id: &str) -> Option<usize> {
        self.nodes.with_untracked(|nodes| nodes.iter().position(|node| node.id == id))
    }

    /// What a node is called on the screen.
    pub(crate) fn name_of(self, node: &NodeView) -> String {
        node.title.get_untracked().filter(|title| !title.is_empty()).unwrap_or_else(|| node.id.clone())
    }

    /// Size and ports of a component.
    pub(crate) fn shape(self, component: &str) -> Shape {
        self.catalog.with_value(|catalog| catalog.shape(component))
    }

    /// How an edge calls the first output of a fresh node; nothing where that needs no name.
    pub(super) fn first_output(self, component: &str) -> Option<String> {
        self.catalog
            .with_value(|catalog| catalog.ports(component, &serde_json::Map::new()).output(0).cloned())
    }

    /// Where all nodes stand.
    pub(crate) fn rects(self) -> Vec<Rect> {
        self.nodes.with_untracked(|nodes| nodes.iter().map(|node| node.rect()).collect())
    }

    /// Selected nodes in document order.
    pub(crate) fn selected_nodes(self) -> Vec<Arc<NodeView>> {
        self.nodes.with_untracked(|nodes| {
            nodes.iter().filter(|node| node.selected.get_untracked()).cloned().collect()
        })
    }

    /// All edges by ranks of nodes.
    pub(crate) fn joints(self) -> Vec<Joint> {
        self.nodes.with_untracked(|nodes| {
            let rank: HashMap<&str, usize> =
                nodes.iter().enumerate().map(|(rank, node)| (node.id.as_str(), rank)).collect();
            self.edges.with_untracked(|edges| {
                let joint = |edge: &Arc<EdgeView>| {
                    let from = End { node: *rank.get(edge.from.id.as_str())?, port: edge.from_port };
                    let to = End { node: *rank.get(edge.to.id.as_str())?, port: edge.to_port };
                    Some(Joint { from, to })
                };
                edges.iter().filter_map(joint).collect()
            })
        })
    }

    /// All edges by ranks of nodes, but for one that is being led elsewhere.
    pub(crate) fn joints_but(self, key: Option<&EdgeKey>) -> Vec<Joint> {
        let mut joints = self.joints();
        if let Some(edge) = key.and_then(|key| self.edge(key))
            && let (Some(from), Some(to)) = (self.rank(&edge.from.id), self.rank(&edge.to.id))
        {
            let gone = Joint {
                from: End { node: from, port: edge.from_port },
                to: End { node: to, port: edge.to_port },
            };
            joints.retain(|joint| *joint != gone);
        }
        joints
    }

    /// Whether this node is the first that Tab reaches. Tracks the nodes.
    pub(crate) fn first_is(self, id: &str) -> bool {
        self.nodes.with(|nodes| nodes.first().is_some_and(|node| node.id == id))
    }

    /// Ids in the order of the graph: each node after what leads to it.
    pub(crate) fn order(self) -> Vec<String> {
        let ids: Vec<String> =
            self.nodes.with_untracked(|nodes| nodes.iter().map(|node| node.id.clone()).collect());
        let links: Vec<_> = self.joints().iter().map(|joint| (joint.from.node, joint.to.node)).collect();
        fairway_canvas::graph::topological(ids.len(), &links)
            .into_iter()
            .map(|rank| ids[rank].clone())
            .collect()
    }

    /// Asks the inspector for the focus; selects nothing.
    pub(crate) fn edit_field(self, field: Option<&str>) {
        self.wish.set(Some(FieldWish { field: field.map(str::to_owned) }));
    }

    /// Opens a panel of the drawer by its word.
    pub(crate) fn show_panel(self, word: &str) {
        self.panel.set(Some(word.to_owned()));
    }

    /// What is observed of the channel.
    pub(crate) fn status(self) -> ArcRwSignal<ChannelStatus> {
        self.live.status(&self.uid())
    }

    /// Asks for running, paused or stopped.
    pub(crate) fn ask_for(self, target: TargetState) {
        lifecycle::ask_for(self.uid(), target, self.live, self.toasts);
    }

    /// Asks for the plan.
    pub(crate) fn ask_plan(self) {
        self.planning.set(true);
    }

    /// Brings the signals in step with the document. Only what differs fires.
    fn refresh(self) {
        let catalog = self.catalog();
        let known = self.by_id.get_value();
        let nodes: Vec<Arc<NodeView>> = self.document.with_value(|channel| {
            let missing = arrange::missing_places(channel, &catalog);
            channel
                .spec
                .nodes
                .iter()
                .map(|node| {
                    let place = place_of(channel, &node.id);
                    match known.get(&node.id).filter(|view| view.component == node.component) {
                        Some(view) => {
                            view.take(node, place, &catalog);
                            view.clone()
                        }
                        None => {
                            let place = place.or_else(|| missing.get(&node.id).copied()).unwrap_or_default();
                            Arc::new(NodeView::of(node, place, &catalog))
                        }
                    }
                })
                .collect()
        });
        let same_nodes = self.nodes.with_untracked(|old| {
            old.len() == nodes.len() && old.iter().zip(&nodes).all(|(a, b)| Arc::ptr_eq(a, b))
        });
        self.by_id.set_value(nodes.iter().map(|node| (node.id.clone(), node.clone())).collect());
        let old_edges: HashMap<EdgeKey, Arc<EdgeView>> = self
            .edges
            .with_untracked(|edges| edges.iter().map(|edge| (edge.key.clone(), edge.clone())).collect());
        let edges: Vec<Arc<EdgeView>> = self.document.with_value(|channel| {
            let view = |edge| {
                let fresh = EdgeView::of(edge, |id| self.node(id))?;
                let old = old_edges.get(&fresh.key);
                let same = |old: &&Arc<EdgeView>| {
                    Arc::ptr_eq(&old.from, &fresh.from)
                        && Arc::ptr_eq(&old.to, &fresh.to)
                        && (old.from_port, old.to_port) == (fresh.from_port, fresh.to_port)
                };
                Some(old.filter(same).cloned().unwrap_or_else(|| Arc::new(fresh)))
            };
            channel.spec.edges.iter().filter_map(view).collect()
        });
        let same_edges = self.edges.with_untracked(|old| {
            old.len() == edges.len() && old.iter().zip(&edges).all(|(a, b)| Arc::ptr_eq(a, b))
        });
        let mut degrees: HashMap<&str, (usize, usize)> = HashMap::new();
        for edge in &edges {
            degrees.entry(&edge.to.id).or_default().0 += 1;
            degrees.entry(&edge.from.id).or_default().1 += 1;
        }
        for node in &nodes {
            put(&node.degrees, &degrees.get(node.id.as_str()).copied().unwrap_or_default());
        }
        if !same_nodes {
            self.nodes.set(nodes);
        }
        if !same_edges {
            self.edges.set(edges);
        }
        self.document.with_value(|channel| {
            if self.metadata.with_untracked(|known| *known != channel.metadata) {
                self.metadata.set(channel.metadata.clone());
            }
            if self.settings.with_untracked(|known| *known != channel.spec.settings) {
                self.settings.set(channel.spec.settings.clone());
            }
            let layout = &channel.layout;
            for (signal, written) in [(self.notes, &layout.notes), (self.groups, &layout.groups)] {
                if signal.with_untracked(|known| known != written) {
                    signal.set(written.clone());
                }
            }
        });
        self.moved.notify();
        self.trim_selection();
        self.show_status();
        self.check();
        let (undo, redo) =
            self.history.with_value(|history| (!history.undo.is_empty(), !history.redo.is_empty()));
        for (signal, value) in [(self.can_undo, undo), (self.can_redo, redo)] {
            if signal.get_untracked() != value {
                signal.set(value);
            }
        }
    }
}

/// The editor of the page.
pub(crate) fn use_editor() -> Editor {
    expect_context()
}
