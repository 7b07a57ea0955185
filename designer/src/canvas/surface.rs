//! The state of the surface: viewport, size, what the pointer is doing, what is worth drawing. Not part of the document.

use std::sync::Arc;

use fairway_canvas::viewport::{Detail, Viewport};
use fairway_canvas::wiring::End;
use fairway_canvas::{Point, Rect, Size, cull};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::gesture::{Gesture, Loose};
use super::quick_add::QuickAdd;
use crate::state::editor::{EdgeKey, EdgeView, Editor, NodeView};

/// The surface.
#[derive(Clone, Copy)]
pub(crate) struct Surface {
    /// The document.
    pub(crate) editor: Editor,
    /// Its element.
    pub(crate) element: NodeRef<html::Div>,
    /// Pan and zoom.
    pub(crate) view: RwSignal<Viewport>,
    /// How much of a node is drawn.
    pub(crate) detail: Memo<Detail>,
    /// Size of the element.
    pub(crate) size: RwSignal<Size>,
    /// What the pointer is doing.
    pub(crate) gesture: RwSignal<Gesture, LocalStorage>,
    /// Marquee in the world, while one is drawn.
    pub(crate) marquee: RwSignal<Option<Rect>>,
    /// A loose edge, while one is drawn.
    pub(crate) loose: RwSignal<Option<Loose>>,
    /// A component dragged from the palette: its name and the pointer, in window pixels.
    pub(crate) ghost: RwSignal<Option<(String, Point)>>,
    /// The edge that a dragged node would be put into.
    pub(crate) over: RwSignal<Option<EdgeKey>>,
    /// The small search for components, while it is open.
    pub(crate) quick_add: RwSignal<Option<QuickAdd>>,
    /// The node that Tab reaches.
    pub(crate) current: RwSignal<Option<String>>,
    /// Last pointer position over the surface, in its pixels.
    pub(crate) pointer: StoredValue<Option<Point>>,
    /// Whether Space is held.
    pub(crate) space: RwSignal<bool>,
    /// What the live region says.
    pub(crate) said: RwSignal<String>,
    /// Whether the key sheet is open.
    pub(crate) sheet: RwSignal<bool>,
    /// Whether tasks are drawn around the nodes they run.
    pub(crate) physical: RwSignal<bool>,
}

impl Surface {
    /// A surface for a document.
    pub(crate) fn new(editor: Editor) -> Self {
        let view = RwSignal::new(Viewport::default());
        Self {
            editor,
            element: NodeRef::new(),
            view,
            detail: Memo::new(move |_| view.with(|view| view.detail())),
            size: RwSignal::new(Size::new(1.0, 1.0)),
            gesture: RwSignal::new_local(Gesture::Idle),
            marquee: RwSignal::new(None),
            loose: RwSignal::new(None),
            ghost: RwSignal::new(None),
            over: RwSignal::new(None),
            quick_add: RwSignal::new(None),
            current: RwSignal::new(None),
            pointer: StoredValue::new(None),
            space: RwSignal::new(false),
            said: RwSignal::new(String::new()),
            sheet: RwSignal::new(false),
            physical: RwSignal::new(false),
        }
    }

    /// Shuts the small search, and lets the edge go that waited for it.
    pub(crate) fn close_quick_add(self) {
        if self.quick_add.with_untracked(Option::is_some) {
            self.quick_add.set(None);
            self.loose.set(None);
        }
    }

    /// From window pixels to the surface's pixels.
    pub(crate) fn local(self, window: Point) -> Point {
        let corner = self.element.get_untracked().map(|element| element.get_bounding_client_rect());
        corner.map_or(window, |corner| window - Point::new(corner.left(), corner.top()))
    }

    /// From the surface's pixels to the world.
    pub(crate) fn world(self, local: Point) -> Point {
        self.view.get_untracked().to_world(local)
    }

    /// Whether a place in window pixels lies on the surface.
    pub(crate) fn holds(self, window: Point) -> bool {
        let local = self.local(window);
        let size = self.size.get_untracked();
        Rect::at(Point::default(), size).contains(local)
    }

    /// The middle of the surface, in its pixels.
    pub(crate) fn centre(self) -> Point {
        let size = self.size.get_untracked();
        Point::new(size.w / 2.0, size.h / 2.0)
    }

    /// Zooms about the middle.
    pub(crate) fn zoom_by(self, factor: f64) {
        let centre = self.centre();
        self.view.update(|view| *view = view.zoomed(centre, factor));
    }

    /// Zooms to a value about the middle.
    pub(crate) fn zoom_to(self, zoom: f64) {
        let centre = self.centre();
        self.view.update(|view| *view = view.zoomed_to(centre, zoom));
    }

    /// Shows everything, or the middle of an empty world.
    pub(crate) fn fit(self) {
        self.fit_rects(self.editor.rects(), 1.0);
    }

    /// Shows the selected nodes.
    pub(crate) fn fit_selection(self) {
        self.fit_rects(self.editor.selected_nodes().iter().map(|node| node.rect()).collect(), 1.5);
    }

    fn fit_rects(self, rects: Vec<Rect>, most: f64) {
        let size = self.size.get_untracked();
        let world = Rect::around(rects).unwrap_or_default();
        self.view.set(Viewport::fitting(world, size, most));
    }

    /// Brings a node into view and makes it the one that Tab reaches.
    pub(crate) fn reveal(self, id: &str) {
        if let Some(node) = self.editor.node(id) {
            let size = self.size.get_untracked();
            self.view.update(|view| *view = view.revealing(node.rect(), size, 48.0));
            self.current.set(Some(id.to_owned()));
        }
    }

    /// Moves the keyboard's focus to a node, once it is drawn.
    pub(crate) fn focus(self, id: &str) {
        self.reveal(id);
        let id = id.to_owned();
        request_animation_frame(move || {
            let found = self.element.get_untracked().and_then(|element| {
                // Ids are letters, digits, `_` and `-` where the document is sound; others cannot be named here.
                let node = element
                    .query_selector(&format!("[data-node=\"{}\"]", id.replace(['"', '\\'], "")))
                    .ok()??;
                node.dyn_into::<web_sys::HtmlElement>().ok()
            });
            if found.is_some_and(|node| node.focus().is_err()) {
                leptos::logging::warn!("a node did not take the focus");
            }
        });
    }

    /// Says something to who cannot see the canvas.
    pub(crate) fn say(self, text: impl Into<String>) {
        self.said.set(text.into());
    }

    /// The part of the world that is drawn.
    pub(crate) fn window(self) -> Memo<Rect> {
        Memo::new(move |_| cull::window(self.view.get(), self.size.get()))
    }

    /// Nodes worth drawing.
    pub(crate) fn drawn_nodes(self, window: Memo<Rect>) -> Memo<Vec<Arc<NodeView>>> {
        Memo::new_with_compare(
            move |_| {
                self.editor.moved.track();
                let window = window.get();
                self.editor.nodes.with(|nodes| {
                    nodes.iter().filter(|node| window.touches(node.rect())).cloned().collect::<Vec<_>>()
                })
            },
            |old, new| !same(old, new),
        )
    }

    /// Edges worth drawing.
    pub(crate) fn drawn_edges(self, window: Memo<Rect>) -> Memo<Vec<Arc<EdgeView>>> {
        Memo::new_with_compare(
            move |_| {
                self.editor.moved.track();
                let window = window.get();
                self.editor.edges.with(|edges| {
                    let near = |edge: &&Arc<EdgeView>| window.touches(edge.curve_untracked().bounds());
                    edges.iter().filter(near).cloned().collect::<Vec<_>>()
                })
            },
            |old, new| !same(old, new),
        )
    }

    /// All ports with their places on the surface, but for a node's own.
    pub(crate) fn ports(self, but: usize) -> Vec<(End, Point)> {
        let view = self.view.get_untracked();
        self.editor.nodes.with_untracked(|nodes| {
            nodes
                .iter()
                .enumerate()
                .filter(|(rank, _)| *rank != but)
                .flat_map(|(rank, node)| {
                    node.shape()
                        .ports()
                        .map(move |port| {
                            (End { node: rank, port }, view.to_screen(node.port_at_untracked(port)))
                        })
                        .collect::<Vec<_>>()
                })
                .collect()
        })
    }
}

fn same<T>(old: Option<&Vec<Arc<T>>>, new: Option<&Vec<Arc<T>>>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(a, b)| Arc::ptr_eq(a, b))
        }
        _ => false,
    }
}

/// The surface of the page.
pub(crate) fn use_surface() -> Surface {
    expect_context()
}
