//! The state of a channel as shape and text.

use fairway_shared::api::status::ChannelState;
use leptos::prelude::*;

use crate::i18n::t;
use crate::icons::{icon, state_icon};

/// The word of a state in documents and hooks.
pub(crate) fn state_word(state: ChannelState) -> &'static str {
    match state {
        ChannelState::Draft => "draft",
        ChannelState::Starting => "starting",
        ChannelState::Running => "running",
        ChannelState::Degraded => "degraded",
        ChannelState::Restarting => "restarting",
        ChannelState::Paused => "paused",
        ChannelState::Hold => "hold",
        ChannelState::Stopped => "stopped",
        ChannelState::Completed => "completed",
        ChannelState::Failed => "failed",
    }
}

/// The name of a state for people.
pub(crate) fn state_name(state: ChannelState) -> String {
    match state {
        ChannelState::Draft => t!("state-draft"),
        ChannelState::Starting => t!("state-starting"),
        ChannelState::Running => t!("state-running"),
        ChannelState::Degraded => t!("state-degraded"),
        ChannelState::Restarting => t!("state-restarting"),
        ChannelState::Paused => t!("state-paused"),
        ChannelState::Hold => t!("state-hold"),
        ChannelState::Stopped => t!("state-stopped"),
        ChannelState::Completed => t!("state-completed"),
        ChannelState::Failed => t!("state-failed"),
    }
}

/// A pill that follows a state.
#[component]
pub(crate) fn StatePill(
    #[prop(into)] state: Signal<ChannelState>,
    #[prop(into)] cause: Signal<Option<String>>,
    /// Whether it rests until the time of its schedule comes.
    #[prop(into)]
    waits: Signal<bool>,
) -> impl IntoView {
    view! {
        <span class="pill" data-state=move || state_word(state.get()) data-waits=move || waits.get().then_some("") title=move || cause.get()>
            {move || icon(state_icon(state.get()))}
            <span>{move || if waits.get() { t!("state-scheduled") } else { state_name(state.get()) }}</span>
        </span>
    }
}
