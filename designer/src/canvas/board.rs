//! The surface's element and its layers: grid, edges, nodes, marquee, loose edge.

use fairway_canvas::Size;
use fairway_canvas::drag::GRID;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

use super::cards::Cards;
use super::commands::Commands;
use super::compared::Gone;
use super::controls::Controls;
use super::edges::{EdgeLayer, LooseEdge, Strokes};
use super::gesture::Gesture;
use super::hints::{EmptyHint, Refusal};
use super::minimap::Map;
use super::node::{Node, detail_word};
use super::quick_add::QuickAddBox;
use super::sheet::KeySheet;
use super::{address, drawing, keys, pointer, use_surface};
use crate::i18n::t;

/// The surface.
#[component]
pub(crate) fn Board() -> impl IntoView {
    let surface = use_surface();
    let nodes = drawing::nodes(surface);
    let edges = drawing::edges(surface);
    watch_size(surface);
    pointer::listen(surface);
    keys::listen(surface);
    address::follow(surface);

    // Nothing but these follows a pan or a zoom. The grid moves by at most one tile, so that it is not painted anew.
    let transform = move || surface.view.with(|view| view.css());
    let tile = Memo::new(move |_| surface.view.with(|view| view.zoom) * GRID);
    let grid_size = move || format!("{0}px {0}px", tile.get());
    let grid_place = move || {
        surface.view.with(|view| {
            let tile = view.zoom * GRID;
            format!(
                "translate({:.1}px,{:.1}px)",
                view.offset.x.rem_euclid(tile),
                view.offset.y.rem_euclid(tile)
            )
        })
    };
    let grid_hidden = Memo::new(move |_| surface.view.with(|view| view.zoom < 0.5));
    let detail = move || detail_word(surface.detail.get());
    let moving = while_moving(surface);
    let cursor = move || {
        surface.gesture.with(|gesture| match gesture {
            Gesture::Pan(_) => "grabbing",
            Gesture::Wire(_) | Gesture::Follow | Gesture::Retarget(..) => "crosshair",
            Gesture::Idle if surface.space.get() => "grab",
            _ => "",
        })
    };
    // Which ports could take the loose end: they are shown by a short pulse.
    let wiring = Memo::new(move |_| {
        surface
            .loose
            .with(|loose| loose.as_ref().map(|loose| if loose.port().is_input() { "out" } else { "in" }))
    });
    let tab_stop = move || if surface.editor.nodes.with(Vec::is_empty) { "0" } else { "-1" };
    let marquee = move || {
        surface.marquee.get().map(|area| {
            let view = surface.view.get();
            let corner = view.to_screen(fairway_canvas::Point::new(area.x, area.y));
            view! {
                <div
                    class="marquee"
                    style:left=format!("{}px", corner.x)
                    style:top=format!("{}px", corner.y)
                    style:width=format!("{}px", area.w * view.zoom)
                    style:height=format!("{}px", area.h * view.zoom)
                ></div>
            }
        })
    };
    view! {
        <div
            node_ref=surface.element
            class="board"
            data-wanted=move || wiring.get()
            data-detail=detail
            id="canvas"
            data-testid="canvas"
            role="application"
            aria-label=t!("canvas-label")
            aria-roledescription=t!("canvas-role")
            tabindex=tab_stop
            style:cursor=cursor
            on:pointerdown=move |event| pointer::down(surface, &event)
            on:dblclick=move |event| pointer::double_click(surface, &event)
            on:wheel=move |event| pointer::wheel(surface, &event)
            on:contextmenu=move |event: web_sys::MouseEvent| event.prevent_default()
        >
            <div class="grid" class:moving=move || moving.get() hidden=move || grid_hidden.get() style:background-size=grid_size style:transform=grid_place></div>
            <div class="world" class:moving=move || moving.get() style:transform=transform>
                <Cards />
                <Gone />
                <EdgeLayer edges />
                <For each=move || nodes.get() key=|node| std::sync::Arc::as_ptr(node) as usize let:node>
                    <Node node />
                </For>
                <LooseEdge />
                <Strokes />
            </div>
            {marquee}
            <Refusal />
            <EmptyHint />
            <Controls />
            <Map moving />
            <QuickAddBox />
            <p class="hidden-text" role="status" aria-live="polite" data-testid="said">{move || surface.said.get()}</p>
        </div>
        <KeySheet />
        <Commands />
    }
}

/// True while the view moves and for a moment after: only then is the world a layer of its own, which pans without
/// painting, but would blur what is zoomed.
fn while_moving(surface: super::Surface) -> RwSignal<bool> {
    let moving = RwSignal::new(false);
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    Effect::watch(
        move || surface.view.get(),
        move |_, _, _| {
            if !moving.get_untracked() {
                moving.set(true);
            }
            if let Some(waiting) = waiting.try_update_value(Option::take).flatten() {
                waiting.clear();
            }
            let still = move || {
                // The page may have been left meanwhile.
                let _left = moving.try_set(false);
            };
            waiting.set_value(set_timeout_with_handle(still, std::time::Duration::from_millis(160)).ok());
        },
        false,
    );
    moving
}

/// Who came from another page has lost the focus with it: the canvas takes it, so that keys and Tab go on from here.
fn take_focus(surface: super::Surface) {
    let lost = document().active_element().is_none_or(|active| active.tag_name() == "BODY");
    if surface.router.moved()
        && lost
        && let Some(element) = surface.element.get_untracked()
        && element.focus().is_err()
    {
        leptos::logging::warn!("the canvas did not take the focus");
    }
}

/// Follows the size of the element. The first size fits the channel into the view.
fn watch_size(surface: super::Surface) {
    let fitted = StoredValue::new(false);
    let seen = Closure::<dyn FnMut()>::new(move || {
        let Some(element) = surface.element.get_untracked() else { return };
        let size = Size::new(f64::from(element.client_width()), f64::from(element.client_height()));
        if size.w > 0.0 && size.h > 0.0 {
            surface.size.set(size);
            if !fitted.get_value() {
                fitted.set_value(true);
                surface.fit();
                address::arrive(surface);
                take_focus(surface);
            }
        }
    });
    let Ok(observer) = web_sys::ResizeObserver::new(seen.as_ref().unchecked_ref()) else { return };
    let observer = StoredValue::new_local((observer, seen));
    Effect::new(move || {
        if let Some(element) = surface.element.get() {
            observer.with_value(|(observer, _)| observer.observe(&element));
        }
    });
    on_cleanup(move || observer.with_value(|(observer, _)| observer.disconnect()));
}
