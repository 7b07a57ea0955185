//! The question before the window closes on changes that no file has.

use leptos::prelude::*;
use serde_json::json;

use super::{bridge, use_desktop};
use crate::i18n::t;
use crate::parts::Dialog;

/// Asks while the window waits to be closed.
#[component]
pub(crate) fn CloseQuestion() -> impl IntoView {
    let desktop = use_desktop();
    let stay = move || desktop.closing.set(Vec::new());
    let close = move || {
        leptos::task::spawn_local(async move {
            if let Err(error) = bridge::call::<()>("close_window", &json!({})).await {
                desktop.toasts.bad(t!("desktop-deaf"), Some(error));
            }
        });
    };
    let save_and_close = move |_| {
        let uids = desktop.closing.get_untracked();
        stay();
        leptos::task::spawn_local(async move {
            for uid in uids {
                // Where a file cannot be written the window stays, and says why.
                if desktop.save(&uid, false).await.is_none() {
                    return;
                }
            }
            close();
        });
    };
    move || {
        let count = desktop.closing.with(Vec::len);
        (count > 0).then(|| {
            let foot = view! {
                <button class="button" data-action="stay" on:click=move |_| stay()>{t!("cancel")}</button>
                <span class="grow"></span>
                <button class="button" data-action="close-unsaved" on:click=move |_| close()>{t!("file-close-unsaved")}</button>
                <button class="button primary" data-action="save-and-close" on:click=save_and_close>{t!("file-save-and-close")}</button>
            };
            view! {
                <Dialog title=t!("file-close-title", count = count) width="480px" testid="close-question" on_close=Callback::new(move |()| stay()) foot=foot.into_any()>
                    <p class="muted">{t!("file-close-text")}</p>
                </Dialog>
            }
        })
    }
}
