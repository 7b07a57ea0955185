//! The test of a connection: a button and its answer, well visible and never in the way.

use fairway_shared::api::preview::ProbeAnswer;
use leptos::prelude::*;

use super::field::offers::Asked;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::markdown;

/// The button, and below it what the last test came to.
#[component]
pub(crate) fn ConnectionTest(probe: RwSignal<Asked<ProbeAnswer>>, test: Callback<()>) -> impl IntoView {
    let waiting = move || probe.with(|probe| *probe == Asked::Waiting);
    // What was asked for is brought into sight.
    let place = NodeRef::<leptos::html::Div>::new();
    Effect::watch(
        move || probe.with(|probe| matches!(probe, Asked::Answer(_) | Asked::Failed(_))),
        move |answered, _, _| {
            if *answered {
                request_animation_frame(move || {
                    if let Some(Some(place)) = place.try_get_untracked() {
                        let near = web_sys::ScrollIntoViewOptions::new();
                        near.set_block(web_sys::ScrollLogicalPosition::Nearest);
                        place.scroll_into_view_with_scroll_into_view_options(&near);
                    }
                });
            }
        },
        false,
    );
    view! {
        <div class="probe" node_ref=place>
            <button type="button" class="button" data-action="test-connection" disabled=waiting on:click=move |_| test.run(())>
                {icon(Icon::Plug)}
                {move || if waiting() { t!("testing") } else { t!("test-connection") }}
            </button>
            <ProbeResult probe />
        </div>
    }
}

/// What a test came to.
#[component]
pub(crate) fn ProbeResult(probe: RwSignal<Asked<ProbeAnswer>>) -> impl IntoView {
    move || match probe.get() {
        Asked::Not | Asked::Waiting => None,
        Asked::Failed(why) => Some(failure(why, None, None)),
        Asked::Answer(ProbeAnswer { probe: Some(probe), elapsed_ms, .. }) => Some(
            view! {
                <div class="probe-result" role="status" data-probe="good">
                    {icon(Icon::Check)}
                    <p>
                        <b>{t!("probe-good")}</b>
                        " "
                        <span class="faint num">{t!("milliseconds", count = elapsed_ms)}</span>
                        <bdi class="more">{probe.found}</bdi>
                    </p>
                </div>
            }
            .into_any(),
        ),
        Asked::Answer(ProbeAnswer { cause, .. }) => Some(match cause {
            Some(cause) => failure(cause.message, cause.help, Some(cause.code)),
            None => failure(t!("probe-silent"), None, None),
        }),
    }
}

fn failure(message: String, help: Option<String>, code: Option<String>) -> AnyView {
    view! {
        <div class="probe-result" role="alert" data-probe="bad" data-code=code.clone()>
            {icon(Icon::Error)}
            <p>
                <b>{t!("probe-bad")}</b>
                <span class="more">{markdown::sentence(&message)}</span>
                {help.map(|help| view! { <span class="more faint">{markdown::sentence(&help)}</span> })}
                {code.clone().map(|code| view! { <code>{code}</code> })}
            </p>
        </div>
    }
    .into_any()
}
