//! A search with a list below it, over everything else: type, choose by arrows, Enter. The command palette and the search
//! for another end of an edge are this.

use std::sync::Arc;

use fairway_shared::component::Kind;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::kind_word;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::ToastList;

/// A row.
#[derive(Clone)]
pub(super) struct Choice {
    /// Hook for tests.
    pub(super) hook: String,
    /// The kind of the node that it stands for, for its colour.
    pub(super) kind: Option<Kind>,
    pub(super) shape: Arc<dyn Fn() -> AnyView + Send + Sync>,
    pub(super) text: String,
    /// Said beside it, more quietly.
    pub(super) detail: String,
    /// Keys that do the same.
    pub(super) keys: Vec<String>,
    pub(super) act: Callback<()>,
}

/// The search, open while it exists.
#[component]
pub(super) fn Picker(
    label: String,
    testid: &'static str,
    /// What stands in the search at first.
    #[prop(optional)]
    start: &'static str,
    find: Callback<String, Vec<Choice>>,
    close: Callback<()>,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let input = NodeRef::<html::Input>::new();
    let search = RwSignal::new(start.to_owned());
    let chosen = RwSignal::new(0usize);
    let found = RwSignal::new(find.run(start.to_owned()));
    Effect::new(move || {
        if let Some(dialog) = dialog.get()
            && !dialog.open()
            && dialog.show_modal().is_err()
        {
            dialog.set_open(true);
        }
        if let Some(input) = input.get()
            && input.focus().is_err()
        {
            leptos::logging::warn!("the search did not take the focus");
        }
    });
    // Shutting it first gives the focus back to where it was: behind an open one nothing takes it.
    let close = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
        close.run(());
    };
    let take = move |at: usize| {
        if let Some(choice) = found.with_untracked(|found| found.get(at).cloned()) {
            close();
            choice.act.run(());
        }
    };
    let go = move |at: usize| {
        chosen.set(at);
        request_animation_frame(move || {
            let row = dialog
                .get_untracked()
                .and_then(|dialog| dialog.query_selector("[aria-selected=true]").ok()?);
            if let Some(row) = row {
                let options = web_sys::ScrollIntoViewOptions::new();
                options.set_block(web_sys::ScrollLogicalPosition::Nearest);
                row.scroll_into_view_with_scroll_into_view_options(&options);
            }
        });
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        event.stop_propagation();
        let count = found.with_untracked(Vec::len);
        let now = chosen.get_untracked();
        match event.key().as_str() {
            "ArrowDown" if count > 0 => go((now + 1) % count),
            "ArrowUp" if count > 0 => go((now + count - 1) % count),
            "PageDown" if count > 0 => go((now + 8).min(count - 1)),
            "PageUp" if count > 0 => go(now.saturating_sub(8)),
            "Enter" => take(now),
            "Escape" => close(),
            // The key that opened it shuts it.
            "k" | "K" if event.ctrl_key() || event.meta_key() => close(),
            _ => return,
        }
        event.prevent_default();
    };
    let rows = move || {
        let found = found.get();
        let row = move |(at, choice): (usize, Choice)| {
            let keys = choice.keys.into_iter().map(|key| view! { <kbd>{key}</kbd> }).collect_view();
            view! {
                <li
                    class="option"
                    id=format!("choice-{at}")
                    role="option"
                    data-choice=choice.hook
                    data-kind=choice.kind.map(kind_word)
                    aria-selected=move || (chosen.get() == at).to_string()
                    on:pointermove=move |_| if chosen.get_untracked() != at { chosen.set(at) }
                    on:click=move |_| take(at)
                >
                    <span class="option-shape">{(choice.shape)()}</span>
                    <span class="clip">{choice.text}</span>
                    <span class="clip faint grow">{choice.detail}</span>
                    <span class="option-keys">{keys}</span>
                </li>
            }
        };
        found.into_iter().enumerate().map(row).collect_view()
    };
    let outside = move |event: web_sys::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlDialogElement>().ok());
        if target.is_some() {
            close();
        }
    };
    let active = move || found.with(|found| !found.is_empty()).then(|| format!("choice-{}", chosen.get()));
    view! {
        <dialog
            node_ref=dialog
            class="picker"
            aria-label=label.clone()
            data-testid=testid
            on:mousedown=outside
            on:cancel=move |event: web_sys::Event| {
                event.prevent_default();
                close();
            }
            on:keydown=keys
        >
            <div class="search">
                {icon(Icon::Search)}
                <input
                    node_ref=input
                    class="input"
                    type="text"
                    role="combobox"
                    autocomplete="off"
                    spellcheck="false"
                    aria-expanded="true"
                    aria-controls="choices"
                    aria-activedescendant=active
                    aria-label=label.clone()
                    placeholder=label.clone()
                    prop:value=move || search.get()
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        found.set(find.run(text.clone()));
                        search.set(text);
                        chosen.set(0);
                    }
                />
            </div>
            <ul id="choices" role="listbox" aria-label=label.clone()>{rows}</ul>
            {move || found.with(Vec::is_empty).then(|| view! { <p class="none" role="status">{t!("commands-none")}</p> })}
            <ToastList />
        </dialog>
    }
}
