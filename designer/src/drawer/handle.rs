//! The drawer's upper edge: drag it, or move it by the arrow keys, to give the drawer more room. The height is kept.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, PointerEvent};

use crate::i18n::t;
use crate::state::store::{Keep, read, write};

const KEY: &str = "fairway.drawer.height";
/// Least height, in CSS pixels.
const LEAST: f64 = 150.0;
/// Room that is left to what is above, in CSS pixels.
const ABOVE: f64 = 160.0;
/// Height that a press of an arrow key adds or takes away, in CSS pixels.
const STEP: f64 = 32.0;

/// The height that was chosen, in CSS pixels; without a choice the style sheet's holds.
pub(super) fn kept() -> RwSignal<Option<f64>> {
    RwSignal::new(read(Keep::Always, KEY).and_then(|kept| kept.parse().ok()).map(within))
}

fn within(height: f64) -> f64 {
    let most = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(800.0) - ABOVE;
    height.clamp(LEAST, most.max(LEAST))
}

fn choose(height: RwSignal<Option<f64>>, wanted: f64) {
    let wanted = within(wanted);
    height.set(Some(wanted));
    if !write(Keep::Always, KEY, &wanted.to_string()) {
        leptos::logging::warn!("the drawer's height is not kept");
    }
}

/// The edge.
#[component]
pub(super) fn Handle(height: RwSignal<Option<f64>>) -> impl IntoView {
    let element = NodeRef::<leptos::html::Div>::new();
    let dragging = RwSignal::new(false);
    let drawer = move || element.get_untracked()?.parent_element();
    let now = move || drawer().map(|drawer| drawer.get_bounding_client_rect().height()).unwrap_or(LEAST);
    let press = move |event: PointerEvent| {
        event.prevent_default();
        let held = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if held.is_some_and(|held| held.set_pointer_capture(event.pointer_id()).is_ok()) {
            dragging.set(true);
        }
    };
    let drag = move |event: PointerEvent| {
        if dragging.get_untracked()
            && let Some(drawer) = drawer()
        {
            choose(height, drawer.get_bounding_client_rect().bottom() - f64::from(event.client_y()));
        }
    };
    let keys = move |event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowUp" => STEP,
            "ArrowDown" => -STEP,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        choose(height, now() + by);
    };
    view! {
        <div
            node_ref=element
            class="drawer-handle"
            class:held=move || dragging.get()
            role="separator"
            aria-orientation="horizontal"
            aria-label=t!("drawer-height")
            aria-valuemin=LEAST.to_string()
            aria-valuenow=move || height.get().map(|height| height.round().to_string()).unwrap_or_else(|| "280".to_owned())
            tabindex="0"
            data-testid="drawer-handle"
            on:pointerdown=press
            on:pointermove=drag
            on:pointerup=move |_| dragging.set(false)
            on:pointercancel=move |_| dragging.set(false)
            on:dblclick=move |_| choose(height, window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(800.0) / 2.0)
            on:keydown=keys
        ></div>
    }
}
