//! Panning at the border: what is dragged near the edge of the surface brings what lies beyond it into view.

use fairway_canvas::Point;
use fairway_canvas::drag::{BORDER_WAIT, border_pan};
use leptos::prelude::*;

use super::gesture::Gesture;
use super::{Surface, pointer};

/// What is known of a pointer that drags something.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Border {
    /// The pointer, in window pixels.
    at: Point,
    /// Whether the grid is suspended.
    free: bool,
    /// When the pointer came near the border, in milliseconds of the page; none while it is elsewhere.
    since: Option<f64>,
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// The pointer is here and drags something.
pub(super) fn touch(surface: Surface, at: Point, free: bool) {
    let Some(border) = surface.border.try_update_value(|border| {
        (border.at, border.free) = (at, free);
        *border
    }) else {
        return;
    };
    if border.since.is_none() && by(surface, at) != Point::default() {
        surface.border.update_value(|border| border.since = Some(now()));
        request_animation_frame(move || step(surface));
    }
}

/// How far to pan in a frame. What comes from the palette must be on the surface first.
fn by(surface: Surface, at: Point) -> Point {
    let outside = surface.gesture.with_untracked(|gesture| matches!(gesture, Gesture::Palette(..)))
        && !surface.holds(at);
    if outside { Point::default() } else { border_pan(surface.local(at), surface.size.get_untracked()) }
}

fn step(surface: Surface) {
    // The page may have been left meanwhile.
    let Some(border) = surface.border.try_get_value() else { return };
    let pan = by(surface, border.at);
    let Some(since) =
        border.since.filter(|_| pan != Point::default() && surface.gesture.with_untracked(Gesture::drags))
    else {
        surface.border.update_value(|border| border.since = None);
        return;
    };
    if now() - since >= BORDER_WAIT {
        pointer::pan(surface, pan, border.at, border.free);
    }
    request_animation_frame(move || step(surface));
}
