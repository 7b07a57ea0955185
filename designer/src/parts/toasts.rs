//! Draws the messages of `state::toasts`.

use leptos::prelude::*;

use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::markdown;
use crate::state::{Tone, use_toasts};

/// A place for messages: at the corner of the window, and in every modal dialog. The one opened last shows them.
#[component]
pub(crate) fn ToastList() -> impl IntoView {
    let here = use_toasts().place();
    move || here.get().then(|| view! { <Shown /> })
}

/// All messages in view. Bad ones are read out at once, good ones when there is time.
#[component]
fn Shown() -> impl IntoView {
    let toasts = use_toasts();
    view! {
        <div class="toasts">
            <For each=move || toasts.list.get() key=|toast| toast.id let:toast>
                <div
                    class="toast"
                    role=if toast.tone == Tone::Bad { "alert" } else { "status" }
                    data-tone=if toast.tone == Tone::Bad { "bad" } else { "good" }
                    data-code=toast.code.clone()
                >
                    {icon(if toast.tone == Tone::Bad { Icon::Error } else { Icon::Check })}
                    <p class="what">{markdown::inline(&toast.what)}</p>
                    <button class="icon-button small" aria-label=t!("dismiss") on:click=move |_| toasts.drop(toast.id)>
                        {icon(Icon::Close)}
                    </button>
                    {toast.help.clone().map(|help| view! { <p class="more">{markdown::inline(&help)}</p> })}
                    {toast.code.clone().map(|code| view! { <code>{code}</code> })}
                    {toast.act.clone().map(|(text, act)| {
                        let run = move |_| {
                            toasts.drop(toast.id);
                            act.run(());
                        };
                        view! { <button class="button small act" data-action="toast" on:click=run>{text}</button> }
                    })}
                </div>
            </For>
        </div>
    }
}
