//! Edges: one SVG for all of them. Each has a thin line to see and a wide one to hit.

use std::sync::Arc;

use leptos::prelude::*;

use super::{pointer, use_surface};
use crate::i18n::format;
use crate::state::editor::{EdgeView, curve};
use fairway_canvas::Port;
use fairway_canvas::viewport::Detail;

/// All edges worth drawing.
#[component]
pub(super) fn EdgeLayer(edges: Memo<Vec<Arc<EdgeView>>>) -> impl IntoView {
    view! {
        <svg class="edges" width="1" height="1" aria-hidden="true">
            <For each=move || edges.get() key=|edge| Arc::as_ptr(edge) as usize let:edge>
                <Edge edge />
            </For>
        </svg>
    }
}

#[component]
fn Edge(edge: Arc<EdgeView>) -> impl IntoView {
    let surface = use_surface();
    let line = {
        let edge = edge.clone();
        Memo::new(move |_| edge.curve())
    };
    let path = Memo::new(move |_| line.get().path());
    let selected = {
        let selected = edge.selected.clone();
        move || selected.get()
    };
    // How full the queue behind it is: quiet to 60 %, amber to 85 %, red above.
    let fill = {
        let status = edge.status.clone();
        Memo::new(move |_| {
            status.with(|status| match status {
                None => "",
                Some(status) if status.fill > 0.85 => "full",
                Some(status) if status.fill > 0.6 => "filling",
                Some(status) if status.rate > 0.0 => "flowing",
                Some(_) => "idle",
            })
        })
    };
    let rate = {
        let status = edge.status.clone();
        Memo::new(move |_| status.with(|status| status.as_ref().map(|status| (status.rate * 10.0) as u64)))
    };
    let records = {
        let status = edge.status.clone();
        move || status.with(|status| status.as_ref().map(|status| status.records.to_string()))
    };
    let errors = edge.from_port == Port::Errors;
    let hook = edge.key.hook();
    let key = edge.key.clone();
    let mine = edge.key.clone();
    let splice = move || surface.over.with(|over| over.as_ref() == Some(&mine)).to_string();
    let label = move || {
        if surface.detail.get() != Detail::Full {
            return None;
        }
        let rate = rate.get().filter(|rate| *rate > 0)?;
        let middle = line.get().at(0.5);
        Some(view! {
            <text class="edge-rate num" x=middle.x y=middle.y - 7.0 text-anchor="middle">{format::rate(rate as f64 / 10.0)}</text>
        })
    };
    view! {
        <g class="edge" class:selected=selected class:errors=errors data-edge=hook data-fill=move || fill.get() data-records=records data-splice=splice>
            <path class="edge-hit" d=move || path.get() on:pointerdown=move |event| pointer::edge_down(surface, &key, &event) />
            <path class="edge-line" d=move || path.get() />
            {label}
        </g>
    }
}

/// The edge that follows the pointer.
#[component]
pub(super) fn LooseEdge() -> impl IntoView {
    let surface = use_surface();
    let line = move || {
        surface.loose.with(|loose| {
            loose.as_ref().map(|loose| {
                let line = match loose.port() {
                    Port::Input(_) => curve(Port::Output(0), loose.to, loose.from),
                    port => curve(port, loose.from, loose.to),
                };
                let tone = match (&loose.refusal, loose.snapped) {
                    (Some(_), _) => "bad",
                    (None, Some(_)) => "good",
                    (None, None) => "",
                };
                (line.path(), tone, loose.port() == Port::Errors)
            })
        })
    };
    move || {
        line().map(|(path, tone, errors)| {
            view! {
                <svg class="edges loose" width="1" height="1" aria-hidden="true">
                    <path class="edge-line" class:errors=errors data-tone=tone d=path />
                </svg>
            }
        })
    }
}
