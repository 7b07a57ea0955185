//! The cluster: its workers, which tasks they have and why, and what moved. A Fairway that runs alone is a cluster of one, and
//! says so.

mod moves;
mod tasks;
mod workers;

use std::time::Duration;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::cluster::{ClusterStatus, GetCluster, GetMoves, Move, PlaceReason};
use leptos::prelude::*;

use self::moves::MoveList;
use self::tasks::TaskTable;
use self::workers::WorkerList;
use crate::api;
use crate::app::Frame;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::router::Route;

/// Time between two looks.
const PACE: Duration = Duration::from_secs(2);

/// What the page knows. A handle.
#[derive(Clone, Copy)]
struct Cluster {
    status: RwSignal<Option<ClusterStatus>>,
    moves: RwSignal<Vec<Move>>,
    /// Why the last look brought nothing.
    fault: RwSignal<Option<String>>,
}

impl Cluster {
    /// Looks now. What has not changed draws nothing anew.
    fn look(self) {
        leptos::task::spawn_local(async move {
            let found = api::call::<GetCluster>(&[], &Nothing {}).await;
            let moves = api::call::<GetMoves>(&[], &Nothing {}).await;
            // The page may have been left meanwhile.
            let fault = match (&found, &moves) {
                (Err(problem), _) | (_, Err(problem)) => Some(api::said(problem)),
                _ => None,
            };
            if self.fault.try_get_untracked().is_none_or(|known| known != fault) {
                self.fault.try_set(fault);
            }
            if let Ok(found) = found
                && self.status.try_with_untracked(|known| known.as_ref() != Some(&found)) == Some(true)
            {
                self.status.set(Some(found));
            }
            if let Ok(answer) = moves
                && self.moves.try_with_untracked(|known| *known != answer.moves) == Some(true)
            {
                self.moves.set(answer.moves);
            }
        });
    }
}

/// Why a task is where it is, in words.
fn reason(why: PlaceReason) -> String {
    match why {
        PlaceReason::Started => t!("place-started"),
        PlaceReason::Changed => t!("place-changed"),
        PlaceReason::Stopped => t!("place-stopped"),
        PlaceReason::WorkerLost => t!("place-worker-lost"),
        PlaceReason::WorkerLeaves => t!("place-worker-leaves"),
        PlaceReason::WorkerDrained => t!("place-worker-drained"),
        PlaceReason::Misfit => t!("place-misfit"),
        PlaceReason::Balance => t!("place-balance"),
    }
}

/// The page.
#[component]
pub(crate) fn ClusterPage() -> impl IntoView {
    let cluster =
        Cluster { status: RwSignal::new(None), moves: RwSignal::new(Vec::new()), fault: RwSignal::new(None) };
    document().set_title(&t!("page-title", name = t!("cluster")));
    cluster.look();
    let again = set_interval_with_handle(
        move || {
            if !document().hidden() {
                cluster.look();
            }
        },
        PACE,
    );
    on_cleanup(move || {
        if let Ok(again) = again {
            again.clear();
        }
    });
    let known = Memo::new(move |_| cluster.status.with(Option::is_some));
    let head = Memo::new(move |_| {
        cluster.status.with(|status| {
            status.as_ref().map(|status| {
                (
                    status.name.clone(),
                    status.leader.as_ref().map(|leader| (leader.worker.clone(), leader.epoch)),
                    status.in_touch,
                )
            })
        })
    });
    let about = move || {
        head.get().map(|(name, leader, _)| match (name.is_empty(), leader) {
            (true, _) => view! { <p class="muted" data-testid="alone">{t!("cluster-alone")}</p> }.into_any(),
            (false, Some((leader, epoch))) => view! {
                <p class="muted">{t!("cluster-led", name = name.as_str(), worker = leader.as_str(), epoch = epoch)}</p>
            }
            .into_any(),
            (false, None) => view! { <p class="muted" role="status">{t!("cluster-leaderless", name = name.as_str())}</p> }.into_any(),
        })
    };
    let touch = move || {
        head.get().filter(|(_, _, in_touch)| !in_touch).map(|_| view! {
            <p class="note" data-tone="warn" role="alert">{icon(Icon::Warning)} <span>{t!("cluster-out-of-touch")}</span></p>
        })
    };
    let fault = move || {
        cluster.fault.get().map(|why| {
            view! {
                <p class="note" data-tone="bad" role="alert">{icon(Icon::Error)} <span>{why}</span></p>
            }
        })
    };
    view! {
        <Frame here=Route::Cluster>
            <main class="page" data-testid="cluster">
                <div class="narrow-page cluster-page">
                    <div class="channels-head"><h1>{t!("cluster")}</h1></div>
                    {fault}
                    {touch}
                    {about}
                    {move || match known.get() {
                        false => view! { <div class="skeleton low"></div> }.into_any(),
                        true => view! {
                            <WorkerList cluster />
                            <TaskTable cluster />
                            <MoveList cluster />
                        }
                        .into_any(),
                    }}
                </div>
            </main>
        </Frame>
    }
}
