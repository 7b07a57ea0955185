//! Keys. They work wherever the focus is, but for fields, menus and dialogs, which have keys of their own.

use fairway_canvas::Point;
use fairway_canvas::drag::GRID;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::actions::Action;
use super::{Surface, actions, clipboard, pointer};
use crate::i18n::t;
use crate::state::editor::Selection;
use crate::state::use_session;

/// Listens to the window.
pub(super) fn listen(surface: Surface) {
    let session = use_session();
    let downs = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && leave_settings(surface, &event) {
            event.prevent_default();
            return;
        }
        if !session.single_keys.get_untracked() && is_single(&event) {
            return;
        }
        let free = !typing(&event) && !beside(&event);
        let found = session.keys.with_untracked(|keys| actions::of_chord(&chord(&event), keys));
        if (free || anywhere(&event, found)) && handle(surface, &event, found) {
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

/// Esc in the settings goes back to the node that they are of, unless something of theirs was shut by it.
fn leave_settings(surface: Surface, event: &KeyboardEvent) -> bool {
    if event.default_prevented() || !within(event, ".inspector") || within(event, "dialog, .popover") {
        return false;
    }
    let selected = surface.editor.selection.with_untracked(|selection| selection.single().cloned());
    selected.inspect(|id| surface.focus(id)).is_some()
}

/// Whether the key means the same while a field has the focus: the command palette, saving, deploying.
fn anywhere(event: &KeyboardEvent, found: Option<&Action>) -> bool {
    found.is_some_and(|action| matches!(action.name, "commands" | "save" | "deploy"))
        && !within(event, "dialog, .popover")
}

/// Whether the focus is in the settings or the drawer, where a key that changes the drawing by itself (delete, single
/// letters) would hit what nobody looks at. Commands and the keys that move about work there too.
fn beside(event: &KeyboardEvent) -> bool {
    let key = event.key();
    let changes = matches!(key.as_str(), "Delete" | "Backspace") || key.chars().count() == 1;
    let command = event.ctrl_key() || event.meta_key();
    changes && !command && within(event, ".inspector, .drawer")
}

/// Whether it is a single letter or sign, which dictation and trembling hands hit by accident.
fn is_single(event: &KeyboardEvent) -> bool {
    let plain = !(event.ctrl_key() || event.meta_key() || event.alt_key());
    plain && event.key().chars().count() == 1 && event.key() != " "
}

/// Whether the key is a button's or a link's own.
fn on_button(event: &KeyboardEvent) -> bool {
    within(event, "button, a, summary, [role=tab], [role=treeitem], input, [data-palette]")
}

/// Whether the key was pressed in an element that a selector names, or inside one.
fn within(event: &KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
}

/// The chord of an event as the table of actions writes it: `Mod+Shift+D`, `?`. Shift is named with letters and keys that
/// have a name; with others it is part of the sign that it makes.
pub(super) fn chord(event: &KeyboardEvent) -> String {
    let key = event.key();
    let mut letters = key.chars();
    let single = letters.next().filter(|_| letters.next().is_none());
    let mut chord = String::new();
    if event.ctrl_key() || event.meta_key() {
        chord.push_str("Mod+");
    }
    if event.shift_key() && single.is_none_or(char::is_alphabetic) {
        chord.push_str("Shift+");
    }
    if event.alt_key() {
        chord.push_str("Alt+");
    }
    match single {
        Some(letter) => chord.extend(letter.to_uppercase()),
        None => chord.push_str(&key),
    }
    chord
}

fn handle(surface: Surface, event: &KeyboardEvent, found: Option<&Action>) -> bool {
    let (shift, alt) = (event.shift_key(), event.alt_key());
    let key = event.key();
    if let Some(action) = found {
        (action.run)(surface);
        return true;
    }
    if event.ctrl_key() || event.meta_key() {
        return false;
    }
    match key.as_str() {
        "Escape" => escape(surface),
        "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" => arrow(surface, &key, shift, alt, event),
        "Enter" if !on_button(event) => enter(surface),
        " " if !on_button(event) => space(surface, event),
        "Tab" => tab(surface, shift, event),
        "Home" => jump(surface, false, event),
        "End" => jump(surface, true, event),
        _ => false,
    }
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

/// `E` goes through the edges of the current node.
pub(super) fn walk_edges(surface: Surface) {
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
