//! The guided first channel: what to do next, ticked off as it is done, in a strip above the canvas. It can be left at any time
//! and begun again from the command palette.

use fairway_shared::component::Kind;
use leptos::prelude::*;

use crate::canvas::use_surface;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::state::editor::use_editor;

/// The strip, while the guide is on.
#[component]
pub(super) fn Guide() -> impl IntoView {
    let surface = use_surface();
    move || surface.guide.get().then(|| view! { <Steps /> })
}

#[component]
fn Steps() -> impl IntoView {
    let editor = use_editor();
    let surface = use_surface();
    let of = move |kind: Kind| {
        editor.nodes.with(|nodes| nodes.iter().filter(|node| node.kind == kind).cloned().collect::<Vec<_>>())
    };
    // What is wrong with a setting; that nothing leads on yet is a later step's business.
    let sound = move |kind: Kind| {
        let nodes = of(kind);
        let faulty = |node: &str| {
            editor.problems.with(|problems| {
                problems.iter().any(|problem| {
                    problem.is_error()
                        && problem.place.field.is_some()
                        && problem.place.node.as_deref() == Some(node)
                })
            })
        };
        !nodes.is_empty() && !nodes.iter().any(|node| faulty(&node.id))
    };
    let source = Memo::new(move |_| !of(Kind::Source).is_empty());
    let set = Memo::new(move |_| sound(Kind::Source));
    let joined = Memo::new(move |_| {
        editor.edges.track();
        of(Kind::Sink).iter().any(|node| node.degrees.get().0 > 0)
    });
    let complete = Memo::new(move |_| {
        joined.get()
            && sound(Kind::Sink)
            && editor
                .problems
                .with(|problems| !problems.iter().any(fairway_shared::diagnostic::Diagnostic::is_error))
    });
    let seen = RwSignal::new(false);
    Effect::new(move || {
        if editor.panel.with(|panel| panel.as_deref() == Some("preview")) && !seen.get_untracked() {
            seen.set(true);
        }
    });
    let deployed = Memo::new(move |_| editor.deployed.get().is_some());
    let steps: [(Signal<bool>, String, String); 6] = [
        (source.into(), t!("guide-source"), t!("guide-source-help")),
        (set.into(), t!("guide-set"), t!("guide-set-help")),
        (joined.into(), t!("guide-target"), t!("guide-target-help")),
        (complete.into(), t!("guide-complete"), t!("guide-complete-help")),
        (seen.into(), t!("guide-preview"), t!("guide-preview-help")),
        (deployed.into(), t!("guide-deploy"), t!("guide-deploy-help")),
    ];
    let now = {
        let done = steps.clone().map(|(done, ..)| done);
        Memo::new(move |_| done.iter().position(|done| !done.get()))
    };
    let helps: Vec<String> = steps.iter().map(|(_, _, help)| help.clone()).collect();
    let said = move || now.get().map_or_else(|| t!("guide-done"), |at| helps[at].clone());
    let list = steps
        .into_iter()
        .enumerate()
        .map(|(at, (done, name, _))| {
            view! {
                <li data-step=at.to_string() data-done=move || done.get().to_string() aria-current=move || (now.get() == Some(at)).then_some("step")>
                    {move || if done.get() { icon(Icon::Check).into_any() } else { view! { <i class="num" aria-hidden="true">{at + 1}</i> }.into_any() }}
                    <span>{name}</span>
                    <span class="hidden-text">{move || if done.get() { t!("guide-step-done") } else { t!("guide-step-open") }}</span>
                </li>
            }
        })
        .collect_view();
    view! {
        <section class="guide-strip" data-testid="guide" aria-label=t!("guide")>
            <ol>{list}</ol>
            <p role="status">{said}</p>
            <button type="button" class="button small quiet" data-action="leave-guide" on:click=move |_| surface.guide_off()>
                {move || if now.get().is_none() { t!("guide-close") } else { t!("guide-skip") }}
            </button>
        </section>
    }
}
