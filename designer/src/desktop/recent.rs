//! Documents of the user's disk on the Channels page: open one, or one of those opened before.

use leptos::prelude::*;

use super::use_desktop;
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// Asks for a document; in the desktop app only.
#[component]
pub(crate) fn OpenButton() -> impl IntoView {
    let desktop = use_desktop();
    desktop.there.then(|| {
        view! {
            <button class="button" data-action="file-open" title=t!("file-open-key") on:click=move |_| desktop.pick()>
                {icon(Icon::Import)}
                {t!("file-open")}
            </button>
        }
    })
}

/// The documents opened last; nothing where there are none.
#[component]
pub(crate) fn RecentDocuments() -> impl IntoView {
    let desktop = use_desktop();
    move || {
        let recent = desktop.recent.get();
        (!recent.is_empty()).then(|| {
            let rows = recent.into_iter().map(|one| {
                let path = one.path.clone();
                view! {
                    <li>
                        <button
                            class="recent-file"
                            data-testid="recent-file"
                            disabled=!one.there
                            title=if one.there { one.path } else { t!("file-gone") }
                            on:click=move |_| desktop.open_recent(path.clone())
                        >
                            <bdi class="what">{one.name}</bdi>
                            <bdi class="faint">{one.folder}</bdi>
                        </button>
                    </li>
                }
            });
            view! {
                <section class="recent-files" aria-labelledby="recent-files">
                    <h2 id="recent-files">{t!("file-recent")}</h2>
                    <ul>{rows.collect_view()}</ul>
                </section>
            }
        })
    }
}
