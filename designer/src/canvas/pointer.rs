//! Pointer events to gestures, and gestures to edits.

use std::sync::Arc;

use fairway_canvas::curve;
use fairway_canvas::drag::{self, Marquee, Press};
use fairway_canvas::guides;
use fairway_canvas::viewport::{WheelUnit, wheel_factor};
use fairway_canvas::wiring::End;
use fairway_canvas::{Point, Port, Rect};
use leptos::prelude::*;
use web_sys::{MouseEvent, PointerEvent, WheelEvent};

use super::gesture::{Area, Click, Copies, Gesture, Move};
use super::quick_add::QuickAdd;
use super::{Surface, border, wires};
use crate::i18n::t;
use crate::state::editor::{EdgeKey, NodeView, Selection};

fn at(event: &MouseEvent) -> Point {
    Point::new(f64::from(event.client_x()), f64::from(event.client_y()))
}

fn press(event: &PointerEvent) -> Press {
    Press::new(at(event), event.pointer_type() == "touch")
}

/// Mod: Command on a Mac, Control elsewhere.
pub(super) fn command(event: &MouseEvent) -> bool {
    event.ctrl_key() || event.meta_key()
}

/// Whether this press pans whatever is under it.
fn pans(surface: Surface, event: &PointerEvent) -> bool {
    event.button() == 1 || event.button() == 2 || (event.button() == 0 && surface.space.get_untracked())
}

/// A press on the surface that nothing on it took.
pub(super) fn down(surface: Surface, event: &PointerEvent) {
    surface.close_quick_add();
    if pans(surface, event) {
        event.prevent_default();
        surface.gesture.set(Gesture::Pan(at(event)));
        return;
    }
    if event.button() != 0 {
        return;
    }
    if surface.gesture.with_untracked(|gesture| *gesture == Gesture::Follow) {
        wires::end(surface, at(event), false);
        return;
    }
    if event.alt_key() {
        let start = surface.world(surface.local(at(event)));
        surface.gesture.set(Gesture::Slice(press(event), start, start));
        return;
    }
    // A press near an edge takes it, also where its hit line is covered.
    if let Some(key) = edge_at(surface, at(event)) {
        take_edge(surface, &key, event);
        return;
    }
    surface.gesture.set(Gesture::Area(Area {
        press: press(event),
        before: surface.editor.selection.get_untracked(),
        how: Marquee::from_keys(event.shift_key(), command(event)),
    }));
}

/// The edge at a place in window pixels.
fn edge_at(surface: Surface, window: Point) -> Option<EdgeKey> {
    let world = surface.world(surface.local(window));
    let reach = curve::HIT / surface.view.with_untracked(|view| view.zoom);
    surface.editor.edges.with_untracked(|edges| {
        let found = curve::nearest(edges.iter().map(|edge| edge.curve_untracked()), world, reach);
        found.map(|rank| edges[rank].key.clone())
    })
}

/// A press on an edge.
pub(super) fn edge_down(surface: Surface, key: &EdgeKey, event: &PointerEvent) {
    let wiring = surface.gesture.with_untracked(|gesture| *gesture == Gesture::Follow);
    if event.button() == 0 && !wiring && !event.alt_key() && !surface.space.get_untracked() {
        event.stop_propagation();
        surface.close_quick_add();
        take_edge(surface, key, event);
    }
}

/// Selects an edge; near one of its ends it may be dragged off there.
fn take_edge(surface: Surface, key: &EdgeKey, event: &PointerEvent) {
    surface.editor.select(Selection::of_edge(key.clone()));
    let world = surface.world(surface.local(at(event)));
    let reach = curve::END / surface.view.with_untracked(|view| view.zoom);
    let tip = surface.editor.edge(key).and_then(|edge| edge.curve_untracked().tip(world, reach));
    if let Some(tip) = tip {
        surface.gesture.set(Gesture::Retarget(press(event), key.clone(), tip));
    }
}

/// A press on a node.
pub(super) fn node_down(surface: Surface, node: &Arc<NodeView>, event: &PointerEvent) {
    if pans(surface, event) || event.button() != 0 {
        return;
    }
    event.stop_propagation();
    surface.close_quick_add();
    if surface.gesture.with_untracked(|gesture| *gesture == Gesture::Follow) {
        wires::end_on(surface, node);
        return;
    }
    let editor = surface.editor;
    let selected = node.selected.get_untracked();
    let click = match (command(event), event.shift_key(), selected) {
        (true, _, _) => Click::Toggle,
        (false, true, _) => {
            editor.add_to_selection(&node.id);
            Click::Nothing
        }
        (false, false, false) => {
            editor.select_node(&node.id);
            Click::Nothing
        }
        (false, false, true) => Click::Only,
    };
    let mut moved = editor.selected_nodes();
    if !moved.iter().any(|other| other.id == node.id) {
        moved = vec![node.clone()];
    }
    surface.gesture.set(Gesture::Move(Move {
        press: press(event),
        id: node.id.clone(),
        from: moved.iter().map(|node| (node.id.clone(), node.at.get_untracked())).collect(),
        click,
        copies: if event.alt_key() { Copies::Wanted } else { Copies::No },
    }));
}

/// A press on the title of a group: its nodes are moved together.
pub(super) fn frame_down(surface: Surface, ids: &[String], event: &PointerEvent) {
    if pans(surface, event) {
        return;
    }
    event.stop_propagation();
    surface.close_quick_add();
    surface
        .editor
        .select(Selection::of_nodes(ids.iter().filter(|id| surface.editor.node(id).is_some()).cloned()));
    let nodes = surface.editor.selected_nodes();
    let Some(first) = nodes.first() else { return };
    surface.gesture.set(Gesture::Move(Move {
        press: press(event),
        id: first.id.clone(),
        from: nodes.iter().map(|node| (node.id.clone(), node.at.get_untracked())).collect(),
        click: Click::Nothing,
        copies: Copies::No,
    }));
}

/// A press on a port.
pub(super) fn port_down(surface: Surface, node: &Arc<NodeView>, port: Port, event: &PointerEvent) {
    if pans(surface, event) || event.button() != 0 {
        return;
    }
    event.stop_propagation();
    event.prevent_default();
    surface.close_quick_add();
    if surface.gesture.with_untracked(|gesture| *gesture == Gesture::Follow) {
        wires::end(surface, at(event), true);
        return;
    }
    let Some(rank) = surface.editor.rank(&node.id) else { return };
    wires::begin(surface, End { node: rank, port }, node.port_at_untracked(port), None);
    surface.gesture.set(Gesture::Wire(press(event)));
}

/// A press on an item of the palette.
pub(crate) fn palette_down(surface: Surface, component: &str, event: &PointerEvent) {
    if event.button() == 0 {
        surface.gesture.set(Gesture::Palette(press(event), component.to_owned()));
    }
}

/// Follows the pointer wherever it goes while a gesture lasts.
pub(super) fn listen(surface: Surface) {
    let moves = window_event_listener(leptos::ev::pointermove, move |event| moved(surface, &event));
    let ups = window_event_listener(leptos::ev::pointerup, move |event| released(surface, &event));
    let cancels = window_event_listener(leptos::ev::pointercancel, move |_| {
        cancel(surface);
    });
    let blurs = window_event_listener(leptos::ev::blur, move |_| {
        surface.space.set(false);
        cancel(surface);
    });
    on_cleanup(move || {
        moves.remove();
        ups.remove();
        cancels.remove();
        blurs.remove();
    });
}

/// Ends a gesture without its effect. Answers whether there was one.
pub(super) fn cancel(surface: Surface) -> bool {
    let gesture = surface.gesture.get_untracked();
    if gesture == Gesture::Idle {
        return false;
    }
    if let Gesture::Move(moving) = &gesture {
        surface.editor.put_back(&moving.from);
        if matches!(moving.copies, Copies::Made(_)) {
            surface.editor.discard_last();
        }
    }
    surface.show_guides(Vec::new());
    surface.stroke.set(None);
    surface.gesture.set(Gesture::Idle);
    surface.marquee.set(None);
    wires::finish(surface);
    surface.ghost.set(None);
    surface.over.set(None);
    true
}

fn moved(surface: Surface, event: &PointerEvent) {
    let now = at(event);
    surface.pointer.set_value(Some(surface.local(now)));
    follow(surface, now, event.shift_key());
    if surface.gesture.with_untracked(Gesture::drags) {
        border::touch(surface, now, event.shift_key());
    }
}

/// Takes what is dragged along to a place in window pixels; `free` suspends the grid.
pub(super) fn follow(surface: Surface, now: Point, free: bool) {
    let mut gesture = surface.gesture.get_untracked();
    match &mut gesture {
        Gesture::Idle => return,
        Gesture::Pan(last) => {
            let by = now - *last;
            *last = now;
            surface.view.update(|view| *view = view.panned(by));
        }
        Gesture::Move(moving) => {
            let Some(by) = moving.press.to(now) else { return };
            if moving.copies == Copies::Wanted {
                make_copies(surface, moving);
            }
            let zoom = surface.view.with_untracked(|view| view.zoom);
            let shift = shift_of(surface, moving, by * (1.0 / zoom), free);
            surface.editor.shift(&moving.from, shift);
            if let [(id, _)] = moving.from.as_slice()
                && let Some(node) = surface.editor.node(id)
                && node.degrees.get_untracked() == (0, 0)
            {
                let centre = node.rect().centre();
                hover_edge(surface, node.shape(), centre);
            }
        }
        Gesture::Area(area) => {
            if area.press.to(now).is_none() {
                return;
            }
            let corner = |window: Point| surface.world(surface.local(window));
            let rect = Rect::spanning(corner(area.press.start), corner(now));
            surface.marquee.set(Some(rect));
            let (how, before) = (area.how, &area.before);
            let nodes = surface.editor.nodes.with_untracked(|nodes| {
                let kept =
                    nodes.iter().filter(|node| how.keeps(rect, node.rect(), before.nodes.contains(&node.id)));
                kept.map(|node| node.id.clone()).collect::<Vec<_>>()
            });
            surface.editor.select(Selection::of_nodes(nodes));
        }
        Gesture::Wire(press) => {
            if press.to(now).is_none() {
                return;
            }
            wires::aim(surface, now);
        }
        Gesture::Retarget(press, key, tip) => {
            let began = press.dragging;
            if press.to(now).is_none() {
                return;
            }
            if !began {
                wires::lift(surface, key, *tip);
            }
            wires::aim(surface, now);
        }
        Gesture::Follow => wires::aim(surface, now),
        Gesture::Slice(press, start, end) => {
            if press.to(now).is_none() {
                return;
            }
            *end = surface.world(surface.local(now));
            surface.stroke.set(Some((*start, *end)));
        }
        Gesture::Palette(press, component) => {
            if press.to(now).is_none() {
                return;
            }
            surface.ghost.set(Some((component.clone(), now)));
            hover_edge(surface, surface.editor.shape(component), surface.world(surface.local(now)));
        }
    }
    surface.gesture.update_untracked(|held| *held = gesture);
}

/// Puts copies in the place of the nodes that are dragged; these stay where they stand.
fn make_copies(surface: Surface, moving: &mut Move) {
    let Some(part) = surface.editor.selected_part() else {
        moving.copies = Copies::No;
        return;
    };
    surface.editor.close_entry();
    surface.editor.paste(&part, Point::default());
    let copies = surface.editor.selected_nodes();
    // Copies come in the order of what they are copies of; the one under the pointer is found by where it stands.
    let held = moving.from.iter().find(|(id, _)| *id == moving.id).map(|(_, at)| *at);
    moving.from = copies.iter().map(|node| (node.id.clone(), node.at.get_untracked())).collect();
    if let Some((id, _)) = moving.from.iter().find(|(_, at)| Some(*at) == held) {
        moving.id = id.clone();
    }
    moving.click = Click::Nothing;
    moving.copies = Copies::Made(Box::new(part));
}

/// By how much dragged nodes move: the one under the pointer comes to lie on a line of a neighbour or on the grid; `free`
/// suspends both.
fn shift_of(surface: Surface, moving: &Move, by: Point, free: bool) -> Point {
    let anchor = moving.from.iter().find(|(id, _)| *id == moving.id).map_or(Point::default(), |(_, at)| *at);
    let node = surface.editor.node(&moving.id).filter(|_| !free);
    let Some(node) = node else {
        surface.show_guides(Vec::new());
        return drag::group_shift(anchor, by, free);
    };
    let view = surface.view.get_untracked();
    let seen = view.visible(surface.size.get_untracked());
    let others: Vec<Rect> = surface.editor.nodes.with_untracked(|nodes| {
        let still = |node: &&Arc<NodeView>| !moving.from.iter().any(|(id, _)| *id == node.id);
        nodes.iter().filter(still).map(|node| node.rect()).filter(|rect| rect.touches(seen)).collect()
    });
    let (corner, lines) = guides::settle(node.shape().rect(anchor + by), &others, guides::NEAR / view.zoom);
    surface.show_guides(lines);
    corner - anchor
}

/// Pans the view by screen pixels; what is dragged stays under the pointer.
pub(super) fn pan(surface: Surface, by: Point, pointer: Point, free: bool) {
    surface.view.update(|view| *view = view.panned(by));
    surface.gesture.update_untracked(|gesture| gesture.panned(by));
    if surface.gesture.with_untracked(Gesture::drags) {
        follow(surface, pointer, free);
    }
}

/// Screen pixels within which a dragged node is put into an edge.
const SPLICE: f64 = 14.0;

/// Marks the edge that a node with this middle would be put into: one can be put into an edge that has both an input
/// and an output.
fn hover_edge(surface: Surface, shape: fairway_canvas::Shape, centre: Point) {
    let found = (shape.inputs > 0 && shape.outputs > 0)
        .then(|| {
            let reach = SPLICE / surface.view.with_untracked(|view| view.zoom);
            surface.editor.edges.with_untracked(|edges| {
                let curves = edges.iter().map(|edge| edge.curve_untracked());
                fairway_canvas::curve::nearest(curves, centre, reach).map(|rank| edges[rank].key.clone())
            })
        })
        .flatten();
    if surface.over.with_untracked(|over| *over != found) {
        surface.over.set(found);
    }
}

fn released(surface: Surface, event: &PointerEvent) {
    let gesture = surface.gesture.get_untracked();
    let over = surface.over.get_untracked();
    surface.over.set(None);
    surface.show_guides(Vec::new());
    match gesture {
        Gesture::Idle | Gesture::Follow => return,
        Gesture::Pan(_) => {}
        Gesture::Move(moving) => match (moving.press.dragging, moving.click) {
            (true, _) => match moving.copies {
                Copies::Made(part) => {
                    // One step: the copies where they were let go.
                    let stood = moving.from.first().map(|(_, at)| *at).unwrap_or_default();
                    let lies = moving.from.first().and_then(|(id, _)| surface.editor.node(id));
                    let by = lies.map(|node| node.at.get_untracked() - stood).unwrap_or_default();
                    surface.editor.discard_last();
                    surface.editor.paste(&part, by);
                }
                Copies::No | Copies::Wanted => surface.editor.commit_move(&moving.from, over.as_ref()),
            },
            (false, Click::Nothing) => {}
            (false, Click::Only) => surface.editor.select_node(&moving.id),
            (false, Click::Toggle) => surface.editor.toggle(&moving.id),
        },
        Gesture::Area(area) => {
            if !area.press.dragging && area.how == Marquee::Replace {
                surface.editor.select(Selection::default());
            }
            surface.marquee.set(None);
        }
        Gesture::Wire(press) => {
            if press.dragging {
                wires::end(surface, at(event), true);
            } else {
                // A click on a port: the edge follows the pointer to the next one.
                surface.gesture.set(Gesture::Follow);
            }
            return;
        }
        Gesture::Retarget(press, key, tip) => {
            if press.dragging {
                wires::end_lifted(surface, &key, tip, at(event), event.shift_key());
                return;
            }
        }
        Gesture::Slice(press, start, end) => {
            surface.stroke.set(None);
            if press.dragging {
                let cut = surface.editor.slice(start, end);
                surface.say(t!("said-cut", count = cut));
            }
        }
        Gesture::Palette(press, component) => {
            surface.ghost.set(None);
            if press.dragging && surface.holds(at(event)) {
                let world = surface.world(surface.local(at(event)));
                super::quick_add::place(surface, &component, world, over.as_ref());
            }
        }
    }
    surface.gesture.set(Gesture::Idle);
}

/// A double click on empty canvas opens the small search there, on an edge for what comes into it; on a node it goes to its
/// settings.
pub(super) fn double_click(surface: Surface, event: &MouseEvent) {
    use wasm_bindgen::JsCast;
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let on = |selector: &str| {
        target.as_ref().is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
    };
    if on(".node") {
        surface.editor.edit_field(None);
    } else if !on(".quick-add, .controls, .minimap, .sheet, .canvas-note, .frame-head") {
        let local = surface.local(at(event));
        let into = edge_at(surface, at(event));
        surface.quick_add.set(Some(QuickAdd { at: local, world: surface.world(local), wire: None, into }));
    }
}

/// The wheel pans; with Mod (which is also what a pinch sends) it zooms about the pointer.
pub(super) fn wheel(surface: Surface, event: &WheelEvent) {
    use wasm_bindgen::JsCast;
    let inside = event
        .target()
        .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
        .is_some_and(|target| matches!(target.closest(".quick-add"), Ok(Some(_))));
    if inside {
        return;
    }
    event.prevent_default();
    let unit = WheelUnit::from_mode(event.delta_mode());
    let (dx, dy) = (unit.pixels(event.delta_x()), unit.pixels(event.delta_y()));
    if command(event) || event.alt_key() {
        let local = surface.local(at(event));
        let pinch = event.ctrl_key() && dy.abs() < 40.0;
        surface.view.update(|view| *view = view.zoomed(local, wheel_factor(dy, pinch)));
    } else if event.shift_key() && dx == 0.0 {
        pan(surface, Point::new(-dy, 0.0), at(event), false);
    } else {
        pan(surface, Point::new(-dx, -dy), at(event), event.shift_key());
    }
}
