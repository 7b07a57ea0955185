//! What moved: which task went from which worker to which, when and why.

use leptos::prelude::*;

use super::{Cluster, reason};
use crate::i18n::{format, t};

/// Most that are listed.
const MOST: usize = 100;

/// The list, newest first.
#[component]
pub(super) fn MoveList(cluster: Cluster) -> impl IntoView {
    let rows = move || {
        let moves = cluster.moves.get();
        if moves.is_empty() {
            return view! { <p class="muted" data-testid="no-moves">{t!("cluster-no-moves")}</p> }.into_any();
        }
        let names = cluster.status.with_untracked(|status| {
            let tasks = status.iter().flat_map(|status| &status.tasks);
            tasks.map(|task| (task.channel.clone(), task.channel_name.clone())).collect::<Vec<_>>()
        });
        let rows = moves.into_iter().take(MOST).map(|one| {
            let name = names.iter().find(|(uid, _)| *uid == one.channel).map(|(_, name)| name.clone());
            let end = |worker: Option<String>| match worker {
                Some(worker) => view! { <bdi class="mono">{worker}</bdi> }.into_any(),
                None => view! { <span class="faint">{t!("place-none")}</span> }.into_any(),
            };
            view! {
                <li data-move=one.task.clone()>
                    <time datetime=one.at.clone() class="faint num">{format::moment(&one.at)}</time>
                    <span class="what"><bdi>{name.unwrap_or(one.channel)}</bdi> " · " <bdi class="mono">{one.task.clone()}</bdi></span>
                    <span>{end(one.from)} " → " {end(one.to)}</span>
                    <span class="muted">{reason(one.why)}</span>
                </li>
            }
        });
        view! { <ol class="moves">{rows.collect_view()}</ol> }.into_any()
    };
    view! {
        <section class="panel" aria-labelledby="cluster-moves">
            <h2 id="cluster-moves">{t!("cluster-moves")}</h2>
            {rows}
        </section>
    }
}
