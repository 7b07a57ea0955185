//! Which worker has which task, since what, and why; and what is on its way to another.

use fairway_shared::api::cluster::TaskPlace;
use leptos::prelude::*;

use super::{Cluster, reason};
use crate::i18n::t;
use crate::icons::{Icon, icon, state_icon};
use crate::parts::{state_name, state_word};
use crate::router::{Link, Route};

/// The table.
#[component]
pub(super) fn TaskTable(cluster: Cluster) -> impl IntoView {
    let places = Memo::new(move |_| {
        cluster.status.with(|status| status.as_ref().map(|status| status.tasks.clone()).unwrap_or_default())
    });
    let keys = Memo::new(move |_| {
        places.with(|places| {
            places.iter().map(|place| (place.channel.clone(), place.task.clone())).collect::<Vec<_>>()
        })
    });
    let empty = Memo::new(move |_| keys.with(Vec::is_empty));
    // One process alone has no reasons: a column of nothing is no help.
    let reasons = Memo::new(move |_| {
        places.with(|places| places.iter().any(|place| place.why.is_some() || place.going.is_some()))
    });
    view! {
        <section class="panel" aria-labelledby="cluster-tasks">
            <h2 id="cluster-tasks">{t!("cluster-tasks")}</h2>
            {move || match empty.get() {
                true => view! { <p class="muted" data-testid="no-tasks">{t!("cluster-no-tasks")}</p> }.into_any(),
                false => view! {
                    <div class="table-scroll" tabindex="0" role="group" aria-labelledby="cluster-tasks">
                        <table class="places">
                            <thead>
                                <tr>
                                    <th scope="col">{t!("place-channel")}</th>
                                    <th scope="col">{t!("place-task")}</th>
                                    <th scope="col">{t!("place-state")}</th>
                                    <th scope="col">{t!("place-worker")}</th>
                                    {move || reasons.get().then(|| view! { <th scope="col">{t!("place-why")}</th> })}
                                </tr>
                            </thead>
                            <tbody>
                                <For each=move || keys.get() key=Clone::clone let:key>
                                    <Place places key reasons />
                                </For>
                            </tbody>
                        </table>
                    </div>
                }
                .into_any(),
            }}
        </section>
    }
}

#[component]
fn Place(places: Memo<Vec<TaskPlace>>, key: (String, String), reasons: Memo<bool>) -> impl IntoView {
    let mine = key.clone();
    let seen = Memo::new(move |_| {
        places.with(|places| {
            places.iter().find(|place| place.channel == mine.0 && place.task == mine.1).cloned()
        })
    });
    let name = seen.get_untracked().map(|place| place.channel_name).filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| key.0.clone());
    let state = move || {
        seen.get().map(|place| view! {
            <span class="pill" data-state=state_word(place.state)>{icon(state_icon(place.state))} <span>{state_name(place.state)}</span></span>
        })
    };
    let worker = move || {
        seen.get().map(|place| match place.worker {
            Some(worker) => view! { <bdi class="mono">{worker}</bdi> }.into_any(),
            None => view! { <span class="faint">{t!("place-none")}</span> }.into_any(),
        })
    };
    let why = move || {
        seen.get().map(|place| {
            view! {
                {place.why.map(reason)}
                {place.going.map(|why| view! { <span class="going">{icon(Icon::Warning)} {t!("place-going", why = reason(why))}</span> })}
            }
        })
    };
    view! {
        <tr data-place=format!("{}/{}", key.0, key.1)>
            <td><Link class="link" to=Route::Canvas(key.0.clone())><bdi>{name.clone()}</bdi></Link></td>
            <td><bdi class="mono">{key.1.clone()}</bdi></td>
            <td>{state}</td>
            <td>{worker} {move || seen.get().and_then(|place| place.generation).map(|number| view! { <span class="faint num" title=t!("place-generation")>{format!("#{number}")}</span> })}</td>
            {move || reasons.get().then(|| view! { <td>{why}</td> })}
        </tr>
    }
}
