//! Preview: what every step makes of sample records, before and after it side by side. It runs the engine's own transforms and
//! writes nothing (I9). `trying` asks for it and remembers the answer, `steps` lists the nodes, `table` shows one of them,
//! `editing` changes the sample, `fields` says what fields there are, `drift` what of them is not as it was; `compare` and `sample` are what they work with.

mod compare;
mod drift;
mod editing;
mod fields;
mod sample;
mod steps;
mod table;
mod trying;

use fairway_shared::api::preview::{NodePreview, PreviewState};
use fairway_shared::component::Kind;
use leptos::prelude::*;

pub(crate) use self::drift::{Drift, Drifted};
use self::editing::SampleDialog;
pub(crate) use self::fields::Seen;
use self::steps::Steps;
use self::table::Tables;
pub(crate) use self::trying::Trying;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::inspector::field::offers::Asked;
use crate::parts::markdown;
use crate::state::editor::use_editor;

/// Numbers of records to choose from.
const LIMITS: [u32; 4] = [5, 20, 100, 500];

/// The panel.
#[component]
pub(super) fn Preview(trying: Trying) -> impl IntoView {
    let editor = use_editor();
    trying.follow();
    let editing = RwSignal::new(None::<String>);
    let waiting = Memo::new(move |_| trying.waiting.get());
    let elapsed = Memo::new(move |_| {
        trying.answer.with(|answer| match answer {
            Asked::Answer(answer) => Some(answer.elapsed_ms),
            _ => None,
        })
    });
    // The sources that lead to the step that is shown: those whose sample can be edited.
    let sources = Memo::new(move |_| trying.sources());
    let own = move |source: &str| trying.own.with(|own| own.contains_key(source));
    let samples = move || {
        sources
            .get()
            .into_iter()
            .map(|source| {
                let name = editor.node(&source).map(|node| editor.name_of(&node)).unwrap_or_default();
                let edited = own(&source);
                let (edit, back) = (source.clone(), source.clone());
                let (pin, pin_by) = (source.clone(), source.clone());
                view! {
                    <span class="sample" data-sample=source.clone()>
                        <span class="faint">{t!("preview-sample")}</span>
                        <bdi class="clip">{name}</bdi>
                        {edited.then(|| view! { <span class="tag">{t!("preview-edited")}</span> })}
                        <button type="button" class="button small" data-action="edit-sample" on:click=move |_| editing.set(Some(edit.clone()))>
                            {icon(Icon::Pencil)}
                            {t!("preview-edit")}
                        </button>
                        <button type="button" class="icon-button small" data-action="pin-sample" aria-label=t!("preview-pin") title=t!("preview-pin-help")
                            aria-pressed=move || trying.pinned.with(|pinned| pinned.contains(&pin)).to_string() on:click=move |_| trying.pin(&pin_by)>
                            {icon(Icon::Pin)}
                        </button>
                        {edited.then(|| view! {
                            <button type="button" class="button small quiet" data-action="own-sample" on:click=move |_| trying.use_source(&back)>{t!("preview-from-source")}</button>
                        })}
                    </span>
                }
            })
            .collect_view()
    };
    let limit = move || {
        LIMITS
            .map(|limit| {
                view! { <option value=limit.to_string() prop:selected=move || trying.limit.get() == limit>{t!("preview-limit", count = limit)}</option> }
            })
            .collect_view()
    };
    let empty = Memo::new(move |_| editor.nodes.with(Vec::is_empty));
    let body = move || {
        if empty.get() {
            return view! { <div class="drawer-none">{t!("preview-empty")}</div> }.into_any();
        }
        view! {
            <div class="preview-body">
                <Steps trying />
                <div class="preview-main">
                    {move || trying.step.get().map(|id| view! { <Step trying id /> })}
                </div>
            </div>
        }
        .into_any()
    };
    view! {
        <div class="preview" data-testid="preview" data-state=move || if waiting.get() { "running" } else { "done" }>
            <div class="panel-bar">
                <button class="button small primary" data-action="run-preview" disabled=move || waiting.get() || empty.get() on:click=move |_| trying.run_anew()>
                    {move || if waiting.get() {
                        view! { <span class="spin">{icon(Icon::StateStarting)}</span> }.into_any()
                    } else {
                        icon(Icon::Play).into_any()
                    }}
                    {t!("preview-run")}
                </button>
                <label class="hidden-text" for="preview-limit">{t!("preview-records")}</label>
                <select id="preview-limit" class="input small" on:change=move |event| {
                    if let Ok(limit) = event_target_value(&event).parse() {
                        trying.take(limit);
                    }
                }>{limit()}</select>
                {samples}
                <span class="grow"></span>
                <span class="faint preview-note">{move || elapsed.get().map(|ms| format!("{} · ", t!("milliseconds", count = ms)))} {t!("preview-safe")}</span>
            </div>
            {body}
        </div>
        {move || editing.get().map(|source| view! { <SampleDialog trying source close=Callback::new(move |()| editing.set(None)) /> })}
    }
}

/// The step that is chosen: why it did not run, or its records.
#[component]
fn Step(trying: Trying, id: String) -> impl IntoView {
    let shown = {
        let id = id.clone();
        Memo::new(move |_| {
            trying.answer.with(|answer| match answer {
                Asked::Answer(answer) => Some(answer.nodes.get(&id).cloned()),
                _ => None,
            })
        })
    };
    let cuts = move || {
        trying.answer.with(|answer| match answer {
            Asked::Answer(answer) => answer.cuts.clone(),
            _ => Vec::new(),
        })
    };
    move || {
        let trouble = trying.answer.with(|answer| match answer {
            Asked::Failed(why) => Some(why.clone()),
            _ => None,
        });
        if let Some(why) = trouble {
            return view! { <p class="note" data-tone="bad" role="alert">{icon(Icon::Error)} <span>{why}</span></p> }
                .into_any();
        }
        let Some(node) = shown.get() else {
            return view! { <div class="drawer-none" role="status"><span class="spin">{icon(Icon::StateStarting)}</span> {t!("preview-running")}</div> }.into_any();
        };
        let node = node.unwrap_or_default();
        let cause = node.cause.clone().map(|cause| {
            view! {
                <div class="note" data-tone="bad" role="alert" data-code=cause.code.clone()>
                    {icon(Icon::Error)}
                    <div>
                        <p>{markdown::sentence(&cause.message)}</p>
                        {cause.help.map(|help| view! { <p class="faint">{markdown::sentence(&help)}</p> })}
                        <code>{cause.code.clone()}</code>
                    </div>
                </div>
            }
        });
        let cuts = cuts().into_iter().map(|cut| {
            view! { <p class="note" data-tone="warn" data-code=cut.code>{icon(Icon::Warning)} <span>{markdown::sentence(&cut.message)}</span></p> }
        });
        let records = records(trying, &id, node);
        let barrier = trying.barrier(&id).map(|(step, count)| {
            let more = LIMITS.into_iter().find(|more| *more > trying.limit.get_untracked());
            view! {
                <div class="note" data-note="none-passes" role="status">
                    {icon(Icon::Warning)}
                    <span>{t!("preview-none-passes", count = count, step = step)}</span>
                    {more.map(|more| view! {
                        <button type="button" class="button small" data-action="more-records" on:click=move |_| trying.take(more)>{t!("preview-more", count = more)}</button>
                    })}
                </div>
            }
        });
        view! { {cause} {cuts.collect_view()} {barrier} {records} }.into_any()
    }
}

fn records(trying: Trying, id: &str, node: NodePreview) -> AnyView {
    let left = node.outputs.iter().any(|output| !output.records.is_empty());
    let shown = left || !node.inputs.is_empty() || !node.rejects.is_empty();
    match node.state {
        PreviewState::NotReached if !shown => {
            view! { <div class="drawer-none">{t!("preview-not-reached")}</div> }.into_any()
        }
        PreviewState::Failed if !shown => ().into_any(),
        _ if !shown && node.kind == Some(Kind::Source) => {
            view! { <div class="drawer-none">{t!("preview-no-records")}</div> }.into_any()
        }
        _ if !shown => view! { <div class="drawer-none">{t!("preview-nothing-came")}</div> }.into_any(),
        _ => view! { <Tables trying id=id.to_owned() node /> }.into_any(),
    }
}
