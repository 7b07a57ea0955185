//! The steps of the preview in the order of the graph, each with what came in and what left.

use fairway_shared::api::preview::{PreviewCounts, PreviewState};
use fairway_shared::component::Kind;
use leptos::prelude::*;

use super::Trying;
use crate::i18n::{format, t};
use crate::icons::{Icon, component_icon, icon};
use crate::inspector::field::offers::Asked;
use crate::state::editor::use_editor;

/// The list.
#[component]
pub(super) fn Steps(trying: Trying) -> impl IntoView {
    let editor = use_editor();
    let order = move || {
        editor.nodes.track();
        editor.edges.track();
        editor.order()
    };
    view! {
        <ul class="steps" aria-label=t!("preview-steps")>
            <For each=order key=Clone::clone let:id>
                <Step trying id />
            </For>
        </ul>
    }
}

#[component]
fn Step(trying: Trying, id: String) -> impl IntoView {
    let editor = use_editor();
    let Some(node) = editor.node(&id) else { return ().into_any() };
    let came = {
        let id = id.clone();
        Memo::new(move |_| {
            trying.answer.with(|answer| match answer {
                Asked::Answer(answer) => answer.nodes.get(&id).map(|node| (node.state, node.counts)),
                _ => None,
            })
        })
    };
    let kind = node.kind;
    let family = editor.catalog().get(&node.component).map(|spec| spec.family.clone()).unwrap_or_default();
    let title = {
        let (title, id) = (node.title.clone(), id.clone());
        move || title.get().filter(|title| !title.is_empty()).unwrap_or_else(|| id.clone())
    };
    let (mine, pressed) = (id.clone(), id.clone());
    let figures = move || came.get().map(|(state, counts)| figures(kind, state, counts));
    view! {
        <li>
            <button
                type="button"
                class="step"
                data-step=id
                data-kind=crate::canvas::kind_word(kind)
                aria-current=move || (trying.step.with(|step| step.as_ref() == Some(&mine))).then_some("step")
                on:click=move |_| trying.choose(&pressed)
            >
                <span class="node-icon">{component_icon(&node.component, &family, kind)}</span>
                <bdi class="clip">{title}</bdi>
                <span class="step-figures num">{figures}</span>
            </button>
        </li>
    }
    .into_any()
}

fn figures(kind: Kind, state: PreviewState, counts: PreviewCounts) -> AnyView {
    let PreviewCounts { entered, out, filtered, errors } = counts;
    let flow = match (state, kind) {
        (PreviewState::NotReached, _) => {
            return view! { <span class="faint" title=t!("preview-not-reached")>"–"</span> }.into_any();
        }
        (PreviewState::Failed, _) => {
            return view! { <span class="bad" title=t!("preview-failed")>{icon(Icon::Error)}</span> }
                .into_any();
        }
        (PreviewState::Done, Kind::Source) => format::short(out),
        (PreviewState::Done, Kind::Sink) => format::short(entered),
        (PreviewState::Done, Kind::Transform) => {
            format!("{} → {}", format::short(entered), format::short(out))
        }
    };
    view! {
        <span data-flow="">{flow}</span>
        {(filtered > 0).then(|| view! { <span class="faint" title=t!("preview-filtered-count", count = filtered)>{format!("∅ {}", format::short(filtered))}</span> })}
        {(errors > 0).then(|| view! { <span class="bad" title=t!("preview-refused-count", count = errors)>{format!("× {}", format::short(errors))}</span> })}
    }
    .into_any()
}
