//! When a channel with a schedule runs next.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::GetStatus;
use fairway_shared::api::status::{ChannelState, ChannelStatus, TargetState};
use leptos::prelude::*;

use crate::api;
use crate::i18n::{format, t};
use crate::state::clock;
use crate::state::use_live;

/// The next time that is still to come. Follows the clock.
fn next_time(status: &ChannelStatus) -> Option<String> {
    if status.target != Some(TargetState::Running) {
        return None;
    }
    let times = &status.schedule.as_ref()?.next;
    times.iter().find(|time| clock::passed(format::milliseconds(time)) < 0.0).cloned()
}

/// Whether a channel rests until its time comes. Tracks.
pub(crate) fn waits(status: &ChannelStatus) -> bool {
    matches!(status.state, ChannelState::Stopped | ChannelState::Completed) && next_time(status).is_some()
}

/// The time of the next run, where there is one.
#[component]
pub(crate) fn NextRun(
    /// Of which channel.
    uid: String,
) -> impl IntoView {
    let live = use_live();
    let status = live.status(&uid);
    // Events carry no schedule: it is read anew where it may have changed or its time has come.
    let changed = {
        let status = status.clone();
        Memo::new(move |_| status.with(|status| (status.target, status.version, status.state)))
    };
    let scheduled = status.clone();
    Effect::watch(
        move || changed.get(),
        move |now, before, _| {
            let scheduled = scheduled.with_untracked(|status| status.schedule.is_some());
            if !scheduled && before.is_none_or(|before| before.1 == now.1) {
                return;
            }
            let (uid, asked) = (uid.clone(), live.asking());
            leptos::task::spawn_local(async move {
                if let Ok(status) = api::call::<GetStatus>(&[("uid", &uid)], &Nothing {}).await {
                    live.answered(asked, status);
                }
            });
        },
        false,
    );
    let next = Memo::new(move |_| status.with(next_time));
    move || {
        next.get().map(|time| {
            let shown = format::moment(&time);
            view! {
                <time class="faint next-run" data-note="next-run" datetime=time>{t!("activity-next", time = shown)}</time>
            }
        })
    }
}
