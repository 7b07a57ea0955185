//! Words on the surface: why a joint is refused, what to do on an empty canvas.

use fairway_canvas::Port;
use fairway_canvas::wiring::{End, Refusal as Why};
use leptos::prelude::*;

use super::{Surface, use_surface};
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// Why two ends may not be joined, in one line.
pub(super) fn reason(surface: Surface, held: End, why: &Why) -> String {
    let name = |rank: usize| {
        surface.editor.nodes.with_untracked(|nodes| {
            nodes.get(rank).map(|node| surface.editor.name_of(node)).unwrap_or_default()
        })
    };
    match why {
        Why::SameNode => t!("refuse-same"),
        Why::TwoOutputs if matches!(held.port, Port::Errors) => t!("refuse-errors"),
        Why::TwoOutputs => t!("refuse-outputs"),
        Why::TwoInputs => t!("refuse-inputs"),
        Why::Joined => t!("refuse-joined"),
        Why::Cycle(way) => {
            let path: Vec<String> = way.iter().chain(way.first()).map(|rank| name(*rank)).collect();
            t!("refuse-cycle", path = path.join(" → "))
        }
    }
}

/// The reason beside the pointer.
#[component]
pub(super) fn Refusal() -> impl IntoView {
    let surface = use_surface();
    let refused = Memo::new(move |_| {
        surface.loose.with(|loose| {
            let loose = loose.as_ref()?;
            Some((loose.refusal.clone()?, loose.to))
        })
    });
    move || {
        refused.get().map(|(text, at)| {
            let at = surface.view.get().to_screen(at);
            view! {
                <div class="refusal" role="alert" data-testid="refusal" style:left=format!("{}px", at.x + 16.0) style:top=format!("{}px", at.y + 16.0)>
                    {icon(Icon::Error)}
                    {text}
                </div>
            }
        })
    }
}

/// What to do on an empty canvas.
#[component]
pub(super) fn EmptyHint() -> impl IntoView {
    let surface = use_surface();
    let empty = Memo::new(move |_| surface.editor.nodes.with(Vec::is_empty));
    let shown =
        move || empty.get() && surface.quick_add.with(Option::is_none) && surface.ghost.with(Option::is_none);
    move || {
        shown().then(|| {
            view! {
                <div class="canvas-empty">
                    <p class="lead">{t!("canvas-empty-title")}</p>
                    <ul>
                        <li><kbd>{"N"}</kbd> {t!("canvas-empty-add")}</li>
                        <li><kbd>{"?"}</kbd> {t!("canvas-empty-keys")}</li>
                    </ul>
                </div>
            }
        })
    }
}
