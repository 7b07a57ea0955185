//! Edges: one SVG for all of them. Each has a thin line to see and a wide one to hit; while the channel runs, its rate, the
//! line of its last rates, and how full it is.

use std::sync::Arc;

use fairway_canvas::curve::Tip;
use fairway_canvas::spark::Trail;
use fairway_canvas::{Point, Port};
use leptos::prelude::*;

use super::quick_add::QuickAdd;
use super::{pointer, use_surface};
use crate::drawer::Drift;
use crate::i18n::{format, t};
use crate::state::editor::{EdgeView, curve};

/// Screen pixels of the line of an edge's last rates.
const SPARK: (f64, f64) = (64.0, 16.0);
/// World units between a port and the handle of an end.
const HANDLE: f64 = 24.0;

/// How full the queue behind an edge is: quiet to 60 %, amber to 85 %, red above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fill {
    Idle,
    Flowing,
    Filling,
    Full,
}

impl Fill {
    fn of(fill: f64, rate: f64) -> Self {
        match (fill, rate) {
            (fill, _) if fill > 0.85 => Self::Full,
            (fill, _) if fill > 0.6 => Self::Filling,
            (_, rate) if rate > 0.0 => Self::Flowing,
            _ => Self::Idle,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Flowing => "flowing",
            Self::Filling => "filling",
            Self::Full => "full",
        }
    }

    /// A sign of its own for what needs somebody, so that colour is not all.
    fn sign(self) -> Option<&'static str> {
        match self {
            Self::Idle | Self::Flowing => None,
            Self::Filling => Some("▲"),
            Self::Full => Some("■"),
        }
    }
}

/// All edges worth drawing.
#[component]
pub(super) fn EdgeLayer(edges: RwSignal<Vec<Arc<EdgeView>>>) -> impl IntoView {
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
    let fill = {
        let status = edge.status.clone();
        Memo::new(move |_| {
            status.with(|status| status.as_ref().map(|status| Fill::of(status.fill, status.rate)))
        })
    };
    let records = {
        let status = edge.status.clone();
        move || status.with(|status| status.as_ref().map(|status| status.records.to_string()))
    };
    let errors = edge.from_port == Port::Errors;
    let compared = {
        let key = edge.key.clone();
        move || super::compared::is_new(surface, &key).then_some("added")
    };
    let hook = edge.key.hook();
    let key = edge.key.clone();
    let (spliced, lifted) = (edge.key.clone(), edge.key.clone());
    let splice = move || surface.over.with(|over| over.as_ref() == Some(&spliced)).to_string();
    let lifted = move || surface.lifted.with(|edge| edge.as_ref() == Some(&lifted));
    let live = {
        let edge = edge.clone();
        move || fill.with(Option::is_some).then(|| view! { <Figures edge=edge.clone() fill /> })
    };
    // Where it begins, beside the port: the middle has the figures.
    let drifted = {
        let drift = edge.drift.clone();
        move || {
            let said: Vec<String> = drift.with(|drift| drift.iter().map(Drift::said).collect());
            (!said.is_empty()).then(|| {
                let at = line.get().handle(Tip::From, HANDLE);
                view! {
                    <g class="edge-drift" data-drift=said.len().to_string() transform=format!("translate({:.1} {:.1})", at.x + 6.0, at.y - 12.0)>
                        <title>{format!("{} {}", t!("drift-edge"), said.join(" · "))}</title>
                        <path d="M0 -7L7 6H-7Z" />
                        <path class="sign" d="M0 -2.5V1.5M0 3.4V3.6" />
                    </g>
                }
            })
        }
    };
    // Below the middle, so that a press on the middle still takes the edge.
    let below = move || {
        let at = line.get().at(0.5);
        format!("translate({:.1} {:.1})", at.x, at.y + 20.0)
    };
    let add = {
        let key = edge.key.clone();
        move |event: web_sys::PointerEvent| {
            event.stop_propagation();
            event.prevent_default();
            QuickAdd::into_edge(surface, &key);
        }
    };
    let handles = {
        let selected = edge.selected.clone();
        move || {
            let line = line.get();
            selected.get().then(|| {
                [Tip::From, Tip::To]
                    .map(|tip| {
                        let at = line.handle(tip, HANDLE);
                        view! { <circle class="edge-handle" cx=at.x cy=at.y r="4.5" /> }
                    })
                    .into_iter()
                    .collect_view()
            })
        }
    };
    view! {
        <g
            class="edge"
            class:selected=selected
            class:errors=errors
            class:lifted=lifted
            data-edge=hook
            data-fill=move || fill.get().map(Fill::word)
            data-diff=compared
            data-records=records
            data-splice=splice
        >
            <path class="edge-hit" d=move || path.get() on:pointerdown=move |event| pointer::edge_down(surface, &key, &event) />
            <path class="edge-line" d=move || path.get() />
            {handles}
            {drifted}
            {live}
            <g class="edge-plus" data-action="edge-add" transform=below on:pointerdown=add>
                <title>{t!("edge-add")}</title>
                <path class="bridge" d="M-9 -12H9V12H-9Z" />
                <circle r="9" />
                <path class="sign" d="M-4.5 0H4.5M0 -4.5V4.5" />
            </g>
        </g>
    }
}

/// What passes an edge: the rate over its middle, its last rates and its fill below.
#[component]
fn Figures(edge: Arc<EdgeView>, fill: Memo<Option<Fill>>) -> impl IntoView {
    // In tenths, so that nothing is drawn anew for what nobody sees.
    let rate = {
        let status = edge.status.clone();
        Memo::new(move |_| {
            status.with(|status| status.as_ref().map_or(0, |status| (status.rate * 10.0).round() as u64))
        })
    };
    let percent = {
        let status = edge.status.clone();
        Memo::new(move |_| {
            status.with(|status| status.as_ref().map_or(0, |status| (status.fill * 100.0).round() as u64))
        })
    };
    let spark = {
        let trail = edge.trail.clone();
        move || {
            trail.with(|trail| {
                (trail.is_line() && !trail.is_still()).then(|| Trail::path(trail, SPARK.0, SPARK.1))
            })
        }
    };
    let middle = {
        let edge = edge.clone();
        move || {
            let at = edge.curve().at(0.5);
            format!("translate({:.1} {:.1})", at.x, at.y)
        }
    };
    let shown = move || {
        (rate.get() > 0).then(|| {
            let text = t!("rate", rate = format::rate(rate.get() as f64 / 10.0));
            view! { <text class="edge-rate num" y="-8" text-anchor="middle">{text}</text> }
        })
    };
    // A line of what has long passed says nothing.
    let line = move || {
        spark().filter(|_| fill.get() != Some(Fill::Idle)).map(|path| {
            view! { <path class="edge-spark" transform=format!("translate({} 7)", -SPARK.0 / 2.0) d=path /> }
        })
    };
    let warning = move || {
        let fill = fill.get()?;
        let sign = fill.sign()?;
        let text = format!("{sign} {}", t!("edge-full", percent = percent.get()));
        Some(
            view! { <text class="edge-fill num" data-fill=fill.word() y="38" text-anchor="middle">{text}</text> },
        )
    };
    view! { <g class="edge-live" transform=middle>{shown} {line} {warning}</g> }
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

/// Lines that are there only while something is dragged: guides to neighbours, and the stroke that cuts edges.
#[component]
pub(super) fn Strokes() -> impl IntoView {
    let surface = use_surface();
    let line = |class: &'static str, from: Point, to: Point| {
        let path = format!("M{:.1} {:.1}L{:.1} {:.1}", from.x, from.y, to.x, to.y);
        view! { <path class=class d=path /> }
    };
    let guides = move || {
        surface.guides.get().into_iter().map(|guide| line("guide", guide.from, guide.to)).collect_view()
    };
    let stroke = move || surface.stroke.get().map(|(from, to)| line("slice", from, to));
    view! { <svg class="edges" width="1" height="1" aria-hidden="true">{guides} {stroke}</svg> }
}

#[cfg(test)]
mod tests {
    use super::Fill;

    #[test]
    fn thresholds_are_sixty_and_eighty_five_percent() {
        let words = [(0.0, 0.0), (0.6, 3.0), (0.61, 3.0), (0.85, 0.0), (0.86, 0.0)]
            .map(|(fill, rate)| Fill::of(fill, rate).word());
        assert_eq!(words, ["idle", "flowing", "filling", "filling", "full"]);
    }
}
