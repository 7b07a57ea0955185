//! The workers: where each is in its life, what it carries, and whether it is to carry anything.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::cluster::{DrainWorker, UndrainWorker, WorkerState, WorkerStatus};
use leptos::prelude::*;

use super::Cluster;
use crate::api;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::state::use_toasts;

fn state_of(state: WorkerState) -> (&'static str, Icon, String) {
    match state {
        WorkerState::Joining => ("starting", Icon::StateStarting, t!("worker-joining")),
        WorkerState::Ready => ("running", Icon::StateRunning, t!("worker-ready")),
        WorkerState::Drained => ("paused", Icon::StatePaused, t!("worker-drained")),
        WorkerState::Leaving => ("stopped", Icon::StateStopped, t!("worker-leaving")),
        WorkerState::Silent => ("failed", Icon::StateFailed, t!("worker-silent")),
    }
}

/// All of them by id.
#[component]
pub(super) fn WorkerList(cluster: Cluster) -> impl IntoView {
    let ids = Memo::new(move |_| {
        cluster.status.with(|status| {
            status
                .iter()
                .flat_map(|status| &status.workers)
                .map(|worker| worker.id.clone())
                .collect::<Vec<_>>()
        })
    });
    view! {
        <section class="panel" aria-labelledby="workers">
            <h2 id="workers">{move || t!("workers", count = ids.with(Vec::len))}</h2>
            <ul class="workers">
                <For each=move || ids.get() key=Clone::clone let:id>
                    <Worker cluster id />
                </For>
            </ul>
        </section>
    }
}

#[component]
fn Worker(cluster: Cluster, id: String) -> impl IntoView {
    let toasts = use_toasts();
    let mine = id.clone();
    let seen: Memo<Option<WorkerStatus>> = Memo::new(move |_| {
        cluster.status.with(|status| {
            status.iter().flat_map(|status| &status.workers).find(|worker| worker.id == mine).cloned()
        })
    });
    let (me, alone) = {
        let id = id.clone();
        let me = Memo::new(move |_| {
            cluster.status.with(|status| status.as_ref().is_some_and(|status| status.me == id))
        });
        let alone = Memo::new(move |_| {
            cluster.status.with(|status| status.as_ref().is_none_or(|status| status.name.is_empty()))
        });
        (me, alone)
    };
    let drained = Memo::new(move |_| seen.get().is_some_and(|worker| worker.state == WorkerState::Drained));
    let asking = RwSignal::new(false);
    let ask = {
        let id = id.clone();
        move |_| {
            let (id, back) = (id.clone(), drained.get_untracked());
            asking.set(true);
            leptos::task::spawn_local(async move {
                let params = [("id", id.as_str())];
                let answer = match back {
                    true => api::call::<UndrainWorker>(&params, &Nothing {}).await,
                    false => api::call::<DrainWorker>(&params, &Nothing {}).await,
                };
                match answer {
                    Ok(_) if back => toasts.good(t!("worker-undrained", worker = id)),
                    Ok(_) => toasts.good(t!("worker-draining", worker = id)),
                    Err(problem) => toasts.problem(&problem),
                }
                // The page may have been left meanwhile.
                if asking.try_set(false).is_none() {
                    cluster.look();
                }
            });
        }
    };
    let pill = move || {
        seen.get().map(|worker| {
            let (word, shape, text) = state_of(worker.state);
            view! { <span class="pill" data-state=word>{icon(shape)} <span>{text}</span></span> }
        })
    };
    let tags = move || {
        seen.get().map(|worker| {
            let labels = worker.labels.into_iter().map(|(name, value)| {
                view! { <span class="tag"><bdi>{format!("{name}={value}")}</bdi></span> }
            });
            view! {
                {worker.leads.then(|| view! { <span class="tag" data-tone="good">{icon(Icon::Check)} {t!("worker-leads")}</span> })}
                {me.get().then(|| view! { <span class="tag">{t!("worker-me")}</span> })}
                {labels.collect_view()}
            }
        })
    };
    let figures = move || {
        seen.get().map(|worker| {
            let silent = worker.silent_ms >= 1500;
            view! {
                <dl class="figures">
                    <div><dt>{t!("worker-tasks")}</dt><dd>{format::count(worker.tasks)}</dd></div>
                    <div><dt>{t!("worker-load")}</dt><dd>{t!("worker-cores", cores = format!("{:.1}", worker.load))}</dd></div>
                    <div><dt>{t!("worker-capacity")}</dt><dd>{worker.capacity.to_string()}</dd></div>
                    <div class:bad=silent><dt>{t!("worker-heard")}</dt><dd>{t!("worker-ago", seconds = format!("{:.0}", worker.silent_ms as f64 / 1000.0))}</dd></div>
                </dl>
            }
        })
    };
    let place = move || {
        seen.get().map(|worker| {
            let link = worker.address.starts_with("http://") || worker.address.starts_with("https://");
            let address = match (worker.address.is_empty(), link) {
                (true, _) => ().into_any(),
                (false, true) => {
                    view! { <a class="link" href=worker.address.clone()><bdi>{worker.address.clone()}</bdi></a> " · " }
                        .into_any()
                }
                (false, false) => view! { <bdi>{worker.address}</bdi> " · " }.into_any(),
            };
            view! { <p class="faint clip">{address} {worker.version}</p> }
        })
    };
    let act = move || {
        let going = seen
            .get()
            .is_some_and(|worker| matches!(worker.state, WorkerState::Leaving | WorkerState::Silent));
        !alone.get() && !going
    };
    let shown = Memo::new(move |_| act());
    view! {
        <li class="worker" data-worker=id.clone() data-state=move || seen.get().map(|worker| state_of(worker.state).0)>
            <div class="worker-name">
                <p><bdi class="mono clip" title=id.clone()>{id.clone()}</bdi> {pill} {tags}</p>
                {place}
            </div>
            {figures}
            {move || shown.get().then(|| view! {
                <button type="button" class="button small" data-action=move || if drained.get() { "undrain" } else { "drain" } disabled=move || asking.get() on:click=ask.clone()>
                    {move || if drained.get() { t!("worker-undrain") } else { t!("worker-drain") }}
                </button>
            })}
        </li>
    }
}
