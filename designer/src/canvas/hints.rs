//! Words on the surface: why a joint is refused, what to do on an empty canvas, which keys there are.

use fairway_canvas::Port;
use fairway_canvas::wiring::{End, Refusal as Why};
use leptos::prelude::*;

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

/// All keys.
#[component]
pub(super) fn KeySheet() -> impl IntoView {
    let surface = use_surface();
    let command = if is_mac() { "⌘" } else { "Ctrl" };
    let groups = move || {
        vec![
            (
                t!("keys-draw"),
                vec![
                    (vec!["N"], t!("key-add")),
                    (vec!["C"], t!("key-join")),
                    (vec!["Delete"], t!("key-delete")),
                    (vec![command, "Delete"], t!("key-heal")),
                    (vec![command, "D"], t!("key-duplicate")),
                    (vec![command, "C"], t!("key-copy")),
                    (vec![command, "X"], t!("key-cut")),
                    (vec![command, "V"], t!("key-paste")),
                    (vec![command, "Z"], t!("key-undo")),
                    (vec![command, "Shift", "Z"], t!("key-redo")),
                ],
            ),
            (
                t!("keys-move"),
                vec![
                    (vec!["←", "→", "↑", "↓"], t!("key-nudge")),
                    (vec!["Shift", "←"], t!("key-nudge-far")),
                    (vec!["Alt", "→"], t!("key-walk")),
                    (vec![command, "A"], t!("key-all")),
                    (vec!["Enter"], t!("key-edit")),
                    (vec!["F2"], t!("key-rename")),
                    (vec!["E"], t!("key-edges")),
                    (vec!["Esc"], t!("key-escape")),
                ],
            ),
            (
                t!("keys-view"),
                vec![
                    (vec!["F"], t!("key-fit")),
                    (vec!["."], t!("key-fit-selection")),
                    (vec!["+"], t!("key-zoom-in")),
                    (vec!["−"], t!("key-zoom-out")),
                    (vec!["0"], t!("key-zoom-reset")),
                    (vec!["Space"], t!("key-pan")),
                    (vec!["Shift", "Alt", "T"], t!("key-tidy")),
                ],
            ),
            (
                t!("keys-run"),
                vec![
                    (vec![command, "S"], t!("key-save")),
                    (vec![command, "Shift", "D"], t!("key-deploy")),
                    (vec!["?"], t!("key-sheet")),
                ],
            ),
        ]
    };
    move || {
        surface.sheet.get().then(|| {
            let close = Callback::new(move |()| surface.sheet.set(false));
            let foot = view! { <button class="button" on:click=move |_| close.run(())>{t!("close")}</button> };
            let columns = groups().into_iter().map(|(title, keys)| {
                view! {
                    <section>
                        <h3>{title}</h3>
                        <dl>
                            {keys
                                .into_iter()
                                .map(|(keys, what)| {
                                    view! {
                                        <div>
                                            <dt>{what}</dt>
                                            <dd>{keys.into_iter().map(|key| view! { <kbd>{key}</kbd> }).collect_view()}</dd>
                                        </div>
                                    }
                                })
                                .collect_view()}
                        </dl>
                    </section>
                }
            });
            view! {
                <Dialog title=t!("keys-title") width="680px" testid="keys" on_close=close foot=foot.into_any()>
                    <div class="sheet">{columns.collect_view()}</div>
                </Dialog>
            }
        })
    }
}

fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac"))
}
