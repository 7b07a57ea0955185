//! The small search for components, at a place of the surface: by double click, by key, or where a loose edge was let
//! go, then only what fits.

use std::sync::Arc;

use fairway_canvas::placement;
use fairway_canvas::wiring::End;
use fairway_canvas::{Point, Port};
use fairway_shared::component::{ComponentSpec, Kind};
use leptos::html;
use leptos::prelude::*;

use super::node::{kind_name, kind_word};
use super::{Surface, use_surface};
use crate::i18n::{components, t};
use crate::icons::{Icon, component_icon, icon};
use crate::palette::matches;
use crate::state::editor::EdgeKey;
use crate::state::use_session;

/// Where the search is open and for what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QuickAdd {
    /// On the surface, in its pixels.
    pub(crate) at: Point,
    /// In the world: where the node goes.
    pub(crate) world: Point,
    /// The end that the new node is joined to.
    pub(crate) wire: Option<End>,
    /// The edge that the new node is put into.
    pub(crate) into: Option<EdgeKey>,
}

impl QuickAdd {
    /// At the pointer, else in the middle of the surface.
    pub(super) fn here(surface: Surface) -> Self {
        let at = pointer_on(surface).unwrap_or_else(|| surface.centre());
        Self { at, world: surface.world(at), wire: None, into: None }
    }

    /// Opens the search for what comes into an edge.
    pub(super) fn into_edge(surface: Surface, key: &EdgeKey) {
        let Some(edge) = surface.editor.edge(key) else { return };
        let world = edge.curve_untracked().at(0.5);
        let at = surface.view.get_untracked().to_screen(world);
        surface.quick_add.set(Some(Self { at, world, wire: None, into: Some(edge.key.clone()) }));
    }

    /// Opens the search as a key asks for it: for what comes into the selected edge, else at the pointer, else for what
    /// comes behind the selected node.
    pub(super) fn open(surface: Surface) {
        let editor = surface.editor;
        let (edge, single) = editor
            .selection
            .with_untracked(|selection| (selection.edge.clone(), selection.single().cloned()));
        if let Some(key) = edge {
            return Self::into_edge(surface, &key);
        }
        let mut open = Self::here(surface);
        if pointer_on(surface).is_none()
            && let Some(node) = single.and_then(|id| editor.node(&id))
            && let Some(rank) = editor.rank(&node.id)
        {
            let port = if node.shape().outputs > 0 { Port::Output(0) } else { Port::Errors };
            let corner =
                placement::right_of(node.rect(), fairway_canvas::Shape::default().size(), &editor.rects());
            open.world = corner + Point::new(0.0, fairway_canvas::shape::HEIGHT / 2.0);
            open.at = surface.view.get_untracked().to_screen(open.world);
            open.wire = (port != Port::Errors).then_some(End { node: rank, port });
        }
        surface.quick_add.set(Some(open));
    }

    /// Whether a component can be joined to the waiting end, or put into the waiting edge.
    fn fits(&self, spec: &ComponentSpec) -> bool {
        if self.into.is_some() {
            return spec.kind == Kind::Transform;
        }
        match self.wire.map(|end| end.port) {
            None => true,
            Some(Port::Input(_)) => spec.kind != Kind::Sink,
            Some(Port::Output(_) | Port::Errors) => spec.accepts_input(),
        }
    }
}

/// The pointer, while it is over the surface.
fn pointer_on(surface: Surface) -> Option<Point> {
    let size = surface.size.get_untracked();
    surface.pointer.get_value().filter(|at| at.x > 0.0 && at.y > 0.0 && at.x < size.w && at.y < size.h)
}

/// Adds a node whose middle comes to a place in the world, into an edge where there is one, and selects it.
pub(crate) fn place(surface: Surface, component: &str, world: Point, into: Option<&EdgeKey>) {
    let shape = surface.editor.shape(component);
    let corner = placement::centred(world, shape.size(), &surface.editor.rects());
    let id = match into {
        Some(edge) => surface.editor.add_into(component, corner, edge),
        None => surface.editor.add(component, corner, None),
    };
    surface.say(t!("said-added", name = id.as_str()));
    surface.focus(&id);
}

/// Adds a node right of the selected one (joined to it, when it has a free way on), else in the middle of the view.
pub(crate) fn place_beside(surface: Surface, component: &str) {
    let editor = surface.editor;
    let shape = editor.shape(component);
    let taken = editor.rects();
    let single = editor
        .selection
        .with_untracked(|selection| selection.single().cloned())
        .and_then(|id| editor.node(&id));
    let Some(node) = single else {
        let world = surface.world(surface.centre());
        place(surface, component, world, None);
        return;
    };
    let corner = placement::right_of(node.rect(), shape.size(), &taken);
    let wire = (node.shape().outputs > 0 && shape.inputs > 0)
        .then(|| editor.rank(&node.id))
        .flatten()
        .map(|rank| End { node: rank, port: Port::Output(0) });
    let id = editor.add(component, corner, wire);
    surface.say(t!("said-added", name = id.as_str()));
    surface.focus(&id);
}

fn take(surface: Surface, open: &QuickAdd, component: &str) {
    surface.close_quick_add();
    let editor = surface.editor;
    let shape = editor.shape(component);
    let Some(wire) = open.wire else {
        place(surface, component, open.world, open.into.as_ref());
        return;
    };
    // The port that is joined comes to where the edge was let go.
    let port = if wire.port.is_input() { Port::Output(0) } else { Port::Input(0) };
    let corner = placement::free(open.world - shape.port(port), shape.size(), &editor.rects());
    let id = editor.add(component, corner, Some(wire));
    surface.say(t!("said-added", name = id.as_str()));
    surface.focus(&id);
}

/// The search box, while it is open.
#[component]
pub(super) fn QuickAddBox() -> impl IntoView {
    let surface = use_surface();
    move || surface.quick_add.get().map(|open| view! { <Opened open /> })
}

#[component]
fn Opened(open: QuickAdd) -> impl IntoView {
    let surface = use_surface();
    let session = use_session();
    let search = RwSignal::new(String::new());
    let chosen = RwSignal::new(0usize);
    let input = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(input) = input.get()
            && input.focus().is_err()
        {
            leptos::logging::warn!("the search did not take the focus");
        }
    });
    let wanted = open.clone();
    let found = Memo::new(move |_| {
        let text = search.get();
        session.catalog.get().map_or_else(Vec::new, |catalog| {
            let mut found: Vec<ComponentSpec> = catalog
                .all()
                .iter()
                .filter(|spec| wanted.fits(spec) && matches(spec, &text))
                .cloned()
                .collect();
            found.sort_by_key(|spec| spec.kind);
            found
        })
    });
    // Kept on the surface: the box is 280 by at most 360 pixels.
    let size = surface.size.get_untracked();
    let waits = open.wire.is_some() || open.into.is_some();
    let left = open.at.x.min(size.w - 292.0).max(12.0);
    let top = open.at.y.min(size.h - 372.0).max(12.0);
    let open = Arc::new(open);
    let take_at = {
        let open = open.clone();
        move |at: usize| {
            if let Some(name) = found.with_untracked(|found| found.get(at).map(|spec| spec.name.clone())) {
                take(surface, &open, &name);
            }
        }
    };
    let keys = {
        let take_at = take_at.clone();
        move |event: web_sys::KeyboardEvent| {
            event.stop_propagation();
            let count = found.with_untracked(Vec::len);
            match event.key().as_str() {
                "ArrowDown" if count > 0 => chosen.update(|at| *at = (*at + 1) % count),
                "ArrowUp" if count > 0 => chosen.update(|at| *at = (*at + count - 1) % count),
                "Enter" => take_at(chosen.get_untracked()),
                "Escape" => {
                    surface.close_quick_add();
                    if let Some(element) = surface.element.get_untracked()
                        && element.focus().is_err()
                    {
                        leptos::logging::warn!("focus could not go back");
                    }
                }
                _ => return,
            }
            event.prevent_default();
        }
    };
    let list = move || {
        let take_at = take_at.clone();
        let mut last: Option<Kind> = None;
        let rows = found.get().into_iter().enumerate().map(move |(at, spec)| {
            let heading = (last != Some(spec.kind))
                .then(|| view! { <li class="group" role="presentation">{kind_name(spec.kind)}</li> });
            last = Some(spec.kind);
            let take_at = take_at.clone();
            view! {
                {heading}
                <li
                    class="option"
                    id=format!("quick-{at}")
                    role="option"
                    data-option=spec.name.clone()
                    data-kind=kind_word(spec.kind)
                    aria-selected=move || (chosen.get() == at).to_string()
                    on:pointermove=move |_| chosen.set(at)
                    on:click=move |_| take_at(at)
                >
                    <span class="node-icon">{component_icon(&spec.name, &spec.family, spec.kind)}</span>
                    <span class="clip">{components::title(&spec)}</span>
                </li>
            }
        });
        rows.collect_view()
    };
    view! {
        <div
            class="quick-add"
            data-testid="quick-add"
            style:left=format!("{left}px")
            style:top=format!("{top}px")
            on:pointerdown=|event: web_sys::PointerEvent| event.stop_propagation()
            on:dblclick=|event: web_sys::MouseEvent| event.stop_propagation()
        >
            <div class="search">
                {icon(Icon::Search)}
                <input
                    node_ref=input
                    class="input"
                    type="text"
                    role="combobox"
                    aria-expanded="true"
                    aria-controls="quick-list"
                    aria-activedescendant=move || format!("quick-{}", chosen.get())
                    aria-label=t!("quick-add")
                    placeholder=if waits { t!("quick-add-next") } else { t!("quick-add") }
                    on:keydown=keys
                    on:input=move |event| {
                        search.set(event_target_value(&event));
                        chosen.set(0);
                    }
                />
            </div>
            <ul id="quick-list" role="listbox" aria-label=t!("quick-add")>{list}</ul>
            {move || found.with(Vec::is_empty).then(|| view! { <p class="none">{t!("palette-none")}</p> })}
        </div>
    }
}
