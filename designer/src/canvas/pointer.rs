//! Pointer events to gestures, and gestures to edits.

use std::sync::Arc;

use fairway_canvas::drag::{self, Marquee, Press};
use fairway_canvas::viewport::{WheelUnit, wheel_factor};
use fairway_canvas::wiring::{self, End};
use fairway_canvas::{Point, Port, Rect};
use leptos::prelude::*;
use web_sys::{MouseEvent, PointerEvent, WheelEvent};

use super::Surface;
use super::gesture::{Area, Click, Gesture, Loose, Move};
use super::hints::reason;
use super::quick_add::QuickAdd;
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
        end_wire(surface, at(event), false);
        return;
    }
    // A press near an edge takes it, also where its hit line is covered.
    let world = surface.world(surface.local(at(event)));
    let reach = wiring_reach(surface);
    let near = surface.editor.edges.with_untracked(|edges| {
        let found =
            fairway_canvas::curve::nearest(edges.iter().map(|edge| edge.curve_untracked()), world, reach);
        found.map(|rank| edges[rank].key.clone())
    });
    if let Some(key) = near {
        surface.editor.select(Selection::of_edge(key));
        return;
    }
    surface.gesture.set(Gesture::Area(Area {
        press: press(event),
        before: surface.editor.selection.get_untracked(),
        how: Marquee::from_keys(event.shift_key(), command(event)),
    }));
}

/// The hit distance of edges in world units.
fn wiring_reach(surface: Surface) -> f64 {
    fairway_canvas::curve::HIT / surface.view.with_untracked(|view| view.zoom)
}

/// A press on an edge.
pub(super) fn edge_down(surface: Surface, key: &EdgeKey, event: &PointerEvent) {
    let wiring = surface.gesture.with_untracked(|gesture| *gesture == Gesture::Follow);
    if event.button() == 0 && !wiring && !surface.space.get_untracked() {
        event.stop_propagation();
        surface.close_quick_add();
        surface.editor.select(Selection::of_edge(key.clone()));
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
        end_wire_on(surface, node);
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
        end_wire(surface, at(event), true);
        return;
    }
    let Some(rank) = surface.editor.rank(&node.id) else { return };
    let from = node.port_at_untracked(port);
    surface.loose.set(Some(Loose {
        end: End { node: rank, port },
        from,
        to: from,
        snapped: None,
        refusal: None,
    }));
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
    }
    surface.gesture.set(Gesture::Idle);
    surface.marquee.set(None);
    surface.loose.set(None);
    surface.ghost.set(None);
    surface.over.set(None);
    true
}

fn moved(surface: Surface, event: &PointerEvent) {
    let now = at(event);
    surface.pointer.set_value(Some(surface.local(now)));
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
            let zoom = surface.view.with_untracked(|view| view.zoom);
            let anchor =
                moving.from.iter().find(|(id, _)| *id == moving.id).map_or(Point::default(), |(_, at)| *at);
            let shift = drag::group_shift(anchor, by * (1.0 / zoom), event.shift_key());
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
            aim(surface, now);
        }
        Gesture::Follow => aim(surface, now),
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

/// Moves the loose end to the pointer, or onto the port it snaps to.
fn aim(surface: Surface, window: Point) {
    let Some(loose) = surface.loose.get_untracked() else { return };
    let local = surface.local(window);
    let joints = surface.editor.joints();
    let ports = surface.ports(loose.end.node);
    let valid = |end: End| wiring::join(loose.end, end, &joints).is_ok();
    let snapped = wiring::nearest(local, wiring::SNAP, ports.iter().copied(), valid);
    let refusal = snapped
        .and_then(|end| wiring::join(loose.end, end, &joints).err())
        .map(|refusal| reason(surface, loose.end, &refusal));
    let to = match snapped {
        Some(end) => ports.iter().find(|(port, _)| *port == end).map_or(local, |(_, at)| *at),
        None => local,
    };
    surface.loose.set(Some(Loose { to: surface.world(to), snapped, refusal, ..loose }));
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
    match gesture {
        Gesture::Idle | Gesture::Follow => return,
        Gesture::Pan(_) => {}
        Gesture::Move(moving) => match (moving.press.dragging, moving.click) {
            (true, _) => surface.editor.commit_move(&moving.from, over.as_ref()),
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
                end_wire(surface, at(event), true);
            } else {
                // A click on a port: the edge follows the pointer to the next one.
                surface.gesture.set(Gesture::Follow);
            }
            return;
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

/// Lets the loose edge go at a place: on a port it joins, on a node it takes the best port, on empty canvas the small
/// search offers what fits.
fn end_wire(surface: Surface, window: Point, offer: bool) {
    aim(surface, window);
    let Some(loose) = surface.loose.get_untracked() else {
        surface.gesture.set(Gesture::Idle);
        return;
    };
    let local = surface.local(window);
    let world = surface.world(local);
    if let Some(end) = loose.snapped {
        if loose.refusal.is_none() {
            join(surface, loose.end, end);
        } else if let Some(refusal) = &loose.refusal {
            surface.say(refusal.clone());
        }
        finish(surface);
        return;
    }
    let over = surface
        .editor
        .nodes
        .with_untracked(|nodes| nodes.iter().find(|node| node.rect().contains(world)).cloned());
    if let Some(node) = over {
        end_wire_on(surface, &node);
        return;
    }
    if offer && surface.holds(window) {
        // The edge stays where it was let go until something is chosen.
        surface.gesture.set(Gesture::Idle);
        surface.quick_add.set(Some(QuickAdd { at: local, world, wire: Some(loose.end) }));
    } else {
        finish(surface);
    }
}

/// Lets the loose edge go on a node: its first port that may be joined.
fn end_wire_on(surface: Surface, node: &Arc<NodeView>) {
    if let (Some(loose), Some(rank)) = (surface.loose.get_untracked(), surface.editor.rank(&node.id)) {
        let joints = surface.editor.joints();
        let ends = node.shape().ports().map(|port| End { node: rank, port });
        let mut refusals = Vec::new();
        let good = ends.into_iter().find(|end| match wiring::join(loose.end, *end, &joints) {
            Ok(_) => true,
            Err(refusal) => {
                refusals.push(refusal);
                false
            }
        });
        match (good, refusals.first()) {
            (Some(end), _) => join(surface, loose.end, end),
            (None, Some(refusal)) => surface.say(reason(surface, loose.end, refusal)),
            (None, None) => {}
        }
    }
    finish(surface);
}

fn join(surface: Surface, a: End, b: End) {
    if let Ok(joint) = wiring::join(a, b, &surface.editor.joints()) {
        surface.editor.connect(joint);
    }
}

fn finish(surface: Surface) {
    surface.loose.set(None);
    surface.gesture.set(Gesture::Idle);
}

/// A double click on empty canvas opens the small search there; on a node it goes to its settings.
pub(super) fn double_click(surface: Surface, event: &MouseEvent) {
    use wasm_bindgen::JsCast;
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let on = |selector: &str| {
        target.as_ref().is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
    };
    if on(".node") {
        surface.editor.edit_field(None);
    } else if !on(".edge, .quick-add, .controls, .sheet") {
        let local = surface.local(at(event));
        surface.quick_add.set(Some(QuickAdd { at: local, world: surface.world(local), wire: None }));
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
        surface.view.update(|view| *view = view.panned(Point::new(-dy, 0.0)));
    } else {
        surface.view.update(|view| *view = view.panned(Point::new(-dx, -dy)));
    }
}
