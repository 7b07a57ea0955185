//! What the page says when there is nothing to show.

use leptos::prelude::*;

use super::Importer;
use crate::canvas::begin_guide;
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// No channels yet: the ways to the first one.
#[component]
pub(super) fn Empty(create: Callback<()>, gallery: RwSignal<bool>, importer: Importer) -> impl IntoView {
    view! {
        <div class="empty" data-testid="empty">
            <span class="mark">{icon(Icon::Logo)}</span>
            <h1>{t!("channels-empty-title")}</h1>
            <p>{t!("channels-empty-text")}</p>
            <div class="doors">
                <button class="door" data-action="door-blank" on:click=move |_| create.run(())>
                    {icon(Icon::Plus)} <span class="what">{t!("door-blank")}</span> <span class="more">{t!("door-blank-text")}</span>
                </button>
                <button class="door" data-action="door-template" on:click=move |_| gallery.set(true)>
                    {icon(Icon::Template)} <span class="what">{t!("from-template")}</span> <span class="more">{t!("door-template-text")}</span>
                </button>
                <button class="door" data-action="door-import" on:click=move |_| importer.pick()>
                    {icon(Icon::Import)} <span class="what">{t!("import-file")}</span> <span class="more">{t!("import-hint")}</span>
                </button>
            </div>
            <button class="link guide-link" data-action="door-guide" on:click=move |_| {
                begin_guide();
                create.run(());
            }>{t!("door-guide")}</button>
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
