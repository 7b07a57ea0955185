//! What can be asked of a channel as a whole: run, pause, stop, restart, export.

use std::sync::Arc;

use fairway_shared::api::channels::{
    ExportChannel, GetStatus, ResetPositions, RestartChannel, SetTarget, SetTargetState,
};
use fairway_shared::api::status::{ChannelState, ChannelStatus, TargetState};
use fairway_shared::api::{None as Nothing, Problem};
use leptos::prelude::*;

use super::{Ask, download};
use crate::api;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::pause;
use crate::state::{Live, Toasts, use_live, use_toasts};

/// How often a stop is waited for, and how long each time: longer than a channel drains.
const STOP_TRIES: u32 = 120;
/// In milliseconds.
const STOP_PACE: u64 = 250;

/// Which target states a channel in this state can be asked for.
pub(crate) fn offers(state: ChannelState, deployed: bool) -> &'static [TargetState] {
    use ChannelState as S;
    match state {
        _ if !deployed => &[],
        S::Draft => &[],
        S::Starting | S::Running | S::Degraded | S::Restarting => {
            &[TargetState::Paused, TargetState::Stopped]
        }
        S::Paused | S::Hold | S::Failed => &[TargetState::Running, TargetState::Stopped],
        S::Stopped | S::Completed => &[TargetState::Running],
    }
}

/// Buttons for the target states that a channel can be asked for. One that stays on offer stays the same button: a press must
/// not be lost to a state that changes between its two halves.
#[component]
pub(crate) fn TargetButtons(
    uid: String,
    #[prop(into)] state: Signal<ChannelState>,
    #[prop(into)] deployed: Signal<bool>,
    /// Small ones, as on cards.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let (live, toasts) = (use_live(), use_toasts());
    let offered = move || offers(state.get(), deployed.get()).to_vec();
    view! {
        <For each=offered key=|target| button_of(*target, ChannelState::Stopped).0 let:target>
            {
                let (hook, shape, _) = button_of(target, ChannelState::Stopped);
                let text = Memo::new(move |_| button_of(target, state.get()).2);
                let uid = uid.clone();
                view! {
                    <button
                        class="icon-button"
                        class:small=small
                        class:go=!small && target == TargetState::Running
                        data-action=hook
                        aria-label=move || text.get()
                        title=move || text.get()
                        on:click=move |_| ask_for(uid.clone(), target, live, toasts)
                    >
                        {icon(shape)}
                    </button>
                }
            }
        </For>
    }
}

/// Button of a target state: its hook, its picture, its text.
fn button_of(target: TargetState, state: ChannelState) -> (&'static str, Icon, String) {
    match target {
        TargetState::Running if state == ChannelState::Paused => ("resume", Icon::Play, t!("resume")),
        TargetState::Running => ("resume", Icon::Play, t!("start")),
        TargetState::Paused => ("pause", Icon::Pause, t!("pause")),
        TargetState::Stopped => ("stop", Icon::Stop, t!("stop")),
    }
}

/// Asks for a target state.
pub(crate) fn ask_for(uid: String, target: TargetState, live: Live, toasts: Toasts) {
    let asked = live.asking();
    leptos::task::spawn_local(async move {
        match api::call::<SetTargetState>(&[("uid", &uid)], &SetTarget { target }).await {
            Ok(status) => live.answered(asked, status),
            Err(problem) => toasts.problem(&problem),
        }
    });
}

/// Saves a channel's document as a file, with the text and the name that the server gives it.
pub(crate) fn export(uid: String, toasts: Toasts) {
    leptos::task::spawn_local(async move {
        match api::file::<ExportChannel>(&[("uid", &uid)]).await {
            Ok((text, name)) => {
                if download::save(name.as_deref().unwrap_or("channel.fairway.json"), &text).is_err() {
                    toasts.bad(t!("download-failed"), None);
                }
            }
            Err(problem) => toasts.problem(&problem),
        }
    });
}

/// Restarts all tasks with a fresh budget.
pub(crate) fn restart(uid: String, live: Live, toasts: Toasts) {
    let asked = live.asking();
    leptos::task::spawn_local(async move {
        match api::call::<RestartChannel>(&[("uid", &uid)], &Nothing {}).await {
            Ok(status) => live.answered(asked, status),
            Err(problem) => toasts.problem(&problem),
        }
    });
}

/// The question before a channel starts over: stopped, its positions forgotten, started again. The way out where a target went
/// back, or where everything is wanted once more.
pub(crate) fn start_over(uid: String, live: Live, toasts: Toasts) -> Ask {
    Ask {
        title: t!("start-over-title"),
        text: t!("start-over-text"),
        button: t!("start-over"),
        grave: true,
        act: Arc::new(move || {
            let uid = uid.clone();
            leptos::task::spawn_local(async move {
                let asked = live.asking();
                match begin_again(&uid).await {
                    Ok(status) => {
                        live.answered(asked, status);
                        toasts.good(t!("started-over"));
                    }
                    Err(problem) => toasts.problem(&problem),
                }
            });
        }),
    }
}

async fn begin_again(uid: &str) -> Result<ChannelStatus, Problem> {
    let target = |target| SetTarget { target };
    api::call::<SetTargetState>(&[("uid", uid)], &target(TargetState::Stopped)).await?;
    // A stop drains what is in flight; only then are positions nobody's.
    let mut tries = 0;
    loop {
        match api::call::<ResetPositions>(&[("uid", uid)], &Nothing {}).await {
            Ok(_) => break,
            Err(problem) if problem.status == 409 && tries < STOP_TRIES => tries += 1,
            Err(problem) => return Err(problem),
        }
        pause(STOP_PACE).await;
    }
    api::call::<SetTargetState>(&[("uid", uid)], &target(TargetState::Running)).await?;
    api::call::<GetStatus>(&[("uid", uid)], &Nothing {}).await
}
