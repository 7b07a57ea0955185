//! What can be asked of a channel as a whole: run, pause, stop, restart, export.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{ExportChannel, RestartChannel, SetTarget, SetTargetState};
use fairway_shared::api::status::{ChannelState, TargetState};

use super::download;
use crate::api;
use crate::i18n::t;
use crate::icons::Icon;
use crate::state::{Live, Toasts};

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

/// Button of a target state: its hook, its picture, its text.
pub(crate) fn button_of(target: TargetState, state: ChannelState) -> (&'static str, Icon, String) {
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

/// Saves a channel's document as a file.
pub(crate) fn export(uid: String, name: String, toasts: Toasts) {
    leptos::task::spawn_local(async move {
        match api::call::<ExportChannel>(&[("uid", &uid)], &Nothing {}).await {
            Ok(document) => {
                let text = serde_json::to_string_pretty(&document).unwrap_or_default() + "\n";
                if download::save(&download::file_name(&name), &text).is_err() {
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
