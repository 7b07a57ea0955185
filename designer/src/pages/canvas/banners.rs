//! What must be seen at once: a draft changed elsewhere, a channel deleted elsewhere, a channel that needs somebody.

use fairway_shared::api::status::{Cause, ChannelState};
use leptos::prelude::*;

use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::{Confirm, lifecycle, markdown, state_name};
use crate::router::use_router;
use crate::state::editor::{Saving, use_editor};
use crate::state::{use_live, use_toasts};

/// Somebody else has saved another draft, or deleted the channel: mine is not written over it.
#[component]
pub(super) fn Conflict(reload: Callback<()>) -> impl IntoView {
    let editor = use_editor();
    let router = use_router();
    let live = use_live();
    let gone = Memo::new(move |_| live.gone.with(|gone| gone.as_ref() == Some(&editor.uid())));
    let clash = Memo::new(move |_| editor.saving.with(|saving| *saving == Saving::Conflict));
    let differs = move || {
        let told = editor.differences.get()?;
        let parts = [
            (told.theirs, t!("differs-theirs")),
            (told.mine, t!("differs-mine")),
            (told.changed, t!("differs-changed")),
            (if told.channel { vec![t!("differs-channel")] } else { Vec::new() }, String::new()),
        ];
        let told = parts.into_iter().filter(|(names, _)| !names.is_empty()).map(|(names, what)| {
            let more = names.len().saturating_sub(4);
            let mut shown = names.into_iter().take(4).collect::<Vec<_>>().join(", ");
            if more > 0 {
                shown = t!("differs-more", names = shown, count = more);
            }
            if what.is_empty() { shown } else { format!("{what} {shown}") }
        });
        let told = told.collect::<Vec<_>>().join("; ");
        (!told.is_empty()).then(
            || view! { <span class="muted" data-testid="differences">{t!("differs", what = told)}</span> },
        )
    };
    let keep = move || {
        view! {
            <button class="button small" data-action="keep-copy" on:click=move |_| editor.keep_as_copy(router)>
                {t!("keep-copy")}
            </button>
        }
    };
    move || {
        match (gone.get(), clash.get()) {
        (true, _) => Some(
            view! {
                <div class="banner" role="alert" data-tone="bad" data-testid="gone">
                    {icon(Icon::Warning)}
                    <p>{t!("gone-text")}</p>
                    {keep()}
                </div>
            }
            .into_any(),
        ),
        (false, true) => Some(
            view! {
                <div class="banner" role="alert" data-testid="conflict">
                    {icon(Icon::Warning)}
                    <p>{t!("conflict-text")} " " {differs}</p>
                    <button class="button small primary" data-action="merge" on:click=move |_| editor.merge()>{t!("merge")}</button>
                    {keep()}
                    <button class="button small" data-action="replace" on:click=move |_| editor.replace_theirs()>{t!("replace-theirs")}</button>
                    <button class="button small" data-action="reload" on:click=move |_| reload.run(())>{t!("reload")}</button>
                </div>
            }
            .into_any(),
        ),
        (false, false) => None,
    }
    }
}

/// Why the channel does not run as it should, and the way to the node that is the cause.
#[component]
pub(super) fn Trouble() -> impl IntoView {
    let editor = use_editor();
    let (live, toasts) = (use_live(), use_toasts());
    let uid = editor.uid();
    let status = live.status(&uid);
    let trouble = Memo::new(move |_| {
        status.with(|status| {
            let cause = status.cause.clone()?;
            let shown =
                matches!(status.state, ChannelState::Failed | ChannelState::Hold | ChannelState::Degraded);
            shown.then_some((status.state, cause))
        })
    });
    let ask = RwSignal::new(None);
    let banner = move || {
        trouble.get().map(|(state, cause)| {
            let Cause { code, message, help, node } = cause;
            let tone = if state == ChannelState::Failed { "bad" } else { "warn" };
            let known = node.filter(|id| editor.node(id).is_some());
            let to_node = known.map(|id| {
                let name = editor.node(&id).map(|node| editor.name_of(&node)).unwrap_or_default();
                let go = move |_| {
                    editor.select_node(&id);
                    editor.edit_field(None);
                };
                view! { <button class="button small" on:click=go>{t!("to-node", name = name)}</button> }
            });
            let uid = uid.clone();
            let over = {
                let uid = uid.clone();
                (state == ChannelState::Hold).then(|| {
                    view! {
                        <button
                            class="button small"
                            data-action="start-over"
                            on:click=move |_| ask.set(Some(lifecycle::start_over(uid.clone(), live, toasts)))
                        >
                            {t!("start-over")}
                        </button>
                    }
                })
            };
            let restart = (state != ChannelState::Degraded).then(|| {
                view! {
                    <button
                        class="button small"
                        data-action="restart"
                        on:click=move |_| lifecycle::restart(uid.clone(), live, toasts)
                    >
                        {t!("restart")}
                    </button>
                }
            });
            view! {
                <div class="banner" role="alert" data-tone=tone data-testid="trouble" data-code=code>
                    {icon(crate::icons::state_icon(state))}
                    <p>
                        <b>{state_name(state)}</b>
                        " "
                        {markdown::sentence(&message)}
                        " "
                        {help.map(|help| view! { <span class="muted">{markdown::sentence(&help)}</span> })}
                    </p>
                    {to_node}
                    {restart}
                    {over}
                </div>
            }
        })
    };
    view! {
        {banner}
        <Confirm ask />
    }
}
