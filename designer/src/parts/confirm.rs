//! A question before something that cannot be taken back.

use leptos::prelude::*;

use super::Dialog;
use crate::i18n::t;

/// A question.
#[derive(Clone)]
pub(crate) struct Ask {
    /// Heading.
    pub(crate) title: String,
    /// What will happen.
    pub(crate) text: String,
    /// Text of the button that does it.
    pub(crate) button: String,
    /// What it does.
    pub(crate) act: Callback<()>,
}

/// Shows the question while there is one.
#[component]
pub(crate) fn Confirm(ask: RwSignal<Option<Ask>>) -> impl IntoView {
    move || {
        ask.get().map(|question| {
            let act = question.act;
            let foot = view! {
                <button class="button" on:click=move |_| ask.set(None)>{t!("cancel")}</button>
                <button
                    class="button danger"
                    data-action="confirm"
                    autofocus=true
                    on:click=move |_| {
                        ask.set(None);
                        act.run(());
                    }
                >
                    {question.button}
                </button>
            };
            view! {
                <Dialog title=question.title width="440px" on_close=Callback::new(move |()| ask.set(None)) foot=foot.into_any()>
                    <p class="muted">{question.text}</p>
                </Dialog>
            }
        })
    }
}
