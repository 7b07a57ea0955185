//! What the page says when there is nothing to show.

use leptos::prelude::*;

use super::Importer;
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// No channels yet: the ways to the first one.
#[component]
pub(super) fn Empty(create: Callback<()>, importer: Importer) -> impl IntoView {
    view! {
        <div class="empty" data-testid="empty">
            <span class="mark">{icon(Icon::Logo)}</span>
            <h1>{t!("channels-empty-title")}</h1>
            <p>{t!("channels-empty-text")}</p>
            <div class="acts">
                <button class="button" on:click=move |_| importer.pick()>{icon(Icon::Import)} {t!("import-file")}</button>
                <button class="button primary" on:click=move |_| create.run(())>{icon(Icon::Plus)} {t!("new-channel")}</button>
            </div>
        </div>
    }
}

/// The search finds nothing.
#[component]
pub(super) fn NothingFound(search: RwSignal<String>) -> impl IntoView {
    view! {
        <div class="empty">
            <p>{move || t!("channels-none-found", search = search.get().trim())}</p>
            <button class="button" on:click=move |_| search.set(String::new())>{t!("clear-search")}</button>
        </div>
    }
}
