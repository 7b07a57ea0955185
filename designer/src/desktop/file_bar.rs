//! The channel's file in the bar: its name, whether it has the latest changes, save, save as, read it again.

use fairway_shared::api::channels::Existing;
use leptos::prelude::*;
use serde_json::json;

use super::{Document, FileState, bridge, export, use_desktop};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::MenuButton;
use crate::router::Route;
use crate::state::editor::{Editor, Saving, use_editor};

/// Shown in the desktop app only.
#[component]
pub(crate) fn FileBar() -> impl IntoView {
    use_desktop().there.then(|| view! { <Here /> })
}

#[component]
fn Here() -> impl IntoView {
    let (desktop, editor) = (use_desktop(), use_editor());
    let file = RwSignal::new(None::<FileState>);
    let menu = RwSignal::new(false);
    // Whenever the server has the latest draft, and when the page opens.
    Effect::new(move || {
        if editor.saving.get() == Saving::Saved {
            look(editor, file);
        }
    });
    let save = move |elsewhere: bool| {
        menu.set(false);
        leptos::task::spawn_local(async move {
            if editor.saved().await
                && let Some(state) = desktop.save(&editor.uid(), elsewhere).await
            {
                desktop.toasts.good(t!("file-saved", name = state.name.clone()));
                let _left = file.try_set(Some(state));
            }
        });
    };
    let read_again = move |_| {
        menu.set(false);
        let Some(path) = file.with_untracked(|file| file.as_ref().map(|file| file.path.clone())) else {
            return;
        };
        leptos::task::spawn_local(async move {
            match bridge::call::<Document>("open_recent", &json!({ "path": path })).await {
                Ok(document) => {
                    // Over the channel of the name in the file: what was drawn stays as a version of it.
                    if let Some(uid) = desktop.import(&document.text, Existing::Over).await {
                        desktop.link(&document.path, Some(&uid)).await;
                        desktop.router.go(Route::Channels);
                        desktop.router.go(Route::Canvas(uid));
                    }
                }
                Err(error) => desktop.toasts.bad(t!("file-unreadable"), Some(error)),
            }
        });
    };
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        if (event.ctrl_key() || event.meta_key()) && event.key().eq_ignore_ascii_case("s") {
            event.prevent_default();
            save(event.shift_key());
        }
    });
    on_cleanup(move || keys.remove());
    let known =
        Memo::new(move |_| file.with(|file| file.as_ref().map(|file| (file.name.clone(), file.saved))));
    let name = move || {
        known.get().map(|(name, saved)| {
            let text = if saved { t!("file-has-all") } else { t!("file-lacks") };
            view! {
                <span class="file-name" data-testid="file" data-saved=saved.to_string() title=text.clone()>
                    {name}
                    <span class="hidden-text">{text.clone()}</span>
                </span>
            }
        })
    };
    let differs = move || known.get().is_some_and(|(_, saved)| !saved);
    view! {
        {name}
        <div class="split quiet">
            <button class="icon-button" data-action="file-save" aria-label=t!("file-save") title=t!("file-save-key") on:click=move |_| save(false)>
                {icon(Icon::Save)}
            </button>
            <MenuButton open=menu hook="file-more" label=t!("file-more") class="icon-button narrow">
                <button class="menu-item" role="menuitem" data-action="file-save-as" on:click=move |_| save(true)>
                    {icon(Icon::Save)}
                    {t!("file-save-as")}
                </button>
                <button class="menu-item" role="menuitem" data-action="file-read-again" disabled=move || !differs() on:click=read_again>
                    {icon(Icon::Import)}
                    {t!("file-read-again")}
                </button>
            </MenuButton>
        </div>
    }
}

/// Learns how the channel stands to its file.
fn look(editor: Editor, file: RwSignal<Option<FileState>>) {
    leptos::task::spawn_local(async move {
        let uid = editor.uid();
        // A channel without a file has nothing to be compared with.
        if !bridge::call("has_file", &json!({ "uid": uid })).await.unwrap_or(true) {
            return;
        }
        let Ok((text, _)) = export(&uid).await else { return };
        match bridge::call("file_state", &json!({ "uid": uid, "text": text })).await {
            // The page may have been left meanwhile.
            Ok(state) => drop(file.try_set(state)),
            Err(error) => leptos::logging::warn!("the file's state is unknown: {error}"),
        }
    });
}
