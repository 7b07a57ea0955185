//! A question before something that cannot be taken back.

use std::sync::Arc;

use leptos::prelude::*;

use super::Dialog;
use crate::i18n::t;

/// A question.
#[derive(Clone)]
pub(crate) struct Ask {
    /// Heading.
    pub(crate) title: String,
    /// What will happen; an empty line begins a new paragraph.
    pub(crate) text: String,
    /// Text of the button that does it.
    pub(crate) button: String,
    /// What it does. It belongs to no view: the menu that asks is gone by the time of the answer.
    pub(crate) act: Arc<dyn Fn() + Send + Sync>,
    /// Whether something is lost for good.
    pub(crate) grave: bool,
}

/// Shows the question while there is one.
#[component]
pub(crate) fn Confirm(ask: RwSignal<Option<Ask>>) -> impl IntoView {
    move || {
        ask.get().map(|question| {
            let act = question.act.clone();
            let paragraphs =
                question.text.split("\n\n").map(|text| view! { <p class="muted">{text.to_owned()}</p> }).collect_view();
            let foot = view! {
                <button class="button" on:click=move |_| ask.set(None)>{t!("cancel")}</button>
                <button
                    class="button"
                    class:danger=question.grave
                    class:primary=!question.grave
                    data-action="confirm"
                    autofocus=true
                    on:click=move |_| {
                        ask.set(None);
                        act();
                    }
                >
                    {question.button}
                </button>
            };
            view! {
                <Dialog title=question.title width="440px" on_close=Callback::new(move |()| ask.set(None)) foot=foot.into_any()>
                    <div class="asked">{paragraphs}</div>
                </Dialog>
            }
        })
    }
}
