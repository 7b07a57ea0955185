//! Copy, cut, paste, duplicate: as text of the document's own form, so that it works across windows and in an editor.

use fairway_canvas::Point;
use fairway_shared::channel::Channel;
use fairway_shared::channel::text::{self, Document};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Element};

use super::Surface;
use crate::i18n::t;
use crate::state::{Toasts, use_toasts};

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
        put_text(surface, toasts, &text);
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

/// Pastes the nodes of a channel's document, or says why there are none.
fn put_text(surface: Surface, toasts: Toasts, text: &str) {
    let parsed = text::parse(text.as_bytes());
    let help = match parsed.document {
        Some(Document::Channel(part)) if !part.spec.nodes.is_empty() => return put(surface, &part, None),
        Some(Document::Channel(_)) => t!("paste-empty"),
        Some(other) => t!("paste-other-kind", kind = other.kind()),
        // What only looks like a document gets its first fault told; any other text is simply something else.
        None if text.trim_start().starts_with('{') => match parsed.diagnostics.first() {
            Some(fault) => t!("paste-faulty", fault = fault.message.as_str()),
            None => t!("paste-not-nodes-help"),
        },
        None => t!("paste-not-nodes-help"),
    };
    surface.say(t!("paste-not-nodes"));
    toasts.bad(t!("paste-not-nodes"), Some(help));
}

/// Copies or cuts without an event of the browser, as the command palette does it.
pub(super) fn copy(surface: Surface, cut: bool) {
    let Some(part) = surface.editor.selected_part() else { return };
    let written = window().navigator().clipboard().write_text(&text::to_text(&part));
    let (toasts, count) = (surface.editor.toasts(), part.spec.nodes.len());
    leptos::task::spawn_local(async move {
        if wasm_bindgen_futures::JsFuture::from(written).await.is_err() {
            toasts.bad(t!("clipboard-refused"), Some(t!("clipboard-refused-help")));
            return;
        }
        surface.say(t!("said-copied", count = count));
        if cut {
            surface.editor.remove_selected(false);
        }
    });
}

/// Pastes without an event of the browser.
pub(super) fn paste(surface: Surface) {
    let read = window().navigator().clipboard().read_text();
    let toasts = surface.editor.toasts();
    leptos::task::spawn_local(async move {
        match wasm_bindgen_futures::JsFuture::from(read).await {
            Ok(text) => put_text(surface, toasts, &text.as_string().unwrap_or_default()),
            Err(_) => toasts.bad(t!("clipboard-refused"), Some(t!("clipboard-refused-help"))),
        }
    });
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
