//! What is drawn of nodes and edges, and how much of each node. Many things that come into view at once, and many nodes that
//! change their detail, are spread over frames, so that a fast zoom never waits for them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use fairway_canvas::viewport::Detail;
use fairway_canvas::{Rect, cull};
use leptos::prelude::*;

use super::Surface;
use crate::state::editor::{EdgeView, NodeView};

/// How long the zoom rests before nodes change their detail.
const REST: Duration = Duration::from_millis(120);
/// Milliseconds of a frame that may be spent on it.
const SHARE: f64 = 4.0;
/// Edges that may come into view in one frame.
const EDGES: usize = 80;

/// The part of the world that is drawn.
fn part(surface: Surface) -> Memo<Rect> {
    Memo::new(move |_| cull::window(surface.view.get(), surface.size.get()))
}

/// Nodes that are drawn.
pub(super) fn nodes(surface: Surface) -> RwSignal<Vec<Arc<NodeView>>> {
    let part = part(surface);
    let wanted = Memo::new_with_compare(
        move |_| {
            surface.editor.moved.track();
            let part = part.get();
            surface.editor.nodes.with(|nodes| {
                nodes.iter().filter(|node| part.touches(node.rect())).cloned().collect::<Vec<_>>()
            })
        },
        |old, new| !same(old, new),
    );
    let detail = move || surface.view.with_untracked(|view| view.detail());
    let room = move || match detail() {
        Detail::Full => 16,
        Detail::Title => 40,
        Detail::Plate => 120,
    };
    let begin = move |node: &NodeView| {
        if node.detail.get_untracked() != detail() {
            node.detail.set(detail());
        }
    };
    let drawn = gradually(wanted, room, begin);
    follow_zoom(surface, drawn);
    drawn
}

/// Edges that are drawn.
pub(super) fn edges(surface: Surface) -> RwSignal<Vec<Arc<EdgeView>>> {
    let part = part(surface);
    let wanted = Memo::new_with_compare(
        move |_| {
            surface.editor.moved.track();
            let part = part.get();
            surface.editor.edges.with(|edges| {
                let near = |edge: &&Arc<EdgeView>| part.touches(edge.curve_untracked().bounds());
                edges.iter().filter(near).cloned().collect::<Vec<_>>()
            })
        },
        |old, new| !same(old, new),
    );
    gradually(wanted, || EDGES, |_| {})
}

/// What is wanted, growing by no more than `room` a frame once there is something; `begin` sees each thing before it is
/// drawn.
fn gradually<T: Send + Sync + 'static>(
    wanted: Memo<Vec<Arc<T>>>,
    room: impl Fn() -> usize + Copy + 'static,
    begin: impl Fn(&T) + Copy + 'static,
) -> RwSignal<Vec<Arc<T>>> {
    let drawn = RwSignal::new(Vec::new());
    let busy = StoredValue::new(false);
    Effect::new(move || {
        wanted.track();
        if !busy.get_value() {
            grow(wanted, drawn, busy, room, begin);
        }
    });
    drawn
}

fn grow<T: Send + Sync + 'static>(
    wanted: Memo<Vec<Arc<T>>>,
    drawn: RwSignal<Vec<Arc<T>>>,
    busy: StoredValue<bool>,
    room: impl Fn() -> usize + Copy + 'static,
    begin: impl Fn(&T) + Copy + 'static,
) {
    // The page may have been left meanwhile.
    let Some(all) = wanted.try_get_untracked() else { return };
    let known: HashSet<*const T> = drawn.with_untracked(|drawn| drawn.iter().map(Arc::as_ptr).collect());
    let mut left = if known.is_empty() { usize::MAX } else { room() };
    let mut more = false;
    let next: Vec<Arc<T>> = all
        .into_iter()
        .filter(|thing| {
            if known.contains(&Arc::as_ptr(thing)) {
                return true;
            }
            let fits = left > 0;
            more |= !fits;
            if fits {
                left -= 1;
                begin(thing);
            }
            fits
        })
        .collect();
    busy.set_value(more);
    if drawn.with_untracked(|drawn| !same(Some(drawn), Some(&next))) {
        drawn.set(next);
    }
    if more {
        request_animation_frame(move || grow(wanted, drawn, busy, room, begin));
    }
}

/// Once the zoom rests on another detail, the nodes that are drawn take it on, as many a frame as there is time for.
fn follow_zoom(surface: Surface, drawn: RwSignal<Vec<Arc<NodeView>>>) {
    let target = Memo::new(move |_| surface.view.with(|view| view.detail()));
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    Effect::new(move || {
        target.track();
        if let Some(waiting) = waiting.try_update_value(Option::take).flatten() {
            waiting.clear();
        }
        let rests = move || {
            let Some(detail) = target.try_get_untracked() else { return };
            if surface.detail.get_untracked() != detail {
                surface.detail.set(detail);
            }
            take_on(surface, drawn);
        };
        waiting.set_value(set_timeout_with_handle(rests, REST).ok());
    });
}

fn take_on(surface: Surface, drawn: RwSignal<Vec<Arc<NodeView>>>) {
    let (Some(nodes), Some(clock)) = (drawn.try_get_untracked(), window().performance()) else { return };
    let detail = surface.detail.get_untracked();
    let began = clock.now();
    for node in nodes.iter().filter(|node| node.detail.get_untracked() != detail) {
        if clock.now() - began > SHARE {
            request_animation_frame(move || take_on(surface, drawn));
            return;
        }
        node.detail.set(detail);
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
