//! The state of the surface: viewport, size, what the pointer is doing, what is worth drawing. Not part of the document.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use fairway_canvas::guides::Guide;
use fairway_canvas::viewport::{Detail, Viewport};
use fairway_canvas::wiring::End;
use fairway_canvas::{Point, Rect, Size};
use fairway_shared::channel::Channel;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::border::Border;
use super::commands::Asked;
use super::compared;
use super::gesture::{Gesture, Loose};
use super::quick_add::QuickAdd;
use crate::router::{Router, use_router};
use crate::state::editor::{Comparison, EdgeKey, Editor, Note};
use crate::state::store::{Keep, forget, read, write};

/// What the browser keeps about the small map and the panel on the left.
const MAP: &str = "fairway.minimap";
const OUTLINE: &str = "fairway.outline";
/// That the guide is on, in this window.
const GUIDE: &str = "fairway.guide";

/// The next canvas of this window guides through a first channel.
pub(crate) fn begin_guide() {
    if !write(Keep::Window, GUIDE, "on") {
        leptos::logging::warn!("the browser keeps nothing: the guide does not begin");
    }
}

/// Turns a choice over and keeps it.
fn toggle(choice: RwSignal<bool>, key: &str) {
    let on = !choice.get_untracked();
    choice.set(on);
    if !(if on { write(Keep::Always, key, "on") } else { forget(Keep::Always, key) }) {
        leptos::logging::warn!("the browser keeps nothing: {key} holds for this window only");
    }
}

/// The surface.
#[derive(Clone, Copy)]
pub(crate) struct Surface {
    /// The document.
    pub(crate) editor: Editor,
    /// Its element.
    pub(crate) element: NodeRef<html::Div>,
    /// Pan and zoom.
    pub(crate) view: RwSignal<Viewport>,
    /// How much of nodes is worth drawing at this zoom, once it rests; each node follows in its turn.
    pub(crate) detail: RwSignal<Detail>,
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
    /// Lines along which a dragged node and its neighbours lie.
    pub(crate) guides: RwSignal<Vec<Guide>>,
    /// A stroke that cuts edges, while one is drawn, in the world.
    pub(crate) stroke: RwSignal<Option<(Point, Point)>>,
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
    /// Whether the physical view is shown in the surface's place.
    pub(crate) physical: RwSignal<bool>,
    /// Whether the document is shown as text.
    pub(crate) text: RwSignal<bool>,
    /// Whether the first channel is guided.
    pub(crate) guide: RwSignal<bool>,
    /// The version that the drawing is compared with, by its number.
    pub(crate) base: RwSignal<Option<Arc<(u32, Channel)>>>,
    /// What lies between that and the drawing.
    pub(super) compared: Memo<Option<Arc<Comparison>>>,
    /// The note that is written into, by its rank.
    pub(crate) writing: RwSignal<Option<usize>>,
    /// What the command palette is open for.
    pub(crate) asked: RwSignal<Option<Asked>>,
    /// The edge whose end was taken off.
    pub(crate) lifted: RwSignal<Option<EdgeKey>>,
    /// Nodes that the loose edge cannot be joined to, by id.
    pub(crate) unfit: RwSignal<HashSet<String>>,
    /// A pointer that drags something near the border.
    pub(super) border: StoredValue<Border>,
    /// Whether the small map stays.
    pub(crate) map: RwSignal<bool>,
    /// Whether the panel on the left shows the outline instead of the components.
    pub(crate) outline: RwSignal<bool>,
    /// The node that is shown once by a short glow.
    pub(crate) flashed: RwSignal<Option<String>>,
    /// The pages, to go to another.
    pub(crate) router: Router,
}

impl Surface {
    /// A surface for a document.
    pub(crate) fn new(editor: Editor) -> Self {
        let (view, base) = (RwSignal::new(Viewport::default()), RwSignal::new(None));
        Self {
            editor,
            element: NodeRef::new(),
            view,
            detail: RwSignal::new(Detail::Full),
            size: RwSignal::new(Size::new(1.0, 1.0)),
            gesture: RwSignal::new_local(Gesture::Idle),
            marquee: RwSignal::new(None),
            loose: RwSignal::new(None),
            ghost: RwSignal::new(None),
            guides: RwSignal::new(Vec::new()),
            stroke: RwSignal::new(None),
            over: RwSignal::new(None),
            quick_add: RwSignal::new(None),
            current: RwSignal::new(None),
            pointer: StoredValue::new(None),
            space: RwSignal::new(false),
            said: RwSignal::new(String::new()),
            sheet: RwSignal::new(false),
            physical: RwSignal::new(false),
            text: RwSignal::new(false),
            guide: RwSignal::new(read(Keep::Window, GUIDE).is_some()),
            base,
            compared: compared::follow(editor, base),
            writing: RwSignal::new(None),
            asked: RwSignal::new(None),
            lifted: RwSignal::new(None),
            unfit: RwSignal::new(HashSet::new()),
            border: StoredValue::new(Border::default()),
            map: RwSignal::new(read(Keep::Always, MAP).is_some()),
            outline: RwSignal::new(read(Keep::Always, OUTLINE).is_some()),
            flashed: RwSignal::new(None),
            router: use_router(),
        }
    }

    /// Shuts the small search, and lets the edge go that waited for it.
    pub(crate) fn close_quick_add(self) {
        if self.quick_add.with_untracked(Option::is_some) {
            self.quick_add.set(None);
            self.let_loose_go();
        }
    }

    /// No edge is loose any more.
    pub(crate) fn let_loose_go(self) {
        self.loose.set(None);
        if self.lifted.with_untracked(Option::is_some) {
            self.lifted.set(None);
        }
        if self.unfit.with_untracked(|unfit| !unfit.is_empty()) {
            self.unfit.set(HashSet::new());
        }
    }

    /// Pins the small map, or lets it go.
    pub(crate) fn toggle_map(self) {
        toggle(self.map, MAP);
    }

    /// Shows the outline on the left, or the components again.
    pub(crate) fn toggle_outline(self) {
        toggle(self.outline, OUTLINE);
    }

    /// Lets a node glow for a moment: it is what was looked for.
    pub(crate) fn flash(self, id: &str) {
        self.flashed.set(Some(id.to_owned()));
        set_timeout(
            move || {
                // The page may have been left meanwhile.
                let _left = self.flashed.try_set(None);
            },
            Duration::from_millis(1200),
        );
    }

    /// Guides through a first channel from here on.
    pub(super) fn guide_on(self) {
        begin_guide();
        self.guide.set(true);
    }

    /// No guide any more.
    pub(crate) fn guide_off(self) {
        self.guide.set(false);
        forget(Keep::Window, GUIDE);
    }

    /// Shows guides; the same ones are not drawn anew.
    pub(super) fn show_guides(self, guides: Vec<Guide>) {
        if self.guides.with_untracked(|shown| *shown != guides) {
            self.guides.set(guides);
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
        let notes = self
            .editor
            .notes
            .with_untracked(|notes| notes.iter().map(|note| Note::of(note).rect).collect::<Vec<_>>());
        self.fit_rects(self.editor.rects().into_iter().chain(notes).collect(), 1.0);
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

/// The surface of the page.
pub(crate) fn use_surface() -> Surface {
    expect_context()
}
