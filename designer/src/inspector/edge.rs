//! An edge: its ends, what passes, delete.

use leptos::prelude::*;

use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::state::editor::{EdgeKey, use_editor};

/// The panel of an edge.
#[component]
pub(super) fn EdgeForm(key: EdgeKey) -> impl IntoView {
    let editor = use_editor();
    let found = editor.edges.with_untracked(|edges| edges.iter().find(|edge| edge.key == key).cloned());
    let Some(edge) = found else { return ().into_any() };
    let end = move |node: &crate::state::editor::NodeView, port: String, label: String| {
        let id = node.id.clone();
        view! {
            <div class="edge-end">
                <span class="label">{label}</span>
                <button class="link" on:click=move |_| editor.select_node(&id)>{editor.name_of(node)}</button>
                <span class="faint mono">{port}</span>
            </div>
        }
    };
    let status = edge.status.clone();
    let figures = move || {
        status.get().map(|status| {
            view! {
                <dl class="facts num">
                    <div><dt>{t!("edge-records")}</dt><dd>{format::count(status.records)}</dd></div>
                    <div><dt>{t!("edge-rate")}</dt><dd>{t!("rate", rate = format::rate(status.rate))}</dd></div>
                    <div><dt>{t!("edge-fill")}</dt><dd>{format!("{:.0}%", status.fill * 100.0)}</dd></div>
                </dl>
            }
        })
    };
    let errors = edge.from_port == fairway_canvas::Port::Errors;
    view! {
        <header class="inspector-head">
            <span class="node-icon">{icon(Icon::Link)}</span>
            <div class="grow"><h2>{if errors { t!("edge-errors-title") } else { t!("edge-title") }}</h2></div>
            <button class="icon-button small danger" data-action="delete-edge" aria-label=t!("delete-edge") title=t!("delete-edge") on:click=move |_| editor.remove_selected(false)>
                {icon(Icon::Trash)}
            </button>
        </header>
        <div class="inspector-body">
            {end(&edge.from, edge.from.port_name(edge.from_port), t!("edge-from"))}
            {end(&edge.to, edge.to.port_name(edge.to_port), t!("edge-to"))}
            {errors.then(|| view! { <p class="muted">{t!("edge-errors-text")}</p> })}
            {figures}
        </div>
    }
    .into_any()
}
