//! Copy, cut, paste, duplicate: as text of the document's own form, so that it works across windows and in an editor.

use fairway_canvas::Point;
use fairway_shared::channel::Channel;
use fairway_shared::channel::text::{self, Document};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Element};

use super::Surface;
use crate::i18n::t;
use crate::state::use_toasts;

/// Listens to the browser's own clipboard events, which need no permission.
pub(super) fn listen(surface: Surface) {
    let toasts = use_toasts();
    let copies =
        window_event_listener(leptos::ev::copy, move |event| write(surface, event.unchecked_ref(), false));
    let cuts =
        window_event_listener(leptos::ev::cut, move |event| write(surface, event.unchecked_ref(), true));
    let pastes = window_event_listener(leptos::ev::paste, move |event| {
        let event: &ClipboardEvent = event.unchecked_ref();
        if elsewhere(event) {
            return;
        }
        let text =
            event.clipboard_data().and_then(|data| data.get_data("text/plain").ok()).unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        event.prevent_default();
        match text::parse(text.as_bytes()).document {
            Some(Document::Channel(part)) => put(surface, &part, None),
            _ => toasts.bad(t!("paste-not-nodes"), Some(t!("paste-not-nodes-help"))),
        }
    });
    on_cleanup(move || {
        copies.remove();
        cuts.remove();
        pastes.remove();
    });
}

/// Whether the event belongs to a field or to text that is marked.
fn elsewhere(event: &ClipboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| matches!(target.closest("input, textarea, dialog"), Ok(Some(_))))
}

fn write(surface: Surface, event: &ClipboardEvent, cut: bool) {
    if elsewhere(event) {
        return;
    }
    let Some(part) = surface.editor.selected_part() else { return };
    let Some(data) = event.clipboard_data() else { return };
    if data.set_data("text/plain", &text::to_text(&part)).is_ok() {
        event.prevent_default();
        surface.say(t!("said-copied", count = part.spec.nodes.len()));
        if cut {
            surface.editor.remove_selected(false);
        }
    }
}

/// A copy of the selection one step beside it.
pub(super) fn duplicate(surface: Surface) {
    if let Some(part) = surface.editor.selected_part() {
        put(surface, &part, Some(Point::new(32.0, 32.0)));
    }
}

/// Puts nodes in: `beside` their own places, else so that their middle comes under the pointer.
fn put(surface: Surface, part: &Channel, beside: Option<Point>) {
    let rects: Vec<_> = part
        .spec
        .nodes
        .iter()
        .map(|node| {
            let spot = part.layout.nodes.get(&node.id).copied().unwrap_or_default();
            surface.editor.shape(&node.component).rect(Point::new(spot.x, spot.y))
        })
        .collect();
    let Some(around) = fairway_canvas::Rect::around(rects) else { return };
    let by = beside.unwrap_or_else(|| {
        let here = super::quick_add::QuickAdd::here(surface).world;
        fairway_canvas::drag::snapped(here - around.centre())
    });
    let added = surface.editor.paste(part, by);
    surface.say(t!("said-pasted", count = added));
}
