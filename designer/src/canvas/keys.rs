//! Keys. They work wherever the focus is, but for fields, menus and dialogs, which have keys of their own.

use fairway_canvas::drag::GRID;
use fairway_canvas::viewport::STEP;
use fairway_canvas::wiring::{self, End};
use fairway_canvas::{Point, Port};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::gesture::{Gesture, Loose};
use super::quick_add::QuickAdd;
use super::{Surface, clipboard, pointer};
use crate::i18n::t;
use crate::state::editor::Selection;

/// Listens to the window.
pub(super) fn listen(surface: Surface) {
    let downs = window_event_listener(leptos::ev::keydown, move |event| {
        if !typing(&event) && !beside(&event) && handle(surface, &event) {
            event.prevent_default();
        }
    });
    let ups = window_event_listener(leptos::ev::keyup, move |event| {
        if event.key() == " " {
            surface.space.set(false);
        }
    });
    clipboard::listen(surface);
    on_cleanup(move || {
        downs.remove();
        ups.remove();
    });
}

/// Whether the key belongs to a field, a dialog or a menu.
fn typing(event: &KeyboardEvent) -> bool {
    within(event, "input:not([type=checkbox]), textarea, select, dialog, .popover")
}

/// Whether the focus is in the settings or the drawer, where a key that changes the drawing by itself (delete, single
/// letters) would hit what nobody looks at. Commands and the keys that move about work there too.
fn beside(event: &KeyboardEvent) -> bool {
    let key = event.key();
    let changes = matches!(key.as_str(), "Delete" | "Backspace") || key.chars().count() == 1;
    let command = event.ctrl_key() || event.meta_key();
    changes && !command && within(event, ".inspector, .drawer")
}

/// Whether the key is a button's or a link's own.
fn on_button(event: &KeyboardEvent) -> bool {
    within(event, "button, a, summary, [role=tab], input, [data-palette]")
}

/// Whether the key was pressed in an element that a selector names, or inside one.
fn within(event: &KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
}

fn handle(surface: Surface, event: &KeyboardEvent) -> bool {
    let command = event.ctrl_key() || event.meta_key();
    let (shift, alt) = (event.shift_key(), event.alt_key());
    let key = event.key();
    match (command, key.to_lowercase().as_str()) {
        (true, "z") if shift => surface.editor.redo(),
        (true, "z") => surface.editor.undo(),
        (true, "y") => surface.editor.redo(),
        (true, "a") => surface.editor.select_all(),
        (true, "d") if shift => surface.editor.ask_plan(),
        (true, "d") => clipboard::duplicate(surface),
        (true, "s") => surface.editor.save_now(),
        (true, "delete" | "backspace") => surface.editor.remove_selected(true),
        (true, _) => return false,
        (false, "delete" | "backspace") => surface.editor.remove_selected(false),
        (false, "escape") => return escape(surface),
        (false, "f2") => surface.editor.edit_field(Some("title")),
        (false, "t") if shift && alt => {
            surface.editor.tidy();
            surface.fit();
        }
        (false, "arrowleft" | "arrowright" | "arrowup" | "arrowdown") => {
            return arrow(surface, &key, shift, alt, event);
        }
        (false, "enter") if !on_button(event) => return enter(surface),
        (false, " ") if !on_button(event) => return space(surface, event),
        (false, "tab") => return tab(surface, shift, event),
        (false, "home") => return jump(surface, false, event),
        (false, "end") => return jump(surface, true, event),
        (false, _) if alt => return false,
        (false, "n" | "/") => surface.quick_add.set(Some(QuickAdd::here(surface))),
        (false, "c") => join(surface),
        (false, "e") => walk_edges(surface),
        (false, "f" | "1") => surface.fit(),
        (false, "2" | ".") => surface.fit_selection(),
        (false, "+" | "=") => surface.zoom_by(STEP),
        (false, "-" | "_") => surface.zoom_by(1.0 / STEP),
        (false, "0") => surface.zoom_to(1.0),
        (false, "?") => surface.sheet.set(true),
        _ => return false,
    }
    true
}

/// One step a press: gesture, then search, then selection.
fn escape(surface: Surface) -> bool {
    if pointer::cancel(surface) {
        return true;
    }
    if surface.quick_add.with_untracked(Option::is_some) {
        surface.close_quick_add();
        return true;
    }
    if surface.editor.selection.with_untracked(|selection| !selection.is_empty()) {
        surface.editor.select(Selection::default());
        return true;
    }
    false
}

/// The node that has the focus, by the event's target.
fn focused(event: &KeyboardEvent) -> Option<String> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest("[data-node]").ok()??.get_attribute("data-node")
}

/// Selected nodes are nudged; else the focus walks the graph; else the view moves.
fn arrow(surface: Surface, key: &str, shift: bool, alt: bool, event: &KeyboardEvent) -> bool {
    if on_button(event) {
        return false;
    }
    let by = match key {
        "ArrowLeft" => Point::new(-1.0, 0.0),
        "ArrowRight" => Point::new(1.0, 0.0),
        "ArrowUp" => Point::new(0.0, -1.0),
        _ => Point::new(0.0, 1.0),
    };
    let focus = focused(event);
    let selected = surface.editor.selected_nodes();
    if !selected.is_empty() && !alt {
        let step = if shift { 4.0 * GRID } else { GRID };
        surface.editor.nudge(by * step);
        if let Some(node) = selected.first() {
            let at = node.at.get_untracked();
            surface.say(t!("said-moved", x = at.x as i64, y = at.y as i64));
        }
        return true;
    }
    match focus.or_else(|| surface.current.get_untracked()).filter(|_| alt || selected.is_empty()) {
        Some(id) if surface.editor.node(&id).is_some() => {
            if let Some(next) = neighbour(surface, &id, by) {
                if alt {
                    surface.editor.select_node(&next);
                }
                surface.focus(&next);
            }
        }
        _ => surface.view.update(|view| *view = view.panned(by * -64.0)),
    }
    true
}

/// The next node in a direction: along edges to the sides, by place up and down.
fn neighbour(surface: Surface, id: &str, by: Point) -> Option<String> {
    let editor = surface.editor;
    let here = editor.node(id)?.rect().centre();
    let nodes = editor.nodes.get_untracked();
    let joints = editor.joints();
    let rank = editor.rank(id)?;
    let near = |candidates: Vec<usize>| {
        let nearest = candidates.into_iter().min_by(|a, b| {
            let distance = |rank: &usize| nodes[*rank].rect().centre().distance(here);
            distance(a).total_cmp(&distance(b))
        });
        nearest.map(|rank| nodes[rank].id.clone())
    };
    if by.x > 0.0 {
        near(joints.iter().filter(|joint| joint.from.node == rank).map(|joint| joint.to.node).collect())
    } else if by.x < 0.0 {
        near(joints.iter().filter(|joint| joint.to.node == rank).map(|joint| joint.from.node).collect())
    } else {
        let beyond = |other: &usize| {
            let there = nodes[*other].rect().centre();
            (there.y - here.y) * by.y > 1.0 && (there.x - here.x).abs() < 200.0
        };
        near((0..nodes.len()).filter(beyond).collect())
    }
}

/// Tab goes from node to node in the order of the graph, and out behind the last.
fn tab(surface: Surface, back: bool, event: &KeyboardEvent) -> bool {
    let Some(id) = focused(event) else { return false };
    let order = surface.editor.order();
    let Some(at) = order.iter().position(|other| *other == id) else { return false };
    let next = if back { at.checked_sub(1) } else { Some(at + 1) };
    match next.and_then(|next| order.get(next)) {
        Some(next) => {
            surface.focus(next);
            true
        }
        None => false,
    }
}

fn jump(surface: Surface, last: bool, event: &KeyboardEvent) -> bool {
    if focused(event).is_none() {
        return false;
    }
    let order = surface.editor.order();
    let found = if last { order.last() } else { order.first() };
    found.inspect(|id| surface.focus(id)).is_some()
}

/// Enter goes from the node to its settings.
fn enter(surface: Surface) -> bool {
    let current = surface.current.get_untracked();
    let selected = surface.editor.selection.with_untracked(|selection| selection.single().cloned());
    match selected.or(current).filter(|id| surface.editor.node(id).is_some()) {
        Some(id) => {
            surface.editor.select_node(&id);
            surface.editor.edit_field(None);
            true
        }
        None => false,
    }
}

/// A short press selects the focused node; held, it lets the pointer pan.
fn space(surface: Surface, event: &KeyboardEvent) -> bool {
    if !event.repeat() {
        match focused(event) {
            Some(id) => surface.editor.toggle(&id),
            None => surface.space.set(true),
        }
    }
    true
}

/// `C`: two selected nodes are joined; with one, an edge waits for the next click or `C` on another.
fn join(surface: Surface) {
    let editor = surface.editor;
    let nodes = editor.selected_nodes();
    let focus = surface.current.get_untracked().and_then(|id| editor.node(&id));
    if let Some(loose) = surface.loose.get_untracked() {
        // The second press: onto the focused node.
        let target = focus.and_then(|node| editor.rank(&node.id));
        surface.loose.set(None);
        surface.gesture.set(Gesture::Idle);
        if let Some(rank) = target {
            join_ends(surface, loose.end, End { node: rank, port: Port::Input(0) });
        }
        return;
    }
    match nodes.as_slice() {
        [a, b] => {
            let (Some(a), Some(b)) = (editor.rank(&a.id), editor.rank(&b.id)) else { return };
            let joints = editor.joints();
            let forward = (End { node: a, port: Port::Output(0) }, End { node: b, port: Port::Input(0) });
            let backward = (End { node: b, port: Port::Output(0) }, End { node: a, port: Port::Input(0) });
            // The left one leads, unless only the other way fits.
            let left_leads = nodes[0].rect().x <= nodes[1].rect().x;
            let tries = if left_leads { [forward, backward] } else { [backward, forward] };
            let fits = tries.into_iter().find(|(from, to)| {
                exists(surface, *from) && exists(surface, *to) && wiring::join(*from, *to, &joints).is_ok()
            });
            match fits {
                Some((from, to)) => join_ends(surface, from, to),
                None => surface.say(t!("said-no-join")),
            }
        }
        _ => {
            let Some(node) = nodes.first().cloned().or(focus) else { return };
            let Some(rank) = editor.rank(&node.id) else { return };
            let port = if node.shape().outputs > 0 { Port::Output(0) } else { Port::Errors };
            let from = node.port_at_untracked(port);
            surface.loose.set(Some(Loose {
                end: End { node: rank, port },
                from,
                to: from + Point::new(48.0, 0.0),
                snapped: None,
                refusal: None,
            }));
            surface.gesture.set(Gesture::Follow);
            surface.say(t!("said-joining", name = editor.name_of(&node)));
        }
    }
}

fn exists(surface: Surface, end: End) -> bool {
    surface.editor.nodes.with_untracked(|nodes| {
        nodes.get(end.node).is_some_and(|node| node.shape().ports().any(|port| port == end.port))
    })
}

fn join_ends(surface: Surface, from: End, to: End) {
    match wiring::join(from, to, &surface.editor.joints()) {
        Ok(joint) if exists(surface, to) && exists(surface, from) => {
            surface.editor.connect(joint);
            surface.say(t!("said-joined"));
        }
        Ok(_) => surface.say(t!("said-no-join")),
        Err(refusal) => surface.say(super::hints::reason(surface, from, &refusal)),
    }
}

/// `E` goes through the edges of the current node.
fn walk_edges(surface: Surface) {
    let Some(id) = surface.current.get_untracked() else { return };
    let edges = surface.editor.edges.get_untracked();
    let mine: Vec<_> = edges.iter().filter(|edge| edge.from.id == id || edge.to.id == id).collect();
    if mine.is_empty() {
        return;
    }
    let now = surface.editor.selection.with_untracked(|selection| selection.edge.clone());
    let at = now
        .and_then(|key| mine.iter().position(|edge| edge.key == key))
        .map_or(0, |at| (at + 1) % mine.len());
    let edge = mine[at];
    surface.editor.select(Selection::of_edge(edge.key.clone()));
    surface.say(t!(
        "said-edge",
        from = surface.editor.name_of(&edge.from),
        to = surface.editor.name_of(&edge.to)
    ));
}
