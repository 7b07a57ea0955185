//! An edge: its ends, what passes and with which fields, a look at records that pass, delete.

use leptos::prelude::*;

use super::tap::EdgeTap;
use crate::drawer::{Drift, Trying};
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::state::editor::{EdgeKey, use_editor};

/// Box of the line of an edge's last rates; it is drawn as wide as the panel.
const SPARK: (f64, f64) = (300.0, 56.0);

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
    let trail = edge.trail.clone();
    // The same line as on the canvas, large enough to be read.
    let rates = move || {
        let (path, most) = trail.with(|trail| {
            (trail.is_line() && !trail.is_still()).then(|| (trail.path(SPARK.0, SPARK.1), trail.most()))
        })?;
        let most = t!("edge-most", rate = format::rate(most));
        Some(view! {
            <figure class="rates" data-testid="edge-rates">
                <svg viewBox=format!("0 -2 {} {}", SPARK.0, SPARK.1 + 4.0) preserveAspectRatio="none" role="img" aria-label=most.clone()>
                    <path d=path vector-effect="non-scaling-stroke" />
                </svg>
                <figcaption class="faint num">{most}</figcaption>
            </figure>
        })
    };
    let drift = edge.drift.clone();
    let drifted = move || {
        let said: Vec<String> = drift.with(|drift| drift.iter().map(Drift::said).collect());
        (!said.is_empty()).then(|| view! {
            <div class="note edge-drifted" data-tone="warn" data-testid="edge-drifted">
                {icon(Icon::Warning)}
                <div><p>{t!("drift-edge")}</p><ul>{said.into_iter().map(|said| view! { <li>{said}</li> }).collect_view()}</ul></div>
            </div>
        })
    };
    let deployed = {
        let status = edge.status.clone();
        Memo::new(move |_| status.with(Option::is_some))
    };
    let tapped = edge.key.clone();
    let errors = edge.from_port == fairway_canvas::Port::Errors;
    let trying: Trying = expect_context();
    trying.follow();
    let passing = {
        let key = edge.key.clone();
        Memo::new(move |_| trying.passing(&key))
    };
    let fields = move || {
        let fields = passing.get()?;
        let rows = fields.iter().cloned().map(|field| {
            let kind = if field.gaps { format!("{}?", field.kind) } else { field.kind };
            view! {
                <li data-field-of-edge=field.name.clone() title=field.sample.clone().unwrap_or_default()>
                    <bdi class="clip mono">{field.name.clone()}</bdi>
                    <span class="type">{kind}</span>
                    {field.sample.clone().map(|sample| view! { <bdi class="clip faint sample-of">{sample}</bdi> })}
                </li>
            }
        });
        Some(view! {
            <section class="edge-fields" data-testid="edge-fields">
                <h3>{t!("edge-fields", count = fields.len())}</h3>
                <ul>{rows.collect_view()}</ul>
                <p class="help">{t!("edge-fields-help")}</p>
            </section>
        })
    };
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
            {drifted}
            {figures}
            {rates}
            {move || deployed.get().then(|| view! { <EdgeTap key=tapped.clone() /> })}
            {fields}
        </div>
    }
    .into_any()
}
