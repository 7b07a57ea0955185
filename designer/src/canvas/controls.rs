//! Zoom, fit, tidy and the small map at the corner of the surface.

use fairway_canvas::viewport::STEP;
use leptos::prelude::*;

use super::use_surface;
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// The controls.
#[component]
pub(super) fn Controls() -> impl IntoView {
    let surface = use_surface();
    let percent = Memo::new(move |_| surface.view.with(|view| (view.zoom * 100.0).round() as u32));
    let stop = |event: web_sys::PointerEvent| event.stop_propagation();
    let button = move |hook: &'static str, shape: Icon, text: String, act: fn(super::Surface)| {
        view! {
            <button class="icon-button" data-action=hook aria-label=text.clone() title=text on:click=move |_| act(surface)>
                {icon(shape)}
            </button>
        }
    };
    view! {
        <div class="controls" role="toolbar" aria-label=t!("zoom-controls") on:pointerdown=stop>
            {button("zoom-out", Icon::Minus, t!("zoom-out"), |surface| surface.zoom_by(1.0 / STEP))}
            <button class="zoom num" data-action="zoom-reset" title=t!("zoom-reset") on:click=move |_| surface.zoom_to(1.0)>
                {move || format!("{}%", percent.get())}
            </button>
            {button("zoom-in", Icon::Plus, t!("zoom-in"), |surface| surface.zoom_by(STEP))}
            <span class="rule-v"></span>
            {button("fit", Icon::Fit, t!("fit"), super::Surface::fit)}
            {button("tidy", Icon::Tidy, t!("tidy"), |surface| {
                surface.editor.tidy();
                surface.fit();
            })}
            <button
                class="icon-button"
                data-action="minimap"
                aria-label=t!("key-minimap")
                title=t!("minimap-key")
                aria-pressed=move || surface.map.get().to_string()
                on:click=move |_| surface.toggle_map()
            >
                {icon(Icon::Map)}
            </button>
            {button("note", Icon::Note, t!("key-note"), super::cards::add_in_view)}
            <span class="rule-v"></span>
            {button("commands", Icon::Search, t!("commands-key"), |surface| surface.asked.set(Some(super::commands::Asked::All)))}
            {button("keys", Icon::Keyboard, t!("keys-title"), |surface| surface.sheet.set(true))}
        </div>
    }
}
