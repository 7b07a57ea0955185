//! Words on the surface: why a joint is refused, what to do on an empty canvas, which keys there are.

use fairway_canvas::Port;
use fairway_canvas::wiring::{End, Refusal as Why};
use leptos::prelude::*;

use super::actions::{ACTIONS, Group, shown};
use super::{Surface, use_surface};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Dialog;

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

/// Keys that no action of the table has, because what they do depends on where the focus is.
fn moves(group: Group) -> Vec<(&'static [&'static str], String)> {
    match group {
        Group::Draw | Group::Channel => Vec::new(),
        Group::Select => vec![
            (&["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], t!("key-nudge")),
            (&["Shift", "ArrowLeft"], t!("key-nudge-far")),
            (&["Alt", "ArrowRight"], t!("key-walk")),
            (&["Tab"], t!("key-next")),
            (&["Space"], t!("key-select")),
            (&["Enter"], t!("key-edit")),
            (&["Escape"], t!("key-escape")),
        ],
        Group::View => vec![(&["Space"], t!("key-pan"))],
    }
}

/// What a key does.
fn row(keys: Vec<String>, what: String) -> impl IntoView {
    view! {
        <div>
            <dt>{what}</dt>
            <dd>{keys.into_iter().map(|key| view! { <kbd>{key}</kbd> }).collect_view()}</dd>
        </div>
    }
}

/// All keys: those of the table of actions, and those that move about.
#[component]
pub(super) fn KeySheet() -> impl IntoView {
    let surface = use_surface();
    move || {
        surface.sheet.get().then(|| {
            let close = Callback::new(move |()| surface.sheet.set(false));
            let foot = view! { <button class="button" on:click=move |_| close.run(())>{t!("close")}</button> };
            view! {
                <Dialog title=t!("keys-title") width="720px" testid="keys" on_close=close foot=foot.into_any()>
                    <KeyTable />
                </Dialog>
            }
        })
    }
}

/// All keys by what they are about.
#[component]
pub(crate) fn KeyTable() -> impl IntoView {
    let columns = Group::ALL.into_iter().map(|group| {
        let actions = ACTIONS.iter().filter(|action| action.group == group);
        let actions = actions.filter_map(|action| Some(row(shown(action.keys.first()?), (action.text)())));
        let moves = moves(group)
            .into_iter()
            .map(|(keys, what)| row(keys.iter().flat_map(|key| shown(key)).collect(), what));
        view! {
            <section>
                <h3>{group.title()}</h3>
                <dl>{actions.collect_view()} {moves.collect_view()}</dl>
            </section>
        }
    });
    view! { <div class="sheet">{columns.collect_view()}</div> }
}
