//! The channel's document as text, to be read, searched, edited and put back as one step. What cannot be read says where, and
//! leaves the drawing as it is.

use fairway_shared::channel::Channel;
use fairway_shared::channel::text::{self, Document};
use leptos::html;
use leptos::prelude::*;

use crate::canvas::use_surface;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::{Dialog, markdown};
use crate::state::editor::{Comparison, use_editor};

/// Most faults that are listed.
const MOST: usize = 6;

/// Opens while the text is asked for.
#[component]
pub(crate) fn DocumentDialog() -> impl IntoView {
    let surface = use_surface();
    move || surface.text.get().then(|| view! { <Opened /> })
}

/// What a text says: a channel, or why it is none.
fn read(typed: &str) -> Result<Channel, Vec<String>> {
    let parsed = text::parse(typed.as_bytes());
    let faults = parsed.diagnostics.iter().filter(|fault| fault.is_error());
    let said: Vec<String> = faults
        .map(|fault| match fault.place.pointer.as_str() {
            "" => fault.message.clone(),
            pointer => format!("`{pointer}`: {}", fault.message),
        })
        .collect();
    match parsed.document {
        Some(Document::Channel(channel)) if said.is_empty() => Ok(channel),
        Some(Document::Channel(_)) | None => Err(said),
        Some(other) => Err(vec![t!("paste-other-kind", kind = other.kind())]),
    }
}

#[component]
fn Opened() -> impl IntoView {
    let editor = use_editor();
    let surface = use_surface();
    let before = editor.with(Clone::clone);
    let typed = RwSignal::new(text::to_text(&before));
    let found = Memo::new(move |_| typed.with(|typed| read(typed)));
    let differs = {
        let before = before.clone();
        Memo::new(move |_| found.with(|found| found.as_ref().is_ok_and(|channel| *channel != before)))
    };
    let changes = move || {
        found.with(|found| {
            let channel = found.as_ref().ok()?;
            let Comparison { added, removed, changed, .. } = Comparison::of(&before, channel);
            let (added, removed, changed) = (added.len(), removed.len(), changed.len());
            Some(t!("text-changes", added = added, removed = removed, changed = changed))
        })
    };
    let close = Callback::new(move |()| surface.text.set(false));
    let field = NodeRef::<html::Textarea>::new();
    let apply = move |_| {
        if let Ok(channel) = found.get_untracked() {
            close.run(());
            editor.take_document(channel);
        }
    };
    let copy = move |_| {
        let written = window().navigator().clipboard().write_text(&typed.get_untracked());
        leptos::task::spawn_local(async move {
            if wasm_bindgen_futures::JsFuture::from(written).await.is_err() {
                editor.toasts().bad(t!("clipboard-refused"), Some(t!("clipboard-refused-help")));
            } else {
                editor.toasts().good(t!("text-copied"));
            }
        });
    };
    let faults = move || {
        found.get().err().map(|faults| {
            let rows = faults.into_iter().take(MOST).map(|fault| view! { <li>{markdown::inline(&fault)}</li> });
            view! { <ul class="text-faults" role="alert" data-testid="text-faults">{rows.collect_view()}</ul> }
        })
    };
    let foot = view! {
        <span class="grow">{changes}</span>
        <button type="button" class="button" data-action="copy-text" on:click=copy>{icon(Icon::Paste)} {t!("key-copy")}</button>
        <button type="button" class="button" on:click=move |_| close.run(())>{t!("cancel")}</button>
        <button type="button" class="button primary" data-action="apply-text" disabled=move || !differs.get() on:click=apply>{t!("text-apply")}</button>
    };
    view! {
        <Dialog title=t!("text-title") width="820px" testid="document" on_close=close foot=foot.into_any()>
            <p class="muted">{t!("text-help")}</p>
            <textarea
                node_ref=field
                class="input mono document-text"
                aria-label=t!("text-title")
                spellcheck="false"
                autofocus=true
                prop:value=typed.get_untracked()
                on:input=move |event| typed.set(event_target_value(&event))
            ></textarea>
            {faults}
        </Dialog>
    }
}
